#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dmt_dialect/native/bdd/bdd_edge.hpp"
#include "dmt_dialect/native/bdd/page_array.hpp"

namespace dmt {

/// Results of operations by operands, lossy. 16 bytes an entry, two entries a bucket: the newer comes first,
/// so that an entry in use survives one collision. The place comes from the top bits of the hash, so a table
/// of twice the size is filled from front to back.
///
/// The third word of a key is an operand (`ite`), or a tag of a binary operation, or an operand with
/// `kTernary` (a relational product).
class OpCache {
 public:
  static constexpr std::uint32_t kTernary = 0x80000000U;
  /// Third words from here on are tags.
  static constexpr std::uint32_t kFirstTag = 0xFFFFFF00U;
  /// Of tags from here on the second word is no edge.
  static constexpr std::uint32_t kFirstNumbered = 0xFFFFFF80U;

  explicit OpCache(unsigned bits) : bits_(bits), entries_(std::size_t{1} << bits) {}

  BddEdge find(std::uint32_t f, std::uint32_t g, std::uint32_t h) const {
    const Entry* bucket = entries_.data() + place(f, g, h);
    if (bucket[0].f == f && bucket[0].g == g && bucket[0].h == h) return BddEdge::from_raw(~bucket[0].result);
    if (bucket[1].f == f && bucket[1].g == g && bucket[1].h == h) return BddEdge::from_raw(~bucket[1].result);
    return kBddNone;
  }
  void insert(std::uint32_t f, std::uint32_t g, std::uint32_t h, BddEdge result) {
    Entry* bucket = entries_.data() + place(f, g, h);
    bucket[1] = bucket[0];
    bucket[0] = {f, g, h, ~result.raw()};
  }
  void prefetch(std::uint32_t f, std::uint32_t g, std::uint32_t h) const {
    __builtin_prefetch(entries_.data() + place(f, g, h));
  }

  std::size_t size() const { return entries_.size(); }
  std::size_t memory() const { return entries_.memory(); }
  void clear() { std::fill_n(entries_.data(), entries_.size(), Entry{}); }
  void grow() {
    PageArray<Entry> old(entries_.size() * 2);
    std::swap(old, entries_);
    ++bits_;
    for (std::size_t i = old.size(); i-- > 0;) {
      // Backwards in a bucket, so that the newer entry comes first again.
      const Entry& entry = old[i];
      if (used(entry)) insert(entry.f, entry.g, entry.h, BddEdge::from_raw(~entry.result));
    }
  }
  /// Drops entries with an operand or result that is no longer alive. Linear.
  template <typename Alive>
  void filter(Alive alive) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      if (!used(entry)) continue;
      const bool tagged = entry.h >= kFirstTag;
      const bool numbered = entry.h >= kFirstNumbered;
      if (!alive(entry.f >> 1) || (!numbered && !alive(entry.g >> 1)) ||
          (!tagged && !alive((entry.h & ~kTernary) >> 1)) || !alive(~entry.result >> 1)) {
        entry = Entry{};
      }
    }
  }

 private:
  struct Entry {
    std::uint32_t f, g, h;
    /// Complemented, so that an entry of zeros is an empty one: no result has all bits set.
    std::uint32_t result;
  };
  static_assert(sizeof(Entry) == 16);
  static bool used(const Entry& entry) { return entry.result != 0; }
  std::size_t place(std::uint32_t f, std::uint32_t g, std::uint32_t h) const {
    const std::uint64_t key = (std::uint64_t{f} << 32) | g;
    const std::uint64_t hash =
        fold_product(key ^ 0x9E3779B97F4A7C15ULL, (std::uint64_t{h} << 20) + 0xD6E8FEB86659FD93ULL);
    return static_cast<std::size_t>(hash >> (65 - bits_)) << 1;
  }

  unsigned bits_;
  PageArray<Entry> entries_;
};

}  // namespace dmt
