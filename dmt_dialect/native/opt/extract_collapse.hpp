#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/map/lut_network.hpp"
#include "dmt_dialect/native/opt/extract.hpp"
#include "dmt_dialect/native/opt/sop_network.hpp"

namespace dmt::opt {

/// A circuit as sums of products.
struct Collapsed {
  LutNetwork cells;
  /// Its signals are those of `cells`, of the same number; more may be added behind.
  SopNetwork network;
  /// The literal of `network` that a signal of `cells` is: its own, or the complement, or that of another
  /// cell.
  std::vector<std::uint32_t> literal_of;
  /// Cells with too many products, or whose products are better left alone: they have none in `network`.
  std::vector<std::uint8_t> kept;
};

/// Covers `aig` by cells and makes the irredundant sum of products of each, of the function or of its
/// complement, whichever has fewer literals.
Collapsed collapse(const AigStore& aig, const ExtractParams& params, ExtractStats& stats,
                   dynomite::Stop& stop);

/// The AIG of the sums of products, factored; the kept cells as they are in `aig`.
AigStore build_factored(const AigStore& aig, const Collapsed& collapsed, dynomite::Stop& stop);

}  // namespace dmt::opt
