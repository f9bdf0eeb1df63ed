#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/sweep.hpp"
#include "dmt_dialect/native/sat/proof_checker.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

using dmt::Lit;
using dmt::PairStatus;
using dmt::Sweeper;

namespace {

using Pairs = std::vector<std::pair<Lit, Lit>>;

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run_to_the_end(Sweeper& sweeper) {
  dynomite::Stop stop;
  std::uint64_t limit = 1;
  while (sweeper.run(limit, stop) == Sweeper::Outcome::kLimit) limit *= 4;
}

Pairs random_pairs(const random_aig::Circuit& circuit, const std::vector<std::uint64_t>& tables,
                   std::uint64_t seed) {
  // Pairs that are equal as functions where there are such, and arbitrary ones.
  dynomite::Random random(seed);
  Pairs pairs;
  const auto n = static_cast<std::uint32_t>(circuit.lits.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      if (random_aig::table_of(tables, circuit.lits[i]) == random_aig::table_of(tables, circuit.lits[j])) {
        pairs.emplace_back(circuit.lits[i], circuit.lits[j]);
      }
    }
  }
  for (int k = 0; k < 10; ++k)
    pairs.emplace_back(circuit.lits[random.below(n)], ~circuit.lits[random.below(n)]);
  return pairs;
}

/// A fresh file in the temporary folder.
std::string scratch() {
  std::string path = (std::filesystem::temp_directory_path() / "dynomite_XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file >= 0) close(file);
  return path;
}

}  // namespace

TEST(pairs_are_decided_as_truth_tables_say) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto circuit = random_aig::make(seed, 6, 80);
    const auto tables = random_aig::truth_tables(circuit.aig);
    const Pairs pairs = random_pairs(circuit, tables, seed);
    Sweeper sweeper(circuit.aig, pairs, {}, seed);
    run_to_the_end(sweeper);
    CHECK_EQ(sweeper.undecided(), 0U);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::uint64_t difference =
          random_aig::table_of(tables, pairs[i].first) ^ random_aig::table_of(tables, pairs[i].second);
      CHECK(sweeper.statuses()[i] == (difference == 0 ? PairStatus::kEqual : PairStatus::kDifferent));
      if (difference == 0) continue;
      std::uint64_t row = 0;
      const auto& values = sweeper.counterexample(i);
      for (std::size_t v = 0; v < values.size(); ++v) row |= std::uint64_t{values[v]} << v;
      CHECK(((difference >> row) & 1U) == 1U);
    }
  }
}

TEST(refutations_pass_the_checker_and_damaged_ones_do_not) {
  const std::string proof = scratch();
  const std::string cnf = scratch();
  std::uint64_t checked = 0;
  std::uint64_t rejected = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto circuit = seed % 2 == 0 ? random_aig::make(seed, 6, 100) : random_aig::make_plain(seed, 6, 60);
    const auto tables = random_aig::truth_tables(circuit.aig);
    Pairs pairs;
    for (const auto& pair : random_pairs(circuit, tables, seed)) {
      const std::uint64_t a = random_aig::table_of(tables, pair.first);
      if (a == random_aig::table_of(tables, pair.second)) pairs.push_back(pair);
    }
    if (pairs.empty()) continue;
    Sweeper sweeper(circuit.aig, pairs, {}, seed);
    sweeper.log_proof(proof);
    sweeper.write_cnf(cnf);
    run_to_the_end(sweeper);
    CHECK_EQ(sweeper.undecided(), 0U);
    sweeper.finish_proof();
    dynomite::Stop stop;
    const std::string formula = slurp(cnf);
    std::string steps = slurp(proof);
    const auto check = dmt::check_proof(formula, "cnf", steps, "proof", stop);
    CHECK(check.result == dmt::ProofCheck::Result::kVerified);
    ++checked;
    // Without the formula's last clause (that some pair differs) there is nothing to refute.
    const std::size_t cut = formula.rfind('\n', formula.size() - 2);
    std::string weaker = formula.substr(0, cut + 1) + "1 -1 0\n";
    if (dmt::check_proof(weaker, "cnf", steps, "proof", stop).result == dmt::ProofCheck::Result::kRejected) {
      ++rejected;
    }
  }
  CHECK(checked > 30U);
  CHECK_EQ(rejected, checked);
  std::remove(proof.c_str());
  std::remove(cnf.c_str());
}

