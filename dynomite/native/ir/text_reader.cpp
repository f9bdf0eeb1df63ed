// False alarms of GCC 12 on sums of strings (its bug 105651).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wrestrict"
#endif

#include "dynomite/native/ir/text_reader.hpp"

#include <algorithm>
#include <cstring>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/text_quoting.hpp"

namespace dynomite::ir {

using text_class::is;

namespace {
constexpr std::size_t kMaxText = 0xFFFFFFF0U;
}  // namespace

std::unique_ptr<Module> parse_text(std::string_view text, const std::shared_ptr<Registry>& registry,
                                   const ParseOptions& options, Stop& stop) {
  if (text.size() > kMaxText) throw LimitError("a text may have at most 4 GiB");
  return TextReader(text, registry, options, stop).read();
}

TextReader::TextReader(std::string_view text, const std::shared_ptr<Registry>& registry,
                       const ParseOptions& options, Stop& stop)
    : text_(text),
      cursor_(text_),
      registry_(registry),
      options_(options),
      stop_(stop),
      errors_(text_, options.path, options.max_errors),
      module_(std::make_unique<Module>(registry, options.store)) {
  Attributes& attributes = module_->attributes();
  no_type_ = attributes.type(kind::kNone, {});
  // About what a text of binary operations needs; more memory is only touched when it is used.
  module_->instrs().reserve(text.size() / 40, text.size() / 12);
  definitions_.reserve(text.size() / 40);
  sym_name_ = attributes.string("sym_name");
  sym_visibility_ = attributes.string("sym_visibility");
  if (options.locations) file_name_ = attributes.string(options.path);
}

std::unique_ptr<Module> TextReader::read() {
  Frame top;
  top.region = module_->cfg().region(module_->body());
  top.block = module_->body();
  top.scope = ++scopes_;
  top.new_scope = true;
  top.is_table = true;
  frames_.push_back(top);
  try {
    while (!errors_.full()) {
      try {
        if (!statement()) break;
      } catch (const Recover&) {
        skip_statement();
      }
    }
    if (!errors_.any()) {
      leave_scope(frames_.front());
      for (const Fixup& fixup : late_) patch(fixup, definitions_[fixup.definition]);
      for (const auto& [instr, offset] : recheck_) check_same_type(instr, offset);
    }
    symbols_.check_names(module_->attributes(), errors_);
    if (options_.check_symbols) symbols_.check_uses(module_->attributes(), errors_);
    errors_.raise();
  } catch (...) {
    if (before_) *registry_ = std::move(*before_);
    throw;
  }
  return std::move(module_);
}

void TextReader::fail(std::size_t offset, std::string message, const std::vector<Diagnostics::At>& notes) {
  // What cannot be seen in the line is named.
  const auto byte = static_cast<unsigned char>(cursor_.peek());
  if (message.starts_with("expected") && !cursor_.at_end() && (byte < 0x20 || byte >= 0x7F) && byte != '\n' &&
      byte != '\r' && byte != '\t' && message.find(", not ") == std::string::npos) {
    message += ", not byte " + std::to_string(byte);
  }
  errors_.error(offset, std::move(message), notes);
  throw Recover();
}

void TextReader::expect(char c, const char* where) {
  cursor_.skip_lines();
  if (!cursor_.take(c)) fail(cursor_.offset(), std::string("expected '") + c + "' " + where);
}

/// Leaves the rest of a statement that has an error: up to the end of its line, whole brackets skipped. What
/// is inside of a region that starts there is still read.
void TextReader::skip_statement() {
  std::size_t depth = open_values_.size() + open_braces_;
  open_braces_ = 0;
  open_values_.clear();
  items_.clear();
  keys_.clear();
  if (in_statement_) {
    operands_.resize(now_.first_operand);
    places_.resize(now_.first_operand, OperandPlace{0, kNone});
    pending_.resize(now_.first_pending);
    defined_.resize(defined_.size() - now_.definitions);
    in_statement_ = false;
  }
  while (!cursor_.at_end()) {
    const char c = cursor_.peek();
    if (c == '"') {
      cursor_.advance();
      while (!cursor_.at_end() && cursor_.peek() != '"' && cursor_.peek() != '\n') {
        cursor_.advance(cursor_.peek() == '\\' && cursor_.peek(1) != '\0' ? 2 : 1);
      }
      if (cursor_.peek() == '"') cursor_.advance();
      continue;
    }
    if (c == '/' && cursor_.peek(1) == '/') {
      while (!cursor_.at_end() && cursor_.peek() != '\n') cursor_.advance();
      continue;
    }
    if (c == '{' && depth == 0) {
      const std::uint32_t open = cursor_.offset();
      cursor_.advance();
      cursor_.skip_blanks();
      if (cursor_.peek() == '\n') {
        start(open);
        now_.known = false;
        open_region(false, open);
        return;
      }
      ++depth;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') {
      if (depth == 0 && c == '}') return;
      if (depth > 0) --depth;
    }
    cursor_.advance();
    if (depth == 0 && (c == '\n' || c == ';')) return;
  }
}

bool TextReader::statement() {
  waiting_label_ = kNone;
  if (++polls_ % 256 == 0 && stop_.poll()) throw LimitError("parsing was stopped");
  do cursor_.skip_lines();
  while (cursor_.take(';'));
  const std::uint32_t offset = cursor_.offset();
  if (cursor_.at_end()) {
    if (frames_.size() == 1) return false;
    errors_.error(offset, "the text ends inside of a region", {{frame().open, "opened here"}});
    return false;
  }
  switch (cursor_.peek()) {
    case '}':
      cursor_.advance();
      if (frames_.size() == 1) fail(offset, "'}' closes nothing");
      close_region();
      return true;
    case '^': block_label(); return true;
    case '$': instruction_label(); return true;
    default: break;
  }
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word.empty()) {
    const char c = cursor_.peek();
    cursor_.advance();  // a stray bracket must not stop the way on
    const bool printable = c > 0x20 && c < 0x7F;
    fail(offset, std::string("expected an instruction, not ") +
                     (printable ? std::string("'") + c + "'"
                                : "byte " + std::to_string(static_cast<unsigned char>(c))));
  }
  if (word == "let") {
    let_statement(offset);
  } else if (word == "include" && inside_rules()) {
    include_statement(offset);
  } else if (word == "using" && frames_.size() == 1) {
    using_statement();
  } else if (word == "dialect" && frames_.size() == 1) {
    dialect_statement(offset, false);
  } else if (word == "extern" && frames_.size() == 1) {
    cursor_.skip_blanks();
    if (cursor_.word(0) != "dialect") fail(offset, "expected 'dialect' behind 'extern'");
    dialect_statement(offset, true);
  } else if (word == "detached" && frames_.size() == 1) {
    cursor_.skip_lines();
    const std::uint32_t open = cursor_.offset();
    expect('{', "behind 'detached'");
    Frame inner = frame();
    inner.open = open;
    inner.detached = true;
    inner.new_scope = false;
    inner.ordered = false;
    inner.is_table = false;
    inner.block_start = open;
    frames_.push_back(inner);
  } else {
    start(offset);
    instruction(word, offset);
  }
  return true;
}

