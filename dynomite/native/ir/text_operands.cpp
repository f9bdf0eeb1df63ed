// False alarms of GCC 12 on sums of strings (its bug 105651).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wrestrict"
#endif

#include <string>
#include <string_view>
#include <vector>

#include "dynomite/native/ir/text_quoting.hpp"
#include "dynomite/native/ir/text_reader.hpp"

// What stands behind an operation: definitions, uses, owned regions and blocks, values, the location.
namespace dynomite::ir {

using text_class::is;

void TextReader::operands() {
  for (;;) {
    cursor_.skip_blanks();
    const char c = cursor_.peek();
    if (c == '\n' || c == ';' || c == '}' || (c == '\0' && cursor_.at_end())) {
      if (c == '\n' || c == ';') cursor_.advance();
      finish();
      return;
    }
    if (c == ',') {
      cursor_.advance();
      cursor_.skip_lines();
      continue;
    }
    if (now_.has_location) fail(cursor_.offset(), "loc(...) is the last part of an instruction");
    if (operand()) return;
  }
}

void TextReader::add_operand(const OperandSpec& spec, std::uint32_t offset, std::uint32_t definition) {
  operands_.push_back(spec);
  places_.push_back({offset, definition});
}

/// True if a region was opened.
bool TextReader::operand() {
  const std::uint32_t offset = cursor_.offset();
  switch (cursor_.peek()) {
    case '%': value_operand(); return false;
    case '^': use_of(kBlocks, name(kBlocks).entry, offset, {}); return false;
    case '&': use_of(kRegions, name(kRegions).entry, offset, {}); return false;
    case '$': use_of(kInstrs, name(kInstrs).entry, offset, {}); return false;
    case '{': return brace_operand();
    default: break;
  }
  if (is(cursor_.peek(), text_class::kStart)) return word_operand();
  add_operand(OperandSpec::use(value()), offset);
  return false;
}

/// `{` opens a dictionary if a key and '=' follow, else a region.
bool TextReader::brace_operand() {
  const std::uint32_t offset = cursor_.offset();
  cursor_.advance();
  cursor_.skip_lines();
  bool is_key = false;
  if (cursor_.peek() == '"') {
    is_key = true;  // nothing else starts with a quote here
  } else if (!cursor_.word(text_class::kDot | text_class::kDollar).empty()) {
    cursor_.skip_lines();
    is_key = cursor_.peek() == '=';
  }
  cursor_.seek(offset);
  if (is_key) {
    add_operand(OperandSpec::use(value()), offset);
    return false;
  }
  cursor_.advance();
  open_region(false, offset);
  return true;
}

bool TextReader::word_operand() {
  const std::uint32_t offset = cursor_.offset();
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word == "def" || word == "use") {
    expect('(', "behind 'def' or 'use'");
    cursor_.skip_lines();
    const std::uint32_t inner = cursor_.offset();
    if (cursor_.peek() == '%') {
      const Name own = name(kValues);
      TypeId given;
      cursor_.skip_lines();
      if (cursor_.take(':')) given = type();
      if (word == "def") {
        definition_of(own, inner, given);
      } else {
        use_of(kValues, own.entry, inner, given);
      }
    } else if (word == "def") {
      fail(inner, "expected a value, as in def(%a)");
    } else if (cursor_.peek() == '^') {
      use_of(kBlocks, name(kBlocks).entry, inner, {});
    } else if (cursor_.peek() == '&') {
      use_of(kRegions, name(kRegions).entry, inner, {});
    } else if (cursor_.peek() == '$') {
      use_of(kInstrs, name(kInstrs).entry, inner, {});
    } else {
      add_operand(OperandSpec::use(value()), inner);
    }
    expect(')', "at the end of 'def' or 'use'");
    return false;
  }
  if (word == "region" || word == "core.region" || word == "block" || word == "core.block") {
    const bool single_block = word.ends_with("block");
    cursor_.skip_lines();
    const std::uint32_t name_offset = cursor_.offset();
    Name label;
    if (cursor_.peek() == (single_block ? '^' : '&')) label = name(single_block ? kBlocks : kRegions);
    cursor_.skip_lines();
    const std::uint32_t open = cursor_.offset();
    // The label belongs to the scope around the region.
    std::uint32_t definition = kNone;
    if (label.entry != kNone) {
      definition = new_definition(name_offset);
      define(single_block ? kBlocks : kRegions, label.entry, definition,
             single_block ? "the block" : "the region");
    }
    if (!single_block && cursor_.peek() == 'e' && cursor_.word(0) == "empty") {
      const RegionId region = module_->cfg().create_region();
      if (definition != kNone) definitions_[definition].id = region.index();
      add_operand(OperandSpec::def_object({kind::kRegion, region.index()}), offset);
      return false;
    }
    if (!cursor_.take('{')) fail(cursor_.offset(), "expected '{' behind '" + std::string(word) + "'");
    open_region(single_block, open);
    if (definition != kNone)
      definitions_[definition].id = single_block ? frame().block.index() : frame().region.index();
    return true;
  }
  if (word == "loc") {
    location();
    return false;
  }
  cursor_.seek(offset);
  add_operand(OperandSpec::use(value()), offset);
  return false;
}

