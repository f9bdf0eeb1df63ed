#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/sat/activity_heap.hpp"
#include "dmt_dialect/native/sat/clause_arena.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

class ProofLog;

enum class Answer : std::uint8_t { kUnknown, kSat, kUnsat };

/// Counts since construction.
struct CircuitSolverStats {
  std::uint64_t calls = 0;
  std::uint64_t decisions = 0;
  std::uint64_t propagations = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t activations = 0;
  std::uint64_t sessions = 0;
};

/// Limits and heuristics; the defaults suit SAT sweeping.
struct CircuitSolverParams {
  /// A session ends when it holds more variables than this.
  std::uint32_t max_session_variables = 16000;
  /// Gates made active below the assumptions at the start of a call.
  std::uint32_t window = 200;
};

/// Where a solver finds its gates: the records of an AIG or of something like it, which may grow between
/// calls.
class GateSource {
 public:
  using Record = Node (*)(const void* owner, NodeId id);
  using Count = std::uint32_t (*)(const void* owner);
  GateSource(const AigStore& aig)  // NOLINT: an AIG is a source of gates
      : owner_(&aig),
        record_([](const void* owner, NodeId id) {
          return static_cast<const AigStore*>(owner)->nodes()[id.index()];
        }),
        count_([](const void* owner) { return static_cast<const AigStore*>(owner)->node_count(); }) {}
  GateSource(const void* owner, Record gate, Count count) : owner_(owner), record_(gate), count_(count) {}

  std::uint32_t node_count() const { return count_(owner_); }
  Node record(NodeId id) const { return record_(owner_, id); }
  bool is_and(NodeId id) const { return record(id).fanin0 != AigStore::kNotAnd; }

 private:
  const void* owner_;
  Record record_;
  Count count_;
};

/// CDCL over the gates of an AIG, made for the many small queries of SAT sweeping.
///
/// There is no clause database for the circuit: a gate is propagated from its fanins, found through fanout
/// lists of *active* gates only. A gate becomes active when it is assigned, or at the start of a call when
/// it lies close below the assumptions; the cost of a call depends on the part of the cone it touches.
/// Decisions justify: a gate at 0 with no fanin at 0 gets one. When nothing is left to justify, the inputs
/// assigned so far satisfy the assumptions whatever the other inputs are.
///
/// Variables are numbered anew in every *session*; active gates and learned clauses live for a session.
/// (Lu et al., "A circuit SAT solver with signal correlation guided learning", DATE 2003; Zhang, Jiang,
/// Mishchenko, "A Circuit-Based SAT Solver for Logic Synthesis", ICCAD 2021.)
///
/// The AIG may grow between calls. Its ANDs must come from `and_`: two different fanins, none constant.
class CircuitSolver {
 public:
  explicit CircuitSolver(GateSource aig, CircuitSolverParams params = {}, ProofLog* proof = nullptr);

  /// Looks for an input assignment that makes all `assumptions` true. kUnknown after `conflict_limit`
  /// conflicts or when `stop` says so.
  Answer solve(std::span<const Lit> assumptions, std::uint64_t conflict_limit, dynomite::Stop& stop);

  /// After kSat: the assigned inputs and latches, as literals that are true.
  const std::vector<Lit>& model() const { return model_; }
  const CircuitSolverStats& stats() const { return stats_; }
  /// Elementary steps so far: a deterministic measure of time.
  std::uint64_t ticks() const { return stats_.propagations * 4 + stats_.activations * 4 + ticks_; }
  /// Ends the session: forgets learned clauses and active gates.
  void reset();

 private:
  using Var = std::uint32_t;
  using VarLit = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::uint32_t kMarkedGate = 1;

  // Why a variable has its value: kind in the lower two bits, payload above. A binary reason is the literal
  // that implied it; a gate reason the gate whose other two literals did.
  enum ReasonKind : std::uint32_t { kDecision = 0, kBinary = 1, kGate = 2, kClause = 3 };
  static std::uint32_t reason(ReasonKind kind, std::uint32_t payload) { return (payload << 2) | kind; }

  struct Watch {
    std::uint32_t clause;
    VarLit blocker;
  };
  struct Gate {
    VarLit fanin[2] = {kNone, kNone};        // kNone: not active
    std::uint32_t next[2] = {kNone, kNone};  // next edge in the fanout list of that fanin
  };
  struct Popped {
    std::uint32_t level;
    Var gate;
  };

  Var var_of(NodeId node);
  VarLit local(Lit lit) { return (var_of(lit.node()) << 1) | static_cast<std::uint32_t>(lit.complemented()); }
  Lit global(VarLit lit) const { return Lit(nodes_[lit >> 1], (lit & 1U) != 0); }
  void activate(Var var);
  void activate_window();
  bool active(Var var) const { return gates_[var].fanin[0] != kNone; }

  void assign(VarLit lit, std::uint32_t why);
  // Propagation returns true on a conflict and leaves its (false) literals in conflict_.
  /// Counted in literals and gates: in large cones a single decision can take seconds.
  bool ended(dynomite::Stop& stop);
  /// True at a conflict; false also when `stop` ended it half-way.
  bool propagate(dynomite::Stop& stop);
  bool propagate_gate(Var gate);
  bool propagate_fanouts(VarLit lit);
  bool propagate_clauses(VarLit lit);
  bool fail(std::initializer_list<VarLit> lits);
  void backtrack(std::uint32_t level);
  std::uint32_t level() const { return static_cast<std::uint32_t>(trail_limits_.size()); }

  std::uint32_t analyze();
  bool redundant(VarLit lit);
  template <typename Visit>
  void visit_reason(Var var, Visit visit);
  void learn();
  void keep_answer();
  void reduce_learned();
  void log(std::span<const VarLit> lits);

  VarLit decide(dynomite::Stop& stop);
  void bump(Var var);
  void collect_model();
  Answer search(std::uint64_t conflict_limit, dynomite::Stop& stop);

  GateSource aig_;
  CircuitSolverParams params_;
  ProofLog* proof_;
  CircuitSolverStats stats_;
  std::uint64_t ticks_ = 0;

  // The variable of a node is valid if that variable's node is this one: needs no clearing.
  std::vector<Var> var_of_node_;
  std::vector<NodeId> nodes_;

  std::vector<Gate> gates_;
  std::vector<std::uint32_t> first_fanout_;  // edge = 2 * gate + operand
  std::vector<std::int8_t> values_;          // per literal: 1 true, -1 false, 0 open
  std::vector<std::uint32_t> levels_;
  std::vector<std::uint32_t> reasons_;
  std::vector<std::uint8_t> seen_;
  std::vector<VarLit> trail_;
  std::vector<std::uint32_t> trail_limits_;
  std::size_t queue_head_ = 0;
  std::vector<VarLit> conflict_;

  ClauseArena clauses_;
  std::vector<std::uint32_t> learned_;
  std::vector<std::vector<Watch>> watches_;  // of a literal: clauses to visit when it becomes true
  std::uint64_t reduce_at_ = 0;

  // Gates at 0 that may need a decision, by activity; those found justified, with the level where they were.
  std::vector<double> activity_;
  double increment_ = 1.0;
  ActivityHeap heap_;
  std::vector<Popped> popped_;

  std::vector<VarLit> clause_;
  std::vector<Var> to_clear_;
  std::vector<VarLit> redundancy_stack_;
  std::vector<std::uint32_t> level_stamps_;
  std::uint32_t stamp_ = 0;
  std::vector<VarLit> assumptions_;
  std::vector<Lit> model_;
  std::vector<Var> window_heap_;
  std::uint64_t work_ = 0;
};

}  // namespace dmt