void TextReader::start(std::uint32_t offset) {
  now_ = Statement();
  now_.offset = offset;
  now_.first_operand = static_cast<std::uint32_t>(operands_.size());
  now_.first_pending = static_cast<std::uint32_t>(pending_.size());
  now_.label = std::exchange(waiting_label_, kNone);
  in_statement_ = true;
  if (!options_.locations) return;
  while (const void* found = std::memchr(text_.data() + counted_, '\n', offset - counted_)) {
    counted_ = static_cast<std::uint32_t>(static_cast<const char*>(found) - text_.data()) + 1;
    line_start_ = counted_;
    ++line_;
  }
  counted_ = offset;
  now_.place = {line_, offset - line_start_ + 1, offset};
}

void TextReader::instruction(std::string_view name, std::uint32_t offset) {
  now_.opcode = find_op(name, offset, now_.known);
  if (now_.known && registry_->has_trait(now_.opcode, kSymbol) && !now_.name) {
    cursor_.skip_blanks();
    if (cursor_.peek() == '@') symbol_name();
  }
  operands();
}

void TextReader::add_symbol(AttrId name, std::uint32_t offset) {
  cursor_.skip_blanks();
  const std::uint32_t before = cursor_.offset();
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word == "private" || word == "nested") {
    now_.visibility = module_->attributes().string(word);
  } else if (word != "public") {
    cursor_.seek(before);
  }
  now_.name = name;
  now_.symbol = symbols_.add_symbol(frame().is_table ? frame().table : TextSymbols::kNone, name,
                                    word == "private", offset);
}

