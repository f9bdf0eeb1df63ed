#include "dmt_dialect/native/aig/sweep.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <unordered_map>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/aig/exhaustive.hpp"
#include "dmt_dialect/native/opt/rewrite.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

constexpr std::uint64_t kCheapExhaustive = std::uint64_t{1} << 24;  // some milliseconds
constexpr std::uint64_t kMostExhaustive = std::uint64_t{1} << 36;   // about a minute
constexpr std::uint64_t kOperationsPerTick = 8;                     // by time, about
constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kLowLimit = 100;
constexpr std::uint64_t kLeastLimit = 2;
constexpr std::uint64_t kHighLimit = 10000;
constexpr std::uint64_t kMostFailures = 100;
constexpr std::size_t kArchiveWords = 64;
constexpr std::uint64_t kRewriteLimit = 90;  // cheap passes first: they often do without
// A cheap pass asks no more after so many queries that met the limit, and this part of the ANDs: what is not
// merged low makes what is above it fail, and the next pass begins low again.
constexpr std::uint64_t kUnknownBase = 50;
constexpr std::uint64_t kUnknownPart = 64;
constexpr std::uint64_t kRewriteGain = 10;  // percent; by so much it is worth while at any limit
// A query right above merged nodes gets so many times the limit: all that is above rests on its answer.
constexpr std::uint64_t kFirmFactor = 10;
constexpr std::uint8_t kDoubt = 4;  // levels above a failed query that count as doubtful
constexpr std::uint64_t kDoubtTrials = 8;
constexpr unsigned kRewriteChecks = 4;  // times 64 * kArchiveWords patterns
constexpr std::size_t kColumns = 64;
constexpr std::size_t kMostOthers = 4;
constexpr std::uint32_t kPollStride = 4096;
constexpr std::size_t kMaxRandomRounds = 64;
constexpr unsigned kQuietRounds = 6;
constexpr std::size_t kValueBudget = std::size_t{1} << 23;  // words of simulation values held at once

// Rows of `words` words; `nodes` in topological order. Instances for wide vectors are picked at load time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void simulate_ands(const Node* nodes, std::size_t node_count, std::uint64_t* values, std::size_t words) {
  for (std::size_t i = 1; i < node_count; ++i) {
    const Node& node = nodes[i];
    if (node.fanin0 == AigStore::kNotAnd) continue;
    const std::uint64_t flip0 = node.fanin0.complemented() ? ~std::uint64_t{0} : 0;
    const std::uint64_t flip1 = node.fanin1.complemented() ? ~std::uint64_t{0} : 0;
    const std::uint64_t* a = values + node.fanin0.node().index() * words;
    const std::uint64_t* b = values + node.fanin1.node().index() * words;
    std::uint64_t* out = values + i * words;
    for (std::size_t w = 0; w < words; ++w) out[w] = (a[w] ^ flip0) & (b[w] ^ flip1);
  }
}

/// A member of a class that has its own gate: known to be equal to the representative, or not yet proved to
/// be.
struct Other {
  NodeId member;
  Lit gate;
};

/// A gate to compare with, and what to merge with if it is equal.
struct Form {
  NodeId member;
  Lit gate, target;
};

/// A literal of the miter in the CNF: the variable of node i is i + 1.
std::int64_t cnf_literal(Lit lit) {
  const auto variable = static_cast<std::int64_t>(lit.node().index()) + 1;
  return lit.complemented() ? -variable : variable;
}

std::size_t random_words(std::size_t node_count) {
  std::size_t words = 8;
  while (words > 1 && words * node_count > kValueBudget) words /= 2;
  return words;
}

}  // namespace

Sweeper::Sweeper(const AigStore& aig, std::vector<std::pair<Lit, Lit>> pairs, std::vector<Lit> roots,
                 std::uint64_t seed)
    : original_(aig), pairs_(std::move(pairs)), roots_(std::move(roots)), random_(seed) {
  for (const auto& [a, b] : pairs_) {
    if (!aig.contains(a) || !aig.contains(b))
      throw dynomite::UsageError("Sweeper: a literal is not in the AIG");
  }
  for (const Lit root : roots_) {
    if (!aig.contains(root)) throw dynomite::UsageError("Sweeper: a root is not in the AIG");
  }
  statuses_.assign(pairs_.size(), PairStatus::kUndecided);
  engines_.assign(pairs_.size(), PairEngine::kNone);
  pairs_by_sat_.assign(pairs_.size(), false);
  counterexamples_.resize(pairs_.size());
  undecided_ = pairs_.size();
}

