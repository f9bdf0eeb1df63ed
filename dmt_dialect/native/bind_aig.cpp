#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "dmt_dialect/native/py_aig.hpp"
#include "dynomite/native/module.hpp"

namespace dmt {

nb::str name_to_python(std::string_view name) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "surrogateescape"));
}

namespace {

std::string to_bytes(const nb::str& text, const char* call) {
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) throw nb::python_error();
    PyErr_Clear();
    throw dynomite::UsageError(std::string(call) + ": text with a surrogate that stands for no byte");
  }
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

/// Balanced, so that n operands give log2(n) levels.
template <Lit (AigStore::*kOperation)(Lit, Lit)>
LitRef reduce(Self self, const std::vector<LitRef>& operands, Lit neutral, const char* call) {
  AigStore& store = writable(self);
  std::vector<Lit> lits = checked_lits(store, operands, call);
  while (lits.size() > 1) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < lits.size(); i += 2)
      lits[kept++] = (store.*kOperation)(lits[i], lits[i + 1]);
    if (lits.size() % 2 != 0) lits[kept++] = lits.back();
    lits.resize(kept);
  }
  return make_lit_ref(self, store, lits.empty() ? neutral : lits[0]);
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string describe(Self self) {
  const AigStore& store = store_of(self);
  std::string text = "<Aig";
  if (!store.name().empty()) text += " '" + store.name() + "'";
  text += ": " + counted(store.inputs().size(), "input", "inputs");
  if (!store.latches().empty()) text += ", " + counted(store.latches().size(), "latch", "latches");
  text += ", " + counted(store.outputs().size(), "output", "outputs");
  for (const auto& [count, one, many] :
       {std::tuple{store.bad().size(), "bad property", "bad properties"},
        std::tuple{store.constraints().size(), "constraint", "constraints"},
        std::tuple{store.justice().size(), "justice property", "justice properties"},
        std::tuple{store.fairness().size(), "fairness constraint", "fairness constraints"}}) {
    if (count != 0) text += ", " + counted(count, one, many);
  }
  return text + ", " + counted(store.and_count(), "AND", "ANDs") + ">";
}

/// Walks over the nodes a store had when the walk began.
struct NodeWalk {
  nb::object owner;
  AigStore* store;
  std::uint32_t next;
  std::uint32_t end;
  bool ands_only;
};

NodeWalk walk(Self self, bool ands_only) {
  AigStore& store = store_of(self);
  return {nb::borrow(self), &store, 0, store.node_count(), ands_only};
}

NodeRef next_node(NodeWalk& walk) {
  if (!walk.store->access().can_read())
    throw dynomite::UsageError("the AIG is being changed by another thread");
  while (walk.next < walk.end && walk.ands_only && !walk.store->is_and(NodeId(walk.next))) ++walk.next;
  if (walk.next >= walk.end) throw nb::stop_iteration();
  return {walk.owner, walk.store, NodeId(walk.next++)};
}

void bind_gates(nb::class_<AigStore>& aig) {
  aig.def_prop_ro(
         "false", [](Self self) { return make_lit_ref(self, store_of(self), kFalse); }, "Constant 0.")
      .def_prop_ro(
          "true", [](Self self) { return make_lit_ref(self, store_of(self), kTrue); }, "Constant 1.")
      .def(
          "and_all",
          [](Self self, const std::vector<LitRef>& lits) {
            return reduce<&AigStore::and_>(self, lits, kTrue, "and_all");
          },
          nb::arg("lits"), "The AND of all literals as a balanced tree; true for none.")
      .def(
          "or_all",
          [](Self self, const std::vector<LitRef>& lits) {
            return reduce<&AigStore::or_>(self, lits, kFalse, "or_all");
          },
          nb::arg("lits"), "The OR of all literals as a balanced tree; false for none.")
      .def(
          "xor_all",
          [](Self self, const std::vector<LitRef>& lits) {
            return reduce<&AigStore::xor_>(self, lits, kFalse, "xor_all");
          },
          nb::arg("lits"), "The parity of all literals as a balanced tree; false for none.")
      .def(
          "lit",
          [](Self self, std::uint32_t raw) {
            AigStore& store = store_of(self);
            if (!store.contains(Lit::from_raw(raw))) {
              throw dynomite::UsageError("lit: this AIG has no literal " + std::to_string(raw));
            }
            return make_lit_ref(self, store, Lit::from_raw(raw));
          },
          nb::arg("raw"),
          "The literal with an AIGER number (`Lit.raw`).\n\n"
          "Args:\n    raw: Twice the node's index, plus one if complemented.\n\n"
          "Raises:\n    UsageError: The AIG has no such node.")
      .def(
          "node",
          [](Self self, const NodeId& id) {
            AigStore& store = store_of(self);
            if (id.index() >= store.node_count()) {
              throw dynomite::UsageError("node: this AIG has no node n" + std::to_string(id.index()));
            }
            return make_node_ref(self, store, id);
          },
          nb::arg("id"), "The node with this id.")
      .def(
          "nodes", [](Self self) { return walk(self, false); }, nb::sig("def nodes(self) -> NodeWalk"),
          "Iterates over all nodes in topological order, the constant first.\n\nNodes added meanwhile are "
          "not "
          "visited.")
      .def(
          "ands", [](Self self) { return walk(self, true); }, nb::sig("def ands(self) -> NodeWalk"),
          "Iterates over the ANDs in topological order; see `nodes`.");
}

}  // namespace

