// Integers, conditions and statements of rules in the text form.
#include <algorithm>

#include "dynomite/native/ir/text_pattern_reader.hpp"

namespace dynomite::ir {

using text_class::is;

namespace {

constexpr std::string_view kRelations[] = {"==", "!=", "<=", ">=", "<", ">"};
constexpr std::string_view kFunctions[] = {"width", "count", "log2", "signed", "min", "max"};

}  // namespace

// Integers.

PatternReader::Node PatternReader::integer() { return binary(0); }

/// The operator of this precedence that comes; empty if there is none.
std::string_view PatternReader::take_operator(std::size_t level) {
  cursor_.skip_lines();
  const char c = cursor_.peek();
  const char after = cursor_.peek(1);
  if ((c == '|' || c == '&') && after == c) return {};
  for (const std::string_view op : rewrite_op::kOperators[level]) {
    if (!op.empty() && take_text(op)) return op;
  }
  return {};
}

PatternReader::Node PatternReader::binary(std::size_t level) {
  if (level == rewrite_op::kOperators.size()) return unary();
  const std::uint32_t offset = next();
  Node left = binary(level + 1);
  for (;;) {
    const std::string_view op = take_operator(level);
    if (op.empty()) return left;
    const Node right = binary(level + 1);
    left = node(rewrite_op::kArith, offset, {text(op)}, {left, right});
  }
}

bool PatternReader::at_integer_function() {
  const std::uint32_t start = next();
  const std::string_view word = cursor_.word(0);
  cursor_.skip_lines();
  const bool found = std::find(std::begin(kFunctions), std::end(kFunctions), word) != std::end(kFunctions) &&
                     cursor_.peek() == '(';
  cursor_.seek(start);
  return found;
}

PatternReader::Node PatternReader::unary() {
  const Level level(*this);
  const std::uint32_t offset = next();
  const char c = cursor_.peek();
  if (is(c, text_class::kDigit) || (c == '-' && is(cursor_.peek(1), text_class::kDigit))) {
    return node(rewrite_op::kNumber, offset, {number()});
  }
  if (c == '-' || c == '~') {
    cursor_.advance();
    return node(rewrite_op::kArith, offset, {text(c == '-' ? "neg" : "~")}, {unary()});
  }
  if (c == '%') return node(rewrite_op::kValueOf, offset, {text(name("in a number"))});
  if (c == '(') {
    open('(', "in a number");
    const Node inner = integer();
    close(')', "at the end of a group");
    return inner;
  }
  const std::string_view word = cursor_.word(0);
  if (std::find(std::begin(kFunctions), std::end(kFunctions), word) == std::end(kFunctions)) {
    fail(offset, "expected a number, a name, or one of width, count, log2, signed, min and max");
  }
  return function(word, offset);
}

PatternReader::Node PatternReader::function(std::string_view word, std::uint32_t offset) {
  open('(', "behind the name of a function");
  Node made = 0;
  if (word == "width" || word == "count") {
    const FatDynObjRef own = text(name("behind 'width' or 'count'"));
    made = node(word == "width" ? rewrite_op::kWidth : rewrite_op::kCount, offset, {own});
  } else {
    made = node(rewrite_op::kArith, offset, {text(word)}, {integer()});
    while (take(',')) add_part(made, integer());
    const std::size_t count = nodes_[made].parts.size();
    if ((word == "log2" && count != 1) || (word == "signed" && count != 2)) {
      fail(offset, "log2 takes one number, signed two: a number and a width");
    }
  }
  close(')', "at the end of a function");
  return made;
}

// Conditions.

PatternReader::Node PatternReader::condition() { return any_of(); }

PatternReader::Node PatternReader::any_of() {
  const std::uint32_t offset = next();
  const Node first = literal();
  if (!take_text("||")) return first;
  const Node made = node(rewrite_op::kAnyOf, offset, {}, {first});
  do add_part(made, literal());
  while (take_text("||"));
  return made;
}

/// Whether the group that comes is part of a number: an operator or relation comes behind it.
bool PatternReader::group_is_integer() {
  const std::uint32_t start = next();
  std::size_t open_groups = 0;
  do {
    const char c = cursor_.peek();
    if (c == '"') {
      cursor_.advance();
      while (!cursor_.at_end() && cursor_.peek() != '"') cursor_.advance();
    }
    open_groups += c == '(' ? 1 : 0;
    open_groups -= c == ')' ? 1 : 0;
    cursor_.advance();
  } while (open_groups > 0 && !cursor_.at_end());
  cursor_.skip_lines();
  const char c = cursor_.peek();
  const bool logical = (c == '|' || c == '&') && cursor_.peek(1) == c;
  const bool found =
      !logical && c != '\0' && std::string_view("<>=!+-*/%&|^").find(c) != std::string_view::npos;
  cursor_.seek(start);
  return found;
}

PatternReader::Node PatternReader::literal() {
  const Level level(*this);
  const std::uint32_t offset = next();
  if (cursor_.peek() == '!' && cursor_.peek(1) != '=') {
    cursor_.advance();
    return node(rewrite_op::kNot, offset, {}, {literal()});
  }
  if (cursor_.peek() == '(' && !group_is_integer()) {
    open('(', "in a condition");
    const Node inner = any_of();
    if (take_text("&&"))
      fail(cursor_.offset() - 2, "'&&' stands between whole conditions, not inside of a group");
    close(')', "at the end of a group");
    return inner;
  }
  if (is(cursor_.peek(), text_class::kStart) && !at_integer_function()) {
    return simple_condition(cursor_.word(0), offset);
  }
  return comparison();
}

PatternReader::Node PatternReader::comparison() {
  const std::uint32_t offset = next();
  const Node left = integer();
  const std::uint32_t at = next();
  for (const std::string_view relation : kRelations) {
    if (take_text(relation)) return node(rewrite_op::kCompare, offset, {text(relation)}, {left, integer()});
  }
  fail(at, "expected one of == != < <= > >= behind a number");
}

PatternReader::Node PatternReader::simple_condition(std::string_view word, std::uint32_t offset) {
  std::vector<FatDynObjRef> uses;
  if (word == "call") {
    call(uses);
    return node(rewrite_op::kCall, offset, std::move(uses));
  }
  rewrite_op::Number op = rewrite_op::kEnd;
  if (word == "one_use") op = rewrite_op::kOneUse;
  if (word == "power_of_two") op = rewrite_op::kPowerOfTwo;
  if (word == "is_constant") op = rewrite_op::kIsConstant;
  if (word == "same") op = rewrite_op::kSameObject;
  if (word == "same_type") op = rewrite_op::kSameType;
  if (op == rewrite_op::kEnd) {
    fail(offset,
         "unknown condition '" + std::string(word) +
             "'; there are one_use, power_of_two, is_constant, same, same_type, call and comparisons");
  }
  open('(', "behind a condition");
  uses.push_back(text(name("in a condition")));
  if (op == rewrite_op::kSameObject || op == rewrite_op::kSameType) {
    reader_.expect(',', "between two names");
    uses.push_back(text(name("in a condition")));
  }
  close(')', "at the end of a condition");
  return node(op, offset, std::move(uses));
}

/// Behind 'call'.
void PatternReader::call(std::vector<FatDynObjRef>& uses) {
  if (next(); cursor_.peek() != '"') fail(cursor_.offset(), "expected the name of a function in quotes");
  uses.push_back(text(reader_.quoted()));
  open('(', "behind the name of a function");
  if (next(); cursor_.peek() != ')') {
    do {
      next();
      const char sigil = cursor_.peek() == '$' ? '$' : '%';
      uses.push_back(text(name("of an argument", sigil)));
    } while (take(','));
  }
  close(')', "behind the arguments");
}

// What is emitted.

PatternReader::Node PatternReader::statement() {
  const std::uint32_t offset = next();
  if (cursor_.peek() == '%') return build(offset, false);
  const std::uint32_t start = offset;
  std::string_view word = cursor_.word(text_class::kDot);
  if (word.empty()) fail(offset, "expected an operation, REPLACE_USES, REPLACE_ALL or DELETE");
  if (word.starts_with("rewrite.")) word.remove_prefix(8);
  if (word == "REPLACE_USES") {
    const FatDynObjRef own = text(name("of a definition"));
    reader_.expect(',', "behind the definition");
    const Node operand = emitted(false);
    return node(rewrite_op::kReplaceUses, offset, {own}, {operand});
  }
  if (word == "REPLACE_ALL" || word == "DELETE") {
    const FatDynObjRef own = text(name("of an instruction", '$'));
    const Node made = node(word == "DELETE" ? rewrite_op::kDelete : rewrite_op::kReplaceAll, offset, {own});
    while (word == "REPLACE_ALL" && take(',')) add_part(made, emitted(false));
    return made;
  }
  cursor_.seek(start);
  return build(offset, false);
}

/// An operation and its operands.
PatternReader::Node PatternReader::build(std::uint32_t offset, bool nested) {
  next();
  if (cursor_.peek() == '%') {
    const std::string own = name("of an operation");
    const auto known = op_names_.find(own);
    if (known == op_names_.end()) fail(offset, "%" + own + " is no name of an operation");
    const Node made = node(rewrite_op::kBuildAs, offset, {text(own)});
    std::uint32_t definitions = 0;
    for (const Opcode opcode : known->second) {
      const std::uint32_t count = reader_.registry_->op(opcode).defs;
      if (opcode != known->second.front() && count != definitions) {
        fail(offset, "the operations %" + own + " stands for have different numbers of definitions");
      }
      definitions = count;
    }
    build_operands(made, definitions, !known->second.empty(), nested);
    return made;
  }
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word.empty()) fail(offset, "expected an operation");
  Opcode opcode;
  const Node made = node(rewrite_op::kBuild, offset, {text(operation(word, offset, opcode))});
  build_operands(made, reader_.registry_->op(opcode).defs, true, nested);
  return made;
}

