#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <new>

#include "dynomite/native/base/error.hpp"

// For slots written against the C API, where nanobind does not translate exceptions.
namespace dmt {

/// Sets an error of dynomite.errors.
inline void set_error(const char* type_name, const char* message) {
  PyObject* module = PyImport_ImportModule("dynomite.errors");
  if (module == nullptr) return;
  PyObject* type = PyObject_GetAttrString(module, type_name);
  Py_DECREF(module);
  if (type == nullptr) return;
  PyErr_SetString(type, message);
  Py_DECREF(type);
}

/// Runs `body` and turns its C++ exceptions into Python ones.
template <typename Body>
PyObject* guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (nanobind::python_error& e) {
    e.restore();
  } catch (const dynomite::UsageError& e) {
    set_error("UsageError", e.what());
  } catch (const dynomite::StaleRefError& e) {
    set_error("StaleRefError", e.what());
  } catch (const dynomite::LimitError& e) {
    set_error("LimitError", e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

}  // namespace dmt
