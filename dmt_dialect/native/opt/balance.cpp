#include "dmt_dialect/native/opt/balance.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/opt/gate_trees.hpp"
#include "dmt_dialect/native/opt/level_aware.hpp"
#include "dmt_dialect/native/opt/ports.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

class Balancer {
 public:
  Balancer(const AigStore& aig, const BalanceParams& params, BalanceStats& stats, dynomite::Stop& stop)
      : aig_(aig), params_(params), stats_(stats), stop_(stop), map_(aig.node_count(), kFalse) {}

  AigStore run() {
    const std::vector<std::uint8_t> uses = find_roots();
    GateTrees gates(aig_, uses, {params_.xors, params_.muxes});
    for (const NodeId id : gates.operands()) root_[id.index()] = true;
    for (const NodeId id : gates.roots()) root_[id.index()] = true;  // no tree of ANDs goes through them
    copy_cis(aig_, store_);
    store_.reserve_ands(aig_.and_count());
    made_.start();
    std::uint32_t next_ci = 1;
    for (const NodeId id : aig_.inputs()) map_[id.index()] = Lit(NodeId(next_ci++), false);
    for (const Latch& latch : aig_.latches()) map_[latch.node.index()] = Lit(NodeId(next_ci++), false);
    for (std::uint32_t i = 1; i < aig_.node_count(); ++i) {
      if (i % 1024 == 0 && stop_.poll_clock()) throw dynomite::LimitError("balancing was stopped");
      const NodeId id(i);
      if (gates.is_root(id)) {
        map_[i] = gates.build(id, map_, made_);
        ++stats_.gate_trees;
      } else if (root_[i] && aig_.is_and(id) && !gates.is_inside(id)) {
        map_[i] = tree(id);
      }
    }
    copy_ports(aig_, store_, [&](Lit lit) { return mapped(map_, lit); });
    copy_net_names(aig_, store_, [&](Lit lit) {
      const NodeId id = lit.node();
      return (root_[id.index()] && !gates.is_inside(id)) || !aig_.is_and(id) ? mapped(map_, lit)
                                                                             : AigStore::kNotAnd;
    });
    for (const Lit lit : root_literals(store_))
      stats_.levels_after = std::max(stats_.levels_after, made_.level(lit));
    return without_dangling(store_);  // the two-level rules can leave gates unused
  }

 private:
  /// Nodes that end a tree: used complemented, more than once, or outside; live ones only. Gives the numbers
  /// of uses, up to 3.
  std::vector<std::uint8_t> find_roots() {
    root_.assign(aig_.node_count(), false);
    std::vector<std::uint8_t> uses(aig_.node_count(), 0);
    const std::vector<Lit> roots = root_literals(aig_);
    const std::vector<bool> live = mark_cone(aig_, roots);
    for (const Lit lit : roots) {
      root_[lit.node().index()] = true;
      uses[lit.node().index()] = 3;
    }
    for (std::uint32_t i = 1; i < aig_.node_count(); ++i) {
      const NodeId id(i);
      if (!aig_.is_and(id) || !live[i]) continue;
      for (const Lit fanin : {aig_.fanin0(id), aig_.fanin1(id)}) {
        std::uint8_t& count = uses[fanin.node().index()];
        if (count != 0 || fanin.complemented()) root_[fanin.node().index()] = true;
        if (count < 3) ++count;
      }
    }
    return uses;
  }

  Lit tree(NodeId root) {
    ++stats_.trees;
    collect(root);
    std::sort(leaves_.begin(), leaves_.end(), [](Lit a, Lit b) { return a.raw() < b.raw(); });
    leaves_.erase(std::unique(leaves_.begin(), leaves_.end()), leaves_.end());
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i] == kFalse) return kFalse;
      if (i + 1 < leaves_.size() && leaves_[i] == ~leaves_[i + 1]) return kFalse;
    }
    open_.clear();
    std::size_t left = 0;
    for (const Lit leaf : leaves_) {
      if (leaf == kTrue) continue;
      open_[level(leaf)].push_back(leaf);
      ++left;
    }
    if (left == 0) return kTrue;
    for (; left > 1; --left) {
      const Lit joined = join();
      if (joined == kFalse) return kFalse;
      open_[level(joined)].push_back(joined);
    }
    return open_.begin()->second.front();
  }

  void collect(NodeId root) {
    leaves_.clear();
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const NodeId id = stack_.back();
      stack_.pop_back();
      for (const Lit fanin : {aig_.fanin0(id), aig_.fanin1(id)}) {
        const NodeId below = fanin.node();
        if (aig_.is_and(below) && !root_[below.index()]) {
          stack_.push_back(below);
        } else {
          leaves_.push_back(mapped(map_, fanin));
        }
      }
    }
  }

  /// Takes the two shallowest literals, and of equally shallow ones two whose gate is there, and joins them.
  Lit join() {
    const auto first = open_.begin();
    if (first->second.size() > 1) {
      auto& same = first->second;
      std::size_t x = same.size() - 1, y = x - 1;
      const std::size_t low = same.size() > params_.sharing ? same.size() - params_.sharing : 0;
      for (std::size_t i = same.size(); i-- > low + 1;) {
        for (std::size_t j = i; j-- > low;) {
          if (!store_.find_and(same[i], same[j])) continue;
          ++stats_.shared;
          x = i;
          y = j;
          i = low + 1;
          break;
        }
      }
      const Lit a = same[x], b = same[y];
      take(first, std::max(x, y));
      take(open_.begin(), std::min(x, y));
      return made_.and_(a, b);
    }
    const Lit a = first->second.front();
    take(first, 0);
    const auto second = open_.begin();
    auto& others = second->second;
    std::size_t y = others.size() - 1;
    for (std::size_t i = 0; i < others.size() && i < params_.sharing; ++i) {
      const std::size_t j = others.size() - 1 - i;
      if (!store_.find_and(a, others[j])) continue;
      ++stats_.shared;
      y = j;
      break;
    }
    const Lit b = others[y];
    take(second, y);
    return made_.and_(a, b);
  }

  void take(std::map<std::uint32_t, std::vector<Lit>>::iterator level, std::size_t place) {
    level->second[place] = level->second.back();
    level->second.pop_back();
    if (level->second.empty()) open_.erase(level);
  }

  std::uint32_t level(Lit lit) const { return made_.level(lit); }

  const AigStore& aig_;
  const BalanceParams& params_;
  BalanceStats& stats_;
  dynomite::Stop& stop_;
  LevelAware made_;
  AigStore& store_ = made_.store();
  std::vector<Lit> map_;
  std::vector<bool> root_;
  std::vector<Lit> leaves_;
  std::map<std::uint32_t, std::vector<Lit>> open_;  // by level
  std::vector<NodeId> stack_;
};

}  // namespace

AigStore balance(const AigStore& aig, const BalanceParams& params, BalanceStats* stats,
                 dynomite::Stop& stop) {
  BalanceStats unused;
  return Balancer(aig, params, stats == nullptr ? unused : *stats, stop).run();
}

}  // namespace dmt::opt
