#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/aig/candidate_classes.hpp"
#include "dmt_dialect/native/sat/circuit_solver.hpp"
#include "dmt_dialect/native/sat/proof_log.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

enum class PairStatus : std::uint8_t { kUndecided = 0, kEqual = 1, kDifferent = 2 };

/// What decided a pair.
enum class PairEngine : std::uint8_t { kNone, kHashing, kSimulation, kSat, kExhaustive };

struct SweepStats {
  std::uint64_t passes = 0;
  std::uint64_t sat_calls = 0;
  std::uint64_t proved = 0;       // merges by SAT
  std::uint64_t structural = 0;   // merges by hashing
  std::uint64_t disproved = 0;    // counterexamples
  std::uint64_t unknown = 0;      // calls that met the conflict limit
  std::uint64_t simulations = 0;  // refinements by counterexamples
  std::uint64_t conflicts = 0;
  std::uint64_t ticks = 0;       // elementary solver steps
  std::uint64_t exhaustive = 0;  // pairs decided by simulating all assignments
  std::uint64_t rewrites = 0;    // of the AIG, between passes
  std::uint64_t falsified = 0;   // answers, for tests
  std::uint64_t nodes_before = 0;
  std::uint64_t nodes_after = 0;
};

/// What a caller knows of an AIG that is swept.
struct SweepHelp {
  /// Literals proved equal: merged without a proof of the sweeper's own, so that the answers rest on them.
  std::vector<std::pair<Lit, Lit>> known;
  /// Literals worth keeping because others may be found equal to them.
  std::vector<Lit> kept;
  /// 64 patterns a row: a word for each input, then each latch.
  std::vector<std::vector<std::uint64_t>> patterns;
};

/// SAT sweeping (Kuehlmann, Paruthi, Krohm, Ganai, IEEE TCAD 2002; Mishchenko, Chatterjee, Jiang, Brayton,
/// "FRAIGs", 2005): nodes that simulation cannot tell apart are proved equal from the inputs upwards and
/// merged as they are proved, so that each proof sees only a few levels of logic; counterexamples are
/// simulated and refine the candidates.
///
/// Decides pairs of literals of one AIG, or reduces the AIG when there are no pairs. Every counterexample
/// is checked by simulation before it counts. Deterministic for a seed and a sequence of limits.
class Sweeper {
 public:
  /// `roots` are kept besides the pairs (all outputs when reducing).
  Sweeper(const AigStore& aig, std::vector<std::pair<Lit, Lit>> pairs, std::vector<Lit> roots,
          std::uint64_t seed);

  /// Logs all steps to `path`; before the first run only. The variable of node i is i + 1 in the CNF of
  /// `write_cnf`.
  void log_proof(const std::string& path);
  /// Writes the miter as DIMACS: the gates of the AIG, and that some pair differs.
  void write_cnf(const std::string& path) const;
  /// After all pairs are equal: ends the refutation and closes the file.
  void finish_proof();
  /// A hook of tests, off unless called: makes one step unsound. Of the queries that end as `answer` (kSat:
  /// the pair was refuted, kUnknown: it met its limit) the `number`th, from 0, is taken for a proof of
  /// equality and logged as one. The check of the proof has to notice.
  void falsify_for_tests(Answer answer, std::uint64_t number) { falsified_ = {answer, number}; }

  /// Before the first run, and without a proof to log. It is forgotten when the AIG is rewritten.
  void help(SweepHelp given);

  enum class Outcome : std::uint8_t { kDone, kLimit, kStopped };
  /// One pass over the circuit with at most `conflict_limit` conflicts a query. After `most_unknown` queries
  /// that met it the rest of the circuit is left as it is.
  Outcome run(std::uint64_t conflict_limit, dynomite::Stop& stop,
              std::uint64_t most_unknown = ~std::uint64_t{0});

  const AigStore& original() const { return original_; }
  const std::vector<std::pair<Lit, Lit>>& pairs() const { return pairs_; }
  const std::vector<PairStatus>& statuses() const { return statuses_; }
  const std::vector<PairEngine>& engines() const { return engines_; }
  /// How far the present pass is, from 0 to 1; may be read from another thread.
  double progress() const { return progress_.load(std::memory_order_relaxed); }
  /// Values of inputs, then latches, that tell the literals of a different pair apart.
  const std::vector<std::uint8_t>& counterexample(std::size_t pair) const { return counterexamples_[pair]; }
  /// False until a run has begun its work: one that was stopped at once leaves nothing swept.
  bool prepared() const { return prepared_; }
  /// The swept AIG (inputs and latches as given, only live nodes), the original while not prepared ...
  const AigStore& swept() const { return prepared_ ? current_ : original_; }
  /// ... and the literal in it of a literal of the original; that one must be in the cone of a root or of an
  /// undecided pair; once the swept AIG was rewritten (`SweepStats::rewrites`), an end of such a pair.
  Lit swept_literal(Lit original) const;
  SweepStats stats() const;
  /// Whether the swept AIG has gates that only `help` wanted.
  bool helped() const { return !help_.kept.empty(); }
  std::uint64_t undecided() const { return undecided_; }

