#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/opt/network.hpp"

namespace dmt::opt {

/// Which combinations of values some nodes can have, as far as the logic close below them tells
/// (satisfiability don't-cares: Mishchenko and Brayton, DATE 2005).
class CareSet {
 public:
  explicit CareSet(const Network& network) : network_(network) {}

  /// Looks at the logic between the nodes and a cut below them of at most `leaves` <= 14 leaves. The nodes
  /// must be visited and distinct, at most 16. False if every combination may occur or the nodes alone are
  /// too many. Linear in the gates looked at (`kMostGates`) times 2^leaves, and nodes times 2^leaves.
  bool compute(std::span<const std::uint32_t> nodes, unsigned leaves);
  /// Bit m: the combination m may occur (bit i of m is the value of the i-th node). Combinations that are not
  /// there never do. At least one word.
  const std::vector<std::uint64_t>& table() const { return table_; }

  static constexpr unsigned kMostGates = 120;

 private:
  bool expand(std::span<const std::uint32_t> nodes, unsigned leaves);
  void simulate();
  std::uint64_t collect(std::span<const std::uint32_t> nodes, unsigned word);

  const Network& network_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> seen_;  // stamp of leaves and gates
  std::vector<std::uint32_t> slot_;  // row of a leaf or gate
  std::vector<std::uint32_t> leaves_, gates_, stack_;
  unsigned words_ = 1;
  std::vector<std::uint64_t> values_, table_;
};

}  // namespace dmt::opt
