#include "dmt_dialect/native/opt/resub.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "dmt_dialect/native/opt/divisor_search.hpp"
#include "dmt_dialect/native/opt/fanout_window.hpp"
#include "dmt_dialect/native/opt/network.hpp"
#include "dmt_dialect/native/opt/patterns.hpp"
#include "dmt_dialect/native/opt/window.hpp"
#include "dmt_dialect/native/opt/window_tables.hpp"
#include "dmt_dialect/native/sat/circuit_solver.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

constexpr unsigned kMostExactLeaves = 10;
// Simulating the network is paid for by the work that goes on besides, counted in nodes simulated.
constexpr std::uint64_t kNodeWork = 32;
constexpr std::uint64_t kRefutedWork = 1500;
constexpr unsigned kMostAttempts = 5;

GateSource gates_of(const Network& network) {
  return {
      &network,
      [](const void* owner, NodeId id) { return static_cast<const Network*>(owner)->nodes()[id.index()]; },
      [](const void* owner) { return static_cast<const Network*>(owner)->size(); }};
}

GateSource gates_of(const FanoutWindow& window) {
  return {&window,
          [](const void* owner, NodeId id) { return static_cast<const FanoutWindow*>(owner)->record(id); },
          [](const void* owner) { return static_cast<const FanoutWindow*>(owner)->record_count(); }};
}

class Resubstituter {
 public:
  Resubstituter(const AigStore& aig, const ResubParams& params, ResubStats& stats, dynomite::Stop& stop)
      : params_(params),
        stats_(stats),
        stop_(stop),
        network_(aig, stop),
        window_(network_),
        required_(params.keep_levels ? network_.required_levels() : std::vector<std::uint32_t>()),
        fanouts_(network_),
        solver_(gates_of(network_)),
        copy_solver_(gates_of(fanouts_), {.window = 40}) {
    if (params.sat) patterns_.emplace(network_, std::max(params.words, 1U), params.seed);
    limits_.leaves = params.sat ? params.k : std::min(params.k, kMostExactLeaves);
    limits_.divisors = params.divisors;
  }

  AigStore run() {
    const std::uint32_t end = network_.size();
    for (std::uint32_t id = network_.ci_count() + 1; id < end; ++id) {
      // A node that was taken into an expression before its turn may have visited fanouts: divisors could
      // loop.
      if (!network_.is_and(id) || network_.visited(id)) continue;
      if (stop_.poll_clock()) break;  // what is done so far is right
      network_.visit(id);
      improve(id);
      credit_ += kNodeWork;
    }
    return network_.to_store();
  }

 private:
  void improve(std::uint32_t id) {
    required_here_ = params_.keep_levels ? required_[id] : Network::kNone;
    ++stats_.windows;
    window_.build(id, limits_, params_.keep_levels ? required_here_ - 1 : Network::kNone);
    const auto dying = static_cast<unsigned>(window_.dying().size());
    most_ = std::min(params_.inserts, params_.zero ? dying : dying - 1);
    // What is refuted brings a pattern that tells it apart: worth another look at once when that is cheap.
    for (unsigned attempt = 0; attempt < kMostAttempts; ++attempt) {
      refreshed_ = false;
      if (improve_seen(id)) return;
      if (!refreshed_ && params_.sat && params_.odc != 0 && improve_unseen(id)) return;
      if (!refreshed_) return;
    }
  }

  bool improve_seen(std::uint32_t id) {
    collect_rows(id);
    if (try_constant(id)) return true;
    search_.start(on_, off_, rows_, words_);
    Expression expression;
    if (!find(expression) || (params_.sat && !confirmed(id, expression))) return false;
    apply(id, expression);
    return true;
  }

  /// The same for the patterns in which the node can be seen.
  bool improve_unseen(std::uint32_t id) {
    fanout_limits_.depth = params_.odc;
    if (!fanouts_.build(id, fanout_limits_)) return false;
    fanouts_.care(id, *patterns_, care_);
    care_on_.resize(words_);
    care_off_.resize(words_);
    std::uint64_t any = 0;
    for (unsigned w = 0; w < words_; ++w) {
      care_on_[w] = on_[w] & care_[w];
      care_off_[w] = off_[w] & care_[w];
      any |= ~care_[w];
    }
    if (any == 0) return false;
    search_.start(care_on_.data(), care_off_.data(), rows_, words_);
    Expression expression;
    if (!find(expression) || !unseen(id, expression)) return false;
    apply_unseen(id, expression);
    return true;
  }

