#pragma once

#include <cstdint>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

struct ResubParams {
  /// Leaves of the window, 2 to 16. Windows are exact up to 10 leaves unless `sat` is set.
  unsigned k = 8;
  /// ANDs a replacement may add, at most 3.
  unsigned inserts = 3;
  unsigned divisors = 150;
  /// Patterns of inputs in place of the exact functions of the window, and SAT to confirm: uses that not
  /// every combination of values at the leaves occurs.
  bool sat = false;
  /// Levels behind a node in which it may be hidden (observability don't-cares); 0 looks at none. With `sat`.
  unsigned odc = 0;
  /// Words of 64 patterns; with `sat`.
  unsigned words = 16;
  /// Conflicts a SAT call may take; with `sat`.
  std::uint64_t conflicts = 100;
  /// Also changes that keep the size.
  bool zero = false;
  /// No change may make the circuit deeper.
  bool keep_levels = false;
  std::uint64_t seed = 1;
};

struct ResubStats {
  std::uint64_t windows = 0;
  std::uint64_t found = 0;
  std::uint64_t replaced = 0;
  std::uint64_t unseen = 0;  // of the replaced, by observability don't-cares
  std::uint64_t refuted = 0;
  std::uint64_t unknown = 0;

  void add(const ResubStats& other) {
    windows += other.windows;
    found += other.found;
    replaced += other.replaced;
    unseen += other.unseen;
    refuted += other.refuted;
    unknown += other.unknown;
  }
};

/// Resubstitution (Mishchenko, Brayton, IWLS 2006): a node is replaced by an expression of at most three ANDs
/// over divisors of its window when more dies with it. Exact on the window, or guided by simulation and
/// confirmed by SAT (Lee, Riener, Mishchenko, Brayton, De Micheli, IEEE TCAD 2022).
AigStore resub(const AigStore& aig, const ResubParams& params, ResubStats* stats, dynomite::Stop& stop);

}  // namespace dmt::opt
