#include "dynomite/native/rewrite/driver.hpp"

#include <algorithm>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/walk.hpp"
#include "dynomite/native/rewrite/instr_text.hpp"

namespace dynomite::rewrite {

namespace {

constexpr std::uint64_t kPerInstr = 64;
constexpr std::uint64_t kAlways = 10'000;
constexpr std::uint64_t kLongSearch = 1000;  // steps
// So many latest applications tell which rules were still applied at a bound.
constexpr std::size_t kRecent = 256;

/// The log of a builder that keeps none, for the time of one application.
class Recording {
 public:
  Recording(ir::Mutator& mutator, bool wanted)
      : mutator_(mutator), own_(wanted && mutator.tracking() == ir::Tracking::kNone) {
    if (own_) mutator_.set_tracking(ir::Tracking::kLazyTracking);
    mark_ = mutator_.mark();
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    if (!own_) return;
    mutator_.clear_log();
    mutator_.set_tracking(ir::Tracking::kNone);
  }
  std::size_t mark() const { return mark_; }

 private:
  ir::Mutator& mutator_;
  bool own_;
  std::size_t mark_;
};

class Driver {
 public:
  Driver(ir::Builder& builder, const RuleSet& rules, const RewriteParams& params, Callbacks& callbacks,
         Stop& stop)
      : builder_(builder),
        module_(builder.module()),
        instrs_(module_.instrs()),
        rules_(rules),
        params_(params),
        callbacks_(callbacks),
        stop_(stop),
        store_(module_),
        matcher_(store_),
        checker_(matcher_),
        emitter_(builder, matcher_, checker_),
        tree_(rules.tree()),
        kinds_(0x10000, 0) {
    report_.rules.resize(rules.rules().size());
    is_watching_ = callbacks.is_watching();
    recent_.reserve(kRecent);
  }

  RewriteReport run() {
    list_instrs();
    most_ = kPerInstr * order_.size() + kAlways;
    if (params_.order == Order::kGreedy) {
      greedy();
    } else {
      sweeps();
    }
    for (const std::uint32_t rule : recent_) ++report_.rules[rule].recent;
    return std::move(report_);
  }

 private:
  // What an operation is to the driver, worked out when it is first met.
  static constexpr std::uint8_t kKnown = 1, kErasable = 2, kHasRules = 4;

  std::uint8_t kind_of(std::uint16_t raw) {
    std::uint8_t& kind = kinds_[raw];
    if (kind != 0) return kind;
    kind = kKnown;
    const ir::Registry& registry = *module_.registry();
    const ir::Opcode opcode = ir::Opcode::from_raw(raw);
    if (registry.knows(opcode) &&
        (registry.op(opcode).traits & (ir::kPure | ir::kTerminator | ir::kSymbol)) == ir::kPure) {
      kind |= kErasable;
    }
    if (tree_.has_rules(raw)) kind |= kHasRules;
    return kind;
  }

  void list_instrs() {
    const std::vector<ir::RegionId> scope = ir::scope_of(module_, params_.within);
    order_.clear();
    order_.reserve(instrs_.live_count());
    ir::walk(module_, std::span<const ir::RegionId>(scope),
             [&](ir::InstrId instr, ir::BlockId) { order_.push_back(instr.index()); });
    if (params_.within || order_.size() == instrs_.live_count()) return;
    for (std::uint32_t i = 0; i < instrs_.instr_bound(); ++i) {
      const ir::InstrId instr(i);
      if (instrs_.is_live(instr) && !module_.cfg().block_of(instr)) order_.push_back(i);
    }
  }

  bool ended() const { return report_.end != RewriteEnd::kFixedPoint; }
  void end(RewriteEnd reason) { report_.end = reason; }
  bool poll() {
    if (stop_.poll()) end(RewriteEnd::kStopped);
    return ended();
  }

  void greedy() {
    report_.rounds = 1;
    waiting_.assign(instrs_.instr_bound(), 0);
    for (const std::uint32_t node : order_) waiting_[node] = 1;
    scoped_ = static_cast<bool>(params_.within);
    if (scoped_) inside_ = waiting_;
    for (std::size_t next = 0;;) {
      if (poll()) return;
      std::uint32_t node;
      if (!again_.empty()) {
        node = again_.back();
        again_.pop_back();
      } else if (next < order_.size()) {
        node = order_[next++];
        if (waiting_[node] == 0) continue;
      } else {
        return;
      }
      waiting_[node] = 0;
      visit(node);
      if (ended()) return;
    }
  }

