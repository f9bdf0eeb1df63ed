#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dynomite/native/rewrite/deal.hpp"
#include "dynomite/native/rewrite/variants.hpp"

namespace dynomite::rewrite {

/// More steps at one instruction end the search for matches of one rule there, which is counted.
inline constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 20;

/// Matches patterns by backtracking, in the order of search that docs/rewriting.md defines: the first match,
/// and the next ones when asked. On an explicit stack; memory is kept between matches.
///
/// Cost: linear in the operands looked at for patterns without choices, exponential at worst, at most
/// `kMostSteps`.
template <MatchStore S>
class Matcher {
 public:
  explicit Matcher(const S& store) : store_(store) {}

  /// The first match of `rule` at `node`; `next` goes on. The rule must outlive that.
  bool first(const CompiledRule& rule, std::uint32_t node) {
    rule_ = &rule;
    root_ = node;
    slots_.assign(rule.rule.slots.size(), Slot());
    registers_.assign(rule.registers, 0);
    choices_.clear();
    trail_.clear();
    register_trail_.clear();
    frames_.clear();
    places_.clear();
    nested_.clear();
    deal_count_ = 0;
    steps_ = 0;
    frame_ = kNoFrame;
    pc_ = 0;
    const Shape shape = store_.shape(node);
    cursor_ = {node, kInOrder, 0, shape.count};
    if (!shape.in_order) list_operands(node, shape.count, true);
    return run();
  }
  /// The match of one form of `rule` at `node`, which has no choices; false if there is none. No `next` after
  /// that. Linear in the steps of the form.
  bool match_line(const CompiledRule& rule, const Variant& variant, std::uint32_t node, const Shape& shape) {
    if (shape.count != variant.length) return false;
    rule_ = &rule;
    root_ = node;
    slots_.resize(rule.rule.slots.size());
    for (Slot& slot : slots_) slot.kind = SlotKind::kUnbound;
    nested_.clear();
    places_.clear();
    choices_.clear();
    steps_ = 0;
    if (lists_.size() < rule.rule.nodes.size()) lists_.resize(rule.rule.nodes.size());
    const Cursor whole{node, kInOrder, 0, shape.count};
    lists_[rule.rule.root] = whole;
    if (!shape.in_order) {
      list_operands(node, shape.count, true);
      lists_[rule.rule.root] = cursor_;
    }
    for (const LineOp& op : variant.ops) {
      if (!line_step(op)) return false;
    }
    return true;
  }
  bool next() { return fail() && run(); }

  /// The search was ended by the bound on steps.
  bool gave_up() const { return steps_ > kMostSteps; }
  std::uint64_t steps() const { return steps_; }
  std::uint32_t root() const { return root_; }
  const Slot& slot(std::uint32_t index) const { return slots_[index]; }
  /// Instructions that operands led to, in order; one may be there twice.
  std::span<const std::uint32_t> nested() const { return nested_; }
  /// Number of operands a slot is bound to, and one of them.
  std::uint32_t count(const Slot& slot) const {
    return slot.kind == SlotKind::kList ? slot.count : slot.kind == SlotKind::kOperand ? 1 : 0;
  }
  ir::Operand operand(const Slot& slot, std::uint32_t index) const {
    if (slot.kind == SlotKind::kOperand) return {slot.ref(), slot.is_def};
    const std::uint32_t at = slot.first + index;
    if (slot.list == kFrozen) return frozen_[at];
    return store_.operand(slot.node, slot.list == kInOrder ? at : places_[slot.list + at]);
  }
  const S& store() const { return store_; }
  /// What names are bound to outlives changes of the instructions from now on. No `next` after that.
  void freeze() {
    frozen_.clear();
    for (Slot& slot : slots_) {
      if (slot.kind != SlotKind::kList) continue;
      const auto first = static_cast<std::uint32_t>(frozen_.size());
      for (std::uint32_t i = 0; i < slot.count; ++i) frozen_.push_back(operand(slot, i));
      slot.first = first;
      slot.list = kFrozen;
    }
  }

 private:
  static constexpr std::uint32_t kNoFrame = 0xFFFFFFFFU;
  static constexpr std::uint32_t kNoDeal = 0xFFFFFFFFU;
  static constexpr std::uint32_t kNoPlace = 0xFFFFFFFFU;

  /// Where a list of operands was entered, and where that was.
  struct Frame {
    Cursor cursor;
    std::uint32_t outer;
  };
  struct Choice {
    std::uint32_t pc;
    std::uint32_t deal;  // goes on with its next way
    Cursor cursor;
    std::uint32_t frame;
    std::uint32_t frames, places, nested, trail, register_trail;
  };

