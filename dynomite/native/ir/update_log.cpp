#include "dynomite/native/ir/update_log.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

namespace {

Update make(UpdateKind kind) {
  Update update;
  update.kind = kind;
  return update;
}

bool is_creation(UpdateKind kind) {
  return kind == UpdateKind::kInstrCreate || kind == UpdateKind::kRegionCreate ||
         kind == UpdateKind::kBlockCreate;
}

/// Calls `each` for the regions that `instr` defines.
template <typename Each>
void for_own_regions(const Module& module, InstrId instr, Each each) {
  const std::uint32_t count = module.instrs().operand_count(instr);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand operand = module.instrs().operand(instr, i);
    if (operand.is_def && operand.ref.kind == kind::kRegion) each(RegionId(operand.ref.id));
  }
}

}  // namespace

void Mutator::perform(Update& update) {
  update.stamp = module_.stamp();
  apply(module_, update);
  stamp_ = module_.next_stamp();
}

void Mutator::record(Update update) {
  if (tracking_ == Tracking::kLazyUpdate) {
    log_.push_back(update);
    // The new object exists already, so the module differs.
    if (is_creation(update.kind)) {
      log_.back().stamp = module_.stamp();
      stamp_ = module_.next_stamp();
    }
    return;
  }
  perform(update);
  if (tracking_ == Tracking::kNone) return;
  log_.push_back(update);
  executed_ = log_.size();
  if (tracking_ == Tracking::kEager && listener_) listener_(update, false);
}

void Mutator::set_tracking(Tracking tracking) {
  if (executed_ < log_.size()) throw UsageError("set_tracking: recorded updates wait to be executed");
  tracking_ = tracking;
}

void Mutator::check_undisturbed() const {
  if (!log_.empty() && module_.stamp() != stamp_) {
    throw UsageError("the module was changed by another builder after these updates");
  }
}

void Mutator::apply(Module& module, Update& u) {
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

void Mutator::revert(Module& module, const Update& u) {
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

void Mutator::execute(std::size_t mark) {
  if (mark < executed_) mark = executed_;
  if (mark > executed_) throw UsageError("execute: earlier updates wait to be executed");
  std::vector<Update> pending(log_.begin() + static_cast<std::ptrdiff_t>(mark), log_.end());
  log_.resize(mark);
  // New objects came to be before anything else here happened.
  const auto rest = std::stable_partition(pending.begin(), pending.end(),
                                          [](const Update& update) { return is_creation(update.kind); });
  log_.insert(log_.end(), pending.begin(), rest);
  pending.erase(pending.begin(), rest);
  executed_ = log_.size();
  std::size_t next = 0;
  try {
    // Done one by one: an error leaves the log in step with the module.
    for (; next < pending.size(); ++next) {
      Update& update = pending[next];
      if (update.kind == UpdateKind::kInstrDelete) {
        // What was put into blocks meanwhile has to come out of them first.
        for (const BlockId block : module_.cfg().blocks_of(update.instr)) {
          Update removal = make(UpdateKind::kInstrRemove);
          removal.block = block;
          removal.instr = update.instr;
          perform(removal);
          log_.push_back(removal);
          executed_ = log_.size();
        }
      }
      perform(update);
      log_.push_back(update);
      executed_ = log_.size();
    }
  } catch (...) {
    log_.insert(log_.end(), pending.begin() + static_cast<std::ptrdiff_t>(next), pending.end());
    throw;
  }
}

void Mutator::rollback(std::size_t mark) {
  if (log_.size() <= mark) return;
  check_undisturbed();
  if (module_.instrs().kind() == StoreKind::kPool) {
    for (std::size_t i = mark; i < executed_; ++i) {
      if (log_[i].kind == UpdateKind::kInstrDelete)
        throw UsageError("rollback: a pool store forgets the instructions it deletes");
    }
  }
  while (log_.size() > mark) {
    const Update update = log_.back();
    const bool done = log_.size() <= executed_ || is_creation(update.kind);
    // What was only recorded has made nothing but the new objects themselves.
    if (done) {
      revert(module_, update);
      module_.restore_stamp(update.stamp);
      stamp_ = update.stamp;
    }
    log_.pop_back();
    executed_ = std::min(executed_, log_.size());
    if (done && tracking_ == Tracking::kEager && listener_) listener_(update, true);
  }
}

InstrId Mutator::create(Opcode opcode, std::span<const OperandSpec> operands, LocationId location) {
  CfgStore& cfg = module_.cfg();
  bool has_regions = false;
  for (const OperandSpec& spec : operands) {
    if (!spec.is_def || spec.ref.kind != kind::kRegion) continue;
    has_regions = true;
    const InstrId owner = cfg.owner(RegionId(spec.ref.id));
    if (owner && module_.instrs().is_live(owner)) {
      throw UsageError("create: a region belongs to another instruction already");
    }
  }
  const InstrId instr = module_.instrs().create(opcode, operands);
  if (has_regions) for_own_regions(module_, instr, [&](RegionId region) { cfg.set_owner(region, instr); });
  // A pool may have given out ids that something dead has left names and places for.
  if (location || module_.locations().of(instr)) module_.locations().set(instr, location);
  if (module_.instrs().kind() == StoreKind::kPool) {
    for (std::uint32_t i = 0; i < operands.size(); ++i) {
      const Operand made = module_.instrs().operand(instr, i);
      if (made.is_def && made.ref.kind == kind::kValue) module_.set_value_name(ValueId(made.ref.id), {});
    }
  }
  if (tracking_ == Tracking::kNone) {
    stamp_ = module_.next_stamp();
    return instr;
  }
  Update update = make(UpdateKind::kInstrCreate);
  update.instr = instr;
  record(update);
  return instr;
}

void Mutator::erase(InstrId instr) {
  // Before it leaves its blocks; what is only recorded is checked when it is done.
  if (tracking_ != Tracking::kLazyUpdate) module_.instrs().check_erasable(instr);
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

void Mutator::insert_before(BlockId block, InstrId next, InstrId instr) {
  Update update = make(UpdateKind::kInstrInsert);
  update.block = block;
  update.instr = instr;
  update.last = next;
  record(update);
}

void Mutator::append(BlockId block, InstrId instr) {
  if (tracking_ == Tracking::kNone) {
    CfgStore& cfg = module_.cfg();
    if (!module_.instrs().is_live(instr)) throw StaleRefError("insert: the instruction was deleted");
    if (!cfg.is_live(block)) throw StaleRefError("insert: the block was deleted");
    cfg.insert(block, cfg.last(block), instr);
    stamp_ = module_.next_stamp();
    return;
  }
  Update update = make(UpdateKind::kInstrInsert);
  update.block = block;
  update.instr = instr;
  update.at_end = true;
  record(update);
}

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
