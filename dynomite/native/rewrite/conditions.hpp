#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "dynomite/native/rewrite/matcher.hpp"

namespace dynomite::rewrite {

/// Widths of types: the parameter "width", else the only one, where that is an integer. Kept by type.
class TypeWidths {
 public:
  TypeWidths(const ir::Attributes& attributes, const ir::Registry& registry)
      : attributes_(attributes), registry_(registry) {}

  std::optional<std::uint32_t> of(ir::TypeId type) {
    if (!type) return std::nullopt;
    if (type.index() >= known_.size()) known_.resize(type.index() + std::size_t{1}, kUnknown);
    std::int64_t& width = known_[type.index()];
    if (width == kUnknown) width = find(type);
    if (width < 0) return std::nullopt;
    return static_cast<std::uint32_t>(width);
  }

  /// Which parameter of a kind of types with so many that is.
  std::optional<std::uint32_t> position(ir::ObjKind kind, std::size_t count) const {
    if (registry_.knows(kind)) {
      const auto& infos = registry_.type(kind).param_info;
      for (std::uint32_t i = 0; i < infos.size() && i < count; ++i) {
        if (infos[i].name == "width") return i;
      }
    }
    return count == 1 ? std::optional<std::uint32_t>(0) : std::nullopt;
  }

 private:
  static constexpr std::int64_t kUnknown = -2;

  std::int64_t find(ir::TypeId type) const {
    const auto at = position(attributes_.type_kind(type), attributes_.type_param_count(type));
    if (!at) return -1;
    const ir::FatDynObjRef param = attributes_.type_param(type, *at);
    if (param.kind != ir::kind::kConstant || param.payload > 0xFFFFFFFFU) return -1;
    return static_cast<std::int64_t>(param.payload);
  }

  const ir::Attributes& attributes_;
  const ir::Registry& registry_;
  std::vector<std::int64_t> known_;
};

/// What a matcher's bindings say in conditions and expressions.
template <MatchStore S>
class Checker : public NumberSource {
 public:
  explicit Checker(const Matcher<S>& matcher)
      : matcher_(matcher), widths_(matcher.store().attributes(), matcher.store().registry()) {}

  /// Whether all conditions of the rule hold for the present match, those that Python decides left out.
  bool native_hold(const Rule& rule) {
    for (const std::uint32_t check : rule.checks) {
      if (rule.conditions[check].kind == ConditionKind::kCallback) continue;
      if (!holds(rule, check)) return false;
    }
    return true;
  }

  std::optional<Integer> number(ExpressionKind kind, std::uint32_t index) const override {
    std::int64_t small = 0;
    if (small_number(kind, index, small)) return Integer(small);
    if (kind != ExpressionKind::kCapture) return std::nullopt;
    const auto ref = single(index);
    if (!ref || !is_constant(*ref)) return std::nullopt;
    return constant_value(matcher_.store().attributes(), *ref);
  }

  bool small_number(ExpressionKind kind, std::uint32_t index, std::int64_t& value) const override {
    const Slot& slot = matcher_.slot(index);
    if (kind == ExpressionKind::kCount) {
      value = matcher_.count(slot);
      return slot.kind == SlotKind::kOperand || slot.kind == SlotKind::kList;
    }
    const auto ref = single(index);
    if (!ref) return false;
    if (kind == ExpressionKind::kWidth) {
      const auto width = width_of(*ref);
      if (width) value = *width;
      return width.has_value();
    }
    value = static_cast<std::int64_t>(ref->payload);
    return ref->kind == ir::kind::kConstant && value >= 0;
  }

  /// The one operand that a slot is bound to.
  std::optional<ir::FatDynObjRef> single(std::uint32_t index) const {
    const Slot& slot = matcher_.slot(index);
    if (slot.kind == SlotKind::kOperand) return slot.ref();
    if (slot.kind == SlotKind::kList && slot.count == 1) return matcher_.operand(slot, 0).ref;
    return std::nullopt;
  }
  std::optional<std::uint32_t> width_of(const ir::FatDynObjRef& ref) const {
    if (is_constant(ref)) return constant_width(matcher_.store().attributes(), ref);
    return widths_.of(matcher_.store().type(ref));
  }
  TypeWidths& widths() const { return widths_; }

