// `let NAME = InstrPat { ... }` and `let NAME = RuleSet { ... }` in the text form.
#include "dynomite/native/ir/rewrite_ops.hpp"
#include "dynomite/native/ir/text_pattern_reader.hpp"
#include "dynomite/native/ir/text_reader.hpp"

namespace dynomite::ir {

/// Directly in the braces of a RuleSet.
bool TextReader::inside_rules() const {
  const Frame& inside = frames_.back();
  return frames_.size() > 1 && !inside.detached && inside.outer.known &&
         inside.outer.opcode == rewrite_op::opcode(rewrite_op::kRules);
}

/// Behind `let NAME = KIND`; false if this is about something else.
bool TextReader::rule_statement(std::string_view kind, std::uint32_t offset, std::string_view name,
                                std::uint32_t name_offset) {
  if (kind.empty() && name == "doc" && cursor_.peek() == '"' && inside_rules()) {
    start(offset);
    now_.opcode = rewrite_op::opcode(rewrite_op::kDoc);
    operands();
    return true;
  }
  if (kind.starts_with("rewrite.")) kind.remove_prefix(8);
  if (kind != "InstrPat" && kind != "RuleSet") return false;
  start(offset);
  now_.opcode = rewrite_op::opcode(kind == "InstrPat" ? rewrite_op::kPattern : rewrite_op::kRules);
  add_symbol(module_->attributes().string(name), name_offset);
  cursor_.skip_lines();
  const std::uint32_t brace = cursor_.offset();
  if (cursor_.peek() != '{') fail(brace, "expected '{' behind '" + std::string(kind) + "'");
  if (kind == "InstrPat") {
    open_braces_ = 0;
    const RegionId region = PatternReader(*this).read();
    add_operand(OperandSpec::def_object({kind::kRegion, region.index()}), brace);
  }
  operands();
  return true;
}

/// Behind `include`, in a RuleSet.
void TextReader::include_statement(std::uint32_t offset) {
  start(offset);
  now_.opcode = rewrite_op::opcode(rewrite_op::kInclude);
  cursor_.skip_blanks();
  if (cursor_.peek() != '@') fail(cursor_.offset(), "expected a rule or set of rules, as in include @name");
  operands();
}

}  // namespace dynomite::ir
