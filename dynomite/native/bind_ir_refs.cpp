#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <functional>

#include "dynomite/native/py_refs.hpp"

namespace dynomite::ir {

namespace {

template <typename T>
using TupleOf = nb::typed<nb::tuple, T, nb::ellipsis>;

template <typename Id>
void bind_id(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Id>(m, name, nb::is_final(), doc)
      .def(nb::init<std::uint32_t>(), nb::arg("index"))
      .def("__index__", &Id::index)
      .def("__hash__", &Id::index)
      .def(
          "__eq__",
          [](const Id& a, const nb::object& b) {
            const auto* other = as<Id>(b);
            return other != nullptr && *other == a;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__",
           [name](const Id& id) { return std::string(name) + "(" + std::to_string(id.index()) + ")"; });
}

std::uint32_t checked_index(const Module& module, InstrId instr, Py_ssize_t index) {
  const auto count = static_cast<Py_ssize_t>(module.instrs().operand_count(instr));
  if (index < 0) index += count;
  if (index < 0 || index >= count) throw nb::index_error("the instruction has fewer operands");
  return static_cast<std::uint32_t>(index);
}

/// Operands for which `wanted(operand, is the attribute dictionary)` holds.
template <typename Wanted>
nb::tuple select(const InstrHandle& r, Wanted wanted) {
  Module& module = r.read();
  nb::list list;
  const std::uint32_t count = module.instrs().operand_count(r.id);
  const bool has_dictionary = static_cast<bool>(module.dictionary(r.id));
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand operand = module.instrs().operand(r.id, i);
    if (wanted(operand, has_dictionary && i + 1 == count))
      list.append(to_python(r.owner, module, operand.ref));
  }
  return nb::tuple(list);
}

std::string opcode_name(const Module& module, InstrId instr) {
  const Opcode opcode = module.instrs().opcode(instr);
  return module.registry()->knows(opcode) ? module.registry()->name(opcode)
                                          : "op" + std::to_string(opcode.raw());
}

void bind_instr(nb::module_& m) {
  using Ref = InstrHandle;
  bind_handle<InstrId>(m, "InstrRef", "An instruction of a module. Raises StaleRefError once it was deleted.")
      .def_prop_ro(
          "opcode", [](const Ref& r) { return r.read().instrs().opcode(r.id); }, "What it does.")
      .def_prop_ro(
          "name", [](const Ref& r) { return opcode_name(r.read(), r.id); }, "\"dialect.NAME\" of the opcode.")
      .def(
          "is_op",
          [](const Ref& r, const nb::object& op) {
            const Module& module = r.read();
            return to_opcode(*module.registry(), op) == module.instrs().opcode(r.id);
          },
          nb::arg("op"), nb::sig("def is_op(self, op: Op | Opcode) -> bool"),
          "True if this is its operation.")
      .def("__len__", [](const Ref& r) { return r.read().instrs().operand_count(r.id); })
      .def("__bool__", [](const Ref&) { return true; })
      .def(
          "operand",
          [](const Ref& r, Py_ssize_t index) {
            Module& module = r.read();
            return to_python(r.owner, module,
                             module.instrs().operand(r.id, checked_index(module, r.id, index)).ref);
          },
          nb::arg("index"), nb::sig("def operand(self, index: int) -> dynomite.ir.operands.Operand"),
          "One operand, used or defined.")
      .def(
          "is_def",
          [](const Ref& r, Py_ssize_t index) {
            Module& module = r.read();
            return module.instrs().operand(r.id, checked_index(module, r.id, index)).is_def;
          },
          nb::arg("index"), "True if the operand is defined here, false if it is used.")
      .def_prop_ro(
          "operands", [](const Ref& r) { return select(r, [](const Operand&, bool) { return true; }); },
          nb::sig("def operands(self) -> tuple[dynomite.ir.operands.Operand, ...]"),
          "All operands, definitions and the attribute dictionary included.")
      .def_prop_ro(
          "uses",
          [](const Ref& r) {
            return select(r, [](const Operand& o, bool dictionary) { return !o.is_def && !dictionary; });
          },
          nb::sig("def uses(self) -> tuple[dynomite.ir.operands.Operand, ...]"),
          "The operands it uses, without the attribute dictionary.")
      .def_prop_ro(
          "defs",
          [](const Ref& r) {
            return select(r, [](const Operand& o, bool) { return o.is_def && o.ref.kind == kind::kValue; });
          },
          nb::sig("def defs(self) -> tuple[ValueRef, ...]"), "The values it defines.")
      .def_prop_ro(
          "result",
          [](const Ref& r) {
            const nb::tuple defs =
                select(r, [](const Operand& o, bool) { return o.is_def && o.ref.kind == kind::kValue; });
            if (defs.size() != 1) {
              throw UsageError("result: the instruction defines " + std::to_string(defs.size()) + " values");
            }
            return nb::object(defs[0]);
          },
          nb::sig("def result(self) -> ValueRef"),
          "The one value it defines.\n\nRaises:\n    UsageError: None or several.")
      .def_prop_ro(
          "regions",
          [](const Ref& r) {
            return select(r, [](const Operand& o, bool) { return o.is_def && o.ref.kind == kind::kRegion; });
          },
          nb::sig("def regions(self) -> tuple[RegionRef, ...]"), "The regions that belong to it.")
      .def(
          "operand_def",
          [](const Ref& r, Py_ssize_t index) {
            Module& module = r.read();
            return optional_handle(r.owner, module,
                                   module.instrs().operand_def(r.id, checked_index(module, r.id, index)));
          },
          nb::arg("index"), nb::sig("def operand_def(self, index: int) -> InstrRef | None"),
          "The instruction that defines the value at an operand; None if it is no value.")
      .def_prop_ro(
          "attributes",
          [](const Ref& r) {
            Module& module = r.read();
            return dictionary_to_python(r.owner, module, module.dictionary(r.id));
          },
          nb::sig("def attributes(self) -> dict[str, dynomite.ir.operands.Operand]"),
          "A copy of its attribute dictionary.")
      .def(
          "attribute",
          [](const Ref& r, const nb::str& name) {
            Module& module = r.read();
            return to_python(r.owner, module, module.attribute(r.id, text_to_bytes(name)));
          },
          nb::arg("name"), nb::sig("def attribute(self, name: str) -> dynomite.ir.operands.Operand"),
          "One attribute, None if absent.")
      .def_prop_ro(
          "symbol_name",
          [](const Ref& r) -> nb::object {
            const auto name = r.read().symbol_name(r.id);
            return name ? nb::object(text_to_python(*name)) : nb::none();
          },
          nb::sig("def symbol_name(self) -> str | None"), "Its name, if it is a symbol.")
      .def_prop_ro(
          "references",
          [](const Ref& r) {
            Module& module = r.read();
            return use_tuple(r.owner, module, module.instrs().uses_of({r.id.index(), kind::kInstr}));
          },
          nb::sig("def references(self) -> tuple[tuple[InstrRef, int], ...]"),
          "Instructions that refer to this one as an operand, with the operand's number.")
      .def_prop_ro(
          "block",
          [](const Ref& r) {
            Module& module = r.read();
            return optional_handle(r.owner, module, module.cfg().block_of(r.id));
          },
          nb::sig("def block(self) -> BlockRef | None"),
          "The block that holds it, the latest if there are several.")
      .def_prop_ro(
          "blocks",
          [](const Ref& r) {
            Module& module = r.read();
            return block_tuple(r.owner, module, module.cfg().blocks_of(r.id));
          },
          nb::sig("def blocks(self) -> tuple[BlockRef, ...]"), "All blocks that hold it.")
      .def_prop_ro(
          "parent",
          [](const Ref& r) {
            Module& module = r.read();
            return optional_handle(r.owner, module, module.parent(r.id));
          },
          nb::sig("def parent(self) -> InstrRef | None"),
          "The instruction whose region holds it; None at the top.")
      .def(
          "comes_before",
          [](const Ref& r, const Ref& other) {
            Module& module = r.read();
            const InstrId second = checked(module, other);
            for (const BlockId block : module.cfg().blocks_of(r.id)) {
              if (module.cfg().contains(block, second)) return module.cfg().comes_before(block, r.id, second);
            }
            throw UsageError("comes_before: no block holds both instructions");
          },
          nb::arg("other"),
          "True if it is in front of `other` in their block.\n\nCost: constant, and linear in "
          "the block after it changed other than at its end.")
      .def_prop_ro(
          "location",
          [](const Ref& r) {
            Module& module = r.read();
            return origins_to_python(module, module.locations().of(r.id));
          },
          nb::sig("def location(self) -> tuple[dynomite.ir.locations.Origin, ...]"),
          "The places in sources it comes from.")
      .def("__repr__", [](const Ref& r) {
        if (const std::string gone = gone_text(r, "InstrRef"); !gone.empty()) return gone;
        return "<InstrRef " + std::to_string(r.id.index()) + " " + opcode_name(*r.module, r.id) + ">";
      });
}

void bind_value(nb::module_& m) {
  using Ref = ValueHandle;
  bind_handle<ValueId>(m, "ValueRef", "A value: what one instruction defines and others use.")
      .def_prop_ro(
          "type",
          [](const Ref& r) -> nb::object {
            Module& module = r.read();
            const TypeId type = module.instrs().type(r.id);
            return type ? nb::cast(TypeHandle{r.owner, &module, type}) : nb::none();
          },
          nb::sig("def type(self) -> Type | None"), "Its type.")
      .def_prop_ro(
          "name",
          [](const Ref& r) -> nb::object {
            Module& module = r.read();
            const AttrId name = module.value_name(r.id);
            return name ? nb::object(text_to_python(module.attributes().text(name))) : nb::none();
          },
          nb::sig("def name(self) -> str | None"), "Its name in the text, without '%'.")
      .def_prop_ro(
          "instr",
          [](const Ref& r) {
            Module& module = r.read();
            return make_handle(r.owner, module, module.instrs().definition(r.id).instr);
          },
          "The instruction that defines it.")
      .def_prop_ro(
          "index", [](const Ref& r) { return r.read().instrs().definition(r.id).operand; },
          "The number of the operand that defines it.")
      .def_prop_ro(
          "uses",
          [](const Ref& r) {
            Module& module = r.read();
            return use_tuple(r.owner, module, module.instrs().uses(r.id));
          },
          nb::sig("def uses(self) -> tuple[tuple[InstrRef, int], ...]"),
          "Instructions and operand numbers where it is used, latest use first.\n\nCost: linear in them.")
      .def(
          "latest_uses",
          [](const Ref& r, std::uint32_t count) {
            Module& module = r.read();
            return use_tuple(r.owner, module, module.instrs().uses(r.id, count));
          },
          nb::arg("count"), nb::sig("def latest_uses(self, count: int) -> tuple[tuple[InstrRef, int], ...]"),
          "The first so many of `uses`.\n\nCost: linear in `count`.")
      .def_prop_ro(
          "has_uses", [](const Ref& r) { return r.read().instrs().has_uses(r.id); },
          "True if it is used. Constant time.")
      .def_prop_ro(
          "use_count", [](const Ref& r) { return r.read().instrs().use_count(r.id); },
          "Number of uses.\n\nCost: linear in it.")
      .def("__repr__", [](const Ref& r) {
        if (const std::string gone = gone_text(r, "ValueRef"); !gone.empty()) return gone;
        const AttrId name = r.module->value_name(r.id);
        return "<ValueRef %" + (name ? r.module->attributes().text(name) : std::to_string(r.id.index())) +
               ">";
      });
}

}  // namespace

void bind_ir_refs(nb::module_& m) {
  bind_id<InstrId>(m, "InstrId", "Number of an instruction in its module.");
  bind_id<ValueId>(m, "ValueId", "Number of a value in its module.");
  bind_id<BlockId>(m, "BlockId", "Number of a block in its module.");
  bind_id<RegionId>(m, "RegionId", "Number of a region in its module.");
  bind_id<TypeId>(m, "TypeId", "Number of an interned type in its module.");
  bind_ir_types(m);
  bind_instr(m);
  bind_value(m);
  bind_ir_blocks(m);
}

}  // namespace dynomite::ir
