#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw_dialect/native/word/module_reader.hpp"
#include "hw_dialect/native/word/wording.hpp"

// What needs a module as a whole, or several: drivers, port names, connections of instances, recursion.

namespace hw::word {

namespace kind = ir::kind;

void ModuleReader::finish(ModuleDef& def) {
  const ir::BlockId block = module_.cfg().first_block(module_.regions(def.instr).front());
  for (ir::InstrId at = module_.cfg().first(block); at; at = module_.cfg().next(block, at)) {
    const ir::Opcode opcode = instrs_.opcode(at);
    if (opcode == ops_.drive) read_drive(def, at);
    if (opcode == ops_.read) read_read(def, at);
    if (opcode == ops_.write) read_write(def, at);
  }
  for (Wire& wire : def.wires) check_drives(def, wire);
  std::ranges::stable_sort(def.writes, [](const MemoryWrite& a, const MemoryWrite& b) {
    return std::pair{a.memory, a.port} < std::pair{b.memory, b.port};
  });
  for (std::size_t i = 1; i < def.writes.size(); ++i) {
    const MemoryWrite &a = def.writes[i - 1], &b = def.writes[i];
    if (a.memory == b.memory && a.port == b.port) {
      report(b.instr, "two writes to one memory need different attributes 'port': the greater one wins",
             {{"the other one", a.instr}});
    }
  }
  check_port_names(def);
  // What is used has to be defined in this module.
  for (ir::InstrId at = module_.cfg().first(block); at; at = module_.cfg().next(block, at)) {
    const std::uint32_t count = instrs_.operand_count(at);
    for (std::uint32_t i = 0; i < count; ++i) {
      const ir::Operand operand = instrs_.operand(at, i);
      if (operand.is_def || operand.ref.kind != kind::kValue) continue;
      if (owner_[operand.ref.id] == current_) continue;
      if (violations_.empty() || owner_[operand.ref.id] != kNone) {
        report(at, checker_.value_text(operand.ref) + " is no value of this module");
      }
    }
  }
}

void ModuleReader::check_drives(const ModuleDef& def, Wire& wire) {
  const ModuleValue& value = def.values[wire.local];
  const std::string name = checker_.value_text({kind::kValue, value.value.index()});
  const auto range = [](std::uint32_t lo, std::uint32_t width) {
    return width == 1 ? "bit " + std::to_string(lo)
                      : "bits " + std::to_string(lo + width - 1) + " to " + std::to_string(lo);
  };
  std::vector<const Drive*> order;
  for (const Drive& drive : wire.drives) order.push_back(&drive);
  std::ranges::stable_sort(order, {}, &Drive::lo);
  std::uint32_t next = 0;
  const Drive* last = nullptr;
  for (const Drive* drive : order) {
    if (drive->lo < next) {
      const std::uint32_t end = std::min(next, drive->lo + drive->width);
      report(drive->instr, name + " is driven twice, " + range(drive->lo, end - drive->lo),
             {{"the other driver", last->instr}});
    } else if (drive->lo > next) {
      report(wire.instr, name + " has no driver for " + range(next, drive->lo - next));
    }
    if (drive->lo + drive->width > next) {
      next = drive->lo + drive->width;
      last = drive;
    }
  }
  if (next < value.width) {
    report(wire.instr, next == 0 ? name + " has no driver"
                                 : name + " has no driver for " + range(next, value.width - next));
  }
}

void ModuleReader::check_port_names(const ModuleDef& def) {
  std::unordered_map<std::string, ir::InstrId> seen;
  const auto check = [&](const auto& ports, const char* what, const char* again) {
    seen.clear();
    for (const auto& port : ports) {
      const auto [it, added] = seen.emplace(port.name, port.instr);
      if (!added)
        report(port.instr, std::string(what) + quoted(port.name) + again, {{"the first one", it->second}});
    }
  };
  check(def.inputs, "the input port ", " exists already");
  check(def.outputs, "the output port ", " is driven twice");
  check(def.params, "the parameter ", " exists already");
  check(def.instances, "the instance ", " exists already");
}

void ModuleReader::connect(ModuleDef& def, std::uint32_t number) {
  current_ = number;
  for (Instance& instance : def.instances) {
    if (!instance.module) continue;
    const auto target = find(instance.module);
    if (!target) {
      report(instance.instr, "this symbol is no module of a netlist", {{"defined here", instance.module}});
      instance.module = {};
      continue;
    }
    ModuleDef& of = modules_[*target];
    of.is_instantiated = true;
    const bool by_name =
        std::ranges::any_of(instance.inputs, [](const auto& c) { return !c.port.empty(); }) ||
        std::ranges::any_of(instance.outputs, [](const auto& c) { return !c.port.empty(); });
    const std::vector<ir::ViolationNote> note = {{"@" + of.name + " is defined here", of.instr}};
    const std::size_t before = violations_.size();
    instance.input_values.assign(of.inputs.size(), {});
    const auto width_check = [&](const auto& port, std::uint32_t found) {
      if (found == port.width) return;
      report(instance.instr,
             "the port " + quoted(port.name) + " has " + bits(port.width) + ", what is connected to it " +
                 bits(found),
             {{"the port", port.instr}});
    };
    if (!by_name && (instance.inputs.size() != of.inputs.size())) {
      report(instance.instr,
             "@" + of.name + " has " + std::to_string(of.inputs.size()) + " input ports, " +
                 std::to_string(instance.inputs.size()) + " are connected",
             note);
    } else {
      for (std::size_t i = 0; i < instance.inputs.size(); ++i) {
        const Connection& connection = instance.inputs[i];
        std::size_t port = i;
        if (by_name) {
          const auto it = std::ranges::find(of.inputs, connection.port, &InPort::name);
          if (it == of.inputs.end()) {
            report(instance.instr,
                   "@" + of.name + " has no input port " + quoted(connection.port) +
                       near(connection.port, of.inputs),
                   note);
            continue;
          }
          port = static_cast<std::size_t>(it - of.inputs.begin());
          if (!instance.input_values[port].is_none()) {
            report(instance.instr, "the port " + quoted(connection.port) + " is connected twice", note);
          }
        }
        width_check(of.inputs[port], checker_.width(connection.value));
        instance.input_values[port] = connection.value;
      }
      for (std::size_t i = 0; i < of.inputs.size(); ++i) {
        if (!instance.input_values[i].is_none()) continue;
        report(instance.instr, "the input port " + quoted(of.inputs[i].name) + " is not connected",
               {{"the port", of.inputs[i].instr}});
      }
    }
    for (std::size_t i = 0; i < instance.outputs.size(); ++i) {
      const Connection& connection = instance.outputs[i];
      std::size_t port = i;
      if (by_name) {
        const auto it = std::ranges::find(of.outputs, connection.port, &OutPort::name);
        port = static_cast<std::size_t>(it - of.outputs.begin());
      }
      if (port >= of.outputs.size()) {
        report(instance.instr,
               by_name ? "@" + of.name + " has no output port " + quoted(connection.port) +
                             near(connection.port, of.outputs)
                       : "@" + of.name + " has only " + std::to_string(of.outputs.size()) + " output ports",
               note);
        continue;
      }
      const ModuleValue& value = def.values[local_[connection.value.id]];
      width_check(of.outputs[port], value.width);
      def.instance_outputs[value.index].port = static_cast<std::uint32_t>(port);
    }
    for (auto& [name, value] : instance.params) {
      const auto it = std::ranges::find(of.params, name, &Param::name);
      if (it == of.params.end()) {
        report(instance.instr, "@" + of.name + " has no parameter " + quoted(name) + near(name, of.params),
               note);
      } else if ((value.kind != kind::kConstant && value.kind != kind::kWide) ||
                 checker_.width(value) != it->width) {
        report(instance.instr, "the parameter " + quoted(name) + " must be a constant of " + bits(it->width),
               {{"the parameter", it->instr}});
      }
    }
    if (violations_.size() != before) instance.module = {};
  }
}

void ModuleReader::check_recursion() {
  // Depth first over modules; `state` 1: on the way, 2: done.
  std::vector<std::uint8_t> state(modules_.size(), 0);
  struct Visit {
    std::uint32_t module;
    std::size_t next;
  };
  std::vector<Visit> stack;
  for (std::uint32_t root = 0; root < modules_.size(); ++root) {
    if (state[root] != 0) continue;
    state[root] = 1;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Visit& at = stack.back();
      ModuleDef& def = modules_[at.module];
      if (at.next == def.instances.size()) {
        state[at.module] = 2;
        stack.pop_back();
        continue;
      }
      Instance& instance = def.instances[at.next++];
      const auto target = instance.module ? find(instance.module) : std::nullopt;
      if (!target || state[*target] == 2) continue;
      if (state[*target] == 0) {
        state[*target] = 1;
        stack.push_back({*target, 0});
        continue;
      }
      std::string chain = "@" + modules_[*target].name;
      bool inside = false;
      for (const Visit& visit : stack) {
        if (inside) chain += " -> @" + modules_[visit.module].name;
        inside = inside || visit.module == *target;
      }
      report(instance.instr, "the module contains itself: " + chain + " -> @" + modules_[*target].name);
      instance.module = {};
    }
  }
}

}  // namespace hw::word
