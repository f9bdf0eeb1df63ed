#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dynomite/native/rewrite/decision_tree.hpp"

namespace dynomite::rewrite {

/// Rules compiled together, in order of priority, for the operations of one registry. Immutable.
class RuleSet {
 public:
  /// Throws UsageError for rules that are not whole or have one name.
  explicit RuleSet(std::vector<Rule> rules);

  std::span<const CompiledRule> rules() const { return rules_; }
  const DecisionTree& tree() const { return tree_; }
  bool counts_uses() const { return counts_uses_; }
  bool has_callbacks() const { return has_callbacks_; }
  /// Levels of operands that patterns look at from below a nested instruction of this operation on; 0 if
  /// none.
  std::uint32_t levels_below(std::uint16_t opcode) const { return below_[opcode]; }

 private:
  void note_levels(const Rule& rule);

  std::vector<CompiledRule> rules_;
  DecisionTree tree_;
  std::vector<std::uint8_t> below_;
  bool counts_uses_ = false;
  bool has_callbacks_ = false;
};

}  // namespace dynomite::rewrite
