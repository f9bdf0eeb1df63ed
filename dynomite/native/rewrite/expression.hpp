#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dynomite/native/rewrite/integer.hpp"

namespace dynomite::rewrite {

inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFU;
/// Shifts by more have no value.
inline constexpr std::uint64_t kMaxShift = std::uint64_t{1} << 21;

enum class ExpressionKind : std::uint8_t {
  kLiteral,
  kCapture,  // the number or constant in a slot, unsigned
  kWidth,    // of the constant or value in a slot
  kCount,    // operands in a slot
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kShiftLeft,
  kShiftRight,
  kAnd,
  kOr,
  kXor,
  kNot,
  kNegate,
  kLog2,
  kMin,
  kMax,
  kSigned,  // value, width
};

/// One step in reverse Polish notation.
struct ExpressionOp {
  ExpressionKind kind = ExpressionKind::kLiteral;
  std::uint32_t slot = kNoSlot;
  std::uint32_t args = 0;  // kMin, kMax
  Integer literal;
};

/// A range of the code of a rule; empty: no expression.
struct Expression {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Number of arguments of a step.
std::uint32_t argument_count(const ExpressionOp& op);
/// Throws UsageError unless the steps leave one number.
void check_expression(std::span<const ExpressionOp> ops);

/// What slots say in expressions; nothing where a slot has no such number.
class NumberSource {
 public:
  virtual ~NumberSource() = default;
  /// `kind` is kCapture, kWidth or kCount.
  virtual std::optional<Integer> number(ExpressionKind kind, std::uint32_t slot) const = 0;
  /// The same for what fits 63 bits; false if there is none or it does not fit.
  virtual bool small_number(ExpressionKind kind, std::uint32_t slot, std::int64_t& value) const = 0;
};

/// Evaluates expressions; keeps its stacks between calls.
class Evaluator {
 public:
  /// The exact value; nothing where there is none: a division by 0, a shift by a negative number or by more
  /// than kMaxShift, a sign at such a place, a logarithm of a number below 1, a slot without the number asked
  /// for.
  std::optional<Integer> exact(std::span<const ExpressionOp> ops, const NumberSource& source);
  /// The value if it and all on the way fit into 64 bits; then no memory is needed.
  bool small(std::span<const ExpressionOp> ops, const NumberSource& source, std::int64_t& value);

 private:
  std::vector<std::int64_t> small_;
  std::vector<Integer> exact_;
};

}  // namespace dynomite::rewrite
