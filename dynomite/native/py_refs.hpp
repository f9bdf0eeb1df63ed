#pragma once

#include <string>
#include <vector>

#include "dynomite/native/py_ir.hpp"

// What the classes of references have in common.

namespace dynomite::ir {

/// What all references have.
template <typename Id>
nb::class_<Handle<Id>> bind_handle(nb::module_& m, const char* name, const char* doc) {
  using Ref = Handle<Id>;
  return nb::class_<Ref>(m, name, nb::is_final(), doc)
      .def_prop_ro(
          "module", [](const Ref& r) { return r.owner; }, nb::sig("def module(self) -> Module"),
          "The module it belongs to.")
      .def_prop_ro(
          "id", [](const Ref& r) { return r.id; }, "Its id: dense in the module, for side tables.")
      .def_prop_ro(
          "ref", [](const Ref& r) { return FatDynObjRef(kind_of(r.id), r.id.index()); },
          "The reference without its module.")
      .def_prop_ro(
          "is_live", [](const Ref& r) { return r.live(); }, "False once it was deleted.")
      .def("__hash__",
           [](const Ref& r) {
             return static_cast<Py_hash_t>(
                 mix(mix(reinterpret_cast<std::uintptr_t>(r.module), r.id.index()), r.generation) >> 1);
           })
      .def(
          "__eq__",
          [](const Ref& a, const nb::object& b) {
            const auto* other = as<Ref>(b);
            return other != nullptr && other->module == a.module && other->id == a.id &&
                   other->generation == a.generation;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

/// What `repr` says where nothing can be read; empty otherwise.
template <typename Id>
std::string gone_text(const Handle<Id>& r, const char* name) {
  if (!r.module->access().can_read()) return std::string("<") + name + ", module being changed>";
  return r.live() ? "" : std::string("<") + name + ", deleted>";
}

inline nb::tuple block_tuple(nb::handle owner, Module& module, const std::vector<BlockId>& blocks) {
  nb::list list;
  for (const BlockId block : blocks) list.append(make_handle(owner, module, block));
  return nb::tuple(list);
}

inline nb::tuple use_tuple(nb::handle owner, Module& module, const std::vector<Use>& uses) {
  nb::list list;
  for (const Use& use : uses) list.append(nb::make_tuple(make_handle(owner, module, use.instr), use.operand));
  return nb::tuple(list);
}

void bind_ir_types(nb::module_& m);
void bind_ir_blocks(nb::module_& m);

}  // namespace dynomite::ir
