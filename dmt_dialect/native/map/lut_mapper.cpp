#include "dmt_dialect/native/map/lut_mapper.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "dmt_dialect/native/aig/levels.hpp"
#include "dmt_dialect/native/map/cut.hpp"
#include "dmt_dialect/native/map/cut_pool.hpp"
#include "dmt_dialect/native/map/lut_cover.hpp"
#include "dmt_dialect/native/map/lut_extraction.hpp"
#include "dmt_dialect/native/map/map_graph.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

/// What a round looks for first. Depth: levels, then inputs. Depth and flow: levels, then area flow. Flow,
/// exact: area.
enum class Aim : std::uint8_t { kDepth, kDepthFlow, kFlow, kExact };

/// A strict round keeps cuts only that are in time. A loose one keeps the best of all, for the nodes above,
/// which may have more time than the last cover leaves this one, and chooses among those in time.
struct Round {
  Aim aim;
  bool loose = false;
};

constexpr Round kFewestLevels{Aim::kDepth, true};
constexpr std::array kFast = {Round{Aim::kDepthFlow, true}, Round{Aim::kFlow, true}, Round{Aim::kExact}};
constexpr std::array kNormal = {Round{Aim::kDepthFlow, true},
                                Round{Aim::kFlow, true},
                                Round{Aim::kExact},
                                Round{Aim::kFlow, true},
                                Round{Aim::kFlow},
                                Round{Aim::kExact, true},
                                Round{Aim::kExact}};
constexpr std::array kHigh = {Round{Aim::kDepthFlow, true},
                              Round{Aim::kFlow, true},
                              Round{Aim::kExact},
                              Round{Aim::kFlow, true},
                              Round{Aim::kFlow},
                              Round{Aim::kExact},
                              Round{Aim::kFlow, true},
                              Round{Aim::kExact},
                              Round{Aim::kFlow, true},
                              Round{Aim::kFlow},
                              Round{Aim::kExact, true},
                              Round{Aim::kExact},
                              Round{Aim::kFlow, true},
                              Round{Aim::kFlow},
                              Round{Aim::kExact, true},
                              Round{Aim::kExact}};

/// The first round keeps so many cuts at least: it decides on the levels.
constexpr unsigned kFirstCuts = 8;
/// The second round, which may still find fewer levels, keeps so many on the longest paths.
constexpr unsigned kCriticalCuts = 16;
constexpr unsigned kMostCuts = 32;

std::span<const Round> rounds_of(MapEffort effort) {
  switch (effort) {
    case MapEffort::kFast: return kFast;
    case MapEffort::kNormal: return kNormal;
    case MapEffort::kHigh: break;
  }
  return kHigh;
}

