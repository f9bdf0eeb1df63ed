#include "dynomite/native/rewrite/expression.hpp"

#include <algorithm>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dynomite::rewrite {

namespace {

using Kind = ExpressionKind;

bool divide_small(std::int64_t a, std::int64_t b, std::int64_t& quotient, std::int64_t& remainder) {
  if (b == 0 || b == -1) return false;  // the latter may overflow: left to exact numbers
  quotient = a / b;
  remainder = a % b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) {
    --quotient;
    remainder += b;
  }
  return true;
}

bool apply_small(Kind kind, std::int64_t a, std::int64_t b, std::int64_t& result) {
  std::int64_t other = 0;
  switch (kind) {
    case Kind::kAdd: return !__builtin_add_overflow(a, b, &result);
    case Kind::kSubtract: return !__builtin_sub_overflow(a, b, &result);
    case Kind::kMultiply: return !__builtin_mul_overflow(a, b, &result);
    case Kind::kDivide: return divide_small(a, b, result, other);
    case Kind::kModulo: return divide_small(a, b, other, result);
    case Kind::kShiftLeft:
      if (b < 0 || b > 62) return false;
      return !__builtin_mul_overflow(a, std::int64_t{1} << b, &result);
    case Kind::kShiftRight:
      if (b < 0 || b > static_cast<std::int64_t>(kMaxShift)) return false;
      result = a >> std::min<std::int64_t>(b, 63);
      return true;
    case Kind::kAnd: result = a & b; return true;
    case Kind::kOr: result = a | b; return true;
    case Kind::kXor: result = a ^ b; return true;
    case Kind::kMin: result = std::min(a, b); return true;
    case Kind::kMax: result = std::max(a, b); return true;
    case Kind::kSigned: {
      if (b < 1 || b > 62) return false;
      const std::int64_t low = a & ((std::int64_t{1} << b) - 1);
      result = low >> (b - 1) != 0 ? low - (std::int64_t{1} << b) : low;
      return true;
    }
    default: return false;
  }
}

bool apply_small(Kind kind, std::int64_t a, std::int64_t& result) {
  switch (kind) {
    case Kind::kNot: result = ~a; return true;
    case Kind::kNegate: return !__builtin_sub_overflow(std::int64_t{0}, a, &result);
    case Kind::kLog2:
      if (a < 1) return false;
      result = 63 - __builtin_clzll(static_cast<unsigned long long>(a));
      return true;
    default: return false;
  }
}

std::optional<Integer> quotient(const Integer& a, const Integer& b, bool wants_remainder) {
  if (b.is_zero()) return std::nullopt;
  Integer whole, rest;
  a.divide(b, whole, rest);
  return wants_remainder ? rest : whole;
}

std::optional<Integer> shift(const Integer& a, const Integer& b, bool left) {
  if (b.is_negative()) return std::nullopt;
  const auto count = b.small();
  if (!count || static_cast<std::uint64_t>(*count) > kMaxShift) return std::nullopt;
  return left ? a.shifted_left(static_cast<std::uint64_t>(*count))
              : a.shifted_right(static_cast<std::uint64_t>(*count));
}

std::optional<Integer> signed_value(const Integer& a, const Integer& width) {
  const auto bits = width.small();
  if (!bits || *bits < 1 || static_cast<std::uint64_t>(*bits) > kMaxShift) return std::nullopt;
  const auto count = static_cast<std::uint32_t>(*bits);
  const std::vector<std::uint64_t> low = a.modulo(count);
  const Integer value = Integer::from_unsigned(low);
  const bool negative = (low.back() >> ((count - 1) % 64) & 1) != 0;
  return negative ? value - Integer(1).shifted_left(count) : value;
}

