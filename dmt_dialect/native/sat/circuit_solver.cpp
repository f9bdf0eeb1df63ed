#include "dmt_dialect/native/sat/circuit_solver.hpp"

#include <algorithm>
#include <cassert>

#include "dmt_dialect/native/sat/proof_log.hpp"

namespace dmt {

namespace {

/// The Luby sequence 1 1 2 1 1 2 4 ..., element `index` from 0.
std::uint64_t luby(std::uint64_t index) {
  std::uint64_t size = 1;
  std::uint64_t power = 0;
  while (size < index + 1) {
    size = 2 * size + 1;
    ++power;
  }
  while (size - 1 != index) {
    size = (size - 1) / 2;
    --power;
    index %= size;
  }
  return std::uint64_t{1} << power;
}

constexpr std::uint64_t kRestartUnit = 64;
constexpr std::uint64_t kStopStride = 1U << 14;
constexpr std::size_t kFirstReduce = 1500;
constexpr double kActivityLimit = 1e100;
constexpr double kActivityDecay = 1.0 / 0.95;

}  // namespace

CircuitSolver::CircuitSolver(GateSource aig, CircuitSolverParams params, ProofLog* proof)
    : aig_(aig), params_(params), proof_(proof) {
  reduce_at_ = kFirstReduce;
}

void CircuitSolver::reset() {
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    watches_[2 * v].clear();
    watches_[2 * v + 1].clear();
  }
  nodes_.clear();
  gates_.clear();
  first_fanout_.clear();
  values_.clear();
  levels_.clear();
  reasons_.clear();
  seen_.clear();
  activity_.clear();
  heap_.clear();
  popped_.clear();
  trail_.clear();
  trail_limits_.clear();
  queue_head_ = 0;
  clauses_.clear();
  learned_.clear();
  reduce_at_ = kFirstReduce;
  increment_ = 1.0;
  ++stats_.sessions;
}

CircuitSolver::Var CircuitSolver::var_of(NodeId node) {
  const std::uint32_t index = node.index();
  if (index >= var_of_node_.size()) var_of_node_.resize(aig_.node_count(), 0);
  const Var known = var_of_node_[index];
  if (known < nodes_.size() && nodes_[known] == node) return known;
  const auto var = static_cast<Var>(nodes_.size());
  var_of_node_[index] = var;
  nodes_.push_back(node);
  gates_.emplace_back();
  first_fanout_.push_back(kNone);
  values_.insert(values_.end(), 2, 0);
  levels_.push_back(0);
  reasons_.push_back(0);
  seen_.push_back(0);
  activity_.push_back(0.0);
  heap_.add_variable();
  if (watches_.size() < 2 * nodes_.size()) watches_.resize(2 * nodes_.size());
  return var;
}

void CircuitSolver::activate(Var var) {
  assert(!active(var) && aig_.is_and(nodes_[var]));
  ++stats_.activations;
  const Node record = aig_.record(nodes_[var]);
  const VarLit fanins[2] = {local(record.fanin0), local(record.fanin1)};
  Gate& gate = gates_[var];
  for (std::uint32_t k = 0; k < 2; ++k) {
    gate.fanin[k] = fanins[k];
    gate.next[k] = first_fanout_[fanins[k] >> 1];
    first_fanout_[fanins[k] >> 1] = 2 * var + k;
  }
}

void CircuitSolver::activate_window() {
  // The gates of the cones with the highest ids first: those nearest to the assumptions.
  const auto lower = [this](Var a, Var b) { return nodes_[a].precedes(nodes_[b]); };
  window_heap_.clear();
  for (const VarLit lit : assumptions_) window_heap_.push_back(lit >> 1);
  std::make_heap(window_heap_.begin(), window_heap_.end(), lower);
  Var last = kNone;
  for (std::uint32_t steps = 0; steps < params_.window && !window_heap_.empty();) {
    std::pop_heap(window_heap_.begin(), window_heap_.end(), lower);
    const Var var = window_heap_.back();
    window_heap_.pop_back();
    if (var == last || !aig_.is_and(nodes_[var])) continue;
    last = var;
    ++steps;
    if (!active(var)) {
      activate(var);
      // Level 0 holds only what is true of the circuit, so nothing can fail here.
      [[maybe_unused]] const bool failed = propagate_gate(var);
      assert(!failed);
    }
    for (const VarLit fanin : gates_[var].fanin) {
      window_heap_.push_back(fanin >> 1);
      std::push_heap(window_heap_.begin(), window_heap_.end(), lower);
    }
  }
}

