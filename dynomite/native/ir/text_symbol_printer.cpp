#include "dynomite/native/ir/text_symbol_printer.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "dynomite/native/ir/rewrite_ops.hpp"
#include "dynomite/native/ir/text_quoting.hpp"

namespace dynomite::ir {

namespace {

/// String behind an attribute, if it is one.
const FatDynObjRef* entry(const Attributes& attributes,
                          const std::vector<std::pair<AttrId, FatDynObjRef>>& entries,
                          std::string_view name) {
  for (const auto& [key, ref] : entries) {
    if (attributes.text_view(key) == name && ref.kind == kind::kAttr &&
        attributes.kind(AttrId(ref.id)) == AttrKind::kString) {
      return &ref;
    }
  }
  return nullptr;
}

}  // namespace

void SymbolPrinter::head(InstrId instr, const std::string& op) {
  const Opcode opcode = module_.instrs().opcode(instr);
  const AttrId dictionary = module_.dictionary(instr);
  const auto entries =
      dictionary ? attributes_.entries(dictionary) : std::vector<std::pair<AttrId, FatDynObjRef>>();
  const FatDynObjRef* name = entry(attributes_, entries, "sym_name");
  if (name == nullptr) {
    out_ += op;
    return;
  }
  const std::string_view text = attributes_.text_view(AttrId(name->id));
  const bool is_rule = opcode == rewrite_op::opcode(rewrite_op::kPattern) && op.empty();
  const bool is_rules = opcode == rewrite_op::opcode(rewrite_op::kRules);
  if ((opcode.dialect() == kCoreDialect || is_rule || is_rules) && is_plain_name(text)) {
    out_ += "let ";
    out_ += text;
    out_ += " = ";
    out_ += is_rule ? "InstrPat" : is_rules ? "RuleSet" : module_.registry()->op(opcode).name;
  } else {
    out_ += op;
    out_ += " @";
    append_name(out_, text);
  }
  if (const FatDynObjRef* visibility = entry(attributes_, entries, "sym_visibility")) {
    const std::string_view seen = attributes_.text_view(AttrId(visibility->id));
    if (seen == "private" || seen == "nested") {
      out_ += ' ';
      out_ += seen;
    }
  }
}

void SymbolPrinter::dictionary(InstrId instr, AttrId dictionary) {
  const auto entries = attributes_.entries(dictionary);
  const bool named = entry(attributes_, entries, "sym_name") != nullptr;
  const FatDynObjRef* visibility = entry(attributes_, entries, "sym_visibility");
  const bool shown = visibility != nullptr && (attributes_.text_view(AttrId(visibility->id)) == "private" ||
                                               attributes_.text_view(AttrId(visibility->id)) == "nested");
  std::size_t count = 0;
  for (const auto& [key, ref] : entries) {
    const std::string_view name = attributes_.text_view(key);
    if (named && (name == "sym_name" || (name == "sym_visibility" && shown))) continue;
    out_ += count++ == 0 ? " {" : ", ";
    append_name(out_, name);
    out_ += " = ";
    values_.value(ref);
  }
  if (count != 0) {
    out_ += '}';
    return;
  }
  // Else the dictionary before would be read as this one.
  const std::uint32_t operand_count = module_.instrs().operand_count(instr);
  if (operand_count < 2) return;
  const Operand before = module_.instrs().operand(instr, operand_count - 2);
  if (!before.is_def && before.ref.kind == kind::kAttr &&
      attributes_.kind(AttrId(before.ref.id)) == AttrKind::kDict) {
    out_ += " dict {}";
  }
}

}  // namespace dynomite::ir
