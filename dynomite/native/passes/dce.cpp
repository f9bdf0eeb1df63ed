#include "dynomite/native/passes/dce.hpp"

#include <span>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/walk.hpp"

namespace dynomite::ir {

namespace {

/// Marks what is needed, from the roots on.
class Marker {
 public:
  Marker(const Module& module, Stop& stop)
      : module_(module),
        stop_(stop),
        needed_(module.instrs().instr_bound(), false),
        entered_(module.cfg().region_bound(), false) {}

  /// False if it was stopped.
  bool run() {
    for (const RegionId root : root_regions(module_)) enter(root);
    for (std::uint32_t i = 0; i < module_.instrs().instr_bound(); ++i) {
      if (module_.instrs().is_live(InstrId(i)) && !module_.cfg().block_of(InstrId(i))) need(InstrId(i));
    }
    while (!work_.empty()) {
      if (stop_.poll()) return false;
      const InstrId instr = work_.back();
      work_.pop_back();
      follow(instr);
    }
    return true;
  }

  bool needs(InstrId instr) const { return needed_[instr.index()]; }

 private:
  void need(InstrId instr) {
    if (!instr || needed_[instr.index()]) return;
    needed_[instr.index()] = true;
    work_.push_back(instr);
  }

  void enter(RegionId region) {
    if (entered_[region.index()]) return;
    entered_[region.index()] = true;
    const CfgStore& cfg = module_.cfg();
    for (BlockId block = cfg.first_block(region); block; block = cfg.next_block(block)) {
      for (InstrId instr = cfg.first(block); instr; instr = cfg.next(block, instr)) {
        if ((module_.traits(instr) & (kPure | kTerminator | kSymbol)) != kPure) need(instr);
      }
    }
  }

  void follow(InstrId instr) {
    const InstrStore& instrs = module_.instrs();
    const std::uint32_t count = instrs.operand_count(instr);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand operand = instrs.operand(instr, i);
      if (operand.ref.kind == kind::kValue) {
        if (!operand.is_def) need(instrs.definition(ValueId(operand.ref.id)).instr);
      } else if (operand.ref.kind == kind::kInstr) {
        need(InstrId(operand.ref.id));
      } else if (operand.ref.kind == kind::kRegion) {
        if (operand.is_def) {
          enter(RegionId(operand.ref.id));
        } else {
          need(module_.cfg().owner(RegionId(operand.ref.id)));
        }
      } else if (operand.ref.kind == kind::kBlock && !operand.is_def) {
        need(module_.cfg().owner(module_.cfg().region(BlockId(operand.ref.id))));
      }
    }
    // Whatever holds something needed is needed.
    need(module_.parent(instr));
  }

  const Module& module_;
  Stop& stop_;
  std::vector<bool> needed_, entered_;
  std::vector<InstrId> work_;
};

}  // namespace

std::uint64_t erase_instrs(Mutator& mutator, const std::vector<InstrId>& doomed) {
  const Module& module = mutator.module();
  const InstrStore& instrs = module.instrs();
  std::vector<InstrId> all;
  std::vector<RegionId> regions;
  std::vector<bool> listed(instrs.instr_bound(), false);
  const auto list = [&](InstrId instr) {
    if (listed[instr.index()]) return;
    listed[instr.index()] = true;
    all.push_back(instr);
    for_own_regions(module, instr, [&](RegionId region) { regions.push_back(region); });
  };
  for (const InstrId instr : doomed) {
    if (listed[instr.index()]) continue;
    const std::size_t before = regions.size();
    list(instr);
    if (regions.size() == before) continue;
    const std::vector<RegionId> own(regions.begin() + static_cast<std::ptrdiff_t>(before), regions.end());
    walk(module, std::span<const RegionId>(own), [&](InstrId inner, BlockId) { list(inner); });
  }
  // From behind, users mostly go before what they use; in graph regions and cycles uses are cut first.
  for (std::size_t i = all.size(); i-- > 0;) {
    const InstrId instr = all[i];
    const std::uint32_t count = instrs.operand_count(instr);
    for (std::uint32_t k = 0; k < count; ++k) {
      const Operand operand = instrs.operand(instr, k);
      if (!operand.is_def || operand.ref.kind != kind::kValue) continue;
      if (!instrs.has_uses(ValueId(operand.ref.id))) continue;
      for (const Use& use : instrs.uses(ValueId(operand.ref.id))) {
        if (use.instr != instr) mutator.set_operand(use.instr, use.operand, {});
      }
    }
    if (instrs.has_uses(instr)) {
      for (const Use& use : instrs.uses_of({instr.index(), kind::kInstr})) {
        mutator.set_operand(use.instr, use.operand, {});
      }
    }
    regions.clear();
    for_own_regions(module, instr, [&](RegionId region) { regions.push_back(region); });
    for (const RegionId region : regions) {
      while (const BlockId block = module.cfg().last_block(region)) mutator.erase_block(block);
      mutator.erase_region(region);
    }
    mutator.erase(instr);
  }
  return all.size();
}

DceStats dce(Mutator& mutator, const DceParams& params, Stop& stop) {
  if (mutator.tracking() == Tracking::kLazyUpdate) {
    throw UsageError("dce: a mutator that only records gives no results to go on with");
  }
  const Module& module = mutator.module();
  DceStats stats;
  Marker marker(module, stop);
  if (!marker.run()) return stats;
  std::vector<InstrId> dead;
  const std::vector<RegionId> scope = scope_of(module, params.within);
  walk(module, std::span<const RegionId>(scope), [&](InstrId instr, BlockId) {
    ++stats.visited;
    if (!marker.needs(instr)) dead.push_back(instr);
  });
  stats.erased = erase_instrs(mutator, dead);
  return stats;
}

}  // namespace dynomite::ir