void TextReader::symbol_name() {
  const std::uint32_t offset = cursor_.offset();
  cursor_.advance();
  AttrId name;
  if (cursor_.peek() == '"') {
    name = module_->attributes().string(quoted());
  } else {
    const std::string_view word = cursor_.word(text_class::kDot | text_class::kDollar);
    if (word.empty()) fail(offset, "expected a name behind '@'");
    name = module_->attributes().string(word);
  }
  add_symbol(name, offset);
}

void TextReader::let_statement(std::uint32_t offset) {
  cursor_.skip_blanks();
  const std::uint32_t name_offset = cursor_.offset();
  const std::string_view name = cursor_.word(text_class::kDot | text_class::kDollar);
  if (name.empty()) fail(name_offset, "expected a name behind 'let'");
  expect('=', "behind the name of 'let'");
  cursor_.skip_lines();
  const std::uint32_t kind_offset = cursor_.offset();
  const std::string_view kind = cursor_.word(text_class::kDot);
  if (rule_statement(kind, offset, name, name_offset)) return;
  if (kind.empty()) fail(kind_offset, "expected an operation behind 'let " + std::string(name) + " ='");
  if (frames_.size() == 1 && (kind == "type" || kind == "instr" || kind == "core.instr" || kind == "Instr")) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
      fail(name_offset,
           "a declaration outside of 'dialect' needs the dialect in its name, as in hw." + std::string(name));
    }
    const std::string dialect_name(name.substr(0, dot));
    open_declarations(offset);
    declaration(declared_dialect(dialect_name), name.substr(dot + 1), name_offset, kind);
    close_declarations(dialect_name);
    return;
  }
  start(offset);
  bool known = true;
  const Opcode opcode = find_op(kind, kind_offset, known);
  if (known && !registry_->has_trait(opcode, kSymbol)) {
    fail(kind_offset, "'let' names symbols, and '" + registry_->name(opcode) + "' is none");
  }
  if (known) add_symbol(module_->attributes().string(name), name_offset);
  now_.let_label = new_definition(name_offset);
  TextNames& labels = names_[kInstrs];
  // Clashes with another 'let' are double symbols and found as such.
  labels.define(labels.entry(labels.keep("=" + std::string(name))), frames_.front().scope, now_.let_label);
  now_.known = known;
  now_.opcode = opcode;
  operands();
}

std::uint32_t TextReader::new_definition(std::uint32_t offset) {
  definitions_.push_back({kNone, offset, kNone, frame().block_start, {}, frame().ordered});
  return static_cast<std::uint32_t>(definitions_.size() - 1);
}

