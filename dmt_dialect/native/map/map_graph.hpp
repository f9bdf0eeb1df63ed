#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// What a mapper works on: the live nodes of an AIG, numbered anew without gaps, in topological order. Node 0
/// is the constant, nodes 1 to `ci_count` are the inputs, then the latches, all of them, used or not.
struct MapGraph {
  struct Root {
    std::uint32_t node;
    bool complemented;
  };

  /// Takes the cone of all roots (`for_each_root`). Linear.
  explicit MapGraph(const AigStore& aig);

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(fanins.size()); }
  bool is_ci(std::uint32_t node) const { return node <= ci_count; }

  std::uint32_t ci_count = 0;
  /// Literals (AIGER's numbers) of the nodes of the graph; rows up to `ci_count` mean nothing.
  std::vector<Node> fanins;
  /// Fanins and roots that refer to a node.
  std::vector<std::uint32_t> fanouts;
  std::vector<Root> roots;
  /// Of each node the one of the AIG.
  std::vector<std::uint32_t> origins;
};

}  // namespace dmt
