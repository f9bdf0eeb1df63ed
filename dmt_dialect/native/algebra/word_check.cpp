#include "dmt_dialect/native/algebra/word_check.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/aig/evaluate.hpp"
#include "dmt_dialect/native/algebra/prefix_carries.hpp"
#include "dmt_dialect/native/algebra/rebuild.hpp"
#include "dmt_dialect/native/algebra/value_table.hpp"

namespace dmt::algebra {

namespace {

/// One word, its logic taken for itself.
class Side {
 public:
  Side(const AigStore& store, std::span<const Lit> word, SideStats& stats) : stats_(stats) {
    ConeOptions options;
    options.follow_latches = false;
    options.keep_inputs = true;
    cone_ = extract_cone(store, word, options);
    outputs_ = cone_.outputs();
    stats_.nodes = cone_.and_count();
  }

  /// The word's polynomial.
  void rewrite(const RewriteLimits& limits, dynomite::Stop& stop) {
    found_ = find_adder_cells(cone_, stop);
    if (!found_.complete) return;
    CarryCells carries = find_carry_cells(cone_, found_, stop);
    Facts facts;
    facts.proved = static_cast<std::uint32_t>(carries.cells.size());
    facts.cells = std::move(carries.cells);
    facts.cells.insert(facts.cells.end(), found_.cells.begin(), found_.cells.end());
    facts.xors = found_.xors;
    result = rewrite_word(cone_, facts, outputs_, limits, stop);
    stats_.cells = result.cells_used;
    stats_.carries_proved = facts.proved;
    stats_.terms = result.terms.size();
    stats_.most_terms = result.most_terms;
    stats_.monomials = result.monomials;
    stats_.carries_expanded = result.carries_expanded;
    stats_.outcome = result.outcome;
  }

  bool is_done() const { return result.outcome == RewriteOutcome::kDone; }

  /// Whether the word is this polynomial, proved by a circuit for it.
  bool is(const std::vector<Term>& terms, dynomite::Stop& stop) {
    const Rebuilt rebuilt = prove_by_rebuilding(cone_, found_, outputs_, terms, stop);
    stats_.rebuilt_by_gates = rebuilt.by_gates;
    stats_.rebuilt_by_values = rebuilt.by_values;
    stats_.rebuilt_invented = rebuilt.invented;
    return rebuilt.equal;
  }

  Rewritten result;

 private:
  SideStats& stats_;
  AigStore cone_;
  std::vector<Lit> outputs_;
  AdderCells found_;
};

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

/// After the counterexample is there.
void set_different(const AigStore& store, std::span<const Lit> left, std::span<const Lit> right,
                   WordResult& result) {
  result.status = WordStatus::kDifferent;
  result.differing = differing_bits(store, left, right, result.counterexample);
  if (result.differing.empty()) throw std::logic_error("algebra: a counterexample fails in simulation");
}

/// Random patterns: what differs much is found at once.
void simulate(const AigStore& store, std::span<const Lit> left, std::span<const Lit> right,
              WordResult& result) {
  const ValueTable values(store);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Values difference = values.value(left[i]) ^ values.value(right[i]);
    for (std::size_t word = 0; word < kValueWords; ++word) {
      if (difference[word] == 0) continue;
      const int bit = __builtin_ctzll(difference[word]);
      const auto add = [&](NodeId node) {
        const std::uint64_t own = values.value(Lit(node, false))[word];
        result.counterexample.push_back(static_cast<std::uint8_t>((own >> bit) & 1U));
      };
      for (const NodeId input : store.inputs()) add(input);
      for (const Latch& latch : store.latches()) add(latch.node);
      set_different(store, left, right, result);
      return;
    }
  }
}

}  // namespace

WordResult compare_words(const AigStore& store, std::span<const Lit> left, std::span<const Lit> right,
                         const RewriteLimits& limits, dynomite::Stop& stop) {
  assert(left.size() == right.size() && !left.empty() && left.size() <= kMostBits);
  WordResult result;
  if (!stop.poll()) simulate(store, left, right, result);
  if (result.status == WordStatus::kDifferent) return result;
  Side first(store, left, result.left);
  Side second(store, right, result.right);
  first.rewrite(limits, stop);
  if (!stop.poll()) second.rewrite(limits, stop);
  if (!first.is_done() || !second.is_done()) {
    if (!first.is_done() && !second.is_done()) return result;
    Side& open = first.is_done() ? second : first;
    const Side& known = first.is_done() ? first : second;
    if (!stop.poll() && open.is(known.result.terms, stop)) result.status = WordStatus::kEqual;
    return result;
  }
  const Term* difference = least_difference(first.result.terms, second.result.terms);
  if (difference == nullptr) {
    result.status = WordStatus::kEqual;
    return result;
  }
  result.counterexample.assign(store.inputs().size() + store.latches().size(), 0);
  for (const std::uint32_t variable : difference->variables) result.counterexample[variable] = 1;
  set_different(store, left, right, result);
  return result;
}

}  // namespace dmt::algebra
