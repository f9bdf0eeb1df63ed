#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "dmt_dialect/native/opt/scl.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;

using Counts = nb::typed<nb::dict, nb::str, std::uint64_t>;
using Result = nb::typed<nb::tuple, AigStore, Counts, std::vector<std::uint64_t>, std::vector<std::uint32_t>>;

Result scl(const AigStore& aig, bool constants, bool duplicates, bool unused, std::uint64_t seed,
           dynomite::Stop* stop) {
  dmt::opt::SclStats stats;
  dmt::opt::SclResult made;
  {
    const dmt::ReadLease reading(aig.access());
    dynomite::run_long(stop, [&](dynomite::Stop& polled) {
      made = dmt::opt::scl(aig, {constants, duplicates, unused, seed}, &stats, polled);
    });
  }
  Counts counts;
  counts["constant"] = stats.constant;
  counts["duplicate"] = stats.duplicate;
  counts["unused"] = stats.unused;
  counts["cycles"] = stats.cycles;
  counts["rounds"] = stats.rounds;
  return nb::make_tuple(nb::cast(std::move(made.aig)), counts, nb::cast(made.codes), nb::cast(made.kept));
}

}  // namespace

void bind_seq(nb::module_& m) {
  m.def("scl", &scl, nb::arg("aig"), nb::kw_only(), nb::arg("constants") = true, nb::arg("duplicates") = true,
        nb::arg("unused") = true, nb::arg("seed") = 1, nb::arg("stop").none() = nb::none(),
        R"(Sequential clean-up: latches that are constant, equal another one, or are not needed go.

Args:
    aig: The circuit.
    constants: Find latches that never leave their reset value, by three-valued simulation.
    duplicates: Find latches that equal a constant or each other, by induction over hashed next states.
    unused: Drop latches that no output or property depends on.
    seed: Seed of simulation.
    stop: Ends the search; what is merged then is still right, perhaps nothing.

Returns:
    The new circuit; counts; for each latch what equals it in every reachable state (0 and 1 the constants,
    2 + 2k latch k of the given circuit, 3 + 2k its complement); the old number of each latch of the new one.

Cost: linear, times a bounded number of passes.)");
}
