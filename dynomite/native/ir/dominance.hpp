#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

/// Control flow and dominance of all regions of a module. The successors of a block are the blocks of its
/// region that its last instruction uses, if that is a terminator; a region starts in its first block.
///
/// Built in O(n log n) of blocks and edges (Lengauer and Tarjan, TOPLAS 1979, without recursion); a query
/// takes constant time. Valid until blocks, their order or terminators change.
class Dominance {
 public:
  explicit Dominance(const Module& module);

  std::span<const BlockId> successors(BlockId block) const { return row(successors_, block); }
  std::span<const BlockId> predecessors(BlockId block) const { return row(predecessors_, block); }
  bool is_reachable(BlockId block) const { return nodes_[block.index()].size != 0; }
  /// None for entry blocks and unreachable ones.
  BlockId immediate_dominator(BlockId block) const { return nodes_[block.index()].idom; }
  /// Blocks of one region. Each block dominates itself, and everything dominates an unreachable block.
  bool dominates(BlockId a, BlockId b) const;
  /// Blocks of a region in preorder of the dominator tree; unreachable ones follow in their own order.
  std::vector<BlockId> tree_order(RegionId region) const;

  /// Whether `value` may be used by `user`, which stands in `block`: it is defined earlier there, in a block
  /// that dominates `block`, or so in an enclosing region. In graph regions any order will do; a value
  /// defined in no block is visible everywhere; one defined by the user itself only in a graph region.
  /// Says nothing about isolation. Linear in the nesting between the two.
  bool is_visible(ValueId value, InstrId user, BlockId block) const;

 private:
  struct Node {
    BlockId idom;
    std::uint32_t pre = 0;   // preorder number in the dominator tree
    std::uint32_t size = 0;  // blocks below it, itself included; 0: unreachable
  };
  struct Edges {
    std::vector<std::uint32_t> first;
    std::vector<BlockId> blocks;
  };
  static std::span<const BlockId> row(const Edges& edges, BlockId block) {
    const std::uint32_t from = edges.first[block.index()];
    return {edges.blocks.data() + from, edges.first[block.index() + 1] - from};
  }
  void collect_edges();
  void build_tree(RegionId region);

  const Module& module_;
  Edges successors_, predecessors_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> number_;  // scratch of build_tree, by block
};

}  // namespace dynomite::ir
