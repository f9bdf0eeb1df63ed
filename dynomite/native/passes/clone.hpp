#pragma once

#include <cstdint>
#include <memory>

#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/update_log.hpp"

namespace dynomite::ir {

struct CloneParams {
  bool names = true;      // copies get the names of their values
  bool locations = true;  // and the origins of their instructions
};

struct CloneStats {
  std::uint64_t instrs = 0, values = 0, blocks = 0, regions = 0;
  RegionId region;  // the copy
};

/// A module of its own with the same registry and the same ids, use lists in the same order included.
/// Costs a copy of the tables.
std::unique_ptr<Module> clone_module(const Module& module);

/// Copies `region` and all below it inside its module. Uses of what is defined in the region become uses of
/// the copy, other uses stay; the copy belongs to no instruction until one is made that defines it.
/// Linear, without recursion. An early `stop` leaves a copy of less.
CloneStats clone_region(Mutator& mutator, RegionId region, const CloneParams& params, Stop& stop);

}  // namespace dynomite::ir