void Sweeper::log_proof(const std::string& path) {
  if (prepared_) throw dynomite::UsageError("Sweeper.log_proof: only before the first run");
  proof_ = std::make_unique<ProofLog>(path);
  gates_there_.assign(original_.node_count() + std::size_t{1}, {0, 0});
  for (std::uint32_t i = 1; i < original_.node_count(); ++i) {
    if (!original_.is_and(NodeId(i))) continue;
    gates_there_[i + 1] =
        std::minmax({cnf_literal(original_.fanin0(NodeId(i))), cnf_literal(original_.fanin1(NodeId(i)))});
  }
}

void Sweeper::help(SweepHelp given) {
  if (prepared_ || proof_)
    throw dynomite::UsageError("Sweeper.help: only before the first run, without proof");
  const auto check = [this](Lit lit) {
    if (!original_.contains(lit)) throw dynomite::UsageError("Sweeper.help: a literal is not in the AIG");
  };
  for (const auto& [a, b] : given.known) {
    check(a);
    check(b);
  }
  for (const Lit lit : given.kept) check(lit);
  const std::size_t cis = original_.inputs().size() + original_.latches().size();
  for (const std::vector<std::uint64_t>& row : given.patterns) {
    if (row.size() != cis) throw dynomite::UsageError("Sweeper.help: a pattern needs a word for each input");
  }
  if (given.patterns.size() > kArchiveWords) throw dynomite::UsageError("Sweeper.help: too many patterns");
  // Their cones must stay: what is not live has no place in current_.
  for (const auto& [a, b] : given.known) {
    given.kept.push_back(a);
    given.kept.push_back(b);
  }
  archive_ = std::move(given.patterns);
  help_ = std::move(given);
}

void Sweeper::copy_cis(AigStore& target) const {
  // Inputs first, then latches: the layout of binary AIGER, whatever the original has.
  target.add_inputs(static_cast<std::uint32_t>(original_.inputs().size()));
  for (const Latch& latch : original_.latches()) target.add_latch(latch.reset);
}

bool Sweeper::prepare(dynomite::Stop& stop) {
  std::vector<Lit> wanted = roots_;
  for (const auto& [a, b] : pairs_) {
    wanted.push_back(a);
    wanted.push_back(b);
  }
  wanted.insert(wanted.end(), help_.kept.begin(), help_.kept.end());
  const std::vector<bool> live = mark_cone(original_, wanted);
  AigStore built;
  copy_cis(built);
  map_.assign(original_.node_count(), kFalse);
  const auto inputs = static_cast<std::uint32_t>(original_.inputs().size());
  if (proof_) {
    proof_->set_variable(kConstNode, 1);
    for (std::uint32_t i = 0; i < inputs; ++i) {
      proof_->set_variable(built.inputs()[i], original_.inputs()[i].index() + 1);
    }
    for (std::size_t i = 0; i < original_.latches().size(); ++i) {
      proof_->set_variable(built.latches()[i].node, original_.latches()[i].node.index() + 1);
    }
  }
  for (std::uint32_t i = 1; i < original_.node_count(); ++i) {
    if (i % kPollStride == 0 && stop.poll_clock()) return false;
    const NodeId id(i);
    if (original_.is_and(id)) {
      if (!live[i]) continue;
      const std::uint32_t before = built.node_count();
      map_[i] = built.and_(mapped(map_, original_.fanin0(id)), mapped(map_, original_.fanin1(id)));
      if (proof_) log_built(i + 1, map_[i], built, before);
    } else if (original_.is_latch(id)) {
      map_[i] = Lit(built.latches()[original_.ci_index(id)].node, false);
    } else {
      map_[i] = Lit(built.inputs()[original_.ci_index(id)], false);
    }
  }
  stats_.nodes_before = built.and_count();
  std::vector<Lit> identity(built.node_count());
  for (std::uint32_t i = 0; i < built.node_count(); ++i) identity[i] = Lit(NodeId(i), false);
  adopt(built, identity);
  prepared_ = true;
  return true;
}

std::vector<Lit> Sweeper::open_ends() const {
  std::vector<Lit> lits;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (statuses_[i] != PairStatus::kUndecided) continue;
    lits.push_back(mapped(map_, pairs_[i].first));
    lits.push_back(mapped(map_, pairs_[i].second));
  }
  return lits;
}

