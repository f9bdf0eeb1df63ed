#include "dynomite/native/ir/text_pattern_reader.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace dynomite::ir {

using text_class::is;

// Tokens.

std::uint32_t PatternReader::next() {
  cursor_.skip_lines();
  return cursor_.offset();
}

bool PatternReader::take(char c) {
  cursor_.skip_lines();
  return cursor_.take(c);
}

void PatternReader::open(char c, const char* where) {
  reader_.expect(c, where);
  ++reader_.open_braces_;
}

void PatternReader::close(char c, const char* where) {
  reader_.expect(c, where);
  --reader_.open_braces_;
}

bool PatternReader::take_text(std::string_view wanted) {
  cursor_.skip_lines();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (cursor_.peek(i) != wanted[i]) return false;
  }
  cursor_.advance(wanted.size());
  return true;
}

std::string PatternReader::name(const char* where, char sigil) {
  const std::uint32_t offset = next();
  if (!cursor_.take(sigil)) fail(offset, std::string("expected a name, ") + sigil + "..., " + where);
  if (cursor_.peek() == '"') return reader_.quoted();
  const std::string_view word = cursor_.word(text_class::kDot | text_class::kDollar);
  if (word.empty()) fail(offset, "expected a name behind the sign");
  return std::string(word);
}

/// Whether `%name:` comes; the cursor stays.
bool PatternReader::name_ahead() {
  const std::uint32_t start = next();
  bool found = cursor_.take('%');
  if (found && cursor_.take('"')) {
    while (!cursor_.at_end() && cursor_.peek() != '"' && cursor_.peek() != '\n') {
      cursor_.advance(cursor_.peek() == '\\' && cursor_.peek(1) != '\0' ? 2 : 1);
    }
    found = cursor_.take('"');
  } else if (found) {
    found = !cursor_.word(text_class::kDot | text_class::kDollar).empty();
  }
  found = found && take(':');
  cursor_.seek(start);
  return found;
}

FatDynObjRef PatternReader::text(std::string_view value) {
  return {kind::kAttr, reader_.module_->attributes().string(value).index()};
}

/// An exact integer: a constant of 64 bits, or of a multiple of that where it does not fit, signed.
FatDynObjRef PatternReader::number() {
  next();
  std::vector<std::uint64_t> words;
  const bool negative = reader_.read_integer(words);
  if (words.back() >> 63 != 0) words.push_back(0);
  if (negative) {
    bool carry = true;
    for (std::uint64_t& word : words) {
      word = ~word + (carry ? 1 : 0);
      carry = carry && word == 0;
    }
    // -2^63 fits without the word added for the sign.
    const std::size_t size = words.size();
    if (size > 1 && words[size - 1] == ~std::uint64_t{0} && words[size - 2] >> 63 != 0) words.pop_back();
  }
  if (words.size() == 1) return {kind::kConstant, 64, words[0]};
  return reader_.module_->attributes().constant(static_cast<std::uint32_t>(64 * words.size()), words);
}

const Opcode* PatternReader::known_operation(std::string_view word) {
  const Registry& registry = *reader_.registry_;
  std::optional<Opcode> found = registry.find_op(word);
  const auto try_dialect = [&](DialectId dialect) {
    if (!found) found = registry.find_op(registry.dialect(dialect).name + "." + std::string(word));
  };
  for (const DialectId dialect : reader_.used_) try_dialect(dialect);
  try_dialect(kCoreDialect);
  if (!found) return nullptr;
  found_ = *found;
  return &found_;
}

bool PatternReader::knows_type(std::string_view word) const {
  const Registry& registry = *reader_.registry_;
  if (registry.find_type(word)) return true;
  return std::any_of(reader_.used_.begin(), reader_.used_.end(), [&](DialectId dialect) {
    return registry.find_type(registry.dialect(dialect).name + "." + std::string(word)).has_value();
  });
}

