#include <algorithm>
#include <vector>

#include "dmt_dialect/native/map/gate_cover.hpp"
#include "dmt_dialect/native/opt/balance.hpp"
#include "dmt_dialect/native/opt/chunks.hpp"
#include "dmt_dialect/native/opt/cover.hpp"
#include "dmt_dialect/native/opt/factoring.hpp"
#include "dmt_dialect/native/opt/five_input_library.hpp"
#include "dmt_dialect/native/opt/npn_library.hpp"
#include "dmt_dialect/native/opt/refactor.hpp"
#include "dmt_dialect/native/opt/resub.hpp"
#include "dmt_dialect/native/opt/rewrite.hpp"
#include "dmt_dialect/native/opt/small_tables.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

using dmt::AigStore;
using dmt::Lit;
using dynomite::Random;

namespace {

AigStore random_circuit(Random& random) {
  const std::uint32_t inputs = 1 + random.below(6), gates = random.below(120);
  random_aig::Circuit made = random.below(2) == 0 ? random_aig::make(random.next(), inputs, gates)
                                                  : random_aig::make_plain(random.next(), inputs, gates);
  for (unsigned i = 0; i < 5; ++i) {
    const Lit lit = made.lits[random.below(static_cast<std::uint32_t>(made.lits.size()))];
    made.aig.outputs().push_back(lit ^ (random.below(2) != 0));
  }
  return std::move(made.aig);
}

std::vector<std::uint64_t> output_tables(const AigStore& aig) {
  const std::vector<std::uint64_t> tables = random_aig::truth_tables(aig);
  std::vector<std::uint64_t> result;
  for (const Lit lit : aig.outputs()) result.push_back(random_aig::table_of(tables, lit));
  return result;
}

template <typename Pass>
void check_on_random_circuits(Pass pass) {
  Random random(7);
  dynomite::Stop stop;
  for (int round = 0; round < 300; ++round) {
    const AigStore aig = random_circuit(random);
    const AigStore result = pass(aig, random, stop);
    CHECK_EQ(result.inputs().size(), aig.inputs().size());
    CHECK(output_tables(result) == output_tables(aig));
    CHECK(result.and_count() <= aig.and_count());
  }
}

}  // namespace

TEST(every_structure_has_the_function_of_its_class) {
  const auto& classes = dmt::opt::NpnClasses::get();
  const auto& library = dmt::opt::NpnLibrary::get();
  CHECK_EQ(classes.count(), 222U);
  for (std::uint32_t t = 0; t < 65536; ++t) {
    const auto table = static_cast<dmt::opt::Table4>(t);
    const dmt::opt::NpnTransform& transform = classes.transform(table);
    std::array<dmt::opt::Table4, 4> inputs = {};
    for (unsigned i = 0; i < 4; ++i) {
      const dmt::opt::Table4 variable = dmt::opt::kVariables4[transform.variable[i]];
      inputs[i] = static_cast<dmt::opt::Table4>(((transform.phase >> i) & 1U) != 0 ? ~variable : variable);
    }
    const auto& all = library.of(transform.npn_class);
    for (const auto& structure : all.structures) {
      const dmt::opt::Table4 value = dmt::opt::structure_table(all, structure, inputs);
      CHECK_EQ(static_cast<dmt::opt::Table4>((transform.phase & 16) != 0 ? ~value : value), table);
    }
  }
}

TEST(every_structure_of_five_inputs_has_its_function) {
  Random random(5);
  dmt::opt::FiveInputLibrary library;
  for (int round = 0; round < 3000; ++round) {
    // Sparse and dense tables, and functions of few gates.
    auto table = static_cast<dmt::opt::Table5>(random.next());
    if (round % 3 == 1) table &= static_cast<dmt::opt::Table5>(random.next() & random.next());
    if (round % 3 == 2) {
      table = dmt::opt::kVariables5[random.below(5)];
      for (int i = 0; i < 8; ++i) {
        const dmt::opt::Table5 other =
            dmt::opt::kVariables5[random.below(5)] ^ (random.below(2) != 0 ? ~0U : 0U);
        table = random.below(3) == 0 ? table ^ other : random.below(2) != 0 ? table & other : table | other;
      }
    }
    bool is_whole = true;
    for (unsigned v = 0; v < 5; ++v) is_whole = is_whole && dmt::opt::depends_on(table, v);
    if (!is_whole) continue;
    const dmt::opt::FiveInputStructures found = library.of(table);
    std::array<dmt::opt::Table5, 5> inputs = {};
    for (unsigned i = 0; i < 5; ++i) {
      const dmt::opt::Table5 variable = dmt::opt::kVariables5[found.variable[i]];
      inputs[i] = ((found.phase >> i) & 1U) != 0 ? ~variable : variable;
    }
    CHECK(!found.all->structures.empty());
    for (const auto& structure : found.all->structures) {
      const dmt::opt::Table5 value = dmt::opt::structure_table5(*found.all, structure, inputs);
      CHECK_EQ(found.complement ? ~value : value, table);
    }
  }
}

