#include "dmt_dialect/native/algebra/word_check.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "dmt_dialect/native/aig/evaluate.hpp"
#include "dmt_dialect/native/algebra/value_table.hpp"

namespace dmt::algebra {

namespace {

/// Shorter words are no sums worth building.
constexpr std::size_t kFewestBitsRebuilt = 8;

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

void decide(const AigStore& store, std::span<const Lit> left, std::span<const Lit> right, Side& first,
            Side& second, dynomite::Stop& stop, WordResult& result) {
  if (!first.is_done() || !second.is_done()) {
    if (stop.poll() || (!first.is_done() && !second.is_done()) || left.size() < kFewestBitsRebuilt) return;
    Side& open = first.is_done() ? second : first;
    const Side& known = first.is_done() ? first : second;
    if (open.is(known.terms(), stop)) result.status = WordStatus::kEqual;
    return;
  }
  const Term* difference = least_difference(first.terms(), second.terms());
  if (difference == nullptr) {
    result.status = WordStatus::kEqual;
    return;
  }
  result.counterexample.assign(store.inputs().size() + store.latches().size(), 0);
  for (const std::uint32_t variable : difference->variables) result.counterexample[variable] = 1;
  set_different(store, left, right, result);
}

}  // namespace

WordResult compare_words(const AigStore& store, std::span<const Lit> left, std::span<const Lit> right,
                         const RewriteLimits& limits, bool explain, dynomite::Stop& stop) {
  assert(left.size() == right.size() && !left.empty() && left.size() <= kMostBits);
  WordResult result;
  if (!stop.poll()) simulate(store, left, right, result);
  if (result.status == WordStatus::kDifferent) return result;
  Side first(store, left);
  Side second(store, right);
  first.rewrite(limits, stop);
  if (!stop.poll()) second.rewrite(limits, stop);
  decide(store, left, right, first, second, stop, result);
  result.left = first.stats();
  result.right = second.stats();
  if (explain && result.status == WordStatus::kEqual) {
    result.explained.push_back(first.explain(store.node_count(), limits, stop));
    const auto added = static_cast<std::uint32_t>(result.explained.front().gates.size());
    result.explained.push_back(second.explain(store.node_count() + added, limits, stop));
    if (stop.poll()) result.explained.clear();
  }
  return result;
}

}  // namespace dmt::algebra
