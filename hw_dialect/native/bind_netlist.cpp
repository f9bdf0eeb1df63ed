#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "dynomite/native/module.hpp"
#include "hw_dialect/native/py_netlist.hpp"

namespace {

using hw::Cell;
using hw::CellKind;
using hw::Model;
using hw::NetId;
using hw::Netlist;
using hw::to_python;

using NetlistPointer = std::shared_ptr<const Netlist>;
using NameList = nb::typed<nb::list, nb::str>;
using PairList = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str>>;
using AttributeList = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str, nb::str>>;

/// A model or a cell of a netlist; keeps the netlist alive.
struct ModelRef {
  NetlistPointer netlist;
  std::uint32_t index;
  const Model& model() const { return netlist->models[index]; }
};
struct CellRef {
  NetlistPointer netlist;
  std::uint32_t model;
  std::uint32_t index;
  const Cell& cell() const { return netlist->cells[index]; }
};

NameList ports(const ModelRef& ref, hw::PortKind kind) {
  NameList names;
  const Model& model = ref.model();
  for (std::uint32_t p = model.ports.begin; p < model.ports.end; ++p) {
    const hw::Port& port = ref.netlist->ports[p];
    if (port.kind == kind) names.append(to_python(ref.netlist->net_name(port.net)));
  }
  return names;
}

AttributeList attributes(const NetlistPointer& netlist, const Model& model, std::uint32_t cell) {
  AttributeList list;
  for (std::uint32_t a = model.attributes.begin; a < model.attributes.end; ++a) {
    const hw::Attribute& attribute = netlist->attributes[a];
    if (attribute.cell != cell) continue;
    const char* kind = attribute.kind == hw::AttributeKind::kCellName    ? "cname"
                       : attribute.kind == hw::AttributeKind::kAttribute ? "attr"
                                                                         : "param";
    list.append(nb::make_tuple(kind, to_python(netlist->names.text(attribute.key)),
                               to_python(netlist->attribute_value(attribute))));
  }
  return list;
}

const char* kind_name(CellKind kind) {
  switch (kind) {
    case CellKind::kNames: return "names";
    case CellKind::kLatch: return "latch";
    case CellKind::kSubckt: return "subckt";
    case CellKind::kGate: return "gate";
    case CellKind::kMlatch: return "mlatch";
    case CellKind::kConnection: return "conn";
    case CellKind::kDirective: return "directive";
    case CellKind::kFunction: return "function";
  }
  return "";
}

nb::object latch_type(const CellRef& ref) {
  static constexpr const char* kTypes[] = {nullptr, "fe", "re", "ah", "al", "as"};
  const Cell& cell = ref.cell();
  const char* type = cell.kind == CellKind::kLatch ? kTypes[cell.detail] : nullptr;
  return type == nullptr ? nb::none() : nb::object(nb::str(type));
}

nb::object latch_control(const CellRef& ref) {
  const Cell& cell = ref.cell();
  if (cell.kind != CellKind::kLatch || cell.pin_count < 3) return nb::none();
  return to_python(ref.netlist->net_name(ref.netlist->cell_pins(cell)[2]));
}

bool has_pins(CellKind kind) { return !hw::is_instance(kind) && kind != CellKind::kDirective; }

NameList cell_inputs(const CellRef& ref) {
  NameList names;
  const Cell& cell = ref.cell();
  if (!has_pins(cell.kind)) return names;
  const auto pins = ref.netlist->cell_pins(cell);
  const std::size_t count =
      cell.kind == CellKind::kNames || cell.kind == CellKind::kFunction ? pins.size() - 1 : 1;
  for (const NetId net : pins.first(count)) names.append(to_python(ref.netlist->net_name(net)));
  return names;
}

nb::object cell_output(const CellRef& ref) {
  const Cell& cell = ref.cell();
  if (!has_pins(cell.kind)) return nb::none();
  const auto pins = ref.netlist->cell_pins(cell);
  const bool last = cell.kind == CellKind::kNames || cell.kind == CellKind::kFunction;
  return to_python(ref.netlist->net_name(last ? pins.back() : pins[1]));
}

NameList cell_rows(const CellRef& ref) {
  NameList rows;
  const Cell& cell = ref.cell();
  if (cell.kind != CellKind::kNames) return rows;
  for (std::uint32_t row = 0; row < cell.text_count; ++row)
    rows.append(to_python(ref.netlist->cover_row(cell, row)));
  return rows;
}

PairList cell_connections(const CellRef& ref) {
  PairList pairs;
  const Cell& cell = ref.cell();
  if (!hw::is_instance(cell.kind)) return pairs;
  for (const hw::Binding& binding : ref.netlist->cell_bindings(cell)) {
    const std::string_view formal =
        binding.formal.none() ? std::string_view() : ref.netlist->names.text(binding.formal);
    pairs.append(nb::make_tuple(to_python(formal), to_python(ref.netlist->net_name(binding.net))));
  }
  return pairs;
}

}  // namespace

