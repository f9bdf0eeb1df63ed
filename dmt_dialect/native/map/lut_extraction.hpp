#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/map/lut_network.hpp"
#include "dmt_dialect/native/map/map_graph.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// The cells of a finished cover, in topological order: node `nodes[i]` by the leaves from `starts[i]` to
/// `starts[i + 1]`.
struct MappedCells {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> starts = {0};
  std::vector<std::uint32_t> leaves;
};

/// Makes the network: the function of every cell, inputs it does not depend on left away, cells that turn out
/// to be a constant or another signal resolved, complements taken into the functions. A LUT whose both values
/// roots read is there twice. Linear.
LutNetwork extract_luts(const AigStore& aig, const MapGraph& graph, const MappedCells& cells, unsigned k,
                        dynomite::Stop& stop);

}  // namespace dmt