void TextReader::define(Sigil sigil, std::uint32_t entry, std::uint32_t definition, const char* what) {
  definitions_[definition].entry = entry;
  // Labels of instructions are seen everywhere: an instruction may be in several regions.
  const std::uint32_t scope = sigil == kInstrs ? frames_.front().scope : frame().scope;
  if (names_[sigil].define(entry, scope, definition)) return;
  const std::uint32_t offset = definitions_[definition].offset;
  const std::uint32_t first = definitions_[names_[sigil].definition(entry)].offset;
  errors_.error(offset, std::string(what) + " " + name_at(offset) + " is defined twice",
                {{first, "first defined here"}});
}

/// The name that stands at `offset`, with its sigil.
std::string TextReader::name_at(std::uint32_t offset) const {
  TextCursor at(text_);
  at.seek(offset + 1);
  if (at.peek() == '"') {
    const std::size_t end = text_.find('"', offset + 2);
    return text_.substr(offset, std::min<std::size_t>(end == std::string::npos ? 40 : end + 1 - offset, 80));
  }
  constexpr auto kAll = static_cast<std::uint8_t>(text_class::kStart | text_class::kDigit | text_class::kDot |
                                                  text_class::kDollar);
  while (is(at.peek(), kAll) || at.peek() == '#') at.advance();
  return text_.substr(offset, std::min<std::size_t>(at.offset() - offset, 80));
}

TextReader::Name TextReader::name(Sigil sigil) {
  const std::uint32_t offset = cursor_.offset();
  cursor_.advance();
  const char c = cursor_.peek();
  TextNames& names = names_[sigil];
  if (is(c, text_class::kDigit)) {
    std::uint64_t number = 0;
    std::size_t digits = 0;
    for (; is(cursor_.peek(), text_class::kDigit); cursor_.advance(), ++digits) {
      number = number * 10 + static_cast<std::uint64_t>(cursor_.peek() - '0');
    }
    if (digits > 18 || (c == '0' && digits > 1) ||
        is(cursor_.peek(), text_class::kStart | text_class::kDollar)) {
      fail(offset, "a name that starts with a digit is a number without leading zeros, or stands in quotes");
    }
    return {names.entry_of_number(number), false, {}};
  }
  Name result;
  result.has_text = true;
  const char* key_start = cursor_.at();
  bool plain = true;
  if (c == '"') {
    std::string text = quoted();
    plain = is_plain_name(text);
    result.text = names.keep(std::move(text));
  } else {
    result.text = cursor_.word(text_class::kDot | text_class::kDollar);
    if (result.text.empty()) fail(offset, "expected a name behind the sign");
  }
  std::string_view key = result.text;
  std::string_view suffix;
  if (cursor_.peek() == '#') {
    const char* start_of_suffix = cursor_.at();
    cursor_.advance();
    while (is(cursor_.peek(), text_class::kDigit)) cursor_.advance();
    suffix = {start_of_suffix, static_cast<std::size_t>(cursor_.at() - start_of_suffix)};
    if (suffix.size() == 1) fail(offset, "expected a number behind '#'");
  }
  if (c != '"') {
    if (!suffix.empty()) key = {key_start, key.size() + suffix.size()};
  } else if (!plain) {
    key = names.keep("\"" + std::string(key) + "\"" + std::string(suffix));
  } else if (!suffix.empty()) {
    key = names.keep(std::string(key) + std::string(suffix));
  }
  result.entry = names.entry(key);
  return result;
}

void TextReader::block_label() {
  const std::uint32_t offset = cursor_.offset();
  const Name own = name(kBlocks);
  expect(':', "behind the name of a block");
  Frame& now = frame();
  if (now.single_block) fail(offset, "there are no labels in a single block");
  if (now.detached) fail(offset, "detached instructions are in no block");
  CfgStore& cfg = module_->cfg();
  const bool first = !now.labelled && cfg.instr_count(now.block) == 0;
  if (!first) now.block = cfg.create_block(now.region);
  now.labelled = true;
  now.block_start = offset;
  const std::uint32_t definition = new_definition(offset);
  definitions_[definition].id = now.block.index();
  define(kBlocks, own.entry, definition, "the block");
}

