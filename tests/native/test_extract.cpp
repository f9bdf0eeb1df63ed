#include <algorithm>
#include <cstdint>
#include <vector>

#include "dmt_dialect/native/opt/extract.hpp"
#include "dmt_dialect/native/opt/extract_collapse.hpp"
#include "dmt_dialect/native/opt/extract_divisors.hpp"
#include "dmt_dialect/native/opt/level_aware.hpp"
#include "dmt_dialect/native/opt/sop_network.hpp"
#include "dynomite/native/base/error.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

using dmt::AigStore;
using dmt::Lit;
using dmt::NodeId;
using dmt::opt::Division;
using dmt::opt::Divisor;
using dmt::opt::DivisorTable;
using dmt::opt::SopNetwork;

namespace {

using Literals = std::vector<std::uint32_t>;
constexpr std::uint32_t kNone = DivisorTable::kNone;

bool value_of(std::span<const std::uint32_t> product, std::uint32_t row) {
  return std::all_of(product.begin(), product.end(),
                     [&](std::uint32_t literal) { return ((row >> (literal >> 1)) & 1U) != (literal & 1U); });
}
bool value_of(const Divisor& divisor, std::uint32_t row) {
  return value_of(divisor.product(0), row) || (divisor.second != 0 && value_of(divisor.product(1), row));
}

/// A product of literals of `variables` variables, not empty.
Literals random_product(dynomite::Random& random, std::uint32_t variables) {
  Literals product;
  while (product.empty()) {
    for (std::uint32_t v = 0; v < variables; ++v) {
      const auto kind = random.below(4);
      if (kind < 2) product.push_back(2 * v + static_cast<std::uint32_t>(kind));
    }
  }
  return product;
}

DivisorTable::Place alone(std::uint32_t cube) { return {cube, kNone}; }

std::vector<bool> outputs_of(const AigStore& aig, std::uint64_t row) {
  std::vector<bool> values(aig.node_count(), false);
  for (std::size_t i = 0; i < aig.inputs().size(); ++i)
    values[aig.inputs()[i].index()] = ((row >> i) & 1U) != 0;
  const auto of = [&](Lit lit) { return values[lit.node().index()] != lit.complemented(); };
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    if (aig.is_and(NodeId(i))) values[i] = of(aig.fanin0(NodeId(i))) && of(aig.fanin1(NodeId(i)));
  }
  std::vector<bool> result;
  for (const Lit lit : aig.outputs()) result.push_back(of(lit));
  return result;
}

AigStore random_circuit(std::uint64_t seed, std::uint32_t inputs, std::uint32_t gates) {
  dynomite::Random random(seed);
  AigStore aig;
  std::vector<Lit> lits;
  for (std::uint32_t i = 0; i < inputs; ++i) lits.push_back(aig.add_input());
  const auto pick = [&] {
    return lits[random.below(static_cast<std::uint32_t>(lits.size()))] ^ (random.below(2) != 0);
  };
  for (std::uint32_t i = 0; i < gates; ++i) {
    const Lit a = pick(), b = pick(), c = pick();
    const auto kind = random.below(4);
    lits.push_back(kind == 0 ? aig.xor_(a, b) : kind == 1 ? aig.mux(a, b, c) : aig.and_(a, b));
  }
  for (std::uint32_t i = 0; i < 4; ++i) aig.outputs().push_back(pick());
  aig.outputs().push_back(~aig.outputs()[0]);
  aig.outputs().push_back(dmt::kTrue);
  return aig;
}

AigStore extracted(const AigStore& aig, const dmt::opt::ExtractParams& params,
                   dmt::opt::ExtractStats* stats = nullptr) {
  dynomite::Stop stop;
  return dmt::opt::extract(aig, params, stats, stop);
}

}  // namespace

TEST(divisions_of_random_products_hold_on_every_row) {
  dynomite::Random random(7);
  unsigned seen = 0, complemented = 0;
  for (int round = 0; round < 3000; ++round) {
    const Literals a = random_product(random, 6), b = random_product(random, 6);
    const auto most = static_cast<unsigned>(2 + random.below(7));
    const auto division = dmt::opt::divide_products(a, b, most);
    if (!division) continue;
    ++seen;
    complemented += division->complemented ? 1 : 0;
    CHECK(division->divisor.size() <= most);
    CHECK_EQ(division->base * 2 + (division->divisor.second == 0 ? 2 : division->divisor.size()),
             a.size() + b.size());
    Literals base;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(base));
    CHECK_EQ(base.size(), division->base);
    for (std::uint32_t row = 0; row < 64; ++row) {
      const bool divided = value_of(base, row) && value_of(division->divisor, row) != division->complemented;
      if (divided != (value_of(a, row) || value_of(b, row))) CHECK_EQ(row, 64U);
    }
  }
  CHECK(seen > 500);
  CHECK(complemented > 50);
}

