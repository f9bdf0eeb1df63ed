#include "hw_dialect/native/word/module_reader.hpp"

#include <utility>

#include "dynomite/native/ir/walk.hpp"
#include "hw_dialect/native/word/wording.hpp"

namespace hw::word {

namespace kind = ir::kind;

namespace {

bool is_wiring(std::string_view name) {
  return name == "CONCAT" || name == "SLICE" || name == "REPEAT" || name == "ZEXT" || name == "SEXT";
}

}  // namespace

HwOps::HwOps(const ir::Registry& registry) {
  const auto find = [&](const char* name, ir::Opcode& opcode) {
    const auto found = registry.find_op(name);
    if (found) opcode = *found;
    return found.has_value();
  };
  loaded = find("hw.MODULE", module) && find("hw.IN", in) && find("hw.OUT", out) && find("hw.PARAM", param) &&
           find("hw.WIRE", wire) && find("hw.DRIVE", drive) && find("hw.INSTANCE", instance) &&
           find("hw.REG", reg) && find("hw.MEM", mem) && find("hw.READ", read) && find("hw.WRITE", write);
  const auto type = [&](const char* name, ir::ObjKind& to) {
    const auto found = registry.find_type(name);
    if (found) to = *found;
    return found.has_value();
  };
  loaded = loaded && type("hw.wire", wire_type) && type("hw.memory", memory_type);
}

ModuleReader::ModuleReader(const ir::Module& module, Stop& stop)
    : module_(module),
      instrs_(module.instrs()),
      stop_(stop),
      ops_(*module.registry()),
      checker_(module),
      symbols_(module),
      local_(module.instrs().value_bound(), kNone),
      owner_(module.instrs().value_bound(), kNone) {
  if (!ops_.loaded) throw dynomite::UsageError("the context has not loaded the dialect 'hw'");
  std::vector<ir::InstrId> found;
  ir::walk(module, [&](ir::InstrId instr, ir::BlockId) {
    if (instrs_.opcode(instr) == ops_.module) {
      found.push_back(instr);
    } else if (instrs_.opcode(instr) == ir::core_op::kCfg || instrs_.opcode(instr) == ir::core_op::kGraph) {
      // A plain region is a module too if it has ports.
      bool has_ports = false;
      for (const ir::RegionId region : module_.regions(instr)) {
        const ir::BlockId block = module_.cfg().first_block(region);
        for (ir::InstrId at = block ? module_.cfg().first(block) : ir::InstrId(); at && !has_ports;
             at = module_.cfg().next(block, at)) {
          has_ports = instrs_.opcode(at) == ops_.in || instrs_.opcode(at) == ops_.out;
        }
      }
      if (has_ports) found.push_back(instr);
    }
  });
  for (const ir::InstrId instr : found) {
    by_instr_.emplace(instr.index(), static_cast<std::uint32_t>(modules_.size()));
    modules_.emplace_back();
    read_module(instr);
  }
  for (std::uint32_t i = 0; i < modules_.size(); ++i) connect(modules_[i], i);
  check_recursion();
}

std::optional<std::uint32_t> ModuleReader::find(ir::InstrId instr) const {
  const auto it = by_instr_.find(instr.index());
  return it == by_instr_.end() ? std::nullopt : std::optional<std::uint32_t>(it->second);
}

std::string ModuleReader::names() const {
  std::string text;
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < modules_.size() && i < kShown; ++i) {
    text += (i == 0 ? "@" : ", @") + modules_[i].name;
  }
  if (modules_.size() > kShown) text += " and " + std::to_string(modules_.size() - kShown) + " more";
  return text.empty() ? "none" : text;
}

