#pragma once

#include <cstdint>

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

enum class UpdateKind : std::uint8_t {
  kInstrCreate,
  kInstrDelete,
  kOpcodeChange,
  kOperandReplace,
  kReplaceAllUses,
  kTypeChange,
  kLocationChange,
  kNameChange,
  kRegionCreate,
  kRegionDelete,
  kBlockCreate,
  kBlockDelete,
  kBlockMove,
  kInstrInsert,
  kInstrRemove,
  kBlockSplice,
};

/// One mutation as a value: everything needed to do it, to undo it and to tell an analysis about it.
/// Which fields mean something depends on the kind (see the functions of Mutator).
struct Update {
  UpdateKind kind = UpdateKind::kInstrCreate;
  InstrId instr = {};
  std::uint32_t operand = 0;  // operand number, or number of uses moved
  FatDynObjRef old_ref = {}, new_ref = {};
  Use previous_use = {};
  RegionId region = {}, old_region = {};
  BlockId block = {}, old_block = {};  // target and source
  BlockId previous_block = {}, old_previous_block = {};
  InstrId previous = {}, old_previous = {};  // neighbour before, new and old
  InstrId last = {};        // of a spliced range that starts at `instr`; kInstrInsert: in front of it
  bool at_end = false;      // kInstrInsert: `previous` is whatever is last when it is done
  std::uint64_t stamp = 0;  // of the module before
};

/// The object of such an update exists before it is applied.
inline bool is_creation(UpdateKind kind) {
  return kind == UpdateKind::kInstrCreate || kind == UpdateKind::kRegionCreate ||
         kind == UpdateKind::kBlockCreate;
}

/// Does one update on a module, filling in what undoing needs.
void apply(Module& module, Update& update);
/// Undoes one applied update.
void revert(Module& module, const Update& update);

}  // namespace dynomite::ir