// `map` leads from current_ (or, at first, from built itself) to `built`.
void Sweeper::adopt(const AigStore& built, const std::vector<Lit>& map) {
  for (Lit& lit : map_) lit = mapped(map, lit);
  std::vector<Lit> needed = open_ends();
  for (const Lit root : roots_) needed.push_back(mapped(map_, root));
  for (const Lit lit : help_.kept) needed.push_back(mapped(map_, lit));
  const std::vector<bool> live = mark_cone(built, needed);
  AigStore next;
  copy_cis(next);
  std::vector<Lit> moved(built.node_count(), kFalse);
  std::vector<std::uint32_t> variables;
  for (std::uint32_t i = 1; i < built.node_count(); ++i) {
    const NodeId id(i);
    if (built.is_and(id)) {
      // Already hashed, and the order of ids is kept: no rule can fire that did not before.
      if (live[i])
        moved[i] = next.append_and(mapped(moved, built.fanin0(id)), mapped(moved, built.fanin1(id)));
    } else {
      moved[i] = Lit(id, false);  // same layout
    }
  }
  if (proof_) {
    variables.assign(next.node_count(), 0);
    variables[0] = 1;
    for (std::uint32_t i = 1; i < built.node_count(); ++i) {
      if (moved[i] != kFalse) variables[moved[i].node().index()] = proof_->variable(NodeId(i));
    }
    variables_ = std::move(variables);
  }
  for (Lit& lit : map_) lit = mapped(moved, lit);
  current_ = std::move(next);
  stats_.nodes_after = current_.and_count();
}

void Sweeper::fill_random(std::size_t words, unsigned density) {
  const std::size_t cis = original_.inputs().size() + original_.latches().size();
  ci_values_.resize(cis * words);
  for (std::uint64_t& value : ci_values_) {
    value = random_.next();
    if (density == 1) value &= random_.next();
    if (density == 2) value |= random_.next();
    if (density == 3) value &= random_.next() & random_.next();
  }
}

void Sweeper::simulate(std::size_t words) {
  values_.resize(std::size_t{current_.node_count()} * words);
  std::fill_n(values_.begin(), words, 0);
  std::copy(ci_values_.begin(), ci_values_.end(), values_.begin() + static_cast<std::ptrdiff_t>(words));
  simulate_ands(current_.nodes().data(), current_.node_count(), values_.data(), words);
}

void Sweeper::set_different(std::size_t pair, std::size_t word, std::uint64_t difference, std::size_t words) {
  const int bit = __builtin_ctzll(difference);
  const std::size_t cis = original_.inputs().size() + original_.latches().size();
  std::vector<std::uint8_t>& values = counterexamples_[pair];
  values.resize(cis);
  for (std::size_t ci = 0; ci < cis; ++ci) {
    values[ci] = static_cast<std::uint8_t>((ci_values_[ci * words + word] >> bit) & 1U);
  }
  statuses_[pair] = PairStatus::kDifferent;
  engines_[pair] = PairEngine::kSimulation;
  --undecided_;
}

void Sweeper::set_equal(std::size_t pair, PairEngine engine) {
  statuses_[pair] = PairStatus::kEqual;
  engines_[pair] = engine;
  --undecided_;
}

void Sweeper::exhaust(std::span<const std::size_t> group, dynomite::Stop& stop) {
  std::vector<std::pair<Lit, Lit>> pairs;
  std::vector<Lit> roots;
  for (const std::size_t i : group) {
    pairs.emplace_back(mapped(map_, pairs_[i].first), mapped(map_, pairs_[i].second));
    roots.push_back(pairs.back().first);
    roots.push_back(pairs.back().second);
  }
  const std::vector<std::uint32_t> support = structural_support(current_, roots);
  const ExhaustiveResult result = compare_exhaustively(current_, pairs, support, stop);
  for (std::size_t k = 0; k < group.size(); ++k) {
    if (result.differences[k]) {
      // Once more through the simulator of counterexamples: only that one decides.
      fill_random(1, 0);
      for (std::size_t v = 0; v < support.size(); ++v) {
        ci_values_[support[v]] = ((*result.differences[k] >> v) & 1U) != 0 ? ~std::uint64_t{0} : 0;
      }
      simulate(1);
      note_differences(1);
      if (statuses_[group[k]] != PairStatus::kDifferent) {
        throw std::logic_error("sweep: a difference found by exhaustive simulation fails in simulation");
      }
      ++stats_.exhaustive;
    } else if (result.complete) {
      set_equal(group[k], PairEngine::kExhaustive);
      ++stats_.exhaustive;
    }
  }
}

std::uint64_t Sweeper::exhaustive_cost_of_open() const {
  const std::vector<Lit> ends = open_ends();
  if (ends.empty()) return kNever;
  return exhaustive_cost(structural_support(current_, ends).size(), current_.and_count());
}