  /// The first expression that is not too deep.
  bool find(Expression& expression) {
    for (unsigned gates = 0; gates <= most_; ++gates) {
      if (!search_.find(gates, expression)) continue;
      ++stats_.found;
      if (!too_deep(expression)) return true;
    }
    return false;
  }

  /// Whether the ends of the window stay the same, by SAT on a copy of it.
  bool unseen(std::uint32_t id, const Expression& expression) {
    fanouts_.start_copy();
    const Lit by = build(expression, [&](Lit a, Lit b) { return fanouts_.copy_and(a, b); });
    fanouts_.copy(id, by, copied_ends_);
    copy_solver_.reset();
    for (std::size_t i = 0; i < copied_ends_.size(); ++i) {
      const Lit end(NodeId(fanouts_.ends()[i]), false);
      if (copied_ends_[i] == end) continue;
      if (!impossible(copy_solver_, {end, ~copied_ends_[i]}) ||
          !impossible(copy_solver_, {~end, copied_ends_[i]}))
        return false;
    }
    return true;
  }

  /// Functions change between the node and the ends: patterns are brought up to date, and the solver forgets.
  void apply_unseen(std::uint32_t id, const Expression& expression) {
    const std::vector<std::uint32_t> changed = fanouts_.nodes();
    network_.note_changed(id);
    for (const std::uint32_t node : changed) network_.note_changed(node);
    apply(id, expression);
    patterns_->extend();
    for (const std::uint32_t node : changed) {
      if (network_.is_and(node)) patterns_->renew(node);
    }
    solver_.reset();
    ++stats_.unseen;
  }

  void collect_rows(std::uint32_t id) {
    divisors_.clear();
    rows_.clear();
    if (params_.sat) {
      patterns_->extend();
    } else {
      tables_.compute(network_, window_);
    }
    words_ = params_.sat ? patterns_->words() : tables_.words();
    const auto row = [&](std::uint32_t node) {
      return params_.sat ? patterns_->row(node) : tables_.row(node);
    };
    for (const auto* nodes : {&window_.leaves(), &window_.divisors()}) {
      for (const std::uint32_t node : *nodes) {
        if (required_here_ != Network::kNone && network_.level(node) >= required_here_) continue;
        divisors_.push_back(node);
        rows_.push_back(row(node));
      }
    }
    on_ = row(id);
    complement_.resize(words_);
    for (unsigned w = 0; w < words_; ++w) complement_[w] = ~on_[w];
    off_ = complement_.data();
  }

  bool try_constant(std::uint32_t id) {
    std::uint64_t ones = 0, zeros = 0;
    for (unsigned w = 0; w < words_; ++w) {
      ones |= on_[w];
      zeros |= off_[w];
    }
    if (ones != 0 && zeros != 0) return false;
    const Lit wrong = Lit(NodeId(id), zeros != 0);  // true where the node differs from the constant
    ++stats_.found;
    if (params_.sat && !impossible(solver_, {wrong})) return false;
    ++stats_.replaced;
    network_.replace(id, kFalse ^ (zeros == 0));
    return true;
  }

  bool too_deep(const Expression& expression) const {
    if (required_here_ == Network::kNone) return false;
    std::array<std::uint32_t, Expression::kMostGates> levels = {};
    const auto level = [&](std::uint32_t literal) {
      const std::size_t number = literal >> 1;
      return number < divisors_.size() ? network_.level(divisors_[number])
                                       : levels[number - divisors_.size()];
    };
    for (unsigned i = 0; i < expression.gate_count; ++i)
      levels[i] = 1 + std::max(level(expression.gates[i][0]), level(expression.gates[i][1]));
    return level(expression.output) > required_here_;
  }

  Lit divisor_literal(std::uint32_t literal) const {
    return Lit(NodeId(divisors_[literal >> 1]), (literal & 1U) != 0);
  }

  /// Makes the gates, which stay in `made_`, by `make(a, b)`; gives the output.
  template <typename Make>
  Lit build(const Expression& expression, Make make) {
    const auto lit = [&](std::uint32_t literal) {
      const std::size_t number = literal >> 1;
      if (number < divisors_.size()) return divisor_literal(literal);
      return made_[number - divisors_.size()] ^ ((literal & 1U) != 0);
    };
    for (unsigned i = 0; i < expression.gate_count; ++i)
      made_[i] = make(lit(expression.gates[i][0]), lit(expression.gates[i][1]));
    return lit(expression.output);
  }

  void apply(std::uint32_t id, const Expression& expression) {
    const Lit result = build(expression, [&](Lit a, Lit b) { return network_.and_(a, b); });
    if (result.node().index() == id) return;
    ++stats_.replaced;
    network_.replace(id, result);
    for (unsigned i = 0; i < expression.gate_count; ++i) network_.drop_unused(made_[i].node().index());
  }

