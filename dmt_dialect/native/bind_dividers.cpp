#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/dividers/bridge.hpp"
#include "dmt_dialect/native/py_lit_arrays.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dmt::Lit;
using dmt::dividers::Bridge;

using dmt::LitArray;

std::vector<std::uint32_t> to_raw(const std::vector<std::pair<Lit, Lit>>& pairs) {
  std::vector<std::uint32_t> raw;
  for (const auto& [a, b] : pairs) raw.insert(raw.end(), {a.raw(), b.raw()});
  return raw;
}

nb::object build_bridge(const AigStore& aig, const LitArray& dividend, const LitArray* divisor,
                        dynomite::Stop* stop) {
  dmt::dividers::Operands operands;
  operands.dividend = dmt::to_lits(dividend);
  operands.kind = divisor == nullptr ? dmt::dividers::Kind::kRoot : dmt::dividers::Kind::kQuotient;
  if (divisor != nullptr) operands.divisor = dmt::to_lits(*divisor);
  std::optional<Bridge> bridge;
  {
    const dmt::ReadLease reading(aig.access());
    dynomite::run_long(
        stop, [&](dynomite::Stop& polled) { bridge = dmt::dividers::build_bridge(aig, operands, polled); });
  }
  if (!bridge) return nb::none();
  return nb::make_tuple(nb::cast(std::move(bridge->aig)), dmt::to_numpy(dmt::to_raw(bridge->map)),
                        dmt::to_numpy_pairs(to_raw(bridge->facts)),
                        dmt::to_numpy(dmt::to_raw(bridge->words)));
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
