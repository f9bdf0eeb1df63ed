#include "dynomite/native/ir/text_declaration_printer.hpp"

#include <variant>

#include "dynomite/native/ir/op_traits.hpp"
#include "dynomite/native/ir/text_quoting.hpp"

namespace dynomite::ir {

namespace {

void declare_doc(std::string& out, const std::string& doc) {
  if (doc.empty()) return;
  out += " let doc = ";
  append_quoted(out, doc);
  out += ';';
}

void declare_type(std::string& out, const TypeInfo& type) {
  out += "  let " + type.name + " = type {";
  if (type.params != 0) {
    out += " let params = list {";
    static constexpr const char* kKinds[] = {"any", "unsigned", "type", "string"};
    for (std::size_t i = 0; i < type.param_info.size(); ++i) {
      out += (i == 0 ? " %" : ", %") + type.param_info[i].name + ":core." +
             kKinds[static_cast<std::size_t>(type.param_info[i].kind)];
    }
    out += " };";
  }
  if (type.is_token) out += " let token = true;";
  declare_doc(out, type.doc);
  out += " }\n";
}

void declare_op(std::string& out, const OpInfo& op) {
  out += "  let " + op.name + " = core.instr { let defs = " + std::to_string(op.defs) +
         "; let uses = " + std::to_string(op.uses) + ";";
  for (const NamedTrait& named : kNamedTraits) {
    if ((op.traits & named.trait) != 0) out += " let " + std::string(named.name) + " = true;";
  }
  declare_doc(out, op.doc);
  out += " }\n";
}

}  // namespace

void DeclarationPrinter::need(Opcode opcode) {
  if (!registry_.has_trait(opcode, kDynamic) || declared_ops_[opcode.dialect()][opcode.number()]) return;
  used_dialects_[opcode.dialect()] = missing_ops_[opcode.dialect()][opcode.number()] = true;
}

void DeclarationPrinter::need(ObjKind kind) {
  if (!registry_.type(kind).is_dynamic || declared_types_[kind.dialect][kind.type]) return;
  used_dialects_[kind.dialect] = missing_types_[kind.dialect][kind.type] = true;
}

void DeclarationPrinter::note(const DeclaredDialect& dialect) {
  for (const Declared& declared : dialect.items) {
    if (const auto* type = std::get_if<TypeInfo>(&declared)) {
      const auto kind = registry_.find_type(dialect.name + "." + type->name);
      if (kind) declared_types_[kind->dialect][kind->type] = true;
    } else {
      const auto op = registry_.find_op(dialect.name + "." + std::get<OpInfo>(declared).name);
      if (op) declared_ops_[op->dialect()][op->number()] = true;
    }
  }
}

std::string DeclarationPrinter::front() const {
  std::string front;
  for (std::uint32_t d = 0; d < registry_.dialect_count(); ++d) {
    if (!used_dialects_[d]) continue;
    const auto id = static_cast<DialectId>(d);
    const DialectInfo& dialect = registry_.dialect(id);
    front += "extern dialect " + dialect.name + " {\n";
    for (std::size_t i = 0; i < dialect.types.size(); ++i) {
      if (missing_types_[d][i]) declare_type(front, dialect.types[i]);
    }
    for (std::size_t i = 0; i < dialect.ops.size(); ++i) {
      if (missing_ops_[d][i]) declare_op(front, dialect.ops[i]);
    }
    front += "}\n";
  }
  return front;
}

void DeclarationPrinter::print(std::string& out, const DeclaredDialect& dialect) {
  out += "dialect " + dialect.name + " {\n";
  for (const Declared& declared : dialect.items) {
    if (const auto* type = std::get_if<TypeInfo>(&declared)) {
      declare_type(out, *type);
    } else {
      declare_op(out, std::get<OpInfo>(declared));
    }
  }
  out += "}\n";
}

}  // namespace dynomite::ir
