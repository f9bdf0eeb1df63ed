#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace dmt::opt {

/// An expression over divisors: up to three ANDs. Literals are twice the number plus complement; numbers
/// below the number of divisors are divisors, those above the gates in their order.
struct Expression {
  static constexpr unsigned kMostGates = 3;
  std::array<std::array<std::uint32_t, 2>, kMostGates> gates = {};
  unsigned gate_count = 0;
  std::uint32_t output = 0;
};

/// Looks for an expression of few gates that agrees with a function on its care set, all given as bit vectors
/// (patterns) of the same length. Exact for no gate, one gate, XOR; greedy in part for two and three gates
/// (as Lee, Riener, Mishchenko, Brayton, De Micheli, "A simulation-guided paradigm for logic synthesis and
/// verification", IEEE TCAD 2022).
class DivisorSearch {
 public:
  using Words = const std::uint64_t*;

  /// `on` and `off`: patterns where the function is 1, and 0; the others do not matter. `rows`: of each
  /// divisor, `words` words. All must live until the last `find`.
  void start(Words on, Words off, std::span<const Words> rows, unsigned words);

  /// The first expression with exactly `gates` gates (at most 3), if any is found.
  bool find(unsigned gates, Expression& result);

 private:
  using Literal = std::uint32_t;
  struct Part {
    Literal literal;
    std::uint32_t count;  // patterns covered
  };
  struct Pair {
    Literal a, b;
    std::uint32_t count;
  };

  void classify();
  bool find_literal(Expression& result) const;
  bool find_or(int side, Expression& result);
  bool find_two(int side, Expression& result);
  bool find_three(int side, Expression& result);
  bool find_xor(Expression& result);
  bool find_mux(Expression& result);
  void find_pairs(int side);

  bool covers_rest(Literal literal, Words rest) const;
  bool disjoint(Literal a, Literal b, Words set) const;
  std::uint64_t word(Literal literal, unsigned i) const {
    return rows_[literal >> 1][i] ^ (0 - static_cast<std::uint64_t>(literal & 1U));
  }
  Words on(int side) const { return side == 0 ? on_ : off_; }
  Words off(int side) const { return side == 0 ? off_ : on_; }
  std::uint32_t size_of(Words set) const;
  void rest_of(Literal literal, Words set, std::vector<std::uint64_t>& rest) const;
  void holding(Words set, std::vector<Literal>& literals) const;
  std::uint32_t gate_literal(unsigned number) const {
    return 2 * static_cast<std::uint32_t>(rows_.size() + number);
  }

  Words on_ = nullptr, off_ = nullptr;
  std::span<const Words> rows_;
  unsigned words_ = 0;
  bool classified_ = false;
  std::array<bool, 2> paired_ = {};
  // For the function and its complement: literals within it, and ANDs of two within it; largest first.
  std::array<std::vector<Part>, 2> parts_;
  std::array<std::vector<Pair>, 2> pairs_;
  std::vector<Literal> open_;  // literals within neither
  std::vector<std::uint64_t> rest_, rest2_;
  std::vector<Literal> holding_;
};

}  // namespace dmt::opt
