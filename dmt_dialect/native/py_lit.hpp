#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

/// The Python object behind `Lit` and `NodeRef`: the owning `Aig` (kept alive), its store, one word.
/// A plain CPython type: nanobind enters every instance it makes in a hash map, which costs more than the
/// AND itself. No part in garbage collection is needed: a handle refers to its `Aig` only, and an `Aig`
/// (final, without a `__dict__`) refers to no handle.
struct PyHandle {
  PyObject_HEAD PyObject* owner;
  AigStore* store;
  std::uint32_t word;
};

/// The types; set once by `bind_lit` and kept for the life of the process.
inline PyTypeObject* py_lit_type = nullptr;
inline PyTypeObject* py_node_type = nullptr;

/// A new `Lit` or `NodeRef`; null with a Python error when out of memory.
PyObject* new_handle(PyTypeObject* type, PyObject* owner, AigStore* store, std::uint32_t word) noexcept;

/// A literal as Python sees it: the owning `Aig` object (kept alive), its store, the literal. Bindings take
/// it as `const LitRef&` and return it by value.
struct LitRef {
  nanobind::object owner;
  AigStore* store = nullptr;
  Lit lit;
};

/// A node as Python sees it (`NodeRef`).
struct NodeRef {
  nanobind::object owner;
  AigStore* store = nullptr;
  NodeId node;
};

/// The literal behind `ref`, which must belong to `store`.
inline Lit checked_lit(const AigStore* store, const LitRef& ref, const char* call) {
  if (ref.store != store) {
    throw dynomite::UsageError(std::string(call) + ": the literal belongs to another AIG");
  }
  return ref.lit;
}

/// A literal of the `Aig` object `self`.
inline LitRef make_lit_ref(nanobind::handle self, AigStore& store, Lit lit) {
  return {nanobind::borrow(self), &store, lit};
}

inline NodeRef make_node_ref(nanobind::handle self, AigStore& store, NodeId node) {
  return {nanobind::borrow(self), &store, node};
}

/// The store of an `Aig` object, for reading with the GIL held. Calls that release the GIL take a
/// `ReadLease`.
inline AigStore& store_of(nanobind::handle_t<AigStore> self) {
  AigStore* store = nanobind::inst_ptr<AigStore>(self);
  store->access().check_read();
  return *store;
}

/// The store of an `Aig` object, for changing it with the GIL held. Calls that release it take a
/// `WriteLease`.
inline AigStore& writable(nanobind::handle_t<AigStore> self) {
  AigStore* store = nanobind::inst_ptr<AigStore>(self);
  store->access().check_write();
  return *store;
}

/// `and_`, `or_`, `xor`, `mux` of `Aig`, for nb::type_slots.
extern PyType_Slot aig_slots[];

/// Registers `Lit` and `NodeRef`.
void bind_lit(nanobind::module_& m);

}  // namespace dmt

NAMESPACE_BEGIN(NB_NAMESPACE)
NAMESPACE_BEGIN(detail)

template <>
struct type_caster<dmt::LitRef> {
  NB_TYPE_CASTER(dmt::LitRef, const_name("dynomite._native.aig.Lit"))

  bool from_python(handle src, std::uint8_t, cleanup_list*) noexcept {
    if (Py_TYPE(src.ptr()) != dmt::py_lit_type) return false;
    const auto* handle_object = reinterpret_cast<const dmt::PyHandle*>(src.ptr());
    value.owner = borrow(handle_object->owner);
    value.store = handle_object->store;
    value.lit = dmt::Lit::from_raw(handle_object->word);
    return true;
  }
  static handle from_cpp(const dmt::LitRef& ref, rv_policy, cleanup_list*) noexcept {
    return dmt::new_handle(dmt::py_lit_type, ref.owner.ptr(), ref.store, ref.lit.raw());
  }
};

template <>
struct type_caster<dmt::NodeRef> {
  NB_TYPE_CASTER(dmt::NodeRef, const_name("dynomite._native.aig.NodeRef"))

  bool from_python(handle src, std::uint8_t, cleanup_list*) noexcept {
    if (Py_TYPE(src.ptr()) != dmt::py_node_type) return false;
    const auto* handle_object = reinterpret_cast<const dmt::PyHandle*>(src.ptr());
    value.owner = borrow(handle_object->owner);
    value.store = handle_object->store;
    value.node = dmt::NodeId(handle_object->word);
    return true;
  }
  static handle from_cpp(const dmt::NodeRef& ref, rv_policy, cleanup_list*) noexcept {
    return dmt::new_handle(dmt::py_node_type, ref.owner.ptr(), ref.store, ref.node.index());
  }
};

NAMESPACE_END(detail)
NAMESPACE_END(NB_NAMESPACE)