void Sweeper::try_exhaustive(std::uint64_t budget, dynomite::Stop& stop) {
  // A refutation has clauses only: pairs proved by simulation could not be part of it.
  if (proof_) return;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (statuses_[i] == PairStatus::kUndecided) open.push_back(i);
  }
  if (open.empty()) return;
  if (exhaustive_cost_of_open() <= budget) {
    exhaust(open, stop);
    return;
  }
  // One by one, as long as that costs less than some sweeping would.
  constexpr std::size_t kMostSingle = 256;
  if (open.size() > kMostSingle) return;
  for (const std::size_t i : open) {
    if (stop.poll_clock()) return;
    const Lit ends[2] = {mapped(map_, pairs_[i].first), mapped(map_, pairs_[i].second)};
    const std::size_t own = structural_support(current_, ends).size();
    // The cone is part of the AIG: an upper bound is good enough.
    if (exhaustive_cost(own, current_.and_count()) <= budget / open.size()) exhaust({&i, 1}, stop);
  }
}

void Sweeper::note_differences(std::size_t words) {
  if (undecided_ == 0) return;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (statuses_[i] != PairStatus::kUndecided) continue;
    const Lit a = mapped(map_, pairs_[i].first);
    const Lit b = mapped(map_, pairs_[i].second);
    const std::uint64_t flip = a.complemented() != b.complemented() ? ~std::uint64_t{0} : 0;
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t difference =
          values_[a.node().index() * words + w] ^ values_[b.node().index() * words + w] ^ flip;
      if (difference == 0) continue;
      set_different(i, w, difference, words);
      break;
    }
  }
}

void Sweeper::start_classes(dynomite::Stop& stop) {
  std::vector<std::uint32_t> members(current_.node_count());
  for (std::uint32_t i = 0; i < current_.node_count(); ++i) members[i] = i;
  classes_.start(current_.node_count(), std::move(members));
  const std::size_t words = random_words(current_.node_count());
  unsigned quiet = 0;
  for (std::size_t round = 0; round < kMaxRandomRounds && quiet < kQuietRounds && !stop.poll_clock();
       ++round) {
    fill_random(words, static_cast<unsigned>(round % 4 == 3 ? 1 + round / 4 % 3 : 0));
    simulate(words);
    note_differences(words);
    const std::size_t split = classes_.refine(values_, words);
    quiet = split * 1000 > current_.node_count() ? 0 : quiet + 1;
  }
  for (const auto& word : archive_) {
    ci_values_ = word;
    simulate(1);
    classes_.refine(values_, 1);
  }
  fill_random(1, 0);
  sources_.clear();
}

void Sweeper::add_counterexample(std::span<const Lit> model, NodeId left, NodeId right) {
  const std::uint64_t bit = std::uint64_t{1} << sources_.size();
  // Nodes 1.. are the inputs and latches in the order of ci_values_; the unassigned keep random values.
  for (const Lit lit : model) {
    std::uint64_t& word = ci_values_[lit.node().index() - 1];
    word = lit.complemented() ? word & ~bit : word | bit;
  }
  sources_.push_back({left, right});
  ++stats_.disproved;
}

void Sweeper::flush_counterexamples() {
  if (sources_.empty()) return;
  simulate(1);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto [left, right] = sources_[i];
    const bool same_phase = classes_.phase(left) == classes_.phase(right);
    const std::uint64_t difference =
        values_[left.index()] ^ values_[right.index()] ^ (same_phase ? 0 : ~std::uint64_t{0});
    if (((difference >> i) & 1U) == 0) throw std::logic_error("sweep: a counterexample fails in simulation");
  }
  note_differences(1);
  classes_.refine(values_, 1);
  if (archive_.size() < kArchiveWords) archive_.emplace_back();
  archive_[archive_next_++ % archive_.size()] = ci_values_;
  archive_next_ %= kArchiveWords;
  sources_.clear();
  fill_random(1, 0);
  ++stats_.simulations;
}

Answer Sweeper::prove_equal(CircuitSolver& solver, Lit a, Lit b, std::uint64_t limit, dynomite::Stop& stop) {
  ++stats_.sat_calls;
  const Lit first[2] = {a, ~b};
  Answer answer = solver.solve(first, limit, stop);
  if (answer == Answer::kUnsat) {
    const Lit second[2] = {~a, b};
    answer = solver.solve(second, limit, stop);
  }
  return falsified(answer, a, b);
}

Answer Sweeper::falsified(Answer answer, Lit a, Lit b) {
  if (answer == Answer::kUnsat || answer != falsified_.first || falsified_.second-- != 0) return answer;
  falsified_.first = Answer::kUnsat;
  ++stats_.falsified;
  if (proof_) {
    for (const bool flip : {false, true}) {
      proof_->literal(~a ^ flip);
      proof_->literal(b ^ flip);
      proof_->end();
    }
  }
  return Answer::kUnsat;
}