 private:
  /// Two nodes of current_ that a pattern in preparation tells apart.
  struct Source {
    NodeId left, right;
  };

  /// Copies the live cone, hashed, to current_; false if `stop` ended it, and nothing has changed.
  bool prepare(dynomite::Stop& stop);
  /// Adds the inputs and latches of the original to `target`.
  void copy_cis(AigStore& target) const;
  /// Makes `built` the current AIG and composes the node maps; drops what nothing left needs.
  void adopt(const AigStore& built, const std::vector<Lit>& map);
  /// Both literals, in current_, of every undecided pair.
  std::vector<Lit> open_ends() const;

  void start_classes(dynomite::Stop& stop);
  void fill_random(std::size_t words, unsigned density);
  void simulate(std::size_t words);
  /// Looks for undecided pairs that the simulated patterns tell apart.
  void note_differences(std::size_t words);
  void set_different(std::size_t pair, std::size_t word, std::uint64_t bit, std::size_t words);
  void set_equal(std::size_t pair, PairEngine engine);
  /// Decides pairs with few inputs by all their assignments, at most `budget` 64-bit operations a group.
  void try_exhaustive(std::uint64_t budget, dynomite::Stop& stop);
  void exhaust(std::span<const std::size_t> group, dynomite::Stop& stop);
  void add_counterexample(std::span<const Lit> model, NodeId left, NodeId right);
  void flush_counterexamples();

  std::uint64_t exhaustive_cost_of_open() const;
  /// Rewrites the AIG between two passes, which often makes equal what is hard to prove equal; only where
  /// nothing but the ends of open pairs is needed of it, and where it saves at least `least_gain` percent.
  /// What the rewriting does is checked by random simulation of all open ends; that a pair is equal rests on
  /// it being right.
  void rewrite(std::uint64_t least_gain, dynomite::Stop& stop);
  Outcome pass(std::uint64_t conflict_limit, std::uint64_t most_ticks, std::uint64_t most_unknown,
               dynomite::Stop& stop);
  Answer prove_equal(CircuitSolver& solver, Lit a, Lit b, std::uint64_t limit, dynomite::Stop& stop);
  /// `answer` to whether a equals b, unless a test has chosen this one to be falsified.
  Answer falsified(Answer answer, Lit a, Lit b);
  /// `by_sat`: nodes of current_ whose place in `map` rests on an answer of the solver.
  void decide_pairs(CircuitSolver& solver, std::span<const Lit> map, const std::vector<bool>& by_sat,
                    std::uint64_t limit, dynomite::Stop& stop);
  /// For each node of current_, an earlier literal known to be equal, or the mark of none.
  std::vector<Lit> known_targets() const;
  /// Proof: the node of the AIG being built that stands for the circuit node with CNF variable `variable`.
  void log_built(std::uint32_t variable, Lit result, const AigStore& built, std::uint32_t nodes_before);
  void log_equal(std::uint32_t variable, Lit result);
  /// False if the clauses of this gate are there already; else it is taken for logged.
  bool is_new_gate(std::uint32_t variable, Lit a, Lit b);

  const AigStore original_;  // a copy: the caller may go on changing his own
  std::vector<std::pair<Lit, Lit>> pairs_;
  std::vector<Lit> roots_;
  std::vector<PairStatus> statuses_;
  std::vector<PairEngine> engines_;
  std::vector<bool> pairs_by_sat_;  // an end of the pair was merged by the solver in an earlier pass
  std::vector<std::vector<std::uint8_t>> counterexamples_;
  std::atomic<double> progress_{0.0};
  std::uint64_t undecided_ = 0;
  SweepHelp help_;
  bool prepared_ = false;
  bool is_stuck_ = false;  // the last pass has made the AIG little smaller

  AigStore current_;      // swept so far; only live nodes
  std::vector<Lit> map_;  // node of the original → literal of current_ (kFalse where not live)
  std::vector<std::uint32_t> variables_;  // node of current_ → CNF variable; with a proof only
  CandidateClasses classes_;
  dynomite::Random random_;
  SweepStats stats_;
  std::unique_ptr<ProofLog> proof_;
  /// By CNF variable: the literals, as DIMACS numbers, of the gate whose clauses are there; with a proof
  /// only.
  std::vector<std::pair<std::int64_t, std::int64_t>> gates_there_;
  std::pair<Answer, std::uint64_t> falsified_{Answer::kUnsat, 0};  // kUnsat: none

  std::vector<std::uint64_t> values_;                // node-major
  std::vector<std::uint64_t> ci_values_;             // inputs, then latches; as many words each as values_
  std::vector<Source> sources_;                      // by column of the counterexample word
  std::vector<std::vector<std::uint64_t>> archive_;  // words of counterexamples of earlier flushes
  std::size_t archive_next_ = 0;
  std::uint64_t flushed_at_ = 0;  // solver ticks at the last flush
};

}  // namespace dmt
