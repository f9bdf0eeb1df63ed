#include "dmt_dialect/native/word/word_op.hpp"

#include <array>
#include <string>
#include <vector>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

using W = WordArithmetic;
using Operands = std::span<const BitVec* const>;
using Params = WordParams;

BitVec flag(bool value) { return BitVec(1, value ? 1 : 0); }

BitVec smallest(std::uint32_t width) {
  BitVec result(width);
  result.set_bit(width - 1, true);
  return result;
}

BitVec magnitude(const BitVec& a) { return a.sign() ? W::neg(a) : a; }

BitVec signed_quotient(const BitVec& a, const BitVec& b) {
  const BitVec quotient = W::divide(magnitude(a), magnitude(b)).quotient;
  return a.sign() != b.sign() ? W::neg(quotient) : quotient;
}

BitVec signed_remainder(const BitVec& a, const BitVec& b) {
  const BitVec remainder = W::divide(magnitude(a), magnitude(b)).remainder;
  return a.sign() ? W::neg(remainder) : remainder;
}

BitVec signed_modulo(const BitVec& a, const BitVec& b) {
  const BitVec remainder = signed_remainder(a, b);
  return !remainder.is_zero() && remainder.sign() != b.sign() ? W::add(remainder, b) : remainder;
}

/// Whether the signed value of `exact` does not fit into `width` bits.
bool overflows_signed(const BitVec& exact, std::uint32_t width) {
  return exact.slice(0, width).sign_extended(exact.width()) != exact;
}

bool overflows_unsigned(const BitVec& exact, std::uint32_t width) {
  return exact.slice(0, width).zero_extended(exact.width()) != exact;
}

BitVec arithmetic_shift(const BitVec& a, const BitVec& amount) {
  const std::uint64_t by = amount.saturated();
  if (!a.sign()) return W::shift_right(a, by);
  return W::bit_not(W::shift_right(W::bit_not(a), by));
}

/// `amount` modulo the width of `a`.
std::uint32_t rotation(const BitVec& a, const BitVec& amount) {
  const std::uint32_t width = std::max(amount.width(), 32U);
  const BitVec modulus(width, a.width());
  return static_cast<std::uint32_t>(W::divide(amount.zero_extended(width), modulus).remainder.limbs()[0]);
}

BitVec rotate_left(const BitVec& a, std::uint32_t by) {
  return W::bit_or(W::shift_left(a, by), W::shift_right(a, a.width() - by));
}

BitVec concatenation(Operands o) {
  std::uint32_t width = 0;
  for (const BitVec* part : o) width += part->width();
  BitVec result(width);
  for (const BitVec* part : o) {
    width -= part->width();
    result.place(*part, width);
  }
  return result;
}

BitVec repetition(const BitVec& a, std::uint32_t count) {
  BitVec result(a.width() * count);
  for (std::uint32_t i = 0; i < count; ++i) result.place(a, i * a.width());
  return result;
}

BitVec looked_up(const BitVec& index, const BitVec& table) {
  const std::uint32_t width = table.width() >> index.width();
  return table.slice(static_cast<std::uint32_t>(index.limbs()[0]) * width, width);
}

using S = WordShape;
using A = WordAttr;

// Captureless lambdas over (operands, params); `X` is the first operand, `Y` the second.
#define X (*o[0])
#define Y (*o[1])
#define VALUE(expression) [](Operands o, [[maybe_unused]] const Params& p) -> BitVec { return expression; }

