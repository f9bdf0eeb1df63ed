#include <algorithm>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/rewrite/code.hpp"
#include "dynomite/native/rewrite/part_automaton.hpp"

// Recursion below is on the depth of a pattern, which kMaxDepth bounds.

namespace dynomite::rewrite {

namespace {

constexpr std::size_t kMostDeals = 24;

std::uint32_t add_lengths(std::uint32_t a, std::uint32_t b) {
  if (a == kAnyLength || b == kAnyLength) return kAnyLength;
  return a > kAnyLength - 1 - b ? kAnyLength : a + b;
}

class Compiler {
 public:
  explicit Compiler(CompiledRule& target)
      : out_(target), rule_(target.rule), lengths_(pattern_lengths(rule_)), single_(single_operands(rule_)) {}

  void run() {
    const PatternNode& root = rule_.nodes[rule_.root];
    if (root.kind != PatternKind::kInstr) fail("the pattern is no instruction");
    if (root.slot != kNoSlot) fail("the instruction that a pattern starts at is used nowhere in it");
    if (root.op_slot != kNoSlot) put(MatchOp::kBindOp, root.op_slot);
    if (root.instr_slot != kNoSlot) put(MatchOp::kBindInstr, root.instr_slot);
    expression(root.children[0], 0, 1);
    put(MatchOp::kAccept);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError("rule '" + rule_.name + "': " + what);
  }

  std::uint32_t put(MatchOp op, std::uint32_t a = 0, std::uint32_t b = 0, std::uint8_t sides = 0) {
    out_.code.push_back({op, sides, a, b});
    return static_cast<std::uint32_t>(out_.code.size() - 1);
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(out_.code.size()); }

  bool is_list(std::uint32_t node) const { return !single_.nodes[node]; }

  void expression(std::uint32_t index, std::uint8_t sides, std::uint32_t level) {
    const PatternNode& node = rule_.nodes[index];
    switch (node.kind) {
      case PatternKind::kAny: put(MatchOp::kAny, 0, 0, sides); break;
      case PatternKind::kType: put(MatchOp::kType, index, 0, sides); break;
      case PatternKind::kConst: put(MatchOp::kConst, index, 0, sides | kMustUse); break;
      case PatternKind::kSame: put(MatchOp::kSame, node.slot, 0, sides); break;
      case PatternKind::kInstr: nested(index, sides, level); break;
      case PatternKind::kNamed: named(node, sides, level); break;
      case PatternKind::kRepeat: repeat(node, sides, level); break;
      case PatternKind::kSequence:
        for (const std::uint32_t part : node.children) expression(part, sides, level);
        break;
      case PatternKind::kAlternatives: alternatives(node, sides, level); break;
      case PatternKind::kUnordered: unordered(index, sides, level); break;
      case PatternKind::kDef: expression(node.children[0], sides | kMustDefine, level); break;
      case PatternKind::kUse: expression(node.children[0], sides | kMustUse, level); break;
    }
  }

  void nested(std::uint32_t index, std::uint8_t sides, std::uint32_t level) {
    const PatternNode& node = rule_.nodes[index];
    if (node.slot != kNoSlot) put(MatchOp::kBind, node.slot);
    put(MatchOp::kEnter, index, 0, sides | kMustUse);
    if (node.op_slot != kNoSlot) put(MatchOp::kBindOp, node.op_slot);
    if (node.instr_slot != kNoSlot) put(MatchOp::kBindInstr, node.instr_slot);
    out_.levels = std::max(out_.levels, level + 1);
    expression(node.children[0], 0, level + 1);
    put(MatchOp::kLeave);
  }

  void named(const PatternNode& node, std::uint8_t sides, std::uint32_t level) {
    if (!is_list(node.children[0])) {
      put(MatchOp::kBind, node.slot);
      expression(node.children[0], sides, level);
      return;
    }
    const std::uint32_t place = out_.registers++;
    put(MatchOp::kSave, place);
    expression(node.children[0], sides, level);
    put(MatchOp::kBindList, node.slot, place);
  }

  void repeat(const PatternNode& node, std::uint8_t sides, std::uint32_t level) {
    const std::uint32_t child = node.children[0];
    const bool may_be_empty = lengths_[child].least == 0;
    const std::uint32_t place = may_be_empty ? out_.registers++ : 0;
    if (node.at_least_one) {
      if (may_be_empty) put(MatchOp::kSaveNone, place);
      const std::uint32_t start = here();
      expression(child, sides, level);
      if (may_be_empty) put(MatchOp::kProgress, place);
      const std::uint32_t split = put(MatchOp::kSplit);
      if (may_be_empty) put(MatchOp::kSave, place);
      put(MatchOp::kJump, start);
      out_.code[split].a = here();
      return;
    }
    const std::uint32_t split = put(MatchOp::kSplit);
    if (may_be_empty) put(MatchOp::kSave, place);
    expression(child, sides, level);
    if (may_be_empty) put(MatchOp::kProgress, place);
    put(MatchOp::kJump, split);
    out_.code[split].a = here();
  }

