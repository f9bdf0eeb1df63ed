#include "dynomite/native/passes/symbol_dce.hpp"

#include <span>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/walk.hpp"
#include "dynomite/native/passes/dce.hpp"

namespace dynomite::ir {

namespace {

/// Finds what is alive, from what is so by itself.
class SymbolMarker {
 public:
  SymbolMarker(const Module& module, Stop& stop)
      : module_(module),
        stop_(stop),
        tables_(module),
        states_(module.instrs().instr_bound(), 0),
        entered_(module.cfg().region_bound(), false) {
    walk(module, [&](InstrId instr, BlockId block) {
      std::uint8_t& state = states_[instr.index()];
      const InstrId owner = module.cfg().owner(module.cfg().region(block));
      const bool is_private = SymbolTables::visibility(module, instr) != Visibility::kPublic;
      if (owner && ((states_[owner.index()] & kHidden) != 0)) state |= kHidden;
      if ((module.traits(instr) & kSymbol) != 0 && owner == tables_.nearest_table(instr) &&
          module.symbol_name(instr)) {
        state |= kNamed;
        if (is_private) state |= kHidden;
      }
    });
  }

  bool run() {
    for (const RegionId root : root_regions(module_)) enter(root);
    while (!work_.empty()) {
      if (stop_.poll()) return false;
      const InstrId instr = work_.back();
      work_.pop_back();
      for (const SymbolUse& use : tables_.uses_in(instr)) follow(use);
      for_own_regions(module_, instr, [&](RegionId region) { enter(region); });
    }
    return true;
  }

  bool is_symbol(InstrId instr) const { return (states_[instr.index()] & kNamed) != 0; }
  bool is_dead(InstrId instr) const { return is_symbol(instr) && (states_[instr.index()] & kAlive) == 0; }
  std::vector<SymbolUse>& unresolved() { return unresolved_; }

 private:
  enum : std::uint8_t { kNamed = 1, kHidden = 2, kAlive = 4 };

  void keep(InstrId instr) {
    std::uint8_t& state = states_[instr.index()];
    if ((state & kAlive) != 0) return;
    state |= kAlive;
    work_.push_back(instr);
  }

  void enter(RegionId region) {
    if (entered_[region.index()]) return;
    entered_[region.index()] = true;
    const CfgStore& cfg = module_.cfg();
    for (BlockId block = cfg.first_block(region); block; block = cfg.next_block(block)) {
      for (InstrId instr = cfg.first(block); instr; instr = cfg.next(block, instr)) {
        const std::uint8_t state = states_[instr.index()];
        if ((state & kNamed) == 0 || (state & kHidden) == 0) keep(instr);
      }
    }
  }

  void follow(const SymbolUse& use) {
    const SymbolPath path = tables_.lookup_nearest(use.instr, use.reference);
    for (const InstrId symbol : path.symbols) keep(symbol);
    if (path.complete) return;
    unresolved_.push_back(use);
    for (InstrId table = tables_.nearest_table(use.instr); table;) {
      table = tables_.nearest_table(table);
      for (const InstrId symbol : tables_.lookup_in(table, use.reference).symbols) keep(symbol);
    }
  }

  const Module& module_;
  Stop& stop_;
  SymbolTables tables_;
  std::vector<std::uint8_t> states_;
  std::vector<bool> entered_;
  std::vector<InstrId> work_;
  std::vector<SymbolUse> unresolved_;
};

}  // namespace

SymbolDceStats symbol_dce(Mutator& mutator, const SymbolDceParams& params, Stop& stop) {
  if (mutator.tracking() == Tracking::kLazyUpdate) {
    throw UsageError("symbol_dce: a mutator that only records gives no results to go on with");
  }
  const Module& module = mutator.module();
  SymbolDceStats stats;
  SymbolMarker marker(module, stop);
  if (!marker.run()) return stats;
  std::vector<InstrId> dead;
  std::vector<bool> inside(module.instrs().instr_bound(), false);
  const std::vector<RegionId> scope = scope_of(module, params.within);
  walk(module, std::span<const RegionId>(scope), [&](InstrId instr, BlockId block) {
    if (marker.is_symbol(instr)) ++stats.visited;
    const InstrId owner = module.cfg().owner(module.cfg().region(block));
    inside[instr.index()] = marker.is_dead(instr) || (owner && inside[owner.index()]);
    if (!marker.is_dead(instr)) return;
    dead.push_back(instr);
    if (!owner || !inside[owner.index()]) ++stats.erased;
  });
  stats.unresolved = std::move(marker.unresolved());
  stats.erased_instrs = erase_instrs(mutator, dead);
  return stats;
}

}  // namespace dynomite::ir
