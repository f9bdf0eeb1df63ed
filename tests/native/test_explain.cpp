#include <cstdint>
#include <optional>
#include <vector>

#include "dmt_dialect/native/explain/flip_simulator.hpp"
#include "dmt_dialect/native/explain/vertex_cut.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

using dmt::AigStore;
using dmt::Lit;
using dmt::NodeId;
using dmt::explain::CutGraph;
using dmt::explain::CutSide;
using dmt::explain::FlipSimulator;
using dmt::explain::min_vertex_cut;
using dynomite::Random;
using dynomite::Stop;

namespace {

using Words = std::vector<std::uint64_t>;

std::uint64_t word_of(const Words& values, Lit lit) {
  return values[lit.node().index()] ^ (lit.complemented() ? ~std::uint64_t{0} : 0);
}

/// One word a node; `forced`, if it is a node, has the value `as`.
Words simulate(const AigStore& aig, const Words& inputs, std::optional<NodeId> forced, std::uint64_t as) {
  Words values(aig.node_count());
  std::size_t input = 0;
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    const NodeId id(i);
    values[i] =
        aig.is_and(id) ? word_of(values, aig.fanin0(id)) & word_of(values, aig.fanin1(id)) : inputs[input++];
    if (forced == id) values[i] = as;
  }
  return values;
}

}  // namespace

TEST(flips_tell_what_a_node_must_be) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const random_aig::Circuit circuit = random_aig::make(seed, 5, 40);
    const AigStore& aig = circuit.aig;
    Words inputs(5);
    for (std::uint64_t& word : inputs) word = random.next();
    const Words values = simulate(aig, inputs, std::nullopt, 0);
    const std::vector<Lit> roots(circuit.lits.end() - 3, circuit.lits.end());
    Words targets;
    for (const Lit root : roots) targets.push_back(word_of(values, root));
    if (seed % 2 == 0) targets[0] ^= std::uint64_t{1} << random.below(64);
    FlipSimulator simulator(aig, values, roots, targets, 1);
    for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
      if (!aig.is_and(NodeId(i))) continue;
      std::uint64_t good[2];
      for (const bool value : {false, true}) {
        const Words forced = simulate(aig, inputs, NodeId(i), value ? ~std::uint64_t{0} : 0);
        good[value] = ~std::uint64_t{0};
        for (std::size_t r = 0; r < roots.size(); ++r) {
          good[value] &= ~(word_of(forced, roots[r]) ^ targets[r]);
        }
      }
      const bool possible = simulator.flip(NodeId(i));
      CHECK_EQ(possible, ~(good[0] | good[1]) == 0);
      if (!possible) continue;
      CHECK_EQ(simulator.must_be_0()[0], good[0] & ~good[1]);
      CHECK_EQ(simulator.must_be_1()[0], good[1] & ~good[0]);
    }
  }
}

TEST(cuts_of_small_graphs) {
  // 0 → 1 → 3, 0 → 2 → 3, 3 → 4
  CutGraph graph;
  graph.vertices = 5;
  graph.edges = {{0, 1}, {1, 3}, {0, 2}, {2, 3}, {3, 4}};
  graph.sources = {0};
  graph.sinks = {4};
  Stop stop;
  const auto cut = [&](std::vector<bool> cuttable, CutSide side, std::size_t most = 9) {
    graph.cuttable = std::move(cuttable);
    return min_vertex_cut(graph, side, most, stop);
  };
  using Cut = std::vector<std::uint32_t>;
  CHECK(cut({true, true, true, true, true}, CutSide::kSources) == Cut{0});
  CHECK(cut({true, true, true, true, true}, CutSide::kSinks) == Cut{4});
  CHECK(cut({false, true, true, true, false}, CutSide::kSources) == Cut{3});
  CHECK((cut({false, true, true, false, false}, CutSide::kSources) == Cut{1, 2}));
  CHECK(!cut({false, true, true, false, false}, CutSide::kSources, 1).has_value());
  CHECK(!cut({false, true, false, false, false}, CutSide::kSources).has_value());
  graph.edges.clear();
  CHECK(cut({false, false, false, false, false}, CutSide::kSinks) == Cut{});
}
