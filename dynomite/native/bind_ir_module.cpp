#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "dynomite/native/ir/declarations.hpp"
#include "dynomite/native/py_ir.hpp"

namespace dynomite::ir {

namespace {

using Self = nb::handle_t<Module>;

Module& readable(Self self) {
  Module& module = *nb::inst_ptr<Module>(self);
  module.access().check_read();
  return module;
}

template <typename Id>
Handle<Id> by_id(Self self, Id id) {
  Module& module = readable(self);
  if (!is_live(module, id)) {
    throw StaleRefError(std::string("the module has no live ") + noun(id) + " " + std::to_string(id.index()));
  }
  return make_handle(self, module, id);
}

/// Walks over all live instructions there were when the walk began.
struct InstrWalk {
  nb::object owner;
  Module* module;
  std::uint32_t next;
  std::uint32_t end;
};

}  // namespace

void bind_ir_module(nb::module_& m) {
  nb::enum_<StoreKind>(m, "StoreKind", "How a module gives out ids and memory.")
      .value("ARENA", StoreKind::kArena, "Never uses ids and memory again; mutations can be taken back.")
      .value("POOL", StoreKind::kPool, "Uses both again; deletions cannot be taken back.")
      .value("CHECKED", StoreKind::kChecked, "An arena that validates every access.");
  nb::class_<InstrWalk>(m, "InstrWalk", nb::is_final(), "Iterator over the instructions of a module.")
      .def(
          "__iter__", [](const nb::object& self) { return self; }, nb::sig("def __iter__(self) -> InstrWalk"))
      .def("__next__", [](InstrWalk& walk) {
        walk.module->access().check_read();
        while (walk.next < walk.end && !walk.module->instrs().is_live(InstrId(walk.next))) ++walk.next;
        if (walk.next >= walk.end) throw nb::stop_iteration();
        return make_handle(walk.owner, *walk.module, InstrId(walk.next++));
      });
  m.attr("DEFAULT_STORE") = nb::cast(default_store());
  nb::class_<Module>(m, "Module", nb::is_final(), nb::is_weak_referenceable(),
                     "One unit of IR: instructions, blocks, regions, attributes, types, locations.\n\n"
                     "Only a Builder changes it. A binary operation with its use lists takes 64 bytes.")
      .def(
          "__init__",
          [](Module* self, const std::shared_ptr<Registry>& context, StoreKind store) {
            if (context == nullptr) throw nb::type_error("Module: a Context is needed");
            new (self) Module(context, store);
          },
          nb::arg("context"), nb::kw_only(), nb::arg("store") = default_store())
      .def_prop_ro(
          "context", [](const Module& module) { return module.registry(); }, "The dialects it knows.")
      .def_prop_ro(
          "store", [](const Module& module) { return module.instrs().kind(); }, "How it gives out ids.")
      .def_prop_ro(
          "body", [](Self self) { return make_handle(self, readable(self), readable(self).body()); },
          "The block of the outermost region.")
      .def(
          "instr", [](Self self, InstrId id) { return by_id(self, id); }, nb::arg("id"),
          "The instruction with an id.\n\nRaises:\n    StaleRefError: There is none.")
      .def(
          "value", [](Self self, ValueId id) { return by_id(self, id); }, nb::arg("id"),
          "The value with an id.\n\nRaises:\n    StaleRefError: There is none.")
      .def(
          "block", [](Self self, BlockId id) { return by_id(self, id); }, nb::arg("id"),
          "The block with an id.\n\nRaises:\n    StaleRefError: There is none.")
      .def(
          "region", [](Self self, RegionId id) { return by_id(self, id); }, nb::arg("id"),
          "The region with an id.\n\nRaises:\n    StaleRefError: There is none.")
      .def(
          "resolve",
          [](Self self, const FatDynObjRef& ref) {
            Module& module = readable(self);
            check_ref(module, ref);
            return to_python(self, module, ref);
          },
          nb::arg("ref"), nb::sig("def resolve(self, ref: FatDynObjRef) -> dynomite.ir.operands.Operand"),
          "What a reference without a module means here.\n\nRaises:\n    UsageError: Nothing.")
      .def(
          "reference",
          [](Self self, const nb::object& object) { return to_ref(writable(readable(self)), object); },
          nb::arg("object").none(),
          nb::sig("def reference(self, object: dynomite.ir.operands.Operand) -> FatDynObjRef"),
          "The reference for an operand; strings, lists and wide constants are interned.")
      .def(
          "instrs",
          [](Self self) {
            Module& module = readable(self);
            return InstrWalk{nb::borrow(self), &module, 0, module.instrs().instr_bound()};
          },
          "Iterates over all instructions, those in no block included, by id.")
      .def(
          "type",
          [](Self self, const nb::object& kind, const nb::args& params) {
            Module& module = writable(readable(self));
            const Registry& registry = *module.registry();
            ObjKind which;
            if (const auto* decl = as<TypeDecl>(kind)) {
              which = resolve(registry, *decl);
            } else {
              which = nb::cast<ObjKind>(kind);
              if (!registry.knows(which)) throw UsageError("type: the context has no such type");
            }
            std::vector<FatDynObjRef> refs;
            for (const nb::handle param : params) refs.push_back(to_ref(module, param));
            const std::string fault = wrong_parameters(registry, which, module.attributes(), refs);
            if (!fault.empty()) throw UsageError(fault);
            return TypeHandle{nb::borrow(self), &module, module.attributes().type(which, refs)};
          },
          nb::arg("kind"), nb::arg("params"),
          nb::sig("def type(self, kind: TypeDecl | ObjKind, *params: dynomite.ir.operands.Operand) -> Type"),
          "The type with these parameters.\n\nRaises:\n    UsageError: Their number or kind is wrong, or the "
          "dialect is not loaded.")
      .def("__len__", [](Self self) { return readable(self).instrs().live_count(); })
      .def("__bool__", [](Self) { return true; })
      .def_prop_ro(
          "instr_bound", [](Self self) { return readable(self).instrs().instr_bound(); },
          "All instruction ids are below.")
      .def_prop_ro(
          "value_bound", [](Self self) { return readable(self).instrs().value_bound(); },
          "All value ids are below.")
      .def_prop_ro(
          "block_bound", [](Self self) { return readable(self).cfg().block_bound(); },
          "All block ids are below.")
      .def_prop_ro(
          "region_bound", [](Self self) { return readable(self).cfg().region_bound(); },
          "All region ids are below.")
      .def_prop_ro(
          "stamp", [](Self self) { return readable(self).stamp(); },
          "Names the present state: a mutation changes it, taking the mutation back restores it.")
      .def(
          "memory",
          [](Self self) {
            Module& module = readable(self);
            nb::dict bytes;
            bytes["instrs"] = module.instrs().memory();
            bytes["blocks"] = module.cfg().memory();
            bytes["attributes"] = module.attributes().memory();
            bytes["locations"] = module.locations().memory();
            bytes["total"] = module.memory();
            return bytes;
          },
          nb::sig("def memory(self) -> dict[str, int]"), "Bytes taken, by store.")
      .def("__repr__", [](Self self) {
        const Module& module = *nb::inst_ptr<Module>(self);
        if (!module.access().can_read()) return std::string("<Module, being changed>");
        return "<Module: " + std::to_string(module.instrs().live_count()) + " instructions>";
      });
}

}  // namespace dynomite::ir