/// `counted`: the operation has this number of definitions.
void PatternReader::build_operands(Node built, std::uint32_t definitions, bool counted, bool nested) {
  const std::uint32_t offset = nodes_[built].offset;
  std::uint32_t found = 0;
  if (nested) {
    if (counted && definitions != 1) fail(offset, "an operation used as operand defines one value");
    next();
    const std::uint32_t start = cursor_.offset();
    const bool has_definition = cursor_.word(0) == "def";
    cursor_.seek(start);
    if (has_definition) {
      add_part(built, emitted(true));
      if (take(',')) next();
    } else {
      add_part(built, node(rewrite_op::kNewDef, offset, {text("")}, {default_type(offset)}));
    }
    found = 1;
    definitions = 1;
    counted = true;
    if (next(); cursor_.peek() == ')') return;
  }
  for (bool more = true; more; more = take(',')) {
    const std::uint32_t at = next();
    const char c = cursor_.peek();
    if (c == '}' || c == ';') break;
    bool is_def = !nested && counted && found < definitions;
    if (!counted && c == '%') {
      const std::string own = name("of an operand");
      const auto known = bound_.find(own);
      is_def = known != bound_.end() && known->second;
      cursor_.seek(at);
    }
    const Node operand = emitted(is_def);
    const rewrite_op::Number op = nodes_[operand].op;
    if (op == rewrite_op::kOldDef || op == rewrite_op::kNewDef) {
      ++found;
    } else if (is_def) {
      fail(at, "expected a definition");
    }
    add_part(built, operand);
  }
  if (counted && found != definitions) {
    fail(offset, "this operation defines " + std::to_string(definitions) +
                     (definitions == 1 ? " value, not " : " values, not ") + std::to_string(found));
  }
}

