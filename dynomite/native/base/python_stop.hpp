#pragma once

#include <nanobind/nanobind.h>

#include "dynomite/native/base/stop.hpp"

namespace dynomite {

/// Lets a native call that released the GIL see Ctrl-C: installs the hook that runs Python's signal
/// handlers every 20 ms, and raises what they raised when the call is over.
///
///   PythonStop guard(stop);
///   { nb::gil_scoped_release release; result = long_call(..., stop); }
///   guard.rethrow();
class PythonStop {
 public:
  explicit PythonStop(Stop& stop) : stop_(stop) {
    stop_.set_signal_hook([] {
      nanobind::gil_scoped_acquire acquire;
      return PyErr_CheckSignals() != 0;
    });
  }
  PythonStop(const PythonStop&) = delete;
  PythonStop& operator=(const PythonStop&) = delete;
  ~PythonStop() { stop_.set_signal_hook(nullptr); }
  /// Throws the pending Python exception (KeyboardInterrupt), if a signal handler raised one.
  void rethrow() const {
    if (PyErr_Occurred() != nullptr) throw nanobind::python_error();
  }

 private:
  Stop& stop_;
};

}  // namespace dynomite
