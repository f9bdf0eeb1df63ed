#pragma once

#include <cstddef>
#include <cstdint>

#include "dynomite/native/base/large_pages.hpp"
#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

/// Hash table of instructions with nested scopes: leaving a scope forgets what was added in it, and a
/// barrier hides everything before it. Open addressing, at most half full; entries leave in the reverse
/// order of coming, so that an emptied slot never cuts a probe sequence. Constant expected time.
class ScopedTable {
 public:
  ScopedTable() : slots_(64, 0) {}

  /// Room for `n` entries, so that the table need not grow on the way.
  void reserve(std::size_t n) {
    std::size_t slots = slots_.size();
    while (slots < 2 * (n + 1)) slots *= 2;
    if (slots != slots_.size()) resize(slots);
    entries_.reserve(n);
  }
  std::size_t mark() const { return entries_.size(); }
  void leave(std::size_t mark) {
    while (entries_.size() > mark) {
      slots_[entries_.back().slot] = 0;
      entries_.pop_back();
    }
  }
  /// Hides all present entries; returns what to give to `lift` later.
  std::size_t raise() {
    const std::size_t before = barrier_;
    barrier_ = entries_.size();
    return before;
  }
  void lift(std::size_t before) { barrier_ = before; }

  /// The visible entry of this hash for which `equal(InstrId)` holds; else adds `instr` and returns none.
  template <typename Equal>
  InstrId find_or_add(std::uint64_t hash, InstrId instr, Equal equal) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t number = slots_[slot] - 1;
      const Entry& entry = entries_[number];
      if (entry.hash == hash && number >= barrier_ && equal(entry.instr)) {
        return entry.instr;
      }
    }
    entries_.push_back({hash, instr, static_cast<std::uint32_t>(slot)});
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    return {};
  }

 private:
  struct Entry {
    std::uint64_t hash;
    InstrId instr;
    std::uint32_t slot;
  };

  void grow() { resize(2 * slots_.size()); }
  void resize(std::size_t slots) {
    slots_.assign(slots, 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t slot = entries_[i].hash & (slots_.size() - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(i + 1);
      entries_[i].slot = static_cast<std::uint32_t>(slot);
    }
  }

  LargeVector<Entry> entries_;
  LargeVector<std::uint32_t> slots_;  // number of an entry + 1; 0: empty
  std::size_t barrier_ = 0;
};

}  // namespace dynomite::ir