constexpr std::array<WordOpInfo, kWordOpCount> kTable = {{
    {WordOp::kAdd, "ADD", S::kBinary, A::kNone, true, "sum", VALUE(W::add(X, Y))},
    {WordOp::kSub, "SUB", S::kBinary, A::kNone, false, "difference", VALUE(W::sub(X, Y))},
    {WordOp::kNeg, "NEG", S::kUnary, A::kNone, false, "two's complement", VALUE(W::neg(X))},
    {WordOp::kAbs, "ABS", S::kUnary, A::kNone, false, "magnitude of a signed word", VALUE(magnitude(X))},
    {WordOp::kMul, "MUL", S::kBinary, A::kNone, true, "product, as wide as one operand", VALUE(W::mul(X, Y))},
    {WordOp::kSmulw, "SMULW", S::kWiden, A::kNone, true, "whole product of signed words",
     VALUE(W::mul(X.sign_extended(X.width() + Y.width()), Y.sign_extended(X.width() + Y.width())))},
    {WordOp::kUmulw, "UMULW", S::kWiden, A::kNone, true, "whole product of unsigned words",
     VALUE(W::mul(X.zero_extended(X.width() + Y.width()), Y.zero_extended(X.width() + Y.width())))},
    {WordOp::kUdiv, "UDIV", S::kBinary, A::kNone, false, "unsigned quotient; by 0: all ones",
     VALUE(W::divide(X, Y).quotient)},
    {WordOp::kUrem, "UREM", S::kBinary, A::kNone, false, "unsigned remainder; by 0: the dividend",
     VALUE(W::divide(X, Y).remainder)},
    {WordOp::kSdiv, "SDIV", S::kBinary, A::kNone, false,
     "signed quotient, rounded to zero; by 0: 1 if negative else -1", VALUE(signed_quotient(X, Y))},
    {WordOp::kSrem, "SREM", S::kBinary, A::kNone, false, "signed remainder with the dividend's sign",
     VALUE(signed_remainder(X, Y))},
    {WordOp::kSmod, "SMOD", S::kBinary, A::kNone, false, "signed remainder with the divisor's sign",
     VALUE(signed_modulo(X, Y))},
    {WordOp::kAnd, "AND", S::kBinary, A::kNone, true, "bitwise and", VALUE(W::bit_and(X, Y))},
    {WordOp::kOr, "OR", S::kBinary, A::kNone, true, "bitwise or", VALUE(W::bit_or(X, Y))},
    {WordOp::kXor, "XOR", S::kBinary, A::kNone, true, "bitwise exclusive or", VALUE(W::bit_xor(X, Y))},
    {WordOp::kNand, "NAND", S::kBinary, A::kNone, true, "complement of AND",
     VALUE(W::bit_not(W::bit_and(X, Y)))},
    {WordOp::kNor, "NOR", S::kBinary, A::kNone, true, "complement of OR", VALUE(W::bit_not(W::bit_or(X, Y)))},
    {WordOp::kXnor, "XNOR", S::kBinary, A::kNone, true, "complement of XOR",
     VALUE(W::bit_not(W::bit_xor(X, Y)))},
    {WordOp::kNot, "NOT", S::kUnary, A::kNone, false, "bitwise complement", VALUE(W::bit_not(X))},
    {WordOp::kRedand, "REDAND", S::kReduce, A::kNone, false, "all bits are set", VALUE(flag(X.is_ones()))},
    {WordOp::kRedor, "REDOR", S::kReduce, A::kNone, false, "some bit is set", VALUE(flag(!X.is_zero()))},
    {WordOp::kRedxor, "REDXOR", S::kReduce, A::kNone, false, "the number of bits set is odd",
     VALUE(flag(X.count_ones() % 2 != 0))},
    {WordOp::kEq, "EQ", S::kCompare, A::kNone, true, "equal", VALUE(flag(X == Y))},
    {WordOp::kNe, "NE", S::kCompare, A::kNone, true, "different", VALUE(flag(X != Y))},
    {WordOp::kUlt, "ULT", S::kCompare, A::kNone, false, "less, unsigned", VALUE(flag(W::less(X, Y)))},
    {WordOp::kUle, "ULE", S::kCompare, A::kNone, false, "at most, unsigned", VALUE(flag(!W::less(Y, X)))},
    {WordOp::kUgt, "UGT", S::kCompare, A::kNone, false, "greater, unsigned", VALUE(flag(W::less(Y, X)))},
    {WordOp::kUge, "UGE", S::kCompare, A::kNone, false, "at least, unsigned", VALUE(flag(!W::less(X, Y)))},
    {WordOp::kSlt, "SLT", S::kCompare, A::kNone, false, "less, signed", VALUE(flag(W::signed_less(X, Y)))},
    {WordOp::kSle, "SLE", S::kCompare, A::kNone, false, "at most, signed",
     VALUE(flag(!W::signed_less(Y, X)))},
    {WordOp::kSgt, "SGT", S::kCompare, A::kNone, false, "greater, signed", VALUE(flag(W::signed_less(Y, X)))},
    {WordOp::kSge, "SGE", S::kCompare, A::kNone, false, "at least, signed",
     VALUE(flag(!W::signed_less(X, Y)))},
    {WordOp::kShl, "SHL", S::kShift, A::kNone, false, "shifted towards the top bit, zeros in",
     VALUE(W::shift_left(X, Y.saturated()))},
    {WordOp::kLshr, "LSHR", S::kShift, A::kNone, false, "shifted towards bit 0, zeros in",
     VALUE(W::shift_right(X, Y.saturated()))},
    {WordOp::kAshr, "ASHR", S::kShift, A::kNone, false, "shifted towards bit 0, copies of the sign in",
     VALUE(arithmetic_shift(X, Y))},
    {WordOp::kRol, "ROL", S::kShift, A::kNone, false, "rotated towards the top bit, modulo the width",
     VALUE(rotate_left(X, rotation(X, Y)))},
    {WordOp::kRor, "ROR", S::kShift, A::kNone, false, "rotated towards bit 0, modulo the width",
     VALUE(rotate_left(X, X.width() - rotation(X, Y)))},
    {WordOp::kConcat, "CONCAT", S::kConcat, A::kNone, false, "side by side, the first operand on top",
     VALUE(concatenation(o))},
    {WordOp::kSlice, "SLICE", S::kAttribute, A::kRange, false, "bits hi to lo, both included",
     VALUE(X.slice(p.lo, p.hi - p.lo + 1))},
    {WordOp::kIndex, "INDEX", S::kIndex, A::kNone, false, "the bit with this number; 0 beyond the word",
     VALUE(flag(!W::shift_right(X, Y.saturated()).slice(0, 1).is_zero()))},
    {WordOp::kRepeat, "REPEAT", S::kAttribute, A::kCount, false, "copies side by side",
     VALUE(repetition(X, p.number))},
    {WordOp::kZext, "ZEXT", S::kAttribute, A::kWidth, false, "zeros in front",
     VALUE(X.zero_extended(p.number))},
    {WordOp::kSext, "SEXT", S::kAttribute, A::kWidth, false, "copies of the sign in front",
     VALUE(X.sign_extended(p.number))},
    {WordOp::kMux, "MUX", S::kMux, A::kNone, false, "the second operand if the first is 1, else the third",
     VALUE(X.is_zero() ? *o[2] : Y)},
    {WordOp::kLut, "LUT", S::kAttribute, A::kTable, false, "the table's entry with this number",
     VALUE(looked_up(X, *p.table))},
    {WordOp::kUaddo, "UADDO", S::kCompare, A::kNone, true, "ADD overflows, unsigned",
     VALUE(flag(W::less(W::add(X, Y), X)))},
    {WordOp::kSaddo, "SADDO", S::kCompare, A::kNone, true, "ADD overflows, signed",
     VALUE(flag(overflows_signed(W::add(X.sign_extended(X.width() + 1), Y.sign_extended(X.width() + 1)),
                                 X.width())))},
    {WordOp::kUsubo, "USUBO", S::kCompare, A::kNone, false, "SUB overflows, unsigned",
     VALUE(flag(W::less(X, Y)))},
    {WordOp::kSsubo, "SSUBO", S::kCompare, A::kNone, false, "SUB overflows, signed",
     VALUE(flag(overflows_signed(W::sub(X.sign_extended(X.width() + 1), Y.sign_extended(X.width() + 1)),
                                 X.width())))},
    {WordOp::kUmulo, "UMULO", S::kCompare, A::kNone, true, "MUL overflows, unsigned",
     VALUE(flag(overflows_unsigned(W::mul(X.zero_extended(2 * X.width()), Y.zero_extended(2 * X.width())),
                                   X.width())))},
    {WordOp::kSmulo, "SMULO", S::kCompare, A::kNone, true, "MUL overflows, signed",
     VALUE(flag(overflows_signed(W::mul(X.sign_extended(2 * X.width()), Y.sign_extended(2 * X.width())),
                                 X.width())))},
    {WordOp::kNego, "NEGO", S::kReduce, A::kNone, false, "NEG overflows",
     VALUE(flag(X == smallest(X.width())))},
    {WordOp::kSdivo, "SDIVO", S::kCompare, A::kNone, false, "SDIV overflows",
     VALUE(flag(X == smallest(X.width()) && Y.is_ones()))},
}};
#undef X
#undef Y
#undef VALUE

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].op) != i) return false;
  }
  return true;
}
static_assert(is_in_order());