void CircuitSolver::assign(VarLit lit, std::uint32_t why) {
  assert(values_[lit] == 0);
  values_[lit] = 1;
  values_[lit ^ 1U] = -1;
  levels_[lit >> 1] = level();
  reasons_[lit >> 1] = why;
  trail_.push_back(lit);
}

bool CircuitSolver::fail(std::initializer_list<VarLit> lits) {
  conflict_.assign(lits);
  return true;
}

bool CircuitSolver::propagate_gate(Var var) {
  const Gate& gate = gates_[var];
  const VarLit a = gate.fanin[0];
  const VarLit b = gate.fanin[1];
  const VarLit out = 2 * var;
  const int value_a = values_[a];
  const int value_b = values_[b];
  if (values_[out] > 0) {
    if (value_a < 0) return fail({out ^ 1U, a});
    if (value_b < 0) return fail({out ^ 1U, b});
    if (value_a == 0) assign(a, reason(kBinary, out));
    if (value_b == 0) assign(b, reason(kBinary, out));
  } else if (values_[out] < 0) {
    if (value_a < 0 || value_b < 0) return false;
    if (value_a > 0 && value_b > 0) return fail({out, a ^ 1U, b ^ 1U});
    if (value_a > 0) {
      assign(b ^ 1U, reason(kGate, var));
    } else if (value_b > 0) {
      assign(a ^ 1U, reason(kGate, var));
    } else if (level() > 0) {
      // What holds at level 0 is true of the circuit and needs no justification.
      heap_.push(var, nodes_[var], activity_[var]);
    }
  } else if (value_a < 0) {
    assign(out ^ 1U, reason(kBinary, a ^ 1U));
  } else if (value_b < 0) {
    assign(out ^ 1U, reason(kBinary, b ^ 1U));
  } else if (value_a > 0 && value_b > 0) {
    assign(out, reason(kGate, var));
  }
  return false;
}

bool CircuitSolver::propagate_fanouts(VarLit lit) {
  for (std::uint32_t edge = first_fanout_[lit >> 1]; edge != kNone;) {
    ++ticks_;
    const Var var = edge >> 1;
    const std::uint32_t operand = edge & 1U;
    const Gate& gate = gates_[var];
    edge = gate.next[operand];
    const VarLit out = 2 * var;
    const int value_out = values_[out];
    if (gate.fanin[operand] != lit) {  // this fanin is false
      if (value_out == 0) {
        assign(out ^ 1U, reason(kBinary, lit));
      } else if (value_out > 0) {
        return fail({out ^ 1U, lit ^ 1U});
      }
      continue;
    }
    if (value_out > 0) continue;
    const VarLit other = gate.fanin[operand ^ 1U];
    const int value_other = values_[other];
    if (value_other > 0) {
      if (value_out < 0) return fail({out, lit ^ 1U, other ^ 1U});
      assign(out, reason(kGate, var));
    } else if (value_other == 0 && value_out < 0) {
      assign(other ^ 1U, reason(kGate, var));
    }
  }
  return false;
}

bool CircuitSolver::propagate_clauses(VarLit lit) {
  const VarLit falsified = lit ^ 1U;
  std::vector<Watch>& list = watches_[lit];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ++ticks_;
    const Watch watch = list[i];
    if (values_[watch.blocker] > 0) {
      list[kept++] = watch;
      continue;
    }
    VarLit* lits = clauses_.lits(watch.clause);
    const std::uint32_t size = clauses_.size(watch.clause);
    if (lits[0] == falsified) std::swap(lits[0], lits[1]);
    const VarLit first = lits[0];
    if (values_[first] > 0) {
      list[kept++] = {watch.clause, first};
      continue;
    }
    bool moved = false;
    for (std::uint32_t k = 2; k < size; ++k) {
      if (values_[lits[k]] < 0) continue;
      std::swap(lits[1], lits[k]);
      watches_[lits[1] ^ 1U].push_back({watch.clause, first});
      moved = true;
      break;
    }
    if (moved) continue;
    list[kept++] = watch;
    if (values_[first] < 0) {
      const auto view = clauses_.view(watch.clause);
      conflict_.assign(view.begin(), view.end());
      clauses_.set_last_use(watch.clause, static_cast<std::uint32_t>(stats_.conflicts));
      for (++i; i < list.size(); ++i) list[kept++] = list[i];
      list.resize(kept);
      return true;
    }
    assign(first, reason(kClause, watch.clause));
  }
  list.resize(kept);
  return false;
}

