#include "dmt_dialect/native/opt/scl.hpp"

#include <unordered_set>

#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/opt/latch_classes.hpp"
#include "dmt_dialect/native/opt/latch_constants.hpp"

namespace dmt::opt {

namespace {

/// Copies the circuit with each latch's leader in its place, then what is needed of that.
class Rebuild {
 public:
  Rebuild(const AigStore& aig, const std::vector<Lit>& leaders) : aig_(aig), leaders_(leaders) {}

  SclResult run(bool drop_unused) {
    merge();
    const NodeSet needed = cone(drop_unused);
    SclResult result;
    copy_leaves(needed, result);
    for (const NodeId id : needed.sorted()) {
      if (!merged_.is_and(id)) continue;
      final_[id.index()] = result.aig.append_and(placed(merged_.fanin0(id)), placed(merged_.fanin1(id)));
    }
    copy_ports(result);
    copy_net_names(needed, result.aig);
    for (std::size_t i = 0; i < leaders_.size(); ++i) result.codes.push_back(code(i));
    return result;
  }

 private:
  Lit merged(Lit lit) const { return map_[lit.node().index()] ^ lit.complemented(); }
  Lit placed(Lit lit) const { return final_[lit.node().index()] ^ lit.complemented(); }
  bool leads(std::size_t latch) const { return leaders_[latch] == Lit(aig_.latches()[latch].node, false); }

