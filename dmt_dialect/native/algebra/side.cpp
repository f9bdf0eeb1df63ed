#include "dmt_dialect/native/algebra/side.hpp"

#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/algebra/rebuild.hpp"

namespace dmt::algebra {

Side::Side(const AigStore& store, std::span<const Lit> word) {
  ConeOptions options;
  options.follow_latches = false;
  options.keep_inputs = true;
  cone_ = extract_cone(store, word, options);
  own_count_ = cone_.node_count();
  outputs_ = word_ = cone_.outputs();
  // Inputs, then latches as far as they are in the cone, then gates, each in their order.
  NodeSet nodes(store.node_count());
  std::vector<NodeId> latches;
  add_fanin_cone(store, word, nodes, &latches);
  in_store_.push_back(0);
  for (const NodeId input : store.inputs()) in_store_.push_back(input.index());
  for (const NodeId node : nodes.sorted()) {
    if (store.is_latch(node)) in_store_.push_back(node.index());
  }
  for (const NodeId node : nodes.sorted()) {
    if (store.is_and(node)) in_store_.push_back(node.index());
  }
}

void Side::rewrite(const RewriteLimits& limits, dynomite::Stop& stop) {
  found_ = find_adder_cells(cone_, stop);
  if (!found_.complete) return;
  // Modulo 2 no carry matters.
  if (outputs_.size() > 1) carries_ = find_carry_cells(cone_, found_, stop);
  Facts facts;
  facts.proved = static_cast<std::uint32_t>(carries_.cells.size());
  facts.cells = carries_.cells;
  facts.cells.insert(facts.cells.end(), found_.cells.begin(), found_.cells.end());
  facts.xors = found_.xors;
  result_ = rewrite_word(cone_, facts, outputs_, limits, stop);
}

bool Side::is(const std::vector<Term>& terms, dynomite::Stop& stop) {
  const Rebuilt rebuilt = prove_by_rebuilding(cone_, found_, outputs_, terms, stop);
  rebuilt_ = {rebuilt.by_gates, rebuilt.by_values, rebuilt.invented};
  if (rebuilt.equal) word_ = rebuilt.word;
  return rebuilt.equal;
}

Explanation Side::explain(std::uint32_t first_new, const RewriteLimits& limits, dynomite::Stop& stop) {
  Explanation explanation;
  const auto in_store = [&](Lit lit) {
    const std::uint32_t node = lit.node().index();
    return Lit(NodeId(node < own_count_ ? in_store_[node] : first_new + (node - own_count_)),
               lit.complemented());
  };
  for (const auto& cut : carries_.cuts) {
    explanation.cuts.emplace_back();
    for (const std::uint32_t node : cut) explanation.cuts.back().push_back(in_store_[node]);
  }
  explanation.cuts.emplace_back();
  const auto no_cut = static_cast<std::uint32_t>(explanation.cuts.size() - 1);
  if (word_ != outputs_) {
    const AdderCells found = find_adder_cells(cone_, stop);
    result_ = rewrite_word(cone_, {found.cells, 0, found.xors}, word_, limits, stop);
    for (std::size_t i = 0; i < word_.size(); ++i) {
      explanation.equalities.push_back({in_store(outputs_[i]).raw(), in_store(word_[i]).raw(), no_cut});
    }
  }
  for (const Lit bit : word_) explanation.word.push_back(in_store(bit));
  for (const RewriteStep& step : result_.steps) {
    std::array<std::uint32_t, 8> row = {static_cast<std::uint32_t>(step.kind)};
    for (std::size_t i = 0; i < step.lits.size(); ++i) row[i + 1] = in_store(step.lits[i]).raw();
    if (step.proved) {
      const auto [x, y, z] = std::array{step.lits[2], step.lits[3], step.lits[4]};
      // As it stands, not simplified by what lies below: the checker takes the operands for free.
      const Lit either = ~cone_.append_and(~x, ~y);
      const Lit ours = ~cone_.append_and(~cone_.append_and(x, y), ~cone_.append_and(z, either));
      row[6] = in_store(ours).raw();
      row[7] = carries_.cut_of[step.number];
      explanation.equalities.push_back({in_store(step.lits[1]).raw(), row[6], row[7]});
    }
    explanation.steps.push_back(row);
  }
  for (std::uint32_t i = own_count_; i < cone_.node_count(); ++i) {
    explanation.gates.emplace_back(in_store(cone_.fanin0(NodeId(i))), in_store(cone_.fanin1(NodeId(i))));
  }
  return explanation;
}

SideStats Side::stats() const {
  SideStats stats;
  stats.nodes = cone_.and_count();
  stats.cells = result_.cells_used;
  stats.carries_proved = carries_.cells.size();
  stats.terms = result_.terms.size();
  stats.most_terms = result_.most_terms;
  stats.monomials = result_.monomials;
  stats.carries_expanded = result_.carries_expanded;
  stats.outcome = result_.outcome;
  stats.rebuilt_by_gates = rebuilt_[0];
  stats.rebuilt_by_values = rebuilt_[1];
  stats.rebuilt_invented = rebuilt_[2];
  return stats;
}

}  // namespace dmt::algebra
