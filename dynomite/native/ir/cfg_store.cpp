#include "dynomite/native/ir/cfg_store.hpp"

#include <algorithm>
#include <cassert>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

RegionId CfgStore::create_region(InstrId owner) {
  const RegionId region(region_bound());
  regions_.push_back({owner, {}, {}, true});
  return region;
}

BlockId CfgStore::create_block(RegionId region) {
  const BlockId block(block_bound());
  blocks_.emplace_back();
  ordered_.push_back(0);
  link_block(block, region, last_block(region));
  return block;
}

void CfgStore::link_block(BlockId block, RegionId region, BlockId previous) {
  Region& parent = regions_[region.index()];
  Block& own = blocks_[block.index()];
  own.region = region;
  own.previous = previous;
  own.next = previous ? blocks_[previous.index()].next : parent.first;
  (previous ? blocks_[previous.index()].next : parent.first) = block;
  (own.next ? blocks_[own.next.index()].previous : parent.last) = block;
}

void CfgStore::unlink_block(BlockId block) {
  Block& own = blocks_[block.index()];
  Region& parent = regions_[own.region.index()];
  (own.previous ? blocks_[own.previous.index()].next : parent.first) = own.next;
  (own.next ? blocks_[own.next.index()].previous : parent.last) = own.previous;
  own.region = {};
}

void CfgStore::move_block(BlockId block, RegionId region, BlockId previous) {
  if (block == previous) throw UsageError("move_block: a block cannot stand behind itself");
  if (previous && blocks_[previous.index()].region != region) {
    throw UsageError("move_block: the block before is in another region");
  }
  unlink_block(block);
  link_block(block, region, previous);
}

void CfgStore::erase_block(BlockId block) {
  if (!is_live(block)) throw StaleRefError("erase_block: the block was deleted already");
  if (blocks_[block.index()].count != 0) throw UsageError("erase_block: the block still holds instructions");
  unlink_block(block);
}

void CfgStore::restore_block(BlockId block, RegionId region, BlockId previous) {
  link_block(block, region, previous);
}

void CfgStore::erase_region(RegionId region) {
  if (!is_live(region)) throw StaleRefError("erase_region: the region was deleted already");
  if (first_block(region)) throw UsageError("erase_region: the region still holds blocks");
  regions_[region.index()].live = false;
}

std::vector<BlockId> CfgStore::blocks_of(InstrId instr) const {
  std::vector<BlockId> blocks;
  for_blocks_of(instr, [&](BlockId block) { blocks.push_back(block); });
  return blocks;
}

void CfgStore::link(BlockId block, std::uint32_t previous, std::uint32_t node) {
  Block& parent = blocks_[block.index()];
  Node& own = nodes_[node];
  own.block = block;
  own.previous = previous;
  own.next = previous != kNone ? nodes_[previous].next : parent.first;
  (previous != kNone ? nodes_[previous].next : parent.first) = node;
  (own.next != kNone ? nodes_[own.next].previous : parent.last) = node;
  ++parent.count;
  // Appending keeps the numbering of an ordered block.
  if (ordered_[block.index()] != 0 && own.next == kNone) {
    if (node >= order_.size()) order_.resize(nodes_.size(), 0);
    order_[node] = previous == kNone ? 0 : order_[previous] + 1;
  } else {
    ordered_[block.index()] = 0;
  }
}

void CfgStore::unlink(std::uint32_t node) {
  const Node& own = nodes_[node];
  Block& parent = blocks_[own.block.index()];
  (own.previous != kNone ? nodes_[own.previous].next : parent.first) = own.next;
  (own.next != kNone ? nodes_[own.next].previous : parent.last) = own.previous;
  --parent.count;
}

