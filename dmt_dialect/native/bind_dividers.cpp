#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/dividers/bridge.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dmt::Lit;
using dmt::dividers::Bridge;

using LitArray = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumpyLits = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>;
using NumpyPairs = nb::ndarray<nb::numpy, std::uint32_t, nb::shape<-1, 2>>;

std::vector<Lit> to_lits(const LitArray& array) {
  std::vector<Lit> lits(array.shape(0));
  for (std::size_t i = 0; i < lits.size(); ++i) lits[i] = Lit::from_raw(array.data()[i]);
  return lits;
}

std::uint32_t* to_heap(std::size_t count, nb::capsule& owner) {
  auto* data = new std::uint32_t[count + 1];
  owner = nb::capsule(data, [](void* p) noexcept { delete[] static_cast<std::uint32_t*>(p); });
  return data;
}

NumpyLits to_numpy(const std::vector<Lit>& lits) {
  nb::capsule owner;
  std::uint32_t* data = to_heap(lits.size(), owner);
  std::transform(lits.begin(), lits.end(), data, [](Lit lit) { return lit.raw(); });
  return NumpyLits(data, {lits.size()}, owner);
}

NumpyPairs to_numpy(const std::vector<std::pair<Lit, Lit>>& pairs) {
  nb::capsule owner;
  std::uint32_t* data = to_heap(2 * pairs.size(), owner);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    data[2 * i] = pairs[i].first.raw();
    data[2 * i + 1] = pairs[i].second.raw();
  }
  return NumpyPairs(data, {pairs.size(), 2}, owner);
}

nb::object build_bridge(const AigStore& aig, const LitArray& dividend, const LitArray* divisor,
                        dynomite::Stop* stop) {
  dmt::dividers::Operands operands;
  operands.dividend = to_lits(dividend);
  operands.kind = divisor == nullptr ? dmt::dividers::Kind::kRoot : dmt::dividers::Kind::kQuotient;
  if (divisor != nullptr) operands.divisor = to_lits(*divisor);
  std::optional<Bridge> bridge;
  {
    const dmt::ReadLease reading(aig.access());
    dynomite::run_long(
        stop, [&](dynomite::Stop& polled) { bridge = dmt::dividers::build_bridge(aig, operands, polled); });
  }
  if (!bridge) return nb::none();
  return nb::make_tuple(nb::cast(std::move(bridge->aig)), to_numpy(bridge->map), to_numpy(bridge->facts),
                        to_numpy(bridge->words));
}

}  // namespace

void bind_dividers(nb::module_& m) {
  m.def(
      "build_bridge",
      [](const AigStore& aig, const LitArray& dividend, std::optional<LitArray> divisor,
         dynomite::Stop* stop) { return build_bridge(aig, dividend, divisor ? &*divisor : nullptr, stop); },
      nb::arg("aig"), nb::arg("dividend"), nb::arg("divisor").none(), nb::kw_only(),
      nb::arg("stop").none() = nb::none(),
      nb::sig("def build_bridge(aig: dynomite._native.aig.Aig, dividend: "
              "numpy.typing.NDArray[numpy.uint32], divisor: numpy.typing.NDArray[numpy.uint32] | None, *, "
              "stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, "
              "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], "
              "numpy.typing.NDArray[numpy.uint32]] | None"),
      R"(Puts a divider, or a square root, in front of the gates of an AIG for sweeping.

Args:
    aig: Without latches.
    dividend: Literals of inputs, bit 0 first; for roots an even number.
    divisor: Equally many; None for a square root of the dividend.
    stop: Ends the call early.

Returns:
    The AIG with the divider before the gates, which are hashed; the literal in it of each node of the given
    one; pairs of literals of the divider that were proved equal; the bits of all its words. None if `stop`
    ended it.

Raises:
    UsageError: The operands do not fit, or are no inputs.

Cost: linear, and 30 nodes for each bit of each stage.)");
}