std::string name_to_bytes(const nb::str& name, const char* call) {
  std::string bytes = to_bytes(name, call);
  if (bytes.empty())
    throw dynomite::UsageError(std::string(call) + ": a name must not be empty (None: no name)");
  if (bytes.find_first_of(std::string_view("\n\0", 2)) != std::string::npos) {
    throw dynomite::UsageError(std::string(call) + ": a name must not hold a line end or a NUL byte");
  }
  return bytes;
}

std::string line_to_bytes(const nb::str& line, const char* call) {
  std::string bytes = to_bytes(line, call);
  if (bytes.find('\n') != std::string::npos) {
    throw dynomite::UsageError(std::string(call) + ": one line each, without line ends");
  }
  return bytes;
}

LitTuple lit_tuple(Self self, const std::vector<Lit>& lits) {
  nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(lits.size())));
  if (!result.is_valid()) throw nb::python_error();
  AigStore& store = store_of(self);
  for (std::size_t i = 0; i < lits.size(); ++i) {
    PyObject* lit = new_handle(py_lit_type, self.ptr(), &store, lits[i].raw());
    if (lit == nullptr) throw nb::python_error();
    PyTuple_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), lit);
  }
  return nb::cast<LitTuple>(result);
}

std::vector<Lit> checked_lits(const AigStore& store, const std::vector<LitRef>& lits, const char* call) {
  std::vector<Lit> result;
  result.reserve(lits.size());
  for (const LitRef& lit : lits) result.push_back(checked_lit(&store, lit, call));
  return result;
}

}  // namespace dmt

void bind_aig(nb::module_& m) {
  using dmt::AigStore;
  using dmt::NodeId;
  using dmt::NodeKind;
  using dmt::Self;

  nb::enum_<NodeKind>(m, "NodeKind", "What a node is.")
      .value("CONST", NodeKind::kConst)
      .value("INPUT", NodeKind::kInput)
      .value("LATCH", NodeKind::kLatch)
      .value("AND", NodeKind::kAnd);
  nb::class_<NodeId>(
      m, "NodeId", nb::is_final(),
      "Identity of a node in its AIG, dense and in topological order.\n\nNo number to calculate "
      "with; it may index lists and arrays that have one row a node (`Aig.levels`...).")
      .def("__index__", &NodeId::index)
      .def(
          "__eq__", [](const NodeId& a, const NodeId& b) { return a == b; }, nb::is_operator())
      .def("__hash__", &NodeId::index)
      .def("__repr__", [](const NodeId& id) { return "n" + std::to_string(id.index()); });
  dmt::bind_lit(m);
  nb::class_<dmt::NodeWalk>(m, "NodeWalk", nb::is_final(), "Iterator over nodes of an AIG.")
      .def(
          "__iter__", [](nb::handle_t<dmt::NodeWalk> self) { return self; },
          nb::sig("def __iter__(self) -> NodeWalk"))
      .def("__next__", dmt::next_node);

  nb::class_<AigStore> aig(
      m, "Aig", nb::is_final(), nb::is_weak_referenceable(), nb::type_slots(dmt::aig_slots),
      "An and-inverter graph with latches and the properties of AIGER 1.9, 8 bytes a node.\n\n"
      "Node 0 is the constant; ids are dense and in topological order, and never reused. Gates are made by "
      "`and_`, `or_`, `xor`, `mux` or by the operators of `Lit`; they are simplified and hashed. Nodes are "
      "never changed or deleted: `cleanup`, `strash` and `cone` return a new AIG.\n\n"
      "Threads: any number may read at a time. A call that meets one in another thread that it would disturb "
      "raises UsageError.\n\n"
      "The class is final: methods and handles stay fast, and handles need no garbage collection.");
  aig.def(nb::init<>())
      .def("__len__", [](Self self) { return dmt::store_of(self).node_count(); })
      .def("__bool__", [](const AigStore&) { return true; })
      .def("__repr__", [](Self self) { return dmt::name_to_python(dmt::describe(self)); })
      .def(
          "copy", [](Self self) { return AigStore(dmt::store_of(self)); },
          "An independent copy with the same numbering.")
      .def("__copy__", [](Self self) { return AigStore(dmt::store_of(self)); })
      .def(
          "__deepcopy__", [](Self self, nb::handle) { return AigStore(dmt::store_of(self)); },
          nb::arg("memo"));
  dmt::bind_aig_ports(aig);
  dmt::bind_gates(aig);
  dmt::bind_aig_names(aig);
  dmt::bind_aig_arrays(aig);
  dmt::bind_aig_structure(m, aig);
}
