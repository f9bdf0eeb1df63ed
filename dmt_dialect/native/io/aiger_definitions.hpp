#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::aiger {

/// Which definition an ASCII file gives each variable: 0 is the constant, then inputs, latches and ANDs in
/// the order of their lines. Definitions that come as 1, 2, 3... cost nothing; else 4 bytes a variable if M
/// is in proportion to the file, a hash map if it is not.
class Definitions {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  Definitions(std::uint64_t max_var, std::size_t file_size)
      : max_var_(max_var), dense_(max_var <= (std::uint64_t{1} << 20) || max_var <= file_size) {}

  /// Records the next definition; returns an earlier one of the same variable, or kNone.
  std::uint32_t add(std::uint32_t var);
  /// The definition of a variable, or kNone.
  std::uint32_t find(std::uint32_t var) const {
    if (sequential_) return var <= count_ ? var : kNone;
    if (var == 0) return 0;
    if (dense_) return table_[var];
    const auto it = map_.find(var);
    return it == map_.end() ? kNone : it->second;
  }
  /// True while definition k is variable k.
  bool sequential() const { return sequential_; }

 private:
  void leave_sequence();

  std::uint64_t max_var_;
  bool dense_;
  bool sequential_ = true;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> table_;
  std::unordered_map<std::uint32_t, std::uint32_t> map_;
};

/// Topological order of ANDs given in any order.
struct AndOrder {
  /// Position of each AND; those in order already keep theirs.
  std::vector<std::uint32_t> position;
  /// ANDs of a cycle, in the order of signal flow backwards; empty if there is none.
  std::vector<std::uint32_t> cycle;
};

/// `rows` have literals of definitions; AND k is definition `first_and` + k. Linear, without recursion.
AndOrder order_ands(std::span<const Node> rows, std::uint32_t first_and, dynomite::Stop& stop);

}  // namespace dmt::aiger
