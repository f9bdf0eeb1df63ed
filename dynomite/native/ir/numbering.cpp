#include "dynomite/native/ir/numbering.hpp"

#include <algorithm>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/dominance.hpp"

namespace dynomite::ir {

InstrNumbering::InstrNumbering(const Module& module, RegionId region, NumberOrder order)
    : module_(module), region_(region), order_(order) {}

BlockId InstrNumbering::home(InstrId instr) const {
  for (const BlockId block : module_.cfg().blocks_of(instr)) {
    if (module_.cfg().region(block) == region_) return block;
  }
  throw UsageError("number: the instruction is not in this region");
}

std::vector<InstrId> InstrNumbering::unnumbered() const {
  std::vector<InstrId> result;
  const CfgStore& cfg = module_.cfg();
  for (BlockId block = cfg.first_block(region_); block; block = cfg.next_block(block)) {
    for (InstrId at = cfg.first(block); at; at = cfg.next(block, at)) {
      if (!has_number(at)) result.push_back(at);
    }
  }
  return result;
}

void InstrNumbering::set(InstrId instr, std::uint64_t number) {
  if (instr.index() >= numbers_.size()) {
    const std::size_t needed = std::max<std::size_t>(instr.index() + std::size_t{1}, numbers_.size() * 3 / 2);
    numbers_.resize(needed, kUnnumbered);
  }
  numbers_[instr.index()] = number;
}

void InstrNumbering::number_block(BlockId block) {
  ++renumberings_;
  const CfgStore& cfg = module_.cfg();
  const std::uint64_t count = cfg.instr_count(block);
  const std::uint64_t stride = std::max<std::uint64_t>(1, std::min(kStride, kLast / (count + 1)));
  std::uint64_t number = base(block);
  for (InstrId at = cfg.first(block); at; at = cfg.next(block, at)) set(at, number += stride);
}

void InstrNumbering::number_all() {
  const CfgStore& cfg = module_.cfg();
  numbers_.assign(module_.instrs().instr_bound(), kUnnumbered);
  positions_.assign(cfg.block_bound(), 0);
  std::vector<BlockId> blocks;
  if (order_ == NumberOrder::kDominance) {
    blocks = Dominance(module_).tree_order(region_);
  } else {
    for (BlockId block = cfg.first_block(region_); block; block = cfg.next_block(block)) {
      blocks.push_back(block);
    }
  }
  std::uint32_t position = 0;
  for (const BlockId block : blocks) {
    positions_[block.index()] = position++;
    number_block(block);
  }
  stale_ = false;
}

bool InstrNumbering::fill_gap(BlockId block, InstrId instr) {
  const CfgStore& cfg = module_.cfg();
  InstrId first = instr, last = instr;
  std::uint64_t run = 1;
  InstrId before = cfg.previous(block, first);
  for (; before && !has_number(before); before = cfg.previous(block, first)) {
    first = before;
    ++run;
  }
  InstrId after = cfg.next(block, last);
  for (; after && !has_number(after); after = cfg.next(block, last)) {
    last = after;
    ++run;
  }
  const std::uint64_t low = before ? numbers_[before.index()] : base(block);
  const std::uint64_t high = after ? numbers_[after.index()] : base(block) + kLast;
  if (high - low <= run) return false;
  // At the end of a block the numbers go on as if it were numbered anew.
  const std::uint64_t step = std::min(kStride, (high - low) / (run + 1));
  if (step == 0) return false;
  std::uint64_t number = low;
  for (InstrId at = first;; at = cfg.next(block, at)) {
    set(at, number += step);
    if (at == last) return true;
  }
}

std::uint64_t InstrNumbering::number(InstrId instr) {
  const BlockId block = home(instr);
  if (stale_ || block.index() >= positions_.size()) number_all();
  if (!has_number(instr) && !fill_gap(block, instr)) number_block(block);
  return numbers_[instr.index()];
}

void InstrNumbering::consume(std::span<const Update> updates, bool reverted) {
  const auto drop = [&](InstrId instr) {
    if (has_number(instr)) numbers_[instr.index()] = kUnnumbered;
  };
  const auto steers = [&](InstrId instr) {
    return instr && (!module_.instrs().is_live(instr) || (module_.traits(instr) & kTerminator) != 0);
  };
  // Control flow is changed by terminators, by what comes to stand behind them, and by operands that are
  // blocks.
  const auto touch = [&](const Update& u) {
    drop(u.instr);
    stale_ = stale_ || (order_ == NumberOrder::kDominance && (steers(u.instr) || steers(u.previous)));
  };
  for (const Update& u : updates) {
    switch (u.kind) {
      case UpdateKind::kInstrInsert:
      case UpdateKind::kInstrRemove: touch(u); break;
      case UpdateKind::kInstrDelete: drop(u.instr); break;
      case UpdateKind::kOpcodeChange: stale_ = stale_ || order_ == NumberOrder::kDominance; break;
      case UpdateKind::kOperandReplace:
        if (u.old_ref.kind == kind::kBlock || u.new_ref.kind == kind::kBlock) {
          stale_ = stale_ || order_ == NumberOrder::kDominance;
        }
        break;
      case UpdateKind::kBlockCreate:
      case UpdateKind::kBlockDelete:
      case UpdateKind::kBlockMove:
      case UpdateKind::kBlockSplice: stale_ = true; break;
      case UpdateKind::kInstrCreate:
        if (reverted) drop(u.instr);
        break;
      case UpdateKind::kReplaceAllUses:
      case UpdateKind::kTypeChange:
      case UpdateKind::kLocationChange:
      case UpdateKind::kNameChange:
      case UpdateKind::kRegionCreate:
      case UpdateKind::kRegionDelete: break;
    }
  }
}

}  // namespace dynomite::ir