void Sweeper::log_equal(std::uint32_t variable, Lit result) {
  const auto own = static_cast<std::int64_t>(variable);
  const auto other = static_cast<std::int64_t>(proof_->variable(result.node()));
  if (own == other) return;
  const std::int64_t target = result.complemented() ? -other : other;
  proof_->dimacs(-own);
  proof_->dimacs(target);
  proof_->end();
  proof_->dimacs(own);
  proof_->dimacs(-target);
  proof_->end();
}

bool Sweeper::is_new_gate(std::uint32_t variable, Lit a, Lit b) {
  const std::pair<std::int64_t, std::int64_t> gate = std::minmax({proof_->number(a), proof_->number(b)});
  auto& there = gates_there_[variable];
  if (there == gate) return false;
  there = gate;
  return true;
}

void Sweeper::log_built(std::uint32_t variable, Lit result, const AigStore& built,
                        std::uint32_t nodes_before) {
  if (built.node_count() == nodes_before) {
    log_equal(variable, result);
    return;
  }
  // A new node: it takes the variable over, and its gate is stated in the variables of its fanins.
  const NodeId node = result.node();
  assert(!result.complemented());
  proof_->set_variable(node, variable);
  const Lit a = built.fanin0(node);
  const Lit b = built.fanin1(node);
  if (!is_new_gate(variable, a, b)) return;
  for (const Lit fanin : {a, b}) {
    proof_->literal(~result);
    proof_->literal(fanin);
    proof_->end();
  }
  proof_->literal(result);
  proof_->literal(~a);
  proof_->literal(~b);
  proof_->end();
}

void Sweeper::decide_pairs(CircuitSolver& solver, std::span<const Lit> map, const std::vector<bool>& by_sat,
                           std::uint64_t limit, dynomite::Stop& stop) {
  for (std::size_t i = 0; i < pairs_.size() && !stop.poll_clock(); ++i) {
    if (statuses_[i] != PairStatus::kUndecided) continue;
    const Lit old_a = mapped(map_, pairs_[i].first);
    const Lit old_b = mapped(map_, pairs_[i].second);
    const Lit a = mapped(map, old_a);
    const Lit b = mapped(map, old_b);
    Answer answer = Answer::kUnsat;
    if (by_sat[old_a.node().index()] || by_sat[old_b.node().index()]) pairs_by_sat_[i] = true;
    if (a != b) {
      answer = prove_equal(solver, a, b, limit, stop);
      pairs_by_sat_[i] = true;
    }
    if (answer == Answer::kUnsat) {
      set_equal(i, pairs_by_sat_[i] ? PairEngine::kSat : PairEngine::kHashing);
    } else if (answer == Answer::kSat) {
      // Simulation of the pattern decides, not the solver's word.
      fill_random(1, 0);
      for (const Lit lit : solver.model()) {
        ci_values_[lit.node().index() - 1] = lit.complemented() ? 0 : ~std::uint64_t{0};
      }
      simulate(1);
      note_differences(1);
      if (statuses_[i] == PairStatus::kUndecided) {
        throw std::logic_error("sweep: a counterexample of an output fails in simulation");
      }
    }
  }
}

std::vector<Lit> Sweeper::known_targets() const {
  std::vector<Lit> targets(current_.node_count(), AigStore::kNotAnd);
  for (const auto& [first, second] : help_.known) {
    Lit a = mapped(map_, first);
    Lit b = mapped(map_, second);
    if (a.node().index() < b.node().index()) std::swap(a, b);
    if (a == ~b) throw std::logic_error("sweep: literals known to be equal are opposite");
    if (a != b) targets[a.node().index()] = b ^ a.complemented();
  }
  return targets;
}

