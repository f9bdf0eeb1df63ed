#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace dmt::algebra {

/// Most bits of a coefficient.
inline constexpr std::uint32_t kMostBits = 1024;
inline constexpr std::size_t kMostWords = kMostBits / 64;

/// An integer modulo 2^bits, lowest word first; words and bits above are 0.
struct Coefficient {
  std::array<std::uint64_t, kMostWords> words{};
};

/// Arithmetic modulo 2^bits. Costs are linear in the words in use.
class Ring {
 public:
  /// 1 <= bits <= kMostBits.
  explicit Ring(std::uint32_t bits);

  std::uint32_t bits() const { return bits_; }
  std::size_t word_count() const { return words_; }
  Coefficient power_of_two(std::uint32_t exponent) const;
  Coefficient negated(const Coefficient& a) const;
  Coefficient sum(const Coefficient& a, const Coefficient& b) const;
  Coefficient doubled(const Coefficient& a) const { return sum(a, a); }
  bool is_zero(const Coefficient& a) const;

 private:
  std::uint32_t bits_;
  std::size_t words_;
  std::uint64_t top_mask_;
};

/// A term of a polynomial: coefficient and variables, each once, highest first.
struct Term {
  std::vector<std::uint32_t> variables;
  Coefficient coefficient;
};

/// Polynomial with coefficients modulo 2^bits in variables that are 0 or 1, so that x * x = x. Monomials are
/// kept by their highest variable, which is the one that rewriting takes next. Every monomial met is stored
/// once, for good: 8 bytes, a coefficient, and 4 bytes a variable.
class Polynomial {
 public:
  /// Variables are 0 to `variables` - 1.
  Polynomial(const Ring& ring, std::uint32_t variables);

  /// Adds `coefficient` times the product of the variables, which are in descending order, each once.
  /// Expected constant time in the number of terms.
  void add(std::span<const std::uint32_t> variables, const Coefficient& coefficient);

  /// Takes out the terms whose highest variable this is; those with coefficient 0 are left out.
  std::vector<Term> take(std::uint32_t highest);
  /// Whether there may be such terms.
  bool has(std::uint32_t highest) const { return !by_highest_[highest + 1].empty(); }
  /// The number without variables.
  Coefficient constant() const;

  /// Terms with a coefficient other than 0.
  std::size_t size() const { return live_; }
  /// Monomials ever met.
  std::size_t met() const { return offsets_.size() - 1; }

 private:
  std::uint32_t find_or_insert(std::span<const std::uint32_t> variables);
  std::span<const std::uint32_t> variables_of(std::uint32_t monomial) const {
    return {arena_.data() + offsets_[monomial], offsets_[monomial + 1] - offsets_[monomial]};
  }
  static std::uint64_t hash(std::span<const std::uint32_t> variables);
  void grow();

  Ring ring_;
  std::size_t words_;
  std::vector<std::uint32_t> arena_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint64_t> coefficients_;             // words_ a monomial
  std::vector<bool> listed_;                            // in by_highest_
  std::vector<std::uint32_t> slots_;                    // monomial + 1
  std::vector<std::vector<std::uint32_t>> by_highest_;  // variable + 1; 0 for the constant
  std::size_t live_ = 0;
};

}  // namespace dmt::algebra
