#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dynomite/native/base/stop.hpp"

namespace dmt::explain {

/// A directed graph whose vertices may be cut.
struct CutGraph {
  std::uint32_t vertices = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // from, to
  std::vector<bool> cuttable;                                  // by vertex
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> sinks;
};

enum class CutSide : std::uint8_t { kSources, kSinks };

/// A smallest set of cuttable vertices that meets every path from a source to a sink, ends included: of all
/// smallest ones that nearest to the sources or to the sinks. None if it has more than `most` vertices, if
/// some path has none to cut, or if `stop` ended the search.
///
/// Menger's theorem by augmenting paths over split vertices (Ford, Fulkerson, 1956; Even, Tarjan, 1975).
/// Cost: linear in the graph for each vertex of the cut.
std::optional<std::vector<std::uint32_t>> min_vertex_cut(const CutGraph& graph, CutSide side,
                                                         std::size_t most, dynomite::Stop& stop);

}  // namespace dmt::explain