Sweeper::Outcome Sweeper::pass(std::uint64_t conflict_limit, std::uint64_t most_ticks,
                               std::uint64_t most_unknown, dynomite::Stop& stop) {
  ++stats_.passes;
  start_classes(stop);
  if (undecided_ == 0 && !pairs_.empty() && roots_.empty()) return Outcome::kDone;
  AigStore built;
  copy_cis(built);
  if (proof_) {
    proof_->clear_variables();
    for (std::uint32_t i = 0; i < built.node_count(); ++i) proof_->set_variable(NodeId(i), variables_[i]);
  }
  CircuitSolver solver(built, {}, proof_.get());
  std::vector<Lit> map(current_.node_count());
  map[0] = kFalse;
  std::vector<bool> by_sat(current_.node_count());
  const std::vector<Lit> known = known_targets();
  std::unordered_map<std::uint32_t, std::vector<Other>> others;
  const auto note_other = [&](std::uint32_t i) {
    std::vector<Other>& list = others[classes_.representative(NodeId(i)).index()];
    if (list.size() < kMostOthers) list.push_back({NodeId(i), map[i]});
  };
  std::vector<Form> forms;
  bool other_form_first = false;
  std::vector<Lit> merged;  // by node of `built`: what it was found equal to
  const auto merge = [&](std::uint32_t i, Lit target) {
    const Lit made = map[i];
    if (made == target) return;
    if (merged.size() <= made.node().index()) merged.resize(made.node().index() + 1, AigStore::kNotAnd);
    merged[made.node().index()] = target ^ made.complemented();
    map[i] = target;
    by_sat[i] = true;
  };
  flushed_at_ = 0;
  const std::uint64_t flush_cost = current_.node_count() / 2;
  // One missed merge makes the proofs above it fail as well: many failures lower the limit, successes raise
  // it again. What lies higher is tried all the same, as it may be equal for reasons of its own.
  std::uint64_t limit = conflict_limit;
  const std::uint64_t least = std::max<std::uint64_t>(kLowLimit, conflict_limit / 64);
  std::uint64_t useful = 0;  // conflicts of calls with an answer, and of the others
  std::uint64_t wasted = 0;
  bool stopped = false;
  bool gave_up = false;
  const std::uint64_t unknown_before = stats_.unknown;
  if (roots_.empty() && !helped() && conflict_limit < kRewriteLimit)
    most_unknown = std::min(most_unknown, kUnknownBase + current_.and_count() / kUnknownPart);
  // Reducing alone is to cost what the limit says; with help, what is worth proving is cheap to prove.
  const std::uint64_t firm_factor = roots_.empty() && !helped() ? kFirmFactor : 1;
  std::uint64_t doubtful_queries = 0, doubtful_merges = 0;
  std::vector<std::uint8_t> doubt(current_.node_count());  // kDoubt at a failure, one less each level above
  for (std::uint32_t i = 1; i < current_.node_count(); ++i) {
    const NodeId id(i);
    std::uint8_t below = 0;  // the doubt of the fanins
    if (current_.is_and(id)) {
      const std::uint32_t before = built.node_count();
      const Lit fanins[2] = {current_.fanin0(id), current_.fanin1(id)};
      below = std::max(doubt[fanins[0].node().index()], doubt[fanins[1].node().index()]);
      doubt[i] = below > 0 ? static_cast<std::uint8_t>(below - 1) : std::uint8_t{0};
      map[i] = built.and_(mapped(map, fanins[0]), mapped(map, fanins[1]));
      by_sat[i] = by_sat[fanins[0].node().index()] || by_sat[fanins[1].node().index()];
      if (proof_) log_built(variables_[i], map[i], built, before);
      // A gate made before and merged since. Without help the gate itself is the better start of a proof: it
      // is closer to what it is compared with.
      const std::uint32_t made = map[i].node().index();
      if (helped() && made < merged.size() && merged[made] != AigStore::kNotAnd) {
        map[i] = merged[made] ^ map[i].complemented();
        by_sat[i] = true;
        if (proof_) log_equal(variables_[i], map[i]);
      }
    } else {
      map[i] = Lit(id, false);
      continue;
    }
    if ((i & 63U) == 0) {
      progress_.store(static_cast<double>(i) / current_.node_count(), std::memory_order_relaxed);
      if (stop.poll_clock() || solver.ticks() + stats_.ticks > most_ticks) stopped = true;
    }
    if (known[i] != AigStore::kNotAnd) {
      note_other(i);
      merge(i, mapped(map, known[i]));
      doubt[i] = 0;
      continue;
    }
    if (stopped) continue;
    for (;;) {
      const NodeId other = classes_.representative(id);
      if (other == id) break;
      const Lit target = map[other.index()] ^ (classes_.phase(id) != classes_.phase(other));
      if (map[i] == target) {
        ++stats_.structural;
        doubt[i] = 0;
        break;
      }
      // Right above a failure a query with few conflicts fails more often than not; how often is learned.
      const bool doubtful = firm_factor > 1 && below == kDoubt && conflict_limit < kRewriteLimit;
      if (doubtful && ++doubtful_queries % kDoubtTrials != 0 && 3 * doubtful_merges < doubtful_queries) break;
      const std::uint64_t conflicts_before = solver.stats().conflicts;
      // What the representative is known or thought to be equal to may resemble this node more.
      forms.clear();
      forms.push_back({other, target, target});
      if (const auto found = others.find(other.index()); found != others.end()) {
        for (const auto& [member, gate] : found->second) {
          if (classes_.representative(member) != other) continue;
          const bool flip = classes_.phase(id) != classes_.phase(member);
          forms.push_back({member, gate ^ flip, map[member.index()] ^ flip});
        }
        if (other_form_first) std::rotate(forms.begin(), forms.begin() + 1, forms.end());
      }
      const std::uint64_t most = below == 0 ? firm_factor * limit : limit;
      Answer answer = Answer::kUnknown;
      Form form = forms[0];
      for (std::size_t f = 0; f < forms.size() && answer == Answer::kUnknown; ++f) {
        form = forms[f];
        answer = prove_equal(solver, map[i], form.gate, most, stop);
      }
      if (answer == Answer::kUnsat && forms.size() > 1) other_form_first = form.member != other;
      const std::uint64_t conflicts = solver.stats().conflicts - conflicts_before;
      if (answer != Answer::kUnknown) useful += conflicts;
      if (answer == Answer::kUnsat) {
        limit = std::min(conflict_limit, 2 * limit);
        // The clauses of a node with a variable of its own were logged as the answer.
        if (proof_ && proof_->variable(map[i].node()) != variables_[i]) log_equal(variables_[i], form.target);
        merge(i, form.target);
        doubt[i] = 0;
        if (doubtful) ++doubtful_merges;
        ++stats_.proved;
        break;
      }
      if (answer == Answer::kUnknown) {
        ++stats_.unknown;
        if (stats_.unknown - unknown_before >= most_unknown) stopped = gave_up = true;
        doubt[i] = kDoubt;
        wasted += below == 0 ? conflicts / firm_factor : conflicts;
        if (helped()) note_other(i);
        if (conflict_limit >= kHighLimit) {
          limit = std::max(least, limit / 2);
        } else if (wasted > kMostFailures * conflict_limit + useful) {
          limit = std::max(kLeastLimit, limit / 2);
        }
        break;
      }
      add_counterexample(solver.model(), id, form.member);
      if (sources_.size() < kColumns && solver.ticks() - flushed_at_ < flush_cost) break;
      flush_counterexamples();
      flushed_at_ = solver.ticks();
    }
  }
  flush_counterexamples();
  // What is asked of the outputs after too many failures fails as well, and is dear: their cones are large.
  if (!gave_up && !stop.poll_clock()) decide_pairs(solver, map, by_sat, conflict_limit, stop);
  stats_.conflicts += solver.stats().conflicts;
  stats_.ticks += solver.ticks();
  adopt(built, map);
  if (undecided_ == 0) return Outcome::kDone;
  return stop.poll_clock() ? Outcome::kStopped : Outcome::kLimit;
}