void TextReader::instruction_label() {
  const std::uint32_t offset = cursor_.offset();
  const Name own = name(kInstrs);
  cursor_.skip_blanks();
  if (!cursor_.take(':')) {
    // An instruction that is in another block as well.
    const std::uint32_t known = names_[kInstrs].definition(own.entry);
    if (known == kNone || definitions_[known].id == kNone) {
      fail(offset, "the instruction " + name_at(offset) + " is not complete before this line");
    }
    if (frame().detached) fail(offset, "detached instructions are in no block");
    try {
      module_->cfg().insert(frame().block, module_->cfg().last(frame().block),
                            InstrId(definitions_[known].id));
    } catch (const UsageError&) {
      fail(offset, "the instruction " + name_at(offset) + " is in this region already",
           {{definitions_[known].offset, "defined here"}});
    }
    // Its values get their names here too.
    const InstrStore& store = module_->instrs();
    const InstrId instr(definitions_[known].id);
    for (std::uint32_t i = 0; i < store.operand_count(instr); ++i) {
      const Operand operand = store.operand(instr, i);
      if (!operand.is_def || operand.ref.kind != kind::kValue) continue;
      const std::uint32_t value = definition_of_value_[operand.ref.id];
      if (names_[kValues].definition(definitions_[value].entry) == value) continue;
      define(kValues, definitions_[value].entry, value, "the value");
    }
    cursor_.skip_blanks();
    const char c = cursor_.peek();
    if (c != '\n' && c != ';' && c != '}' && !cursor_.at_end()) {
      fail(cursor_.offset(), "expected the end of the line; a label of a new instruction ends with ':'");
    }
    return;
  }
  cursor_.skip_lines();
  const std::uint32_t op_offset = cursor_.offset();
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word.empty()) fail(op_offset, "expected an instruction behind its label");
  const std::uint32_t label = new_definition(offset);
  define(kInstrs, own.entry, label, "the label");
  waiting_label_ = label;
  if (word == "let") {
    let_statement(op_offset);
  } else {
    start(op_offset);
    instruction(word, op_offset);
  }
}

void TextReader::open_region(bool single_block, std::uint32_t open) {
  Frame inner;
  CfgStore& cfg = module_->cfg();
  inner.region = cfg.create_region();
  inner.block = cfg.create_block(inner.region);
  inner.block_start = cursor_.offset();
  inner.open = open;
  inner.single_block = single_block;
  inner.scope = frame().scope;
  inner.table = frame().table;
  const std::uint32_t traits = now_.known ? registry_->op(now_.opcode).traits : std::uint32_t{kGraphRegion};
  inner.ordered = (traits & kGraphRegion) == 0;
  if ((traits & kSymbolTable) != 0) {
    if (now_.inner_table == kNone) {
      now_.inner_table = symbols_.add_table(frame().table);
      if (now_.symbol != kNone) symbols_.set_inner_table(now_.symbol, now_.inner_table);
    }
    inner.table = now_.inner_table;
    inner.is_table = true;
  }
  if ((traits & kIsolated) != 0) {
    inner.new_scope = true;
    inner.scope = ++scopes_;
    inner.fixups = fixups_.size();
    for (std::size_t i = 0; i < names_.size(); ++i) inner.marks[i] = names_[i].mark();
  }
  inner.outer = now_;
  in_statement_ = false;
  frames_.push_back(inner);
}

void TextReader::close_region() {
  Frame& done = frame();
  if (done.new_scope) leave_scope(done);
  if (done.detached) {
    frames_.pop_back();
    return;
  }
  now_ = done.outer;
  in_statement_ = true;
  const FatDynObjRef object = done.single_block ? FatDynObjRef(kind::kBlock, done.block.index())
                                                : FatDynObjRef(kind::kRegion, done.region.index());
  add_operand(OperandSpec::def_object(object), done.open);
  frames_.pop_back();
  operands();
}

}  // namespace dynomite::ir