/// The full name of an operation that stands at `offset`.
std::string PatternReader::operation(std::string_view word, std::uint32_t offset, Opcode& opcode) {
  bool known = false;
  opcode = reader_.find_op(word, offset, known);
  if (!known) throw TextReader::Recover();
  return reader_.registry_->name(opcode);
}

void PatternReader::bind(const std::string& name) {
  if (bound_.emplace(name, false).second) bound_order_.push_back(name);
}

void PatternReader::enter() {
  if (++depth_ > rewrite_op::kMaxHeight) {
    depth_ = 0;
    fail(cursor_.offset(), "a rule is nested at most " + std::to_string(rewrite_op::kMaxHeight) + " deep");
  }
}

// Nodes.

PatternReader::Node PatternReader::node(rewrite_op::Number op, std::uint32_t offset,
                                        std::vector<FatDynObjRef> uses, std::vector<Node> parts) {
  nodes_.push_back({op, offset, 0, std::move(uses), {}});
  const auto made = static_cast<Node>(nodes_.size() - 1);
  for (const Node inner : parts) add_part(made, inner);
  return made;
}

void PatternReader::add_part(Node whole, Node inner) {
  NodeData& data = nodes_[whole];
  data.height = std::max(data.height, nodes_[inner].height + 1);
  if (data.height > rewrite_op::kMaxHeight) {
    fail(data.offset, "a rule is nested at most " + std::to_string(rewrite_op::kMaxHeight) + " deep");
  }
  data.parts.push_back(inner);
}

void PatternReader::make(Node whole, BlockId block) {
  const NodeData& data = nodes_[whole];
  CfgStore& cfg = reader_.module_->cfg();
  std::vector<OperandSpec> operands;
  for (const FatDynObjRef& use : data.uses) operands.push_back(OperandSpec::use(use));
  RegionId region;
  if (!data.parts.empty()) {
    region = cfg.create_region();
    make_instructions(data.parts, cfg.create_block(region));
    operands.push_back(OperandSpec::def_object({kind::kRegion, region.index()}));
  }
  const InstrId instr = reader_.module_->instrs().create(rewrite_op::opcode(data.op), operands);
  if (region) cfg.set_owner(region, instr);
  cfg.insert(block, cfg.last(block), instr);
  made_.emplace_back(instr, data.offset);
}

void PatternReader::make_instructions(const std::vector<Node>& parts, BlockId block) {
  for (const Node inner : parts) make(inner, block);
}

