#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

struct SclParams {
  /// Latches that never leave their reset value become constants.
  bool constants = true;
  /// Latches that always equal (or oppose) a constant or another latch are merged.
  bool duplicates = true;
  /// Latches that no output or property depends on go.
  bool unused = true;
  std::uint64_t seed = 1;
};

struct SclStats {
  std::uint64_t constant = 0;   // latches that became constants
  std::uint64_t duplicate = 0;  // latches that became another one
  std::uint64_t unused = 0;     // latches that were dropped
  std::uint64_t cycles = 0;     // simulated
  std::uint64_t rounds = 0;     // of refinement
  bool stopped = false;
};

struct SclResult {
  AigStore aig;
  /// For each latch of the given circuit what equals it in every reachable state: 0 and 1 are the constants,
  /// 2 + 2k is latch k of the given circuit, 3 + 2k its complement. Latches on their own have their own
  /// number.
  std::vector<std::uint64_t> codes;
  /// For each latch of `aig` its number in the given circuit.
  std::vector<std::uint32_t> kept;
};

/// Sequential clean-up. The result has the same inputs, outputs, properties and names, and from the resets on
/// the same values at every output in every cycle; latches may be missing. ANDs are hashed. Names of latches
/// that were merged become net names. When `stop` ends it, latches are merged as far as it is known to be
/// right: perhaps not at all. Cost: linear, times a bounded number of passes; see `latch_classes`.
SclResult scl(const AigStore& aig, const SclParams& params, SclStats* stats, dynomite::Stop& stop);

}  // namespace dmt::opt
