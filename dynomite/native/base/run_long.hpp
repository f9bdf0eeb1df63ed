#pragma once

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/python_stop.hpp"

namespace dynomite {

/// Runs `work(stop)` without the GIL; an interrupt from the keyboard comes out as the exception it is.
template <typename Work>
void run_long(Stop* given, Work work) {
  Stop own;
  Stop& stop = given != nullptr ? *given : own;
  PythonStop guard(stop);
  try {
    nanobind::gil_scoped_release release;
    work(stop);
  } catch (const LimitError&) {
    guard.rethrow();
    throw;
  }
}

}  // namespace dynomite
