#include "dmt_dialect/native/opt/gate_trees.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/aig/gate_shapes.hpp"

namespace dmt::opt {

namespace {

constexpr std::uint32_t kShortestChain = 3;

/// The order in which neighbours of a chain are joined, always the pair whose result is shallowest, and the
/// level that this gives.
struct JoinOrder {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joins;  // left, right; the result stands at left
  std::uint32_t level = 0;
};

JoinOrder join_order(std::vector<std::uint32_t> condition, std::vector<std::uint32_t> value) {
  const auto count = static_cast<std::uint32_t>(value.size());
  JoinOrder order;
  std::vector<std::uint32_t> next(count), previous(count), version(count, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;  // of the first: none, and never asked for
  }
  struct Pair {
    std::uint32_t level, left, left_version, right_version;
    auto key() const { return std::pair(level, left); }
    bool operator>(const Pair& other) const { return key() > other.key(); }
  };
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> open;
  const auto push = [&](std::uint32_t left) {
    const std::uint32_t right = next[left];
    if (right == count) return;
    const std::uint32_t level = 2 + std::max({condition[left], value[left], value[right]});
    open.push({level, left, version[left], version[right]});
  };
  for (std::uint32_t i = 0; i < count; ++i) push(i);
  while (!open.empty()) {
    const Pair pair = open.top();
    open.pop();
    const std::uint32_t left = pair.left, right = next[left];
    if (version[left] != pair.left_version || right == count || version[right] != pair.right_version)
      continue;
    order.joins.emplace_back(left, right);
    value[left] = pair.level;
    condition[left] = 1 + std::max(condition[left], condition[right]);
    ++version[left];
    ++version[right];  // gone: no pair that has it counts any more
    next[left] = next[right];
    if (next[right] != count) previous[next[right]] = left;
    push(left);
    if (left != 0) push(previous[left]);
  }
  order.level = value[0];
  return order;
}

}  // namespace

GateTrees::GateTrees(const AigStore& aig, const std::vector<std::uint8_t>& uses, GateTreeKinds kinds)
    : aig_(aig), uses_(uses), role_(aig.node_count(), Role::kNone), chain_(aig.node_count(), 0) {
  find_gates(kinds);
  // From the top, so that the root of a tree comes before what is inside of it.
  for (std::uint32_t i = aig.node_count(); i-- > 1;) {
    const NodeId id(i);
    if (role_[i] == Role::kXor && has_inner_xor(id)) {
      mark_tree(id);
      role_[i] = Role::kXorRoot;
      roots_.push_back(id);
    } else if (role_[i] == Role::kMux && chain_[i] >= kShortestChain) {
      mark_tree(id);
      role_[i] = Role::kMuxRoot;
      roots_.push_back(id);
    }
  }
}

void GateTrees::find_gates(GateTreeKinds kinds) {
  for (std::uint32_t i = 1; i < aig_.node_count(); ++i) {
    const NodeId id(i);
    if (!aig_.is_and(id) || uses_[i] == 0) continue;
    const auto shape = mux_shape(aig_, id);
    if (!shape || uses_[shape->then_and.index()] != 1 || uses_[shape->otherwise_and.index()] != 1) continue;
    if (shape->is_xor()) {
      if (kinds.xors) role_[i] = Role::kXor;
    } else if (kinds.muxes) {
      role_[i] = Role::kMux;
      std::uint32_t below = 0;
      for (const Lit lit : {shape->then, shape->otherwise}) {
        if (is_private(lit, Role::kMux, 1)) below = std::max(below, chain_[lit.node().index()]);
      }
      chain_[i] = below + 1;
    }
  }
}

bool GateTrees::has_inner_xor(NodeId root) const {
  const MuxShape shape = *mux_shape(aig_, root);
  return is_private(shape.select, Role::kXor, 2) || is_private(shape.then, Role::kXor, 2);
}

void GateTrees::mark_tree(NodeId root) {
  std::vector<NodeId> inside;
  if (role_[root.index()] == Role::kXor) {
    for (const Lit lit : collect_xor(root, &inside)) operands_.push_back(lit.node());
  } else {
    for (const Choice& choice : collect_choices(root, &inside)) {
      operands_.push_back(choice.condition.node());
      operands_.push_back(choice.value.node());
    }
  }
  for (const NodeId id : inside) role_[id.index()] = Role::kInside;
}

std::vector<Lit> GateTrees::collect_xor(NodeId root, std::vector<NodeId>* inside) const {
  std::vector<Lit> operands;
  std::vector<NodeId> stack = {root};
  // While trees are found, what belongs to them has not its role yet; afterwards it has.
  const Role inner = inside != nullptr ? Role::kXor : Role::kInside;
  bool flip = false;
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    const MuxShape shape = *mux_shape(aig_, id);
    if (inside != nullptr) inside->insert(inside->end(), {shape.then_and, shape.otherwise_and});
    for (const Lit lit : {shape.select, shape.then}) {
      if (!is_private(lit, inner, 2)) {
        operands.push_back(lit);
        continue;
      }
      flip ^= lit.complemented();
      stack.push_back(lit.node());
      if (inside != nullptr) inside->push_back(lit.node());
    }
  }
  operands.front() = operands.front() ^ flip;
  return operands;
}