/// An operand, or a definition.
PatternReader::Node PatternReader::emitted(bool is_def) {
  const Level level(*this);
  const std::uint32_t offset = next();
  const char c = cursor_.peek();
  if (c == '%') return emitted_name(is_def);
  if (is(c, text_class::kDigit) || c == '-') {
    const std::uint32_t at = offset;
    return node(rewrite_op::kPlainNumber, offset, {}, {node(rewrite_op::kNumber, at, {number()})});
  }
  if (c == '(') {
    open('(', "in front of an instruction");
    const Node inner = build(next(), true);
    close(')', "at the end of an instruction");
    return inner;
  }
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word == "def") return new_definition("", offset);
  if (word == "constant") return emitted_constant(offset);
  if (word == "number") {
    open('(', "behind 'number'");
    const Node inner = integer();
    close(')', "at the end of 'number'");
    return node(rewrite_op::kPlainNumber, offset, {}, {inner});
  }
  fail(offset, "expected an operand: a name, constant(...), number(...), a number or (OPERATION ...)");
}

PatternReader::Node PatternReader::emitted_name(bool is_def) {
  const std::uint32_t offset = next();
  const std::string own = name("of an operand");
  if (take(':')) {
    const std::uint32_t at = next();
    if (cursor_.word(0) != "def") fail(at, "expected 'def' behind ':'");
    if (is_bound(own)) {
      if (next(); cursor_.peek() == '(') fail(at, "a definition that is replaced keeps its type");
      return node(rewrite_op::kOldDef, offset, {text(own)});
    }
    return new_definition(own, offset);
  }
  if (!is_def) return node(rewrite_op::kOperand, offset, {text(own)});
  if (!is_bound(own)) {
    fail(offset, "the match has no %" + own + "; a new definition is written %" + own + ":def");
  }
  return node(rewrite_op::kOldDef, offset, {text(own)});
}

