#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dynomite/native/rewrite/code.hpp"
#include "dynomite/native/rewrite/operand_tests.hpp"
#include "dynomite/native/rewrite/variants.hpp"

namespace dynomite::rewrite {

/// An instruction on the way to operands that a tree asks about.
struct KnownInstr {
  std::uint32_t node = kNoNode;
  std::uint32_t first = 0, count = 0;  // operands: where numbering starts, and where they end
};

/// A rule that may match, and in which form; without one the backtracking matcher decides.
struct Candidate {
  std::uint32_t rule = 0;
  std::uint32_t variant = kNoSlot;
  bool operator==(const Candidate&) const = default;
};

/// Which rules may match at an instruction: decided by its operation, then by operands that most of the rules
/// left ask about, each looked at once for all of them. Rules and their forms come out in the order of
/// search; some may not match after all, but none that does is left out.
///
/// Cost of a look: the depth of the tree, each step logarithmic in its branches; the depth is that of the
/// patterns and not the number of rules, unless the tree would be much larger than the rules are.
class DecisionTree {
 public:
  DecisionTree() = default;
  explicit DecisionTree(std::span<const CompiledRule> rules);

  /// Valid as long as the tree. `shape` is that of `node`; `known` is memory for a look.
  template <MatchStore S>
  std::span<const Candidate> candidates(const S& store, std::uint32_t node, const Shape& shape,
                                        std::vector<KnownInstr>& known) const {
    std::uint32_t at = root_of(store.opcode(node));
    if (nodes_[at].is_leaf) return nodes_[at].candidates;
    if (known.size() < known_count_) known.resize(known_count_);
    const std::uint32_t root = at;
    if (!shape.in_order) return nodes_[root].candidates;
    known[0] = {node, 0, shape.count};
    while (!nodes_[at].is_leaf) {
      at = branch(store, nodes_[at], known);
      if (at == kUnordered) return nodes_[root].candidates;
    }
    return nodes_[at].candidates;
  }
  bool has_rules(std::uint16_t opcode) const { return !nodes_[root_of(opcode)].candidates.empty(); }
  const Variant& variant(std::uint32_t index) const { return variants_[index]; }
  std::size_t node_count() const { return nodes_.size(); }

 private:
  friend class TreeBuilder;
  static constexpr std::uint32_t kUnordered = 0xFFFFFFFFU;

  /// A test of one operand, or a leaf.
  struct Node {
    bool is_leaf = true;
    std::vector<Candidate> candidates;  // of leaves, and all of an operation at its first node
    std::uint16_t from = 0;             // known instruction whose operand it is
    std::uint16_t to = 0;               // where the one that defines the operand is put
    std::uint32_t index = 0;            // of the operand; from the first use on where `from` is not the root
    std::uint32_t narrowest = 1;        // constants of fewer bits go to `narrow`
    std::vector<std::pair<std::uint16_t, std::uint32_t>> by_opcode;  // sorted
    std::vector<std::pair<std::int64_t, std::uint32_t>> by_literal;  // sorted
    std::uint32_t constant = 0, narrow = 0, other = 0;
  };
  std::uint32_t root_of(std::uint16_t opcode) const {
    const std::uint32_t root = roots_.empty() ? 0 : roots_[opcode];
    return root;
  }

  template <typename Key>
  static const std::uint32_t* find(const std::vector<std::pair<Key, std::uint32_t>>& all, Key key) {
    if (all.size() <= 4) {
      for (const auto& entry : all) {
        if (entry.first == key) return &entry.second;
      }
      return nullptr;
    }
    const auto at = std::lower_bound(all.begin(), all.end(), key,
                                     [](const auto& entry, Key wanted) { return entry.first < wanted; });
    return at != all.end() && at->first == key ? &at->second : nullptr;
  }

  template <MatchStore S>
  std::uint32_t branch(const S& store, const Node& node, std::vector<KnownInstr>& known) const {
    const KnownInstr& from = known[node.from];
    const std::uint32_t index = node.index + from.first;
    if (index >= from.count) return node.other;
    const ir::Operand operand = store.operand(from.node, index);
    if (operand.is_def) return node.other;
    if (operand.ref.kind == ir::kind::kValue) {
      if (node.by_opcode.empty()) return node.other;
      const std::uint32_t definition = store.definition(operand.ref);
      if (definition == kNoNode) return node.other;
      const std::uint32_t* next = find(node.by_opcode, store.opcode(definition));
      if (next == nullptr) return node.other;
      if (!nodes_[*next].is_leaf) {
        const Shape shape = store.shape(definition);
        if (!shape.in_order) return kUnordered;
        known[node.to] = {definition, shape.first_use, shape.count};
      }
      return *next;
    }
    if (!is_constant(operand.ref)) return node.other;
    return by_constant(store.attributes(), node, operand.ref);
  }

  std::uint32_t by_constant(const ir::Attributes& attributes, const Node& node,
                            const ir::FatDynObjRef& ref) const;

  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<std::uint32_t> roots_;  // by operation; empty: node 0 for all
  std::vector<Variant> variants_;
  std::size_t known_count_ = 1;
};

}  // namespace dynomite::rewrite
