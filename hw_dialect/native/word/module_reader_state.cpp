#include <utility>

#include "hw_dialect/native/word/module_reader.hpp"
#include "hw_dialect/native/word/wording.hpp"

// Registers and memories.

namespace hw::word {

namespace kind = ir::kind;

void ModuleReader::read_register(ModuleDef& def, ir::InstrId instr) {
  if (!define(def, instr, 0, Role::kRegister, def.registers.size())) return;
  Register made;
  made.instr = instr;
  made.local = static_cast<std::uint32_t>(def.values.size() - 1);
  const std::uint32_t width = def.values.back().width;
  const std::uint32_t count = operands(instr);
  if (count < 2) return report(instr, "has no next value");
  if (const auto next = data(instr, 1, "the next value", width)) made.next = *next;
  for (std::uint32_t i = 2; i < count; ++i) {
    const auto role = string_at(instr, i);
    const auto take = [&](const char* what, std::uint32_t wanted, ir::FatDynObjRef& to) {
      if (++i >= count) return report(instr, std::string("no value for ") + what);
      if (!to.is_none()) report(instr, std::string(what) + " is given twice");
      if (const auto value = data(instr, i, what, wanted)) to = *value;
    };
    if (role == "clock") {
      take("the clock", 1, made.clock);
    } else if (role == "enable") {
      take("the enable", 1, made.enable);
    } else if (role == "reset") {
      take("the reset", 1, made.reset);
      take("the reset value", width, made.reset_value);
    } else {
      return report(instr,
                    "expects \"clock\", \"enable\" or \"reset\" in front of operand " + std::to_string(i));
    }
  }
  for (const auto& [name, to] : {std::pair{"init", &made.init}, std::pair{"init_mask", &made.init_mask}}) {
    *to = module_.attribute(instr, name);
    if (to->is_none()) continue;
    const bool is_constant = to->kind == kind::kConstant || to->kind == kind::kWide;
    if (!is_constant || checker_.width(*to) != width) {
      report(instr, std::string("the attribute '") + name + "' must be a constant of " + bits(width));
      *to = {};
    }
  }
  if (made.init.is_none() && !made.init_mask.is_none()) report(instr, "'init_mask' needs 'init'");
  made.negative_edge = flag(instr, "negative_edge");
  made.asynchronous = flag(instr, "asynchronous");
  def.registers.push_back(made);
}

void ModuleReader::read_memory(ModuleDef& def, ir::InstrId instr) {
  const ir::Operand operand = instrs_.operand(instr, 0);
  const ir::TypeId type = operand.is_def && operand.ref.kind == kind::kValue
                              ? instrs_.type(ir::ValueId(operand.ref.id))
                              : ir::TypeId();
  if (!type || module_.attributes().type_kind(type) != ops_.memory_type) {
    return report(instr, "defines a value of the type hw.memory(depth, width)");
  }
  const std::vector<ir::FatDynObjRef> params = module_.attributes().type_params(type);
  const auto depth = checker_.small_number(params[0]), width = checker_.small_number(params[1]);
  if (!depth || !width || *depth == 0 || *width == 0 || *width > dmt::kMaxWidth || *depth > (1U << 30)) {
    return report(instr, "depth and width of a memory must be at least 1; at most 2^30 words of 2^20 bits");
  }
  if (!define(def, instr, 0, Role::kMemory, def.memories.size())) return;
  Memory made{instr, static_cast<std::uint32_t>(def.values.size() - 1), *depth, *width, {}};
  made.init = module_.attribute(instr, "init");
  if (!made.init.is_none()) {
    const bool is_constant = made.init.kind == kind::kConstant || made.init.kind == kind::kWide;
    const std::uint64_t total = std::uint64_t{*depth} * *width;
    if (!is_constant || module_.attributes().constant(made.init).width != total) {
      report(instr, "the attribute 'init' must be a constant of " + bits(total) + ", word 0 lowest");
      made.init = {};
    }
  }
  def.memories.push_back(made);
}

std::optional<std::uint32_t> ModuleReader::memory_of(ModuleDef& def, ir::InstrId instr, std::uint32_t index) {
  if (index < operands(instr)) {
    const ir::Operand operand = instrs_.operand(instr, index);
    if (!operand.is_def && operand.ref.kind == kind::kValue && owner_[operand.ref.id] == current_) {
      const ModuleValue& value = def.values[local_[operand.ref.id]];
      if (value.role == Role::kMemory) return value.index;
    }
  }
  report(instr, "needs a memory of this module");
  return std::nullopt;
}

void ModuleReader::read_read(ModuleDef& def, ir::InstrId instr) {
  const auto memory = memory_of(def, instr, 1);
  if (!define(def, instr, 0, Role::kRead, def.reads.size())) return;
  MemoryRead made{instr, memory.value_or(0), {}};
  if (operands(instr) != 3) {
    report(instr, "takes a memory and an address");
  } else if (const auto address = data(instr, 2, "the address", 0)) {
    made.address = *address;
  }
  if (memory && def.memories[*memory].width != def.values.back().width) {
    report(instr, "words of the memory have " + bits(def.memories[*memory].width) + ", the result " +
                      bits(def.values.back().width));
  }
  def.reads.push_back(made);
}

void ModuleReader::read_write(ModuleDef& def, ir::InstrId instr) {
  const auto memory = memory_of(def, instr, 0);
  const std::uint32_t count = operands(instr);
  if (!memory || count < 3) {
    if (memory) report(instr, "takes a memory, an address and a word");
    return;
  }
  const std::uint32_t width = def.memories[*memory].width;
  MemoryWrite made{instr, *memory, {}, {}, {}, {}, 0, false};
  if (const auto address = data(instr, 1, "the address", 0)) made.address = *address;
  if (const auto word = data(instr, 2, "the word", width)) made.data = *word;
  for (std::uint32_t i = 3; i < count; ++i) {
    const auto role = string_at(instr, i);
    if ((role != "clock" && role != "enable") || i + 1 >= count) {
      return report(instr, "expects \"clock\" or \"enable\" and a value behind the word");
    }
    ++i;
    if (role == "clock") {
      if (const auto value = data(instr, i, "the clock", 1)) made.clock = *value;
    } else if (const auto value = data(instr, i, "the enable", 0)) {
      const std::uint32_t found = checker_.width(*value);
      if (found != 1 && found != width) {
        report(instr, "the enable must have 1 bit or " + bits(width) + ", it has " + bits(found));
      } else {
        made.enable = *value;
      }
    }
  }
  const ir::FatDynObjRef port = module_.attribute(instr, "port");
  if (!port.is_none()) {
    const auto number = checker_.small_number(port);
    if (!number) report(instr, "the attribute 'port' must be a number");
    made.port = number.value_or(0);
  }
  made.negative_edge = flag(instr, "negative_edge");
  def.writes.push_back(made);
}

}  // namespace hw::word