namespace hw {

void bind_netlist(nb::module_& m) {
  nb::class_<CellRef>(m, "Cell", "One element of a netlist's model, as the file has it.")
      .def_prop_ro(
          "kind", [](const CellRef& ref) { return kind_name(ref.cell().kind); },
          "'names', 'latch', 'subckt', 'gate', 'mlatch', 'conn' or 'directive' (no logic).")
      .def_prop_ro(
          "line", [](const CellRef& ref) { return ref.cell().line; }, "Line of the file, from 1.")
      .def_prop_ro("inputs", cell_inputs, "Nets read by a .names, .latch or .conn.")
      .def_prop_ro("output", cell_output, "Net driven by a .names, .latch or .conn, else None.",
                   nb::sig("def output(self) -> str | None"))
      .def_prop_ro("rows", cell_rows, "Input parts of a cover's rows.")
      .def_prop_ro(
          "phase",
          [](const CellRef& ref) { return ref.cell().kind != CellKind::kNames || ref.cell().detail != 0; },
          "Output value of a cover's rows.")
      .def_prop_ro(
          "model",
          [](const CellRef& ref) -> nb::object {
            if (!hw::is_instance(ref.cell().kind)) return nb::none();
            return to_python(ref.netlist->names.text(ref.cell().name));
          },
          "Model that an instance names, else None.", nb::sig("def model(self) -> str | None"))
      .def_prop_ro("connections", cell_connections,
                   "Pairs (formal, net) of an instance; the control of a .mlatch has the formal ''.")
      .def_prop_ro("latch_type", latch_type, "'fe', 're', 'ah', 'al', 'as', or None if the line has none.",
                   nb::sig("def latch_type(self) -> str | None"))
      .def_prop_ro("control", latch_control, "Clock net of a .latch, or None.",
                   nb::sig("def control(self) -> str | None"))
      .def_prop_ro(
          "init",
          [](const CellRef& ref) -> nb::object {
            const std::uint8_t init = ref.cell().init;
            return init == hw::kNoInit ? nb::none() : nb::object(nb::int_(init));
          },
          "Initial value field of a latch, or None if the line has none (it then counts as 3).",
          nb::sig("def init(self) -> int | None"))
      .def_prop_ro(
          "text",
          [](const CellRef& ref) {
            const bool raw = ref.cell().kind == CellKind::kDirective;
            return to_python(raw ? ref.netlist->cell_text(ref.cell()) : std::string_view());
          },
          "Raw text of a directive, else empty.")
      .def_prop_ro(
          "attributes",
          [](const CellRef& ref) {
            return attributes(ref.netlist, ref.netlist->models[ref.model], ref.index);
          },
          "Triples (kind, key, value) of the lines .cname, .attr and .param that follow it.");

  nb::class_<ModelRef>(m, "Model", "One model of a netlist.")
      .def_prop_ro(
          "name", [](const ModelRef& ref) { return to_python(ref.netlist->model_name(ref.model())); },
          "Its name; of a file without .model: taken from the file's name.")
      .def_prop_ro(
          "line", [](const ModelRef& ref) { return ref.model().line; }, "Line of the file, from 1.")
      .def_prop_ro(
          "inputs", [](const ModelRef& ref) { return ports(ref, hw::PortKind::kInput); }, "In file order.")
      .def_prop_ro(
          "outputs", [](const ModelRef& ref) { return ports(ref, hw::PortKind::kOutput); }, "In file order.")
      .def_prop_ro(
          "clocks", [](const ModelRef& ref) { return ports(ref, hw::PortKind::kClock); }, "Nets of .clock.")
      .def_prop_ro(
          "is_black_box", [](const ModelRef& ref) { return ref.model().black_box; }, "Has a .blackbox line.")
      .def_prop_ro(
          "exdc",
          [](const ModelRef& ref) -> std::optional<ModelRef> {
            if (ref.model().exdc == Model::kNoModel) return std::nullopt;
            return ModelRef{ref.netlist, ref.model().exdc};
          },
          "Network of external don't-cares, or None.", nb::sig("def exdc(self) -> Model | None"))
      .def_prop_ro(
          "cells",
          [](const ModelRef& ref) {
            nb::typed<nb::list, CellRef> list;
            for (std::uint32_t c = ref.model().cells.begin; c < ref.model().cells.end; ++c) {
              list.append(CellRef{ref.netlist, ref.index, c});
            }
            return list;
          },
          "Its elements in file order; a new list of views. Linear.")
      .def_prop_ro(
          "attributes",
          [](const ModelRef& ref) { return attributes(ref.netlist, ref.model(), hw::Attribute::kOfModel); },
          "Triples (kind, key, value) that stand before the first element.");

  nb::class_<Netlist>(m, "Netlist",
                      "A BLIF file as it is: models with ports, elements and attributes. Immutable.")
      .def_prop_ro(
          "path", [](const Netlist& netlist) { return to_python(netlist.path); }, "Name of the file.")
      .def_prop_ro(
          "models",
          [](const std::shared_ptr<Netlist>& netlist) {
            nb::typed<nb::list, ModelRef> list;
            for (std::uint32_t i = 0; i < netlist->models.size(); ++i) {
              if (!netlist->models[i].is_exdc) list.append(ModelRef{netlist, i});
            }
            return list;
          },
          "In file order; the first is the top.")
      .def_prop_ro(
          "notes", [](const Netlist& netlist) { return to_python(netlist.notes); },
          "Pairs (line, text) about lines that were skipped; line 0 is no particular one.")
      .def_prop_ro("memory", &Netlist::memory, "Bytes held.");
}

}  // namespace hw
