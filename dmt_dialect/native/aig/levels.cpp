#include "dmt_dialect/native/aig/levels.hpp"

#include <algorithm>

namespace dmt {

std::vector<std::uint32_t> levels(const AigStore& store) {
  const std::span<const Node> nodes = store.nodes();
  std::vector<std::uint32_t> level(nodes.size(), 0);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].fanin0 == AigStore::kNotAnd) continue;
    level[i] = 1 + std::max(level[nodes[i].fanin0.node().index()], level[nodes[i].fanin1.node().index()]);
  }
  return level;
}

std::uint32_t depth(const AigStore& store, const std::vector<std::uint32_t>& levels) {
  std::uint32_t deepest = 0;
  for_each_root(store, [&](Lit lit) { deepest = std::max(deepest, levels[lit.node().index()]); });
  return deepest;
}

std::vector<std::uint32_t> fanout_counts(const AigStore& store) {
  const std::span<const Node> nodes = store.nodes();
  std::vector<std::uint32_t> count(nodes.size(), 0);
  for (const Node& node : nodes) {
    if (node.fanin0 == AigStore::kNotAnd) continue;
    ++count[node.fanin0.node().index()];
    ++count[node.fanin1.node().index()];
  }
  for_each_root(store, [&](Lit lit) { ++count[lit.node().index()]; });
  return count;
}

}  // namespace dmt
