#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dmt_dialect/native/aig/lit.hpp"
#include "dynomite/native/base/shared_array.hpp"

namespace dmt {

struct Node;

/// Structural hash: open addressing with linear probing, 4 bytes a slot, at most 3/4 full; a slot of 0 is
/// empty (the constant is never hashed). Keys live in the node array. A slot holds a node id in its lower
/// bits and in the bits above, as far as ids leave them free, a part of the key's hash: most probes of other
/// keys' slots are settled without a look at the node.
class Strash {
 public:
  bool active() const { return !slots_.empty(); }
  std::size_t memory() const { return slots_.memory(); }
  /// Number of nodes in the table.
  std::size_t size() const { return used_; }
  void clear();
  /// Hashes all AND nodes, with room for `more` further ones; of equal nodes the first wins. Linear.
  void build(std::span<const Node> nodes, std::size_t more = 0);
  /// Whether `more` further nodes fit without a rebuild.
  bool has_room_for(std::span<const Node> nodes, std::size_t more) const {
    return has_room(used_ + more, nodes.size() + more);
  }
  /// Room for `more` further nodes without a rebuild.
  void reserve(std::span<const Node> nodes, std::size_t more);
  /// Result of a search: the node, or the constant node and the free slot where the search ended.
  struct Place {
    NodeId node;
    std::uint32_t tag;
    std::size_t slot;
  };
  /// Looks for the AND with these fanins, in either order.
  Place find(std::span<const Node> nodes, Lit fanin0, Lit fanin1) const {
    const std::uint64_t key_hash = hash(fanin0, fanin1);
    const std::uint32_t tag = tag_of(key_hash);
    std::size_t slot = slot_of(key_hash);
    for (;;) {
      const std::uint32_t entry = slots_[slot];
      if (entry == 0) return {kConstNode, tag, slot};
      if ((entry & ~id_mask_) == tag && matches(nodes, entry & id_mask_, fanin0, fanin1)) {
        return {NodeId(entry & id_mask_), tag, slot};
      }
      if (++slot == slots_.size()) slot = 0;
    }
  }
  /// Adds a node that `find` did not find, at the place it gave. `nodes` includes it.
  void insert(std::span<const Node> nodes, const Place& place, NodeId id) {
    if (!has_room(used_ + 1, nodes.size())) {
      build(nodes);  // takes `id` in as well
      return;
    }
    slots_.mutable_data()[place.slot] = id.index() | place.tag;
    ++used_;
  }
  /// Asks the cache for the slot of these fanins; for bulk building.
  void prefetch(Lit fanin0, Lit fanin1) const {
    __builtin_prefetch(slots_.data() + slot_of(hash(fanin0, fanin1)));
  }

 private:
  /// The same for both orders of the fanins.
  static std::uint64_t hash(Lit fanin0, Lit fanin1) {
    const std::uint32_t high = fanin0.raw() > fanin1.raw() ? fanin0.raw() : fanin1.raw();
    const std::uint32_t low = fanin0.raw() ^ fanin1.raw() ^ high;
    std::uint64_t key = (std::uint64_t{high} << 32) | low;
    key *= 0x9E3779B97F4A7C15ULL;
    key ^= key >> 32;
    return key * 0xD6E8FEB86659FD93ULL;
  }
  /// Maps the upper half to [0, size) by multiplication: any table size will do.
  std::size_t slot_of(std::uint64_t hash) const {
    return static_cast<std::size_t>(((hash >> 32) * slots_.size()) >> 32);
  }
  /// The tag comes from the lower half, which does not choose the slot.
  std::uint32_t tag_of(std::uint64_t hash) const { return static_cast<std::uint32_t>(hash) & ~id_mask_; }
  static bool matches(std::span<const Node> nodes, std::uint32_t index, Lit fanin0, Lit fanin1);
  /// True if the table can take `count` nodes with ids below `limit`.
  bool has_room(std::size_t count, std::size_t limit) const {
    return count * 4 <= slots_.size() * 3 && limit <= std::size_t{id_mask_} + 1;
  }

  dynomite::SharedArray<std::uint32_t> slots_;
  std::size_t used_ = 0;
  std::uint32_t id_mask_ = 0;
};

}  // namespace dmt
