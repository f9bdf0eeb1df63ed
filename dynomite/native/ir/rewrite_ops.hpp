#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

/// Operations of the dialect `rewrite`: rules as instructions, one for each node of their syntax tree. The
/// parts of a node are the instructions of its region; names and numbers are its uses.
namespace rewrite_op {

enum Number : std::uint8_t {
  kPattern,  // PATTERN @name { DOC? MATCH IF* EMIT? DO? }
  kRules,    // RULES @name { DOC? (PATTERN | RULES | INCLUDE)* }
  kInclude,  // INCLUDE @other
  kDoc,      // DOC "text"
  kMatch,    // MATCH { INSTR }
  kIf,       // IF { condition }
  kEmit,     // EMIT { statements }
  kDo,       // DO "function" "name"...
  // Expressions.
  kAny,
  kType,   // TYPE "hw.wire" parameter...: a number, "name", or _
  kConst,  // CONST value width: as a parameter each
  kInstr,  // INSTR ["op.ADD"...] "operation name"|_ "instruction name"|_ { expression }
  kSame,   // SAME "name"
  kNamed,  // NAMED "name" { expression }
  kStar,
  kPlus,
  kSeq,
  kAlt,
  kUnordered,
  kDef,
  kUse,
  // Integers.
  kNumber,   // NUMBER 64-bit number, or a wider constant: signed
  kValueOf,  // VALUE "name"
  kWidth,    // WIDTH "name"
  kCount,    // COUNT "name"
  kArith,    // ARITH "+" { integers }
  // Conditions.
  kOneUse,
  kPowerOfTwo,
  kIsConstant,
  kCompare,  // COMPARE "<" { left right }
  kSameObject,
  kSameType,
  kNot,
  kAnyOf,
  kCall,  // CALL "function" "name"...
  // Statements and their operands.
  kBuild,        // BUILD "op.ADD" { definitions operands }
  kBuildAs,      // BUILD_AS "operation name" { definitions operands }
  kOldDef,       // OLD_DEF "name"
  kNewDef,       // NEW_DEF "name" { TYPE_OF or TYPE_EXPR }
  kTypeOf,       // TYPE_OF "name" { width? }
  kTypeExpr,     // TYPE_EXPR "hw.wire" { integers }
  kOperand,      // OPERAND "name"
  kConstant,     // CONSTANT { value width }
  kPlainNumber,  // PLAIN_NUMBER { integer }
  kReplaceUses,  // REPLACE_USES "name" { operand }
  kReplaceAll,   // REPLACE_ALL "instruction name" { operands }
  kDelete,       // DELETE "instruction name"
  kEnd
};

inline constexpr std::array<std::string_view, kEnd> kNames = {
    "PATTERN",     "RULES",        "INCLUDE",      "DOC",         "MATCH",     "IF",        "EMIT",
    "DO",          "ANY",          "TYPE",         "CONST",       "INSTR",     "SAME",      "NAMED",
    "STAR",        "PLUS",         "SEQ",          "ALT",         "UNORDERED", "DEF",       "USE",
    "NUMBER",      "VALUE",        "WIDTH",        "COUNT",       "ARITH",     "ONE_USE",   "POWER_OF_TWO",
    "IS_CONSTANT", "COMPARE",      "SAME_OBJECT",  "SAME_TYPE",   "NOT",       "ANY_OF",    "CALL",
    "BUILD",       "BUILD_AS",     "OLD_DEF",      "NEW_DEF",     "TYPE_OF",   "TYPE_EXPR", "OPERAND",
    "CONSTANT",    "PLAIN_NUMBER", "REPLACE_USES", "REPLACE_ALL", "DELETE"};

inline constexpr Opcode opcode(Number number) { return {kRewriteDialect, number}; }

/// Nodes of a rule are nested at most so deep.
inline constexpr std::uint32_t kMaxHeight = 150;

/// Binary operators of integers by precedence, loosest first.
inline constexpr std::array<std::array<std::string_view, 4>, 6> kOperators = {
    {{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}};

}  // namespace rewrite_op

}  // namespace dynomite::ir
