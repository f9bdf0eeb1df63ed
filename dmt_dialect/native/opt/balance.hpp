#pragma once

#include <cstdint>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

struct BalanceParams {
  /// Literals of about the same level that are looked at for a gate that is there already.
  unsigned sharing = 16;
  /// Also trees of XORs.
  bool xors = false;
  /// Also chains of multiplexers: joined like operands, which takes an AND more for each where it gains
  /// levels.
  bool muxes = false;
};

struct BalanceStats {
  std::uint64_t trees = 0;
  /// Of XORs and multiplexers.
  std::uint64_t gate_trees = 0;
  std::uint64_t shared = 0;
  std::uint32_t levels_after = 0;
};

/// Rebuilds every tree of ANDs (maximal, ended by complements and by nodes used elsewhere) by joining the two
/// shallowest literals again and again, which gives the least depth of the tree; among equals, pairs that are
/// there already are taken first. With `xors` and `muxes` the same for trees of XORs and chains of
/// multiplexers that are built of ANDs nothing else uses. Never deeper than before; linear, but for the
/// logarithm of the width of a tree.
AigStore balance(const AigStore& aig, const BalanceParams& params, BalanceStats* stats, dynomite::Stop& stop);

}  // namespace dmt::opt