TEST(products_that_contain_each_other_have_no_division) {
  CHECK(!dmt::opt::divide_products(Literals{0, 2}, Literals{0, 2, 4}, 8));
  CHECK(!dmt::opt::divide_products(Literals{0, 2}, Literals{0, 2}, 8));
  CHECK(!dmt::opt::divide_products(Literals{0, 2}, Literals{1, 2}, 8));
  CHECK(!dmt::opt::divide_products(Literals{0, 2, 4}, Literals{6, 8}, 4));
  CHECK(dmt::opt::divide_products(Literals{0, 2, 4}, Literals{6, 8}, 5));
}

TEST(a_divisor_stands_for_its_complement) {
  const auto divide = [](const Literals& a, const Literals& b) {
    const auto division = dmt::opt::divide_products(a, b, 4);
    CHECK(division);
    return *division;
  };
  // x + y and x' y'.
  const Division sum = divide({0, 8}, {2, 8});
  CHECK(sum.divisor == dmt::opt::divisor_of_literals(3, 1));
  CHECK(sum.complemented);
  CHECK_EQ(sum.base, 1U);
  // Every way to write XOR and XNOR of two variables.
  const Division differ = divide({0, 3}, {1, 2}), same = divide({1, 3}, {0, 2});
  CHECK(differ.divisor == same.divisor);
  CHECK(differ.complemented && !same.complemented);
  // s y + s' z and s y' + s' z', for both values of z; as s' z + s y, too.
  for (const std::uint32_t z : {4U, 5U}) {
    for (const std::uint32_t y : {2U, 3U}) {
      const Division one = divide({0, y}, {1, z}), other = divide({1, z ^ 1U}, {0, y ^ 1U});
      CHECK(one.divisor == other.divisor);
      CHECK(one.complemented != other.complemented);
      CHECK_EQ(one.complemented, (y & 1U) != 0);
    }
  }
  CHECK(!(divide({0, 2}, {1, 4}).divisor == divide({0, 2}, {1, 5}).divisor));
}

TEST(the_table_tells_the_gain_as_places_come_and_go) {
  DivisorTable table;
  const std::uint32_t pair = table.find_or_add(dmt::opt::divisor_of_literals(0, 2), 1);
  CHECK_EQ(table.find_or_add(dmt::opt::divisor_of_literals(2, 0), 1), pair);
  CHECK_EQ(table.find(dmt::opt::divisor_of_literals(0, 3)), kNone);
  table.add(pair, alone(10), 0);
  CHECK_EQ(table.gain(pair), 0);
  CHECK_EQ(table.pop(), kNone);
  table.add(pair, alone(11), 0);
  table.add(pair, {12, 13}, 3);  // x' + y' times three literals: 3 + 1 saved
  CHECK_EQ(table.gain(pair), 5);
  table.remove(pair, 0);
  CHECK_EQ(table.gain(pair), 4);
  CHECK_EQ(table.count(pair), 2U);
  CHECK_EQ(table.pop(), pair);
  std::vector<DivisorTable::Place> places;
  table.take_places(pair, places);
  CHECK((places == std::vector<DivisorTable::Place>{alone(10), alone(11), {12, 13}}));
  table.take_places(pair, places);
  CHECK(places.empty());
}

TEST(one_use_pays_once_the_divisor_has_a_node) {
  DivisorTable table;
  const auto division = dmt::opt::divide_products(Literals{0, 3}, Literals{1, 2}, 4);
  const std::uint32_t number = table.find_or_add(division->divisor, 2);
  table.add(number, {1, 2}, 0);
  CHECK_EQ(table.gain(number), 0);
  table.set_literal(number, 77);
  CHECK_EQ(table.literal(number), 77U);
  CHECK_EQ(table.gain(number), 3);
  CHECK_EQ(table.pop(), number);
  CHECK_EQ(table.pop(), kNone);
}

TEST(the_queue_gives_the_best_of_random_counts) {
  dynomite::Random random(3);
  DivisorTable table;
  constexpr std::uint32_t kDivisors = 3000;  // the hash table grows on the way
  for (std::uint32_t i = 0; i < kDivisors; ++i)
    CHECK_EQ(table.find_or_add(dmt::opt::divisor_of_literals(2 * i, 2 * i + 2), i % 7), i);
  for (int round = 0; round < 20; ++round) {
    for (int step = 0; step < 4000; ++step) {
      const auto number = static_cast<std::uint32_t>(random.below(kDivisors));
      if (random.below(3) == 0 && table.count(number) > 0) {
        table.remove(number, 0);
      } else {
        table.add(number, alone(1), 0);
      }
    }
    // Taken out, a divisor has no uses left.
    for (int step = 0; step < 300; ++step) {
      std::uint32_t best = kNone;
      for (std::uint32_t i = 0; i < kDivisors; ++i) {
        if (table.gain(i) <= 0) continue;
        if (best == kNone || table.gain(i) > table.gain(best) ||
            (table.gain(i) == table.gain(best) && i % 7 < best % 7))
          best = i;
      }
      const std::uint32_t popped = table.pop();
      CHECK_EQ(popped, best);
      if (popped == kNone) break;
      while (table.count(popped) > 0) table.remove(popped, 0);
    }
  }
}