[[noreturn]] void reject(const WordOpInfo& op, const std::string& why) {
  throw dynomite::UsageError(std::string(op.name) + ": " + why);
}

std::uint32_t attribute_width(const WordOpInfo& op, std::uint32_t width, const WordParams& params) {
  switch (op.attr) {
    case WordAttr::kRange:
      if (params.hi < params.lo || params.hi >= width) {
        reject(op, "bits " + std::to_string(params.hi) + " to " + std::to_string(params.lo) +
                       " of a word of " + std::to_string(width) + " bits");
      }
      return params.hi - params.lo + 1;
    case WordAttr::kCount: {
      const std::uint64_t wide = std::uint64_t{width} * params.number;
      check_width(wide, op.name);
      return static_cast<std::uint32_t>(wide);
    }
    case WordAttr::kWidth:
      check_width(params.number, op.name);
      if (params.number < width) {
        reject(op, "a word of " + std::to_string(width) + " bits does not fit into " +
                       std::to_string(params.number));
      }
      return params.number;
    case WordAttr::kTable:
      if (params.table == nullptr) reject(op, "a table is needed");
      if (width >= 32 || params.table->width() >> width == 0 ||
          (params.table->width() >> width) << width != params.table->width()) {
        reject(op, "a table of " + std::to_string(params.table->width()) +
                       " bits has not one entry for each value of " + std::to_string(width) + " bits");
      }
      return params.table->width() >> width;
    case WordAttr::kNone: break;
  }
  return width;
}

}  // namespace