  void sweeps() {
    waiting_.clear();
    while (!ended()) {
      const std::uint64_t before = report_.applied + report_.erased;
      ++report_.rounds;
      if (report_.rounds > 1) list_instrs();
      if (params_.order == Order::kSweepUp) std::reverse(order_.begin(), order_.end());
      for (const std::uint32_t node : order_) {
        if (poll()) return;
        visit(node);
        if (ended()) return;
      }
      if (report_.applied + report_.erased == before) return;
      if (report_.rounds == params_.max_rounds) end(RewriteEnd::kBound);
    }
  }

  bool is_greedy() const { return params_.order == Order::kGreedy; }

  void push(std::uint32_t node) {
    if (!is_greedy()) return;
    if (node >= waiting_.size())
      waiting_.resize(std::max<std::size_t>(node + std::size_t{1}, waiting_.size() * 3 / 2), 0);
    if (waiting_[node] != 0 || !in_scope(node)) return;
    waiting_[node] = 1;
    again_.push_back(node);
  }

  /// What is made on the way belongs to the scope.
  bool in_scope(std::uint32_t node) const { return !scoped_ || node >= inside_.size() || inside_[node] != 0; }

  /// Puts an instruction on the list, and those that see its operands through their own.
  void push_with_users(std::uint32_t node, std::uint32_t level) {
    if (!is_greedy()) return;
    push(node);
    if (rules_.levels_below(store_.opcode(node)) < level) return;
    const ir::InstrId instr(node);
    const std::uint32_t count = instrs_.operand_count(instr);
    for (std::uint32_t i = 0; i < count; ++i) {
      const ir::Operand operand = instrs_.operand(instr, i);
      if (!operand.is_def || operand.ref.kind != ir::kind::kValue) continue;
      instrs_.for_uses(ir::ValueId(operand.ref.id),
                       [&](const ir::Use& use) { upwards_.emplace_back(use.instr.index(), level + 1); });
    }
  }
  void look_again(std::uint32_t node) {
    if (!is_greedy() || !instrs_.is_live(ir::InstrId(node))) return;
    if (rules_.levels_below(store_.opcode(node)) == 0) return push(node);
    upwards_.clear();
    upwards_.emplace_back(node, 1);
    while (!upwards_.empty()) {
      const auto [next, level] = upwards_.back();
      upwards_.pop_back();
      if (instrs_.is_live(ir::InstrId(next))) push_with_users(next, level);
    }
  }

  bool is_dead(ir::InstrId instr, const Shape& shape) const {
    const std::uint32_t count = shape.in_order ? shape.first_use : shape.count;
    bool has_value = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const ir::Operand operand = instrs_.operand(instr, i);
      if (!operand.is_def) continue;
      if (operand.ref.kind != ir::kind::kValue || instrs_.has_uses(ir::ValueId(operand.ref.id))) return false;
      has_value = true;
    }
    return has_value && !instrs_.has_uses(instr) && module_.cfg().block_of(instr);
  }

  /// Erases what is dead, and what dies with it.
  void erase_dead(std::uint32_t node) {
    dying_.clear();
    erase(ir::InstrId(node));
    settle_values();
  }
  void settle_values() {
    while (!dying_.empty()) {
      const ir::ValueId value = dying_.back();
      dying_.pop_back();
      settle_value(value);
    }
  }
  void erase(ir::InstrId instr) {
    emitter_.list_operands(instr, dying_);
    builder_.erase(instr);
    ++report_.erased;
  }
  /// A value that lost a use: what defines it may be dead.
  void settle_value(ir::ValueId value) {
    if (!instrs_.is_live(value)) return;
    if (instrs_.has_uses(value)) {
      // Some conditions count uses: where one is left, those may hold now.
      if (rules_.counts_uses() && instrs_.count_uses(value, 2) == 1) {
        look_again(instrs_.latest_use(value).instr.index());
      }
      return;
    }
    const ir::InstrId instr = instrs_.definition(value).instr;
    const std::uint32_t node = instr.index();
    if (!in_scope(node) || (kind_of(store_.opcode(node)) & kErasable) == 0) return;
    if (is_dead(instr, store_.shape(node))) erase(instr);
  }

  void visit(std::uint32_t node) {
    const ir::InstrId instr(node);
    if (!instrs_.is_live(instr)) return;
    ++report_.visited;
    const std::uint8_t kind = kind_of(store_.opcode(node));
    if ((kind & (kErasable | kHasRules)) == 0) return;
    shape_ = store_.shape(node);
    if ((kind & kErasable) != 0 && is_dead(instr, shape_)) return erase_dead(node);
    if ((kind & kHasRules) == 0) return;
    for (const Candidate& candidate : tree_.candidates(store_, node, shape_, known_)) {
      if (try_rule(candidate, node) || ended()) return;
    }
  }

