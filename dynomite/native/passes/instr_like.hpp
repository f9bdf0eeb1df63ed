#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynomite/native/ir/instr_store.hpp"
#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

inline constexpr std::uint32_t kNoNode = 0xFFFFFFFFU;

/// A store of instruction-like nodes, numbered below `node_bound()`: what generic analyses need, no more.
/// `operand_def` is the node that an operand comes from, or kNoNode for constants, attributes and
/// definitions. `operand_word` tells operands apart apart from that node: complement bit, constant,
/// attribute...
template <typename S>
concept InstrLikeStore = requires(const S store, std::uint32_t node, std::uint32_t index) {
  { store.node_bound() } -> std::convertible_to<std::uint32_t>;
  { store.is_live(node) } -> std::convertible_to<bool>;
  { store.opcode(node) } -> std::convertible_to<std::uint32_t>;
  { store.operand_count(node) } -> std::convertible_to<std::uint32_t>;
  { store.operand_def(node, index) } -> std::convertible_to<std::uint32_t>;
  { store.operand_word(node, index) } -> std::convertible_to<std::uint64_t>;
  { store.is_commutative(node) } -> std::convertible_to<bool>;
  { store.is_mergeable(node) } -> std::convertible_to<bool>;
};

/// All nodes that `roots` need, roots included. Linear, without recursion.
template <InstrLikeStore S>
std::vector<bool> needed_nodes(const S& store, std::span<const std::uint32_t> roots) {
  std::vector<bool> needed(store.node_bound(), false);
  std::vector<std::uint32_t> work;
  const auto need = [&](std::uint32_t node) {
    if (needed[node]) return;
    needed[node] = true;
    work.push_back(node);
  };
  for (const std::uint32_t root : roots) need(root);
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    for (std::uint32_t i = 0; i < store.operand_count(node); ++i) {
      const std::uint32_t def = store.operand_def(node, i);
      if (def != kNoNode) need(def);
    }
  }
  return needed;
}

/// Orders lists of nodes of one store; the object keeps its table between calls.
template <InstrLikeStore S>
class TopologicalOrder {
 public:
  explicit TopologicalOrder(const S& store) : store_(store), state_(store.node_bound(), kOutside) {}

  /// `nodes` with operands before their users as far as both are in the list; cycles are cut where they are
  /// entered first. Stable: a list that is in order stays as it is. Linear in the list and its operands,
  /// without recursion.
  std::vector<std::uint32_t> operator()(std::span<const std::uint32_t> nodes) {
    if (state_.size() < store_.node_bound()) state_.resize(store_.node_bound(), kOutside);
    for (const std::uint32_t node : nodes) state_[node] = kWaiting;
    std::vector<std::uint32_t> order;
    order.reserve(nodes.size());
    const auto enter = [&](std::uint32_t node) {
      if (state_[node] != kWaiting) return;
      state_[node] = kEntered;
      stack_.push_back({node, 0});
    };
    for (const std::uint32_t root : nodes) {
      enter(root);
      while (!stack_.empty()) {
        Step& step = stack_.back();
        if (step.next == store_.operand_count(step.node)) {
          order.push_back(step.node);
          stack_.pop_back();
          continue;
        }
        const std::uint32_t def = store_.operand_def(step.node, step.next++);
        if (def != kNoNode) enter(def);
      }
    }
    for (const std::uint32_t node : nodes) state_[node] = kOutside;
    return order;
  }

 private:
  enum : std::uint8_t { kOutside, kWaiting, kEntered };
  struct Step {
    std::uint32_t node, next;
  };
  const S& store_;
  std::vector<std::uint8_t> state_;
  std::vector<Step> stack_;
};

/// Structural equality over the whole store: `result[n]` is the first node, in topological order, that
/// computes the same as n by operation and operands (itself if there is none). Linear expected time.
template <InstrLikeStore S>
std::vector<std::uint32_t> equal_nodes(const S& store) {
  std::vector<std::uint32_t> all, representative(store.node_bound(), kNoNode);
  for (std::uint32_t node = 0; node < store.node_bound(); ++node) {
    representative[node] = node;
    if (store.is_live(node)) all.push_back(node);
  }
  using Part = std::pair<std::uint32_t, std::uint64_t>;
  const auto key = [&](std::uint32_t node, std::vector<Part>& operands) {
    operands.clear();
    for (std::uint32_t i = 0; i < store.operand_count(node); ++i) {
      const std::uint32_t def = store.operand_def(node, i);
      operands.emplace_back(def == kNoNode ? kNoNode : representative[def], store.operand_word(node, i));
    }
    if (store.is_commutative(node)) std::sort(operands.begin(), operands.end());
  };
  std::unordered_multimap<std::uint64_t, std::uint32_t> seen;
  std::vector<Part> own, other;
  for (const std::uint32_t node : TopologicalOrder(store)(all)) {
    if (!store.is_mergeable(node)) continue;
    key(node, own);
    std::uint64_t hash = store.opcode(node);
    for (const auto& [def, word] : own) hash = mix(mix(hash, def), word);
    const auto [first, last] = seen.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      key(it->second, other);
      if (store.opcode(it->second) == store.opcode(node) && own == other) {
        representative[node] = it->second;
        break;
      }
    }
    if (representative[node] == node) seen.emplace(hash, node);
  }
  return representative;
}

/// Number of live nodes of each operation.
template <InstrLikeStore S>
std::map<std::uint32_t, std::uint64_t> count_operations(const S& store) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (std::uint32_t node = 0; node < store.node_bound(); ++node) {
    if (store.is_live(node)) ++counts[store.opcode(node)];
  }
  return counts;
}

/// Nodes on the longest path of operands; cycles are cut as in TopologicalOrder. Linear.
template <InstrLikeStore S>
std::uint32_t longest_path(const S& store) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t node = 0; node < store.node_bound(); ++node) {
    if (store.is_live(node)) all.push_back(node);
  }
  std::vector<std::uint32_t> length(store.node_bound(), 0);
  std::uint32_t longest = 0;
  for (const std::uint32_t node : TopologicalOrder(store)(all)) {
    std::uint32_t below = 0;
    for (std::uint32_t i = 0; i < store.operand_count(node); ++i) {
      const std::uint32_t def = store.operand_def(node, i);
      if (def != kNoNode) below = std::max(below, length[def]);
    }
    length[node] = below + 1;
    longest = std::max(longest, length[node]);
  }
  return longest;
}

}  // namespace dynomite::ir
