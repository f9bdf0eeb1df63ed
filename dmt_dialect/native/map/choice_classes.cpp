#include "dmt_dialect/native/map/choice_classes.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/aig/levels.hpp"
#include "dmt_dialect/native/aig/sweep.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

constexpr std::uint64_t kConflicts = 100;
constexpr std::uint64_t kSeed = 1;
/// No literal: what stands for this function is not known yet, or there is nothing.
constexpr Lit kUnknown = Lit::from_raw(UINT32_MAX);
/// Not proved equal to any node.
constexpr Lit kAlone = Lit::from_raw(UINT32_MAX - 1);

void check_stopped(bool stopped) {
  if (stopped) throw dynomite::LimitError("collecting choices was stopped");
}

}  // namespace

ChoiceClasses::ChoiceClasses(const AigStore& aig, std::span<const AigStore* const> versions,
                             dynomite::Stop& stop)
    : ci_count_(static_cast<std::uint32_t>(aig.inputs().size() + aig.latches().size())) {
  AigStore joined;
  std::vector<Lit> cis;
  if (ci_count_ != 0) {
    const Lit first = joined.add_inputs(ci_count_);
    for (std::uint32_t i = 0; i < ci_count_; ++i) cis.emplace_back(NodeId(first.node().index() + i), false);
  }
  std::vector<Lit> roots;
  const auto add_version = [&](const AigStore& version) {
    std::vector<Lit> map = append(joined, version, cis, AppendMode::kHashed, stop);
    check_stopped(stop.poll_clock());
    for_each_root(version, [&](Lit lit) { roots.push_back(map[lit.node().index()] ^ lit.complemented()); });
    return map;
  };
  for (const AigStore* version : versions) add_version(*version);
  own_ = add_version(aig);
  joined.outputs() = roots;

  std::vector<Lit> proved(joined.node_count(), kUnknown);
  std::vector<bool> live(joined.node_count(), false);
  for (const Lit root : roots) live[root.node().index()] = true;
  for (std::uint32_t node = joined.node_count(); node-- > 1;) {
    if (!live[node] || !joined.is_and(NodeId(node))) continue;
    live[joined.fanin0(NodeId(node)).node().index()] = true;
    live[joined.fanin1(NodeId(node)).node().index()] = true;
  }
  Sweeper sweeper(joined, {}, roots, kSeed);
  check_stopped(sweeper.run(kConflicts, stop) == Sweeper::Outcome::kStopped);
  for (std::uint32_t node = 0; node < joined.node_count(); ++node) {
    if (!live[node]) continue;
    // What the swept circuit does not need any more reads as a constant there.
    const Lit swept = sweeper.swept_literal(Lit(NodeId(node), false));
    proved[node] = swept.node() == kConstNode ? kAlone : swept;
  }
  add_nodes(joined, proved, stop);
  std::size_t count = 0;
  for_each_root(aig, [&](Lit) { ++count; });
  for (std::size_t i = 0; i < count; ++i) {
    roots_.push_back(lits_[roots[i].node().index()] ^ roots[i].complemented());
  }
  for (Lit& lit : own_) lit = lits_[lit.node().index()] ^ lit.complemented();
}

void ChoiceClasses::add_nodes(const AigStore& joined, const std::vector<Lit>& proved, dynomite::Stop& stop) {
  std::uint32_t most = ci_count_;
  for (const Lit lit : proved) {
    if (lit != kUnknown && lit != kAlone) most = std::max(most, lit.node().index());
  }
  // By node of the swept circuit: the literal of a class that its positive literal is.
  std::vector<Lit> class_of(std::size_t{1} + most, kUnknown);
  classes_.resize(std::size_t{1} + ci_count_);
  lits_.assign(joined.node_count(), kFalse);
  class_of[0] = kFalse;
  for (std::uint32_t ci = 1; ci <= ci_count_; ++ci) {
    lits_[ci] = Lit(NodeId(ci), false);
    class_of[ci] = lits_[ci];
  }
  for (std::uint32_t node = ci_count_ + 1; node < joined.node_count(); ++node) {
    check_stopped(stop.poll());
    if (proved[node] == kUnknown) continue;
    const auto lead = [&](Lit lit) { return lits_[lit.node().index()] ^ lit.complemented(); };
    Lit alone = kUnknown;
    Lit& known = proved[node] == kAlone ? alone : class_of[proved[node].node().index()];
    Lit same = known == kUnknown ? kUnknown : known ^ proved[node].complemented();
    lits_[node] = add_node(lead(joined.fanin0(NodeId(node))), lead(joined.fanin1(NodeId(node))), same);
    if (known == kUnknown) known = lits_[node] ^ proved[node].complemented();
  }
}

/// The AND of two literals of classes; `same` is proved to be equal to it, if it is known.
Lit ChoiceClasses::add_node(Lit a, Lit b, Lit& same) {
  if (a.raw() > b.raw()) std::swap(a, b);
  if (a == kFalse || a == ~b) return kFalse;
  if (a == kTrue || a == b) return b;
  if (same == kUnknown) return add_class(a, b);
  if (same.node().index() <= ci_count_) return same;
  Class& found = classes_[same.node().index()];
  if (has_pair(found, a, b)) return same;
  members_.push_back({{a, b}, found.members, same.complemented()});
  found.members = static_cast<std::uint32_t>(members_.size() - 1);
  return same;
}

bool ChoiceClasses::has_pair(const Class& found, Lit a, Lit b) const {
  if (found.fanins.fanin0 == a && found.fanins.fanin1 == b) return true;
  for (std::uint32_t m = found.members; m != kNone; m = members_[m].next) {
    if (members_[m].fanins.fanin0 == a && members_[m].fanins.fanin1 == b) return true;
  }
  return false;
}

Lit ChoiceClasses::add_class(Lit a, Lit b) {
  classes_.push_back({{a, b}, kNone});
  return Lit(NodeId(size() - 1), false);
}

}  // namespace dmt