/// In order of the text, so that its lines are counted once.
void PatternReader::set_locations() {
  std::sort(made_.begin(), made_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::uint32_t line = reader_.line_;
  std::uint32_t line_start = reader_.line_start_;
  std::uint32_t counted = reader_.counted_;
  const char* text = reader_.text_.data();
  for (const auto& [instr, offset] : made_) {
    while (counted < offset) {
      const void* found = std::memchr(text + counted, '\n', offset - counted);
      if (found == nullptr) break;
      counted = line_start = static_cast<std::uint32_t>(static_cast<const char*>(found) - text) + 1;
      ++line;
    }
    counted = std::max(counted, offset);
    reader_.module_->locations().set(
        instr, reader_.module_->locations().single({reader_.file_name_, line, offset - line_start + 1}));
  }
}

// Parts of a rule.

RegionId PatternReader::read() {
  open('{', "behind 'InstrPat'");
  std::vector<Node> parts;
  int last = -1;
  static constexpr std::string_view kWords[] = {"let", "match", "if", "emit", "do"};
  while (!take('}')) {
    const std::uint32_t offset = next();
    if (cursor_.at_end()) fail(offset, "the text ends inside of a rule");
    const std::string_view word = cursor_.word(0);
    const auto* found = std::find(std::begin(kWords), std::end(kWords), word);
    if (found == std::end(kWords)) fail(offset, "expected 'let doc', 'match', 'if', 'emit', 'do' or '}'");
    const auto place = static_cast<int>(found - std::begin(kWords));
    if (place < last || (place == last && word != "if")) {
      fail(offset, "a rule has, in this order, 'let doc', 'match', any number of 'if', 'emit' and 'do'");
    }
    if (place > 1 && last < 1) fail(offset, "a rule needs 'match' in front of '" + std::string(word) + "'");
    last = place;
    if (word == "if") {
      open('{', "behind 'if'");
      do parts.push_back(node(rewrite_op::kIf, offset, {}, {condition()}));
      while (take_text("&&"));
      close('}', "behind the condition");
    } else {
      parts.push_back(part(word, offset));
    }
  }
  --reader_.open_braces_;
  if (last < 1) fail(cursor_.offset() - 1, "a rule needs 'match'");
  CfgStore& cfg = reader_.module_->cfg();
  const RegionId region = cfg.create_region();
  make_instructions(parts, cfg.create_block(region));
  if (reader_.options_.locations) set_locations();
  return region;
}

PatternReader::Node PatternReader::part(std::string_view word, std::uint32_t offset) {
  if (word == "let") {
    const std::uint32_t property = next();
    if (cursor_.word(0) != "doc") fail(property, "a rule has only the property 'doc'");
    reader_.expect('=', "behind 'doc'");
    if (next(); cursor_.peek() != '"') fail(cursor_.offset(), "expected a string");
    const Node made = node(rewrite_op::kDoc, offset, {text(reader_.quoted())});
    take(';');
    return made;
  }
  open('{', "behind the name of a part");
  Node made = 0;
  if (word == "match") {
    made = node(rewrite_op::kMatch, offset, {}, {root()});
  } else if (word == "emit") {
    made = node(rewrite_op::kEmit, offset);
    while (next(), cursor_.peek() != '}') {
      if (cursor_.take(';')) continue;
      if (cursor_.at_end()) fail(cursor_.offset(), "the text ends inside of 'emit'");
      add_part(made, statement());
    }
  } else {
    std::vector<FatDynObjRef> uses;
    const std::uint32_t at = next();
    if (cursor_.word(0) != "call") fail(at, "expected call \"package.module:function\"(%names)");
    call(uses);
    made = node(rewrite_op::kDo, offset, std::move(uses));
  }
  close('}', "at the end of this part");
  return made;
}

// What is matched.

PatternReader::Node PatternReader::root() { return instruction(false); }

/// The names in front of operations: `$instr:`, or `%instr:` in front of `%op:`.
void PatternReader::head_names(std::string& op_name, std::string& instr_name) {
  if (next(); cursor_.peek() == '$') {
    instr_name = name("of an instruction", '$');
    reader_.expect(':', "behind the name of an instruction");
  }
  while (next(), cursor_.peek() == '%') {
    const std::uint32_t offset = cursor_.offset();
    std::string found = name("of an operation");
    reader_.expect(':', "behind the name of an operation");
    if (!op_name.empty()) {
      if (!instr_name.empty()) fail(offset, "the instruction and its operation have names already");
      instr_name = std::exchange(op_name, {});
    }
    op_name = std::move(found);
  }
}

/// The list of operations; empty for any.
FatDynObjRef PatternReader::head_operations(std::vector<Opcode>& ops) {
  std::vector<FatDynObjRef> names;
  const auto one = [&] {
    const std::uint32_t offset = next();
    const std::string_view word = cursor_.word(text_class::kDot);
    if (word.empty()) fail(offset, "expected an operation");
    if (word == "_") return false;
    Opcode opcode;
    names.push_back(text(operation(word, offset, opcode)));
    ops.push_back(opcode);
    return true;
  };
  if (take('(')) {
    ++reader_.open_braces_;
    do {
      if (!one()) fail(cursor_.offset() - 1, "'_', any operation, stands alone");
    } while (take('|'));
    close(')', "behind the operations");
  } else {
    one();
  }
  return {kind::kAttr, reader_.module_->attributes().list(names).index()};
}

PatternReader::Node PatternReader::instruction(bool nested) {
  const std::uint32_t offset = next();
  std::string op_name, instr_name;
  head_names(op_name, instr_name);
  std::vector<Opcode> ops;
  const FatDynObjRef operations = head_operations(ops);
  if (!instr_name.empty()) bind(instr_name);
  if (!op_name.empty()) {
    bind(op_name);
    op_names_.emplace(op_name, ops);
  }
  if (nested) ++nested_;
  const std::uint32_t inner = next();
  const bool empty = cursor_.peek() == (nested ? ')' : '}');
  const Node operands = empty ? node(rewrite_op::kSeq, inner) : expression();
  if (nested) --nested_;
  const auto given = [&](const std::string& own) { return own.empty() ? FatDynObjRef() : text(own); };
  return node(rewrite_op::kInstr, offset, {operations, given(op_name), given(instr_name)}, {operands});
}

/// Parts with `sign` between them; a single one stands for itself.
PatternReader::Node PatternReader::chain(rewrite_op::Number op, char sign, Parse read_part) {
  const std::uint32_t offset = next();
  const Node first = (this->*read_part)();
  if (next(); cursor_.peek() != sign) return first;
  const Node made = node(op, offset, {}, {first});
  while (take(sign)) add_part(made, (this->*read_part)());
  return made;
}

/// Alternatives: none knows the names of the others, what comes behind knows all.
PatternReader::Node PatternReader::expression() {
  const std::uint32_t offset = next();
  const std::size_t before = bound_order_.size();
  std::vector<std::pair<std::string, bool>> found;
  const auto forget = [&] {
    for (; bound_order_.size() > before; bound_order_.pop_back()) {
      found.emplace_back(bound_order_.back(), bound_.at(bound_order_.back()));
      bound_.erase(bound_order_.back());
    }
  };
  const Node first = unordered();
  if (next(); cursor_.peek() != '|') return first;
  const Node made = node(rewrite_op::kAlt, offset, {}, {first});
  while (forget(), take('|')) add_part(made, unordered());
  for (auto entry = found.rbegin(); entry != found.rend(); ++entry) {
    bind(entry->first);
    bound_[entry->first] = bound_[entry->first] || entry->second;
  }
  return made;
}

PatternReader::Node PatternReader::unordered() {
  return chain(rewrite_op::kUnordered, '/', &PatternReader::sequence);
}

PatternReader::Node PatternReader::sequence() { return chain(rewrite_op::kSeq, ',', &PatternReader::item); }

PatternReader::Node PatternReader::item() {
  const Level level(*this);
  const std::uint32_t offset = next();
  if (cursor_.peek() != '%') return repeated(atom(), offset);
  const std::string own = name("of an operand");
  if (!take(':')) {
    if (is_bound(own)) return repeated(node(rewrite_op::kSame, offset, {text(own)}), offset);
    if (next(); cursor_.peek() == '*' || cursor_.peek() == '+') {
      fail(offset, "the name of a repetition stands in front of it, as in %" + own + ":.*");
    }
    bind(own);
    return node(rewrite_op::kNamed, offset, {text(own)}, {node(rewrite_op::kAny, offset)});
  }
  const Node inner = item();
  bind(own);
  if (nested_ == 0 && nodes_[inner].op == rewrite_op::kDef) {
    bound_[own] = true;
    if (first_def_.empty()) first_def_ = own;
  }
  return node(rewrite_op::kNamed, offset, {text(own)}, {inner});
}

PatternReader::Node PatternReader::repeated(Node inner, std::uint32_t offset) {
  for (;;) {
    if (take('*')) {
      inner = node(rewrite_op::kStar, offset, {}, {inner});
    } else if (take('+')) {
      inner = node(rewrite_op::kPlus, offset, {}, {inner});
    } else {
      return inner;
    }
  }
}

/// Whether an operation, and not a type or keyword, comes; reads the word.
bool PatternReader::at_operation() {
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word.empty() || word == "def" || word == "use" || word == "constant") return false;
  if (word == "_") return true;
  const bool parameters = cursor_.peek() == '(';
  if (known_operation(word) != nullptr) return !(parameters && knows_type(word));
  return !parameters && !knows_type(word);
}

