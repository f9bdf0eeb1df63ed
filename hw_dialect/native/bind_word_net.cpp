#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/ir/walk.hpp"
#include "dynomite/native/module.hpp"
#include "dynomite/native/py_ir.hpp"
#include "hw_dialect/native/py_word_net.hpp"
#include "hw_dialect/native/word/operator_gates.hpp"
#include "hw_dialect/native/word/word_simulator.hpp"

namespace {

namespace ir = dynomite::ir;
using dmt::BitVec;
using dynomite::run_long;
using dynomite::Stop;
using dynomite::UsageError;
using hw::PyWordNet;
using hw::word::Bits;
using hw::word::NodeKind;
using hw::word::WordNet;

nb::object to_int(const BitVec& value) {
  if (value.width() <= 64) return nb::int_(value.limbs()[0]);
  const nb::bytes raw(reinterpret_cast<const char*>(value.limbs().data()), value.limbs().size() * 8);
  return nb::module_::import_("builtins").attr("int").attr("from_bytes")(raw, "little");
}

BitVec from_int(nb::handle value, std::uint32_t width, const std::string& what) {
  if (!PyLong_Check(value.ptr())) throw nb::type_error((what + " must be an int").c_str());
  if (nb::int_(0) > value || nb::cast<std::size_t>(value.attr("bit_length")()) > width) {
    throw UsageError(what + " has " + std::to_string(width) + " bits: " + nb::str(value).c_str() +
                     " does not fit");
  }
  if (width <= 64) return BitVec(width, nb::cast<std::uint64_t>(value));
  const std::size_t limbs = (width + 63) / 64;
  const nb::bytes raw = nb::cast<nb::bytes>(value.attr("to_bytes")(limbs * 8, "little"));
  std::vector<std::uint64_t> words(limbs);
  std::memcpy(words.data(), raw.c_str(), limbs * 8);
  return BitVec::from_limbs(width, words);
}

nb::list to_python(nb::handle owner, ir::Module& module, const std::vector<ir::Violation>& violations) {
  nb::list result;
  for (const ir::Violation& violation : violations) {
    nb::list notes;
    for (const ir::ViolationNote& note : violation.notes) {
      notes.append(
          nb::make_tuple(ir::text_to_python(note.message), ir::optional_handle(owner, module, note.instr)));
    }
    result.append(nb::make_tuple(ir::text_to_python(violation.message),
                                 ir::optional_handle(owner, module, violation.instr), notes));
  }
  return result;
}

nb::list rows(const PyWordNet& self, const Bits& bits) {
  nb::list result;
  for (std::uint32_t i = 0; i < bits.count; ++i) {
    const hw::word::Segment& segment = self.net.segments[bits.first + i];
    result.append(nb::make_tuple(segment.node, segment.lo, segment.width));
  }
  return result;
}

nb::object to_int(const ir::Constant& constant) {
  return constant.width == 0 ? nb::none() : to_int(hw::word::to_bit_vec(constant));
}

nb::tuple elaborate(ir::Module& module, const std::string& top, std::uint64_t max_nodes, Stop* given) {
  const nb::object owner = ir::owner_of(module);
  std::vector<ir::Violation> violations;
  WordNet net;
  {
    dynomite::ReadLease lease(module.access());
    run_long(given, [&](Stop& stop) {
      const hw::word::ModuleReader reader(module, stop);
      if (stop.poll()) throw dynomite::LimitError("elaborate: stopped");
      violations = reader.violations();
      hw::word::ElaborateParams params;
      params.max_nodes = max_nodes;
      if (violations.empty()) net = hw::word::elaborate(reader, reader.top(top), params, stop, violations);
    });
  }
  if (!violations.empty()) {
    const std::string text = ir::render(module, violations, violations.size());
    return nb::make_tuple(nb::none(), to_python(owner, module, violations), ir::text_to_python(text));
  }
  auto made = std::make_shared<PyWordNet>(PyWordNet{owner, &module, std::move(net), module.stamp()});
  return nb::make_tuple(made, nb::list(), "");
}

/// What is wrong with the operators of the dialect `op` anywhere in a module.
nb::tuple operator_violations(ir::Module& module, Stop* given) {
  std::vector<ir::Violation> violations;
  {
    dynomite::ReadLease lease(module.access());
    run_long(given, [&](Stop& stop) {
      const dmt::OpChecker checker(module);
      ir::walk(module, [&](ir::InstrId instr, ir::BlockId) {
        if (stop.poll() || violations.size() >= hw::word::ReadLimits().violations) return;
        const auto rule = checker.rule(module.instrs().opcode(instr));
        if (!rule) return;
        const std::string wrong = checker.violation(instr, *rule);
        const std::string name = module.registry()->name(module.instrs().opcode(instr));
        if (!wrong.empty()) violations.push_back({name + ": " + wrong, instr});
      });
    });
  }
  return nb::make_tuple(to_python(ir::owner_of(module), module, violations),
                        ir::text_to_python(ir::render(module, violations, violations.size())));
}

/// What is wrong with the modules of netlists, combinational loops left aside.
nb::tuple module_violations(ir::Module& module, Stop* given) {
  std::vector<ir::Violation> violations;
  {
    dynomite::ReadLease lease(module.access());
    run_long(given, [&](Stop& stop) { violations = hw::word::ModuleReader(module, stop).violations(); });
  }
  return nb::make_tuple(to_python(ir::owner_of(module), module, violations),
                        ir::text_to_python(ir::render(module, violations, violations.size())));
}

nb::list modules(ir::Module& module, Stop* given) {
  const nb::object owner = ir::owner_of(module);
  nb::list result;
  std::optional<hw::word::ModuleReader> reader;
  {
    dynomite::ReadLease lease(module.access());
    run_long(given, [&](Stop& stop) { reader.emplace(module, stop); });
  }
  for (const hw::word::ModuleDef& def : reader->modules()) {
    nb::list inputs, outputs;
    for (const hw::word::InPort& port : def.inputs) {
      inputs.append(nb::make_tuple(ir::text_to_python(port.name), port.width));
    }
    for (const hw::word::OutPort& port : def.outputs) {
      outputs.append(nb::make_tuple(ir::text_to_python(port.name), port.width));
    }
    result.append(nb::make_tuple(ir::text_to_python(def.name), ir::make_handle(owner, module, def.instr),
                                 inputs, outputs, def.is_instantiated));
  }
  return result;
}

/// One node: kind, operator, width, operands, and what the kind has beside.
nb::tuple node_to_python(const PyWordNet& self, std::uint32_t number) {
  const hw::word::WordNode& node = self.net.nodes[number];
  nb::list operands;
  for (std::uint32_t i = 0; i < node.operand_count; ++i) {
    operands.append(rows(self, self.net.operands[node.first_operand + i]));
  }
  const char* kind = "";
  nb::object extra = nb::int_(node.index);
  std::string name;
  switch (node.kind) {
    case NodeKind::kConstant:
      kind = "constant";
      extra = to_int(self.net.constants[node.index]);
      break;
    case NodeKind::kInput: kind = "input"; break;
    case NodeKind::kRegister: kind = "register"; break;
    case NodeKind::kRead: kind = "read"; break;
    case NodeKind::kOperator:
      kind = "operator";
      name = dmt::op_rules()[node.rule].name;
      extra = nb::none();
      break;
  }
  return nb::make_tuple(kind, name, node.width, operands, extra);
}

/// Values of outputs, registers and the asked signals for each cycle.
nb::list simulate(const PyWordNet& self, const nb::list& cycles, const std::vector<std::uint32_t>& signals,
                  Stop* given) {
  self.check();
  const WordNet& net = self.net;
  for (const std::uint32_t signal : signals) {
    if (signal >= net.signals.size()) throw nb::index_error("no such signal");
  }
  std::vector<std::vector<BitVec>> stimuli;
  for (const nb::handle cycle : cycles) {
    const nb::list values = nb::cast<nb::list>(cycle);
    if (values.size() != net.inputs.size()) {
      throw UsageError("simulate: " + std::to_string(values.size()) + " values for " +
                       std::to_string(net.inputs.size()) + " inputs");
    }
    std::vector<BitVec> row;
    for (std::size_t i = 0; i < net.inputs.size(); ++i) {
      row.push_back(from_int(values[i], net.nodes[net.inputs[i].node].width,
                             "simulate: the input '" + net.inputs[i].name + "'"));
    }
    stimuli.push_back(std::move(row));
  }
  struct Row {
    std::vector<BitVec> outputs, registers, claims, signals;
  };
  std::vector<Row> found;
  run_long(given, [&](Stop& stop) {
    hw::word::WordSimulator simulator(net);
    for (std::vector<BitVec>& stimulus : stimuli) {
      Row row;
      row.registers = simulator.registers();
      simulator.evaluate(std::move(stimulus), stop);
      for (const hw::word::NetOutput& output : net.outputs)
        row.outputs.push_back(simulator.value(output.bits));
      for (const hw::word::NetClaim& claim : net.claims) row.claims.push_back(simulator.value(claim.bits));
      for (const std::uint32_t signal : signals) {
        row.signals.push_back(simulator.value(net.signals[signal].bits));
      }
      simulator.step();
      found.push_back(std::move(row));
    }
  });
  const auto list = [](const std::vector<BitVec>& values) {
    nb::list result;
    for (const BitVec& value : values) result.append(to_int(value));
    return result;
  };
  nb::list result;
  for (const Row& row : found) {
    result.append(
        nb::make_tuple(list(row.outputs), list(row.registers), list(row.claims), list(row.signals)));
  }
  return result;
}

void bind_class(nb::module_& m) {
  nb::class_<PyWordNet>(m, "WordNet", nb::is_final(),
                        "A flat netlist of words: nodes in topological order. See hw_dialect.elaborate.")
      .def_prop_ro(
          "name", [](const PyWordNet& n) { return ir::text_to_python(n.net.name); },
          nb::sig("def name(self) -> str"), "Name of the top module.")
      .def_prop_ro(
          "module", [](const PyWordNet& n) { return n.owner; },
          nb::sig("def module(self) -> dynomite._native.ir.Module"), "The IR it was made of.")
      .def("__len__", [](const PyWordNet& n) { return n.net.nodes.size(); })
      .def(
          "inputs",
          [](const PyWordNet& n) {
            nb::list list;
            for (const hw::word::NetInput& input : n.net.inputs) {
              list.append(
                  nb::make_tuple(ir::text_to_python(input.name), n.net.nodes[input.node].width, input.node));
            }
            return list;
          },
          nb::sig("def inputs(self) -> list[tuple[str, int, int]]"),
          "Name, width and node of each input port.")
      .def(
          "outputs",
          [](const PyWordNet& n) {
            nb::list list;
            for (const hw::word::NetOutput& output : n.net.outputs) {
              list.append(
                  nb::make_tuple(ir::text_to_python(output.name), output.bits.width, rows(n, output.bits)));
            }
            return list;
          },
          nb::sig("def outputs(self) -> list[tuple[str, int, list[tuple[int, int, int]]]]"),
          "Name, width and bits (node, lowest bit, width; lowest first) of each output port.")
      .def(
          "registers",
          [](const PyWordNet& n) {
            nb::list list;
            for (const hw::word::NetRegister& reg : n.net.registers) {
              list.append(nb::make_tuple(ir::text_to_python(reg.name), n.net.nodes[reg.node].width, reg.node,
                                         rows(n, reg.next), rows(n, reg.enable), rows(n, reg.reset),
                                         rows(n, reg.reset_value), to_int(reg.init), to_int(reg.init_mask),
                                         reg.asynchronous, rows(n, reg.clock), reg.negative_edge));
            }
            return list;
          },
          nb::sig("def registers(self) -> list[tuple[str, int, int, list[tuple[int, int, int]], "
                  "list[tuple[int, int, int]], list[tuple[int, int, int]], list[tuple[int, int, int]], int | "
                  "None, int | None, bool, list[tuple[int, int, int]], bool]]"),
          "Name, width, node, bits of next, enable, reset and reset value, initial value and its mask, "
          "whether the reset is asynchronous, bits of the clock, whether its falling edge counts.")
      .def(
          "memories",
          [](const PyWordNet& n) {
            nb::list list;
            for (const hw::word::NetMemory& memory : n.net.memories) {
              nb::list writes;
              for (const hw::word::NetWrite& write : memory.writes) {
                writes.append(nb::make_tuple(rows(n, write.address), rows(n, write.data),
                                             rows(n, write.enable), rows(n, write.clock),
                                             write.negative_edge));
              }
              list.append(nb::make_tuple(ir::text_to_python(memory.name), memory.depth, memory.width,
                                         to_int(memory.init), writes));
            }
            return list;
          },
          nb::sig("def memories(self) -> list[tuple[str, int, int, int | None, list[tuple[list[tuple[int, "
                  "int, int]], list[tuple[int, int, int]], list[tuple[int, int, int]], list[tuple[int, int, "
                  "int]], bool]]]]"),
          "Name, depth, width, initial value, and writes (bits of address, data, enable, clock; falling "
          "edge) of each memory.")
      .def(
          "claims",
          [](const PyWordNet& n) {
            nb::list list;
            for (const hw::word::NetClaim& claim : n.net.claims) {
              list.append(nb::make_tuple(ir::text_to_python(claim.name), rows(n, claim.bits), claim.assumed));
            }
            return list;
          },
          nb::sig("def claims(self) -> list[tuple[str, list[tuple[int, int, int]], bool]]"),
          "Name, bits and whether it is assumed, of each ASSERT and ASSUME.")
      .def(
          "signals",
          [](const PyWordNet& n) {
            n.check();
            nb::list list;
            for (const hw::word::NetSignal& signal : n.net.signals) {
              const std::string name = n.net.path(signal.context) +
                                       n.module->attributes().text(n.module->value_name(signal.value));
              list.append(nb::make_tuple(ir::text_to_python(name), signal.bits.width, rows(n, signal.bits)));
            }
            return list;
          },
          nb::sig("def signals(self) -> list[tuple[str, int, list[tuple[int, int, int]]]]"),
          "The name map: path, width and bits of every named value of every instance.")
      .def(
          "node",
          [](const PyWordNet& n, std::uint32_t number) {
            if (number >= n.net.nodes.size()) throw nb::index_error("no such node");
            return node_to_python(n, number);
          },
          nb::arg("number"),
          nb::sig("def node(self, number: int) -> tuple[str, str, int, list[list[tuple[int, int, int]]], int "
                  "| None]"),
          "Kind, operator, width, operands, and the value of a constant or the number of an input, register "
          "or memory.")
      .def(
          "instr",
          [](const PyWordNet& n, std::uint32_t number) {
            n.check();
            if (number >= n.net.nodes.size()) throw nb::index_error("no such node");
            return ir::optional_handle(n.owner, *n.module, n.net.nodes[number].instr);
          },
          nb::arg("number"), nb::sig("def instr(self, number: int) -> dynomite._native.ir.InstrRef | None"),
          "The operation a node comes from; None for a constant.")
      .def_prop_ro(
          "notes",
          [](const PyWordNet& n) {
            nb::list list;
            for (const std::string& note : n.net.notes) list.append(ir::text_to_python(note));
            return list;
          },
          nb::sig("def notes(self) -> list[str]"), "What was taken for granted.");
}

}  // namespace