  void alternatives(const PatternNode& node, std::uint8_t sides, std::uint32_t level) {
    std::vector<std::uint32_t> ends;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const bool is_last = i + 1 == node.children.size();
      const std::uint32_t split = is_last ? 0 : put(MatchOp::kSplit);
      expression(node.children[i], sides, level);
      if (is_last) break;
      ends.push_back(put(MatchOp::kJump));
      out_.code[split].a = here();
    }
    for (const std::uint32_t end : ends) out_.code[end].a = here();
  }

  void unordered(std::uint32_t index, std::uint8_t sides, std::uint32_t level) {
    const PatternNode& node = rule_.nodes[index];
    const auto deals = fixed_deals(rule_, lengths_, index);
    if (!deals.empty()) {
      std::vector<std::uint32_t> jumps;
      for (std::size_t i = 0; i < deals.size(); ++i) {
        const bool is_last = i + 1 == deals.size();
        const std::uint32_t split = is_last ? 0 : put(MatchOp::kSplit);
        put(MatchOp::kPermute, static_cast<std::uint32_t>(out_.permutations.size()));
        out_.permutations.push_back(deals[i]);
        if (is_last) break;
        jumps.push_back(put(MatchOp::kJump));
        out_.code[split].a = here();
      }
      for (const std::uint32_t jump : jumps) out_.code[jump].a = here();
      for (const std::uint32_t part : node.children) expression(part, sides, level);
      put(MatchOp::kLeave);
      return;
    }
    DealPlan plan;
    for (const std::uint32_t part : node.children) {
      plan.parts.push_back(part_automaton(rule_, part, sides, single_.slots));
      plan.parts.back().least = lengths_[part].least;
      plan.parts.back().most = lengths_[part].most;
      plan.least = add_lengths(plan.least, lengths_[part].least);
      plan.most = add_lengths(plan.most, lengths_[part].most);
    }
    put(MatchOp::kDeal, static_cast<std::uint32_t>(out_.deals.size()));
    out_.deals.push_back(std::move(plan));
    const auto count = static_cast<std::uint32_t>(node.children.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      expression(node.children[i], sides, level);
      put(MatchOp::kPart, i, count);
    }
    put(MatchOp::kLeave);
  }

  CompiledRule& out_;
  const Rule& rule_;
  std::vector<Lengths> lengths_;
  Singles single_;
};

Lengths lengths_of(const Rule& rule, const std::vector<Lengths>& known, const std::vector<bool>& single,
                   const PatternNode& node) {
  Lengths result;
  switch (node.kind) {
    case PatternKind::kAny:
    case PatternKind::kType:
    case PatternKind::kConst:
    case PatternKind::kInstr: return {1, 1};
    case PatternKind::kSame: return single[node.slot] ? Lengths{1, 1} : Lengths{0, kAnyLength};
    case PatternKind::kNamed:
    case PatternKind::kDef:
    case PatternKind::kUse: return known[node.children[0]];
    case PatternKind::kRepeat:
      return {node.at_least_one ? known[node.children[0]].least : 0,
              known[node.children[0]].most == 0 ? 0 : kAnyLength};
    case PatternKind::kSequence:
    case PatternKind::kUnordered:
      for (const std::uint32_t part : node.children) {
        result.least = add_lengths(result.least, known[part].least);
        result.most = add_lengths(result.most, known[part].most);
      }
      return result;
    case PatternKind::kAlternatives:
      if (node.children.empty()) throw UsageError("rule '" + rule.name + "': alternatives need one");
      result.least = kAnyLength;
      for (const std::uint32_t part : node.children) {
        result.least = std::min(result.least, known[part].least);
        result.most = std::max(result.most, known[part].most);
      }
      return result;
  }
  return result;
}

std::vector<Lengths> lengths_with(const Rule& rule, const std::vector<bool>& single) {
  std::vector<Lengths> lengths;
  for (const PatternNode& node : rule.nodes) lengths.push_back(lengths_of(rule, lengths, single, node));
  return lengths;
}

void check_slots(const Rule& rule) {
  const auto known = [&](std::uint32_t slot) { return slot == kNoSlot || slot < rule.slots.size(); };
  for (const PatternNode& node : rule.nodes) {
    const bool needs_slot = node.kind == PatternKind::kSame || node.kind == PatternKind::kNamed;
    if (!known(node.slot) || !known(node.op_slot) || !known(node.instr_slot) ||
        (needs_slot && node.slot == kNoSlot)) {
      throw UsageError("rule '" + rule.name + "': a part with an unknown name");
    }
  }
}

/// Whether a node always matches exactly one operand and is no row of operands by its form; parts are known.
bool is_single(const PatternNode& node, const Singles& known) {
  switch (node.kind) {
    case PatternKind::kAny:
    case PatternKind::kType:
    case PatternKind::kConst:
    case PatternKind::kInstr: return true;
    case PatternKind::kSame: return known.slots[node.slot];
    case PatternKind::kNamed:
    case PatternKind::kDef:
    case PatternKind::kUse:
    case PatternKind::kAlternatives:
      return std::all_of(node.children.begin(), node.children.end(),
                         [&](std::uint32_t part) { return known.nodes[part]; });
    case PatternKind::kRepeat:
    case PatternKind::kSequence:
    case PatternKind::kUnordered: return false;
  }
  return false;
}

}  // namespace

