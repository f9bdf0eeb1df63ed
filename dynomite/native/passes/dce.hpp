#pragma once

#include <cstdint>
#include <vector>

#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/update_log.hpp"

namespace dynomite::ir {

struct DceParams {
  InstrId within;  // changes only what is in its regions; none: the whole module
};

struct DceStats {
  std::uint64_t visited = 0;
  std::uint64_t erased = 0;  // instructions, those inside of erased ones included
  bool changed() const { return erased != 0; }
};

/// Dead code: erases the pure instructions that nothing needs. Needed are instructions that are not
/// declared pure, end a block, have a name or stand in no block, and what needed ones use. What is inside
/// an instruction's regions counts if that instruction is needed. Dead cycles of graph regions go too.
///
/// Linear, without recursion. An early `stop` changes nothing.
/// Throws UsageError if the mutator only records (Tracking::kLazyUpdate).
DceStats dce(Mutator& mutator, const DceParams& params, Stop& stop);

/// Erases these instructions and all that is in their regions; nothing else may use them. They are given in
/// an order of `walk`. Returns the number of erased instructions. Linear.
std::uint64_t erase_instrs(Mutator& mutator, const std::vector<InstrId>& doomed);

}  // namespace dynomite::ir
