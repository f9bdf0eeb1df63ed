#include "dynomite/native/ir/update_log.hpp"

#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

namespace {

Update make(UpdateKind kind) {
  Update update;
  update.kind = kind;
  return update;
}

}  // namespace

void Mutator::record(Update update) {
  if (tracking_ == Tracking::kLazyUpdate) {
    log_.push_back(update);
    return;
  }
  apply(module_, update);
  if (tracking_ == Tracking::kNone) return;
  log_.push_back(update);
  executed_ = log_.size();
}

void Mutator::apply(Module& module, Update& u) {
  InstrStore& instrs = module.instrs();
  CfgStore& cfg = module.cfg();
  switch (u.kind) {
    case UpdateKind::kInstrCreate:
    case UpdateKind::kRegionCreate: break;  // exists already
    case UpdateKind::kInstrDelete: instrs.erase(u.instr); break;
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
      u.operand = static_cast<std::uint32_t>(
          instrs.replace_all_uses(ValueId(u.old_ref.id), ValueId(u.new_ref.id)).size());
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
      u.region = cfg.region(u.block);
      u.previous_block = cfg.previous_block(u.block);
      cfg.erase_block(u.block);
      break;
    case UpdateKind::kBlockMove:
      u.old_region = cfg.region(u.block);
      u.old_previous_block = cfg.previous_block(u.block);
      cfg.move_block(u.block, u.region, u.previous_block);
      break;
    case UpdateKind::kInstrInsert: cfg.insert(u.block, u.previous, u.instr); break;
    case UpdateKind::kInstrRemove:
      u.previous = cfg.previous(u.block, u.instr);
      cfg.remove(u.block, u.instr);
      break;
    case UpdateKind::kBlockSplice:
      u.old_previous = cfg.previous(u.old_block, u.instr);
      cfg.splice(u.block, u.previous, u.old_block, u.instr, u.last);
      break;
  }
}

void Mutator::revert(Module& module, const Update& u) {
  InstrStore& instrs = module.instrs();
  CfgStore& cfg = module.cfg();
  switch (u.kind) {
    case UpdateKind::kInstrCreate: instrs.erase(u.instr); break;
    case UpdateKind::kRegionCreate: cfg.erase_region(u.region); break;
    case UpdateKind::kInstrDelete: instrs.restore(u.instr); break;
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

void Mutator::execute(std::size_t mark) {
  if (mark < executed_) throw UsageError("execute: these updates were executed already");
  // Applied one by one: an error leaves the log in step with the module.
  for (std::size_t i = mark; i < log_.size(); ++i) {
    apply(module_, log_[i]);
    executed_ = i + 1;
  }
}

void Mutator::rollback(std::size_t mark) {
  while (log_.size() > mark) {
    const Update update = log_.back();
    const bool exists = update.kind == UpdateKind::kInstrCreate || update.kind == UpdateKind::kRegionCreate ||
                        update.kind == UpdateKind::kBlockCreate;
    // What was only recorded has made nothing but the new objects themselves.
    if (log_.size() <= executed_ || exists) revert(module_, update);
    log_.pop_back();
    if (executed_ > log_.size()) executed_ = log_.size();
  }
}

InstrId Mutator::create(Opcode opcode, std::span<const OperandSpec> operands, LocationId location) {
  const InstrId instr = module_.instrs().create(opcode, operands);
  for (const OperandSpec& spec : operands) {
    if (spec.is_def && spec.ref.kind == kind::kRegion) module_.cfg().set_owner(RegionId(spec.ref.id), instr);
  }
  if (location) module_.locations().set(instr, location);
  Update update = make(UpdateKind::kInstrCreate);
  update.instr = instr;
  record(update);
  return instr;
}

void Mutator::erase(InstrId instr) {
  for (const BlockId block : module_.cfg().blocks_of(instr)) remove(block, instr);
  Update update = make(UpdateKind::kInstrDelete);
  update.instr = instr;
  record(update);
}

void Mutator::set_opcode(InstrId instr, Opcode opcode) {
  Update update = make(UpdateKind::kOpcodeChange);
  update.instr = instr;
  update.new_ref.id = opcode.raw();
  record(update);
}

void Mutator::set_operand(InstrId instr, std::uint32_t index, FatDynObjRef ref) {
  Update update = make(UpdateKind::kOperandReplace);
  update.instr = instr;
  update.operand = index;
  update.new_ref = ref;
  record(update);
}

void Mutator::replace_all_uses(ValueId from, ValueId to) {
  Update update = make(UpdateKind::kReplaceAllUses);
  update.old_ref = {kind::kValue, from.index()};
  update.new_ref = {kind::kValue, to.index()};
  record(update);
}

void Mutator::set_type(ValueId value, TypeId type) {
  Update update = make(UpdateKind::kTypeChange);
  update.old_ref = {kind::kValue, value.index()};
  update.new_ref = {kind::kValue, value.index(), type.index()};
  record(update);
}

void Mutator::set_location(InstrId instr, LocationId location) {
  Update update = make(UpdateKind::kLocationChange);
  update.instr = instr;
  update.new_ref.id = location.index();
  record(update);
}

void Mutator::set_value_name(ValueId value, AttrId name) {
  Update update = make(UpdateKind::kNameChange);
  update.old_ref = {kind::kValue, value.index()};
  update.new_ref = {kind::kValue, value.index(), name.index()};
  record(update);
}

RegionId Mutator::create_region(InstrId owner) {
  Update update = make(UpdateKind::kRegionCreate);
  update.region = module_.cfg().create_region(owner);
  record(update);
  return update.region;
}

void Mutator::erase_region(RegionId region) {
  Update update = make(UpdateKind::kRegionDelete);
  update.region = region;
  record(update);
}

BlockId Mutator::create_block(RegionId region) {
  Update update = make(UpdateKind::kBlockCreate);
  update.block = module_.cfg().create_block(region);
  record(update);
  return update.block;
}

void Mutator::erase_block(BlockId block) {
  Update update = make(UpdateKind::kBlockDelete);
  update.block = block;
  record(update);
}

void Mutator::move_block(BlockId block, RegionId region, BlockId previous) {
  Update update = make(UpdateKind::kBlockMove);
  update.block = block;
  update.region = region;
  update.previous_block = previous;
  record(update);
}

void Mutator::insert(BlockId block, InstrId previous, InstrId instr) {
  Update update = make(UpdateKind::kInstrInsert);
  update.block = block;
  update.previous = previous;
  update.instr = instr;
  record(update);
}

void Mutator::append(BlockId block, InstrId instr) { insert(block, module_.cfg().last(block), instr); }

void Mutator::remove(BlockId block, InstrId instr) {
  Update update = make(UpdateKind::kInstrRemove);
  update.block = block;
  update.instr = instr;
  record(update);
}

void Mutator::splice(BlockId target, InstrId previous, BlockId source, InstrId first, InstrId last) {
  Update update = make(UpdateKind::kBlockSplice);
  update.block = target;
  update.previous = previous;
  update.old_block = source;
  update.instr = first;
  update.last = last;
  record(update);
}

}  // namespace dynomite::ir
