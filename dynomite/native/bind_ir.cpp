#include "dynomite/native/module.hpp"
#include "dynomite/native/py_builder.hpp"

void bind_ir(nb::module_& m) {
  using namespace dynomite::ir;  // NOLINT: only calls the parts
  bind_ir_values(m);
  bind_ir_context(m);
  bind_ir_refs(m);
  bind_ir_module(m);
  bind_ir_builder(m);
  bind_ir_text(m);
  bind_ir_cinstr(m);
  bind_ir_arrays(m);
  bind_ir_numbering(m);
}
