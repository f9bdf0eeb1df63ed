#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dynomite/native/ir/refs.hpp"
#include "dynomite/native/rewrite/expression.hpp"

namespace dynomite::rewrite {

/// Expressions, conditions and emitted code nest at most so deep (LimitError).
inline constexpr std::uint32_t kMaxDepth = 200;

/// What a number in a pattern has to be.
struct Param {
  enum class Kind : std::uint8_t { kAnything, kLiteral, kCapture };
  Kind kind = Kind::kAnything;
  Integer literal;
  std::uint32_t slot = kNoSlot;
};

enum class PatternKind : std::uint8_t {
  kAny,
  kType,
  kConst,
  kInstr,
  kSame,
  kNamed,
  kRepeat,
  kSequence,
  kAlternatives,
  kUnordered,
  kDef,
  kUse,
};

/// One node of the syntax tree of a pattern; docs/rewriting.md says what it means.
struct PatternNode {
  PatternKind kind = PatternKind::kAny;
  std::vector<std::uint32_t> children;  // numbers of nodes
  std::uint32_t depth = 1;
  bool is_part = false;                // of another node
  std::uint32_t slot = kNoSlot;        // kNamed, kSame; kInstr: the value that is used
  ir::ObjKind type;                    // kType
  std::vector<Param> params;           // kType: of the type, empty takes any; kConst: value and width
  std::vector<std::uint16_t> opcodes;  // kInstr: sorted; empty takes any
  std::uint32_t op_slot = kNoSlot, instr_slot = kNoSlot;
  bool at_least_one = false;  // kRepeat
};

enum class ConditionKind : std::uint8_t {
  kOneUse,
  kPowerOfTwo,
  kIsConstant,
  kCompare,
  kSame,
  kSameType,
  kNot,
  kAnyOf,
  kCallback,
};

enum class Relation : std::uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

struct Condition {
  ConditionKind kind = ConditionKind::kOneUse;
  std::uint32_t a = kNoSlot, b = kNoSlot;  // slots; kCallback: a is its number
  Relation relation = Relation::kEqual;
  Expression left, right;
  std::vector<std::uint32_t> children;  // numbers of conditions
  std::uint32_t depth = 1;
  bool is_part = false;  // of another condition
};

/// The type of a new value.
struct TypeSource {
  std::uint32_t slot = kNoSlot;  // the type of what it is bound to, or `type` if that is none
  ir::ObjKind type;
  std::vector<Expression> params;  // with a slot: nothing, or the width
};

struct EmitOperand {
  enum class Kind : std::uint8_t { kCapture, kConst, kNumber, kNew };
  Kind kind = Kind::kCapture;
  std::uint32_t slot = kNoSlot;  // kNew: number of the new value
  Expression value, width;
};

struct EmitDef {
  std::uint32_t replaces = kNoSlot;  // a definition of the match
  TypeSource type;                   // of a new one
  std::uint32_t number = 0;          // of the new value, by order of appearance
};

enum class EmitKind : std::uint8_t { kInstr, kReplaceUses, kReplaceAll, kDelete };

struct EmitStep {
  EmitKind kind = EmitKind::kInstr;
  std::uint16_t opcode = 0;
  std::uint32_t slot =
      kNoSlot;  // kInstr: the operation, if the match named it; else definition or instruction
  std::vector<EmitDef> defs;
  std::vector<EmitOperand> operands;
};

/// A rule as it was given, names resolved to slots.
struct Rule {
  std::string name;
  std::vector<std::string> slots;  // names
  std::vector<PatternNode> nodes;
  std::uint32_t root = 0;
  std::vector<ExpressionOp> code;     // of all expressions
  std::vector<Condition> conditions;  // all nodes
  std::vector<std::uint32_t> checks;  // conditions to hold, in order; callbacks last
  std::vector<EmitStep> emits;
  std::uint32_t new_values = 0;
  std::uint32_t action = kNoSlot;  // number of a callback

  /// The slot of a name, new or known.
  std::uint32_t slot(std::string_view name);
  /// Adds a node; returns its number. Throws LimitError beyond kMaxDepth.
  std::uint32_t add(PatternNode node);
  std::uint32_t add(Condition condition);
  Expression add(const std::vector<ExpressionOp>& ops);
};

}  // namespace dynomite::rewrite
