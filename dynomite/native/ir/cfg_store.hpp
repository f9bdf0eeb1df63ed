#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "dynomite/native/base/large_pages.hpp"
#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

/// Order and nesting on top of instructions: regions hold blocks in order, blocks hold instructions in
/// order. An instruction may be in no block, in one, or in several regions (versions of the same code), but
/// only once in a region. A region may belong to an instruction.
///
/// Lists are linked by index: 20 bytes a membership and 4 an instruction. Insertion, removal and
/// neighbours cost constant time; `comes_before` renumbers a block when it changed (amortised by use).
class CfgStore {
 public:
  RegionId create_region(InstrId owner = {});
  BlockId create_block(RegionId region);
  /// Behind `previous`, first if that is none.
  void move_block(BlockId block, RegionId region, BlockId previous);
  /// Must be empty (UsageError).
  void erase_block(BlockId block);
  /// Must be empty (UsageError).
  void erase_region(RegionId region);
  /// Takes an erase back.
  void restore_block(BlockId block, RegionId region, BlockId previous);
  void restore_region(RegionId region) { regions_[region.index()].live = true; }

  bool is_live(RegionId region) const {
    return region.index() < regions_.size() && regions_[region.index()].live;
  }
  bool is_live(BlockId block) const {
    return block.index() < blocks_.size() && blocks_[block.index()].region;
  }
  InstrId owner(RegionId region) const { return regions_[region.index()].owner; }
  void set_owner(RegionId region, InstrId owner) { regions_[region.index()].owner = owner; }
  BlockId first_block(RegionId region) const { return regions_[region.index()].first; }
  BlockId last_block(RegionId region) const { return regions_[region.index()].last; }
  BlockId next_block(BlockId block) const { return blocks_[block.index()].next; }
  BlockId previous_block(BlockId block) const { return blocks_[block.index()].previous; }
  RegionId region(BlockId block) const { return blocks_[block.index()].region; }
  std::uint32_t instr_count(BlockId block) const { return blocks_[block.index()].count; }

  InstrId first(BlockId block) const { return instr_at(blocks_[block.index()].first); }
  InstrId last(BlockId block) const { return instr_at(blocks_[block.index()].last); }
  /// Neighbours of `instr`, which must be in `block`; none at the ends.
  InstrId next(BlockId block, InstrId instr) const { return instr_at(nodes_[find(block, instr)].next); }
  InstrId previous(BlockId block, InstrId instr) const {
    return instr_at(nodes_[find(block, instr)].previous);
  }
  bool contains(BlockId block, InstrId instr) const { return find(block, instr) != kNone; }
  /// The block of the first membership of `instr`; none if it is in no block.
  BlockId block_of(InstrId instr) const {
    const std::uint32_t node = first_membership(instr);
    return node == kNone ? BlockId() : nodes_[node].block;
  }
  /// More than one block holds it.
  bool is_shared(InstrId instr) const {
    const std::uint32_t node = first_membership(instr);
    return node != kNone && nodes_[node].other != kNone;
  }
  /// Calls `each(BlockId)` for all blocks that hold `instr`; `each` must not change them.
  template <typename Each>
  void for_blocks_of(InstrId instr, Each each) const {
    for (std::uint32_t node = first_membership(instr); node != kNone; node = nodes_[node].other) {
      each(nodes_[node].block);
    }
  }
  /// All blocks that hold `instr`.
  std::vector<BlockId> blocks_of(InstrId instr) const;

  /// Behind `previous`, which must be in `block`; first if it is none. Throws UsageError if `instr` is in
  /// the region of `block` already.
  void insert(BlockId block, InstrId previous, InstrId instr);
  void remove(BlockId block, InstrId instr);
  /// Moves the instructions from `first` to `last` of `source` behind `previous` of `target` (which must be
  /// outside of that range). Linear in the range.
  void splice(BlockId target, InstrId previous, BlockId source, InstrId first, InstrId last);

  /// Both in `block`. Constant time if the block has not changed since the last call.
  bool comes_before(BlockId block, InstrId a, InstrId b) const;

  std::uint32_t region_bound() const { return static_cast<std::uint32_t>(regions_.size()); }
  std::uint32_t block_bound() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  struct Node {
    InstrId instr;
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    BlockId block;
    std::uint32_t other = kNone;  // the next membership of the same instruction, or the next free node
  };
  struct Block {
    RegionId region;  // none: dead
    BlockId previous, next;
    std::uint32_t first = kNone, last = kNone;
    std::uint32_t count = 0;
  };
  struct Region {
    InstrId owner;
    BlockId first, last;
    bool live = true;
  };

  InstrId instr_at(std::uint32_t node) const { return node == kNone ? InstrId() : nodes_[node].instr; }
  std::uint32_t first_membership(InstrId instr) const {
    return instr.index() < first_membership_.size() ? first_membership_[instr.index()] : kNone;
  }
  std::uint32_t find(BlockId block, InstrId instr) const {
    std::uint32_t node = first_membership(instr);
    while (node != kNone && nodes_[node].block != block) node = nodes_[node].other;
    return node;
  }
  std::atomic_ref<std::uint8_t> ordered(BlockId block) const {
    return std::atomic_ref<std::uint8_t>(ordered_[block.index()]);
  }
  void number_nodes(BlockId block) const;
  void link(BlockId block, std::uint32_t previous, std::uint32_t node);
  void unlink(std::uint32_t node);
  void link_block(BlockId block, RegionId region, BlockId previous);
  void unlink_block(BlockId block);

  std::vector<Region> regions_;
  std::vector<Block> blocks_;
  LargeVector<Node> nodes_;
  std::uint32_t free_node_ = kNone;
  LargeVector<std::uint32_t> first_membership_;  // by instruction
  mutable LargeVector<std::uint32_t> order_;     // by node
  // By block: order_ is right for all its nodes. Readers on several threads may find that it is not.
  mutable std::vector<std::uint8_t> ordered_;
  struct Mutex : std::mutex {
    Mutex() = default;
    Mutex(const Mutex&) {}  // NOLINT: of one store each
    Mutex& operator=(const Mutex&) { return *this; }
  };
  mutable Mutex ordering_;
};

}  // namespace dynomite::ir
