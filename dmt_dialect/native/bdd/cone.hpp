#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/bdd/bdd_store.hpp"

namespace dmt::bdd {

/// Dense numbers for node ids in the order they come. A hash map: its cost follows what is put in, not the
/// size of the store.
class IdIndex {
 public:
  IdIndex() : slots_(64) {}
  /// The number of `id`, new if `id` is.
  std::uint32_t add(std::uint32_t id) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    std::uint64_t& slot = slots_[find_slot(id)];
    if (slot == 0) slot = (std::uint64_t{id} << 32) | ++count_;
    return static_cast<std::uint32_t>(slot) - 1;
  }
  /// The number of an id that was added.
  std::uint32_t operator[](std::uint32_t id) const {
    return static_cast<std::uint32_t>(slots_[find_slot(id)]) - 1;
  }
  bool contains(std::uint32_t id) const { return slots_[find_slot(id)] != 0; }
  std::uint32_t size() const { return count_; }

 private:
  std::size_t find_slot(std::uint32_t id) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = fold_product(id + 0x9E3779B97F4A7C15ULL, 0xD6E8FEB86659FD93ULL) & mask;
    while (slots_[place] != 0 && slots_[place] >> 32 != id) place = (place + 1) & mask;
    return place;
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint64_t slot : old) {
      if (slot != 0) slots_[find_slot(static_cast<std::uint32_t>(slot >> 32))] = slot;
    }
  }

  std::vector<std::uint64_t> slots_;
  std::uint32_t count_ = 0;
};

/// All nodes below some edges, the terminal included.
struct Cone {
  /// Ids by level, the highest in the order first, the terminal last.
  std::vector<std::uint32_t> ids;
  /// Numbers of the ids: positions in `ids`.
  IdIndex number;
};

/// Linear in the cone and the number of variables.
Cone cone_of(const BddStore& store, std::span<const BddEdge> roots);

}  // namespace dmt::bdd