/// Behind 'def'.
PatternReader::Node PatternReader::new_definition(std::string_view own, std::uint32_t offset) {
  const FatDynObjRef name_ref = text(own);
  if (next(); cursor_.peek() != '(') {
    return node(rewrite_op::kNewDef, offset, {name_ref}, {default_type(offset)});
  }
  open('(', "behind 'def'");
  const Node type = definition_type();
  close(')', "at the end of 'def'");
  return node(rewrite_op::kNewDef, offset, {name_ref}, {type});
}

PatternReader::Node PatternReader::default_type(std::uint32_t offset) {
  if (first_def_.empty()) {
    fail(offset, "needs a type, as no definition of the matched instruction has a name");
  }
  return node(rewrite_op::kTypeOf, offset, {text(first_def_)});
}

PatternReader::Node PatternReader::definition_type() {
  const std::uint32_t offset = next();
  if (is(cursor_.peek(), text_class::kStart) && !at_integer_function()) {
    const std::string_view word = cursor_.word(text_class::kDot);
    if (word == "type") {
      open('(', "behind 'type'");
      const Node made = node(rewrite_op::kTypeOf, offset, {text(name("of a value"))});
      if (take(',')) add_part(made, integer());
      close(')', "at the end of 'type'");
      return made;
    }
    const ObjKind kind = reader_.find_type(word, offset);
    const Node made = node(rewrite_op::kTypeExpr, offset, {text(reader_.registry_->name(kind))});
    if (next(); cursor_.peek() == '(') {
      open('(', "behind a type");
      do add_part(made, integer());
      while (take(','));
      close(')', "behind the parameters of a type");
    }
    const std::size_t wanted = reader_.registry_->type(kind).params;
    if (nodes_[made].parts.size() != wanted) {
      fail(offset, "the type '" + reader_.registry_->name(kind) + "' has " + std::to_string(wanted) +
                       (wanted == 1 ? " parameter" : " parameters"));
    }
    return made;
  }
  const Node made = default_type(offset);
  add_part(made, integer());
  return made;
}

/// Behind 'constant'.
PatternReader::Node PatternReader::emitted_constant(std::uint32_t offset) {
  open('(', "behind 'constant'");
  const Node value = integer();
  Node width = 0;
  if (take(',')) {
    width = integer();
  } else {
    if (first_def_.empty()) {
      fail(offset, "needs a width, as no definition of the matched instruction has a name");
    }
    width = node(rewrite_op::kWidth, offset, {text(first_def_)});
  }
  close(')', "at the end of 'constant'");
  return node(rewrite_op::kConstant, offset, {}, {value, width});
}

}  // namespace dynomite::ir