bool CircuitSolver::ended(dynomite::Stop& stop) {
  return (++work_ % kStopStride == 0 && stop.poll_clock()) || stop.reason() != dynomite::StopReason::kNone;
}

bool CircuitSolver::propagate(dynomite::Stop& stop) {
  while (queue_head_ < trail_.size()) {
    if (ended(stop)) return false;
    const VarLit lit = trail_[queue_head_++];
    const Var var = lit >> 1;
    ++stats_.propagations;
    if (aig_.is_and(nodes_[var])) {
      if (!active(var)) activate(var);
      if (propagate_gate(var)) return true;
    }
    if (propagate_fanouts(lit) || propagate_clauses(lit)) return true;
  }
  return false;
}

void CircuitSolver::backtrack(std::uint32_t target) {
  if (level() <= target) return;
  const std::size_t keep = trail_limits_[target];
  for (std::size_t i = trail_.size(); i-- > keep;) {
    values_[trail_[i]] = 0;
    values_[trail_[i] ^ 1U] = 0;
  }
  trail_.resize(keep);
  trail_limits_.resize(target);
  queue_head_ = keep;
  // A gate that was found justified above `target` may have lost its justification.
  while (!popped_.empty() && popped_.back().level > target) {
    const Var gate = popped_.back().gate;
    popped_.pop_back();
    if (values_[2 * gate] < 0) heap_.push(gate, nodes_[gate], activity_[gate]);
  }
}

template <typename Visit>
void CircuitSolver::visit_reason(Var var, Visit visit) {
  const std::uint32_t why = reasons_[var];
  const std::uint32_t payload = why >> 2;
  switch (why & 3U) {
    case kBinary: visit(payload); break;
    case kGate: {
      const Gate& gate = gates_[payload];
      if (payload == var) {
        visit(gate.fanin[0]);
        visit(gate.fanin[1]);
      } else {
        visit(2 * payload + 1);
        visit(gate.fanin[(gate.fanin[0] >> 1) == var ? 1 : 0]);
      }
      break;
    }
    case kClause: {
      clauses_.set_last_use(payload, static_cast<std::uint32_t>(stats_.conflicts));
      for (const VarLit lit : clauses_.view(payload)) {
        if ((lit >> 1) != var) visit(lit ^ 1U);
      }
      break;
    }
    default: break;
  }
}

// First unique implication point. Leaves the clause in clause_, its asserting literal first and one of the
// highest remaining level second; returns that level.
std::uint32_t CircuitSolver::analyze() {
  clause_.assign(1, 0);
  to_clear_.clear();
  std::uint32_t open = 0;
  const auto note = [&](VarLit true_lit) {
    const Var var = true_lit >> 1;
    if (seen_[var] != 0 || levels_[var] == 0) return;
    seen_[var] = 1;
    to_clear_.push_back(var);
    bump(var);
    if (levels_[var] == level()) {
      ++open;
    } else {
      clause_.push_back(true_lit ^ 1U);
    }
  };
  for (const VarLit lit : conflict_) note(lit ^ 1U);
  assert(open > 0);
  std::size_t position = trail_.size();
  VarLit uip = 0;
  for (;;) {
    do {
      --position;
    } while (seen_[trail_[position] >> 1] == 0);
    uip = trail_[position];
    if (--open == 0) break;
    visit_reason(uip >> 1, note);
  }
  clause_[0] = uip ^ 1U;

  // Literals implied by others of the clause go (Sörensson and Biere, SAT 2009).
  std::size_t kept = 1;
  for (std::size_t i = 1; i < clause_.size(); ++i) {
    if ((reasons_[clause_[i] >> 1] & 3U) == kDecision || !redundant(clause_[i])) clause_[kept++] = clause_[i];
  }
  clause_.resize(kept);
  for (const Var var : to_clear_) seen_[var] = 0;

  std::uint32_t back = 0;
  for (std::size_t i = 1; i < clause_.size(); ++i) {
    if (levels_[clause_[i] >> 1] > back) {
      back = levels_[clause_[i] >> 1];
      std::swap(clause_[1], clause_[i]);
    }
  }
  return back;
}