  bool callbacks_hold(const CompiledRule& compiled) {
    if (!compiled.has_callback) return true;
    for (const std::uint32_t check : compiled.rule.checks) {
      const Condition& condition = compiled.rule.conditions[check];
      if (condition.kind != ConditionKind::kCallback) continue;
      if (!callbacks_.condition(condition.a, compiled, matcher_)) return false;
    }
    return true;
  }

  /// The first match that counts.
  bool find_match(const Candidate& candidate, const CompiledRule& compiled, std::uint32_t node) {
    const auto counts = [&] {
      return checker_.native_hold(compiled.rule) && callbacks_hold(compiled) &&
             emitter_.plan(compiled, shape_);
    };
    if (candidate.variant != kNoSlot) {
      return matcher_.match_line(compiled, tree_.variant(candidate.variant), node, shape_) && counts();
    }
    bool found = matcher_.first(compiled, node);
    while (found && !counts()) {
      if (poll()) return false;
      found = matcher_.next();
    }
    return found;
  }

  /// True if the rule was applied.
  bool try_rule(const Candidate& candidate, std::uint32_t node) {
    const std::uint32_t index = candidate.rule;
    const CompiledRule& compiled = rules_.rules()[index];
    RewriteReport::OfRule& own = report_.rules[index];
    ++own.tried;
    const bool found = find_match(candidate, compiled, node);
    // Long searches look at the clock themselves.
    if (matcher_.steps() > kLongSearch && stop_.poll_clock()) end(RewriteEnd::kStopped);
    if (!found) {
      if (matcher_.gave_up()) ++own.gave_up;
      return false;
    }
    if (ended()) return false;
    if (report_.applied == params_.limit) {
      end(RewriteEnd::kLimit);
      return false;
    }
    if (is_greedy() && generation_of(node) >= params_.max_rounds) {
      end(RewriteEnd::kBound);
      return false;
    }
    if (!apply(index, node)) return false;
    ++own.applied;
    ++report_.applied;
    if (recent_.size() < kRecent) {
      recent_.push_back(index);
    } else {
      recent_[report_.applied % kRecent] = index;
    }
    if (report_.applied >= most_) end(RewriteEnd::kBound);
    return true;
  }

  /// False if it changed nothing.
  bool apply(std::uint32_t index, std::uint32_t node) {
    const CompiledRule& compiled = rules_.rules()[index];
    const bool acts = compiled.rule.action != kNoSlot;
    const bool watches = is_watching_;
    Application seen;
    if (watches) seen = {index, matched_text(), {}};
    touched_.clear();
    const std::uint32_t generation = generation_of(node);
    {
      Recording recording(builder_, acts || watches || emitter_.may_fail());
      try {
        if (acts) {
          emitter_.list_operands(ir::InstrId(node), touched_.released);
          set_place(ir::InstrId(node));
          matcher_.freeze();
        }
        commit(compiled.rule);
        if (acts) callbacks_.act(compiled.rule.action, compiled, matcher_);
      } catch (...) {
        builder_.rollback(recording.mark());
        throw;
      }
      if (acts) {
        if (builder_.mark() == recording.mark()) return false;
        read_log(recording.mark(), generation + 1);
      }
      if (watches) seen.after = changes_text(recording.mark());
    }
    for (const ir::InstrId made : emitter_.made()) set_generation(made.index(), generation + 1);
    if (instrs_.is_live(ir::InstrId(node))) {
      set_generation(node, generation + 1);
      touched_.changed.push_back(node);
    }
    settle();
    if (watches) callbacks_.watch(seen);
    return true;
  }

  void commit(const Rule& rule) {
    try {
      emitter_.commit(touched_);
    } catch (const UsageError& error) {
      throw UsageError("rule '" + rule.name + "': " + error.what());
    }
  }

  /// New instructions of an action go in front of the instruction, or where it was.
  void set_place(ir::InstrId instr) {
    const ir::BlockId block = module_.cfg().block_of(instr);
    builder_.set_place(block, block ? instr : ir::InstrId());
    if (block && emitter_.deletes_root()) builder_.set_place(block, module_.cfg().next(block, instr));
  }