  ir::Operand line_operand(const LineOp& op) const {
    const Cursor& list = lists_[op.list];
    const std::uint32_t at = list.at + op.at;
    return store_.operand(list.node, list.list == kInOrder ? at : places_[list.list + at]);
  }

  bool line_step(const LineOp& op) {
    if (op.op == MatchOp::kBindInstr || op.op == MatchOp::kBindOp) {
      bind_instr(op.a, lists_[op.list].node, op.op == MatchOp::kBindOp);
      return true;
    }
    const ir::Operand operand = line_operand(op);
    switch (op.op) {
      case MatchOp::kAny: return sides_fit(operand, op.sides);
      case MatchOp::kBind: bind_operand(op.a, operand); return true;
      case MatchOp::kType: return fits_node(rule_->rule.nodes[op.a], operand, op.sides);
      case MatchOp::kConst: return fits_node(rule_->rule.nodes[op.a], operand, op.sides);
      case MatchOp::kSame: return is_same(slots_[op.a], operand, op.sides);
      case MatchOp::kEnter: return line_enter(op, operand);
      default: return false;
    }
  }

  bool line_enter(const LineOp& op, const ir::Operand& operand) {
    const std::uint32_t definition = nested_definition(rule_->rule.nodes[op.a], operand, op.sides);
    if (definition == kNoNode) return false;
    start_nested(definition);
    lists_[op.a] = cursor_;
    return cursor_.end - cursor_.at == op.count;
  }

  /// The cursor in front of the uses of a nested instruction.
  void start_nested(std::uint32_t node) {
    nested_.push_back(node);
    const Shape shape = store_.shape(node);
    cursor_ = {node, kInOrder, shape.first_use, shape.count};
    if (!shape.in_order) list_operands(node, shape.count, false);
  }

  /// The instruction that defines an operand, if it may be this nested one.
  std::uint32_t nested_definition(const PatternNode& node, const ir::Operand& operand,
                                  std::uint8_t sides) const {
    if (operand.is_def || operand.ref.kind != ir::kind::kValue || (sides & kMustDefine) != 0) return kNoNode;
    const std::uint32_t definition = store_.definition(operand.ref);
    if (definition == kNoNode || !is_one_of(node.opcodes, store_.opcode(definition))) return kNoNode;
    return definition;
  }

  void bind_instr(std::uint32_t index, std::uint32_t node, bool its_operation) {
    Slot slot;
    slot.kind = its_operation ? SlotKind::kOp : SlotKind::kInstr;
    if (its_operation) {
      slot.first = store_.opcode(node);
    } else {
      slot.node = node;
    }
    bind(index, slot);
  }

  bool is_same(const Slot& slot, const ir::Operand& found, std::uint8_t sides) const {
    if (!sides_fit(found, sides)) return false;
    if (slot.kind == SlotKind::kInstr) return found.ref == ir::FatDynObjRef(ir::kind::kInstr, slot.node);
    return slot.kind == SlotKind::kOperand && found.ref == slot.ref();
  }

  bool has_operand() const { return cursor_.at < cursor_.end; }
  ir::Operand here() const {
    return store_.operand(cursor_.node,
                          cursor_.list == kInOrder ? cursor_.at : places_[cursor_.list + cursor_.at]);
  }

