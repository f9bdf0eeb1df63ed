#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "dmt_dialect/native/explain/flip_simulator.hpp"
#include "dmt_dialect/native/explain/vertex_cut.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dmt::Lit;
using dmt::NodeId;
using dynomite::UsageError;

using Literals = nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<1>, nb::c_contig>;
using Edges = nb::ndarray<nb::numpy, const std::uint32_t, nb::shape<-1, 2>, nb::c_contig>;
using Flags = nb::ndarray<nb::numpy, const bool, nb::ndim<1>, nb::c_contig>;
using Words2 = nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<2>, nb::c_contig>;
using NewCodes = nb::ndarray<nb::numpy, std::int16_t, nb::ndim<1>, nb::c_contig>;
using NewWords = nb::ndarray<nb::numpy, std::uint64_t, nb::shape<-1, 2, -1>, nb::c_contig>;
using NewNodes = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>, nb::c_contig>;

constexpr std::int16_t kImpossible = -1;
constexpr std::int16_t kUnknown = -2;

template <typename Array, typename T, typename... Shape>
Array to_numpy(std::vector<T> values, Shape... shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array(kept->data(), {static_cast<std::size_t>(shape)...}, owner);
}

std::vector<Lit> lits_in(const AigStore& aig, const Literals& raws, const char* call) {
  std::vector<Lit> lits(raws.size());
  for (std::size_t i = 0; i < lits.size(); ++i) {
    lits[i] = Lit::from_raw(raws.data()[i]);
    if (!aig.contains(lits[i])) throw UsageError(std::string(call) + ": no such literal in the AIG");
  }
  return lits;
}

nb::typed<nb::tuple, NewCodes, NewWords> flip_effects(const AigStore& aig, const Words2& values,
                                                      const Literals& roots, const Words2& targets,
                                                      const Literals& nodes, dynomite::Stop* stop) {
  const dmt::ReadLease reading(aig.access());
  const std::size_t words = values.shape(1);
  const std::vector<Lit> lits = lits_in(aig, roots, "flip_effects");
  if (values.shape(0) != aig.node_count() || targets.shape(0) != lits.size() || targets.shape(1) != words) {
    throw UsageError("flip_effects: values need a row a node, targets a row a root, both as many words");
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.data()[i] >= aig.node_count() || !aig.is_and(NodeId(nodes.data()[i]))) {
      throw UsageError("flip_effects: a node is no AND of the AIG");
    }
  }
  std::vector<std::int16_t> codes(nodes.size(), kUnknown);
  std::vector<std::uint64_t> musts(nodes.size() * 2 * words);
  dynomite::run_long(stop, [&](dynomite::Stop& polled) {
    dmt::explain::FlipSimulator simulator(aig, {values.data(), values.size()}, lits,
                                          {targets.data(), targets.size()}, words);
    for (std::size_t i = 0; i < nodes.size() && !polled.poll_clock(); ++i) {
      const NodeId node(nodes.data()[i]);
      if (!simulator.flip(node)) {
        codes[i] = kImpossible;
        continue;
      }
      codes[i] = simulator.local_requirements(node);
      auto* row = musts.data() + i * 2 * words;
      std::ranges::copy(simulator.must_be_0(), row);
      std::ranges::copy(simulator.must_be_1(), row + words);
    }
  });
  const std::size_t count = codes.size();
  return nb::make_tuple(to_numpy<NewCodes>(std::move(codes), count),
                        to_numpy<NewWords>(std::move(musts), count, std::size_t{2}, words));
}

NewNodes common_cone(const AigStore& aig, const Literals& roots) {
  const dmt::ReadLease reading(aig.access());
  const std::vector<Lit> lits = lits_in(aig, roots, "common_cone");
  std::vector<std::uint32_t> ids;
  {
    nb::gil_scoped_release release;
    for (const NodeId node : dmt::explain::common_cone(aig, lits)) ids.push_back(node.index());
  }
  const std::size_t count = ids.size();
  return to_numpy<NewNodes>(std::move(ids), count);
}

std::optional<std::vector<std::uint32_t>> min_vertex_cut(const Edges& edges, const Flags& cuttable,
                                                         const std::vector<std::uint32_t>& sources,
                                                         const std::vector<std::uint32_t>& sinks,
                                                         bool near_sources, std::size_t most,
                                                         dynomite::Stop* stop) {
  dmt::explain::CutGraph graph;
  graph.vertices = static_cast<std::uint32_t>(cuttable.size());
  if (cuttable.size() > (std::size_t{1} << 30)) throw UsageError("min_vertex_cut: too many vertices");
  const auto check = [&](std::uint32_t vertex) {
    if (vertex >= graph.vertices) throw UsageError("min_vertex_cut: no such vertex");
    return vertex;
  };
  graph.cuttable.assign(cuttable.data(), cuttable.data() + cuttable.size());
  for (std::size_t i = 0; i < edges.shape(0); ++i) {
    graph.edges.emplace_back(check(edges.data()[2 * i]), check(edges.data()[2 * i + 1]));
  }
  for (const std::uint32_t v : sources) graph.sources.push_back(check(v));
  for (const std::uint32_t v : sinks) graph.sinks.push_back(check(v));
  std::optional<std::vector<std::uint32_t>> cut;
  const auto side = near_sources ? dmt::explain::CutSide::kSources : dmt::explain::CutSide::kSinks;
  dynomite::run_long(
      stop, [&](dynomite::Stop& polled) { cut = dmt::explain::min_vertex_cut(graph, side, most, polled); });
  return cut;
}

}  // namespace

void bind_explain(nb::module_& m) {
  m.def("flip_effects", &flip_effects, nb::arg("aig"), nb::arg("values"), nb::arg("roots"),
        nb::arg("targets"), nb::arg("nodes"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
        R"(What value each of some ANDs needs, pattern by pattern, for the roots to take wanted values.

Args:
    aig: The circuit.
    values: Words of all nodes, as `sim.node_values` gives them; every bit is a pattern.
    roots: AIGER literals.
    targets: The words the roots should have, one row a root.
    nodes: Indices of ANDs; each is tried alone.
    stop: Ends the call; nodes that were not tried have code -2.

Returns:
    A code a node, and must-be-0 and must-be-1 words a node (n x 2 x words). Code -1: some pattern is met by
    neither value. Else bit a + 2b says that the AND must be 1 when its fanin literals are a and b in some
    pattern, bit 4 + a + 2b that it must be 0.

Cost: for each node the part of its fanout cone that changes.)");
  m.def(
      "common_cone", &common_cone, nb::arg("aig"), nb::arg("roots"),
      "Indices of the ANDs in the fanin cones of all `roots` (AIGER literals). Cost: linear for each root.");
  m.def("min_vertex_cut", &min_vertex_cut, nb::arg("edges"), nb::arg("cuttable"), nb::arg("sources"),
        nb::arg("sinks"), nb::kw_only(), nb::arg("near_sources"), nb::arg("most"),
        nb::arg("stop").none() = nb::none(),
        R"(A smallest set of cuttable vertices on all paths from sources to sinks, ends included.

Args:
    edges: Rows (from, to).
    cuttable: One flag a vertex.
    sources: Where paths begin.
    sinks: Where they end.
    near_sources: Of all smallest sets that nearest to the sources, else to the sinks.
    most: Largest set looked for.
    stop: Ends the search.

Returns:
    The set, sorted; None if it is larger than `most`, some path has nothing to cut, or `stop` ended it.

Cost: linear for each vertex of the set.)");
}
