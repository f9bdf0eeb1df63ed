#include <vector>

#include "dmt_dialect/native/aig/exhaustive.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

using dmt::Lit;

TEST(first_differences_agree_with_truth_tables) {
  dynomite::Stop stop;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto circuit = random_aig::make(seed, 6, 40);
    const auto tables = random_aig::truth_tables(circuit.aig);
    dynomite::Random random(seed);
    std::vector<std::pair<Lit, Lit>> pairs;
    const auto n = static_cast<std::uint32_t>(circuit.lits.size());
    for (int k = 0; k < 30; ++k)
      pairs.emplace_back(circuit.lits[random.below(n)], circuit.lits[random.below(n)]);
    const std::vector<std::uint32_t> support = {0, 1, 2, 3, 4, 5};
    const auto result = dmt::compare_exhaustively(circuit.aig, pairs, support, stop);
    CHECK(result.complete);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::uint64_t difference =
          random_aig::table_of(tables, pairs[i].first) ^ random_aig::table_of(tables, pairs[i].second);
      CHECK(result.differences[i].has_value() == (difference != 0));
      if (difference != 0) {
        CHECK_EQ(*result.differences[i], static_cast<std::uint64_t>(__builtin_ctzll(difference)));
      }
    }
  }
}

TEST(the_last_assignment_of_a_wide_support_is_reached) {
  // AND of 20 inputs against constant false: the only difference is the last of 2^20 assignments.
  dmt::AigStore aig;
  Lit all = dmt::kTrue;
  std::vector<std::uint32_t> support;
  for (std::uint32_t i = 0; i < 20; ++i) {
    all = aig.and_(all, aig.add_input());
    support.push_back(i);
  }
  dynomite::Stop stop;
  const std::vector<std::pair<Lit, Lit>> pairs = {{all, dmt::kFalse}, {all, all}};
  const auto result = dmt::compare_exhaustively(aig, pairs, support, stop);
  CHECK(result.complete);
  CHECK(result.differences[0].has_value());
  CHECK_EQ(*result.differences[0], (std::uint64_t{1} << 20) - 1);
  CHECK(!result.differences[1].has_value());
}

TEST(support_is_structural_and_in_source_order) {
  dmt::AigStore aig;
  const Lit a = aig.add_input();
  aig.add_input();
  const Lit c = aig.add_input();
  const Lit q = aig.add_latch();
  const std::vector<Lit> roots = {aig.and_(q, c), a};
  CHECK(dmt::structural_support(aig, roots) == (std::vector<std::uint32_t>{0, 2, 3}));
  CHECK_EQ(dmt::exhaustive_cost(10, 3), 48U);
  CHECK_EQ(dmt::exhaustive_cost(64, 3), ~std::uint64_t{0});
}

TEST(a_stopped_comparison_is_not_complete) {
  const auto circuit = random_aig::make(3, 6, 40);
  dynomite::Stop stop;
  stop.cancel();
  const std::vector<std::uint32_t> support = {0, 1, 2, 3, 4, 5};
  const std::vector<std::pair<Lit, Lit>> pairs = {{circuit.lits.back(), circuit.lits.back()}};
  CHECK(!dmt::compare_exhaustively(circuit.aig, pairs, support, stop).complete);
}