// seen_: 1 in the clause or proved redundant on the way, 2 known not to be redundant.
bool CircuitSolver::redundant(VarLit lit) {
  const std::size_t mark = to_clear_.size();
  redundancy_stack_.assign(1, lit);
  while (!redundancy_stack_.empty()) {
    const Var var = redundancy_stack_.back() >> 1;
    redundancy_stack_.pop_back();
    bool fails = false;
    visit_reason(var, [&](VarLit antecedent) {
      const Var other = antecedent >> 1;
      if (fails || levels_[other] == 0 || seen_[other] == 1) return;
      if (seen_[other] == 2 || (reasons_[other] & 3U) == kDecision) {
        fails = true;
        return;
      }
      seen_[other] = 1;
      to_clear_.push_back(other);
      redundancy_stack_.push_back(antecedent);
    });
    if (fails) {
      // What was assumed on the way is not proved: note it as hopeless only where it was visited.
      for (std::size_t i = mark; i < to_clear_.size(); ++i) seen_[to_clear_[i]] = 2;
      return false;
    }
  }
  return true;
}

void CircuitSolver::log(std::span<const VarLit> lits) {
  if (proof_ == nullptr) return;
  for (const VarLit lit : lits) proof_->literal(global(lit));
  proof_->end();
}

void CircuitSolver::learn() {
  log(clause_);
  if (clause_.size() == 1) {
    assign(clause_[0], reason(kDecision, 0));
    return;
  }
  ++stamp_;
  std::uint32_t lbd = 0;
  for (const VarLit lit : clause_) {
    const std::uint32_t lit_level = levels_[lit >> 1];
    if (lit_level >= level_stamps_.size()) level_stamps_.resize(lit_level + 1, 0);
    if (level_stamps_[lit_level] == stamp_) continue;
    level_stamps_[lit_level] = stamp_;
    ++lbd;
  }
  const std::uint32_t ref = clauses_.add(clause_, lbd, static_cast<std::uint32_t>(stats_.conflicts));
  learned_.push_back(ref);
  watches_[clause_[0] ^ 1U].push_back({ref, clause_[1]});
  watches_[clause_[1] ^ 1U].push_back({ref, clause_[0]});
  assign(clause_[0], reason(kClause, ref));
}

// Called at level 0 only, where no reason is ever looked at.
void CircuitSolver::reduce_learned() {
  assert(level() == 0);
  std::sort(learned_.begin(), learned_.end(), [this](std::uint32_t a, std::uint32_t b) {
    if (clauses_.lbd(a) != clauses_.lbd(b)) return clauses_.lbd(a) < clauses_.lbd(b);
    return clauses_.last_use(a) > clauses_.last_use(b);
  });
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < learned_.size(); ++i) {
    const std::uint32_t ref = learned_[i];
    bool keep = i < learned_.size() / 2 || clauses_.lbd(ref) <= 2;
    VarLit* lits = clauses_.lits(ref);
    std::uint32_t open = 0;
    for (std::uint32_t k = 0; k < clauses_.size(ref) && keep; ++k) {
      if (values_[lits[k]] > 0) keep = false;
      if (values_[lits[k]] == 0) std::swap(lits[k], lits[open++]);
    }
    if (keep) kept.push_back(ref);
  }
  learned_ = std::move(kept);
  clauses_.collect(learned_);
  for (std::size_t i = 0; i < 2 * nodes_.size(); ++i) watches_[i].clear();
  for (const std::uint32_t ref : learned_) {
    const VarLit* lits = clauses_.lits(ref);
    watches_[lits[0] ^ 1U].push_back({ref, lits[1]});
    watches_[lits[1] ^ 1U].push_back({ref, lits[0]});
  }
  reduce_at_ = learned_.size() + kFirstReduce;
}

void CircuitSolver::bump(Var var) {
  activity_[var] += increment_;
  if (activity_[var] > kActivityLimit) {
    for (double& activity : activity_) activity /= kActivityLimit;
    heap_.divide_activities(kActivityLimit);
    increment_ /= kActivityLimit;
  }
  if (heap_.contains(var)) heap_.raise(var, activity_[var]);
}

// The next decision: a fanin to justify a gate at 0. kNone when all gates are justified.
CircuitSolver::VarLit CircuitSolver::decide(dynomite::Stop& stop) {
  while (!heap_.empty() && !ended(stop)) {
    const Var var = heap_.pop();
    if (values_[2 * var] >= 0) continue;
    const VarLit a = gates_[var].fanin[0];
    const VarLit b = gates_[var].fanin[1];
    if (values_[a] < 0 || values_[b] < 0) {
      popped_.push_back({level(), var});
      continue;
    }
    assert(values_[a] == 0 && values_[b] == 0);
    popped_.push_back({level() + 1, var});
    const Var var_a = a >> 1;
    const Var var_b = b >> 1;
    if (activity_[var_a] != activity_[var_b]) return (activity_[var_a] > activity_[var_b] ? a : b) ^ 1U;
    return (nodes_[var_a].precedes(nodes_[var_b]) ? a : b) ^ 1U;
  }
  return kNone;
}

