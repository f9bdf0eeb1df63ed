#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// Partition of nodes into classes that no pattern simulated so far tells apart, up to complement.
///
/// A class is a chain in ascending id order; its first node is the representative. Nodes alone in their
/// class are dropped. The phase of a node is its value under the first pattern, so members compare after
/// XOR with their phases. `refine` costs time linear in the nodes that are still in classes.
class CandidateClasses {
 public:
  /// One class of all `members` (ascending), to be split by `refine`. `phases` come from the first refine.
  void start(std::uint32_t node_count, std::vector<std::uint32_t> members);

  /// Splits by the values of `words` words a node, node-major. Returns how many nodes left their class.
  std::size_t refine(std::span<const std::uint64_t> values, std::size_t words);

  /// The representative of the class of `node`, or the node itself.
  NodeId representative(NodeId node) const { return NodeId(representative_[node.index()]); }
  bool phase(NodeId node) const { return phase_[node.index()] != 0; }
  /// True if `node` is in a class with others.
  bool has_class(NodeId node) const {
    return representative_[node.index()] != node.index() || next_[node.index()] != 0;
  }
  /// Nodes that have an earlier equal candidate.
  std::size_t candidates() const;
  std::size_t memory() const;

 private:
  std::uint64_t signature(std::span<const std::uint64_t> values, std::size_t words, std::uint32_t node) const;
  void relink(std::vector<std::uint32_t>& members, std::vector<std::uint32_t>& heads);

  std::vector<std::uint32_t> representative_;
  std::vector<std::uint32_t> next_;  // 0 ends a chain: node 0 is always first of its class
  std::vector<std::uint8_t> phase_;
  std::vector<std::uint32_t> heads_;
  bool started_ = false;
};

}  // namespace dmt
