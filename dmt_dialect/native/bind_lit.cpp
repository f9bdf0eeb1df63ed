#include <array>
#include <new>

#include "dmt_dialect/native/py_lit.hpp"
#include "dmt_dialect/native/py_slots.hpp"
#include "dynomite/native/module.hpp"

// `Lit` and `NodeRef` as plain CPython types; see PyHandle for why.

namespace dmt {

namespace {

/// Objects freed and kept for reuse: handles come and go at the rate of gates.
struct FreeList {
  static constexpr std::size_t kRoom = 64;
  std::array<PyObject*, kRoom> objects;
  std::size_t count = 0;
};
FreeList free_list;

PyHandle* handle_of(PyObject* self) { return reinterpret_cast<PyHandle*>(self); }
Lit lit_of(PyObject* self) { return Lit::from_raw(handle_of(self)->word); }
NodeId node_of(PyObject* self) { return NodeId(handle_of(self)->word); }

PyObject* same_owner(PyObject* self, Lit lit) {
  return new_handle(py_lit_type, handle_of(self)->owner, handle_of(self)->store, lit.raw());
}

/// Reads an operand: a literal of the same AIG, or a bool (the constants). False: NotImplemented or an error.
bool operand(PyObject* object, const AigStore* store, Lit* lit) {
  if (Py_TYPE(object) == py_lit_type) {
    if (handle_of(object)->store != store) {
      set_error("UsageError", "the operands are literals of different AIGs");
      return false;
    }
    *lit = lit_of(object);
    return true;
  }
  if (PyBool_Check(object)) {
    *lit = object == Py_True ? kTrue : kFalse;
    return true;
  }
  return false;
}

/// False with a Python error while another thread changes the store, or with `write` uses it at all.
bool may_use(const AigStore& store, bool write) {
  if (write ? store.access().can_write() : store.access().can_read()) return true;
  set_error("UsageError", "the AIG is in use by another thread");
  return false;
}

template <Lit (AigStore::*kOperation)(Lit, Lit)>
PyObject* binary(PyObject* left, PyObject* right) {
  PyObject* self = Py_TYPE(left) == py_lit_type ? left : right;
  AigStore* store = handle_of(self)->store;
  Lit a;
  Lit b;
  if (!operand(left, store, &a) || !operand(right, store, &b)) {
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (!may_use(*store, true)) return nullptr;
  return guarded([&] { return same_owner(self, (store->*kOperation)(a, b)); });
}

PyObject* lit_invert(PyObject* self) { return same_owner(self, ~lit_of(self)); }

int lit_bool(PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "a literal has no truth value; combine literals with & | ^ ~, compare them with ==");
  return -1;
}

void handle_dealloc(PyObject* self) {
  PyObject* owner = handle_of(self)->owner;
  PyTypeObject* type = Py_TYPE(self);
  if (free_list.count < FreeList::kRoom) {
    free_list.objects[free_list.count++] = self;
  } else {
    PyObject_Free(self);
  }
  Py_DECREF(type);
  Py_DECREF(owner);
}

Py_hash_t handle_hash(PyObject* self) {
  std::uint64_t key = reinterpret_cast<std::uintptr_t>(handle_of(self)->store) >> 4;
  key = (key ^ (std::uint64_t{handle_of(self)->word} << 20)) * 0x9E3779B97F4A7C15ULL;
  const auto hash = static_cast<Py_hash_t>(key ^ (key >> 32));
  return hash == -1 ? -2 : hash;
}

PyObject* handle_compare(PyObject* left, PyObject* right, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(left) != Py_TYPE(right)) Py_RETURN_NOTIMPLEMENTED;
  const bool equal =
      handle_of(left)->store == handle_of(right)->store && handle_of(left)->word == handle_of(right)->word;
  return PyBool_FromLong(static_cast<long>(equal == (op == Py_EQ)));
}

PyObject* get_aig(PyObject* self, void*) { return Py_NewRef(handle_of(self)->owner); }

// Lit.

PyObject* lit_repr(PyObject* self) {
  const Lit lit = lit_of(self);
  if (lit.node() == kConstNode) return PyUnicode_FromString(lit.complemented() ? "true" : "false");
  return PyUnicode_FromFormat(lit.complemented() ? "~n%u" : "n%u", lit.node().index());
}

PyObject* lit_raw(PyObject* self, void*) { return PyLong_FromUnsignedLong(handle_of(self)->word); }
PyObject* lit_node(PyObject* self, void*) {
  return new_handle(py_node_type, handle_of(self)->owner, handle_of(self)->store,
                    lit_of(self).node().index());
}
PyObject* lit_complemented(PyObject* self, void*) {
  return PyBool_FromLong(lit_of(self).complemented() ? 1 : 0);
}
PyObject* lit_regular(PyObject* self, void*) { return same_owner(self, lit_of(self).regular()); }
PyObject* lit_is_constant(PyObject* self, void*) {
  return PyBool_FromLong(lit_of(self).node() == kConstNode ? 1 : 0);
}

PyObject* handle_reduce(PyObject* self, PyObject*) {
  const bool is_lit = Py_TYPE(self) == py_lit_type;
  PyObject* module = PyImport_ImportModule("dmt_dialect.aig");
  if (module == nullptr) return nullptr;
  PyObject* restore = PyObject_GetAttrString(module, is_lit ? "restore_lit" : "restore_node");
  Py_DECREF(module);
  if (restore == nullptr) return nullptr;
  const Lit lit = is_lit ? lit_of(self) : Lit(node_of(self), false);
  return Py_BuildValue("N(OI)", restore, handle_of(self)->owner, lit.raw());
}

// NodeRef.

PyObject* node_repr(PyObject* self) { return PyUnicode_FromFormat("n%u", node_of(self).index()); }

PyObject* node_id(PyObject* self, void*) { return nb::cast(node_of(self)).release().ptr(); }
PyObject* node_kind(PyObject* self, void*) {
  const AigStore& store = *handle_of(self)->store;
  return may_use(store, false) ? nb::cast(store.kind(node_of(self))).release().ptr() : nullptr;
}
template <NodeKind kKind>
PyObject* node_is(PyObject* self, void*) {
  const AigStore& store = *handle_of(self)->store;
  return may_use(store, false) ? PyBool_FromLong(store.kind(node_of(self)) == kKind ? 1 : 0) : nullptr;
}
PyObject* node_lit(PyObject* self, void*) { return same_owner(self, Lit(node_of(self), false)); }

/// `which` is the operand's number; sets an error and returns false where there is none.
bool fanin_of(PyObject* self, long which, Lit* fanin) {
  const AigStore* store = handle_of(self)->store;
  if (!may_use(*store, false)) return false;
  if (!store->is_and(node_of(self))) {
    set_error("UsageError", "only AND nodes have operands");
    return false;
  }
  if (which != 0 && which != 1) {
    PyErr_SetString(PyExc_IndexError, "an AND has operands 0 and 1");
    return false;
  }
  *fanin = which == 0 ? store->fanin0(node_of(self)) : store->fanin1(node_of(self));
  return true;
}

template <long kWhich>
PyObject* node_fanin(PyObject* self, void*) {
  Lit fanin;
  return fanin_of(self, kWhich, &fanin) ? same_owner(self, fanin) : nullptr;
}

PyObject* node_operands(PyObject* self, void*) {
  const AigStore& store = *handle_of(self)->store;
  if (!may_use(store, false)) return nullptr;
  if (!store.is_and(node_of(self))) return PyTuple_New(0);
  PyObject* first = node_fanin<0>(self, nullptr);
  PyObject* second = node_fanin<1>(self, nullptr);
  if (first == nullptr || second == nullptr) {
    Py_XDECREF(first);
    Py_XDECREF(second);
    return nullptr;
  }
  return Py_BuildValue("NN", first, second);
}

PyObject* node_operand_def(PyObject* self, PyObject* index) {
  const long which = PyLong_AsLong(index);
  if (which == -1 && PyErr_Occurred() != nullptr) return nullptr;
  Lit fanin;
  if (!fanin_of(self, which, &fanin)) return nullptr;
  return new_handle(py_node_type, handle_of(self)->owner, handle_of(self)->store, fanin.node().index());
}

PyObject* node_position(PyObject* self, void*) {
  const AigStore* store = handle_of(self)->store;
  if (!may_use(*store, false)) return nullptr;
  if (store->is_and(node_of(self)) || node_of(self) == kConstNode) {
    set_error("UsageError", "only inputs and latches have a position");
    return nullptr;
  }
  return PyLong_FromUnsignedLong(store->ci_index(node_of(self)));
}

// Gate methods of Aig, called by CPython without a detour: this is the path of programs that build circuits
// gate by gate.

bool operands(AigStore* store, PyObject* const* arguments, Py_ssize_t given, Py_ssize_t wanted, Lit* lits,
              const char* call) {
  if (given != wanted) {
    PyErr_Format(PyExc_TypeError, "%s() takes %zd literals (%zd given)", call, wanted, given);
    return false;
  }
  for (Py_ssize_t i = 0; i < wanted; ++i) {
    if (operand(arguments[i], store, &lits[i])) continue;
    if (PyErr_Occurred() == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() takes literals, not '%s'", call, Py_TYPE(arguments[i])->tp_name);
    }
    return false;
  }
  return may_use(*store, true);
}

template <Lit (AigStore::*kOperation)(Lit, Lit)>
PyObject* aig_binary(PyObject* self, PyObject* const* arguments, Py_ssize_t count, const char* call) {
  AigStore* store = nb::inst_ptr<AigStore>(self);
  Lit lits[2];
  if (!operands(store, arguments, count, 2, lits, call)) return nullptr;
  return guarded(
      [&] { return new_handle(py_lit_type, self, store, (store->*kOperation)(lits[0], lits[1]).raw()); });
}

PyObject* aig_and(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return aig_binary<&AigStore::and_>(self, arguments, count, "and_");
}
PyObject* aig_or(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return aig_binary<&AigStore::or_>(self, arguments, count, "or_");
}
PyObject* aig_xor(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return aig_binary<&AigStore::xor_>(self, arguments, count, "xor");
}
PyObject* aig_mux(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  AigStore* store = nb::inst_ptr<AigStore>(self);
  Lit lits[3];
  if (!operands(store, arguments, count, 3, lits, "mux")) return nullptr;
  return guarded(
      [&] { return new_handle(py_lit_type, self, store, store->mux(lits[0], lits[1], lits[2]).raw()); });
}

PyObject* lit_mux(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  AigStore* store = handle_of(self)->store;
  Lit lits[2];
  if (!operands(store, arguments, count, 2, lits, "mux")) return nullptr;
  return guarded([&] { return same_owner(self, store->mux(lit_of(self), lits[0], lits[1])); });
}

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
PyCFunction fast(FastCall function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef aig_methods[] = {
    {"and_", fast(aig_and), METH_FASTCALL,
     "and_($self, a, b, /)\n--\n\nThe AND of two literals: constants folded, two-level rules applied, "
     "hashed."},
    {"or_", fast(aig_or), METH_FASTCALL, "or_($self, a, b, /)\n--\n\nThe OR of two literals; see `and_`."},
    {"xor", fast(aig_xor), METH_FASTCALL,
     "xor($self, a, b, /)\n--\n\nThe exclusive OR of two literals, up to three ANDs; see `and_`."},
    {"mux", fast(aig_mux), METH_FASTCALL,
     "mux($self, select, then, otherwise, /)\n--\n\n`then` where `select` is 1, else `otherwise`; see "
     "`and_`."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef lit_properties[] = {
    {"aig", get_aig, nullptr, "The `Aig` this literal belongs to.", nullptr},
    {"node", lit_node, nullptr, "The node, as a `NodeRef`.", nullptr},
    {"is_complemented", lit_complemented, nullptr, "True when the literal is the negation of its node.",
     nullptr},
    {"is_constant", lit_is_constant, nullptr, "True for the literals `Aig.false` and `Aig.true`.", nullptr},
    {"regular", lit_regular, nullptr, "The literal of the same node without complement.", nullptr},
    {"raw", lit_raw, nullptr,
     "The AIGER literal: twice the node's index, plus one if complemented. For numpy arrays; `Aig.lit` is "
     "the "
     "way back.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef lit_methods[] = {
    {"mux", fast(lit_mux), METH_FASTCALL,
     "mux($self, then, otherwise, /)\n--\n\nThe literal of `then` where this literal is 1 and of `otherwise` "
     "where it is 0."},
    {"__reduce__", handle_reduce, METH_NOARGS, "Pickles as the AIG and the literal."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef node_properties[] = {
    {"aig", get_aig, nullptr, "The `Aig` this node belongs to.", nullptr},
    {"id", node_id, nullptr, "The `NodeId`: dense in its AIG, in topological order.", nullptr},
    {"kind", node_kind, nullptr, "What the node is, as a `NodeKind`.", nullptr},
    {"opcode", node_kind, nullptr, "The same as `kind`: every instruction-like reference has an opcode.",
     nullptr},
    {"operands", node_operands, nullptr, "The two fanin literals of an AND; empty for other nodes.", nullptr},
    {"fanin0", node_fanin<0>, nullptr, "First operand of an AND.", nullptr},
    {"fanin1", node_fanin<1>, nullptr, "Second operand of an AND.", nullptr},
    {"lit", node_lit, nullptr, "The literal of this node without complement.", nullptr},
    {"is_and", node_is<NodeKind::kAnd>, nullptr, "True for AND nodes.", nullptr},
    {"is_input", node_is<NodeKind::kInput>, nullptr, "True for primary inputs.", nullptr},
    {"is_latch", node_is<NodeKind::kLatch>, nullptr, "True for latch outputs.", nullptr},
    {"is_const", node_is<NodeKind::kConst>, nullptr, "True for the constant node.", nullptr},
    {"position", node_position, nullptr, "Position of an input in `Aig.inputs`, of a latch in `Aig.latches`.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef node_methods[] = {
    {"operand_def", node_operand_def, METH_O,
     "operand_def($self, index, /)\n--\n\nThe node that defines operand `index` (0 or 1) of an AND."},
    {"__reduce__", handle_reduce, METH_NOARGS, "Pickles as the AIG and the node."},
    {nullptr, nullptr, 0, nullptr}};

template <typename Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

PyTypeObject* make_type(nb::module_& m, const char* name, PyType_Slot* slots) {
  const std::string full = std::string("dynomite._native.aig.") + name;
  PyType_Spec spec = {full.c_str(), sizeof(PyHandle), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                      slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  m.attr(name) = nb::handle(type);
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

PyObject* new_handle(PyTypeObject* type, PyObject* owner, AigStore* store, std::uint32_t word) noexcept {
  PyObject* self;
  if (free_list.count != 0) {
    self = PyObject_Init(free_list.objects[--free_list.count], type);
  } else {
    self = PyObject_New(PyObject, type);
    if (self == nullptr) return nullptr;
  }
  PyHandle* handle = handle_of(self);
  handle->owner = Py_NewRef(owner);
  handle->store = store;
  handle->word = word;
  return self;
}

PyType_Slot aig_slots[] = {{Py_tp_methods, aig_methods}, {0, nullptr}};

void bind_lit(nb::module_& m) {
  static PyType_Slot lit_slots[] = {
      {Py_tp_doc, const_cast<char*>("A literal of an AIG: a node and whether it is complemented.\n\n"
                                    "`~ & | ^` build gates in the literal's `Aig`; a bool may stand for a "
                                    "constant. Literals are equal when they are the same literal of the same "
                                    "`Aig` object. A literal keeps its `Aig` alive.")},
      {Py_tp_dealloc, slot(handle_dealloc)},
      {Py_tp_hash, slot(handle_hash)},
      {Py_tp_richcompare, slot(handle_compare)},
      {Py_tp_repr, slot(lit_repr)},
      {Py_tp_getset, lit_properties},
      {Py_tp_methods, lit_methods},
      {Py_nb_and, slot(binary<&AigStore::and_>)},
      {Py_nb_or, slot(binary<&AigStore::or_>)},
      {Py_nb_xor, slot(binary<&AigStore::xor_>)},
      {Py_nb_invert, slot(lit_invert)},
      {Py_nb_bool, slot(lit_bool)},
      {0, nullptr}};
  static PyType_Slot node_slots[] = {
      {Py_tp_doc, const_cast<char*>("A node of an AIG: the AIG and the node's id, nothing else.\n\n"
                                    "A reference keeps its `Aig` alive.")},
      {Py_tp_dealloc, slot(handle_dealloc)},
      {Py_tp_hash, slot(handle_hash)},
      {Py_tp_richcompare, slot(handle_compare)},
      {Py_tp_repr, slot(node_repr)},
      {Py_tp_getset, node_properties},
      {Py_tp_methods, node_methods},
      {0, nullptr}};
  py_lit_type = make_type(m, "Lit", lit_slots);
  py_node_type = make_type(m, "NodeRef", node_slots);
}

}  // namespace dmt
