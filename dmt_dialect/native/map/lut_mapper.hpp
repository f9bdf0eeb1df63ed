#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/map/lut_network.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// How many rounds, and how many cuts a node.
enum class MapEffort : std::uint8_t { kFast, kNormal, kHigh };

struct LutMapParams {
  /// Inputs of a LUT, 2 to 8.
  unsigned k = 6;
  MapEffort effort = MapEffort::kNormal;
  /// Cuts kept a node, up to 32; 0: by effort.
  unsigned cuts = 0;
  /// No limit of levels: as few LUTs as possible.
  bool area_only = false;
  /// At most so many levels, if the circuit allows it; by default as few as possible.
  std::optional<std::uint32_t> max_levels;
  /// So many levels more than the fewest.
  std::uint32_t extra_levels = 0;
};

struct LutMapStats {
  /// Levels of the mapping with the fewest.
  std::uint32_t fewest_levels = 0;
  /// Further structures of nodes, from other versions.
  std::uint64_t choices = 0;
  /// LUTs after each round.
  std::vector<std::uint32_t> luts_by_round;
};

/// Covers an AIG by cells of up to `k` inputs (LUTs).
///
/// Priority cuts (Mishchenko, Cho, Chatterjee, Brayton, "Combinational and sequential mapping with priority
/// cuts", ICCAD 2007): a first round for the fewest levels, rounds of area flow under the required times that
/// follow from them, and rounds of exact local area.
///
/// Throws UsageError for parameters out of range, LimitError when `stop` ends it. Linear time; memory for the
/// cut sets of nodes whose fanouts are not mapped yet, and about 60 bytes a node.
LutNetwork map_luts(const AigStore& aig, const LutMapParams& params, LutMapStats* stats,
                    dynomite::Stop& stop);

/// `versions` are other forms of `aig`, equivalent to it root for root: every cell may be made from any of
/// them where nodes are proved equal (see `ChoiceClasses`); roots are those of the first.
LutNetwork map_luts(const AigStore& aig, std::span<const AigStore* const> versions,
                    const LutMapParams& params, LutMapStats* stats, dynomite::Stop& stop);

}  // namespace dmt
