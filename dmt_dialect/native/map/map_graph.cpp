#include "dmt_dialect/native/map/map_graph.hpp"

#include <algorithm>

#include "dmt_dialect/native/aig/levels.hpp"
#include "dmt_dialect/native/map/choice_classes.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

/// Orders the classes that roots need through any member so that fanins come first, and leaves members out
/// that would make that impossible.
class ClassOrder {
 public:
  ClassOrder(const ChoiceClasses& classes, const std::vector<Lit>& roots, dynomite::Stop& stop)
      : classes_(classes), states_(classes.size(), State::kNew), dropped_(classes.member_count(), false) {
    for (std::uint32_t id = 0; id <= classes.ci_count(); ++id) states_[id] = State::kDone;
    for (const Lit root : roots) {
      if (states_[root.node().index()] == State::kDone) continue;
      enter(root.node().index());
      while (!path_.empty()) {
        if (stop.poll()) throw dynomite::LimitError("ordering the choices was stopped");
        go_on();
      }
    }
  }
  const std::vector<std::uint32_t>& sorted() const { return sorted_; }
  bool is_dropped(std::uint32_t member) const { return dropped_[member]; }

 private:
  enum class State : std::uint8_t { kNew, kOnPath, kDone };
  /// A class on the path from a root, and the pair of fanins that is being followed.
  struct Step {
    std::uint32_t id;
    std::uint32_t member = kFirstPair;
  };
  static constexpr std::uint32_t kFirstPair = ChoiceClasses::kNone - 1;

  void enter(std::uint32_t id) {
    states_[id] = State::kOnPath;
    path_.push_back({id});
  }
  void next_pair(Step& step) const {
    step.member =
        step.member == kFirstPair ? classes_.first_member(step.id) : classes_.member(step.member).next;
  }

  void go_on() {
    Step& step = path_.back();
    if (step.member == ChoiceClasses::kNone) {
      states_[step.id] = State::kDone;
      sorted_.push_back(step.id);
      path_.pop_back();
      return;
    }
    const bool first = step.member == kFirstPair;
    const Node& row = first ? classes_.fanins(step.id) : classes_.member(step.member).fanins;
    for (const Lit fanin : {row.fanin0, row.fanin1}) {
      switch (states_[fanin.node().index()]) {
        case State::kNew: return enter(fanin.node().index());
        case State::kOnPath: return break_cycle();
        case State::kDone: break;
      }
    }
    next_pair(step);
  }

  /// First pairs alone have no cycles, so there is another one on the path: the last is left out.
  void break_cycle() {
    while (path_.back().member == kFirstPair) {
      states_[path_.back().id] = State::kNew;
      path_.pop_back();
    }
    dropped_[path_.back().member] = true;
    next_pair(path_.back());
  }

  const ChoiceClasses& classes_;
  std::vector<State> states_;
  std::vector<bool> dropped_;
  std::vector<Step> path_;
  std::vector<std::uint32_t> sorted_;
};

}  // namespace

MapGraph::MapGraph(const AigStore& aig, std::span<const AigStore* const> versions, dynomite::Stop& stop) {
  ci_count = static_cast<std::uint32_t>(aig.inputs().size() + aig.latches().size());
  const ChoiceClasses classes(aig, versions, stop);
  const std::vector<Lit>& class_roots = classes.roots();
  const ClassOrder order(classes, class_roots, stop);

  std::vector<std::uint32_t> place(classes.size(), 0);
  for (std::uint32_t ci = 1; ci <= ci_count; ++ci) place[ci] = ci;
  std::uint32_t count = ci_count;
  for (const std::uint32_t id : order.sorted()) place[id] = ++count;
  fanins.resize(std::size_t{count} + 1);
  fanouts.resize(fanins.size());
  origins.resize(fanins.size());
  const auto moved = [&](Lit lit) { return Lit(NodeId(place[lit.node().index()]), lit.complemented()); };
  const auto moved_row = [&](const Node& row) { return Node{moved(row.fanin0), moved(row.fanin1)}; };
  if (classes.member_count() != 0) first_choice.assign(fanins.size(), kNone);
  for (const std::uint32_t id : order.sorted()) {
    const std::uint32_t node = place[id];
    fanins[node] = moved_row(classes.fanins(id));
    ++fanouts[fanins[node].fanin0.node().index()];
    ++fanouts[fanins[node].fanin1.node().index()];
    for (std::uint32_t m = classes.first_member(id); m != ChoiceClasses::kNone; m = classes.member(m).next) {
      if (order.is_dropped(m)) continue;
      const ChoiceClasses::Member& member = classes.member(m);
      choices.push_back({moved_row(member.fanins), first_choice[node], member.complemented});
      first_choice[node] = static_cast<std::uint32_t>(choices.size() - 1);
    }
  }
  for (const Lit root : class_roots) {
    roots.push_back({moved(root).node().index(), root.complemented()});
    ++fanouts[roots.back().node];
  }
  for (std::uint32_t node = aig.node_count(); node-- > 1;) {
    const Lit lit = moved(classes.of(Lit(NodeId(node), false)));
    if (!lit.complemented() && lit.node().index() != 0) origins[lit.node().index()] = node;
  }
}

MapGraph::MapGraph(const AigStore& aig) {
  const std::uint32_t count = aig.node_count();
  std::vector<std::uint32_t> uses(count, 0);
  std::uint32_t live = 0;
  for_each_root(aig, [&](Lit lit) { ++uses[lit.node().index()]; });
  for (std::uint32_t node = count; node-- > 1;) {
    if (uses[node] == 0 || !aig.is_and(NodeId(node))) continue;
    ++live;
    ++uses[aig.fanin0(NodeId(node)).node().index()];
    ++uses[aig.fanin1(NodeId(node)).node().index()];
  }
  ci_count = static_cast<std::uint32_t>(aig.inputs().size() + aig.latches().size());
  const std::size_t size = std::size_t{1} + ci_count + live;
  fanins.reserve(size);
  fanouts.reserve(size);
  origins.reserve(size);

  std::vector<std::uint32_t> place(count, 0);
  const auto add = [&](std::uint32_t node, Node row) {
    place[node] = static_cast<std::uint32_t>(fanins.size());
    fanins.push_back(row);
    fanouts.push_back(uses[node]);
    origins.push_back(node);
  };
  const auto moved = [&](Lit lit) { return Lit(NodeId(place[lit.node().index()]), lit.complemented()); };
  add(0, {});
  for (const NodeId input : aig.inputs()) add(input.index(), {});
  for (const Latch& latch : aig.latches()) add(latch.node.index(), {});
  for (std::uint32_t node = 1; node < count; ++node) {
    if (uses[node] == 0 || !aig.is_and(NodeId(node))) continue;
    add(node, {moved(aig.fanin0(NodeId(node))), moved(aig.fanin1(NodeId(node)))});
  }
  for_each_root(aig, [&](Lit lit) { roots.push_back({place[lit.node().index()], lit.complemented()}); });
}

}  // namespace dmt