  // SAT: an expression is right if no product of it holds where the node is 0, and none of its complement
  // where it is 1.

  bool confirmed(std::uint32_t id, const Expression& expression) {
    for (const bool value : {true, false}) {
      terms_.clear();
      expand(expression, expression.output ^ (value ? 0U : 1U));
      for (std::vector<Lit>& term : terms_) {
        term.push_back(Lit(NodeId(id), value));
        if (!impossible(solver_, term)) return false;
      }
    }
    return true;
  }

  /// The products of divisor literals whose sum is the literal, appended to terms_.
  void expand(const Expression& expression, std::uint32_t literal) {
    std::vector<std::vector<std::uint32_t>> open = {{literal}};
    while (!open.empty()) {
      std::vector<std::uint32_t> product = std::move(open.back());
      open.pop_back();
      const auto gate = std::find_if(product.begin(), product.end(),
                                     [&](std::uint32_t l) { return (l >> 1) >= divisors_.size(); });
      if (gate == product.end()) {
        std::vector<Lit>& term = terms_.emplace_back();
        for (const std::uint32_t l : product) term.push_back(divisor_literal(l));
        continue;
      }
      const std::uint32_t chosen = *gate;
      product.erase(gate);
      const auto& fanins = expression.gates[(chosen >> 1) - divisors_.size()];
      if ((chosen & 1U) == 0) {
        product.push_back(fanins[0]);
        product.push_back(fanins[1]);
        open.push_back(std::move(product));
      } else {
        for (const std::uint32_t fanin : fanins) {
          open.push_back(product);
          open.back().push_back(fanin ^ 1U);
        }
      }
    }
  }

  bool impossible(CircuitSolver& solver, std::span<const Lit> literals) {
    assumptions_.assign(literals.begin(), literals.end());
    if (std::find(assumptions_.begin(), assumptions_.end(), kFalse) != assumptions_.end()) return true;
    std::erase(assumptions_, kTrue);
    const Answer answer = solver.solve(assumptions_, params_.conflicts, stop_);
    if (answer == Answer::kUnsat) return true;
    if (answer == Answer::kUnknown) {
      ++stats_.unknown;
      return false;
    }
    ++stats_.refuted;
    model_.clear();
    for (const Lit lit : solver.model()) {
      if (network_.is_ci(lit.node().index())) model_.push_back(lit);
    }
    patterns_->add(model_);
    credit_ += kRefutedWork;
    if (patterns_->pending() == 64 || credit_ >= network_.size()) {
      patterns_->flush();
      credit_ = 0;
      refreshed_ = true;
    }
    return false;
  }

  bool impossible(CircuitSolver& solver, std::initializer_list<Lit> literals) {
    return impossible(solver, std::span<const Lit>(literals.begin(), literals.size()));
  }

  const ResubParams& params_;
  ResubStats& stats_;
  dynomite::Stop& stop_;
  Network network_;
  Window window_;
  WindowLimits limits_;
  FanoutLimits fanout_limits_;
  WindowTables tables_;
  DivisorSearch search_;
  std::optional<Patterns> patterns_;
  std::vector<std::uint32_t> required_;
  FanoutWindow fanouts_;
  CircuitSolver solver_;
  CircuitSolver copy_solver_;  // of a node and its copy; knows no network but the present one
  std::vector<std::uint64_t> care_, care_on_, care_off_;
  std::vector<Lit> copied_ends_;
  std::uint64_t credit_ = 0;
  bool refreshed_ = false;  // a counterexample was simulated
  std::uint32_t required_here_ = 0;
  unsigned most_ = 0;

  unsigned words_ = 0;
  const std::uint64_t* on_ = nullptr;
  const std::uint64_t* off_ = nullptr;
  std::vector<std::uint64_t> complement_;
  std::vector<std::uint32_t> divisors_;
  std::array<Lit, Expression::kMostGates> made_ = {};
  std::vector<const std::uint64_t*> rows_;
  std::vector<std::vector<Lit>> terms_;
  std::vector<Lit> assumptions_, model_;
};

}  // namespace

AigStore resub(const AigStore& aig, const ResubParams& params, ResubStats* stats, dynomite::Stop& stop) {
  if (params.k < 2 || params.k > 16) throw dynomite::UsageError("resub: k must be from 2 to 16");
  if (params.inserts > Expression::kMostGates) throw dynomite::UsageError("resub: inserts must be at most 3");
  ResubStats unused;
  return Resubstituter(aig, params, stats == nullptr ? unused : *stats, stop).run();
}

}  // namespace dmt::opt
