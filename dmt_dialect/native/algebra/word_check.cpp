#include "dmt_dialect/native/algebra/word_check.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/aig/evaluate.hpp"
#include "dmt_dialect/native/algebra/prefix_carries.hpp"

namespace dmt::algebra {

namespace {

/// The polynomial of one word, its logic taken for itself.
Rewritten one_side(const AigStore& store, std::span<const Lit> word, const RewriteLimits& limits,
                   SideStats& stats, dynomite::Stop& stop) {
  ConeOptions options;
  options.follow_latches = false;
  options.keep_inputs = true;
  AigStore cone = extract_cone(store, word, options);
  AdderCells found = find_adder_cells(cone, stop);
  if (!found.complete) return {};
  Facts facts;
  const std::vector<Lit> outputs = cone.outputs();
  CarryCells carries = find_carry_cells(cone, found, stop);
  facts.cells = carries.cells;
  facts.proved = static_cast<std::uint32_t>(carries.cells.size());
  facts.cells.insert(facts.cells.end(), found.cells.begin(), found.cells.end());
  facts.xors = std::move(found.xors);
  Rewritten result = rewrite_word(cone, facts, outputs, limits, stop);
  stats.nodes = cone.and_count();
  stats.cells = result.cells_used;
  stats.carries_proved = carries.cells.size();
  stats.terms = result.terms.size();
  stats.most_terms = result.most_terms;
  stats.monomials = result.monomials;
  stats.carries_expanded = result.carries_expanded;
  stats.outcome = result.outcome;
  return result;
}

/// Variables of a term of left - right with fewest variables: then no other term divides it. Nothing if the
/// polynomials are equal.
const Term* least_difference(const std::vector<Term>& left, const std::vector<Term>& right) {
  const Term* least = nullptr;
  const auto offer = [&](const Term& term) {
    if (least == nullptr || term.variables.size() < least->variables.size()) least = &term;
  };
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() || b != right.end()) {
    if (b == right.end() || (a != left.end() && a->variables < b->variables)) {
      offer(*a++);
    } else if (a == left.end() || b->variables < a->variables) {
      offer(*b++);
    } else {
      if (a->coefficient.words != b->coefficient.words) offer(*a);
      ++a;
      ++b;
    }
  }
  return least;
}

/// Bits in which the words differ for these inputs, by simulation.
std::vector<std::uint32_t> differing_bits(const AigStore& store, std::span<const Lit> left,
                                          std::span<const Lit> right, std::span<const std::uint8_t> inputs) {
  std::vector<Ternary> given;
  for (const std::uint8_t value : inputs) given.push_back(value != 0 ? Ternary::kOne : Ternary::kZero);
  const std::vector<Ternary> a = evaluate(store, left, given);
  const std::vector<Ternary> b = evaluate(store, right, given);
  std::vector<std::uint32_t> bits;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) bits.push_back(i);
  }
  return bits;
}

}  // namespace

WordResult compare_words(const AigStore& store, std::span<const Lit> left, std::span<const Lit> right,
                         const RewriteLimits& limits, dynomite::Stop& stop) {
  assert(left.size() == right.size() && !left.empty() && left.size() <= kMostBits);
  WordResult result;
  const Rewritten first = one_side(store, left, limits, result.left, stop);
  if (first.outcome != RewriteOutcome::kDone) return result;
  const Rewritten second = one_side(store, right, limits, result.right, stop);
  if (second.outcome != RewriteOutcome::kDone) return result;
  const Term* difference = least_difference(first.terms, second.terms);
  if (difference == nullptr) {
    result.status = WordStatus::kEqual;
    return result;
  }
  result.status = WordStatus::kDifferent;
  result.counterexample.assign(store.inputs().size() + store.latches().size(), 0);
  for (const std::uint32_t variable : difference->variables) result.counterexample[variable] = 1;
  result.differing = differing_bits(store, left, right, result.counterexample);
  if (result.differing.empty()) throw std::logic_error("algebra: a counterexample fails in simulation");
  return result;
}

}  // namespace dmt::algebra
