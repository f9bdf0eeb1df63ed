#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dmt_dialect/native/py_lit.hpp"
#include "dynomite/native/module.hpp"

using dmt::AigStore;
using dmt::checked_lit;
using dmt::Lit;
using dmt::LitRef;
using dmt::make_lit_ref;
using dmt::make_node_ref;
using dmt::NameTable;
using dmt::Node;
using dmt::NodeId;
using dmt::NodeKind;
using dmt::NodeRef;
using dmt::Reset;
using dmt::store_of;
using dynomite::UsageError;
using Self = nb::handle_t<AigStore>;
using Fanins = nb::ndarray<nb::numpy, const std::uint32_t, nb::shape<-1, 2>, nb::c_contig>;
using Literals = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>, nb::c_contig>;

namespace {

// Names hold the bytes of the file; Python sees them as UTF-8 with surrogate escapes, so that all round-trip.
nb::str to_python(std::string_view name) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "surrogateescape"));
}

std::string to_bytes(nb::str text, const char* call) {
  nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) throw nb::python_error();
  char* data = nullptr;
  Py_ssize_t size = 0;
  PyBytes_AsStringAndSize(bytes.ptr(), &data, &size);
  std::string result(data, static_cast<std::size_t>(size));
  if (result.find_first_of(std::string_view("\n\0", 2)) != std::string::npos) {
    throw UsageError(std::string(call) + ": a name must not hold a line end or a NUL byte");
  }
  return result;
}

using OptionalName = std::optional<nb::str>;

void set_name(NameTable& table, std::size_t index, const OptionalName& name, const char* call) {
  if (name.has_value()) table.set(index, to_bytes(*name, call));
}

Reset reset_of(const std::optional<int>& reset, const char* call) {
  if (!reset.has_value()) return Reset::kUninitialised;
  if (*reset == 0) return Reset::kZero;
  if (*reset == 1) return Reset::kOne;
  throw UsageError(std::string(call) + ": reset must be 0, 1 or None (uninitialised)");
}

/// A section of ports: its size and its names.
struct Section {
  NameTable& names;
  std::size_t size;
};

Section section_of(AigStore& store, std::string_view section, const char* call) {
  auto& names = store.names();
  if (section == "inputs") return {names.inputs, store.inputs().size()};
  if (section == "latches") return {names.latches, store.latches().size()};
  if (section == "outputs") return {names.outputs, store.outputs().size()};
  if (section == "bad") return {names.bad, store.bad().size()};
  if (section == "constraints") return {names.constraints, store.constraints().size()};
  if (section == "justice") return {names.justice, store.justice().size()};
  if (section == "fairness") return {names.fairness, store.fairness().size()};
  throw UsageError(std::string(call) + ": no section '" + std::string(section) +
                   "'; sections are inputs, latches, outputs, bad, constraints, justice, fairness");
}

using LitTuple = nb::typed<nb::tuple, dmt::LitRef, nb::ellipsis>;

LitTuple lit_tuple(Self self, std::size_t count, auto&& lit_at) {
  nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
  if (!result.is_valid()) throw nb::python_error();
  AigStore& store = store_of(self);
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* lit = dmt::new_handle(dmt::py_lit_type, self.ptr(), &store, Lit(lit_at(i)).raw());
    if (lit == nullptr) throw nb::python_error();
    PyTuple_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), lit);
  }
  return nb::cast<LitTuple>(result);
}

LitTuple lit_tuple(Self self, const std::vector<Lit>& lits) {
  return lit_tuple(self, lits.size(), [&](std::size_t i) { return lits[i]; });
}

Literals new_literals(std::size_t count, auto&& lit_at) {
  auto* data = new std::uint32_t[count];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint32_t*>(p); });
  for (std::size_t i = 0; i < count; ++i) data[i] = Lit(lit_at(i)).raw();
  return Literals(data, {count}, owner);
}

/// Adds a literal with an optional name to a section.
void add_property(AigStore& store, std::vector<Lit>& lits, NameTable& names, const LitRef& lit,
                  const OptionalName& name, const char* call) {
  const Lit checked = checked_lit(&store, lit, call);
  const std::size_t index = lits.size();
  set_name(names, index, name, call);
  lits.push_back(checked);
}

std::uint32_t latch_of(const AigStore& store, const LitRef& latch, const char* call) {
  const Lit lit = checked_lit(&store, latch, call);
  if (lit.complemented() || !store.is_latch(lit.node()))
    throw UsageError(std::string(call) + ": not a latch");
  return store.ci_index(lit.node());
}

