#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// The inputs and latches that literals depend on, as source numbers (inputs, then latches), ascending.
/// Structural: a source may be in the cone without mattering. Linear in the AIG.
std::vector<std::uint32_t> structural_support(const AigStore& aig, std::span<const Lit> roots);

/// 64-bit operations that comparing all assignments of `support_size` sources over `ands` gates takes;
/// the largest value where it does not fit.
std::uint64_t exhaustive_cost(std::size_t support_size, std::size_t ands);

/// The result of one comparison over all assignments of a support.
struct ExhaustiveResult {
  /// False when `stop` ended it: then pairs without a difference are not proved.
  bool complete = false;
  /// For each pair the first assignment under which it differs: bit k is the value of support[k].
  std::vector<std::optional<std::uint64_t>> differences;
};

/// Compares pairs of literals under every assignment of `support` (at most 40 sources), which must contain
/// the structural support of all pairs. Ends early when every pair differs. Time as `exhaustive_cost` says
/// at some 10^9 operations a second; memory is a few hundred bytes a live node.
ExhaustiveResult compare_exhaustively(const AigStore& aig, std::span<const std::pair<Lit, Lit>> pairs,
                                      std::span<const std::uint32_t> support, dynomite::Stop& stop);

}  // namespace dmt