/// Large cells have more cuts worth to be kept.
unsigned cuts_of(const LutMapParams& params) {
  if (params.cuts != 0) return params.cuts;
  const bool large = params.k > 6;
  switch (params.effort) {
    case MapEffort::kFast: return large ? 8 : 5;
    case MapEffort::kNormal: return large ? 12 : 6;
    case MapEffort::kHigh: break;
  }
  return large ? 16 : 12;
}

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
        pool_(std::max(kCriticalCuts, cuts_of(params)) + 1),
        share_(graph.node_count()),
        set_of_(graph.node_count(), CutPool<kMax>::kNone),
        readers_(graph.fanouts) {
    for (const MapGraph::Choice& choice : graph.choices) {
      ++readers_[choice.fanins.fanin0.node().index()];
      ++readers_[choice.fanins.fanin1.node().index()];
    }
    for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
      share_[node] = static_cast<float>(std::max(1U, graph.fanouts[node]));
    }
  }

  LutNetwork run(const AigStore& aig) {
    most_cuts_ = std::max(kFirstCuts, cuts_of(params_));
    run_round(kFewestLevels);
    std::uint32_t fewest = cover_.levels();
    most_cuts_ = cuts_of(params_);
    for (const Round& round : rounds_of(params_.effort)) {
      learn_shares();
      const bool by_depth = round.aim == Aim::kDepthFlow;
      cover_.require(by_depth ? fewest : target_levels(fewest));
      is_critical_.clear();
      if (by_depth) mark_critical();
      run_round(round);
      if (by_depth) fewest = std::min(fewest, cover_.levels());
    }
    stats_.fewest_levels = fewest;
    return extract_luts(aig, graph_, cover_.mapped(), params_.k, stop_);
  }

 private:
  std::uint32_t target_levels(std::uint32_t fewest) const {
    if (params_.area_only) return LutCover<kMax>::kFree;
    if (params_.max_levels) return std::max(fewest, *params_.max_levels);
    return fewest + params_.extra_levels;
  }

  /// Nodes without time to spare, in use or inside of cells.
  void mark_critical() {
    std::vector<std::uint32_t> latest(graph_.node_count(), LutCover<kMax>::kFree);
    is_critical_.assign(graph_.node_count(), false);
    for (std::uint32_t node = graph_.node_count(); node-- > graph_.ci_count + 1;) {
      std::uint32_t before = latest[node];
      if (cover_.uses[node] != 0) before = std::min(before, cover_.required[node]);
      is_critical_[node] = before <= cover_.costs[node].depth;
      if (cover_.uses[node] != 0 && before != LutCover<kMax>::kFree) --before;
      graph_.for_each_pair(node, [&](const Node& row, bool) {
        for (const Lit fanin : {row.fanin0, row.fanin1}) {
          std::uint32_t& time = latest[fanin.node().index()];
          time = std::min(time, before);
        }
      });
    }
  }

  void run_round(const Round& round) {
    waiting_ = readers_;
    round_ = round;
    for (std::uint32_t node = graph_.ci_count + 1; node < graph_.node_count(); ++node) {
      if (stop_.poll()) throw dynomite::LimitError("the mapping was stopped");
      map_node(node);
    }
    stats_.luts_by_round.push_back(cover_.count_uses());
    // Sets of nodes that roots refer to are still held.
    for (const MapGraph::Root& root : graph_.roots) drop_set(root.node);
  }

  /// How many cells share a node, from what the last cover says and the estimate before it.
  void learn_shares() {
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      share_[node] = std::max(1.0F, (share_[node] + 2 * static_cast<float>(cover_.uses[node])) * (1.0F / 3));
    }
  }

  void map_node(std::uint32_t node) {
    const bool in_use = round_.aim == Aim::kExact && cover_.uses[node] != 0;
    if (in_use) cover_.release(cover_.cells[node], kReach);
    most_ = most_cuts_;
    if (!is_critical_.empty() && is_critical_[node]) most_ = std::max(most_cuts_, kCriticalCuts);
    found_ = 0;
    // The cut chosen in the round before is in time: with it no round ends later than required.
    if (!round_.loose) candidates_[found_++] = present_cut(node);
    const std::uint32_t required = round_.loose ? LutCover<kMax>::kFree : cover_.required[node];
    graph_.for_each_pair(node, [&](const Node& row, bool) { find_candidates(row, required); });
    choose(node);
    if (in_use) cover_.use(cover_.cells[node]);
    const std::uint32_t id = pool_.take();
    Set& mine = pool_[id];
    std::copy_n(candidates_.begin(), found_, mine.cuts);
    make_trivial(mine.cuts[found_], node);
    mine.size = found_ + 1;
    set_of_[node] = id;
    graph_.for_each_pair(node, [&](const Node& row, bool) {
      used_once(row.fanin0.node().index());
      used_once(row.fanin1.node().index());
    });
  }

  void find_candidates(const Node& row, std::uint32_t required) {
    CutK trivial0;
    CutK trivial1;
    const Set first = set_of(row.fanin0.node().index(), trivial0);
    const Set second = set_of(row.fanin1.node().index(), trivial1);
    CutK cut;
    for (std::uint32_t i = 0; i < first.size; ++i) {
      if (is_hopeless(first.cuts[i])) continue;
      for (std::uint32_t j = 0; j < second.size; ++j) {
        if (is_hopeless(second.cuts[j])) continue;
        if (!unite(first.cuts[i], second.cuts[j], params_.k, cut)) continue;
        if (weigh(cut, required)) insert(cut);
      }
    }
  }

  /// The best candidate that is in time.
  void choose(std::uint32_t node) {
    const std::uint32_t required = cover_.required[node];
    unsigned place = 0;
    while (place < found_ && candidates_[place].depth > required) ++place;
    const CutK best = place < found_ ? candidates_[place] : present_cut(node);
    cover_.choose(node, best);
    cover_.costs[node].flow = best.flow / share_[node];
  }

  CutK present_cut(std::uint32_t node) {
    CutK cut;
    cut.leaves = cover_.cells[node].leaves;
    cut.size = cover_.cells[node].size;
    cut.signature = 0;
    for (const std::uint32_t leaf : cut) cut.signature |= std::uint64_t{1} << (leaf & 63U);
    weigh(cut, LutCover<kMax>::kFree);
    return cut;
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

  /// Depth, area and what cuts are sorted by. False, with nothing but the depth, if that exceeds `required`.
  bool weigh(CutK& cut, std::uint32_t required) {
    std::uint32_t depth = 0;
    float flow = 1;
    for (const std::uint32_t leaf : cut) {
      const auto& cost = cover_.costs[leaf];
      depth = std::max(depth, cost.depth);
      flow += cost.flow;
    }
    cut.depth = depth + 1;
    if (cut.depth > required) return false;
    if (round_.aim == Aim::kExact) {
      const std::uint64_t area = 1 + cover_.try_use(cut, kReach);
      const std::uint64_t pins = cover_.tried_pins();
      cover_.take_back();
      cut.flow = static_cast<float>(area);
      cut.key = area << 52 | pins << 32 | cut.depth;
      return true;
    }
    cut.flow = flow;
    // Flows are positive, so their bits are in the order of their values; the last ones are noise.
    const std::uint64_t area = std::bit_cast<std::uint32_t>(flow) >> 3;
    const std::uint64_t size = cut.size;
    const std::uint64_t level = cut.depth;
    if (round_.aim == Aim::kFlow) {
      cut.key = area << 36 | size << 32 | level;
    } else if (round_.aim == Aim::kDepthFlow) {
      cut.key = level << 32 | area << 3 | size;
    } else {
      std::uint64_t late = 0;
      for (const std::uint32_t leaf : cut)
        late += static_cast<std::uint64_t>(cover_.costs[leaf].depth == depth);
      cut.key = level << 32 | size << 28 | late << 24 | area >> 5;
    }
    return true;
  }

  /// Puts a cut in its place among the candidates, unless it is dominated or too many are better. What
  /// dominates a cut has no larger key.
  void insert(const CutK& cut) {
    if (found_ == most_ && cut.key >= candidates_[found_ - 1].key) return;
    unsigned place = 0;
    for (; place < found_ && candidates_[place].key <= cut.key; ++place) {
      if (is_subset(candidates_[place], cut)) return;
    }
    unsigned kept = place;
    for (unsigned i = place; i < found_; ++i) {
      if (is_subset(cut, candidates_[i])) continue;
      if (kept != i) candidates_[kept] = candidates_[i];
      ++kept;
    }
    found_ = std::min(kept + 1, most_);
    for (unsigned i = found_ - 1; i > place; --i) candidates_[i] = candidates_[i - 1];
    candidates_[place] = cut;
  }

  /// True if no union with this cut of a fanin can be a candidate any more: it costs at least as much.
  bool is_hopeless(const CutK& cut) const {
    if (found_ < most_) return false;
    const CutK& worst = candidates_[found_ - 1];
    switch (round_.aim) {
      case Aim::kDepth:
      case Aim::kDepthFlow: return cut.depth > worst.depth;
      case Aim::kFlow: return cut.flow > worst.flow;
      case Aim::kExact: break;
    }
    return false;
  }

  const MapGraph& graph_;
  const LutMapParams& params_;
  LutMapStats& stats_;
  dynomite::Stop& stop_;
  LutCover<kMax> cover_;
  CutPool<kMax> pool_;
  /// How many readers a node is expected to have.
  std::vector<float> share_;
  std::vector<std::uint32_t> set_of_;
  /// Pairs of fanins and roots that refer to a node; how many of them are still to come in this round.
  std::vector<std::uint32_t> readers_;
  std::vector<std::uint32_t> waiting_;
  Round round_ = kFewestLevels;
  unsigned most_cuts_ = kFirstCuts;
  unsigned most_ = kFirstCuts;  // of the node at hand
  std::vector<bool> is_critical_;
  std::array<CutK, kMostCuts> candidates_;  // best first
  unsigned found_ = 0;
};