Singles single_operands(const Rule& rule) {
  Singles single{std::vector<bool>(rule.nodes.size(), false), std::vector<bool>(rule.slots.size(), true)};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      single.nodes[i] = is_single(rule.nodes[i], single);
      const PatternNode& node = rule.nodes[i];
      if (node.kind == PatternKind::kNamed && !single.nodes[i] && single.slots[node.slot]) {
        single.slots[node.slot] = false;
        changed = true;
      }
    }
  }
  return single;
}

std::vector<Lengths> pattern_lengths(const Rule& rule) {
  return lengths_with(rule, single_operands(rule).slots);
}

std::vector<std::vector<std::uint32_t>> fixed_deals(const Rule& rule, const std::vector<Lengths>& lengths,
                                                    std::uint32_t node) {
  const std::vector<std::uint32_t>& parts = rule.nodes[node].children;
  std::vector<std::uint32_t> room;
  std::uint32_t total = 0;
  for (const std::uint32_t part : parts) {
    if (lengths[part].least != lengths[part].most || lengths[part].most > kMostDeals) return {};
    room.push_back(lengths[part].most);
    total += lengths[part].most;
  }
  if (total > kMostDeals) return {};
  std::vector<std::vector<std::uint32_t>> deals;
  std::vector<std::uint32_t> given(total, 0);  // part of each operand
  // Counts up in the order of search.
  std::size_t at = 0;
  std::vector<std::uint32_t> next(total + 1, 0);
  for (;;) {
    if (at == total) {
      std::vector<std::uint32_t>& order = deals.emplace_back();
      if (deals.size() > kMostDeals) return {};
      for (std::uint32_t part = 0; part < parts.size(); ++part) {
        for (std::uint32_t i = 0; i < total; ++i) {
          if (given[i] == part) order.push_back(i);
        }
      }
    } else {
      std::uint32_t& part = next[at];
      while (part < parts.size() && room[part] == 0) ++part;
      if (part < parts.size()) {
        given[at] = part;
        --room[part];
        ++part;
        next[++at] = 0;
        continue;
      }
    }
    if (at == 0) return deals;
    ++room[given[--at]];
  }
}

CompiledRule compile(Rule rule) {
  check_slots(rule);
  if (rule.root >= rule.nodes.size()) throw UsageError("rule '" + rule.name + "': no pattern");
  CompiledRule result;
  result.rule = std::move(rule);
  Compiler(result).run();
  for (const Condition& condition : result.rule.conditions) {
    result.counts_uses = result.counts_uses || condition.kind == ConditionKind::kOneUse;
    const std::vector<EmitStep>& emits = result.rule.emits;
    if (emits.size() == 1 && emits[0].kind == EmitKind::kReplaceUses &&
        emits[0].operands[0].kind == EmitOperand::Kind::kCapture) {
      result.replaced = emits[0].slot;
      result.replacement = emits[0].operands[0].slot;
    }
    result.has_callback = result.has_callback || condition.kind == ConditionKind::kCallback;
  }
  const std::vector<EmitStep>& emits = result.rule.emits;
  if (emits.size() == 1 && emits[0].kind == EmitKind::kReplaceUses &&
      emits[0].operands[0].kind == EmitOperand::Kind::kCapture) {
    result.replaced = emits[0].slot;
    result.replacement = emits[0].operands[0].slot;
  }
  result.has_callback = result.has_callback || result.rule.action != kNoSlot;
  return result;
}

}  // namespace dynomite::rewrite
