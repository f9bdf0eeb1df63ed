#include "dmt_dialect/native/aig/circuit_stats.hpp"

#include <algorithm>
#include <vector>

#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/aig/gate_shapes.hpp"
#include "dmt_dialect/native/aig/levels.hpp"

namespace dmt {

namespace {

std::uint64_t count_duplicates(const AigStore& store) {
  Strash hash;
  hash.build(store.nodes());
  return store.and_count() - hash.size();
}

bool is_trivial(const Node& node) {
  return node.fanin0.node() == kConstNode || node.fanin1.node() == kConstNode ||
         node.fanin0.node() == node.fanin1.node();
}

}  // namespace

CircuitStats circuit_stats(const AigStore& store) {
  CircuitStats stats;
  stats.inputs = store.inputs().size();
  stats.outputs = store.outputs().size();
  stats.latches = store.latches().size();
  stats.ands = store.and_count();
  stats.bad = store.bad().size();
  stats.constraints = store.constraints().size();
  stats.justice = store.justice().size();
  stats.fairness = store.fairness().size();

  stats.levels = depth(store, levels(store));
  const std::vector<std::uint32_t> fanouts = fanout_counts(store);
  stats.max_fanout = *std::max_element(fanouts.begin(), fanouts.end());
  std::vector<Lit> roots;
  for_each_root(store, [&](Lit lit) { roots.push_back(lit); });
  NodeSet needed(store.node_count());
  add_fanin_cone(store, roots, needed);
  for (std::uint32_t i = 1; i < store.node_count(); ++i) {
    const NodeId id(i);
    const bool is_needed = needed.contains(id);
    const Node& node = store.nodes()[i];
    switch (store.kind(id)) {
      case NodeKind::kConst: break;
      case NodeKind::kInput: stats.unused_inputs += is_needed ? 0 : 1; break;
      case NodeKind::kLatch: stats.unused_latches += is_needed ? 0 : 1; break;
      case NodeKind::kAnd: {
        stats.dangling_ands += is_needed ? 0 : 1;
        stats.trivial_ands += is_trivial(node) ? 1 : 0;
        if (const auto shape = mux_shape(store, id)) ++(shape->is_xor() ? stats.xors : stats.muxes);
        break;
      }
    }
  }
  stats.duplicate_ands = count_duplicates(store);
  for (const Lit lit : store.outputs()) {
    if (lit.node() == kConstNode) {
      ++stats.constant_outputs;
    } else if (!store.is_and(lit.node())) {
      ++stats.direct_outputs;
    }
  }
  for (const Latch& latch : store.latches()) {
    stats.uninitialised_latches += latch.reset == Reset::kUninitialised ? 1 : 0;
    stats.one_latches += latch.reset == Reset::kOne ? 1 : 0;
  }
  stats.input_names = store.names().inputs.count();
  stats.output_names = store.names().outputs.count();
  stats.latch_names = store.names().latches.count();
  stats.net_names = store.net_names().size();
  stats.comment_lines = store.comments().size();
  return stats;
}

}  // namespace dmt