/// Whether what comes behind '(' begins a nested instruction; the cursor stays.
bool PatternReader::at_head() {
  const std::uint32_t start = next();
  bool head = false;
  if (cursor_.peek() == '$') {
    head = true;
  } else {
    while (name_ahead()) {
      name("of an operation");
      take(':');
      next();
    }
    if (take('(')) {
      next();
      head = at_operation() && take('|');
    } else {
      head = at_operation();
    }
  }
  cursor_.seek(start);
  return head;
}

PatternReader::Node PatternReader::atom() {
  const std::uint32_t offset = next();
  if (cursor_.take('.')) return node(rewrite_op::kAny, offset);
  if (cursor_.peek() == '(') {
    open('(', "in front of a group");
    Node inner = 0;
    if (at_head()) {
      inner = instruction(true);
    } else if (next(); cursor_.peek() == ')') {
      inner = node(rewrite_op::kSeq, offset);
    } else {
      inner = expression();
    }
    close(')', "at the end of the group");
    return inner;
  }
  return word_atom();
}

PatternReader::Node PatternReader::definition_or_use(rewrite_op::Number op, std::uint32_t offset) {
  if (next(); cursor_.peek() != '(') return node(op, offset, {}, {node(rewrite_op::kAny, offset)});
  open('(', "behind 'def' or 'use'");
  const Node inner = expression();
  close(')', "at the end of 'def' or 'use'");
  return node(op, offset, {}, {inner});
}