void Sweeper::rewrite(std::uint64_t least_gain, dynomite::Stop& stop) {
  AigStore before = current_;
  before.outputs() = open_ends();
  AigStore after;
  try {
    after = opt::rewrite(before, {}, nullptr, stop);
  } catch (const dynomite::LimitError&) {
    return;  // stopped: what is there stays
  }
  const std::uint64_t gain = before.and_count() - std::min(before.and_count(), after.and_count());
  if (gain == 0 || 100 * gain < least_gain * before.and_count()) return;
  for (unsigned density = 0; density < kRewriteChecks; ++density) {
    fill_random(kArchiveWords, density % 4);
    const auto ends_of = [&](AigStore& aig) {
      std::swap(current_, aig);
      simulate(kArchiveWords);
      std::swap(current_, aig);
      std::vector<std::uint64_t> rows;
      for (const Lit lit : aig.outputs()) {
        const std::uint64_t* row = values_.data() + lit.node().index() * kArchiveWords;
        const std::uint64_t flip = lit.complemented() ? ~std::uint64_t{0} : 0;
        for (std::size_t w = 0; w < kArchiveWords; ++w) rows.push_back(row[w] ^ flip);
      }
      return rows;
    };
    if (ends_of(before) != ends_of(after)) throw std::logic_error("sweep: rewriting has changed a function");
  }
  for (std::uint32_t i = 1; i < original_.node_count(); ++i) {
    if (original_.is_and(NodeId(i))) map_[i] = kFalse;
  }
  std::size_t output = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (statuses_[i] != PairStatus::kUndecided) continue;
    pairs_by_sat_[i] = true;
    for (const Lit end : {pairs_[i].first, pairs_[i].second})
      map_[end.node().index()] = after.outputs()[output++] ^ end.complemented();
  }
  after.outputs().clear();
  help_ = {};
  current_ = std::move(after);
  stats_.nodes_after = current_.and_count();
  ++stats_.rewrites;
}

