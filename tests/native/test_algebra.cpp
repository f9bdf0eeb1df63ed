#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "dmt_dialect/native/algebra/word_check.hpp"
#include "dmt_dialect/native/word/blast.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

using dmt::AigStore;
using dmt::kTrue;
using dmt::Lit;
using dmt::algebra::Coefficient;
using dmt::algebra::Facts;
using dmt::algebra::Polynomial;
using dmt::algebra::RewriteOutcome;
using dmt::algebra::Rewritten;
using dmt::algebra::Ring;
using dmt::algebra::Term;
using dmt::algebra::WordResult;
using dmt::algebra::WordStatus;

namespace {

/// The value of a polynomial for inputs given as bits, in the low 64 bits.
std::uint64_t value_of(const std::vector<Term>& terms, std::uint64_t inputs, std::uint32_t bits) {
  std::uint64_t sum = 0;
  for (const Term& term : terms) {
    bool all = true;
    for (const std::uint32_t variable : term.variables) all = all && ((inputs >> variable) & 1U) != 0;
    if (all) sum += term.coefficient.words[0];
  }
  return bits >= 64 ? sum : sum & ((std::uint64_t{1} << bits) - 1);
}

using Inputs = std::array<std::vector<Lit>, 2>;

Inputs add_inputs(AigStore& aig, std::uint32_t width) {
  Inputs inputs;
  for (auto& operand : inputs) {
    for (std::uint32_t i = 0; i < width; ++i) operand.push_back(aig.add_input());
  }
  return inputs;
}

std::vector<Lit> product(AigStore& aig, const Inputs& inputs, dmt::Multiplier multiplier, dmt::Adder adder) {
  const std::array operands = {dmt::WordLits(inputs[0]), dmt::WordLits(inputs[1])};
  dmt::Architecture architecture;
  architecture.multiplier = multiplier;
  architecture.adder = adder;
  dynomite::Stop stop;
  std::vector<Lit> word;
  CHECK(dmt::blast(aig, dmt::WordOp::kUmulw, operands, {}, architecture, stop, word));
  return word;
}

}  // namespace

TEST(coefficients_wrap) {
  for (const std::uint32_t bits : {1U, 7U, 64U, 65U, 200U, 1024U}) {
    const Ring ring(bits);
    const Coefficient top = ring.power_of_two(bits - 1);
    CHECK(!ring.is_zero(top));
    CHECK(ring.is_zero(ring.doubled(top)));
    CHECK(ring.is_zero(ring.power_of_two(bits)));
    Coefficient sum;
    for (std::uint32_t i = 0; i < bits; ++i) sum = ring.sum(sum, ring.power_of_two(i));
    CHECK(ring.is_zero(ring.sum(sum, ring.power_of_two(0))));
    CHECK(ring.negated(ring.power_of_two(0)).words == sum.words);
    CHECK(ring.is_zero(ring.negated(Coefficient{})));
  }
}

TEST(terms_cancel_and_are_taken_by_their_highest_variable) {
  const Ring ring(8);
  Polynomial polynomial(ring, 1000);
  for (std::uint32_t i = 1; i < 1000; ++i)
    polynomial.add(std::vector<std::uint32_t>{i, i - 1}, ring.power_of_two(3));
  CHECK_EQ(polynomial.size(), 999U);
  polynomial.add(std::vector<std::uint32_t>{5, 4}, ring.negated(ring.power_of_two(3)));
  CHECK_EQ(polynomial.size(), 998U);
  CHECK(polynomial.take(5).empty());
  const std::vector<Term> terms = polynomial.take(6);
  CHECK_EQ(terms.size(), 1U);
  CHECK(terms[0].variables == (std::vector<std::uint32_t>{6, 5}));
  CHECK_EQ(polynomial.size(), 997U);
  CHECK(polynomial.take(6).empty());
  polynomial.add({}, ring.power_of_two(2));
  CHECK_EQ(polynomial.constant().words[0], 4U);
}

TEST(words_of_random_gates_have_their_values) {
  dynomite::Stop stop;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random_aig::Circuit circuit =
        seed % 2 == 0 ? random_aig::make(seed, 6, 40) : random_aig::make_plain(seed, 6, 40);
    const std::size_t bits = 1 + seed % 9;
    const std::vector<Lit> word(circuit.lits.end() - static_cast<std::ptrdiff_t>(bits), circuit.lits.end());
    const dmt::AdderCells found = dmt::find_adder_cells(circuit.aig, stop);
    const Facts facts{found.cells, 0, found.xors};
    const Rewritten result = dmt::algebra::rewrite_word(circuit.aig, facts, word, {}, stop);
    CHECK(result.outcome == RewriteOutcome::kDone);
    const std::vector<std::uint64_t> tables = random_aig::truth_tables(circuit.aig);
    for (std::uint64_t inputs = 0; inputs < 64; ++inputs) {
      std::uint64_t expected = 0;
      for (std::size_t i = 0; i < bits; ++i) {
        expected |= ((random_aig::table_of(tables, word[i]) >> inputs) & 1U) << i;
      }
      CHECK_EQ(value_of(result.terms, inputs, static_cast<std::uint32_t>(bits)), expected);
    }
  }
}

TEST(products_have_their_polynomial) {
  dynomite::Stop stop;
  for (const auto multiplier :
       {dmt::Multiplier::kArray, dmt::Multiplier::kWallace, dmt::Multiplier::kBooth}) {
    for (const auto adder : {dmt::Adder::kRipple, dmt::Adder::kKoggeStone, dmt::Adder::kBrentKung}) {
      AigStore aig;
      const std::vector<Lit> word = product(aig, add_inputs(aig, 24), multiplier, adder);
      const WordResult result = dmt::algebra::compare_words(aig, word, word, {}, false, stop);
      CHECK(result.status == WordStatus::kEqual);
      CHECK_EQ(result.left.terms, 24U * 24U);
    }
  }
}

TEST(a_difference_is_a_point_where_the_words_differ) {
  dynomite::Stop stop;
  AigStore aig;
  const Inputs inputs = add_inputs(aig, 16);
  const std::vector<Lit> word = product(aig, inputs, dmt::Multiplier::kDadda, dmt::Adder::kKoggeStone);
  // Another factor, for one value of the other bits only.
  Inputs wrong = inputs;
  Lit others = kTrue;
  for (std::uint32_t i = 1; i < 16; ++i) others = aig.and_(others, inputs[0][i]);
  wrong[0][0] = aig.xor_(inputs[0][0], others);
  const std::vector<Lit> other = product(aig, wrong, dmt::Multiplier::kBooth, dmt::Adder::kRipple);
  const WordResult result = dmt::algebra::compare_words(aig, word, other, {}, false, stop);
  CHECK(result.status == WordStatus::kDifferent);
  CHECK(result.differing == std::vector<std::uint32_t>{0});
  CHECK_EQ(result.counterexample.size(), 32U);
  if (result.counterexample.size() != 32) return;
  for (std::uint32_t i = 0; i < 32; ++i) {
    CHECK_EQ(static_cast<int>(result.counterexample[i]), i >= 1 && i <= 16 ? 1 : 0);
  }
}
