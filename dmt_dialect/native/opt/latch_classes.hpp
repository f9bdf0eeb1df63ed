#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/opt/latch_constants.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

struct LatchClasses {
  /// For each latch a literal that equals it in every reachable state: a constant, or the first latch of its
  /// class, complemented where the two are opposite. A latch on its own has its own literal.
  std::vector<Lit> leaders;
  std::uint64_t cycles = 0;  // simulated
  std::uint64_t rounds = 0;  // of refinement
  bool stopped = false;      // nothing was found then
};

/// Latches that equal a constant or each other, by induction over time (van Eijk, IEEE TCAD 2000): latches
/// are in one class while their resets agree and, with the first of each class put in place of the others,
/// their next states hash to the same literal. Simulation from the resets splits the classes before that.
/// Latches without a reset value stay on their own. `stuck` has constants that are known already.
///
/// Only structure is compared: equal next states of different structure are not found. Cost: a bounded number
/// of passes over the circuit; where that is not enough, the classes that have not settled are given up.
LatchClasses latch_classes(const AigStore& aig, const std::vector<Trit>& stuck, std::uint64_t seed,
                           dynomite::Stop& stop);

}  // namespace dmt::opt