void bind_word_net(nb::module_& m) {
  bind_class(m);
  m.def("elaborate", &elaborate, nb::arg("module"), nb::arg("top") = "", nb::kw_only(),
        nb::arg("max_nodes") = hw::word::ElaborateParams().max_nodes, nb::arg("stop").none() = nb::none(),
        nb::sig(
            "def elaborate(module: dynomite._native.ir.Module, top: str = '', *, max_nodes: int = 16777216, "
            "stop: dynomite._native.base.Stop | None = None) -> tuple[WordNet | None, list[tuple[str, "
            "dynomite._native.ir.InstrRef | None, list[tuple[str, dynomite._native.ir.InstrRef | None]]]], "
            "str]"),
        "Checks all modules and flattens one; returns the netlist, or violations and their text.");
  m.def("operator_violations", &operator_violations, nb::arg("module"), nb::kw_only(),
        nb::arg("stop").none() = nb::none(),
        nb::sig("def operator_violations(module: dynomite._native.ir.Module, *, stop: "
                "dynomite._native.base.Stop | None = None) -> tuple[list[tuple[str, "
                "dynomite._native.ir.InstrRef | None, list[tuple[str, dynomite._native.ir.InstrRef | "
                "None]]]], str]"),
        "Operators whose operands or widths are wrong, and the same as text.");
  m.def("module_violations", &module_violations, nb::arg("module"), nb::kw_only(),
        nb::arg("stop").none() = nb::none(),
        nb::sig("def module_violations(module: dynomite._native.ir.Module, *, stop: "
                "dynomite._native.base.Stop | None = None) -> tuple[list[tuple[str, "
                "dynomite._native.ir.InstrRef | None, list[tuple[str, dynomite._native.ir.InstrRef | "
                "None]]]], str]"),
        "What is wrong with the modules, and the same as text; loops show when one is elaborated.");
  m.def(
      "modules", &modules, nb::arg("module"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
      nb::sig("def modules(module: dynomite._native.ir.Module, *, stop: dynomite._native.base.Stop | None = "
              "None) -> list[tuple[str, dynomite._native.ir.InstrRef, list[tuple[str, int]], list[tuple[str, "
              "int]], bool]]"),
      "Name, instruction, input and output ports of each module, and whether another one has an instance.");
  hw::bind_word_lower(m);
  m.def(
      "simulate", &simulate, nb::arg("net"), nb::arg("cycles"),
      nb::arg("signals") = std::vector<std::uint32_t>(), nb::kw_only(), nb::arg("stop").none() = nb::none(),
      nb::sig("def simulate(net: WordNet, cycles: list[list[int]], signals: collections.abc.Sequence[int] = "
              "(), *, stop: dynomite._native.base.Stop | None = None) -> list[tuple[list[int], list[int], "
              "list[int], list[int]]]"),
      "Values of outputs, registers (before the edge), claims and signals, cycle by cycle.");
}
