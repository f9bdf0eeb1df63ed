#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

/// A value of three-valued simulation.
enum class Trit : std::uint8_t { kZero, kOne, kUnknown };

/// For each latch its value if three-valued simulation from the resets, inputs unknown, never sees it leave
/// its reset value; else unknown. Sound: what is found holds in every reachable state, and all of it together
/// is an inductive invariant. All unknown when `stop` ends it. Linear: a node changes once, to unknown.
std::vector<Trit> stuck_latches(const AigStore& aig, dynomite::Stop& stop);

}  // namespace dmt::opt