std::size_t root_count(const AigStore& aig) {
  std::size_t count = 0;
  for_each_root(aig, [&](Lit) { ++count; });
  return count;
}

void check_version(const AigStore& aig, const AigStore& version) {
  if (aig.inputs().size() != version.inputs().size() || aig.latches().size() != version.latches().size() ||
      root_count(aig) != root_count(version)) {
    throw dynomite::UsageError(
        "map_luts: choices must have the inputs, latches, outputs and properties of the circuit");
  }
}

}  // namespace

LutNetwork map_luts(const AigStore& aig, std::span<const AigStore* const> versions,
                    const LutMapParams& params, LutMapStats* stats, dynomite::Stop& stop) {
  if (params.k < 2 || params.k > 8) throw dynomite::UsageError("map_luts: k must be 2 to 8");
  if (params.cuts > kMostCuts) throw dynomite::UsageError("map_luts: cuts must be at most 32");
  for (const AigStore* version : versions) check_version(aig, *version);
  LutMapStats own;
  LutMapStats& counted = stats != nullptr ? *stats : own;
  const MapGraph graph = versions.empty() ? MapGraph(aig) : MapGraph(aig, versions, stop);
  counted.choices = graph.choices.size();
  if (params.k <= 4) return Mapper<4>(graph, params, counted, stop).run(aig);
  if (params.k <= 6) return Mapper<6>(graph, params, counted, stop).run(aig);
  return Mapper<8>(graph, params, counted, stop).run(aig);
}

LutNetwork map_luts(const AigStore& aig, const LutMapParams& params, LutMapStats* stats,
                    dynomite::Stop& stop) {
  return map_luts(aig, {}, params, stats, stop);
}

}  // namespace dmt
