#include "dynomite/native/rewrite/rule_set.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dynomite::rewrite {

RuleSet::RuleSet(std::vector<Rule> rules) : below_(0x10000, 0) {
  std::set<std::string> names;
  for (Rule& rule : rules) {
    if (!names.insert(rule.name).second) throw UsageError("two rules are named '" + rule.name + "'");
    rules_.push_back(compile(std::move(rule)));
    counts_uses_ = counts_uses_ || rules_.back().counts_uses;
    has_callbacks_ = has_callbacks_ || rules_.back().has_callback;
    note_levels(rules_.back().rule);
  }
  tree_ = DecisionTree(rules_);
}

void RuleSet::note_levels(const Rule& rule) {
  // Levels of operands that each node looks at, the operand itself being the first; parts come before wholes.
  std::vector<std::uint32_t> levels;
  for (const PatternNode& node : rule.nodes) {
    std::uint32_t own = node.children.empty() ? 1 : 0;
    for (const std::uint32_t child : node.children) own = std::max(own, levels[child]);
    if (node.kind == PatternKind::kInstr) {
      const bool is_root = &node == &rule.nodes[rule.root];
      const auto below = static_cast<std::uint8_t>(std::min<std::uint32_t>(own, 255));
      if (!is_root && node.opcodes.empty()) {
        for (std::uint8_t& depth : below_) depth = std::max(depth, below);
      }
      for (const std::uint16_t opcode : node.opcodes) {
        if (!is_root) below_[opcode] = std::max(below_[opcode], below);
      }
      ++own;
    }
    levels.push_back(own);
  }
}

}  // namespace dynomite::rewrite
