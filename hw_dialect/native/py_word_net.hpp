#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/py_ir.hpp"
#include "hw_dialect/native/word/word_net.hpp"

namespace hw {

/// A netlist and the module it comes from.
struct PyWordNet {
  nanobind::object owner;
  dynomite::ir::Module* module;
  word::WordNet net;
  std::uint64_t stamp;

  void check() const {
    module->access().check_read();
    if (module->stamp() != stamp) {
      throw dynomite::UsageError("the module was changed after it was elaborated");
    }
  }
};

/// Registers what makes AIGs of netlists.
void bind_word_lower(nanobind::module_& m);

}  // namespace hw
