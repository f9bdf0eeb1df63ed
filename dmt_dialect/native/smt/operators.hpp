#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dmt_dialect/native/word/word_op.hpp"

namespace dmt::smt {

/// How the functions of the theories take their operands.
enum class Form : std::uint8_t {
  kBoolUnary,   ///< one Bool
  kBoolLeft,    ///< two or more Bools, grouped from the left
  kImplies,     ///< two or more Bools, grouped from the right
  kEqual,       ///< two or more of one sort, each equal to the next
  kDistinct,    ///< two or more of one sort, all different
  kIte,         ///< Bool and two of one sort
  kUnary,       ///< one word
  kBinary,      ///< two words of one width
  kLeft,        ///< two or more words of one width, grouped from the left
  kCompare,     ///< two words of one width; gives Bool
  kPredicate,   ///< one word; gives Bool
  kBit,         ///< two words of one width; gives one bit
  kReduce,      ///< one word; gives one bit
  kConcat,      ///< two or more words
  kExtract,     ///< indices i j; one word
  kRepeat,      ///< index i; one word
  kZeroExtend,  ///< index i; one word
  kSignExtend,  ///< index i; one word
  kRotate,      ///< index i; one word
};

/// A function of SMT-LIB's theories Core and FixedSizeBitVectors (2.7), and bvredand, bvredor as z3 and
/// others have them.
struct Operator {
  std::string_view name;
  WordOp op;
  Form form;
};

/// Number of indices.
std::uint32_t index_count(Form form);
std::span<const Operator> operators();
/// By name; null if there is none.
const Operator* find_operator(std::string_view name);
/// The name for an operator whose result is of sort Bool or not, with operands of sort Bool or not; empty if
/// SMT-LIB has none.
std::string_view operator_name(WordOp op, bool bool_result, bool bool_operands);

}  // namespace dmt::smt