std::optional<std::uint32_t> arity(WordShape shape) {
  switch (shape) {
    case WordShape::kUnary:
    case WordShape::kReduce:
    case WordShape::kAttribute: return 1;
    case WordShape::kMux: return 3;
    case WordShape::kConcat: return std::nullopt;
    default: return 2;
  }
}

std::span<const WordOpInfo> word_ops() { return kTable; }

std::optional<WordOp> find_word_op(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const WordOpInfo& op : kTable) {
    if (op.name == upper) return op.op;
  }
  return std::nullopt;
}

std::uint32_t result_width(WordOp code, std::span<const std::uint32_t> widths, const WordParams& params) {
  const WordOpInfo& op = info(code);
  const std::optional<std::uint32_t> wanted = arity(op.shape);
  if (wanted.has_value() ? widths.size() != *wanted : widths.empty()) {
    const std::string count = wanted.has_value() ? std::to_string(*wanted) : "one or more";
    reject(op, "takes " + count + " operands, not " + std::to_string(widths.size()));
  }
  for (const std::uint32_t width : widths) check_width(width, op.name);
  const auto same = [&](std::size_t i, std::size_t j) {
    if (widths[i] == widths[j]) return;
    reject(op, "operands of " + std::to_string(widths[i]) + " and " + std::to_string(widths[j]) +
                   " bits; they must be equally wide");
  };
  switch (op.shape) {
    case WordShape::kUnary: return widths[0];
    case WordShape::kBinary: same(0, 1); return widths[0];
    case WordShape::kCompare: same(0, 1); return 1;
    case WordShape::kReduce: return 1;
    case WordShape::kShift: return widths[0];
    case WordShape::kIndex: return 1;
    case WordShape::kAttribute: return attribute_width(op, widths[0], params);
    case WordShape::kMux:
      if (widths[0] != 1) reject(op, "the select has " + std::to_string(widths[0]) + " bits, not 1");
      same(1, 2);
      return widths[1];
    case WordShape::kWiden:
    case WordShape::kConcat: break;
  }
  std::uint64_t sum = 0;
  for (const std::uint32_t width : widths) sum += width;
  check_width(sum, op.name);
  return static_cast<std::uint32_t>(sum);
}

bool is_square(WordOp op) {
  switch (op) {
    case WordOp::kMul:
    case WordOp::kSmulw:
    case WordOp::kUmulw:
    case WordOp::kUdiv:
    case WordOp::kUrem:
    case WordOp::kSdiv:
    case WordOp::kSrem:
    case WordOp::kSmod:
    case WordOp::kUmulo:
    case WordOp::kSmulo: return true;
    default: return false;
  }
}

BitVec evaluate(WordOp op, std::span<const BitVec* const> operands, const WordParams& params) {
  std::array<std::uint32_t, 4> few{};
  std::vector<std::uint32_t> many;
  std::span<std::uint32_t> widths(few.data(), std::min(operands.size(), few.size()));
  if (operands.size() > few.size()) {
    many.resize(operands.size());
    widths = many;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) widths[i] = operands[i]->width();
  static_cast<void>(result_width(op, widths, params));
  if (is_square(op) && std::uint64_t{widths[0]} * widths[1] > kMaxSquare) {
    throw dynomite::LimitError(std::string(info(op).name) +
                               ": words of more than 2^20 bits are neither multiplied nor divided");
  }
  return info(op).evaluate(operands, params);
}

BitVec evaluate(WordOp op, std::span<const BitVec> operands, const WordParams& params) {
  std::vector<const BitVec*> pointers;
  pointers.reserve(operands.size());
  for (const BitVec& operand : operands) pointers.push_back(&operand);
  return evaluate(op, pointers, params);
}

}  // namespace dmt