std::uint32_t ModuleReader::top(std::string_view name) const {
  std::vector<std::uint32_t> found;
  if (name.empty()) {
    for (std::uint32_t i = 0; i < modules_.size(); ++i) {
      if (!modules_[i].is_instantiated) found.push_back(i);
    }
    if (found.size() == 1) return found.front();
    if (modules_.size() == 1) return 0;
    if (modules_.empty()) throw dynomite::UsageError("which module is meant? There is none");
    throw dynomite::UsageError("which module is meant? There are " + names() +
                               "; say it as in FILE::" + modules_.front().name);
  }
  for (std::uint32_t i = 0; i < modules_.size(); ++i) {
    if (modules_[i].name == name) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  // A path through symbol tables.
  ir::InstrId table;
  std::string_view rest = name;
  while (true) {
    const std::size_t end = rest.find("::");
    std::string_view part = rest.substr(0, end);
    if (part.starts_with("@")) part.remove_prefix(1);
    const ir::InstrId symbol = symbols_.find(table, part);
    if (!symbol) break;
    if (end == std::string_view::npos) {
      if (const auto number = find(symbol)) return *number;
      break;
    }
    table = symbol;
    rest.remove_prefix(end + 2);
  }
  throw dynomite::UsageError("there is no one module '" + std::string(name) + "'" + near(name, modules_) +
                             " (there are: " + names() + ")");
}

void ModuleReader::report(ir::InstrId instr, const std::string& message,
                          std::vector<ir::ViolationNote> notes) {
  if (violations_.size() >= ReadLimits().violations) return;
  const ir::Opcode opcode = instrs_.opcode(instr);
  violations_.push_back({module_.registry()->name(opcode) + ": " + message, instr, std::move(notes)});
}

std::uint32_t ModuleReader::operands(ir::InstrId instr) const {
  const std::uint32_t count = instrs_.operand_count(instr);
  return module_.dictionary(instr) ? count - 1 : count;
}

std::optional<std::string> ModuleReader::string_at(ir::InstrId instr, std::uint32_t index) const {
  if (index >= operands(instr)) return std::nullopt;
  const ir::Operand operand = instrs_.operand(instr, index);
  if (operand.is_def || operand.ref.kind != kind::kAttr) return std::nullopt;
  const ir::AttrId attr(operand.ref.id);
  if (module_.attributes().kind(attr) != ir::AttrKind::kString) return std::nullopt;
  return module_.attributes().text(attr);
}

std::string ModuleReader::value_name(ir::InstrId instr, std::uint32_t index) const {
  const ir::AttrId name = module_.value_name(ir::ValueId(instrs_.operand(instr, index).ref.id));
  return name ? module_.attributes().text(name) : std::string();
}

bool ModuleReader::flag(ir::InstrId instr, const char* name) {
  const ir::FatDynObjRef found = module_.attribute(instr, name);
  if (found.is_none()) return false;
  if (found.kind == kind::kConstant && found.payload <= 1) return found.payload == 1;
  report(instr, std::string("the attribute '") + name + "' must be true or false");
  return false;
}

std::optional<ir::FatDynObjRef> ModuleReader::data(ir::InstrId instr, std::uint32_t index, const char* what,
                                                   std::uint32_t width) {
  const ir::Operand operand = instrs_.operand(instr, index);
  const std::uint32_t found = operand.is_def ? 0 : checker_.width(operand.ref);
  if (found == 0) {
    std::string why = std::string(what) + " must be a value or a constant";
    if (!operand.is_def && operand.ref.kind == kind::kValue) {
      why += ": " + checker_.type_violation(instrs_.type(ir::ValueId(operand.ref.id)));
    }
    report(instr, why);
    return std::nullopt;
  }
  if (width != 0 && found != width) {
    std::vector<ir::ViolationNote> notes;
    if (operand.ref.kind == kind::kValue) {
      notes.push_back({checker_.value_text(operand.ref) + " is defined here",
                       instrs_.definition(ir::ValueId(operand.ref.id)).instr});
    }
    report(instr,
           std::string(what) + " must have " + bits(width) + ", " + checker_.value_text(operand.ref) +
               " has " + bits(found),
           std::move(notes));
    return std::nullopt;
  }
  return operand.ref;
}

bool ModuleReader::define(ModuleDef& def, ir::InstrId instr, std::uint32_t index, Role role,
                          std::size_t number, std::uint8_t rule) {
  const ir::Operand operand = instrs_.operand(instr, index);
  if (!operand.is_def || operand.ref.kind != kind::kValue) {
    report(instr, "the value it defines must be operand " + std::to_string(index + 1));
    return false;
  }
  const ir::ValueId value(operand.ref.id);
  const ir::TypeId type = instrs_.type(value);
  std::uint32_t width = 0;
  if (role != Role::kMemory) {
    width = checker_.width(type);
    if (width == 0) {
      report(instr, checker_.value_text(operand.ref) + ": " + checker_.type_violation(type));
      return false;
    }
    if (role != Role::kOperator && role != Role::kWiring &&
        module_.attributes().type_kind(type) != ops_.wire_type) {
      report(instr, checker_.value_text(operand.ref) + " must be of type hw.wire");
      return false;
    }
  }
  local_[value.index()] = static_cast<std::uint32_t>(def.values.size());
  owner_[value.index()] = current_;
  def.values.push_back({value, instr, role, static_cast<std::uint32_t>(number), width, rule});
  return true;
}

void ModuleReader::read_module(ir::InstrId instr) {
  current_ = static_cast<std::uint32_t>(modules_.size() - 1);
  ModuleDef& def = modules_.back();
  def.instr = instr;
  def.name = module_.symbol_name(instr).value_or("");
  const std::vector<ir::RegionId> regions = module_.regions(instr);
  if (regions.size() != 1 || module_.cfg().first_block(regions.front()) == ir::BlockId() ||
      module_.cfg().first_block(regions.front()) != module_.cfg().last_block(regions.front())) {
    report(instr, "a module must have one region of one block");
    return;
  }
  const ir::BlockId block = module_.cfg().first_block(regions.front());
  for (ir::InstrId at = module_.cfg().first(block); at; at = module_.cfg().next(block, at)) {
    if (stop_.poll()) return;
    read_instr(def, at);
  }
  finish(def);
}

void ModuleReader::read_instr(ModuleDef& def, ir::InstrId instr) {
  const ir::Opcode opcode = instrs_.opcode(instr);
  if (const auto rule = checker_.rule(opcode)) return read_op(def, instr, *rule);
  if (opcode == ops_.in) return read_in(def, instr);
  if (opcode == ops_.out) return read_out(def, instr);
  if (opcode == ops_.param) return read_param(def, instr);
  if (opcode == ops_.wire) {
    if (define(def, instr, 0, Role::kWire, def.wires.size())) {
      def.wires.push_back({instr, static_cast<std::uint32_t>(def.values.size() - 1), {}});
    }
    return;
  }
  if (opcode == ops_.drive) return;  // read by `finish`, once all wires are known
  if (opcode == ops_.instance) return read_instance(def, instr);
  if (opcode == ops_.reg) return read_register(def, instr);
  if (opcode == ops_.mem) return read_memory(def, instr);
  if (opcode == ops_.read || opcode == ops_.write) return;
  report(instr, "this operation has no place in a module of a netlist");
}

void ModuleReader::read_op(ModuleDef& def, ir::InstrId instr, std::uint32_t rule) {
  const std::string wrong = checker_.violation(instr, rule);
  if (!wrong.empty()) {
    std::vector<ir::ViolationNote> notes;
    for (std::uint32_t i = 0; i < instrs_.operand_count(instr) && notes.size() < 4; ++i) {
      const ir::Operand operand = instrs_.operand(instr, i);
      if (operand.is_def || operand.ref.kind != kind::kValue) continue;
      notes.push_back({checker_.value_text(operand.ref) + " is defined here",
                       instrs_.definition(ir::ValueId(operand.ref.id)).instr});
    }
    report(instr, wrong, std::move(notes));
  }
  const dmt::OpRule& row = dmt::op_rules()[rule];
  if (row.shape == dmt::OpShape::kClaim) {
    if (!wrong.empty()) return;
    const ir::FatDynObjRef name = module_.attribute(instr, "name");
    std::string text;
    if (name.kind == kind::kAttr && module_.attributes().kind(ir::AttrId(name.id)) == ir::AttrKind::kString) {
      text = module_.attributes().text(ir::AttrId(name.id));
    }
    def.claims.push_back({instr, instrs_.operand(instr, 0).ref, row.name == "ASSUME", std::move(text)});
    return;
  }
  const std::uint32_t count = instrs_.operand_count(instr);
  if (count == 0 || !instrs_.operand(instr, 0).is_def) return;  // reported
  if (!wrong.empty() && checker_.width(instrs_.operand(instr, 0).ref) == 0) return;
  define(def, instr, 0, is_wiring(row.name) ? Role::kWiring : Role::kOperator, 0,
         static_cast<std::uint8_t>(rule));
}

void ModuleReader::read_in(ModuleDef& def, ir::InstrId instr) {
  if (!define(def, instr, 0, Role::kInput, def.inputs.size())) return;
  InPort port{value_name(instr, 0), instr, static_cast<std::uint32_t>(def.values.size() - 1),
              def.values.back().width};
  if (operands(instr) > 1) {
    const auto name = string_at(instr, 1);
    if (!name || operands(instr) > 2) report(instr, "takes nothing but the name of the port");
    if (name) port.name = *name;
  }
  if (port.name.empty()) report(instr, "the port has no name");
  def.inputs.push_back(std::move(port));
}

void ModuleReader::read_out(ModuleDef& def, ir::InstrId instr) {
  const auto name = string_at(instr, 0);
  if (!name || operands(instr) != 2) return report(instr, "takes the name of the port and its value");
  const auto value = data(instr, 1, "the value of the port", 0);
  if (value) def.outputs.push_back({*name, instr, *value, checker_.width(*value)});
}

void ModuleReader::read_param(ModuleDef& def, ir::InstrId instr) {
  std::uint32_t at = 1;
  std::string name = value_name(instr, 0);
  if (const auto given = string_at(instr, 1)) {
    name = *given;
    ++at;
  }
  if (!define(def, instr, 0, Role::kParam, def.params.size())) return;
  const std::uint32_t width = def.values.back().width;
  ir::FatDynObjRef value;
  if (operands(instr) == at + 1) value = instrs_.operand(instr, at).ref;
  if (value.kind != kind::kConstant && value.kind != kind::kWide) {
    report(instr, "takes its name and a constant");
  } else if (checker_.width(value) != width) {
    report(instr, "the constant has " + bits(checker_.width(value)) + ", the parameter " + bits(width));
    value = {};
  }
  if (name.empty()) report(instr, "the parameter has no name");
  def.params.push_back({std::move(name), instr, value, width});
}

void ModuleReader::read_drive(ModuleDef& def, ir::InstrId instr) {
  const std::uint32_t count = operands(instr);
  const ir::Operand target = instrs_.operand(instr, 0);
  const std::uint32_t local = target.ref.kind == kind::kValue ? local_[target.ref.id] : kNone;
  if (target.is_def || local == kNone || owner_[target.ref.id] != current_ ||
      def.values[local].role != Role::kWire) {
    std::vector<ir::ViolationNote> notes;
    if (target.ref.kind == kind::kValue) {
      notes.push_back({"its driver", instrs_.definition(ir::ValueId(target.ref.id)).instr});
      return report(instr, checker_.value_text(target.ref) + " has a driver and is no hw.WIRE",
                    std::move(notes));
    }
    return report(instr, "only a hw.WIRE can be driven");
  }
  const ModuleValue& wire = def.values[local];
  Drive drive{instr, {}, 0, wire.width};
  if (count == 4) {
    const auto high = checker_.small_number(instrs_.operand(instr, 2).ref);
    const auto low = checker_.small_number(instrs_.operand(instr, 3).ref);
    if (!high || !low || *high < *low || *high >= wire.width) {
      return report(instr, "the bounds must be two numbers below the width, " + std::to_string(wire.width) +
                               ", the high one first");
    }
    drive.lo = *low;
    drive.width = *high - *low + 1;
  } else if (count != 2) {
    return report(instr, "takes a wire, its value and, for a part of it, the high and the low bit");
  }
  const auto value = data(instr, 1, "the value", drive.width);
  // A wrong driver is a driver all the same.
  if (value) drive.value = *value;
  def.wires[wire.index].drives.push_back(drive);
}

void ModuleReader::read_instance(ModuleDef& def, ir::InstrId instr) {
  Instance made;
  made.instr = instr;
  const auto number = static_cast<std::uint32_t>(def.instances.size());
  bool has_target = false, has_name = false, ok = true;
  std::optional<std::string> port;
  std::uint32_t named = 0, positional = 0;
  const std::uint32_t count = operands(instr);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::Operand operand = instrs_.operand(instr, i);
    if (!has_target && operand.ref.kind == kind::kAttr &&
        module_.attributes().kind(ir::AttrId(operand.ref.id)) == ir::AttrKind::kSymbolRef) {
      has_target = true;
      const ir::SymbolPath path = symbols_.lookup_nearest(instr, ir::AttrId(operand.ref.id));
      if (path.complete) made.module = path.symbols.back();
    } else if (const auto text = string_at(instr, i)) {
      if (!has_name) {
        made.name = *text;
        has_name = true;
      } else if (port) {
        report(instr, "the port " + quoted(*port) + " is followed by no value");
        ok = false;
        port = text;
      } else {
        port = text;
      }
    } else {
      (port ? named : positional) += 1;
      Connection connection{port.value_or(""), operand.ref};
      port.reset();
      if (operand.is_def) {
        if (define(def, instr, i, Role::kOutput, def.instance_outputs.size())) {
          def.instance_outputs.push_back({number, 0});
          made.outputs.push_back(std::move(connection));
        } else {
          ok = false;
        }
      } else if (data(instr, i, "what is connected to a port", 0)) {
        made.inputs.push_back(std::move(connection));
      } else {
        ok = false;
      }
    }
  }
  if (port) {
    report(instr, "the port " + quoted(*port) + " is followed by no value");
    ok = false;
  }
  if (!has_target || !has_name) {
    report(instr, "takes the symbol of a module, the name of the instance and the connections");
    ok = false;
  } else if (named != 0 && positional != 0) {
    report(instr, "connects some ports by name and some by position");
    ok = false;
  }
  const ir::FatDynObjRef params = module_.attribute(instr, "params");
  if (params.kind == kind::kAttr && module_.attributes().kind(ir::AttrId(params.id)) == ir::AttrKind::kDict) {
    for (const auto& [name, value] : module_.attributes().entries(ir::AttrId(params.id))) {
      made.params.emplace_back(module_.attributes().text(name), value);
    }
  } else if (!params.is_none()) {
    report(instr, "the attribute 'params' must be a dictionary");
  }
  if (!ok) made.module = {};
  def.instances.push_back(std::move(made));
}

}  // namespace hw::word
