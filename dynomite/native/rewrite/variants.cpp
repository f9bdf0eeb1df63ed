#include "dynomite/native/rewrite/variants.hpp"

#include <algorithm>
#include <utility>

// Recursion is on the depth of a pattern, which kMaxDepth bounds.

namespace dynomite::rewrite {

namespace {

constexpr std::size_t kMostForms = 48;

/// Operands from the first one on; `is_open` if what comes behind them is not certain.
struct Form {
  std::vector<LineOp> ops;
  std::uint32_t length = 0;
  bool is_open = false;
  bool is_whole = true;
};
using Forms = std::vector<Form>;

Form open_form() { return {{}, 0, true, false}; }

class Expander {
 public:
  explicit Expander(const Rule& rule)
      : rule_(rule), lengths_(pattern_lengths(rule)), single_(single_operands(rule)) {}

  /// The forms of a node whose operands are in `list`.
  Forms forms(std::uint32_t index, std::uint32_t list, std::uint8_t sides) const {
    const PatternNode& node = rule_.nodes[index];
    switch (node.kind) {
      case PatternKind::kAny: return one({MatchOp::kAny, sides, list, 0, 0, 0});
      case PatternKind::kType: return one({MatchOp::kType, sides, list, 0, index, 0});
      case PatternKind::kConst:
        return one({MatchOp::kConst, static_cast<std::uint8_t>(sides | kMustUse), list, 0, index, 0});
      case PatternKind::kSame:
        if (!is_fixed(index)) return {open_form()};
        return one({MatchOp::kSame, sides, list, 0, node.slot, 0});
      case PatternKind::kInstr: return nested(index, list, sides);
      case PatternKind::kNamed: return named(node, list, sides);
      case PatternKind::kDef: return forms(node.children[0], list, sides | kMustDefine);
      case PatternKind::kUse: return forms(node.children[0], list, sides | kMustUse);
      case PatternKind::kRepeat: return repeated(node, list, sides);
      case PatternKind::kSequence: {
        Forms all = {Form()};
        for (const std::uint32_t part : node.children) all = joined(all, forms(part, list, sides), list);
        return all;
      }
      case PatternKind::kAlternatives: {
        Forms all;
        for (const std::uint32_t part : node.children) {
          for (Form& form : forms(part, list, sides)) all.push_back(std::move(form));
        }
        return bounded(std::move(all));
      }
      case PatternKind::kUnordered: return unordered(index, list, sides);
    }
    return {open_form()};
  }

 private:
  bool is_fixed(std::uint32_t node) const { return lengths_[node].least == lengths_[node].most; }
  static Forms one(const LineOp& op) { return {{{op}, 1, false, true}}; }
  static Forms bounded(Forms all) {
    if (all.size() > kMostForms) return {open_form()};
    return all;
  }

  Forms nested(std::uint32_t index, std::uint32_t list, std::uint8_t sides) const {
    const PatternNode& node = rule_.nodes[index];
    Forms all;
    for (const Form& inner : forms(node.children[0], index, 0)) {
      Form& form = all.emplace_back();
      if (node.slot != kNoSlot) form.ops.push_back({MatchOp::kBind, 0, list, 0, node.slot, 0});
      form.ops.push_back({MatchOp::kEnter, static_cast<std::uint8_t>(sides | kMustUse), list, 0, index,
                          inner.is_open ? kAnyLength : inner.length});
      if (node.op_slot != kNoSlot) form.ops.push_back({MatchOp::kBindOp, 0, index, 0, node.op_slot, 0});
      if (node.instr_slot != kNoSlot)
        form.ops.push_back({MatchOp::kBindInstr, 0, index, 0, node.instr_slot, 0});
      form.ops.insert(form.ops.end(), inner.ops.begin(), inner.ops.end());
      form.length = 1;
      form.is_whole = inner.is_whole && !inner.is_open;
    }
    return all;
  }