void CfgStore::insert(BlockId block, InstrId previous, InstrId instr) {
  if (!is_live(block)) throw StaleRefError("insert: the block was deleted");
  const RegionId own_region = region(block);
  for_blocks_of(instr, [&](BlockId other) {
    if (region(other) == own_region) throw UsageError("insert: the instruction is in this region already");
  });
  std::uint32_t before = kNone;
  if (previous) {
    before = find(block, previous);
    if (before == kNone) throw UsageError("insert: the instruction before is not in this block");
  }
  std::uint32_t node = free_node_;
  if (node != kNone) {
    free_node_ = nodes_[node].other;
    nodes_[node] = Node();
  } else {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    // Not left to readers once there is an order, as others may be reading it then.
    if (!order_.empty()) order_.push_back(0);
  }
  if (instr.index() >= first_membership_.size()) {
    first_membership_.resize(
        std::max<std::size_t>(instr.index() + std::size_t{1}, first_membership_.size() * 3 / 2), kNone);
  }
  nodes_[node].instr = instr;
  nodes_[node].other = first_membership_[instr.index()];
  first_membership_[instr.index()] = node;
  link(block, before, node);
}

void CfgStore::remove(BlockId block, InstrId instr) {
  const std::uint32_t node = find(block, instr);
  if (node == kNone) throw UsageError("remove: the instruction is not in this block");
  unlink(node);
  std::uint32_t* link_to = &first_membership_[instr.index()];
  while (*link_to != node) link_to = &nodes_[*link_to].other;
  *link_to = nodes_[node].other;
  nodes_[node] = Node();
  nodes_[node].other = free_node_;
  free_node_ = node;
}

void CfgStore::splice(BlockId target, InstrId previous, BlockId source, InstrId first, InstrId last) {
  const std::uint32_t first_node = find(source, first);
  const std::uint32_t last_node = find(source, last);
  if (first_node == kNone || last_node == kNone)
    throw UsageError("splice: the range is not in the source block");
  std::uint32_t behind = kNone;
  if (previous) {
    behind = find(target, previous);
    if (behind == kNone) throw UsageError("splice: the instruction before is not in the target block");
  }
  std::vector<std::uint32_t> range;
  for (std::uint32_t node = first_node;; node = nodes_[node].next) {
    if (node == kNone) throw UsageError("splice: the last instruction comes before the first");
    if (node == behind) throw UsageError("splice: the target place is inside the range");
    range.push_back(node);
    if (node == last_node) break;
  }
  if (region(target) != region(source)) {
    for (const std::uint32_t node : range) {
      for_blocks_of(nodes_[node].instr, [&](BlockId other) {
        if (region(other) == region(target))
          throw UsageError("splice: an instruction is in the target region already");
      });
    }
  }
  for (const std::uint32_t node : range) {
    unlink(node);
    link(target, behind, node);
    behind = node;
  }
  if (source != target) return;
  ordered_[source.index()] = 0;
}

void CfgStore::number_nodes(BlockId block) const {
  const std::lock_guard lock(ordering_);
  if (ordered(block).load(std::memory_order_relaxed) != 0) return;
  if (order_.empty()) order_.resize(nodes_.size(), 0);
  std::uint32_t number = 0;
  for (std::uint32_t node = blocks_[block.index()].first; node != kNone; node = nodes_[node].next) {
    order_[node] = number++;
  }
  ordered(block).store(1, std::memory_order_release);
}

bool CfgStore::comes_before(BlockId block, InstrId a, InstrId b) const {
  if (ordered(block).load(std::memory_order_acquire) == 0) number_nodes(block);
  const std::uint32_t node_a = find(block, a);
  const std::uint32_t node_b = find(block, b);
  assert(node_a != kNone && node_b != kNone);
  return order_[node_a] < order_[node_b];
}

std::size_t CfgStore::memory() const {
  return regions_.capacity() * sizeof(Region) + blocks_.capacity() * sizeof(Block) +
         nodes_.capacity() * sizeof(Node) + (first_membership_.capacity() + order_.capacity()) * 4 +
         ordered_.capacity();
}

}  // namespace dynomite::ir