void CircuitSolver::collect_model() {
  model_.clear();
  for (const VarLit lit : trail_) {
    if (!aig_.is_and(nodes_[lit >> 1])) model_.push_back(global(lit));
  }
}

Answer CircuitSolver::search(std::uint64_t conflict_limit, dynomite::Stop& stop) {
  std::uint64_t conflicts = 0;
  std::uint64_t restarts = 0;
  std::uint64_t restart_at = kRestartUnit;
  for (;;) {
    if (propagate(stop)) {
      if (level() == 0) {
        // The circuit alone is always consistent.
        assert(false);
        return Answer::kUnknown;
      }
      ++stats_.conflicts;
      ++conflicts;
      const std::uint32_t back = analyze();
      backtrack(back);
      learn();
      increment_ *= kActivityDecay;
      if (conflicts >= conflict_limit || stop.poll()) return Answer::kUnknown;
      if (conflicts >= restart_at) {
        restart_at = conflicts + kRestartUnit * luby(++restarts);
        backtrack(0);
        if (learned_.size() >= reduce_at_) {
          if (propagate(stop) || stop.reason() != dynomite::StopReason::kNone) return Answer::kUnknown;
          reduce_learned();
        }
      }
      continue;
    }
    if (stop.reason() != dynomite::StopReason::kNone) return Answer::kUnknown;
    VarLit next = kNone;
    while (level() < assumptions_.size()) {
      const VarLit assumption = assumptions_[level()];
      if (values_[assumption] < 0) return Answer::kUnsat;
      if (values_[assumption] == 0) {
        next = assumption;
        break;
      }
      trail_limits_.push_back(static_cast<std::uint32_t>(trail_.size()));
    }
    if (next == kNone) {
      if ((stats_.decisions & 255U) == 0 && stop.poll()) return Answer::kUnknown;
      next = decide(stop);
      if (stop.reason() != dynomite::StopReason::kNone) return Answer::kUnknown;
      if (next == kNone) return Answer::kSat;
      ++stats_.decisions;
    }
    trail_limits_.push_back(static_cast<std::uint32_t>(trail_.size()));
    assign(next, reason(kDecision, 0));
  }
}

// What was refuted is a clause for the rest of the session: it ties two nodes that were proved equal to each
// other, so that what was learned about the one serves the other.
void CircuitSolver::keep_answer() {
  if (assumptions_.size() == 1 || (assumptions_.size() == 2 && assumptions_[0] == assumptions_[1])) {
    if (values_[assumptions_[0]] == 0) assign(assumptions_[0] ^ 1U, reason(kDecision, 0));
    return;
  }
  if (assumptions_.size() != 2) return;
  clause_ = {assumptions_[0] ^ 1U, assumptions_[1] ^ 1U};
  for (const VarLit lit : clause_) {
    if (values_[lit] != 0) return;  // true of the circuit: the clause holds, or propagation will see to it
  }
  const std::uint32_t ref = clauses_.add(clause_, 1, static_cast<std::uint32_t>(stats_.conflicts));
  learned_.push_back(ref);
  watches_[clause_[0] ^ 1U].push_back({ref, clause_[1]});
  watches_[clause_[1] ^ 1U].push_back({ref, clause_[0]});
}

Answer CircuitSolver::solve(std::span<const Lit> assumptions, std::uint64_t conflict_limit,
                            dynomite::Stop& stop) {
  ++stats_.calls;
  if (nodes_.size() > params_.max_session_variables) reset();
  backtrack(0);
  assumptions_.clear();
  for (const Lit lit : assumptions) {
    if (lit == kFalse) return Answer::kUnsat;
    if (lit != kTrue) assumptions_.push_back(local(lit));
  }
  activate_window();
  const Answer answer = search(conflict_limit, stop);
  if (answer == Answer::kSat) collect_model();
  if (answer == Answer::kUnsat && proof_ != nullptr) {
    for (const Lit lit : assumptions) proof_->literal(~lit);
    proof_->end();
  }
  backtrack(0);
  if (answer == Answer::kUnsat) keep_answer();
  return answer;
}

}  // namespace dmt
