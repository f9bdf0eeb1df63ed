#include "dynomite/native/ir/update.hpp"

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/walk.hpp"

namespace dynomite::ir {

void apply(Module& module, Update& u) {
  InstrStore& instrs = module.instrs();
  CfgStore& cfg = module.cfg();
  switch (u.kind) {
    case UpdateKind::kInstrCreate:
    case UpdateKind::kRegionCreate: break;  // exists already
    case UpdateKind::kInstrDelete:
      if (cfg.block_of(u.instr)) throw UsageError("erase: the instruction is still in a block");
      instrs.erase(u.instr);
      break;
    case UpdateKind::kOpcodeChange:
      u.old_ref.id = instrs.opcode(u.instr).raw();
      instrs.set_opcode(u.instr, Opcode::from_raw(static_cast<std::uint16_t>(u.new_ref.id)));
      break;
    case UpdateKind::kOperandReplace:
      u.old_ref = instrs.operand(u.instr, u.operand).ref;
      u.previous_use = instrs.previous_use(u.instr, u.operand);
      instrs.set_operand(u.instr, u.operand, u.new_ref);
      break;
    case UpdateKind::kReplaceAllUses:
      u.operand = instrs.replace_all_uses(ValueId(u.old_ref.id), ValueId(u.new_ref.id));
      break;
    case UpdateKind::kTypeChange:
      u.old_ref.payload = instrs.type(ValueId(u.old_ref.id)).index();
      instrs.set_type(ValueId(u.old_ref.id), TypeId(static_cast<std::uint32_t>(u.new_ref.payload)));
      break;
    case UpdateKind::kLocationChange:
      u.old_ref.id = module.locations().of(u.instr).index();
      module.locations().set(u.instr, LocationId(u.new_ref.id));
      break;
    case UpdateKind::kNameChange:
      u.old_ref.payload = module.value_name(ValueId(u.old_ref.id)).index();
      module.set_value_name(ValueId(u.old_ref.id), AttrId(static_cast<std::uint32_t>(u.new_ref.payload)));
      break;
    case UpdateKind::kRegionDelete: cfg.erase_region(u.region); break;
    case UpdateKind::kBlockCreate: break;  // exists already
    case UpdateKind::kBlockDelete:
      if (!cfg.is_live(u.block)) throw StaleRefError("erase_block: the block was deleted already");
      u.region = cfg.region(u.block);
      u.previous_block = cfg.previous_block(u.block);
      cfg.erase_block(u.block);
      break;
    case UpdateKind::kBlockMove:
      if (!cfg.is_live(u.block)) throw StaleRefError("move_block: the block was deleted");
      u.old_region = cfg.region(u.block);
      u.old_previous_block = cfg.previous_block(u.block);
      cfg.move_block(u.block, u.region, u.previous_block);
      break;
    case UpdateKind::kInstrInsert:
      if (!instrs.is_live(u.instr)) throw StaleRefError("insert: the instruction was deleted");
      if (!cfg.is_live(u.block)) throw StaleRefError("insert: the block was deleted");
      if (u.at_end) u.previous = cfg.last(u.block);
      if (u.last) {
        if (!cfg.contains(u.block, u.last))
          throw UsageError("insert: the instruction behind is not in this block");
        u.previous = cfg.previous(u.block, u.last);
      }
      cfg.insert(u.block, u.previous, u.instr);
      break;
    case UpdateKind::kInstrRemove:
      if (!cfg.contains(u.block, u.instr)) throw UsageError("remove: the instruction is not in this block");
      u.previous = cfg.previous(u.block, u.instr);
      cfg.remove(u.block, u.instr);
      break;
    case UpdateKind::kBlockSplice:
      if (!cfg.is_live(u.block)) throw StaleRefError("splice: the target block was deleted");
      if (!cfg.contains(u.old_block, u.instr))
        throw UsageError("splice: the range is not in the source block");
      u.old_previous = cfg.previous(u.old_block, u.instr);
      cfg.splice(u.block, u.previous, u.old_block, u.instr, u.last);
      break;
  }
}

void revert(Module& module, const Update& u) {
  InstrStore& instrs = module.instrs();
  CfgStore& cfg = module.cfg();
  switch (u.kind) {
    case UpdateKind::kInstrCreate:
      for_own_regions(module, u.instr, [&](RegionId region) { cfg.set_owner(region, {}); });
      instrs.erase(u.instr);
      instrs.forget_erased();
      break;
    case UpdateKind::kRegionCreate: cfg.erase_region(u.region); break;
    case UpdateKind::kInstrDelete:
      instrs.restore(u.instr);
      for_own_regions(module, u.instr, [&](RegionId region) { cfg.set_owner(region, u.instr); });
      break;
    case UpdateKind::kOpcodeChange:
      instrs.set_opcode(u.instr, Opcode::from_raw(static_cast<std::uint16_t>(u.old_ref.id)));
      break;
    case UpdateKind::kOperandReplace:
      instrs.set_operand_at(u.instr, u.operand, u.old_ref, u.previous_use);
      break;
    case UpdateKind::kReplaceAllUses:
      instrs.move_first_uses(ValueId(u.new_ref.id), ValueId(u.old_ref.id), u.operand);
      break;
    case UpdateKind::kTypeChange:
      instrs.set_type(ValueId(u.old_ref.id), TypeId(static_cast<std::uint32_t>(u.old_ref.payload)));
      break;
    case UpdateKind::kLocationChange: module.locations().set(u.instr, LocationId(u.old_ref.id)); break;
    case UpdateKind::kNameChange:
      module.set_value_name(ValueId(u.old_ref.id), AttrId(static_cast<std::uint32_t>(u.old_ref.payload)));
      break;
    case UpdateKind::kRegionDelete: cfg.restore_region(u.region); break;
    case UpdateKind::kBlockCreate: cfg.erase_block(u.block); break;
    case UpdateKind::kBlockDelete: cfg.restore_block(u.block, u.region, u.previous_block); break;
    case UpdateKind::kBlockMove: cfg.move_block(u.block, u.old_region, u.old_previous_block); break;
    case UpdateKind::kInstrInsert: cfg.remove(u.block, u.instr); break;
    case UpdateKind::kInstrRemove: cfg.insert(u.block, u.previous, u.instr); break;
    case UpdateKind::kBlockSplice: cfg.splice(u.old_block, u.old_previous, u.block, u.instr, u.last); break;
  }
}

}  // namespace dynomite::ir
