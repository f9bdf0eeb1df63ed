#include "dynomite/native/rewrite/instr_text.hpp"

#include "dynomite/native/ir/text_value_printer.hpp"

namespace dynomite::rewrite {

namespace {

std::string value_text(const ir::Module& module, ir::ValueId value) {
  const ir::AttrId name = module.value_name(value);
  return "%" + (name ? module.attributes().text(name) : "v" + std::to_string(value.index()));
}

void append_operand(const ir::Module& module, std::string& out, const ir::Operand& operand) {
  ir::ValuePrinter values(module, out, [](ir::ObjKind) {});
  if (operand.ref.kind == ir::kind::kValue) {
    const ir::ValueId value(operand.ref.id);
    out += value_text(module, value);
    if (!operand.is_def) return;
    out += ":def";
    if (const ir::TypeId type = module.instrs().type(value)) {
      out += '(';
      values.type(type);
      out += ')';
    }
    return;
  }
  const bool is_object = operand.ref.kind == ir::kind::kInstr || operand.ref.kind == ir::kind::kBlock ||
                         operand.ref.kind == ir::kind::kRegion;
  if (operand.ref.kind == ir::kind::kRegion && operand.is_def) {
    out += "{...}";
  } else if (is_object) {
    out += operand.ref.kind == ir::kind::kInstr   ? "instr:"
           : operand.ref.kind == ir::kind::kBlock ? "block:"
                                                  : "region:";
    out += std::to_string(operand.ref.id);
  } else {
    values.value(operand.ref);
  }
}

}  // namespace

std::string instr_text(const ir::Module& module, ir::InstrId instr) {
  const ir::Opcode opcode = module.instrs().opcode(instr);
  std::string text = module.registry()->knows(opcode) ? module.registry()->name(opcode)
                                                      : "op:" + std::to_string(opcode.raw());
  for (std::uint32_t i = 0; i < module.instrs().operand_count(instr); ++i) {
    text += ' ';
    append_operand(module, text, module.instrs().operand(instr, i));
  }
  return text;
}

std::string update_text(const ir::Module& module, const ir::Update& update) {
  switch (update.kind) {
    case ir::UpdateKind::kInstrCreate:
      return module.instrs().is_live(update.instr) ? instr_text(module, update.instr) : std::string();
    case ir::UpdateKind::kReplaceAllUses:
      return "%v" + std::to_string(update.old_ref.id) + " -> " +
             (module.instrs().is_live(ir::ValueId(update.new_ref.id))
                  ? value_text(module, ir::ValueId(update.new_ref.id))
                  : "%v" + std::to_string(update.new_ref.id));
    case ir::UpdateKind::kOperandReplace:
    case ir::UpdateKind::kOpcodeChange:
      return module.instrs().is_live(update.instr) ? instr_text(module, update.instr) : std::string();
    case ir::UpdateKind::kInstrDelete: return "deleted: " + std::to_string(update.instr.index());
    default: return {};
  }
}

}  // namespace dynomite::rewrite
