#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "dynomite/native/ir/module.hpp"
#include "dynomite/native/ir/update.hpp"

namespace dynomite::ir {

/// What builders do with a mutation.
enum class Tracking : std::uint8_t {
  kNone,          // do it
  kLazyTracking,  // do it and record it
  kLazyUpdate,    // record it; `execute` does it later (new instructions exist at once, outside of blocks)
  kEager,         // do it, record it and tell the listeners
};

/// The only code that changes a module. Every mutation is recorded as an `Update` if tracking says so;
/// `rollback` takes recorded mutations back, latest first, and restores text, use lists and order exactly.
///
/// Deleting needs an arena kind of store for rollback (a pool forgets what it deletes: UsageError). So does
/// undisturbed history: rollback throws UsageError if somebody else changed the module after the log.
class Mutator {
 public:
  explicit Mutator(Module& module, Tracking tracking = Tracking::kLazyTracking)
      : module_(module), tracking_(tracking) {}

  virtual ~Mutator() = default;
  Mutator(const Mutator&) = delete;
  Mutator& operator=(const Mutator&) = delete;

  InstrId create(Opcode opcode, std::span<const OperandSpec> operands, LocationId location = {});
  /// Removes it from its blocks first. Regions it owns must be gone or empty.
  void erase(InstrId instr);
  void set_opcode(InstrId instr, Opcode opcode);
  void set_operand(InstrId instr, std::uint32_t index, FatDynObjRef ref);
  void replace_all_uses(ValueId from, ValueId to);
  void set_type(ValueId value, TypeId type);
  void set_location(InstrId instr, LocationId location);
  void set_value_name(ValueId value, AttrId name);
  RegionId create_region(InstrId owner = {});
  void erase_region(RegionId region);
  BlockId create_block(RegionId region);
  void erase_block(BlockId block);
  void move_block(BlockId block, RegionId region, BlockId previous);
  void insert(BlockId block, InstrId previous, InstrId instr);
  void insert_before(BlockId block, InstrId next, InstrId instr);
  void append(BlockId block, InstrId instr);
  void remove(BlockId block, InstrId instr);
  void splice(BlockId target, InstrId previous, BlockId source, InstrId first, InstrId last);

  Tracking tracking() const { return tracking_; }
  Module& module() { return module_; }

  /// Recorded updates since the start or the last `clear_log`.
  const std::vector<Update>& log() const { return log_; }
  std::size_t mark() const { return log_.size(); }
  /// kLazyUpdate: does what is recorded from `mark` on. Marks inside of that mean nothing afterwards: the log
  /// tells of new objects first, and of what deletions entail.
  void execute(std::size_t mark = 0);
  /// Takes back (or, if not executed yet, forgets) everything recorded since `mark`.
  void rollback(std::size_t mark = 0);
  /// Number of log entries that have been done.
  std::size_t executed() const { return executed_; }
  void clear_log() {
    log_.clear();
    executed_ = 0;
  }
  /// Throws UsageError with updates pending.
  void set_tracking(Tracking tracking);
  /// Called after each update done (`reverted` false) or taken back (true) in mode kEager.
  using Listener = std::function<void(const Update& update, bool reverted)>;
  void set_listener(Listener listener) { listener_ = std::move(listener); }

 private:
  void record(Update update);
  void perform(Update& update);
  void check_undisturbed() const;

  Module& module_;
  Tracking tracking_;
  std::vector<Update> log_;
  std::size_t executed_ = 0;  // log entries that have been applied
  std::uint64_t stamp_ = 0;   // of the module after the last entry applied
  Listener listener_;
};

}  // namespace dynomite::ir
