#include <nanobind/ndarray.h>

#include <algorithm>
#include <vector>

#include "dmt_dialect/native/aig/witness.hpp"
#include "dynomite/native/base/python_stop.hpp"
#include "dynomite/native/module.hpp"

using dmt::AigStore;
using dmt::Lit;
using dmt::Ternary;
using dynomite::UsageError;

namespace {

using Bytes = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;
using Words = nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<1>, nb::c_contig>;
using NewBytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>, nb::c_contig>;

NewBytes new_bytes(std::size_t count, auto&& byte_at) {
  auto* data = new std::uint8_t[count];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  for (std::size_t i = 0; i < count; ++i) data[i] = byte_at(i);
  return NewBytes(data, {count}, owner);
}

Lit lit_in(const AigStore& aig, std::uint32_t raw, const char* call) {
  const Lit lit = Lit::from_raw(raw);
  if (!aig.contains(lit)) throw UsageError(std::string(call) + ": no such literal in the AIG");
  return lit;
}

NewBytes evaluate(const AigStore& aig, const Bytes& cis, const Words& lits) {
  if (cis.size() != aig.inputs().size() + aig.latches().size()) {
    throw UsageError("evaluate: one value an input and a latch is needed");
  }
  std::vector<Ternary> values(cis.size());
  for (std::size_t i = 0; i < cis.size(); ++i) {
    if (cis.data()[i] > 2) throw UsageError("evaluate: values are 0, 1 and 2 (unknown)");
    values[i] = static_cast<Ternary>(cis.data()[i]);
  }
  std::vector<Lit> checked(lits.size());
  for (std::size_t i = 0; i < lits.size(); ++i) checked[i] = lit_in(aig, lits.data()[i], "evaluate");
  std::vector<Ternary> result;
  {
    const dmt::ReadLease reading(aig.access());
    nb::gil_scoped_release release;
    result = dmt::evaluate(aig, values, checked);
  }
  return new_bytes(result.size(), [&](std::size_t i) { return static_cast<std::uint8_t>(result[i]); });
}

dmt::WitnessSide side_of(const AigStore& aig, std::uint32_t raw, const Words& variables, std::size_t count) {
  if (variables.size() != aig.inputs().size() + aig.latches().size()) {
    throw UsageError("needed_variables: one variable an input and a latch is needed");
  }
  const std::span<const std::uint32_t> numbers(variables.data(), variables.size());
  if (std::ranges::any_of(numbers, [&](std::uint32_t v) { return v >= count; })) {
    throw UsageError("needed_variables: a variable without a value");
  }
  return {&aig, lit_in(aig, raw, "needed_variables"), numbers};
}

NewBytes needed_variables(const AigStore& left, std::uint32_t left_lit, const Words& left_variables,
                          const AigStore& right, std::uint32_t right_lit, const Words& right_variables,
                          const Bytes& values, std::uint64_t budget, dynomite::Stop& stop) {
  const auto a = side_of(left, left_lit, left_variables, values.size());
  const auto b = side_of(right, right_lit, right_variables, values.size());
  const std::span<const std::uint8_t> bits(values.data(), values.size());
  std::vector<bool> needed;
  dynomite::PythonStop guard(stop);
  {
    const dmt::ReadLease reading_left(left.access());
    const dmt::ReadLease reading_right(right.access());
    nb::gil_scoped_release release;
    needed = dmt::needed_variables(a, b, bits, budget, stop);
  }
  guard.rethrow();
  return new_bytes(needed.size(), [&](std::size_t i) { return static_cast<std::uint8_t>(needed[i]); });
}

}  // namespace

void bind_witness(nb::module_& m) {
  m.def("evaluate", &evaluate, nb::arg("aig"), nb::arg("values"), nb::arg("lits"),
        "Three-valued simulation of one pattern: `values` of the inputs, then the latches (0, 1, 2 for "
        "unknown); returns the values of the literals.");
  m.def("needed_variables", &needed_variables, nb::arg("left"), nb::arg("left_lit"),
        nb::arg("left_variables"), nb::arg("right"), nb::arg("right_lit"), nb::arg("right_variables"),
        nb::arg("values"), nb::kw_only(), nb::arg("budget"), nb::arg("stop"),
        "Flags the variables that keep both literals at their values. `left_variables` and "
        "`right_variables` say which variable each input, then latch, of a design reads; at most `budget` "
        "node visits are spent on leaving variables out one by one.");
}
