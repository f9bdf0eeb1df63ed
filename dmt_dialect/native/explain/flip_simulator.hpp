#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::explain {

/// What would have to be true of one node for chosen literals to take wanted values: each pattern either
/// fixes the node's value, or leaves it free, or cannot be met by any value.
///
/// The node is complemented in all patterns at once and its fanout cone simulated as far as the change goes
/// (as in fault simulation; Waicukauskas et al., "Fault simulation for structured VLSI", 1985). 64 patterns
/// a word.
class FlipSimulator {
 public:
  /// `values`: `words` words for each node of `aig`. `roots` should have the words of `targets`, which has
  /// `words` for each root. All spans must outlive the simulator. Cost: linear.
  FlipSimulator(const AigStore& aig, std::span<const std::uint64_t> values, std::span<const Lit> roots,
                std::span<const std::uint64_t> targets, std::size_t words);

  /// Simulates `node` complemented; false if no value of it meets all roots in some pattern.
  /// Cost: the part of the fanout cone that changes, plus a look at each 64 nodes above `node`.
  bool flip(NodeId node);

  /// After `flip` was true: the patterns in which the node must be 0 (1), `words` words.
  std::span<const std::uint64_t> must_be_0() const { return must0_; }
  std::span<const std::uint64_t> must_be_1() const { return must1_; }

  /// Requirements on an AND as a function of its fanin literals a, b after `flip` was true: bit a + 2b is set
  /// if the AND must be 1 for these values of its fanins in some pattern, bit 4 + a + 2b if it must be 0.
  std::uint8_t local_requirements(NodeId node) const;

 private:
  void mark_fanouts(NodeId node);
  const std::uint64_t* now(NodeId node) const {
    return (touched_[node.index()] ? changed_.data() : values_.data()) + node.index() * words_;
  }
  bool evaluate(NodeId node);
  bool collect(NodeId node);

  const AigStore& aig_;
  std::span<const std::uint64_t> values_;
  std::span<const Lit> roots_;
  std::span<const std::uint64_t> targets_;
  std::size_t words_;
  std::vector<std::uint32_t> fanout_begin_;
  std::vector<std::uint32_t> fanouts_;
  std::vector<std::uint32_t> root_begin_;  // node → places in roots_by_node_
  std::vector<std::uint32_t> roots_by_node_;
  std::vector<std::uint32_t> wrong_roots_;  // roots that miss their targets as it is
  std::vector<std::uint64_t> base_fails_;
  std::vector<std::uint64_t> changed_;
  std::vector<bool> touched_;
  std::vector<std::uint32_t> touched_list_;
  std::vector<std::uint64_t> dirty_;  // one bit a node
  std::uint32_t last_dirty_ = 0;
  std::vector<std::uint64_t> fails_, must0_, must1_;
};

/// The ANDs that lie in the fanin cones of all `roots`, in topological order; of all if there are none.
std::vector<NodeId> common_cone(const AigStore& aig, std::span<const Lit> roots);

}  // namespace dmt::explain
