#include "dmt_dialect/native/aig/evaluate.hpp"

#include <unordered_map>

#include "dmt_dialect/native/aig/cones.hpp"

namespace dmt {

std::vector<Ternary> evaluate(const AigStore& store, std::span<const Lit> lits,
                              std::span<const Ternary> ci_values) {
  NodeSet cone(store.node_count());
  add_fanin_cone(store, lits, cone);
  std::unordered_map<std::uint32_t, Ternary> values;
  const auto of = [&](Lit lit) {
    const Ternary value = values.at(lit.node().index());
    if (value == Ternary::kUnknown || !lit.complemented()) return value;
    return value == Ternary::kOne ? Ternary::kZero : Ternary::kOne;
  };
  for (const NodeId id : cone.sorted()) {
    Ternary value = Ternary::kZero;
    switch (store.kind(id)) {
      case NodeKind::kConst: break;
      case NodeKind::kInput: value = ci_values[store.ci_index(id)]; break;
      case NodeKind::kLatch: value = ci_values[store.inputs().size() + store.ci_index(id)]; break;
      case NodeKind::kAnd: {
        const Ternary a = of(store.fanin0(id));
        const Ternary b = of(store.fanin1(id));
        if (a == Ternary::kZero || b == Ternary::kZero) break;
        value = a == Ternary::kOne ? b : a;
        break;
      }
    }
    values[id.index()] = value;
  }
  std::vector<Ternary> result;
  result.reserve(lits.size());
  for (const Lit lit : lits) result.push_back(of(lit));
  return result;
}

}  // namespace dmt