  Forms named(const PatternNode& node, std::uint32_t list, std::uint8_t sides) const {
    Forms all = forms(node.children[0], list, sides);
    for (Form& form : all) {
      if (!single_.nodes[node.children[0]] || form.is_open) {
        form.is_whole = false;
      } else {
        form.ops.insert(form.ops.begin(), {MatchOp::kBind, 0, list, 0, node.slot, 0});
      }
    }
    return all;
  }

  Forms repeated(const PatternNode& node, std::uint32_t list, std::uint8_t sides) const {
    if (!node.at_least_one || lengths_[node.children[0]].least == 0) return {open_form()};
    Forms all = forms(node.children[0], list, sides);
    for (Form& form : all) {
      form.is_open = true;
      form.is_whole = false;
    }
    return all;
  }

  static Forms joined(const Forms& front, const Forms& back, std::uint32_t list) {
    Forms all;
    for (const Form& first : front) {
      if (first.is_open) {
        all.push_back(first);
        continue;
      }
      for (const Form& second : back) {
        Form& form = all.emplace_back(first);
        for (LineOp op : second.ops) {
          if (op.list == list) op.at += first.length;
          form.ops.push_back(op);
        }
        form.length += second.length;
        form.is_open = second.is_open;
        form.is_whole = first.is_whole && second.is_whole;
      }
      if (all.size() > kMostForms) return {open_form()};
    }
    return bounded(std::move(all));
  }

  Forms unordered(std::uint32_t index, std::uint32_t list, std::uint8_t sides) const {
    const auto deals = fixed_deals(rule_, lengths_, index);
    if (deals.empty()) return {open_form()};
    Forms in_parts = {Form()};
    for (const std::uint32_t part : rule_.nodes[index].children) {
      in_parts = joined(in_parts, forms(part, list, sides), list);
    }
    Forms all;
    for (const std::vector<std::uint32_t>& order : deals) {
      for (const Form& form : in_parts) {
        if (form.is_open || form.length != order.size()) return {open_form()};
        Form& placed = all.emplace_back(form);
        for (LineOp& op : placed.ops) {
          if (op.list == list) op.at = order[op.at];
        }
      }
      if (all.size() > kMostForms) return {open_form()};
    }
    return all;
  }

  const Rule& rule_;
  std::vector<Lengths> lengths_;
  Singles single_;
};

/// False if no instruction is like that: an operand would be a definition and a use at the same time.
bool is_possible(const Form& form) {
  return std::all_of(form.ops.begin(), form.ops.end(),
                     [](const LineOp& op) { return op.sides != (kMustDefine | kMustUse); });
}

}  // namespace

std::vector<Variant> variants_of(const Rule& rule, std::uint32_t number) {
  const PatternNode& root = rule.nodes[rule.root];
  std::vector<Variant> all;
  bool is_whole = true;
  for (const Form& form : Expander(rule).forms(root.children[0], rule.root, 0)) {
    if (!is_possible(form)) continue;
    Variant& variant = all.emplace_back();
    variant.rule = number;
    variant.length = form.is_open ? kAnyLength : form.length;
    if (root.op_slot != kNoSlot) variant.ops.push_back({MatchOp::kBindOp, 0, rule.root, 0, root.op_slot, 0});
    if (root.instr_slot != kNoSlot) {
      variant.ops.push_back({MatchOp::kBindInstr, 0, rule.root, 0, root.instr_slot, 0});
    }
    for (const LineOp& op : form.ops) {
      // An operand that may be anything needs no look.
      if (op.op != MatchOp::kAny || op.sides != 0) variant.ops.push_back(op);
    }
    is_whole = is_whole && form.is_whole && !form.is_open;
  }
  // One form that is not whole leaves the order of search to the backtracking matcher.
  for (Variant& variant : all) variant.is_whole = is_whole;
  return all;
}

}  // namespace dynomite::rewrite