  /// Makes the cursor go through definitions first, or through uses only, where they are mixed.
  void list_operands(std::uint32_t node, std::uint32_t count, bool definitions) {
    const auto list = static_cast<std::uint32_t>(places_.size());
    for (int side = definitions ? 0 : 1; side < 2; ++side) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (store_.operand(node, i).is_def == (side == 0)) places_.push_back(i);
      }
    }
    cursor_ = {node, list, 0, static_cast<std::uint32_t>(places_.size()) - list};
  }

  void bind(std::uint32_t index, const Slot& slot) {
    if (!choices_.empty()) trail_.emplace_back(index, slots_[index]);
    slots_[index] = slot;
  }
  void bind_operand(std::uint32_t index, const ir::Operand& operand) {
    Slot& slot = slots_[index];
    if (!choices_.empty()) trail_.emplace_back(index, slot);
    slot.kind = SlotKind::kOperand;
    slot.is_def = operand.is_def;
    slot.is_number = false;
    slot.set_ref(operand.ref);
  }
  void set_register(std::uint32_t index, std::uint32_t value) {
    if (!choices_.empty()) register_trail_.emplace_back(index, registers_[index]);
    registers_[index] = value;
  }

  void push_choice(std::uint32_t pc, std::uint32_t deal) {
    choices_.push_back({pc, deal, cursor_, frame_, size(frames_), size(places_), size(nested_), size(trail_),
                        size(register_trail_)});
  }
  template <typename T>
  static std::uint32_t size(const std::vector<T>& all) {
    return static_cast<std::uint32_t>(all.size());
  }

  /// Back to the latest choice; false if there is none.
  bool fail() {
    while (!choices_.empty()) {
      const Choice choice = choices_.back();
      while (trail_.size() > choice.trail) {
        slots_[trail_.back().first] = trail_.back().second;
        trail_.pop_back();
      }
      while (register_trail_.size() > choice.register_trail) {
        registers_[register_trail_.back().first] = register_trail_.back().second;
        register_trail_.pop_back();
      }
      frames_.resize(choice.frames);
      places_.resize(choice.places);
      nested_.resize(choice.nested);
      cursor_ = choice.cursor;
      frame_ = choice.frame;
      pc_ = choice.pc;
      if (choice.deal == kNoDeal) {
        choices_.pop_back();
        return true;
      }
      deal_count_ = choice.deal + 1;
      if (enter_deal(choice.deal)) return true;
      deal_count_ = choice.deal;
      choices_.pop_back();
    }
    return false;
  }

  bool same(const Slot& slot, std::uint8_t sides) {
    if (slot.kind != SlotKind::kList) {
      if (!has_operand() || !is_same(slot, here(), sides)) return false;
      ++cursor_.at;
      return true;
    }
    const std::uint32_t wanted = count(slot);
    if (cursor_.end - cursor_.at < wanted) return false;
    for (std::uint32_t i = 0; i < wanted; ++i, ++cursor_.at) {
      const ir::Operand found = here();
      if (found.ref != operand(slot, i).ref || !sides_fit(found, sides)) return false;
    }
    return true;
  }

  /// Binds a capture to a constant or a plain number, or compares them if it is bound.
  bool capture(const Param& param, const ir::FatDynObjRef& number, bool is_plain) {
    if (param.kind != Param::Kind::kCapture) return true;
    const Slot& slot = slots_[param.slot];
    if (slot.kind == SlotKind::kUnbound) {
      Slot bound;
      bound.kind = SlotKind::kOperand;
      bound.is_number = is_plain;
      bound.set_ref(number);
      bind(param.slot, bound);
      return true;
    }
    return slot.kind == SlotKind::kOperand && same_number(store_.attributes(), slot.ref(), number);
  }

  /// The test of a type or a constant, with what it captures.
  bool fits_node(const PatternNode& node, const ir::Operand& operand, std::uint8_t sides) {
    const ir::Attributes& attributes = store_.attributes();
    if (!fits_leaf(store_, operand, node, sides)) return false;
    if (node.kind == PatternKind::kConst) {
      if (!capture(node.params[0], operand.ref, false)) return false;
      return node.params[1].kind != Param::Kind::kCapture ||
             capture(node.params[1], number_ref(constant_width(attributes, operand.ref)), true);
    }
    for (std::uint32_t i = 0; i < node.params.size(); ++i) {
      if (node.params[i].kind != Param::Kind::kCapture) continue;
      if (!capture(node.params[i], attributes.type_param(store_.type(operand.ref), i), true)) return false;
    }
    return true;
  }

  bool enter_nested(const PatternNode& node, std::uint8_t sides) {
    const std::uint32_t definition = nested_definition(node, here(), sides);
    if (definition == kNoNode) return false;
    ++cursor_.at;
    enter();
    start_nested(definition);
    return true;
  }

  void enter() {
    frames_.push_back({cursor_, frame_});
    frame_ = size(frames_) - 1;
  }
  bool leave() {
    if (has_operand()) return false;
    cursor_ = frames_[frame_].cursor;
    frame_ = frames_[frame_].outer;
    return true;
  }

  bool permute(const std::vector<std::uint32_t>& order) {
    const auto length = static_cast<std::uint32_t>(order.size());
    if (cursor_.end - cursor_.at < length) return false;
    const std::uint32_t list = size(places_);
    for (const std::uint32_t offset : order) {
      const std::uint32_t at = cursor_.at + offset;
      places_.push_back(cursor_.list == kInOrder ? at : places_[cursor_.list + at]);
    }
    cursor_.at += length;
    enter();
    cursor_ = {cursor_.node, list, 0, length};
    return true;
  }

  bool start_deal(const DealPlan& plan) {
    if (deal_count_ == deals_.size()) deals_.emplace_back();
    const std::uint32_t index = deal_count_++;
    deals_[index].start(store_, rule_->rule, plan, cursor_, places_);
    push_choice(pc_, index);
    if (enter_deal(index)) return true;
    choices_.pop_back();
    deal_count_ = index;
    return false;
  }

  /// Enters the operands of the next way, listed by parts behind the ends of the parts.
  bool enter_deal(std::uint32_t index) {
    Deal& deal = deals_[index];
    if (!deal.next(steps_, kMostSteps)) return false;
    const Cursor outer = deal.cursor();
    const auto parts = static_cast<std::uint32_t>(rule_->deals[rule_->code[pc_ - 1].a].parts.size());
    const std::uint32_t ends = size(places_);
    places_.resize(places_.size() + parts);
    std::uint32_t dealt = 0;
    for (std::uint32_t part = 0; part < parts; ++part) {
      for (std::uint32_t i = 0; i < deal.length(); ++i) {
        if (deal.part_of(i) != part) continue;
        const std::uint32_t at = outer.at + i;
        places_.push_back(outer.list == kInOrder ? at : places_[outer.list + at]);
        ++dealt;
      }
      places_[ends + part] = dealt;
    }
    cursor_ = outer;
    cursor_.at += deal.length();
    enter();
    cursor_ = {outer.node, ends + parts, 0, parts == 0 ? 0 : places_[ends]};
    return true;
  }

  bool end_part(std::uint32_t part, std::uint32_t parts) {
    if (has_operand()) return false;
    if (part + 1 < parts) cursor_.end = places_[cursor_.list - parts + part + 1];
    return true;
  }

  bool run() {
    for (;;) {
      if (++steps_ > kMostSteps) return false;
      const MatchInstr& instr = rule_->code[pc_++];
      if (instr.op == MatchOp::kAccept && !has_operand()) return true;
      if (!step(instr) && !fail()) return false;
    }
  }

  bool step(const MatchInstr& instr) {
    switch (instr.op) {
      case MatchOp::kAny:
        if (!has_operand() || (instr.sides != 0 && !sides_fit(here(), instr.sides))) return false;
        ++cursor_.at;
        return true;
      case MatchOp::kType:
      case MatchOp::kConst:
        if (!has_operand() || !fits_node(rule_->rule.nodes[instr.a], here(), instr.sides)) return false;
        ++cursor_.at;
        return true;
      case MatchOp::kSame: return same(slots_[instr.a], instr.sides);
      case MatchOp::kEnter: return has_operand() && enter_nested(rule_->rule.nodes[instr.a], instr.sides);
      case MatchOp::kLeave: return leave();
      case MatchOp::kBind:
        if (!has_operand()) return false;
        bind_operand(instr.a, here());
        return true;
      case MatchOp::kBindList: {
        Slot slot;
        slot.kind = SlotKind::kList;
        slot.node = cursor_.node;
        slot.list = cursor_.list;
        slot.first = registers_[instr.b];
        slot.count = cursor_.at - slot.first;
        bind(instr.a, slot);
        return true;
      }
      case MatchOp::kBindInstr: bind_instr(instr.a, cursor_.node, false); return true;
      case MatchOp::kBindOp: bind_instr(instr.a, cursor_.node, true); return true;
      case MatchOp::kSave: set_register(instr.a, cursor_.at); return true;
      case MatchOp::kSaveNone: set_register(instr.a, kNoPlace); return true;
      case MatchOp::kProgress: return registers_[instr.a] != cursor_.at;
      case MatchOp::kSplit: push_choice(instr.a, kNoDeal); return true;
      case MatchOp::kJump: pc_ = instr.a; return true;
      case MatchOp::kPermute: return permute(rule_->permutations[instr.a]);
      case MatchOp::kDeal: return start_deal(rule_->deals[instr.a]);
      case MatchOp::kPart: return end_part(instr.a, instr.b);
      case MatchOp::kAccept: return false;
    }
    return false;
  }

  const S& store_;
  const CompiledRule* rule_ = nullptr;
  std::uint32_t root_ = kNoNode;
  std::uint32_t pc_ = 0;
  Cursor cursor_;
  std::uint32_t frame_ = kNoFrame;
  std::uint64_t steps_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> registers_;
  std::vector<Choice> choices_;
  std::vector<std::pair<std::uint32_t, Slot>> trail_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> register_trail_;
  std::vector<Frame> frames_;
  std::vector<Cursor> lists_;          // of a form without choices, by the node of the pattern
  std::vector<std::uint32_t> places_;  // numbers of operands
  std::vector<std::uint32_t> nested_;
  std::vector<ir::Operand> frozen_;
  std::vector<Deal> deals_;
  std::uint32_t deal_count_ = 0;
};

}  // namespace dynomite::rewrite