TEST(gate_covers_keep_functions) {
  Random random(11);
  dynomite::Stop stop;
  for (int round = 0; round < 300; ++round) {
    const AigStore aig = random_circuit(random);
    const dmt::GateKinds kinds{random.below(2) != 0, random.below(2) != 0, random.below(2) != 0,
                               random.below(2) != 0};
    const dmt::LutNetwork network = dmt::cover_by_gates(aig, kinds, stop);
    CHECK(output_tables(network.to_aig(stop)) == output_tables(aig));
    for (std::uint32_t lut = 0; lut < network.lut_count(); ++lut) {
      // Leaves that are constant or complements of each other make other gates of the known kinds.
      CHECK(dmt::gate_kind(network, lut) != dmt::GateKind::kOther);
    }
  }
}

TEST(rewriting_keeps_functions) {
  check_on_random_circuits([](const AigStore& aig, Random& random, dynomite::Stop& stop) {
    return dmt::opt::rewrite(
        aig, {random.below(2) != 0, random.below(2) != 0, 4 + random.below(2), 1 + random.below(20), 14},
        nullptr, stop);
  });
}

TEST(resubstitution_keeps_functions) {
  check_on_random_circuits([](const AigStore& aig, Random& random, dynomite::Stop& stop) {
    dmt::opt::ResubParams params;
    params.k = 2 + random.below(9);
    params.inserts = random.below(4);
    params.sat = random.below(3) != 0;
    params.odc = random.below(8);
    params.words = 1 + random.below(4);
    params.zero = random.below(2) != 0;
    params.keep_levels = random.below(2) != 0;
    return dmt::opt::resub(aig, params, nullptr, stop);
  });
}

TEST(refactoring_keeps_functions) {
  check_on_random_circuits([](const AigStore& aig, Random& random, dynomite::Stop& stop) {
    dmt::opt::RefactorParams params;
    params.leaves = 2 + random.below(12);
    params.fanout_free = random.below(2) != 0;
    params.dont_cares = random.below(2) != 0;
    params.care_leaves = 2 + random.below(13);
    params.zero = random.below(2) != 0;
    params.keep_levels = random.below(2) != 0;
    return dmt::opt::refactor(aig, params, nullptr, stop);
  });
}

TEST(balancing_keeps_functions) {
  check_on_random_circuits([](const AigStore& aig, Random& random, dynomite::Stop& stop) {
    return dmt::opt::balance(aig, {1 + random.below(16), random.below(2) != 0, random.below(2) != 0}, nullptr,
                             stop);
  });
}

TEST(chunks_keep_functions) {
  check_on_random_circuits([](const AigStore& aig, Random& random, dynomite::Stop& stop) {
    const auto pass = [](const AigStore& part, dynomite::Stop& own) {
      return dmt::opt::rewrite(part, {}, nullptr, own);
    };
    return dmt::opt::in_chunks(aig, 1 + random.below(30), 1 + random.below(4), pass, stop);
  });
}

TEST(covers_lie_between_their_bounds_and_factor) {
  Random random(3);
  for (int round = 0; round < 400; ++round) {
    const unsigned variables = 1 + random.below(9);
    const std::size_t words = variables <= 6 ? 1 : std::size_t{1} << (variables - 6);
    const std::uint64_t mask =
        variables >= 6 ? ~std::uint64_t{0} : (std::uint64_t{1} << (1U << variables)) - 1;
    std::vector<std::uint64_t> lower(words), upper(words);
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t low = random.next() & mask, more = random.next() & random.next() & mask;
      for (unsigned v = variables; v < 6; ++v) {  // tables do not depend on variables that are not there
        low |= low << (1U << v);
        more |= more << (1U << v);
      }
      lower[w] = low;
      upper[w] = low | more;
    }
    std::vector<dmt::opt::Cube> cover;
    CHECK(dmt::opt::irredundant_cover(lower, upper, variables, 1000, cover));
    dmt::opt::GateList form;
    dmt::opt::factor(cover, std::vector<std::uint32_t>(variables, 0), form);
    for (std::uint32_t row = 0; row < (1U << variables); ++row) {
      const bool covered = std::any_of(cover.begin(), cover.end(), [&](const dmt::opt::Cube& cube) {
        return (cube.positive & ~row) == 0 && (cube.negative & row) == 0;
      });
      std::vector<bool> values;
      for (unsigned v = 0; v < variables; ++v) values.push_back(((row >> v) & 1U) != 0);
      const auto value = [&](std::uint32_t literal) { return values[literal >> 1] != ((literal & 1U) != 0); };
      for (const auto& gate : form.gates) values.push_back(value(gate.fanin0) && value(gate.fanin1));
      const bool factored = form.output == dmt::opt::GateList::kTrue ||
                            (form.output != dmt::opt::GateList::kFalse && value(form.output));
      CHECK_EQ(covered, factored);
      const std::uint64_t bit = std::uint64_t{1} << (row % 64);
      if ((lower[row / 64] & bit) != 0) CHECK(covered);
      if ((upper[row / 64] & bit) == 0) CHECK(!covered);
    }
  }
}
