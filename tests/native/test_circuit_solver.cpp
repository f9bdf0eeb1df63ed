#include <array>
#include <vector>

#include "dmt_dialect/native/sat/circuit_solver.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

using dmt::Answer;
using dmt::CircuitSolver;
using dmt::CircuitSolverParams;
using dmt::Lit;

namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// Does every total assignment that agrees with `model` make all assumptions true?
bool model_suffices(const std::vector<std::uint64_t>& tables, const std::vector<Lit>& model,
                    const std::vector<Lit>& assumptions) {
  std::uint64_t rows = ~std::uint64_t{0};
  for (const Lit lit : model) rows &= random_aig::table_of(tables, lit);
  std::uint64_t good = ~std::uint64_t{0};
  for (const Lit lit : assumptions) good &= random_aig::table_of(tables, lit);
  return rows != 0 && (rows & ~good) == 0;
}

void check_against_truth_tables(const CircuitSolverParams& params) {
  dynomite::Stop stop;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto circuit = random_aig::make(seed, 6, 60);
    const auto tables = random_aig::truth_tables(circuit.aig);
    CircuitSolver solver(circuit.aig, params);
    dynomite::Random random(seed + 1000);
    for (int query = 0; query < 40; ++query) {
      std::vector<Lit> assumptions;
      std::uint64_t rows = ~std::uint64_t{0};
      for (std::uint32_t k = 0; k < 1 + random.below(4); ++k) {
        const auto n = static_cast<std::uint32_t>(circuit.lits.size());
        assumptions.push_back(circuit.lits[random.below(n)] ^ ((random.next() & 1U) != 0));
        rows &= random_aig::table_of(tables, assumptions.back());
      }
      const Answer answer = solver.solve(assumptions, kNoLimit, stop);
      CHECK(answer == (rows != 0 ? Answer::kSat : Answer::kUnsat));
      if (answer == Answer::kSat) CHECK(model_suffices(tables, solver.model(), assumptions));
    }
  }
}

}  // namespace

TEST(answers_and_models_agree_with_truth_tables) { check_against_truth_tables({}); }

TEST(every_session_length_and_window_gives_the_same_answers) {
  CircuitSolverParams one_call;
  one_call.max_session_variables = 0;
  check_against_truth_tables(one_call);
  CircuitSolverParams no_window;
  no_window.window = 0;
  check_against_truth_tables(no_window);
  CircuitSolverParams tiny;
  tiny.max_session_variables = 10;
  tiny.window = 3;
  check_against_truth_tables(tiny);
}

TEST(constant_assumptions) {
  auto circuit = random_aig::make(7, 3, 5);
  CircuitSolver solver(circuit.aig);
  dynomite::Stop stop;
  const std::vector<Lit> falsum = {dmt::kFalse};
  const std::vector<Lit> verum = {dmt::kTrue};
  CHECK(solver.solve(falsum, kNoLimit, stop) == Answer::kUnsat);
  CHECK(solver.solve(verum, kNoLimit, stop) == Answer::kSat);
  CHECK(solver.model().empty());
}

TEST(contradicting_assumptions) {
  auto circuit = random_aig::make(7, 3, 5);
  CircuitSolver solver(circuit.aig);
  dynomite::Stop stop;
  const std::vector<Lit> both = {circuit.lits[0], ~circuit.lits[0]};
  CHECK(solver.solve(both, kNoLimit, stop) == Answer::kUnsat);
}

TEST(the_aig_may_grow_between_calls) {
  dmt::AigStore aig;
  const Lit a = aig.add_input();
  const Lit b = aig.add_input();
  CircuitSolver solver(aig);
  dynomite::Stop stop;
  const std::vector<Lit> first = {a, b};
  CHECK(solver.solve(first, kNoLimit, stop) == Answer::kSat);
  const Lit x = aig.xor_(a, b);
  const std::vector<Lit> second = {x, a, b};
  CHECK(solver.solve(second, kNoLimit, stop) == Answer::kUnsat);
  const std::vector<Lit> third = {x, a};
  CHECK(solver.solve(third, kNoLimit, stop) == Answer::kSat);
}

TEST(a_conflict_limit_or_a_stop_gives_unknown) {
  // Parity of 24 inputs in two shapes: needs many conflicts.
  dmt::AigStore aig;
  std::vector<Lit> inputs;
  for (int i = 0; i < 24; ++i) inputs.push_back(aig.add_input());
  Lit chain = dmt::kFalse;
  for (const Lit lit : inputs) chain = aig.xor_(chain, lit);
  Lit other = dmt::kFalse;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    other = aig.xor_(other, inputs[(i * 7 + 3) % inputs.size()]);
  CircuitSolver solver(aig);
  dynomite::Stop stop;
  const std::vector<Lit> differ = {chain, ~other};
  CHECK(solver.solve(differ, 50, stop) == Answer::kUnknown);
  dynomite::Stop cancelled;
  cancelled.cancel();
  CHECK(solver.solve(differ, kNoLimit, cancelled) == Answer::kUnknown);
}

TEST(many_conflicts_reduce_the_learned_clauses_and_keep_answers_right) {
  // x * y against y * x by shift and add: thousands of conflicts, several reductions.
  dmt::AigStore aig;
  constexpr std::size_t kWidth = 6;
  std::vector<Lit> x, y;
  for (std::size_t i = 0; i < kWidth; ++i) x.push_back(aig.add_input());
  for (std::size_t i = 0; i < kWidth; ++i) y.push_back(aig.add_input());
  const auto multiply = [&aig](const std::vector<Lit>& a, const std::vector<Lit>& b) {
    std::vector<Lit> sum(2 * kWidth, dmt::kFalse);
    for (std::size_t i = 0; i < kWidth; ++i) {
      Lit carry = dmt::kFalse;
      for (std::size_t j = 0; i + j < 2 * kWidth; ++j) {
        const Lit term = j < kWidth ? aig.and_(a[i], b[j]) : dmt::kFalse;
        const Lit half = aig.xor_(sum[i + j], term);
        const Lit next = aig.or_(aig.and_(sum[i + j], term), aig.and_(half, carry));
        sum[i + j] = aig.xor_(half, carry);
        carry = next;
      }
    }
    return sum;
  };
  const auto left = multiply(x, y);
  const auto right = multiply(y, x);
  CircuitSolver solver(aig);
  dynomite::Stop stop;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::vector<Lit> one = {left[i], ~right[i]};
    const std::vector<Lit> two = {~left[i], right[i]};
    CHECK(solver.solve(one, kNoLimit, stop) == Answer::kUnsat);
    CHECK(solver.solve(two, kNoLimit, stop) == Answer::kUnsat);
    const std::vector<Lit> both = {left[i], right[i]};
    CHECK(solver.solve(both, kNoLimit, stop) == Answer::kSat);
  }
  CHECK(solver.stats().conflicts > 3000);
}

TEST(a_single_long_propagation_can_be_ended) {
  dmt::AigStore aig;
  Lit all = aig.add_input();
  for (int i = 0; i < 100'000; ++i) all = aig.and_(all, aig.add_input());
  CircuitSolver solver(aig);
  const std::array<Lit, 1> question = {all};
  dynomite::Stop over;
  over.set_deadline(dynomite::Stop::Clock::now());
  CHECK(solver.solve(question, kNoLimit, over) == Answer::kUnknown);
  dynomite::Stop stop;
  CHECK(solver.solve(question, kNoLimit, stop) == Answer::kSat);
}