  /// The whole circuit, hashed, over the leaders.
  void merge() {
    map_.assign(aig_.node_count(), kFalse);
    for (const NodeId input : aig_.inputs()) map_[input.index()] = merged_.add_input();
    for (std::size_t i = 0; i < leaders_.size(); ++i) {
      // A leader precedes its class, so that it has its literal already.
      const Latch& latch = aig_.latches()[i];
      map_[latch.node.index()] = leads(i) ? merged_.add_latch(latch.reset) : merged(leaders_[i]);
    }
    merged_.reserve_ands(aig_.and_count());
    for (std::uint32_t i = 1; i < aig_.node_count(); ++i) {
      const NodeId id(i);
      if (aig_.is_and(id)) map_[i] = merged_.and_(merged(aig_.fanin0(id)), merged(aig_.fanin1(id)));
    }
    for (std::size_t i = 0; i < leaders_.size(); ++i) {
      if (!leads(i)) continue;
      nexts_.push_back(merged(aig_.latches()[i].next));
      origins_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  /// Nodes of the merged circuit that outputs and properties need, through latches; or with all latches.
  NodeSet cone(bool drop_unused) const {
    std::vector<Lit> roots;
    const auto add = [&](const std::vector<Lit>& lits) {
      for (const Lit lit : lits) roots.push_back(merged(lit));
    };
    add(aig_.outputs());
    add(aig_.bad());
    add(aig_.constraints());
    add(aig_.fairness());
    for (const auto& group : aig_.justice()) add(group);
    if (!drop_unused) {
      roots.insert(roots.end(), nexts_.begin(), nexts_.end());
      for (const Latch& latch : merged_.latches()) roots.emplace_back(latch.node, false);
    }
    NodeSet needed(merged_.node_count());
    std::vector<NodeId> latches;
    add_fanin_cone(merged_, roots, needed, &latches);
    while (!latches.empty()) {
      const Lit next = nexts_[merged_.ci_index(latches.back())];
      latches.pop_back();
      add_fanin_cone(merged_, {&next, 1}, needed, &latches);
    }
    return needed;
  }

  void copy_leaves(const NodeSet& needed, SclResult& result) {
    final_.assign(merged_.node_count(), kFalse);
    for (const NodeId input : merged_.inputs()) final_[input.index()] = result.aig.add_input();
    for (std::uint32_t k = 0; k < merged_.latches().size(); ++k) {
      const Latch& latch = merged_.latches()[k];
      if (!needed.contains(latch.node)) continue;
      final_[latch.node.index()] = result.aig.add_latch(latch.reset);
      result.kept.push_back(origins_[k]);
    }
  }

  void copy_ports(SclResult& result) const {
    AigStore& to = result.aig;
    const auto all = [&](const std::vector<Lit>& source, std::vector<Lit>& target) {
      for (const Lit lit : source) target.push_back(placed(merged(lit)));
    };
    all(aig_.outputs(), to.outputs());
    all(aig_.bad(), to.bad());
    all(aig_.constraints(), to.constraints());
    all(aig_.fairness(), to.fairness());
    for (const auto& group : aig_.justice()) all(group, to.justice().emplace_back());
    to.names() = aig_.names();
    to.names().latches.clear();
    for (std::uint32_t k = 0; k < result.kept.size(); ++k) {
      to.set_next(k, placed(merged(aig_.latches()[result.kept[k]].next)));
      if (aig_.names().latches.has(result.kept[k])) {
        to.names().latches.set(k, aig_.names().latches.get(result.kept[k]));
      }
    }
    to.comments() = aig_.comments();
    to.name() = aig_.name();
  }

  /// Of several names that come to one literal the first stays; merged latches leave theirs there too.
  void copy_net_names(const NodeSet& needed, AigStore& to) const {
    std::unordered_set<Lit> named;
    const auto add = [&](Lit lit, std::string name) {
      if (lit.node() != kConstNode && !needed.contains(lit.node())) return;
      if (named.insert(placed(lit)).second) to.net_names().push_back({placed(lit), std::move(name)});
    };
    for (const NetName& net : aig_.net_names()) add(merged(net.lit), net.name);
    for (std::size_t i = 0; i < leaders_.size(); ++i) {
      if (!leads(i) && leaders_[i].node() != kConstNode && aig_.names().latches.has(i)) {
        add(merged(leaders_[i]), std::string(aig_.names().latches.get(i)));
      }
    }
  }

  std::uint64_t code(std::size_t latch) const {
    const Lit lit = leaders_[latch];
    if (lit.node() == kConstNode) return lit.complemented() ? 1 : 0;
    return 2 + 2 * std::uint64_t{aig_.ci_index(lit.node())} + (lit.complemented() ? 1 : 0);
  }

  const AigStore& aig_;
  const std::vector<Lit>& leaders_;
  AigStore merged_;
  std::vector<Lit> map_;                // node of aig_ → literal of merged_
  std::vector<Lit> nexts_;              // of the latches of merged_, literals of it
  std::vector<std::uint32_t> origins_;  // latch of merged_ → latch of aig_
  std::vector<Lit> final_;              // node of merged_ → literal of the result
};

}  // namespace

SclResult scl(const AigStore& aig, const SclParams& params, SclStats* stats, dynomite::Stop& stop) {
  std::vector<Trit> stuck(aig.latches().size(), Trit::kUnknown);
  if (params.constants) stuck = stuck_latches(aig, stop);
  LatchClasses classes;
  if (params.duplicates) {
    classes = latch_classes(aig, stuck, params.seed, stop);
  } else {
    for (std::size_t i = 0; i < stuck.size(); ++i) {
      const Lit own(aig.latches()[i].node, false);
      classes.leaders.push_back(stuck[i] == Trit::kUnknown ? own : kFalse ^ (stuck[i] == Trit::kOne));
    }
  }
  SclResult result = Rebuild(aig, classes.leaders).run(params.unused);
  if (stats != nullptr) {
    *stats = {};
    std::uint64_t own = 0;
    for (std::size_t i = 0; i < result.codes.size(); ++i) {
      const std::uint64_t code = result.codes[i];
      ++(code < 2 ? stats->constant : code >> 1 == i + 1 ? own : stats->duplicate);
    }
    stats->unused = own - result.kept.size();
    stats->cycles = classes.cycles;
    stats->rounds = classes.rounds;
    stats->stopped = stop.poll();
  }
  return result;
}

}  // namespace dmt::opt
