#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dmt_dialect/native/aig/lit.hpp"
#include "dynomite/native/base/shared_array.hpp"

namespace dmt {

struct Node;

/// Structural hash: open addressing with linear probing over node ids, 4 bytes a slot, at most 2/3 full.
/// Keys live in the node array; the table only holds ids (0 = empty, the constant is never hashed).
class Strash {
 public:
  bool active() const { return !slots_.empty(); }
  std::size_t memory() const { return slots_.memory(); }
  void clear();
  /// Hashes all AND nodes; of equal nodes the first wins. Linear.
  void build(std::span<const Node> nodes);
  /// The AND with these fanins (in this order), or the constant node if there is none.
  NodeId find(std::span<const Node> nodes, Lit fanin0, Lit fanin1) const;
  /// Adds a node that `find` did not find. `nodes` includes it.
  void insert(std::span<const Node> nodes, NodeId id);
  /// Asks the cache for the slot of these fanins; for bulk building.
  void prefetch(Lit fanin0, Lit fanin1) const { __builtin_prefetch(slots_.data() + slot_of(fanin0, fanin1)); }

 private:
  std::size_t slot_of(Lit fanin0, Lit fanin1) const {
    std::uint64_t key = (std::uint64_t{fanin0.raw()} << 32) | fanin1.raw();
    key *= 0x9E3779B97F4A7C15ULL;
    key ^= key >> 32;
    key *= 0xD6E8FEB86659FD93ULL;
    // Maps the upper half to [0, size) by multiplication: any table size will do.
    return static_cast<std::size_t>(((key >> 32) * slots_.size()) >> 32);
  }
  void place(std::span<const Node> nodes, NodeId id);
  void rebuild(std::span<const Node> nodes, std::size_t slots);

  dynomite::SharedArray<std::uint32_t> slots_;
  std::size_t used_ = 0;
};

}  // namespace dmt
