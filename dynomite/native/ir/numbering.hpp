#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynomite/native/ir/update_log.hpp"

namespace dynomite::ir {

enum class NumberOrder : std::uint8_t {
  kBlocks,     // blocks as the region lists them
  kDominance,  // dominators first; unreachable blocks last
};

/// Numbers of the instructions directly in one region that grow along an order of its blocks and, in each,
/// along its instructions. An ObjMap with an invariant: it survives changes by consuming the update log, and
/// can tell which instructions have no number yet.
///
/// Asking for a number gives one to the instruction, between those of its neighbours while there is room,
/// else its block is numbered anew; after changes of blocks or terminators everything is. So insertions cost
/// amortised constant time a question. 8 bytes an instruction id.
class InstrNumbering {
 public:
  InstrNumbering(const Module& module, RegionId region, NumberOrder order);

  bool has_number(InstrId instr) const {
    return instr.index() < numbers_.size() && numbers_[instr.index()] != kUnnumbered;
  }
  /// Instructions of the region without a number, in order. Linear in the region.
  std::vector<InstrId> unnumbered() const;
  /// `instr` has to be in the region (UsageError).
  std::uint64_t number(InstrId instr);
  bool comes_before(InstrId a, InstrId b) { return number(a) < number(b); }

  /// Takes in updates that were done, or, if `reverted`, taken back.
  void consume(std::span<const Update> updates, bool reverted = false);
  /// How often a block or everything was numbered anew.
  std::uint64_t renumberings() const { return renumberings_; }

 private:
  static constexpr std::uint64_t kUnnumbered = 0xFFFFFFFFFFFFFFFFULL;
  static constexpr std::uint64_t kStride = 1U << 10;
  static constexpr std::uint64_t kLast = 0xFFFFFFFEU;  // of the lower half, which is the place in the block

  BlockId home(InstrId instr) const;
  void number_all();
  void number_block(BlockId block);
  /// Numbers the run of unnumbered instructions around `instr`; false if there is no room.
  bool fill_gap(BlockId block, InstrId instr);
  void set(InstrId instr, std::uint64_t number);
  std::uint64_t base(BlockId block) const { return std::uint64_t{positions_[block.index()]} << 32; }

  const Module& module_;
  RegionId region_;
  NumberOrder order_;
  bool stale_ = true;  // blocks have changed
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint32_t> positions_;  // by block
  std::uint64_t renumberings_ = 0;
};

}  // namespace dynomite::ir
