#include "dmt_dialect/native/bdd/circuit.hpp"

#include <algorithm>
#include <numeric>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/bdd/cone.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::bdd {

namespace {

std::uint32_t ci_number(const AigStore& aig, NodeId id) {
  const std::uint32_t index = aig.ci_index(id);
  return aig.is_latch(id) ? index + static_cast<std::uint32_t>(aig.inputs().size()) : index;
}

/// Levels of all nodes, 0 for those that are no ANDs.
std::vector<std::uint32_t> depths(const AigStore& aig) {
  std::vector<std::uint32_t> depth(aig.node_count());
  for (std::uint32_t i = 0; i < depth.size(); ++i) {
    const NodeId id(i);
    if (!aig.is_and(id)) continue;
    depth[i] = 1 + std::max(depth[aig.fanin0(id).node().index()], depth[aig.fanin1(id).node().index()]);
  }
  return depth;
}

/// The nodes below `roots`, fanins first, in the order of a depth-first walk, the deeper fanin first.
std::vector<NodeId> walk(const AigStore& aig, std::span<const Lit> roots) {
  const std::vector<std::uint32_t> depth = depths(aig);
  std::vector<std::uint8_t> seen(aig.node_count());
  std::vector<NodeId> order, stack;
  for (const Lit root : roots) {
    stack.push_back(root.node());
    while (!stack.empty()) {
      const NodeId id = stack.back();
      if (seen[id.index()] != 0) {
        stack.pop_back();
        continue;
      }
      if (aig.is_and(id)) {
        NodeId first = aig.fanin0(id).node();
        NodeId second = aig.fanin1(id).node();
        if (depth[first.index()] < depth[second.index()]) std::swap(first, second);
        const bool waits = seen[first.index()] == 0 || seen[second.index()] == 0;
        if (seen[second.index()] == 0) stack.push_back(second);
        if (seen[first.index()] == 0) stack.push_back(first);
        if (waits) continue;
      }
      seen[id.index()] = 1;
      order.push_back(id);
      stack.pop_back();
    }
  }
  return order;
}

/// Combinational inputs in the order of `nodes`, then those that are not among them.
std::vector<std::uint32_t> inputs_in(const AigStore& aig, std::span<const NodeId> nodes) {
  std::vector<std::uint8_t> seen(ci_count(aig));
  std::vector<std::uint32_t> order;
  for (const NodeId id : nodes) {
    if (aig.is_and(id) || aig.is_const(id)) continue;
    order.push_back(ci_number(aig, id));
    seen[order.back()] = 1;
  }
  for (std::uint32_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == 0) order.push_back(i);
  }
  return order;
}

}  // namespace

std::uint32_t ci_count(const AigStore& aig) {
  return static_cast<std::uint32_t>(aig.inputs().size() + aig.latches().size());
}

std::vector<BddHold> from_aig(BddStore& store, const AigStore& aig, std::span<const Lit> roots,
                              std::span<const BddEdge> inputs) {
  const std::vector<NodeId> nodes = walk(aig, roots);
  std::vector<std::uint32_t> readers(aig.node_count());
  for (const Lit root : roots) ++readers[root.node().index()];
  for (const NodeId id : nodes) {
    if (!aig.is_and(id)) continue;
    ++readers[aig.fanin0(id).node().index()];
    ++readers[aig.fanin1(id).node().index()];
  }
  std::vector<BddHold> functions(aig.node_count());
  const auto read = [&](Lit lit) { return functions[lit.node().index()].get() ^ lit.complemented(); };
  const auto let_go = [&](Lit lit) {
    if (--readers[lit.node().index()] == 0) functions[lit.node().index()] = BddHold();
  };
  for (const NodeId id : nodes) {
    BddHold& function = functions[id.index()];
    if (aig.is_const(id)) {
      function = BddHold(store, kBddFalse);
    } else if (!aig.is_and(id)) {
      function = BddHold(store, inputs[ci_number(aig, id)]);
    } else {
      const BddEdge first = read(aig.fanin0(id));
      const BddEdge second = read(aig.fanin1(id));
      function = BddHold(store, store.operation([&] { return and_(store, first, second); }));
      let_go(aig.fanin0(id));
      let_go(aig.fanin1(id));
    }
  }
  std::vector<BddHold> results;
  for (const Lit root : roots) results.emplace_back(store, read(root));
  return results;
}

std::vector<Lit> to_aig(const BddStore& store, AigStore& aig, std::span<const BddEdge> roots,
                        std::span<const Lit> inputs) {
  const Cone cone = cone_of(store, roots);
  std::vector<Lit> lits(cone.ids.size());
  const auto lit_of = [&](BddEdge edge) { return lits[cone.number[edge.node()]] ^ edge.complemented(); };
  for (std::size_t i = cone.ids.size(); i-- > 0;) {
    const std::uint32_t id = cone.ids[i];
    if (id == 0) {
      lits[i] = kTrue;
      continue;
    }
    const BddNode& node = store.node_at(id);
    lits[i] = aig.mux(inputs[store.var_at(node.level)], lit_of(node.high), lit_of(node.low));
  }
  std::vector<Lit> results;
  for (const BddEdge root : roots) results.push_back(lit_of(root));
  return results;
}

std::vector<std::uint32_t> depth_first_order(const AigStore& aig, std::span<const Lit> roots) {
  return inputs_in(aig, walk(aig, roots));
}

std::vector<std::uint32_t> force_order(const AigStore& aig, std::span<const Lit> roots,
                                       dynomite::Stop& stop) {
  constexpr int kMaxRounds = 200;
  std::vector<NodeId> nodes = walk(aig, roots);
  std::vector<NodeId> best = nodes;
  std::vector<double> place(aig.node_count()), pull(aig.node_count());
  std::vector<std::uint32_t> pulls(aig.node_count());
  double best_span = -1;
  for (int round = 0; round < kMaxRounds && !stop.poll_clock(); ++round) {
    for (std::size_t i = 0; i < nodes.size(); ++i) place[nodes[i].index()] = static_cast<double>(i);
    std::fill(pull.begin(), pull.end(), 0.0);
    std::fill(pulls.begin(), pulls.end(), 0U);
    double span = 0;
    for (const NodeId id : nodes) {
      if (!aig.is_and(id)) continue;
      const std::uint32_t members[] = {id.index(), aig.fanin0(id).node().index(),
                                       aig.fanin1(id).node().index()};
      const auto [low, high] = std::minmax({place[members[0]], place[members[1]], place[members[2]]});
      span += high - low;
      const double centre = (place[members[0]] + place[members[1]] + place[members[2]]) / 3;
      for (const std::uint32_t member : members) {
        pull[member] += centre;
        ++pulls[member];
      }
    }
    if (best_span >= 0 && span >= best_span) break;
    best_span = span;
    best = nodes;
    for (const NodeId id : nodes) {
      if (pulls[id.index()] != 0) place[id.index()] = pull[id.index()] / pulls[id.index()];
    }
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](NodeId a, NodeId b) { return place[a.index()] < place[b.index()]; });
  }
  return inputs_in(aig, best);
}

}  // namespace dmt::bdd
