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
  bool is_mutable = true;
};

/// One recorded update as Python sees it.
struct PyUpdate {
  nb::object owner;
  Module* module;
  Update update;
  nb::object mutator;     // whose log it is in; null for what a listener is told
  std::size_t index = 0;  // in that log
};

/// `value` and `build` of Builder, and its part in garbage collection; for nb::type_slots.
extern PyType_Slot builder_slots[];

/// What a fold function of the builder's interface says about an operation; none where it says nothing.
nb::object try_fold(PyBuilder& builder, Opcode opcode, TypeId type, std::span<const OperandSpec> uses);

/// True for what bind_ir_interface binds.
bool is_interface(nb::handle object);

void bind_ir_updates(nb::module_& m);
void bind_ir_interface(nb::module_& m);
void bind_ir_cinstr(nb::module_& m);
void bind_ir_arrays(nb::module_& m);
void bind_ir_numbering(nb::module_& m);

}  // namespace dynomite::ir
