// Integers, conditions and statements of rules, printed.
#include <algorithm>
#include <utility>

#include "dynomite/native/ir/text_pattern_printer.hpp"
#include "dynomite/native/ir/text_quoting.hpp"

namespace dynomite::ir {

using namespace rewrite_op;

void PatternPrinter::list(const std::vector<InstrId>& inside) {
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (i > 0) out_ += ", ";
    integer(inside[i], false);
  }
}

/// `group`: an operator stands beside it.
void PatternPrinter::integer(InstrId instr, bool group) {
  enter();
  switch (op(instr)) {
    case rewrite_op::kNumber: {
      const Uses own = uses(instr);
      require(own.size() == 1 && parts(instr).empty());
      number(own[0]);
      break;
    }
    case kValueOf:
      require(parts(instr).empty());
      name(own_name(instr));
      break;
    case kWidth:
    case kCount:
      require(parts(instr).empty());
      out_ += op(instr) == kWidth ? "width(" : "count(";
      name(own_name(instr));
      out_ += ')';
      break;
    case kArith: arith(instr, group); break;
    default: require(false);
  }
  --height_;
}

void PatternPrinter::arith(InstrId instr, bool group) {
  const std::string_view own = own_name(instr);
  const std::vector<InstrId> inside = parts(instr);
  if (own == "neg" || own == "~") {
    require(inside.size() == 1);
    out_ += own == "~" ? '~' : '-';
    const bool digits = op(inside[0]) == rewrite_op::kNumber;  // -1 is a number
    if (digits) out_ += '(';
    integer(inside[0], true);
    if (digits) out_ += ')';
    return;
  }
  const bool binary = std::any_of(kOperators.begin(), kOperators.end(), [&](const auto& level) {
    return std::find(level.begin(), level.end(), own) != level.end();
  });
  if (binary) {
    require(inside.size() == 2 && !own.empty());
    if (group) out_ += '(';
    integer(inside[0], true);
    out_ += ' ';
    out_ += own;
    out_ += ' ';
    integer(inside[1], true);
    if (group) out_ += ')';
    return;
  }
  require(own == "min" || own == "max" || (own == "log2" && inside.size() == 1) ||
          (own == "signed" && inside.size() == 2));
  require(!inside.empty());
  out_ += own;
  out_ += '(';
  list(inside);
  out_ += ')';
}

/// `group`: parentheses around alternatives.
void PatternPrinter::condition(InstrId instr, bool group) {
  enter();
  const Uses own = uses(instr);
  const auto simple = [&](const char* word, std::size_t names) {
    require(own.size() == names && parts(instr).empty());
    out_ += word;
    out_ += '(';
    for (std::size_t i = 0; i < names; ++i) {
      if (i > 0) out_ += ", ";
      name(text(own[i]));
    }
    out_ += ')';
  };
  switch (op(instr)) {
    case kOneUse: simple("one_use", 1); break;
    case kPowerOfTwo: simple("power_of_two", 1); break;
    case kIsConstant: simple("is_constant", 1); break;
    case kSameObject: simple("same", 2); break;
    case rewrite_op::kSameType: simple("same_type", 2); break;
    case kCompare: {
      const std::vector<InstrId> inside = parts(instr);
      const std::string_view relation = own_name(instr);
      static constexpr std::string_view kRelations[] = {"==", "!=", "<", "<=", ">", ">="};
      require(inside.size() == 2 &&
              std::find(std::begin(kRelations), std::end(kRelations), relation) != std::end(kRelations));
      integer(inside[0], false);
      out_ += ' ';
      out_ += relation;
      out_ += ' ';
      integer(inside[1], false);
      break;
    }
    case kNot: {
      require(own.empty());
      const InstrId inner = only(instr);
      out_ += '!';
      const bool compares = op(inner) == kCompare;
      if (compares) out_ += '(';
      condition(inner, true);
      if (compares) out_ += ')';
      break;
    }
    case kAnyOf: {
      require(own.empty());
      const std::vector<InstrId> inside = parts(instr);
      require(inside.size() > 1);
      if (group) out_ += '(';
      for (std::size_t i = 0; i < inside.size(); ++i) {
        if (i > 0) out_ += " || ";
        condition(inside[i], true);
      }
      if (group) out_ += ')';
      break;
    }
    case kCall:
      require(parts(instr).empty());
      call(instr);
      break;
    default: require(false);
  }
  --height_;
}

void PatternPrinter::call(InstrId instr) {
  const Uses own = uses(instr);
  require(!own.empty());
  out_ += "call ";
  append_quoted(out_, text(own[0]));
  out_ += '(';
  for (std::size_t i = 1; i < own.size(); ++i) {
    if (i > 1) out_ += ", ";
    name(text(own[i]));
  }
  out_ += ')';
}

// What is emitted.

