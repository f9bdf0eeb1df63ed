#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynomite/native/ir/module.hpp"

namespace dmt {

/// Widths of values up to here; larger ones are refused where types are read.
inline constexpr std::uint32_t kMaxWidth = 1U << 20;

/// How the widths of operands and result of a word operator go together.
enum class OpShape : std::uint8_t {
  kSame,     // all of one width
  kWiden,    // result as wide as both operands together
  kReduce,   // one operand of any width, result 1 bit
  kCompare,  // two operands of one width, result 1 bit
  kShift,    // result as wide as the first operand, amount of any width
  kConcat,   // result as wide as all operands together
  kSlice,    // bits high to low, two constants
  kIndex,    // result 1 bit, index of any width
  kRepeat,   // result a multiple of the operand
  kExtend,   // result at least as wide as the operand
  kMux,      // select 1 bit, the rest of one width
  kLut,      // constant with 2^index entries of the result's width
  kClaim,    // no result, one operand of 1 bit
};

/// One operator of the dialect `op`.
struct OpRule {
  std::string_view name;
  OpShape shape;
  std::uint8_t uses;  // least number of operands
  bool variadic = false;
};

std::span<const OpRule> op_rules();

/// The rules by opcode in one context, and widths by type in one module. Reads only.
class OpChecker {
 public:
  explicit OpChecker(const dynomite::ir::Module& module);

  /// The number of an operation's rule; nothing if it is none of the dialect.
  std::optional<std::uint32_t> rule(dynomite::ir::Opcode opcode) const;
  /// Bits of a type that is a row of bits, 0 if it is none. A width that is 0 or too large counts as none;
  /// `type_violation` says why.
  std::uint32_t width(dynomite::ir::TypeId type) const;
  std::string type_violation(dynomite::ir::TypeId type) const;
  /// Bits of a value or constant used as an operand; 0 if it is neither.
  std::uint32_t width(const dynomite::ir::FatDynObjRef& ref) const;
  /// The number that a constant operand stands for, if it is one below 2^32.
  std::optional<std::uint32_t> small_number(const dynomite::ir::FatDynObjRef& ref) const;
  /// What is wrong with the operands, widths and types of an instruction of this rule; empty if nothing is.
  std::string violation(dynomite::ir::InstrId instr, std::uint32_t rule) const;
  /// "%name" or "%number".
  std::string value_text(const dynomite::ir::FatDynObjRef& ref) const;

 private:
  std::string widths_text(dynomite::ir::InstrId instr, std::uint32_t first, std::uint32_t count) const;

  const dynomite::ir::Module& module_;
  dynomite::ir::DialectId dialect_ = 0;  // 0 (core): `op` is not loaded
  std::vector<std::uint8_t> rules_;      // by operation number, 0xFF for none
  // By type, filled when asked: width + 1, 0 for not known yet. A 0 width is no row of bits.
  mutable std::vector<std::uint32_t> widths_;
};

}  // namespace dmt