Sweeper::Outcome Sweeper::run(std::uint64_t conflict_limit, dynomite::Stop& stop,
                              std::uint64_t most_unknown) {
  if (!prepared_) {
    if (!prepare(stop)) return Outcome::kStopped;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (mapped(map_, pairs_[i].first) == mapped(map_, pairs_[i].second)) set_equal(i, PairEngine::kHashing);
    }
    try_exhaustive(kCheapExhaustive, stop);
  }
  if (undecided_ == 0 && roots_.empty()) return Outcome::kDone;
  const std::uint64_t before = current_.and_count();
  if ((stats_.passes > 0 || conflict_limit >= kHighLimit) && roots_.empty() && !proof_)
    rewrite(is_stuck_ && conflict_limit >= kRewriteLimit ? 0 : kRewriteGain, stop);
  // Where simulating all assignments is possible at all, proving gets no more time in all than that would
  // take.
  const std::uint64_t exhaustive = proof_ ? kNever : exhaustive_cost_of_open();
  const std::uint64_t most_ticks = exhaustive < kMostExhaustive ? exhaustive / kOperationsPerTick : kNever;
  Outcome outcome = pass(conflict_limit, most_ticks, most_unknown, stop);
  is_stuck_ = 4 * current_.and_count() > 3 * before;
  if (outcome == Outcome::kLimit) {
    try_exhaustive(std::max(kCheapExhaustive, std::min(kMostExhaustive, stats_.ticks * kOperationsPerTick)),
                   stop);
    if (undecided_ == 0) outcome = Outcome::kDone;
    if (outcome == Outcome::kLimit && stop.poll_clock()) outcome = Outcome::kStopped;
  }
  return outcome;
}

Lit Sweeper::swept_literal(Lit original) const {
  if (!prepared_) return original;
  return mapped(map_, original);
}

SweepStats Sweeper::stats() const { return stats_; }

void Sweeper::write_cnf(const std::string& path) const {
  std::vector<Lit> wanted;
  for (const auto& [a, b] : pairs_) {
    wanted.push_back(a);
    wanted.push_back(b);
  }
  const std::vector<bool> live = mark_cone(original_, wanted);
  std::uint64_t ands = 0;
  for (std::uint32_t i = 1; i < original_.node_count(); ++i) {
    if (live[i] && original_.is_and(NodeId(i))) ++ands;
  }
  ProofLog file(path);
  const auto clause = [&file](std::initializer_list<std::int64_t> lits) {
    for (const std::int64_t lit : lits) file.dimacs(lit);
    file.end();
  };
  file.text("c node i of the miter is variable i + 1; then one variable a pair: it differs\np cnf " +
            std::to_string(original_.node_count() + pairs_.size()) + " " +
            std::to_string(3 * ands + 4 * pairs_.size() + 2) + "\n");
  clause({-1});
  for (std::uint32_t i = 1; i < original_.node_count(); ++i) {
    const NodeId id(i);
    if (!live[i] || !original_.is_and(id)) continue;
    const std::int64_t out = cnf_literal(Lit(id, false));
    const std::int64_t a = cnf_literal(original_.fanin0(id));
    const std::int64_t b = cnf_literal(original_.fanin1(id));
    clause({-out, a});
    clause({-out, b});
    clause({out, -a, -b});
  }
  const auto first = static_cast<std::int64_t>(original_.node_count()) + 1;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const std::int64_t d = first + static_cast<std::int64_t>(k);
    const std::int64_t a = cnf_literal(pairs_[k].first);
    const std::int64_t b = cnf_literal(pairs_[k].second);
    clause({-d, a, b});
    clause({-d, -a, -b});
    clause({d, -a, b});
    clause({d, a, -b});
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) file.dimacs(first + static_cast<std::int64_t>(k));
  file.end();
  file.close();
}

void Sweeper::finish_proof() {
  if (!proof_ || undecided_ != 0)
    throw dynomite::UsageError("Sweeper.finish_proof: not all pairs are proved equal");
  const auto first = static_cast<std::int64_t>(original_.node_count()) + 1;
  const auto clause = [this](std::initializer_list<std::int64_t> lits) {
    for (const std::int64_t lit : lits) proof_->dimacs(lit);
    proof_->end();
  };
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    if (statuses_[k] != PairStatus::kEqual) {
      throw dynomite::UsageError("Sweeper.finish_proof: not all pairs are proved equal");
    }
    const std::int64_t d = first + static_cast<std::int64_t>(k);
    const std::int64_t a = cnf_literal(pairs_[k].first);
    const std::int64_t b = cnf_literal(pairs_[k].second);
    clause({-a, b});
    clause({a, -b});
    clause({-d, a});
    clause({-d});
  }
  clause({});
  proof_->close();
}

}  // namespace dmt