Fanins fanins(Self self) {
  const AigStore& store = store_of(self);
  auto* keep = new std::shared_ptr<const void>(store.node_array().share());
  nb::capsule owner(keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  const std::span<const Node> nodes = store.nodes();
  return Fanins(nodes.data(), {nodes.size(), 2}, owner);
}

void bind_ports(nb::class_<AigStore>& aig) {
  aig.def(
         "add_input",
         [](Self self, const OptionalName& name) {
           AigStore& store = store_of(self);
           const std::string bytes = name.has_value() ? to_bytes(*name, "add_input") : std::string();
           const std::size_t index = store.inputs().size();
           const Lit lit = store.add_input();
           if (name.has_value()) store.names().inputs.set(index, bytes);
           return make_lit_ref(self, store, lit);
         },
         nb::arg("name") = nb::none(), "Adds a primary input and returns its literal.")
      .def(
          "add_inputs",
          [](Self self, std::uint32_t count) {
            AigStore& store = store_of(self);
            const std::uint32_t first = store.add_inputs(count).node().index();
            return lit_tuple(self, count, [&](std::size_t i) {
              return Lit(NodeId(first + static_cast<std::uint32_t>(i)), false);
            });
          },
          nb::arg("count"), "Adds `count` unnamed primary inputs and returns their literals.")
      .def(
          "add_inputs",
          [](Self self, const std::vector<nb::str>& names) {
            AigStore& store = store_of(self);
            std::vector<std::string> bytes;
            for (const nb::str& name : names) bytes.push_back(to_bytes(name, "add_inputs"));
            const std::size_t index = store.inputs().size();
            const std::uint32_t first =
                store.add_inputs(static_cast<std::uint32_t>(names.size())).node().index();
            for (std::size_t i = 0; i < bytes.size(); ++i) store.names().inputs.set(index + i, bytes[i]);
            return lit_tuple(self, bytes.size(), [&](std::size_t i) {
              return Lit(NodeId(first + static_cast<std::uint32_t>(i)), false);
            });
          },
          nb::arg("names"), "Adds one primary input a name and returns their literals.")
      .def(
          "add_latch",
          [](Self self, std::optional<int> reset, const OptionalName& name) {
            AigStore& store = store_of(self);
            const Reset value = reset_of(reset, "add_latch");
            const std::string bytes = name.has_value() ? to_bytes(*name, "add_latch") : std::string();
            const std::size_t index = store.latches().size();
            const Lit lit = store.add_latch(value);
            if (name.has_value()) store.names().latches.set(index, bytes);
            return make_lit_ref(self, store, lit);
          },
          nb::arg("reset").none() = 0, nb::arg("name") = nb::none(),
          "Adds a latch whose next state is false until `set_next`; `reset` is 0, 1 or None (uninitialised).")
      .def(
          "set_next",
          [](Self self, const LitRef& latch, const LitRef& next) {
            AigStore& store = store_of(self);
            const std::uint32_t index = latch_of(store, latch, "set_next");
            store.set_next(index, checked_lit(&store, next, "set_next"));
          },
          nb::arg("latch"), nb::arg("next"), "Sets the next-state literal of a latch.")
      .def(
          "set_reset",
          [](Self self, const LitRef& latch, std::optional<int> reset) {
            AigStore& store = store_of(self);
            store.set_reset(latch_of(store, latch, "set_reset"), reset_of(reset, "set_reset"));
          },
          nb::arg("latch"), nb::arg("reset").none(), "Sets the reset value of a latch: 0, 1 or None.")
      .def(
          "add_output",
          [](Self self, const LitRef& lit, const OptionalName& name) {
            AigStore& store = store_of(self);
            add_property(store, store.outputs(), store.names().outputs, lit, name, "add_output");
          },
          nb::arg("lit"), nb::arg("name") = nb::none(), "Adds an output.")
      .def(
          "set_output",
          [](Self self, std::size_t index, const LitRef& lit) {
            AigStore& store = store_of(self);
            if (index >= store.outputs().size()) throw nb::index_error("set_output: no such output");
            store.outputs()[index] = checked_lit(&store, lit, "set_output");
          },
          nb::arg("index"), nb::arg("lit"), "Replaces the literal of an output.")
      .def(
          "add_bad",
          [](Self self, const LitRef& lit, const OptionalName& name) {
            AigStore& store = store_of(self);
            add_property(store, store.bad(), store.names().bad, lit, name, "add_bad");
          },
          nb::arg("lit"), nb::arg("name") = nb::none(), "Adds a bad-state property.")
      .def(
          "add_constraint",
          [](Self self, const LitRef& lit, const OptionalName& name) {
            AigStore& store = store_of(self);
            add_property(store, store.constraints(), store.names().constraints, lit, name, "add_constraint");
          },
          nb::arg("lit"), nb::arg("name") = nb::none(), "Adds an invariant constraint.")
      .def(
          "add_fairness",
          [](Self self, const LitRef& lit, const OptionalName& name) {
            AigStore& store = store_of(self);
            add_property(store, store.fairness(), store.names().fairness, lit, name, "add_fairness");
          },
          nb::arg("lit"), nb::arg("name") = nb::none(), "Adds a fairness constraint.")
      .def(
          "add_justice",
          [](Self self, const std::vector<LitRef>& lits, const OptionalName& name) {
            AigStore& store = store_of(self);
            std::vector<Lit> checked;
            for (const LitRef& lit : lits) checked.push_back(checked_lit(&store, lit, "add_justice"));
            set_name(store.names().justice, store.justice().size(), name, "add_justice");
            store.justice().push_back(std::move(checked));
          },
          nb::arg("lits"), nb::arg("name") = nb::none(), "Adds a justice property: a set of literals.");
}

void bind_sections(nb::class_<AigStore>& aig) {
  aig.def_prop_ro(
         "num_inputs", [](const AigStore& store) { return store.inputs().size(); }, "Number of inputs.")
      .def_prop_ro(
          "num_latches", [](const AigStore& store) { return store.latches().size(); }, "Number of latches.")
      .def_prop_ro(
          "num_outputs", [](const AigStore& store) { return store.outputs().size(); }, "Number of outputs.")
      .def_prop_ro(
          "num_ands", [](const AigStore& store) { return store.and_count(); }, "Number of AND nodes.")
      .def_prop_ro(
          "num_nodes", [](const AigStore& store) { return store.node_count(); },
          "Number of nodes: the constant, inputs, latches and ANDs.")
      .def_prop_ro(
          "inputs",
          [](Self self) {
            const auto& inputs = store_of(self).inputs();
            return lit_tuple(self, inputs.size(), [&](std::size_t i) { return Lit(inputs[i], false); });
          },
          "Literals of the inputs, in order.")
      .def_prop_ro(
          "latches",
          [](Self self) {
            const auto& latches = store_of(self).latches();
            return lit_tuple(self, latches.size(),
                             [&](std::size_t i) { return Lit(latches[i].node, false); });
          },
          "Literals of the latches' outputs, in order.")
      .def_prop_ro(
          "next_states",
          [](Self self) {
            const auto& latches = store_of(self).latches();
            return lit_tuple(self, latches.size(), [&](std::size_t i) { return latches[i].next; });
          },
          "Next-state literals of the latches, in order.")
      .def_prop_ro(
          "resets",
          [](const AigStore& store) {
            std::vector<std::optional<int>> resets;
            for (const auto& latch : store.latches()) {
              if (latch.reset == Reset::kUninitialised) {
                resets.emplace_back();
              } else {
                resets.emplace_back(latch.reset == Reset::kOne ? 1 : 0);
              }
            }
            return resets;
          },
          "Reset values of the latches: 0, 1 or None (uninitialised).")
      .def_prop_ro(
          "outputs", [](Self self) { return lit_tuple(self, store_of(self).outputs()); },
          "Literals of the outputs, in order.")
      .def_prop_ro(
          "bad", [](Self self) { return lit_tuple(self, store_of(self).bad()); },
          "Literals of the bad-state properties.")
      .def_prop_ro(
          "constraints", [](Self self) { return lit_tuple(self, store_of(self).constraints()); },
          "Literals of the invariant constraints.")
      .def_prop_ro(
          "fairness", [](Self self) { return lit_tuple(self, store_of(self).fairness()); },
          "Literals of the fairness constraints.")
      .def_prop_ro(
          "justice",
          [](Self self) {
            nb::list groups;
            for (const auto& group : store_of(self).justice()) groups.append(lit_tuple(self, group));
            return nb::typed<nb::tuple, LitTuple, nb::ellipsis>(nb::tuple(groups));
          },
          "The justice properties, each a tuple of literals.")
      .def(
          "literals",
          [](const AigStore& store, std::string_view section) {
            const auto of = [](const std::vector<Lit>& lits) {
              return new_literals(lits.size(), [&](std::size_t i) { return lits[i]; });
            };
            if (section == "outputs") return of(store.outputs());
            if (section == "bad") return of(store.bad());
            if (section == "constraints") return of(store.constraints());
            if (section == "fairness") return of(store.fairness());
            if (section == "inputs") {
              return new_literals(store.inputs().size(),
                                  [&](std::size_t i) { return Lit(store.inputs()[i], false); });
            }
            if (section == "latches") {
              return new_literals(store.latches().size(),
                                  [&](std::size_t i) { return Lit(store.latches()[i].node, false); });
            }
            if (section == "next_states") {
              return new_literals(store.latches().size(),
                                  [&](std::size_t i) { return store.latches()[i].next; });
            }
            throw UsageError(
                "literals: no section '" + std::string(section) +
                "'; sections are inputs, latches, next_states, outputs, bad, constraints, fairness");
          },
          nb::arg("section"), "The AIGER literals of a section as an array.");
}

void bind_names(nb::class_<AigStore>& aig) {
  aig.def_prop_rw(
         "name", [](const AigStore& store) { return to_python(store.name()); },
         [](AigStore& store, nb::str name) { store.name() = to_bytes(name, "name"); }, "Name of the circuit.")
      .def_prop_rw(
          "comments",
          [](const AigStore& store) {
            nb::typed<nb::list, nb::str> lines;
            for (const std::string& line : store.comments()) lines.append(to_python(line));
            return lines;
          },
          [](AigStore& store, const std::vector<nb::str>& lines) {
            std::vector<std::string> bytes;
            for (const nb::str& line : lines) bytes.push_back(to_bytes(line, "comments"));
            store.comments() = std::move(bytes);
          },
          "Comment lines, as in the AIGER comment section. A copy; assign to change.")
      .def(
          "get_name",
          [](AigStore& store, std::string_view section, std::size_t index) -> nb::object {
            const Section s = section_of(store, section, "get_name");
            if (index >= s.size) throw nb::index_error("get_name: no such port");
            return s.names.has(index) ? nb::object(to_python(s.names.get(index))) : nb::none();
          },
          nb::arg("section"), nb::arg("index"), "Name of a port, or None.",
          nb::sig("def get_name(self, section: str, index: int) -> str | None"))
      .def(
          "set_name",
          [](AigStore& store, std::string_view section, std::size_t index, const OptionalName& name) {
            const Section s = section_of(store, section, "set_name");
            if (index >= s.size) throw nb::index_error("set_name: no such port");
            s.names.set(index, name.has_value() ? to_bytes(*name, "set_name") : std::string());
          },
          nb::arg("section"), nb::arg("index"), nb::arg("name").none(),
          "Sets the name of a port; None removes it.")
      .def(
          "names",
          [](AigStore& store, std::string_view section) {
            const Section s = section_of(store, section, "names");
            nb::list names;
            for (std::size_t i = 0; i < s.size; ++i) {
              if (s.names.has(i)) {
                names.append(to_python(s.names.get(i)));
              } else {
                names.append(nb::none());
              }
            }
            return names;
          },
          nb::arg("section"), "Names of a section's ports, None where there is none.",
          nb::sig("def names(self, section: str) -> list[str | None]"))
      .def(
          "set_names",
          [](AigStore& store, std::string_view section, const std::vector<OptionalName>& names) {
            const Section s = section_of(store, section, "set_names");
            if (names.size() != s.size) throw UsageError("set_names: one name a port is needed");
            NameTable table;
            for (std::size_t i = 0; i < names.size(); ++i) set_name(table, i, names[i], "set_names");
            s.names = std::move(table);
          },
          nb::arg("section"), nb::arg("names"), "Replaces all names of a section.")
      .def(
          "name_count",
          [](AigStore& store, std::string_view section) {
            return section_of(store, section, "name_count").names.count();
          },
          nb::arg("section"), "Number of ports of a section that have a name.")
      .def(
          "add_net_name",
          [](AigStore& store, const LitRef& lit, nb::str name) {
            store.net_names().push_back(
                {checked_lit(&store, lit, "add_net_name"), to_bytes(name, "add_net_name")});
          },
          nb::arg("lit"), nb::arg("name"), "Names an internal literal (a net).")
      .def_prop_ro(
          "net_names",
          [](Self self) {
            nb::typed<nb::list, nb::typed<nb::tuple, dmt::LitRef, nb::str>> nets;
            AigStore& store = store_of(self);
            for (const auto& net : store.net_names()) {
              nets.append(nb::make_tuple(make_lit_ref(self, store, net.lit), to_python(net.name)));
            }
            return nets;
          },
          "Pairs of literal and net name.");
}

void bind_logic(nb::class_<AigStore>& aig) {
  aig.def_prop_ro(
         "false", [](Self self) { return make_lit_ref(self, store_of(self), dmt::kFalse); }, "Constant 0.")
      .def_prop_ro(
          "true", [](Self self) { return make_lit_ref(self, store_of(self), dmt::kTrue); }, "Constant 1.")
      .def(
          "lit",
          [](Self self, std::uint32_t raw) {
            AigStore& store = store_of(self);
            if (!store.contains(Lit::from_raw(raw))) throw UsageError("lit: no such literal in this AIG");
            return make_lit_ref(self, store, Lit::from_raw(raw));
          },
          nb::arg("raw"),
          "The literal with this AIGER number (twice the node's index, plus one if complemented).")
      .def(
          "node",
          [](Self self, const NodeId& id) {
            AigStore& store = store_of(self);
            if (id.index() >= store.node_count()) throw UsageError("node: no such node in this AIG");
            return make_node_ref(self, store, id);
          },
          nb::arg("id"), "The node with this id.");
}

}  // namespace

