#include <array>
#include <new>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/py_bdd.hpp"
#include "dmt_dialect/native/py_slots.hpp"
#include "dynomite/native/module.hpp"

// `BddRef` as a plain CPython type: the operators that programs call at the rate of gates.

namespace dmt {

namespace {

/// Objects freed and kept for reuse.
struct FreeList {
  static constexpr std::size_t kRoom = 64;
  std::array<PyObject*, kRoom> objects;
  std::size_t count = 0;
};
FreeList free_list;

PyBddRef* ref_of(PyObject* self) { return reinterpret_cast<PyBddRef*>(self); }
BddEdge edge_of(PyObject* self) { return BddEdge::from_raw(ref_of(self)->edge); }

bool is_alive(PyObject* self) {
  if (ref_of(self)->generation == ref_of(self)->manager->generation) return true;
  set_error("StaleRefError", "the BDD manager was cleared; this reference is stale");
  return false;
}

/// Reads an operand: a reference of the same manager, or a bool. False: NotImplemented or an error.
bool operand(PyObject* object, const BddManager* manager, BddEdge* edge) {
  if (Py_TYPE(object) == py_bdd_ref_type) {
    if (ref_of(object)->manager != manager) {
      set_error("UsageError", "the operands belong to different BDD managers");
      return false;
    }
    if (!is_alive(object)) return false;
    *edge = edge_of(object);
    return true;
  }
  if (PyBool_Check(object)) {
    *edge = object == Py_True ? kBddTrue : kBddFalse;
    return true;
  }
  return false;
}

BddEdge apply_and(BddStore& store, BddEdge f, BddEdge g) { return bdd::and_(store, f, g); }
BddEdge apply_or(BddStore& store, BddEdge f, BddEdge g) { return bdd::or_(store, f, g); }
BddEdge apply_xor(BddStore& store, BddEdge f, BddEdge g) { return bdd::xor_(store, f, g); }
/// f and not g: the difference of sets.
BddEdge apply_minus(BddStore& store, BddEdge f, BddEdge g) { return bdd::and_(store, f, ~g); }

template <BddEdge (*kOperation)(BddStore&, BddEdge, BddEdge)>
PyObject* binary(PyObject* left, PyObject* right) {
  PyObject* self = Py_TYPE(left) == py_bdd_ref_type ? left : right;
  BddManager* manager = ref_of(self)->manager;
  BddEdge f;
  BddEdge g;
  if (!operand(left, manager, &f) || !operand(right, manager, &g)) {
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_RETURN_NOTIMPLEMENTED;
  }
  return guarded([&] {
    const BddEdge result = run_bdd(*manager, nullptr, [&] { return kOperation(manager->store, f, g); });
    return new_bdd_ref(ref_of(self)->owner, manager, result);
  });
}

PyObject* invert(PyObject* self) {
  if (!is_alive(self)) return nullptr;
  return guarded([&] {
    ref_of(self)->manager->store.access().check_write();
    return new_bdd_ref(ref_of(self)->owner, ref_of(self)->manager, ~edge_of(self));
  });
}

int no_bool(PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "a BDD has no truth value; combine functions with & | ^ ~, compare them with == and <=");
  return -1;
}

void dealloc(PyObject* self) {
  PyObject* owner = ref_of(self)->owner;
  BddManager* manager = ref_of(self)->manager;
  if (ref_of(self)->generation == manager->generation) {
    if (manager->store.access().can_read()) {
      manager->store.deref(edge_of(self));
    } else {
      manager->dead.push_back(edge_of(self));
    }
  }
  PyTypeObject* type = Py_TYPE(self);
  if (free_list.count < FreeList::kRoom) {
    free_list.objects[free_list.count++] = self;
  } else {
    PyObject_Free(self);
  }
  Py_DECREF(type);
  Py_DECREF(owner);
}

Py_hash_t hash(PyObject* self) {
  const std::uint64_t key =
      fold_product((reinterpret_cast<std::uintptr_t>(ref_of(self)->manager) >> 4) ^ 0x9E3779B97F4A7C15ULL,
                   (std::uint64_t{ref_of(self)->edge} << 20) + 0xD6E8FEB86659FD93ULL);
  const auto value = static_cast<Py_hash_t>(key);
  return value == -1 ? -2 : value;
}

/// `==` of handles is equality of functions; `<=` is implication.
PyObject* compare(PyObject* left, PyObject* right, int op) {
  if (op == Py_EQ || op == Py_NE) {
    if (Py_TYPE(left) != Py_TYPE(right)) Py_RETURN_NOTIMPLEMENTED;
    const bool equal = ref_of(left)->manager == ref_of(right)->manager &&
                       ref_of(left)->edge == ref_of(right)->edge &&
                       ref_of(left)->generation == ref_of(right)->generation;
    return PyBool_FromLong(static_cast<long>(equal == (op == Py_EQ)));
  }
  BddManager* manager = ref_of(left)->manager;
  BddEdge f;
  BddEdge g;
  if (!operand(left, manager, &f) || !operand(right, manager, &g)) {
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (op == Py_GT || op == Py_GE) std::swap(f, g);
  const bool strict = op == Py_LT || op == Py_GT;
  return guarded([&] {
    const bool holds = run_bdd(*manager, nullptr, [&] { return bdd::implies(manager->store, f, g); });
    return PyBool_FromLong(static_cast<long>(holds && !(strict && f == g)));
  });
}

PyObject* repr(PyObject* self) {
  const BddEdge edge = edge_of(self);
  if (ref_of(self)->generation != ref_of(self)->manager->generation)
    return PyUnicode_FromString("<BddRef: stale>");
  if (edge.is_constant())
    return PyUnicode_FromString(edge == kBddTrue ? "<BddRef: true>" : "<BddRef: false>");
  return PyUnicode_FromFormat(edge.complemented() ? "<BddRef: ~n%u>" : "<BddRef: n%u>", edge.node());
}

template <typename Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyObject* new_bdd_ref(PyObject* owner, BddManager* manager, BddEdge edge) noexcept {
  PyObject* self;
  if (free_list.count != 0) {
    self = PyObject_Init(free_list.objects[--free_list.count], py_bdd_ref_type);
  } else {
    self = PyObject_New(PyObject, py_bdd_ref_type);
    if (self == nullptr) return nullptr;
  }
  manager->store.ref(edge);
  PyBddRef* ref = ref_of(self);
  ref->owner = Py_NewRef(owner);
  ref->manager = manager;
  ref->edge = edge.raw();
  ref->generation = manager->generation;
  return self;
}

BddEdge checked_edge(const BddManager& manager, const BddRef& ref, const char* call) {
  if (ref.manager != &manager) {
    throw dynomite::UsageError(std::string(call) + ": the function belongs to another BDD manager");
  }
  if (ref.generation != manager.generation) {
    throw dynomite::StaleRefError("the BDD manager was cleared; this reference is stale");
  }
  return ref.edge;
}

BddCall::BddCall(BddManager& manager, dynomite::Stop* stop) : manager_(manager), stop_(stop) {
  manager_.store.set_watch(this);
}

BddCall::~BddCall() {
  manager_.store.set_watch(nullptr);
  if (thread_ == nullptr) return;
  PyEval_RestoreThread(thread_);
  lease_.reset();
  for (const BddEdge edge : manager_.dead) manager_.store.deref(edge);
  manager_.dead.clear();
}

bool BddCall::keep_going() {
  const auto now = std::chrono::steady_clock::now();
  if (thread_ == nullptr) {
    lease_.emplace(manager_.store.access());
    last_ = now;
    thread_ = PyEval_SaveThread();
  } else if (now - last_ >= std::chrono::milliseconds(20)) {
    last_ = now;
    PyEval_RestoreThread(thread_);
    const bool interrupted = PyErr_CheckSignals() != 0;
    thread_ = PyEval_SaveThread();
    if (interrupted) return false;
  }
  return stop_ == nullptr || !stop_->poll_clock();
}

void bind_bdd_ref(nb::module_& m) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(
                      "A function in a `Bdd`.\n\n"
                      "`~ & | ^` and `-` (and not) combine functions of one manager; a bool may stand for a "
                      "constant. `==` compares functions in constant time, `<=` is implication. A "
                      "reference keeps its function and its manager alive.")},
      {Py_tp_dealloc, slot(dealloc)},
      {Py_tp_hash, slot(hash)},
      {Py_tp_richcompare, slot(compare)},
      {Py_tp_repr, slot(repr)},
      {Py_nb_and, slot(binary<apply_and>)},
      {Py_nb_or, slot(binary<apply_or>)},
      {Py_nb_xor, slot(binary<apply_xor>)},
      {Py_nb_subtract, slot(binary<apply_minus>)},
      {Py_nb_invert, slot(invert)},
      {Py_nb_bool, slot(no_bool)},
      {0, nullptr}};
  static PyType_Spec spec = {"dynomite._native.bdd.BddRef", sizeof(PyBddRef), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  m.attr("BddRef") = nb::handle(type);
  py_bdd_ref_type = reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace dmt
