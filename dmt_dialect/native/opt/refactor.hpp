#pragma once

#include <cstdint>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

struct RefactorParams {
  /// Leaves of the cones, 2 to 15.
  unsigned leaves = 10;
  /// Cones are fanout-free: all of a cone dies. Otherwise they are the ones with the fewest leaves.
  bool fanout_free = true;
  /// Uses that not every combination of values occurs at the leaves of a cone (satisfiability don't-cares).
  bool dont_cares = false;
  /// Leaves of the logic below that tells which do, 2 to 14.
  unsigned care_leaves = 12;
  /// Products of a cover; larger ones are given up.
  unsigned products = 60;
  /// Also changes that keep the size.
  bool zero = false;
  /// No change may make the circuit deeper.
  bool keep_levels = false;
};

struct RefactorStats {
  std::uint64_t cones = 0;
  std::uint64_t replaced = 0;
  std::uint64_t with_dont_cares = 0;

  void add(const RefactorStats& other) {
    cones += other.cones;
    replaced += other.replaced;
    with_dont_cares += other.with_dont_cares;
  }
};

/// Refactoring: a large cone is replaced by a factored form of its function, or of its complement, when that
/// takes fewer nodes than die (Mishchenko, Chatterjee, Brayton, DAC 2006). Throws UsageError for a number out
/// of range.
AigStore refactor(const AigStore& aig, const RefactorParams& params, RefactorStats* stats,
                  dynomite::Stop& stop);

}  // namespace dmt::opt