void bind_aig(nb::module_& m) {
  nb::enum_<NodeKind>(m, "NodeKind", "What a node is.")
      .value("CONST", NodeKind::kConst)
      .value("INPUT", NodeKind::kInput)
      .value("LATCH", NodeKind::kLatch)
      .value("AND", NodeKind::kAnd);
  nb::class_<NodeId>(m, "NodeId", nb::is_final(),
                     "Identity of a node in its AIG; an index into arrays with one row a node.")
      .def("__index__", &NodeId::index)
      .def(
          "__eq__", [](const NodeId& a, const NodeId& b) { return a == b; }, nb::is_operator())
      .def("__hash__", &NodeId::index)
      .def("__repr__", [](const NodeId& id) { return "n" + std::to_string(id.index()); });
  dmt::bind_lit(m);

  nb::class_<AigStore> aig(m, "Aig", nb::is_final(), nb::is_weak_referenceable(),
                           nb::type_slots(dmt::aig_slots), "An and-inverter graph.");
  aig.def(nb::init<>())
      .def("__len__", [](const AigStore& store) { return store.node_count(); })
      .def(
          "copy", [](const AigStore& store) { return AigStore(store); }, "An independent copy.")
      .def("__copy__", [](const AigStore& store) { return AigStore(store); })
      .def(
          "__deepcopy__", [](const AigStore& store, nb::handle) { return AigStore(store); }, nb::arg("memo"))
      .def_prop_ro(
          "fanins", fanins, nb::rv_policy::automatic,
          "Fanin literals, one row a node, as a read-only view without copying. Rows of nodes that are no "
          "AND begin with 0xFFFFFFFF. The view stays as it is when the AIG grows.")
      .def_static(
          "from_fanins",
          [](const nb::ndarray<nb::numpy, const std::uint32_t, nb::shape<-1, 2>, nb::c_contig>& rows) {
            dynomite::SharedArray<Node> array;
            array.resize_uninitialised(rows.shape(0));
            std::copy_n(reinterpret_cast<const Node*>(rows.data()), rows.shape(0), array.mutable_data());
            return AigStore::from_nodes(std::move(array));
          },
          nb::arg("fanins"), "An AIG of the rows `fanins` shows. Outputs are added afterwards.");
  bind_ports(aig);
  bind_sections(aig);
  bind_names(aig);
  bind_logic(aig);

  m.def("_restore_lit", [](Self self, std::uint32_t raw) {
    AigStore& store = store_of(self);
    if (!store.contains(Lit::from_raw(raw))) throw UsageError("no such literal in this AIG");
    return make_lit_ref(self, store, Lit::from_raw(raw));
  });
  m.def("_restore_node", [](Self self, std::uint32_t index) {
    AigStore& store = store_of(self);
    if (index >= store.node_count()) throw UsageError("no such node in this AIG");
    return make_node_ref(self, store, NodeId(index));
  });
}
