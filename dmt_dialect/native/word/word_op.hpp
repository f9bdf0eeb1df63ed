#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dmt_dialect/native/word/bit_vec.hpp"

// The operators on words, described once: names, operands, attributes, widths, values. How each becomes gates
// is in `blast.hpp`, behind the same enumeration. Meanings are those of SMT-LIB's QF_BV: division by zero
// gives all ones (remainder: the dividend), shifts by the width or more give zeros or copies of the sign.

namespace dmt {

enum class WordOp : std::uint8_t {
  kAdd,
  kSub,
  kNeg,
  kAbs,
  kMul,
  kSmulw,
  kUmulw,
  kUdiv,
  kUrem,
  kSdiv,
  kSrem,
  kSmod,
  kAnd,
  kOr,
  kXor,
  kNand,
  kNor,
  kXnor,
  kNot,
  kRedand,
  kRedor,
  kRedxor,
  kEq,
  kNe,
  kUlt,
  kUle,
  kUgt,
  kUge,
  kSlt,
  kSle,
  kSgt,
  kSge,
  kShl,
  kLshr,
  kAshr,
  kRol,
  kRor,
  kConcat,
  kSlice,
  kIndex,
  kRepeat,
  kZext,
  kSext,
  kMux,
  kLut,
  kUaddo,
  kSaddo,
  kUsubo,
  kSsubo,
  kUmulo,
  kSmulo,
  kNego,
  kSdivo,
};
inline constexpr std::size_t kWordOpCount = static_cast<std::size_t>(WordOp::kSdivo) + 1;

/// What an operator needs beside its operands.
enum class WordAttr : std::uint8_t {
  kNone,
  kRange,  ///< SLICE: `hi` and `lo`, both included
  kCount,  ///< REPEAT: `number` copies
  kWidth,  ///< ZEXT, SEXT: `number` bits in the result
  kTable,  ///< LUT: `table`
};

/// Attribute values; each operator reads those that its `WordAttr` names.
struct WordParams {
  std::uint32_t hi = 0;
  std::uint32_t lo = 0;
  std::uint32_t number = 0;
  /// LUT: entry i of the result's width at bit i * width, one for each value of the operand. Borrowed.
  const BitVec* table = nullptr;
};

/// Rules for the widths of operands and result.
enum class WordShape : std::uint8_t {
  kUnary,      ///< one operand; the result is as wide
  kBinary,     ///< two operands of one width; the result is as wide
  kCompare,    ///< two operands of one width; one bit
  kReduce,     ///< one operand; one bit
  kWiden,      ///< two operands; the result is as wide as both together
  kShift,      ///< a word and an amount of any width; as wide as the word
  kIndex,      ///< a word and an index of any width; one bit
  kConcat,     ///< any number of operands, the first the high part
  kAttribute,  ///< one operand; the result's width comes from the attribute
  kMux,        ///< one bit, then two operands of one width, which is the result's
};

struct WordOpInfo {
  WordOp op;
  /// Upper case, as the `op` dialect names it.
  std::string_view name;
  WordShape shape;
  WordAttr attr;
  /// f(a, b) = f(b, a).
  bool commutative;
  /// One line for people.
  std::string_view summary;
  /// The value. Operands and attributes have been checked by `result_width`.
  BitVec (*evaluate)(std::span<const BitVec* const> operands, const WordParams& params);
};

/// Number of operands; nothing for CONCAT, which takes one or more.
std::optional<std::uint32_t> arity(WordShape shape);

/// All operators, in the order of `WordOp`.
std::span<const WordOpInfo> word_ops();
inline const WordOpInfo& info(WordOp op) { return word_ops()[static_cast<std::size_t>(op)]; }
/// By name, upper or lower case; nothing if there is none.
std::optional<WordOp> find_word_op(std::string_view name);

/// Checks number and widths of operands and the attributes, and gives the width of the result. Throws
/// UsageError that names the operator; LimitError for results wider than `BitVec::kMaxWidth`.
std::uint32_t result_width(WordOp op, std::span<const std::uint32_t> operand_widths,
                           const WordParams& params = {});

/// Products and quotients, with their overflows: values and gates take time by the square of the width.
bool is_square(WordOp op);
/// `evaluate` takes pairs of operands of such operators up to this product of widths: a second of work.
constexpr std::uint64_t kMaxSquare = std::uint64_t{1} << 40;

/// The operator's value: the reference against which everything else is tested. Checks as `result_width`;
/// throws LimitError for products and quotients beyond `kMaxSquare`.
BitVec evaluate(WordOp op, std::span<const BitVec* const> operands, const WordParams& params = {});
BitVec evaluate(WordOp op, std::span<const BitVec> operands, const WordParams& params = {});

}  // namespace dmt
