#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dmt_dialect/native/bdd/bdd_edge.hpp"
#include "dmt_dialect/native/bdd/page_array.hpp"

namespace dmt {

/// Finds nodes by level and arcs: open addressing with linear probing, 8 bytes a slot (hash and id, so that
/// other keys' slots are passed without a look at their nodes), at most 5/8 full. The place comes from the
/// top bits of the stored hash: growing and filtering go through memory from front to back and look at no
/// node.
class UniqueTable {
 public:
  UniqueTable() : slots_(std::size_t{1} << kFirstBits), bits_(kFirstBits) {}

  static std::uint32_t hash(std::uint32_t level, BddEdge high, BddEdge low) {
    const std::uint64_t key = (std::uint64_t{high.raw()} << 32) | low.raw();
    return static_cast<std::uint32_t>(
        fold_product(key ^ 0x9E3779B97F4A7C15ULL, (std::uint64_t{level} << 20) + 0xD6E8FEB86659FD93ULL));
  }
  /// The node's id and its slot, or 0 and the free slot for it.
  std::pair<std::uint32_t, std::size_t> find(const BddNode* nodes, std::uint32_t hash, std::uint32_t level,
                                             BddEdge high, BddEdge low) const {
    std::size_t slot = place(hash);
    for (;; slot = (slot + 1) & mask()) {
      const std::uint64_t entry = slots_[slot];
      if (entry == 0) return {0, slot};
      if (static_cast<std::uint32_t>(entry >> 32) != hash) continue;
      const auto id = static_cast<std::uint32_t>(entry);
      const BddNode& node = nodes[id];
      if (node.high == high && node.low == low && node.level == level) return {id, slot};
    }
  }
  void put(std::size_t slot, std::uint32_t hash, std::uint32_t id) {
    slots_[slot] = (std::uint64_t{hash} << 32) | id;
  }
  /// For nodes known to be new.
  void add(std::uint32_t hash, std::uint32_t id) { put(free_slot(hash), hash, id); }
  std::size_t free_slot(std::uint32_t hash) const {
    std::size_t slot = place(hash);
    while (slots_[slot] != 0) slot = (slot + 1) & mask();
    return slot;
  }
  void prefetch(std::uint32_t hash) const { __builtin_prefetch(slots_.data() + place(hash)); }
  /// How many nodes it takes at its present size.
  std::size_t room() const { return slots_.size() / 8 * 5; }
  void grow() {
    rebuild(bits_ + 1, [](std::uint32_t) { return true; });
  }
  /// Keeps the nodes that are alive.
  template <typename Alive>
  void filter(Alive alive) {
    rebuild(bits_, alive);
  }
  void clear() { std::fill_n(slots_.data(), slots_.size(), std::uint64_t{0}); }
  std::size_t memory() const { return slots_.memory(); }

 private:
  static constexpr unsigned kFirstBits = 12;
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t place(std::uint32_t hash) const { return hash >> (32 - bits_); }
  template <typename Alive>
  void rebuild(unsigned bits, Alive alive) {
    PageArray<std::uint64_t> old(std::size_t{1} << bits);
    std::swap(old, slots_);
    bits_ = bits;
    for (std::size_t i = 0; i < old.size(); ++i) {
      const std::uint64_t entry = old[i];
      if (entry == 0 || !alive(static_cast<std::uint32_t>(entry))) continue;
      slots_[free_slot(static_cast<std::uint32_t>(entry >> 32))] = entry;
    }
  }

  PageArray<std::uint64_t> slots_;
  unsigned bits_;
};

}  // namespace dmt
