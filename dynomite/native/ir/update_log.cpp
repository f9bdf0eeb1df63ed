#include "dynomite/native/ir/update_log.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/walk.hpp"

namespace dynomite::ir {

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
          Update removal{.kind = UpdateKind::kInstrRemove, .instr = update.instr, .block = block};
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
  record({.kind = UpdateKind::kInstrCreate, .instr = instr});
  return instr;
}

void Mutator::erase(InstrId instr) {
  if (tracking_ == Tracking::kNone) {
    module_.instrs().check_erasable(instr);
    while (const BlockId block = module_.cfg().block_of(instr)) module_.cfg().remove(block, instr);
    module_.instrs().erase_checked(instr);
    stamp_ = module_.next_stamp();
    return;
  }
  if (tracking_ == Tracking::kLazyUpdate) {
    // What is only recorded is checked when it is done; it stays in its blocks until then.
    for (const BlockId block : module_.cfg().blocks_of(instr)) remove(block, instr);
  } else {
    // Before it leaves its blocks.
    module_.instrs().check_erasable(instr);
    while (const BlockId block = module_.cfg().block_of(instr)) remove(block, instr);
  }
  record({.kind = UpdateKind::kInstrDelete, .instr = instr});
}

void Mutator::set_opcode(InstrId instr, Opcode opcode) {
  record({.kind = UpdateKind::kOpcodeChange, .instr = instr, .new_ref = {{}, opcode.raw()}});
}

void Mutator::set_operand(InstrId instr, std::uint32_t index, FatDynObjRef ref) {
  record({.kind = UpdateKind::kOperandReplace, .instr = instr, .operand = index, .new_ref = ref});
}

void Mutator::replace_all_uses(ValueId from, ValueId to) {
  if (tracking_ == Tracking::kNone) {
    module_.instrs().replace_all_uses(from, to);
    stamp_ = module_.next_stamp();
    return;
  }
  record({.kind = UpdateKind::kReplaceAllUses,
          .old_ref = {kind::kValue, from.index()},
          .new_ref = {kind::kValue, to.index()}});
}

void Mutator::set_type(ValueId value, TypeId type) {
  record({.kind = UpdateKind::kTypeChange,
          .old_ref = {kind::kValue, value.index()},
          .new_ref = {kind::kValue, value.index(), type.index()}});
}

void Mutator::set_location(InstrId instr, LocationId location) {
  record({.kind = UpdateKind::kLocationChange, .instr = instr, .new_ref = {{}, location.index()}});
}

void Mutator::set_value_name(ValueId value, AttrId name) {
  record({.kind = UpdateKind::kNameChange,
          .old_ref = {kind::kValue, value.index()},
          .new_ref = {kind::kValue, value.index(), name.index()}});
}

RegionId Mutator::create_region(InstrId owner) {
  const RegionId region = module_.cfg().create_region(owner);
  record({.kind = UpdateKind::kRegionCreate, .region = region});
  return region;
}

void Mutator::erase_region(RegionId region) { record({.kind = UpdateKind::kRegionDelete, .region = region}); }

BlockId Mutator::create_block(RegionId region) {
  const BlockId block = module_.cfg().create_block(region);
  record({.kind = UpdateKind::kBlockCreate, .block = block});
  return block;
}

void Mutator::erase_block(BlockId block) { record({.kind = UpdateKind::kBlockDelete, .block = block}); }

void Mutator::move_block(BlockId block, RegionId region, BlockId previous) {
  record({.kind = UpdateKind::kBlockMove, .region = region, .block = block, .previous_block = previous});
}

void Mutator::insert(BlockId block, InstrId previous, InstrId instr) {
  record({.kind = UpdateKind::kInstrInsert, .instr = instr, .block = block, .previous = previous});
}

void Mutator::insert_before(BlockId block, InstrId next, InstrId instr) {
  if (tracking_ == Tracking::kNone) {
    CfgStore& cfg = module_.cfg();
    if (!module_.instrs().is_live(instr)) throw StaleRefError("insert: the instruction was deleted");
    if (!cfg.is_live(block)) throw StaleRefError("insert: the block was deleted");
    if (!cfg.contains(block, next)) throw UsageError("insert: the instruction behind is not in this block");
    cfg.insert(block, cfg.previous(block, next), instr);
    stamp_ = module_.next_stamp();
    return;
  }
  record({.kind = UpdateKind::kInstrInsert, .instr = instr, .block = block, .last = next});
}

void Mutator::append(BlockId block, InstrId instr) {
  // The way of all building without a log: no update is made.
  if (tracking_ == Tracking::kNone) {
    CfgStore& cfg = module_.cfg();
    if (!module_.instrs().is_live(instr)) throw StaleRefError("insert: the instruction was deleted");
    if (!cfg.is_live(block)) throw StaleRefError("insert: the block was deleted");
    cfg.insert(block, cfg.last(block), instr);
    stamp_ = module_.next_stamp();
    return;
  }
  record({.kind = UpdateKind::kInstrInsert, .instr = instr, .block = block, .at_end = true});
}

void Mutator::remove(BlockId block, InstrId instr) {
  record({.kind = UpdateKind::kInstrRemove, .instr = instr, .block = block});
}

void Mutator::splice(BlockId target, InstrId previous, BlockId source, InstrId first, InstrId last) {
  record({.kind = UpdateKind::kBlockSplice,
          .instr = first,
          .block = target,
          .old_block = source,
          .previous = previous,
          .last = last});
}

}  // namespace dynomite::ir
