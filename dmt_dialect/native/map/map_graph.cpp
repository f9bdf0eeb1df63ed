#include "dmt_dialect/native/map/map_graph.hpp"

#include "dmt_dialect/native/aig/levels.hpp"

namespace dmt {

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