  std::optional<Integer> exact(const Rule& rule, const Expression& expression) {
    std::int64_t value = 0;
    if (small(rule, expression, value)) return Integer(value);
    return evaluator_.exact(steps(rule, expression), *this);
  }
  /// Without memory; false if that cannot be.
  bool small(const Rule& rule, const Expression& expression, std::int64_t& value) {
    return evaluator_.small(steps(rule, expression), *this, value);
  }

 private:
  static std::span<const ExpressionOp> steps(const Rule& rule, const Expression& expression) {
    return std::span(rule.code).subspan(expression.first, expression.count);
  }

  // Recursion is on the depth of a condition, which kMaxDepth bounds.
  bool holds(const Rule& rule, std::uint32_t index) {
    const Condition& condition = rule.conditions[index];
    switch (condition.kind) {
      case ConditionKind::kOneUse: return has_one_use(condition.a);
      case ConditionKind::kPowerOfTwo: return is_power_of_two(condition.a);
      case ConditionKind::kIsConstant: {
        const auto ref = single(condition.a);
        return ref && is_constant(*ref);
      }
      case ConditionKind::kCompare: return compare(rule, condition);
      case ConditionKind::kSame: return same(matcher_.slot(condition.a), matcher_.slot(condition.b));
      case ConditionKind::kSameType: return same_type(condition.a, condition.b);
      case ConditionKind::kNot: return !holds(rule, condition.children[0]);
      case ConditionKind::kAnyOf:
        return std::any_of(condition.children.begin(), condition.children.end(),
                           [&](std::uint32_t child) { return holds(rule, child); });
      case ConditionKind::kCallback: return false;  // never inside of others
    }
    return false;
  }

  bool has_one_use(std::uint32_t index) const {
    const Slot& slot = matcher_.slot(index);
    if (slot.kind == SlotKind::kInstr) return matcher_.store().has_one_use(slot.node);
    const auto ref = single(index);
    return ref && matcher_.store().has_one_use(*ref);
  }

  bool is_power_of_two(std::uint32_t index) const {
    const auto ref = single(index);
    if (!ref || !is_constant(*ref)) return false;
    if (ref->kind == ir::kind::kConstant)
      return ref->payload != 0 && (ref->payload & (ref->payload - 1)) == 0;
    return constant_value(matcher_.store().attributes(), *ref).is_power_of_two();
  }

  bool same(const Slot& a, const Slot& b) const {
    if (a.kind == SlotKind::kInstr || a.kind == SlotKind::kOp) {
      return a.kind == b.kind && a.node == b.node && a.first == b.first;
    }
    if (a.kind == SlotKind::kUnbound || matcher_.count(a) != matcher_.count(b) ||
        (b.kind != SlotKind::kOperand && b.kind != SlotKind::kList)) {
      return false;
    }
    for (std::uint32_t i = 0; i < matcher_.count(a); ++i) {
      if (matcher_.operand(a, i).ref != matcher_.operand(b, i).ref) return false;
    }
    return true;
  }

  bool same_type(std::uint32_t left, std::uint32_t right) const {
    const auto a = single(left), b = single(right);
    if (!a || !b) return false;
    if (a->kind == ir::kind::kValue && b->kind == ir::kind::kValue) {
      return matcher_.store().type(*a) == matcher_.store().type(*b);
    }
    const auto one = width_of(*a), other = width_of(*b);
    return one && other && *one == *other;
  }

  static bool relate(Relation relation, std::strong_ordering order) {
    switch (relation) {
      case Relation::kEqual: return order == 0;
      case Relation::kNotEqual: return order != 0;
      case Relation::kLess: return order < 0;
      case Relation::kLessEqual: return order <= 0;
      case Relation::kGreater: return order > 0;
      case Relation::kGreaterEqual: return order >= 0;
    }
    return false;
  }

  bool compare(const Rule& rule, const Condition& condition) {
    std::int64_t left = 0, right = 0;
    if (small(rule, condition.left, left) && small(rule, condition.right, right)) {
      return relate(condition.relation, left <=> right);
    }
    const auto a = exact(rule, condition.left);
    const auto b = exact(rule, condition.right);
    return a && b && relate(condition.relation, *a <=> *b);
  }

  const Matcher<S>& matcher_;
  mutable TypeWidths widths_;
  Evaluator evaluator_;
};

}  // namespace dynomite::rewrite
