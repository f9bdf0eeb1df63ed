#pragma once

#include <cstdint>

#include "dynomite/native/ir/refs.hpp"
#include "dynomite/native/rewrite/match_store.hpp"

namespace dynomite::rewrite {

inline constexpr std::uint32_t kInOrder = 0xFFFFFFFFU;
inline constexpr std::uint32_t kFrozen = 0xFFFFFFFEU;  // copied, as the instruction may change

enum class SlotKind : std::uint8_t { kUnbound, kOperand, kList, kInstr, kOp };

/// What a name is bound to.
struct Slot {
  SlotKind kind = SlotKind::kUnbound;
  bool is_def = false;                 // kOperand
  bool is_number = false;              // kOperand: bound to the number, as a parameter
  std::uint32_t node = kNoNode;        // kInstr; kList: the instruction whose operands they are
  std::uint32_t list = kInOrder;       // kList: where its operands are listed
  std::uint32_t first = 0, count = 0;  // kList: the range; kOp: first is the operation

  /// kOperand: the operand, or a number as a constant. Kept apart: a copy of the whole would wait for its
  /// parts, which have just been written.
  ir::FatDynObjRef ref() const { return {object_kind, id, payload}; }
  void set_ref(const ir::FatDynObjRef& to) {
    payload = to.payload;
    id = to.id;
    object_kind = to.kind;
  }

  std::uint64_t payload = 0;
  std::uint32_t id = 0;
  ir::ObjKind object_kind;
};

/// Where the matcher is: the next operand of a list of operands of an instruction.
struct Cursor {
  std::uint32_t node = kNoNode;
  std::uint32_t list = kInOrder;  // operands themselves, or where their numbers are listed
  std::uint32_t at = 0, end = 0;
};

}  // namespace dynomite::rewrite
