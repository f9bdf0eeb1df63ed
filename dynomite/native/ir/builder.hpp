#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dynomite/native/ir/update_log.hpp"

namespace dynomite::ir {

/// Finds pure instructions by content. An entry is compared with the store when it is found, so instructions
/// may change and die behind the table; they only stop being found.
///
/// 16 bytes an entry at most half full. Expected constant time.
class ExpressionTable {
 public:
  /// A live instruction with this opcode and these operands that is visible at the end of `block`, or in
  /// front of `before`.
  InstrId find(const Module& module, Opcode opcode, std::span<const OperandSpec> operands, BlockId block,
               InstrId before) const;
  void add(const Module& module, InstrId instr);
  void clear();

 private:
  struct Entry {
    std::uint64_t hash = 0;
    InstrId instr;
    std::uint32_t generation = 0;
  };
  void grow();

  std::vector<Entry> slots_;
  std::size_t used_ = 0;
};

/// True if what `instr` defines may be used at the end of `block` or in front of `before` in it: `instr`
/// comes earlier in the block, or earlier in a block around it with no isolated region in between.
bool is_visible(const Module& module, InstrId instr, BlockId block, InstrId before);

/// A mutator with a place for new instructions, and a table to find old ones instead.
class Builder : public Mutator {
 public:
  using Mutator::Mutator;

  /// New instructions go in front of `before`, or to the end of `block` if that is none. Without a block they
  /// go nowhere.
  void set_place(BlockId block, InstrId before = {}) {
    block_ = block;
    before_ = before;
  }
  BlockId block() const { return block_; }
  InstrId before() const { return before_; }

  /// Merging: a pure instruction like an existing visible one is not made; the existing one is returned.
  void set_merging(bool merging) {
    merging_ = merging;
    table_.clear();
  }
  bool merging() const { return merging_; }
  std::uint64_t merged_count() const { return merged_; }

  /// The new instruction, or the equal one found. A location is united with that of the one found.
  InstrId build(Opcode opcode, std::span<const OperandSpec> operands, LocationId location = {});
  /// A new instruction in place of `old`: same place, united locations, uses of its values moved to those of
  /// the new one in order; `old` is deleted. The new one must define as many values (UsageError).
  InstrId replace(InstrId old, Opcode opcode, std::span<const OperandSpec> operands,
                  LocationId location = {});
  /// `old` made into this in place if it has the same number of operands and the same definitions, otherwise
  /// replaced.
  InstrId update(InstrId old, Opcode opcode, std::span<const OperandSpec> operands, LocationId location = {});

 private:
  BlockId block_;
  InstrId before_;
  bool merging_ = false;
  std::uint64_t merged_ = 0;
  ExpressionTable table_;
};

}  // namespace dynomite::ir
