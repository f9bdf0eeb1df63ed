#include "dmt_dialect/native/map/lut_mapper.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "dmt_dialect/native/map/cut.hpp"
#include "dmt_dialect/native/map/cut_pool.hpp"
#include "dmt_dialect/native/map/lut_cover.hpp"
#include "dmt_dialect/native/map/lut_extraction.hpp"
#include "dmt_dialect/native/map/map_graph.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

/// What a round looks for first. Depth: levels, then inputs. Flow by depth: levels, then area flow. Flow and
/// exact: area, among cuts that are in time.
enum class Aim : std::uint8_t { kDepth, kDepthFlow, kFlow, kExact };

template <unsigned kMax>
class Mapper {
 public:
  using CutK = Cut<kMax>;
  /// How many cells an exact round looks ahead: bounds the time of a node.
  static constexpr std::uint32_t kReach = 64;
  using Set = typename CutPool<kMax>::Set;

  Mapper(const MapGraph& graph, const LutMapParams& params, LutMapStats& stats, dynomite::Stop& stop)
      : graph_(graph),
        params_(params),
        stats_(stats),
        stop_(stop),
        cover_(graph),
        pool_(params.cuts + 1),
        flow_(graph.node_count(), 0),
        share_(graph.node_count()),
        set_of_(graph.node_count(), CutPool<kMax>::kNone),
        waiting_(graph.node_count()) {
    for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
      share_[node] = static_cast<float>(std::max(1U, graph.fanouts[node]));
    }
  }

  LutNetwork run(const AigStore& aig) {
    round(Aim::kDepth);
    stats_.fewest_levels = cover_.levels();
    std::uint32_t target = stats_.fewest_levels + params_.extra_levels;
    if (params_.max_levels) target = std::max(stats_.fewest_levels, *params_.max_levels);
    if (params_.area_only) target = LutCover<kMax>::kFree;
    for (unsigned i = 0; i < params_.flow_rounds; ++i)
      later_round(i == 0 ? Aim::kDepthFlow : Aim::kFlow, target);
    for (unsigned i = 0; i < params_.exact_rounds; ++i) later_round(Aim::kExact, target);
    return extract_luts(aig, graph_, cover_.mapped(), params_.k, stop_);
  }

 private:
  void round(Aim aim) {
    std::copy(graph_.fanouts.begin(), graph_.fanouts.end(), waiting_.begin());
    aim_ = aim;
    for (std::uint32_t node = graph_.ci_count + 1; node < graph_.node_count(); ++node) {
      if (stop_.poll()) throw dynomite::LimitError("the mapping was stopped");
      map_node(node);
    }
    stats_.luts_by_round.push_back(cover_.count_uses());
    // Sets of nodes that roots refer to are still held.
    for (const MapGraph::Root& root : graph_.roots) drop_set(root.node);
  }

  void later_round(Aim aim, std::uint32_t target) {
    learn_shares();
    cover_.require(target);
    round(aim);
  }

  /// How many cells share a node, from what the last cover says and the estimate before it.
  void learn_shares() {
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      share_[node] = std::max(1.0F, (share_[node] + 2 * static_cast<float>(cover_.uses[node])) * (1.0F / 3));
    }
  }

  void map_node(std::uint32_t node) {
    const std::uint32_t fanin0 = graph_.fanins[node].fanin0.node().index();
    const std::uint32_t fanin1 = graph_.fanins[node].fanin1.node().index();
    const bool in_use = aim_ == Aim::kExact && cover_.uses[node] != 0;
    if (in_use) cover_.release(cover_.cells[node], kReach);
    const std::uint32_t id = pool_.take();
    CutK trivial0;
    CutK trivial1;
    const Set first = set_of(fanin0, trivial0);
    const Set second = set_of(fanin1, trivial1);
    Set& mine = pool_[id];
    found_ = 0;
    if (aim_ != Aim::kDepth) offer_present(node);
    merge(node, first, second);
    const CutK& best = candidates_[0];
    cover_.choose(node, best);
    flow_[node] = best.flow / share_[node];
    if (in_use) cover_.use(best);
    for (unsigned i = 0; i < found_; ++i) mine.cuts[i] = candidates_[i];
    make_trivial(mine.cuts[found_], node);
    mine.size = found_ + 1;
    set_of_[node] = id;
    used_once(fanin0);
    used_once(fanin1);
  }

  /// The cuts of a fanin; of one without a set only the trivial one, which is put into `trivial`.
  Set set_of(std::uint32_t node, CutK& trivial) {
    if (!graph_.is_ci(node)) return pool_[set_of_[node]];
    make_trivial(trivial, node);
    if (node == 0) {
      trivial.size = 0;
      trivial.signature = 0;
    }
    return {1, &trivial};
  }
  void used_once(std::uint32_t node) {
    if (--waiting_[node] == 0) drop_set(node);
  }
  void drop_set(std::uint32_t node) {
    if (set_of_[node] == CutPool<kMax>::kNone) return;
    pool_.give_back(set_of_[node]);
    set_of_[node] = CutPool<kMax>::kNone;
  }

  /// The cut chosen in the round before is always a candidate, so that no round ends later than required.
  void offer_present(std::uint32_t node) {
    CutK& cut = candidates_[0];
    cut.leaves = cover_.cells[node].leaves;
    cut.size = cover_.cells[node].size;
    cut.signature = 0;
    for (const std::uint32_t leaf : cut) cut.signature |= std::uint64_t{1} << (leaf & 63U);
    weigh(cut);
    found_ = 1;
  }

  void merge(std::uint32_t node, const Set& first, const Set& second) {
    const std::uint32_t required = aim_ == Aim::kDepth ? LutCover<kMax>::kFree : cover_.required[node];
    CutK cut;
    for (std::uint32_t i = 0; i < first.size; ++i) {
      for (std::uint32_t j = 0; j < second.size; ++j) {
        if (!unite(first.cuts[i], second.cuts[j], params_.k, cut)) continue;
        weigh(cut);
        if (cut.depth > required) continue;
        insert(cut);
      }
    }
  }

  /// Depth, area and what cuts are sorted by.
  void weigh(CutK& cut) {
    std::uint32_t depth = 0;
    for (const std::uint32_t leaf : cut) depth = std::max(depth, cover_.depth[leaf]);
    cut.depth = depth + 1;
    float flow = 1;
    if (aim_ == Aim::kExact) {
      flow += static_cast<float>(cover_.try_use(cut, kReach));
      cover_.take_back();
    } else {
      for (const std::uint32_t leaf : cut) flow += flow_[leaf];
    }
    cut.flow = flow;
    // Flows are positive, so their bits are in the order of their values; the last ones are noise.
    const std::uint64_t area = std::bit_cast<std::uint32_t>(flow) >> 3;
    switch (aim_) {
      case Aim::kDepth:
        cut.key = std::uint64_t{cut.depth} << 32 | std::uint64_t{cut.size} << 28 | area >> 1;
        break;
      case Aim::kDepthFlow: cut.key = std::uint64_t{cut.depth} << 32 | area << 3 | cut.size; break;
      default: cut.key = area << 36 | std::uint64_t{cut.size} << 32 | cut.depth; break;
    }
  }

  /// Puts a cut in its place among the candidates, unless it is dominated or too many are better.
  void insert(const CutK& cut) {
    if (found_ == params_.cuts && cut.key >= candidates_[found_ - 1].key) return;
    for (unsigned i = 0; i < found_; ++i) {
      if (is_subset(candidates_[i], cut)) return;
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < found_; ++i) {
      if (is_subset(cut, candidates_[i])) continue;
      if (kept != i) candidates_[kept] = candidates_[i];
      ++kept;
    }
    unsigned place = kept == params_.cuts ? kept - 1 : kept;
    found_ = place + 1;
    while (place > 0 && candidates_[place - 1].key > cut.key) {
      candidates_[place] = candidates_[place - 1];
      --place;
    }
    candidates_[place] = cut;
  }

  const MapGraph& graph_;
  const LutMapParams& params_;
  LutMapStats& stats_;
  dynomite::Stop& stop_;
  LutCover<kMax> cover_;
  CutPool<kMax> pool_;
  /// Area flow of the chosen cut, a share of it.
  std::vector<float> flow_;
  std::vector<float> share_;
  std::vector<std::uint32_t> set_of_;
  std::vector<std::uint32_t> waiting_;
  Aim aim_ = Aim::kDepth;
  std::array<CutK, 33> candidates_;
  unsigned found_ = 0;
};

}  // namespace

LutNetwork map_luts(const AigStore& aig, const LutMapParams& params, LutMapStats* stats,
                    dynomite::Stop& stop) {
  if (params.k < 2 || params.k > 8) throw dynomite::UsageError("map_luts: k must be 2 to 8");
  if (params.cuts < 1 || params.cuts > 32) throw dynomite::UsageError("map_luts: cuts must be 1 to 32");
  LutMapStats own;
  LutMapStats& counted = stats != nullptr ? *stats : own;
  const MapGraph graph(aig);
  if (params.k <= 4) return Mapper<4>(graph, params, counted, stop).run(aig);
  if (params.k <= 6) return Mapper<6>(graph, params, counted, stop).run(aig);
  return Mapper<8>(graph, params, counted, stop).run(aig);
}

}  // namespace dmt