std::vector<GateTrees::Choice> GateTrees::collect_choices(NodeId root, std::vector<NodeId>* inside) const {
  std::vector<Choice> choices;
  const Role inner = inside != nullptr ? Role::kMux : Role::kInside;
  Lit at(root, false);
  while (true) {
    const NodeId id = at.node();
    const MuxShape shape = *mux_shape(aig_, id);
    if (inside != nullptr) {
      inside->insert(inside->end(), {shape.then_and, shape.otherwise_and});
      if (id != root) inside->push_back(id);
    }
    // The literal is select ? then : otherwise, both complemented unless the literal is.
    const Lit then = shape.then ^ !at.complemented(), otherwise = shape.otherwise ^ !at.complemented();
    const auto length = [&](Lit lit) { return is_private(lit, inner, 1) ? chain_[lit.node().index()] : 0U; };
    const std::uint32_t through_then = length(then), through_otherwise = length(otherwise);
    if (through_then == 0 && through_otherwise == 0) {
      choices.push_back({shape.select, then});
      choices.push_back({kTrue, otherwise});
      return choices;
    }
    if (through_otherwise >= through_then) {
      choices.push_back({shape.select, then});
      at = otherwise;
    } else {
      choices.push_back({~shape.select, otherwise});
      at = then;
    }
  }
}

Lit GateTrees::build(NodeId root, const std::vector<Lit>& map, LevelAware& target) {
  return role_[root.index()] == Role::kXorRoot ? build_xor(root, map, target) : build_mux(root, map, target);
}

Lit GateTrees::build_xor(NodeId root, const std::vector<Lit>& map, LevelAware& target) {
  bool flip = false;
  std::vector<Lit> operands;
  for (const Lit lit : collect_xor(root, nullptr)) {
    const Lit operand = mapped(map, lit);
    flip ^= operand.complemented();
    if (operand.node() != kConstNode) operands.push_back(operand.regular());
  }
  std::sort(operands.begin(), operands.end(), [](Lit a, Lit b) { return a.raw() < b.raw(); });
  using Open = std::pair<std::uint32_t, std::uint32_t>;  // level, literal
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i + 1 < operands.size() && operands[i] == operands[i + 1]) {
      ++i;  // x ^ x
      continue;
    }
    open.emplace(target.level(operands[i]), operands[i].raw());
  }
  if (open.empty()) return kFalse ^ flip;
  while (true) {
    const Lit a = Lit::from_raw(open.top().second);
    open.pop();
    if (open.empty()) return a ^ flip;
    const Lit b = Lit::from_raw(open.top().second);
    open.pop();
    const Lit joined = target.xor_(a, b);
    flip ^= joined.complemented();
    open.emplace(target.level(joined), joined.regular().raw());
  }
}

Lit GateTrees::build_mux(NodeId root, const std::vector<Lit>& map, LevelAware& target) {
  std::vector<Choice> choices = collect_choices(root, nullptr);
  std::vector<std::uint32_t> condition, value;
  for (Choice& choice : choices) {
    choice = {mapped(map, choice.condition), mapped(map, choice.value)};
    condition.push_back(target.level(choice.condition));
    value.push_back(target.level(choice.value));
  }
  std::uint32_t as_it_is = value.back();
  for (std::size_t i = choices.size() - 1; i-- > 0;)
    as_it_is = 2 + std::max({as_it_is, condition[i], value[i]});
  const JoinOrder order = join_order(condition, value);
  if (order.level >= as_it_is) {
    Lit result = choices.back().value;
    for (std::size_t i = choices.size() - 1; i-- > 0;)
      result = target.mux(choices[i].condition, choices[i].value, result);
    return result;
  }
  for (const auto& [left, right] : order.joins) {
    Choice& into = choices[left];
    into.value = target.mux(into.condition, into.value, choices[right].value);
    into.condition = ~target.and_(~into.condition, ~choices[right].condition);
  }
  return choices.front().value;
}

}  // namespace dmt::opt
