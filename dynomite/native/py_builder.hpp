#pragma once

#include "dynomite/native/ir/builder.hpp"
#include "dynomite/native/py_ir.hpp"

namespace dynomite::ir {

/// A builder as Python holds it: keeps its module alive, and what Python gave it to call.
struct PyBuilder : Builder {
  PyBuilder(nb::object module_object, Module& of, Tracking tracking)
      : Builder(of, tracking), owner(std::move(module_object)) {}
  nb::object owner;
  nb::list listeners;
  nb::object folding;  // an Interface, or null
};

/// One recorded update as Python sees it.
struct PyUpdate {
  nb::object owner;
  Module* module;
  Update update;
};

/// `value` and `build` of Builder, and its part in garbage collection; for nb::type_slots.
extern PyType_Slot builder_slots[];

/// What a fold function of the builder's interface says about an operation; none where it says nothing.
nb::object try_fold(PyBuilder& builder, Opcode opcode, TypeId type, std::span<const OperandSpec> uses);

void bind_ir_updates(nb::module_& m);
void bind_ir_interface(nb::module_& m);

}  // namespace dynomite::ir
