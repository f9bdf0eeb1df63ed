#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/bdd/bdd_manager.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/stop.hpp"

// What the files that bind `Bdd` share.

namespace dmt {

namespace nb = nanobind;

using BddSelf = nb::handle_t<BddManager>;

/// The Python object behind `BddRef`: the owning `Bdd` (kept alive), its manager, an edge whose node it
/// references. A plain CPython type, for the reasons that hold for `PyHandle`.
struct PyBddRef {
  PyObject_HEAD PyObject* owner;
  BddManager* manager;
  std::uint32_t edge;
  std::uint32_t generation;
};

/// Set once by `bind_bdd_ref` and kept for the life of the process.
inline PyTypeObject* py_bdd_ref_type = nullptr;

/// A new handle, which references the edge's node; null with a Python error when out of memory.
PyObject* new_bdd_ref(PyObject* owner, BddManager* manager, BddEdge edge) noexcept;

/// An edge as Python sees it. Bindings take it as `const BddRef&` and return it by value.
struct BddRef {
  nb::object owner;
  BddManager* manager = nullptr;
  BddEdge edge;
  std::uint32_t generation = 0;
};

/// The edge behind `ref`, which must belong to `manager` and be alive.
BddEdge checked_edge(const BddManager& manager, const BddRef& ref, const char* call);

/// Watches one call: lets go of the GIL when it takes longer than some 100 microseconds, looks for signals
/// then, and asks `stop`.
class BddCall final : public BddWatch {
 public:
  BddCall(BddManager& manager, dynomite::Stop* stop);
  ~BddCall() override;
  bool keep_going() override;

 private:
  BddManager& manager_;
  dynomite::Stop* stop_;
  std::optional<dynomite::WriteLease> lease_;
  PyThreadState* thread_ = nullptr;
  std::chrono::steady_clock::time_point last_;
};

/// Runs `body`, which changes the store of `manager`, as one operation.
template <typename Body>
auto run_bdd(BddManager& manager, dynomite::Stop* stop, Body&& body) {
  manager.store.access().check_write();
  try {
    const BddCall call(manager, stop != nullptr ? stop : manager.stop);
    return manager.store.operation(body);
  } catch (const dynomite::LimitError&) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    throw;
  }
}

inline BddManager& manager_of(BddSelf self) { return *nb::inst_ptr<BddManager>(self); }
/// For calls that only read, with the GIL held.
inline BddManager& readable_manager(BddSelf self) {
  BddManager& manager = manager_of(self);
  manager.store.access().check_read();
  return manager;
}
inline BddRef make_bdd_ref(nb::handle owner, BddManager& manager, BddEdge edge) {
  return {nb::borrow(owner), &manager, edge, manager.generation};
}

/// A variable given by its name, its number or its own `BddRef`.
std::uint32_t var_of(const BddManager& manager, nb::handle object);
/// Variables given as one of these or as an iterable of them.
std::vector<std::uint32_t> vars_of(const BddManager& manager, nb::handle object);
/// A copy of any mapping.
nb::dict to_dict(const nb::object& mapping);
nb::str var_name(const BddManager& manager, std::uint32_t var);

void bind_bdd_ref(nb::module_& m);
void bind_bdd_methods(nb::module_& m);
void bind_bdd_io(nb::module_& m, nb::class_<BddManager>& bdd);

}  // namespace dmt

NAMESPACE_BEGIN(NB_NAMESPACE)
NAMESPACE_BEGIN(detail)

template <>
struct type_caster<dmt::BddRef> {
  NB_TYPE_CASTER(dmt::BddRef, const_name("dynomite._native.bdd.BddRef"))

  bool from_python(handle src, std::uint8_t, cleanup_list*) noexcept {
    if (Py_TYPE(src.ptr()) != dmt::py_bdd_ref_type) return false;
    const auto* ref = reinterpret_cast<const dmt::PyBddRef*>(src.ptr());
    value.owner = borrow(ref->owner);
    value.manager = ref->manager;
    value.edge = dmt::BddEdge::from_raw(ref->edge);
    value.generation = ref->generation;
    return true;
  }
  static handle from_cpp(const dmt::BddRef& ref, rv_policy, cleanup_list*) noexcept {
    return dmt::new_bdd_ref(ref.owner.ptr(), ref.manager, ref.edge);
  }
};

NAMESPACE_END(detail)
NAMESPACE_END(NB_NAMESPACE)
