#include "dmt_dialect/native/algebra/polynomial.hpp"

#include <algorithm>
#include <cassert>

namespace dmt::algebra {

Ring::Ring(std::uint32_t bits)
    : bits_(bits),
      words_((bits + 63) / 64),
      top_mask_(bits % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bits % 64)) - 1) {
  assert(bits >= 1 && bits <= kMostBits);
}

Coefficient Ring::power_of_two(std::uint32_t exponent) const {
  Coefficient result;
  if (exponent < bits_) result.words[exponent / 64] = std::uint64_t{1} << (exponent % 64);
  return result;
}

Coefficient Ring::negated(const Coefficient& a) const {
  Coefficient result;
  std::uint64_t carry = 1;
  for (std::size_t i = 0; i < words_; ++i) {
    result.words[i] = ~a.words[i] + carry;
    carry = static_cast<std::uint64_t>(carry != 0 && result.words[i] == 0);
  }
  result.words[words_ - 1] &= top_mask_;
  return result;
}

Coefficient Ring::sum(const Coefficient& a, const Coefficient& b) const {
  Coefficient result;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < words_; ++i) {
    const std::uint64_t half = a.words[i] + b.words[i];
    result.words[i] = half + carry;
    carry =
        static_cast<std::uint64_t>(half < a.words[i]) | static_cast<std::uint64_t>(result.words[i] < half);
  }
  result.words[words_ - 1] &= top_mask_;
  return result;
}

bool Ring::is_zero(const Coefficient& a) const {
  return std::all_of(a.words.begin(), a.words.begin() + static_cast<std::ptrdiff_t>(words_),
                     [](std::uint64_t word) { return word == 0; });
}

Polynomial::Polynomial(const Ring& ring, std::uint32_t variables)
    : ring_(ring), words_(ring.word_count()), slots_(1024, 0), by_highest_(std::size_t{variables} + 1) {}

std::uint64_t Polynomial::hash(std::span<const std::uint32_t> variables) {
  std::uint64_t mixed = variables.size();
  for (const std::uint32_t variable : variables) {
    mixed = (mixed ^ variable) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
  }
  return mixed;
}

void Polynomial::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::uint32_t monomial = 0; monomial < met(); ++monomial) {
    std::size_t slot = hash(variables_of(monomial)) & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = monomial + 1;
  }
}

std::uint32_t Polynomial::find_or_insert(std::span<const std::uint32_t> variables) {
  std::size_t slot = hash(variables) & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const auto known = variables_of(slots_[slot] - 1);
    if (std::equal(known.begin(), known.end(), variables.begin(), variables.end())) return slots_[slot] - 1;
  }
  const auto monomial = static_cast<std::uint32_t>(met());
  slots_[slot] = monomial + 1;
  arena_.insert(arena_.end(), variables.begin(), variables.end());
  offsets_.push_back(arena_.size());
  coefficients_.resize(coefficients_.size() + words_, 0);
  listed_.push_back(false);
  if (met() * 2 > slots_.size()) grow();
  return monomial;
}

void Polynomial::add(std::span<const std::uint32_t> variables, const Coefficient& coefficient) {
  assert(std::is_sorted(variables.rbegin(), variables.rend()));
  if (ring_.is_zero(coefficient)) return;
  const std::uint32_t monomial = find_or_insert(variables);
  std::uint64_t* const own = coefficients_.data() + monomial * words_;
  Coefficient before;
  std::copy_n(own, words_, before.words.begin());
  const Coefficient after = ring_.sum(before, coefficient);
  std::copy_n(after.words.begin(), words_, own);
  if (ring_.is_zero(before)) ++live_;
  if (ring_.is_zero(after)) --live_;
  if (!listed_[monomial]) {
    listed_[monomial] = true;
    by_highest_[variables.empty() ? 0 : variables.front() + std::size_t{1}].push_back(monomial);
  }
}

std::vector<Term> Polynomial::take(std::uint32_t highest) {
  std::vector<Term> terms;
  for (const std::uint32_t monomial : by_highest_[highest + std::size_t{1}]) {
    listed_[monomial] = false;
    std::uint64_t* const own = coefficients_.data() + monomial * words_;
    Term term;
    std::copy_n(own, words_, term.coefficient.words.begin());
    if (ring_.is_zero(term.coefficient)) continue;
    std::fill_n(own, words_, 0);
    --live_;
    const auto variables = variables_of(monomial);
    term.variables.assign(variables.begin(), variables.end());
    terms.push_back(std::move(term));
  }
  by_highest_[highest + std::size_t{1}].clear();
  return terms;
}

Coefficient Polynomial::constant() const {
  Coefficient result;
  if (by_highest_[0].empty()) return result;
  std::copy_n(coefficients_.data() + by_highest_[0].front() * words_, words_, result.words.begin());
  return result;
}

}  // namespace dmt::algebra
