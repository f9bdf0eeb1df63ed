#pragma once

#include <cstdint>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

struct RewriteParams {
  /// Also changes that keep the size: they may open the way for later ones.
  bool zero = false;
  /// No change may make the circuit deeper.
  bool keep_levels = false;
  /// Leaves of a cut: 4 or 5.
  unsigned leaves = 4;
  /// Cuts kept for a node.
  unsigned cuts = 24;
  /// Structures of a class that are tried.
  unsigned structures = 14;
};

struct RewriteStats {
  std::uint64_t cuts = 0;
  std::uint64_t tried = 0;
  std::uint64_t replaced = 0;

  void add(const RewriteStats& other) {
    cuts += other.cuts;
    tried += other.tried;
    replaced += other.replaced;
  }
};

/// DAG-aware rewriting (Mishchenko, Chatterjee, Brayton, DAC 2006): the logic between a node and a cut of
/// four or five leaves is replaced by the structure of `NpnLibrary` or `FiveInputLibrary` that, with what is
/// there already, takes the fewest nodes. Throws UsageError for another number of leaves.
AigStore rewrite(const AigStore& aig, const RewriteParams& params, RewriteStats* stats, dynomite::Stop& stop);

}  // namespace dmt::opt
