#include "dynomite/native/rewrite/rule.hpp"

#include <algorithm>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dynomite::rewrite {

namespace {

template <typename T>
std::uint32_t append(std::vector<T>& all, T node, const std::string& rule) {
  for (const std::uint32_t child : node.children) {
    if (child >= all.size() || all[child].is_part) {
      throw UsageError("rule '" + rule + "': a part that does not exist, or is part of something else");
    }
    all[child].is_part = true;
    node.depth = std::max(node.depth, all[child].depth + 1);
  }
  if (node.depth > kMaxDepth) {
    throw LimitError("rule '" + rule + "': parts nest deeper than " + std::to_string(kMaxDepth));
  }
  all.push_back(std::move(node));
  return static_cast<std::uint32_t>(all.size() - 1);
}

}  // namespace

std::uint32_t Rule::slot(std::string_view wanted) {
  const auto known = std::find(slots.begin(), slots.end(), wanted);
  if (known != slots.end()) return static_cast<std::uint32_t>(known - slots.begin());
  slots.emplace_back(wanted);
  return static_cast<std::uint32_t>(slots.size() - 1);
}

std::uint32_t Rule::add(PatternNode node) {
  std::sort(node.opcodes.begin(), node.opcodes.end());
  return append(nodes, std::move(node), name);
}

std::uint32_t Rule::add(Condition condition) { return append(conditions, std::move(condition), name); }

Expression Rule::add(const std::vector<ExpressionOp>& ops) {
  check_expression(ops);
  const Expression range{static_cast<std::uint32_t>(code.size()), static_cast<std::uint32_t>(ops.size())};
  code.insert(code.end(), ops.begin(), ops.end());
  return range;
}

}  // namespace dynomite::rewrite