std::optional<Integer> apply_exact(Kind kind, const Integer& a, const Integer& b) {
  switch (kind) {
    case Kind::kAdd: return a + b;
    case Kind::kSubtract: return a - b;
    case Kind::kMultiply: return a * b;
    case Kind::kDivide: return quotient(a, b, false);
    case Kind::kModulo: return quotient(a, b, true);
    case Kind::kShiftLeft: return shift(a, b, true);
    case Kind::kShiftRight: return shift(a, b, false);
    case Kind::kAnd: return a & b;
    case Kind::kOr: return a | b;
    case Kind::kXor: return a ^ b;
    case Kind::kMin: return std::min(a, b);
    case Kind::kMax: return std::max(a, b);
    case Kind::kSigned: return signed_value(a, b);
    default: return std::nullopt;
  }
}

std::optional<Integer> apply_exact(Kind kind, const Integer& a) {
  switch (kind) {
    case Kind::kNot: return ~a;
    case Kind::kNegate: return -a;
    case Kind::kLog2:
      if (a.is_negative() || a.is_zero()) return std::nullopt;
      return Integer(static_cast<std::int64_t>(a.bit_length() - 1));
    default: return std::nullopt;
  }
}

}  // namespace

std::uint32_t argument_count(const ExpressionOp& op) {
  switch (op.kind) {
    case Kind::kLiteral:
    case Kind::kCapture:
    case Kind::kWidth:
    case Kind::kCount: return 0;
    case Kind::kNot:
    case Kind::kNegate:
    case Kind::kLog2: return 1;
    case Kind::kMin:
    case Kind::kMax: return op.args;
    default: return 2;
  }
}

void check_expression(std::span<const ExpressionOp> ops) {
  std::size_t height = 0;
  for (const ExpressionOp& op : ops) {
    const std::uint32_t taken = argument_count(op);
    const bool any_number = op.kind == Kind::kMin || op.kind == Kind::kMax;
    if (taken > height || (any_number && taken == 0)) throw UsageError("an expression lacks an argument");
    height += 1;
    height -= taken;
  }
  if (height != 1) throw UsageError("an expression gives one number");
}

bool Evaluator::small(std::span<const ExpressionOp> ops, const NumberSource& source, std::int64_t& value) {
  small_.clear();
  for (const ExpressionOp& op : ops) {
    const std::uint32_t taken = argument_count(op);
    std::int64_t result = 0;
    if (op.kind == Kind::kLiteral) {
      const auto literal = op.literal.small();
      if (!literal) return false;
      result = *literal;
    } else if (taken == 0) {
      if (!source.small_number(op.kind, op.slot, result)) return false;
    } else if (op.kind == Kind::kMin || op.kind == Kind::kMax) {
      result = small_.back();
      for (std::uint32_t i = 0; i < taken; ++i) {
        apply_small(op.kind, result, small_[small_.size() - 1 - i], result);
      }
    } else if (taken == 1) {
      if (!apply_small(op.kind, small_.back(), result)) return false;
    } else {
      if (!apply_small(op.kind, small_[small_.size() - 2], small_.back(), result)) return false;
    }
    small_.resize(small_.size() - taken);
    small_.push_back(result);
  }
  value = small_.back();
  return true;
}

std::optional<Integer> Evaluator::exact(std::span<const ExpressionOp> ops, const NumberSource& source) {
  exact_.clear();
  for (const ExpressionOp& op : ops) {
    const std::uint32_t taken = argument_count(op);
    std::optional<Integer> result;
    if (op.kind == Kind::kLiteral) {
      result = op.literal;
    } else if (taken == 0) {
      result = source.number(op.kind, op.slot);
    } else if (op.kind == Kind::kMin || op.kind == Kind::kMax) {
      result = exact_.back();
      for (std::uint32_t i = 0; i < taken; ++i) {
        result = apply_exact(op.kind, *result, exact_[exact_.size() - 1 - i]);
      }
    } else if (taken == 1) {
      result = apply_exact(op.kind, exact_.back());
    } else {
      result = apply_exact(op.kind, exact_[exact_.size() - 2], exact_.back());
    }
    if (!result) return std::nullopt;
    exact_.resize(exact_.size() - taken);
    exact_.push_back(std::move(*result));
  }
  return exact_.back();
}

}  // namespace dynomite::rewrite