void PatternPrinter::statement(InstrId instr) {
  height_ = 0;
  switch (op(instr)) {
    case rewrite_op::kReplaceUses:
      out_ += "REPLACE_USES ";
      name(own_name(instr));
      out_ += ", ";
      operand(only(instr));
      break;
    case rewrite_op::kReplaceAll:
    case kDelete: {
      const bool deletes = op(instr) == kDelete;
      out_ += deletes ? "DELETE " : "REPLACE_ALL ";
      name(own_name(instr), '$');
      const std::vector<InstrId> inside = parts(instr);
      require(inside.empty() || !deletes);
      for (const InstrId one : inside) {
        out_ += ", ";
        operand(one);
      }
      break;
    }
    default: build(instr, false);
  }
}

void PatternPrinter::build(InstrId instr, bool nested) {
  const std::string_view own = own_name(instr);
  std::vector<Opcode> ops;
  if (op(instr) == kBuildAs) {
    const auto known = std::find_if(op_names_.begin(), op_names_.end(),
                                    [&](const OpName& op_name) { return op_name.name == own; });
    require(known != op_names_.end());
    ops = known->ops;
    name(own);
  } else {
    require(op(instr) == kBuild);
    operation(own);
    ops.push_back(*module_.registry()->find_op(own));
  }
  const Registry& registry = *module_.registry();
  std::uint32_t definitions = ops.empty() ? 0 : registry.op(ops[0]).defs;
  for (const Opcode opcode : ops) require(registry.op(opcode).defs == definitions);
  if (nested) require(ops.empty() || definitions == 1);
  std::uint32_t found = 0;
  std::string front = std::exchange(out_, {});
  bool first = true;
  for (const InstrId inner : parts(instr)) {
    const bool is_def = op(inner) == kOldDef || op(inner) == rewrite_op::kNewDef;
    if (is_def) {
      require(!nested ||
              (found == 0 && first && op(inner) == rewrite_op::kNewDef && own_name(inner).empty()));
      definition(inner, !nested && (ops.empty() || found < definitions));
      ++found;
      if (nested && out_ == "def") {  // of the usual type
        out_.clear();
        continue;
      }
    } else {
      require(nested ? found == 1 : ops.empty() || found >= definitions);
      require(op(inner) != kOperand || !ops.empty() || !is_root_def(own_name(inner)));
      operand(inner);
    }
    front += first ? " " : ", ";
    first = false;
    front += std::exchange(out_, {});
  }
  out_ = std::move(front);
  require(nested ? found == 1 : ops.empty() || found == definitions);
}

/// `by_place`: what stands here is a definition in any case.
void PatternPrinter::definition(InstrId instr, bool by_place) {
  const std::string_view own = own_name(instr);
  if (op(instr) == kOldDef) {
    require(parts(instr).empty() && is_bound(own));
    name(own);
    if (!by_place || !is_root_def(own)) out_ += ":def";
    return;
  }
  require(!is_bound(own) || own.empty());
  if (!own.empty()) {
    name(own);
    out_ += ':';
  }
  out_ += "def";
  definition_type(only(instr));
}

/// `(type)`, or nothing if it is the usual one.
void PatternPrinter::definition_type(InstrId instr) {
  const std::string_view own = own_name(instr);
  const std::vector<InstrId> inside = parts(instr);
  if (op(instr) == kTypeOf) {
    require(inside.size() <= 1);
    const bool usual = own == first_def_;
    if (usual && inside.empty()) return;
    out_ += '(';
    if (!usual) {
      out_ += "type(";
      name(own);
      if (!inside.empty()) out_ += ", ";
    }
    list(inside);
    out_ += usual ? ")" : "))";
    return;
  }
  require(op(instr) == kTypeExpr);
  out_ += '(';
  type(own, inside.size(), false);
  if (!inside.empty()) {
    out_ += '(';
    list(inside);
    out_ += ')';
  }
  out_ += ')';
}

void PatternPrinter::operand(InstrId instr) {
  enter();
  switch (op(instr)) {
    case kOperand:
      require(parts(instr).empty());
      name(own_name(instr));
      break;
    case rewrite_op::kConstant: {
      require(uses(instr).empty());
      const std::vector<InstrId> inside = parts(instr);
      require(inside.size() == 2);
      out_ += "constant(";
      integer(inside[0], false);
      const bool usual = op(inside[1]) == kWidth && own_name(inside[1]) == first_def_;
      if (!usual) {
        out_ += ", ";
        integer(inside[1], false);
      }
      out_ += ')';
      break;
    }
    case kPlainNumber: {
      require(uses(instr).empty());
      const InstrId inner = only(instr);
      const bool bare = op(inner) == rewrite_op::kNumber;
      if (!bare) out_ += "number(";
      integer(inner, false);
      if (!bare) out_ += ')';
      break;
    }
    case kBuild:
    case kBuildAs:
      out_ += '(';
      build(instr, true);
      out_ += ')';
      break;
    default: require(false);
  }
  --height_;
}

}  // namespace dynomite::ir
