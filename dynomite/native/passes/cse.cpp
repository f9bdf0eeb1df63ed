#include "dynomite/native/passes/cse.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/dominance.hpp"
#include "dynomite/native/ir/walk.hpp"
#include "dynomite/native/passes/instr_key.hpp"
#include "dynomite/native/passes/instr_view.hpp"
#include "dynomite/native/passes/scoped_table.hpp"

namespace dynomite::ir {

namespace {

class Cse {
 public:
  Cse(Mutator& mutator, const CseParams& params, Stop& stop)
      : mutator_(mutator),
        module_(mutator.module()),
        params_(params),
        stop_(stop),
        dominance_(module_),
        view_(module_),
        operands_first_(view_),
        entered_(module_.cfg().region_bound(), false) {}

  CseStats run() {
    // Small scopes of a big module must not pay for all of it.
    if (!params_.within) table_.reserve(module_.instrs().live_count() / 2);
    for (const RegionId root : scope_of(module_, params_.within)) {
      enter(root, true);
      while (!frames_.empty()) step();
      if (stopped_) break;
    }
    unite_origins();
    return stats_;
  }

 private:
  /// A region on the way: its blocks in the order of the dominator tree, or the instructions of a graph
  /// region with operands first.
  struct Frame {
    RegionId region;
    std::vector<BlockId> blocks;
    std::size_t next_block = 0;
    BlockId block;
    InstrId next;
    std::vector<std::uint32_t> graph_order;
    std::size_t next_in_graph = 0;
    std::vector<InstrId> holders;  // of a graph region: whose regions are entered when all else is done
    bool is_graph = false;
    std::vector<std::pair<BlockId, std::size_t>> scopes;  // dominating blocks, marks where they start
    std::size_t mark = 0;
    std::size_t barrier = 0;
    bool isolated = false;
  };

  void enter(RegionId region, bool isolated) {
    if (entered_[region.index()]) return;
    entered_[region.index()] = true;
    Frame& frame = frames_.emplace_back();
    frame.region = region;
    frame.mark = table_.mark();
    frame.isolated = isolated;
    if (isolated) frame.barrier = table_.raise();
    frame.is_graph = is_graph_region(module_, region);
    frame.blocks = dominance_.tree_order(region);
    if (frame.is_graph) {
      std::vector<std::uint32_t> members;
      for (const BlockId block : frame.blocks) {
        for (InstrId at = module_.cfg().first(block); at; at = module_.cfg().next(block, at)) {
          members.push_back(at.index());
        }
      }
      frame.graph_order = operands_first_(members);
      frame.blocks.clear();
    }
  }

  void leave() {
    table_.leave(frames_.back().mark);
    if (frames_.back().isolated) table_.lift(frames_.back().barrier);
    frames_.pop_back();
  }

  InstrId next_instr(Frame& frame) {
    if (frame.is_graph) {
      if (frame.next_in_graph == frame.graph_order.size()) return {};
      return InstrId(frame.graph_order[frame.next_in_graph++]);
    }
    while (!frame.next) {
      if (frame.next_block == frame.blocks.size()) return {};
      frame.block = frame.blocks[frame.next_block++];
      while (!frame.scopes.empty() && (!dominance_.is_reachable(frame.block) ||
                                       !dominance_.dominates(frame.scopes.back().first, frame.block))) {
        table_.leave(frame.scopes.back().second);
        frame.scopes.pop_back();
      }
      frame.scopes.emplace_back(frame.block, table_.mark());
      frame.next = module_.cfg().first(frame.block);
    }
    return std::exchange(frame.next, module_.cfg().next(frame.block, frame.next));
  }

  void step() {
    if (stopped_ || stop_.poll()) {
      stopped_ = true;
      leave();
      return;
    }
    const InstrId instr = next_instr(frames_.back());
    if (!instr) {
      if (frames_.back().holders.empty()) {
        leave();
      } else {
        const InstrId holder = frames_.back().holders.back();
        frames_.back().holders.pop_back();
        enter_regions(holder);
      }
      return;
    }
    ++stats_.visited;
    const std::uint32_t traits = module_.traits(instr);
    const bool candidate = (traits & (kPure | kTerminator | kSymbol)) == kPure;
    const bool sort_values = params_.commutative && (traits & kCommutative) != 0;
    if (candidate && key_.assign(module_, instr, sort_values)) {
      merge(instr, sort_values);
      return;
    }
    if (frames_.back().is_graph) {
      frames_.back().holders.push_back(instr);
    } else {
      enter_regions(instr);
    }
  }

  void enter_regions(InstrId instr) {
    const bool isolated = (module_.traits(instr) & kIsolated) != 0;
    regions_.clear();
    for_own_regions(module_, instr, [&](RegionId region) { regions_.push_back(region); });
    for (std::size_t i = regions_.size(); i-- > 0;) enter(regions_[i], isolated);
  }

  void merge(InstrId instr, bool sort_values) {
    if (module_.cfg().is_shared(instr)) return;
    const InstrId earlier = table_.find_or_add(key_.hash(), instr, [&](InstrId other) {
      return other_key_.assign(module_, other, sort_values) && key_ == other_key_;
    });
    if (!earlier || module_.instrs().has_uses(instr)) return;
    const std::uint32_t count = module_.instrs().operand_count(instr);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand old_value = module_.instrs().operand(instr, i);
      if (!old_value.is_def) continue;
      const ValueId from(old_value.ref.id);
      const ValueId to(module_.instrs().operand(earlier, i).ref.id);
      if (module_.instrs().has_uses(from)) mutator_.replace_all_uses(from, to);
    }
    const LocationId location = module_.locations().of(instr);
    if (location) origins_.emplace_back(earlier, location);
    mutator_.erase(instr);
    ++stats_.merged;
  }

  /// Once for every instruction that took others in, so that many merges into one stay linear.
  void unite_origins() {
    std::stable_sort(origins_.begin(), origins_.end(),
                     [](const auto& a, const auto& b) { return a.first.index() < b.first.index(); });
    std::vector<LocationId> sets;
    for (std::size_t i = 0; i < origins_.size();) {
      const InstrId instr = origins_[i].first;
      sets.assign(1, module_.locations().of(instr));
      for (; i < origins_.size() && origins_[i].first == instr; ++i) sets.push_back(origins_[i].second);
      const LocationId all = module_.locations().unite(sets);
      if (all != sets.front()) mutator_.set_location(instr, all);
    }
  }

  Mutator& mutator_;
  Module& module_;
  const CseParams& params_;
  Stop& stop_;
  Dominance dominance_;
  InstrView view_;
  TopologicalOrder<InstrView> operands_first_;
  std::vector<bool> entered_;
  std::vector<Frame> frames_;
  std::vector<RegionId> regions_;
  ScopedTable table_;
  InstrKey key_, other_key_;
  std::vector<std::pair<InstrId, LocationId>> origins_;
  CseStats stats_;
  bool stopped_ = false;
};

}  // namespace

CseStats cse(Mutator& mutator, const CseParams& params, Stop& stop) {
  if (mutator.tracking() == Tracking::kLazyUpdate) {
    throw UsageError("cse: a mutator that only records gives no results to go on with");
  }
  return Cse(mutator, params, stop).run();
}

}  // namespace dynomite::ir