void TextReader::value_operand() {
  const std::uint32_t offset = cursor_.offset();
  const Name own = name(kValues);
  if (cursor_.peek() != ':') {
    use_of(kValues, own.entry, offset, {});
    return;
  }
  cursor_.advance();
  const std::uint32_t word_offset = cursor_.offset();
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word != "def" && word != "use") {
    fail(word_offset, "expected 'def' or 'use' behind " + name_at(offset) + ":");
  }
  TypeId given;
  if (cursor_.take('(')) {
    given = type();
    if (!cursor_.take(')')) expect(')', "behind the type");
  }
  if (word == "def") {
    definition_of(own, offset, given);
  } else {
    use_of(kValues, own.entry, offset, given);
  }
}

void TextReader::definition_of(const Name& own, std::uint32_t offset, TypeId given) {
  const std::uint32_t definition = new_definition(offset);
  definitions_[definition].type = given;
  define(kValues, own.entry, definition, "the value");
  add_operand(OperandSpec::def(given), offset);
  defined_.emplace_back(definition, own.has_text ? module_->attributes().string(own.text) : AttrId());
  ++now_.definitions;
}

void TextReader::use_of(Sigil sigil, std::uint32_t entry, std::uint32_t offset, TypeId expected) {
  static constexpr ObjKind kKinds[] = {kind::kValue, kind::kBlock, kind::kRegion, kind::kInstr};
  const std::uint32_t known = names_[sigil].definition(entry);
  if (known != kNone && definitions_[known].id != kNone) {
    const Definition& definition = definitions_[known];
    if (expected && expected != definition.type) wrong_type(offset, expected, definition);
    add_operand(OperandSpec::use({kKinds[sigil], definition.id}), offset, known);
    return;
  }
  Fixup fixup;
  fixup.sigil = sigil;
  fixup.entry = entry;
  fixup.definition = known;
  fixup.offset = offset;
  fixup.operand = static_cast<std::uint32_t>(operands_.size() - now_.first_operand);
  fixup.expected = expected;
  pending_.push_back(fixup);
  add_operand(OperandSpec::use({}), offset, known);
}

void TextReader::location() {
  expect('(', "behind 'loc'");
  std::vector<Origin> places;
  do {
    cursor_.skip_lines();
    if (cursor_.peek() != '"') fail(cursor_.offset(), "expected a file name in quotes");
    Origin origin;
    origin.file = module_->attributes().string(quoted());
    expect(':', "behind the file name");
    origin.line = small_number("a line number");
    expect(':', "behind the line number");
    origin.column = small_number("a column number");
    places.push_back(origin);
    cursor_.skip_lines();
  } while (cursor_.take(','));
  expect(')', "at the end of 'loc'");
  now_.location = module_->locations().several(places);
  now_.has_location = true;
}

}  // namespace dynomite::ir