TEST(an_unequal_pair_cannot_be_finished) {
  dmt::AigStore aig;
  const Lit a = aig.add_input();
  const Lit b = aig.add_input();
  const std::string proof = scratch();
  Sweeper sweeper(aig, {{a, b}}, {}, 1);
  sweeper.log_proof(proof);
  run_to_the_end(sweeper);
  CHECK(sweeper.statuses()[0] == PairStatus::kDifferent);
  CHECK_THROWS(sweeper.finish_proof(), dynomite::UsageError);
  std::remove(proof.c_str());
}

TEST(reducing_keeps_every_function_and_leaves_no_two_equal_nodes) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto circuit = random_aig::make(seed, 6, 80);
    const auto tables = random_aig::truth_tables(circuit.aig);
    Sweeper sweeper(circuit.aig, {}, circuit.lits, seed);
    dynomite::Stop stop;
    sweeper.run(1000000, stop);
    const auto swept = random_aig::truth_tables(sweeper.swept());
    for (const Lit lit : circuit.lits) {
      CHECK_EQ(random_aig::table_of(tables, lit), random_aig::table_of(swept, sweeper.swept_literal(lit)));
    }
    for (std::size_t i = 0; i < swept.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) CHECK(swept[i] != swept[j] && swept[i] != ~swept[j]);
    }
    CHECK(sweeper.swept().and_count() <= circuit.aig.and_count());
  }
}

TEST(constants_and_bare_inputs_as_pairs) {
  dmt::AigStore aig;
  const Lit a = aig.add_input();
  const Pairs pairs = {
      {dmt::kFalse, dmt::kFalse}, {dmt::kTrue, dmt::kFalse}, {a, a}, {a, ~a}, {a, dmt::kTrue}};
  Sweeper sweeper(aig, pairs, {}, 1);
  run_to_the_end(sweeper);
  const std::vector<PairStatus> wanted = {PairStatus::kEqual, PairStatus::kDifferent, PairStatus::kEqual,
                                          PairStatus::kDifferent, PairStatus::kDifferent};
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(sweeper.statuses()[i] == wanted[i]);
}

TEST(rare_difference_is_found) {
  // Two 40-input ANDs that differ in one input: equal for all but one in 2^39 patterns.
  dmt::AigStore aig;
  std::vector<Lit> inputs;
  for (int i = 0; i < 41; ++i) inputs.push_back(aig.add_input());
  Lit left = dmt::kTrue;
  for (int i = 0; i < 40; ++i) left = aig.and_(left, inputs[static_cast<std::size_t>(i)]);
  Lit right = dmt::kTrue;
  for (int i = 40; i > 0; --i) right = aig.and_(right, inputs[static_cast<std::size_t>(i)]);
  Sweeper sweeper(aig, {{left, right}, {left, dmt::kFalse}, {right, dmt::kFalse}}, {}, 1);
  run_to_the_end(sweeper);
  for (std::size_t i = 0; i < 3; ++i) CHECK(sweeper.statuses()[i] == PairStatus::kDifferent);
}

TEST(a_stopped_run_decides_nothing_wrong_and_can_go_on) {
  const auto circuit = random_aig::make(5, 6, 200);
  const auto tables = random_aig::truth_tables(circuit.aig);
  const Pairs pairs = random_pairs(circuit, tables, 5);
  Sweeper sweeper(circuit.aig, pairs, {}, 5);
  dynomite::Stop cancelled;
  cancelled.cancel();
  sweeper.run(1000, cancelled);
  const auto check = [&] {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (sweeper.statuses()[i] == PairStatus::kUndecided) continue;
      const bool equal =
          random_aig::table_of(tables, pairs[i].first) == random_aig::table_of(tables, pairs[i].second);
      CHECK((sweeper.statuses()[i] == PairStatus::kEqual) == equal);
    }
  };
  check();
  run_to_the_end(sweeper);
  CHECK_EQ(sweeper.undecided(), 0U);
  check();
}