PatternReader::Node PatternReader::word_atom() {
  const std::uint32_t offset = next();
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word.empty())
    fail(offset, "expected an operand: '.', a name, a type, constant(...), def, use or a group");
  if (word == "def") return definition_or_use(rewrite_op::kDef, offset);
  if (word == "use") return definition_or_use(rewrite_op::kUse, offset);
  std::vector<FatDynObjRef> uses;
  if (word == "constant") {
    open('(', "behind 'constant'");
    uses.push_back(parameter());
    uses.push_back(take(',') ? parameter() : FatDynObjRef());
    close(')', "at the end of 'constant'");
    return node(rewrite_op::kConst, offset, std::move(uses));
  }
  if (known_operation(word) != nullptr && !knows_type(word)) {
    fail(offset, "a nested instruction stands in parentheses, as in (" + std::string(word) + " %x)");
  }
  const ObjKind kind = reader_.find_type(word, offset);
  uses.push_back(text(reader_.registry_->name(kind)));
  if (next(); cursor_.peek() == '(') {
    open('(', "behind a type");
    do uses.push_back(parameter());
    while (take(','));
    close(')', "behind the parameters of a type");
    const std::size_t wanted = reader_.registry_->type(kind).params;
    if (uses.size() - 1 != wanted) {
      fail(offset, "the type '" + reader_.registry_->name(kind) + "' has " + std::to_string(wanted) +
                       (wanted == 1 ? " parameter, not " : " parameters, not ") +
                       std::to_string(uses.size() - 1));
    }
  }
  return node(rewrite_op::kType, offset, std::move(uses));
}

/// A number, `%name` or `_`.
FatDynObjRef PatternReader::parameter() {
  const std::uint32_t offset = next();
  if (cursor_.peek() == '%') {
    const std::string own = name("of a parameter");
    bind(own);
    return text(own);
  }
  if (cursor_.peek() == '_') {
    cursor_.advance();
    return {};
  }
  if (cursor_.peek() != '-' && !is(cursor_.peek(), text_class::kDigit)) {
    fail(offset, "expected a number, a name or '_'");
  }
  return number();
}

}  // namespace dynomite::ir
