#include "dmt_dialect/native/cnf/encode.hpp"

#include <cassert>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

// Directions of a gate: its variable being true (kDown) or false (kUp) says something about its fanins.
constexpr std::uint8_t kDown = 1;
constexpr std::uint8_t kUp = 2;

}  // namespace

std::int32_t CnfEncoder::literal(Lit lit) const {
  assert(lit.node().index() < variables_.size() && variables_[lit.node().index()] != 0);
  const auto variable = static_cast<std::int32_t>(variables_[lit.node().index()]);
  return lit.complemented() ? -variable : variable;
}

std::int32_t CnfEncoder::variable_of(NodeId node) {
  std::uint32_t& variable = variables_[node.index()];
  if (variable == 0) {
    variable = static_cast<std::uint32_t>(cnf_.add_variable());
    nodes_.push_back(node.index());
    if (aig_.is_const(node)) cnf_.clause({-static_cast<std::int32_t>(variable)});
  }
  return static_cast<std::int32_t>(variable);
}

std::uint8_t CnfEncoder::directions_of(Lit lit, std::uint8_t directions) const {
  if (encoding_ == Encoding::kTseitin) return kDown | kUp;
  if (!lit.complemented()) return directions;
  return static_cast<std::uint8_t>((directions & kDown) << 1 | (directions & kUp) >> 1);
}

bool CnfEncoder::encode(std::span<const Lit> roots, dynomite::Stop& stop) {
  variables_.resize(aig_.node_count(), 0);
  done_.resize(aig_.node_count(), 0);
  for (const Lit root : roots) {
    literal_of(root);
    tasks_.push_back({root.node().index(), directions_of(root, kDown)});
  }
  // Variables are numbered and clauses written in the order of this walk; what it left open stays in
  // `tasks_`.
  while (!tasks_.empty()) {
    if (stop.poll()) return false;
    const Task task = tasks_.back();
    tasks_.pop_back();
    const NodeId node(task.node);
    if (!aig_.is_and(node)) continue;
    const auto missing = static_cast<std::uint8_t>(task.directions & ~done_[task.node]);
    if (missing == 0) continue;
    done_[task.node] |= missing;
    const Lit fanins[] = {aig_.fanin0(node), aig_.fanin1(node)};
    const std::int32_t out = variable_of(node);
    const std::int32_t a = literal_of(fanins[0]);
    const std::int32_t b = literal_of(fanins[1]);
    if ((missing & kDown) != 0) {
      cnf_.clause({-out, a});
      cnf_.clause({-out, b});
    }
    if ((missing & kUp) != 0) cnf_.clause({out, -a, -b});
    for (const Lit fanin : fanins) {
      tasks_.push_back({fanin.node().index(), directions_of(fanin, missing)});
    }
  }
  return true;
}

namespace {

/// Joins all literals in pairs, again and again; of none, the neutral `empty`.
Lit joined(AigStore& aig, std::vector<Lit>& lits, Lit empty, bool conjunction) {
  if (lits.empty()) return empty;
  while (lits.size() > 1) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < lits.size(); i += 2) {
      lits[kept++] = conjunction ? aig.and_(lits[i], lits[i + 1]) : aig.or_(lits[i], lits[i + 1]);
    }
    if (lits.size() % 2 != 0) lits[kept++] = lits.back();
    lits.resize(kept);
  }
  return lits.front();
}

}  // namespace

AigStore cnf_to_aig(const Cnf& cnf, dynomite::Stop& stop) {
  AigStore aig;
  std::vector<Lit> inputs;
  inputs.reserve(cnf.variables());
  for (std::uint32_t i = 0; i < cnf.variables(); ++i) inputs.push_back(aig.add_input());
  std::vector<Lit> clause;
  std::vector<Lit> clauses;
  for (const std::int32_t lit : cnf.data()) {
    if (stop.poll()) throw dynomite::LimitError("the conversion was stopped");
    if (lit != 0) {
      clause.push_back(inputs[static_cast<std::size_t>(lit < 0 ? -lit : lit) - 1] ^ (lit < 0));
    } else {
      clauses.push_back(joined(aig, clause, kFalse, false));
      clause.clear();
    }
  }
  aig.outputs().push_back(joined(aig, clauses, kTrue, true));
  return aig;
}

}  // namespace dmt
