#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

/// Calls `each(RegionId)` for the regions that `instr` defines, in operand order.
template <typename Each>
void for_own_regions(const Module& module, InstrId instr, Each each) {
  const std::uint32_t count = module.instrs().operand_count(instr);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand operand = module.instrs().operand(instr, i);
    if (operand.is_def && operand.ref.kind == kind::kRegion) each(RegionId(operand.ref.id));
  }
}

/// Regions where code starts: those without an owner (the body is one) and those whose owner is in no block.
inline std::vector<RegionId> root_regions(const Module& module) {
  std::vector<RegionId> roots;
  for (std::uint32_t i = 0; i < module.cfg().region_bound(); ++i) {
    const RegionId region(i);
    if (!module.cfg().is_live(region)) continue;
    const InstrId owner = module.cfg().owner(region);
    if (!owner || !module.instrs().is_live(owner) || !module.cfg().block_of(owner)) roots.push_back(region);
  }
  return roots;
}

/// The regions of `within`, or all root regions if it is none.
inline std::vector<RegionId> scope_of(const Module& module, InstrId within) {
  return within ? module.regions(within) : root_regions(module);
}

/// Visits every instruction of the regions and below in order: an instruction comes before what is in its
/// regions. `visit(InstrId, BlockId)` must not change the module. Each region is entered once, however many
/// blocks hold its owner. Linear, without recursion.
template <typename Visit>
void walk(const Module& module, std::span<const RegionId> roots, Visit visit) {
  struct Place {
    BlockId block;
    InstrId next;
  };
  const CfgStore& cfg = module.cfg();
  std::vector<bool> entered(cfg.region_bound(), false);
  std::vector<Place> stack;
  std::vector<RegionId> own;
  const auto enter = [&](RegionId inner) {
    if (entered[inner.index()]) return;
    entered[inner.index()] = true;
    const BlockId block = cfg.first_block(inner);
    if (block) stack.push_back({block, cfg.first(block)});
  };
  for (const RegionId root : roots) {
    enter(root);
    while (!stack.empty()) {
      Place& place = stack.back();
      if (!place.next) {
        const BlockId block = cfg.next_block(place.block);
        if (block) {
          place = {block, cfg.first(block)};
        } else {
          stack.pop_back();
        }
        continue;
      }
      const BlockId block = place.block;
      const InstrId instr = place.next;
      place.next = cfg.next(block, instr);
      visit(instr, block);
      own.clear();
      for_own_regions(module, instr, [&](RegionId inner) { own.push_back(inner); });
      for (std::size_t i = own.size(); i-- > 0;) enter(own[i]);
    }
  }
}

template <typename Visit>
void walk(const Module& module, RegionId region, Visit visit) {
  walk(module, std::span<const RegionId>(&region, 1), visit);
}

/// The same for the whole module, region by region.
template <typename Visit>
void walk(const Module& module, Visit visit) {
  const std::vector<RegionId> roots = root_regions(module);
  walk(module, std::span<const RegionId>(roots), visit);
}

/// Whether the order of instructions in `region` means nothing.
inline bool is_graph_region(const Module& module, RegionId region) {
  const InstrId owner = module.cfg().owner(region);
  return owner && module.instrs().is_live(owner) && (module.traits(owner) & kGraphRegion) != 0;
}

}  // namespace dynomite::ir
