#pragma once

#include <cstdint>

#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/update_log.hpp"

namespace dynomite::ir {

struct CseParams {
  InstrId within;           // changes only what is in its regions; none: the whole module
  bool commutative = true;  // values of commutative operations are compared in any order
};

struct CseStats {
  std::uint64_t visited = 0;
  std::uint64_t merged = 0;
  bool changed() const { return merged != 0; }
};

/// Common subexpressions: of equal pure instructions where one dominates the other, the later one goes and
/// its uses become uses of the earlier one, whose origins become those of all it stands for.
///
/// Equal are instructions with the same operation, operands (attributes are operands) and types of their
/// values. Left alone: whatever is not declared pure, owns regions or blocks, has a name, ends a block, is
/// in several blocks or is referred to as an instruction. Operations inside a region see what stands around
/// it unless it is isolated. In graph regions operands come first, so order means nothing there.
///
/// Linear expected time in the operands. An early `stop` leaves a valid module.
/// Throws UsageError if the mutator only records (Tracking::kLazyUpdate).
CseStats cse(Mutator& mutator, const CseParams& params, Stop& stop);

}  // namespace dynomite::ir
