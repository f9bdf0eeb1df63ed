#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dynomite/native/rewrite/rule.hpp"

namespace dynomite::rewrite {

/// Instructions of the backtracking matcher. Each takes the operand in front of the cursor, moves the cursor,
/// or fails, which resumes the latest choice.
enum class MatchOp : std::uint8_t {
  kAny,        // one operand
  kType,       // a: node
  kConst,      // a: node
  kSame,       // a: slot; takes as many operands as it is bound to
  kEnter,      // a: node; goes on in the operands of the instruction that defines the operand
  kLeave,      // all operands of the list are taken; goes on behind where it was entered
  kBind,       // a: slot; the operand, which is not taken yet
  kBindList,   // a: slot, b: register; the operands since kSave
  kBindInstr,  // a: slot; the instruction whose operands are matched
  kBindOp,     // a: slot; its operation
  kSave,       // a: register; the place of the cursor
  kSaveNone,   // a: register; no place
  kProgress,   // a: register; fails where the cursor is at the place saved
  kSplit,      // goes on with the next instruction, with a if that fails
  kJump,       // a: instruction
  kPermute,    // a: list; enters the next operands in this order
  kDeal,       // a: unordered node; enters operands dealt out to the parts, a choice for every way
  kPart,       // a: the part that ended, b: number of parts
  kAccept,     // all operands are taken: a match
};

struct MatchInstr {
  MatchOp op = MatchOp::kAccept;
  std::uint8_t sides = 0;  // kMustDefine, kMustUse
  std::uint32_t a = 0, b = 0;
};
inline constexpr std::uint8_t kMustDefine = 1;
inline constexpr std::uint8_t kMustUse = 2;

/// Leaves of the parts of an unordered expression, up to 63 a part, to see early which operands a part cannot
/// take: bit i of `follow[k]` if leaf i may come behind leaf k.
struct PartAutomaton {
  struct Leaf {
    std::uint32_t node = 0;
    std::uint8_t sides = 0;
    std::uint64_t follow = 0;
  };
  std::vector<Leaf> leaves;
  std::uint64_t first = 0, last = 0;
  bool is_nullable = false;
  bool is_exact = true;  // false: too many leaves, takes anything
  std::uint32_t least = 0, most = 0;
};

struct DealPlan {
  std::vector<PartAutomaton> parts;
  std::uint32_t least = 0, most = 0;
};

inline constexpr std::uint32_t kAnyLength = 0xFFFFFFFFU;

/// A rule with its matcher.
struct CompiledRule {
  Rule rule;
  std::vector<MatchInstr> code;
  std::vector<std::vector<std::uint32_t>> permutations;
  std::vector<DealPlan> deals;
  std::uint32_t registers = 0;
  std::uint32_t levels = 1;  // of operands it looks at: 1 for those of the root only
  // Replaces the definition in a slot by the operand in another one, and that is all.
  std::uint32_t replaced = kNoSlot, replacement = kNoSlot;
  bool counts_uses = false;  // has a condition on numbers of uses
  bool has_callback = false;
};

/// Compiles a rule. Linear in it but for orders of unordered parts, of which there are at most 24 a place.
/// Throws UsageError for a rule that is not whole.
CompiledRule compile(Rule rule);

/// Least and most operands of a node of a pattern; kAnyLength if there is no bound.
struct Lengths {
  std::uint32_t least = 0, most = 0;
};
std::vector<Lengths> pattern_lengths(const Rule& rule);
/// Nodes that always match exactly one operand, and slots that name nothing else.
struct Singles {
  std::vector<bool> nodes, slots;
};
Singles single_operands(const Rule& rule);
/// All ways to deal operands out to parts of fixed lengths, in the order of search: row i lists operands in
/// the order of the parts. Empty if there are more than 24, or if a part has no fixed length.
std::vector<std::vector<std::uint32_t>> fixed_deals(const Rule& rule, const std::vector<Lengths>& lengths,
                                                    std::uint32_t node);

}  // namespace dynomite::rewrite
