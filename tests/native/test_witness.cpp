#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/witness.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/base/stop.hpp"
#include "tests/native/check.hpp"

using dmt::AigStore;
using dmt::evaluate;
using dmt::kFalse;
using dmt::kTrue;
using dmt::Lit;
using dmt::needed_variables;
using dmt::NodeId;
using dmt::Reset;
using dmt::Ternary;
using dmt::WitnessSide;
using dynomite::Random;
using dynomite::Stop;

namespace {

constexpr std::uint64_t kPlenty = 1'000'000;

AigStore random_aig(Random& random, std::uint32_t inputs, std::uint32_t ands) {
  AigStore aig;
  std::vector<Lit> lits;
  for (std::uint32_t i = 0; i < inputs; ++i) lits.push_back(aig.add_input());
  lits.push_back(aig.add_latch(Reset::kZero));
  for (std::uint32_t i = 0; i < ands; ++i) {
    const auto draw = [&] {
      return lits[random.below(static_cast<std::uint32_t>(lits.size()))] ^ (random.below(2) != 0);
    };
    const Lit a = draw();
    lits.push_back(aig.and_(a, draw()));
  }
  return aig;
}

/// Two-valued value of `lit`; bit i of `cis` is the i-th input or latch.
bool value(const AigStore& aig, Lit lit, std::uint32_t cis) {
  std::vector<bool> values(aig.node_count());
  const auto of = [&](Lit l) { return values[l.node().index()] != l.complemented(); };
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    const NodeId id(i);
    if (aig.is_and(id)) {
      values[i] = of(aig.fanin0(id)) && of(aig.fanin1(id));
    } else {
      const std::size_t ci = aig.ci_index(id) + (aig.is_latch(id) ? aig.inputs().size() : 0);
      values[i] = ((cis >> ci) & 1U) != 0;
    }
  }
  return of(lit);
}

Ternary known(bool bit) { return bit ? Ternary::kOne : Ternary::kZero; }

}  // namespace

TEST(evaluation_agrees_with_all_completions) {
  Random random(1);
  for (int round = 0; round < 30; ++round) {
    const AigStore aig = random_aig(random, 5, 40);
    std::vector<Ternary> cis(6);
    for (Ternary& ci : cis) ci = static_cast<Ternary>(random.below(3));
    std::vector<Lit> lits = {kFalse, kTrue};
    for (std::uint32_t i = 1; i < aig.node_count(); ++i) lits.emplace_back(NodeId(i), random.below(2) != 0);
    const std::vector<Ternary> found = evaluate(aig, cis, lits);
    CHECK_EQ(found[0], Ternary::kZero);
    CHECK_EQ(found[1], Ternary::kOne);
    for (std::uint32_t pattern = 0; pattern < 64; ++pattern) {
      bool fits = true;
      for (std::uint32_t i = 0; i < 6; ++i) {
        const bool bit = ((pattern >> i) & 1U) != 0;
        fits = fits && (cis[i] == Ternary::kUnknown || cis[i] == known(bit));
      }
      if (!fits) continue;
      for (std::size_t k = 0; k < lits.size(); ++k) {
        if (found[k] != Ternary::kUnknown) CHECK_EQ(found[k], known(value(aig, lits[k], pattern)));
      }
    }
  }
}

TEST(needed_variables_hold_both_values) {
  Random random(2);
  int shrunk = 0;
  for (int round = 0; round < 200; ++round) {
    const AigStore left = random_aig(random, 7, 60);
    const AigStore right = random_aig(random, 7, 60);
    const Lit a(NodeId(left.node_count() - 1), random.below(2) != 0);
    const Lit b(NodeId(right.node_count() - 1), random.below(2) != 0);
    // The sides read the variables in different orders; variable 8 is read by neither.
    std::vector<std::uint32_t> left_reads, right_reads;
    for (std::uint32_t i = 0; i < 8; ++i) {
      left_reads.push_back(i);
      right_reads.push_back(7 - i);
    }
    std::vector<std::uint8_t> values(9);
    for (std::uint8_t& v : values) v = static_cast<std::uint8_t>(random.below(2));
    for (const std::uint64_t budget : {std::uint64_t{0}, kPlenty}) {
      Stop stop;
      const WitnessSide sides[] = {{&left, a, left_reads}, {&right, b, right_reads}};
      const std::vector<bool> needed = needed_variables(sides[0], sides[1], values, budget, stop);
      CHECK_EQ(needed.size(), values.size());
      CHECK(!needed[8]);
      for (const WitnessSide& side : sides) {
        std::vector<Ternary> cis;
        std::uint32_t pattern = 0;
        for (std::uint32_t i = 0; i < 8; ++i) {
          const std::uint32_t v = side.variables[i];
          cis.push_back(needed[v] ? known(values[v] != 0) : Ternary::kUnknown);
          pattern |= static_cast<std::uint32_t>(values[v]) << i;
        }
        const Lit lits[] = {side.lit};
        CHECK_EQ(evaluate(*side.aig, cis, lits)[0], known(value(*side.aig, side.lit, pattern)));
      }
      if (budget == 0) continue;
      // Minimal: without any one of them, one side is unknown.
      for (std::uint32_t v = 0; v < 8; ++v) {
        if (!needed[v]) {
          ++shrunk;
          continue;
        }
        bool unknown = false;
        for (const WitnessSide& side : sides) {
          std::vector<Ternary> cis;
          for (std::uint32_t i = 0; i < 8; ++i) {
            const std::uint32_t w = side.variables[i];
            cis.push_back(needed[w] && w != v ? known(values[w] != 0) : Ternary::kUnknown);
          }
          const Lit lits[] = {side.lit};
          unknown = unknown || evaluate(*side.aig, cis, lits)[0] == Ternary::kUnknown;
        }
        CHECK(unknown);
      }
    }
  }
  CHECK(shrunk > 100);
}

TEST(needed_variables_of_constants_and_inputs) {
  AigStore aig;
  const Lit x = aig.add_input();
  const std::vector<std::uint32_t> reads = {0};
  const std::vector<std::uint8_t> values = {1};
  Stop stop;
  CHECK(!needed_variables({&aig, kTrue, reads}, {&aig, kFalse, reads}, values, kPlenty, stop)[0]);
  CHECK(needed_variables({&aig, x, reads}, {&aig, kFalse, reads}, values, kPlenty, stop)[0]);
}

TEST(a_stopped_search_still_gives_a_sufficient_set) {
  AigStore aig;
  Lit all = kTrue;
  std::vector<std::uint32_t> reads;
  for (std::uint32_t i = 0; i < 50; ++i) {
    all = aig.and_(all, aig.add_input());
    reads.push_back(i);
  }
  const std::vector<std::uint8_t> values(50, 1);
  Stop stop;
  stop.cancel();
  const std::vector<bool> needed =
      needed_variables({&aig, all, reads}, {&aig, kFalse, reads}, values, kPlenty, stop);
  for (std::size_t i = 0; i < 50; ++i) CHECK(needed[i]);
}

TEST(deep_circuits_need_no_recursion) {
  AigStore aig;
  const Lit x = aig.add_input();
  const Lit y = aig.add_input();
  Lit chain = x;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) chain = aig.append_and(~chain, i % 2 == 0 ? y : x);
  const std::vector<std::uint32_t> reads = {0, 1};
  const std::vector<std::uint8_t> values = {1, 1};
  Stop stop;
  const std::vector<bool> needed =
      needed_variables({&aig, chain, reads}, {&aig, kFalse, reads}, values, kPlenty, stop);
  CHECK(needed[0] || needed[1]);
}