  /// What an action did.
  void read_log(std::size_t mark, std::uint32_t generation) {
    for (std::size_t i = mark; i < builder_.log().size(); ++i) {
      const ir::Update update = builder_.log()[i];
      if (update.kind == ir::UpdateKind::kReplaceAllUses) {
        read_replacement(update);
      } else if (update.kind == ir::UpdateKind::kTypeChange) {
        const ir::ValueId value(update.old_ref.id);
        if (!instrs_.is_live(value)) continue;
        touched_.changed.push_back(instrs_.definition(value).instr.index());
        instrs_.for_uses(value, [&](const ir::Use& use) { touched_.changed.push_back(use.instr.index()); });
      } else if (update.instr) {
        touched_.changed.push_back(update.instr.index());
        if (update.kind == ir::UpdateKind::kInstrCreate) set_generation(update.instr.index(), generation);
        if (update.kind == ir::UpdateKind::kOperandReplace) release(update.old_ref);
      }
    }
  }
  void read_replacement(const ir::Update& update) {
    release(update.old_ref);
    const ir::ValueId value(update.new_ref.id);
    if (!instrs_.is_live(value)) return;
    for (const ir::Use& use : instrs_.uses(value, update.operand))
      touched_.changed.push_back(use.instr.index());
  }
  void release(const ir::FatDynObjRef& ref) {
    if (ref.kind != ir::kind::kValue || !instrs_.is_live(ir::ValueId(ref.id))) return;
    touched_.released.emplace_back(ref.id);
  }

  /// Looks at what an application touched.
  void settle() {
    for (const std::uint32_t node : touched_.changed) look_again(node);
    dying_.assign(touched_.released.begin(), touched_.released.end());
    settle_values();
  }

  std::uint32_t generation_of(std::uint32_t node) const {
    return node < generations_.size() ? generations_[node] : 0;
  }
  void set_generation(std::uint32_t node, std::uint32_t generation) {
    if (node >= generations_.size())
      generations_.resize(std::max<std::size_t>(instrs_.instr_bound(), generations_.size() * 3 / 2), 0);
    generations_[node] = generation;
  }

  std::string matched_text() const {
    std::string text = instr_text(module_, ir::InstrId(matcher_.root()));
    for (const std::uint32_t node : matcher_.nested()) text += '\n' + instr_text(module_, ir::InstrId(node));
    return text;
  }
  std::string changes_text(std::size_t mark) const {
    std::string text;
    for (std::size_t i = mark; i < builder_.log().size(); ++i) {
      const std::string line = update_text(module_, builder_.log()[i]);
      if (!line.empty()) text += (text.empty() ? "" : "\n") + line;
    }
    return text;
  }

  ir::Builder& builder_;
  ir::Module& module_;
  ir::InstrStore& instrs_;
  const RuleSet& rules_;
  const RewriteParams& params_;
  Callbacks& callbacks_;
  Stop& stop_;
  InstrMatchStore store_;
  InstrMatcher matcher_;
  InstrChecker checker_;
  Emitter emitter_;
  const DecisionTree& tree_;
  std::vector<KnownInstr> known_;
  Shape shape_;  // of the instruction that is visited
  RewriteReport report_;
  std::vector<std::uint8_t> kinds_;  // by operation
  std::vector<std::uint32_t> order_, again_;
  std::vector<ir::ValueId> dying_;
  std::vector<std::uint8_t> waiting_, inside_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> upwards_;
  std::vector<std::uint32_t> generations_;  // rewrites that an instruction comes from
  std::vector<std::uint32_t> recent_;
  Touched touched_;
  std::uint64_t most_ = 0;
  bool scoped_ = false;
  bool is_watching_ = false;
};

}  // namespace

RewriteReport apply_rules(ir::Builder& builder, const RuleSet& rules, const RewriteParams& params,
                          Callbacks& callbacks, Stop& stop) {
  if (builder.tracking() == ir::Tracking::kLazyUpdate) {
    throw UsageError("apply_rules: a builder that only records gives no results to go on with");
  }
  if (params.max_rounds == 0) throw UsageError("apply_rules: at least one round is needed");
  const ir::BlockId block = builder.block();
  const ir::InstrId before = builder.before();
  const auto put_back = [&] {
    const bool is_there = before && builder.module().instrs().is_live(before);
    builder.set_place(block, is_there ? before : ir::InstrId());
  };
  try {
    RewriteReport report = Driver(builder, rules, params, callbacks, stop).run();
    put_back();
    return report;
  } catch (...) {
    put_back();
    throw;
  }
}

}  // namespace dynomite::rewrite