TEST(products_shrink_in_place_and_stay_sorted) {
  SopNetwork network;
  for (int i = 0; i < 12; ++i) network.add_signal(0);
  const std::uint32_t first = network.add_cube(Literals{0, 5, 8, 20}),
                      second = network.add_cube(Literals{2, 4});
  network.attach(first, 11);
  network.attach(second, 11);
  CHECK_EQ(network.literal_count(), 6U);
  network.divide(first, Literals{0, 8}, 13);
  const auto left = network.literals(first);
  CHECK((Literals(left.begin(), left.end()) == Literals{5, 13, 20}));
  const auto other = network.literals(second);
  CHECK((Literals(other.begin(), other.end()) == Literals{2, 4}));
  network.detach(first);
  CHECK_EQ(network.owner(first), SopNetwork::kNone);
  CHECK_EQ(network.cubes_of(11).size(), 1U);
  CHECK_EQ(network.literal_count(), 2U);
}

TEST(known_gates_are_joined_first_and_levels_told) {
  dmt::opt::LevelAware circuit;
  std::vector<Lit> inputs;
  for (int i = 0; i < 5; ++i) inputs.push_back(circuit.store().add_input());
  circuit.start();
  const Lit known = circuit.and_(inputs[1], inputs[4]);
  std::vector<Lit> all = inputs;
  const Lit top = circuit.join(all);
  CHECK(all.empty());
  CHECK_EQ(circuit.store().and_count(), 4U);
  CHECK_EQ(circuit.level(known), 1U);
  CHECK_EQ(circuit.level(top), 3U);
  std::vector<Lit> none, one = {inputs[2]}, clash = {inputs[0], inputs[1], ~inputs[0]};
  CHECK(circuit.join(none) == dmt::kTrue);
  CHECK(circuit.join(one) == inputs[2]);
  CHECK(circuit.join(clash) == dmt::kFalse);
}

TEST(a_product_shared_by_two_outputs_is_made_once) {
  // a b c d and a b e f, whose pairs do not meet in the given order of the gates.
  AigStore aig;
  std::vector<Lit> in;
  for (int i = 0; i < 6; ++i) in.push_back(aig.add_input());
  aig.outputs().push_back(aig.and_(aig.and_(in[0], in[2]), aig.and_(in[1], in[3])));
  aig.outputs().push_back(aig.and_(aig.and_(in[0], in[4]), aig.and_(in[1], in[5])));
  CHECK_EQ(aig.and_count(), 6U);
  dmt::opt::ExtractStats stats;
  const AigStore result = extracted(aig, {}, &stats);
  CHECK_EQ(result.and_count(), 5U);
  CHECK_EQ(stats.extracted, 1U);
  CHECK_EQ(stats.uses, 2U);
  CHECK_EQ(stats.literals_before, 8U);
  CHECK_EQ(stats.literals_after, 8U);
}

TEST(random_circuits_stay_the_same_on_every_row) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const AigStore aig = random_circuit(seed, 8, 60);
    dmt::opt::ExtractParams params;
    params.k = static_cast<unsigned>(2 + seed % 7);
    params.area = seed % 3 != 0;
    params.literals = static_cast<unsigned>(2 + seed % 6);
    if (seed % 4 == 0) params.products = 3;  // some cells stay as they are
    if (seed % 5 == 0) params.pairs = 40;    // ended early
    dmt::opt::ExtractStats stats;
    const AigStore result = extracted(aig, params, &stats);
    bool same = true;
    for (std::uint64_t row = 0; row < 256; ++row)
      same = same && outputs_of(aig, row) == outputs_of(result, row);
    if (!same) CHECK_EQ(seed, 0U);
  }
}

TEST(cells_with_too_many_products_keep_their_gates) {
  AigStore aig;
  Lit parity = dmt::kFalse;
  for (int i = 0; i < 8; ++i) parity = aig.xor_(parity, aig.add_input());
  aig.outputs().push_back(parity);
  dmt::opt::ExtractParams params;
  params.k = 8;
  params.products = 127;  // one fewer than it has
  dmt::opt::ExtractStats stats;
  const AigStore kept = extracted(aig, params, &stats);
  CHECK_EQ(stats.kept, 1U);
  CHECK_EQ(kept.and_count(), 21U);
  params.products = 128;
  dmt::opt::ExtractStats taken;
  CHECK_EQ(extracted(aig, params, &taken).and_count(), 21U);  // found again from the products
  CHECK_EQ(taken.kept, 0U);
  CHECK_EQ(taken.products, 128U);
}

TEST(wrong_parameters_and_stops_are_told) {
  const AigStore aig = random_circuit(1, 6, 20);
  dmt::opt::ExtractParams params;
  params.k = 9;
  CHECK_THROWS(extracted(aig, params), dynomite::UsageError);
  params.k = 6;
  params.literals = 9;
  CHECK_THROWS(extracted(aig, params), dynomite::UsageError);
  dynomite::Stop stop;
  stop.cancel();
  CHECK_THROWS(dmt::opt::extract(aig, {}, nullptr, stop), dynomite::LimitError);
}
