#include <nanobind/stl/string.h>

#include <string>

#include "dynomite/native/ir/cinstr_store.hpp"
#include "dynomite/native/py_builder.hpp"

namespace dynomite::ir {

namespace {

/// A store as Python holds it: keeps the module alive.
struct PyCStore : CInstrStore {
  PyCStore(nb::object module_object, Module& of) : CInstrStore(of), owner(std::move(module_object)) {}
  nb::object owner;
};

/// A reference to a compressed instruction: the store (kept alive) and an id, never used again.
struct CInstrHandle {
  nb::object owner;
  PyCStore* store = nullptr;
  CInstrId id;

  PyCStore& read() const {
    store->module().access().check_read();
    if (!store->is_live(id)) throw StaleRefError("this compressed instruction was deleted");
    return *store;
  }
};

using Self = nb::handle_t<PyCStore>;

CInstrHandle handle(nb::handle owner, PyCStore& store, CInstrId id) {
  return {nb::borrow(owner), &store, id};
}

CInstrId checked_id(const PyCStore& store, const CInstrHandle& ref) {
  if (ref.store != &store) throw UsageError("this compressed instruction belongs to another store");
  ref.read();
  return ref.id;
}

nb::object operand_to_python(const CInstrHandle& ref, std::uint32_t index) {
  PyCStore& store = *ref.store;
  const FatDynObjRef use = store.use(ref.id, index);
  if (use.kind == kind::kValue) return nb::cast(handle(ref.owner, store, CInstrId(use.id)));
  return to_python(store.owner, store.module(), use);
}

std::uint32_t checked_use(const CInstrHandle& ref, Py_ssize_t index) {
  const auto count = static_cast<Py_ssize_t>(ref.read().use_operand_count(ref.id));
  if (index < 0) index += count;
  if (index < 0 || index >= count) throw nb::index_error("the instruction has fewer operands");
  return static_cast<std::uint32_t>(index);
}

void bind_ref(nb::module_& m) {
  using Ref = CInstrHandle;
  nb::class_<Ref>(
      m, "CInstrRef", nb::is_final(),
      "A compressed instruction, and the value it defines. Has what an InstrRef has but use lists.")
      .def_prop_ro(
          "store", [](const Ref& r) { return r.owner; }, nb::sig("def store(self) -> CStore"), "Its store.")
      .def_prop_ro(
          "id", [](const Ref& r) { return r.id.index(); }, "Its number in the store, for side tables.")
      .def_prop_ro(
          "is_live", [](const Ref& r) { return r.store->is_live(r.id); }, "False once it was deleted.")
      .def_prop_ro(
          "opcode", [](const Ref& r) { return r.read().opcode(r.id); }, "What it does.")
      .def_prop_ro(
          "name", [](const Ref& r) { return r.read().module().registry()->name(r.store->opcode(r.id)); },
          "\"dialect.NAME\" of the opcode.")
      .def_prop_ro(
          "type",
          [](const Ref& r) -> nb::object {
            PyCStore& store = r.read();
            const TypeId type = store.type(r.id);
            return type ? nb::cast(TypeHandle{store.owner, &store.module(), type}) : nb::none();
          },
          nb::sig("def type(self) -> Type | None"), "Type of the value it defines.")
      .def_prop_ro(
          "has_value", [](const Ref& r) { return r.read().has_value(r.id); }, "True if it defines a value.")
      .def_prop_ro(
          "use_count", [](const Ref& r) { return r.read().use_count(r.id); },
          "How often its value is used. Constant time.")
      .def("__len__", [](const Ref& r) { return r.read().use_operand_count(r.id); })
      .def("__bool__", [](const Ref&) { return true; })
      .def(
          "operand",
          [](const Ref& r, Py_ssize_t index) { return operand_to_python(r, checked_use(r, index)); },
          nb::arg("index"),
          nb::sig("def operand(self, index: int) -> CInstrRef | dynomite.ir.operands.Operand"),
          "One operand; values appear as the instructions that define them.")
      .def_prop_ro(
          "operands",
          [](const Ref& r) {
            const std::uint32_t count = r.read().use_operand_count(r.id);
            nb::list list;
            for (std::uint32_t i = 0; i < count; ++i) list.append(operand_to_python(r, i));
            return nb::tuple(list);
          },
          nb::sig("def operands(self) -> tuple[CInstrRef | dynomite.ir.operands.Operand, ...]"),
          "The operands it uses.")
      .def(
          "operand_def",
          [](const Ref& r, Py_ssize_t index) -> nb::object {
            const FatDynObjRef use = r.store->use(r.id, checked_use(r, index));
            if (use.kind != kind::kValue) return nb::none();
            return nb::cast(handle(r.owner, *r.store, CInstrId(use.id)));
          },
          nb::arg("index"), nb::sig("def operand_def(self, index: int) -> CInstrRef | None"),
          "The instruction that defines the value at an operand; None if it is no value.")
      .def("__hash__",
           [](const Ref& r) {
             return static_cast<Py_hash_t>(mix(reinterpret_cast<std::uintptr_t>(r.store), r.id.index()) >> 1);
           })
      .def(
          "__eq__",
          [](const Ref& a, const nb::object& b) {
            const auto* other = as<Ref>(b);
            return other != nullptr && other->store == a.store && other->id == a.id;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [](const Ref& r) {
        if (!r.store->is_live(r.id)) return std::string("<CInstrRef, deleted>");
        return "<CInstrRef " + std::to_string(r.id.index()) + " " +
               r.store->module().registry()->name(r.store->opcode(r.id)) + ">";
      });
}

}  // namespace

void bind_ir_cinstr(nb::module_& m) {
  nb::class_<PyCStore> store(
      m, "CStore", nb::is_final(),
      "Compressed instructions of a module: 12 bytes and 4 an operand, use counts instead of use "
      "lists, at most one value each.");
  bind_ref(m);
  store
      .def(
          "__init__",
          [](PyCStore* self, nb::handle_t<Module> module) {
            new (self) PyCStore(nb::borrow(module), *nb::inst_ptr<Module>(module));
          },
          nb::arg("module"))
      .def_prop_ro(
          "module", [](const PyCStore& s) { return s.owner; }, nb::sig("def module(self) -> Module"),
          "The module whose types, constants and attributes it uses.")
      .def(
          "add",
          [](Self self, const nb::object& op, const nb::object& type, const nb::args& uses) {
            PyCStore& s = *nb::inst_ptr<PyCStore>(self);
            Module& module = writable(s.module());
            std::vector<FatDynObjRef> refs;
            for (const nb::handle use : uses) {
              if (const auto* ref = as<CInstrHandle>(use)) {
                refs.emplace_back(kind::kValue, checked_id(s, *ref).index());
                continue;
              }
              FatDynObjRef ref = to_ref(module, use);
              if (ref.kind == kind::kValue) {
                const CInstrId compressed = s.find(ValueId(ref.id));
                ref.id =
                    (compressed ? compressed : s.compress(module.instrs().definition(ValueId(ref.id)).instr))
                        .index();
              }
              refs.push_back(ref);
            }
            TypeId defined;
            if (!type.is_none()) {
              const auto& given = nb::cast<const TypeHandle&>(type);
              if (given.module != &module) throw UsageError("this type belongs to another module");
              defined = given.id;
            }
            const Opcode opcode = to_opcode(*module.registry(), op);
            return handle(self, s, s.create(opcode, !type.is_none(), defined, refs));
          },
          nb::arg("op"), nb::arg("type").none(), nb::arg("uses"),
          nb::sig("def add(self, op: Op | Opcode, type: Type | None, *uses: CInstrRef | "
                  "dynomite.ir.operands.Operand) "
                  "-> CInstrRef"),
          "A new instruction; it defines a value if a type is given. A ValueRef as operand is compressed on "
          "the "
          "way, if what it depends on is.")
      .def(
          "compress",
          [](Self self, const InstrHandle& instr) {
            PyCStore& s = *nb::inst_ptr<PyCStore>(self);
            return handle(self, s, s.compress(checked(writable(s.module()), instr)));
          },
          nb::arg("instr"),
          "The compressed form of an instruction.\n\nRaises:\n    UsageError: It does not fit, or what it "
          "uses is not "
          "compressed yet.")
      .def(
          "fits",
          [](const PyCStore& s, const InstrHandle& instr) { return s.fits(checked(s.module(), instr)); },
          nb::arg("instr"), "True if an instruction has a compressed form.")
      .def(
          "compress_block",
          [](Self self, const BlockHandle& block) {
            PyCStore& s = *nb::inst_ptr<PyCStore>(self);
            const Module& module = writable(s.module());
            const BlockId id = checked(module, block);
            nb::list list;
            for (const CInstrId made : s.compress_block(id)) list.append(handle(self, s, made));
            return list;
          },
          nb::arg("block"), nb::sig("def compress_block(self, block: BlockRef) -> list[CInstrRef]"),
          "The compressed forms of the instructions of a block.")
      .def(
          "find",
          [](Self self, const ValueHandle& value) -> nb::object {
            PyCStore& s = *nb::inst_ptr<PyCStore>(self);
            const CInstrId found = s.find(checked(s.module(), value));
            return found ? nb::cast(handle(self, s, found)) : nb::none();
          },
          nb::arg("value"), nb::sig("def find(self, value: ValueRef) -> CInstrRef | None"),
          "The compressed definition of a value.")
      .def(
          "expand",
          [](PyCStore& s, const CInstrHandle& instr, PyBuilder& builder) {
            writable(s.module());
            const CInstrId id = checked_id(s, instr);
            return make_handle(s.owner, s.module(), s.expand(id, builder));
          },
          nb::arg("instr"), nb::arg("builder"),
          "The full form, built where the builder builds.\n\nRaises:\n    UsageError: What it uses is not "
          "expanded yet.")
      .def(
          "expand_all",
          [](PyCStore& s, PyBuilder& builder) {
            writable(s.module());
            nb::list list;
            for (std::uint32_t i = 0; i < s.bound(); ++i) {
              if (s.is_live(CInstrId(i)))
                list.append(make_handle(s.owner, s.module(), s.expand(CInstrId(i), builder)));
            }
            return list;
          },
          nb::arg("builder"), nb::sig("def expand_all(self, builder: Builder) -> list[InstrRef]"),
          "The full forms of all instructions, in the order of their ids.")
      .def(
          "erase",
          [](PyCStore& s, const CInstrHandle& instr) {
            writable(s.module());
            s.erase(checked_id(s, instr));
          },
          nb::arg("instr"), "Deletes an instruction.\n\nRaises:\n    UsageError: Its value is used.")
      .def(
          "instrs",
          [](Self self) {
            PyCStore& s = *nb::inst_ptr<PyCStore>(self);
            nb::list list;
            for (std::uint32_t i = 0; i < s.bound(); ++i) {
              if (s.is_live(CInstrId(i))) list.append(handle(self, s, CInstrId(i)));
            }
            return list;
          },
          nb::sig("def instrs(self) -> list[CInstrRef]"),
          "All instructions by id: operands come before their uses.")
      .def("__len__", [](const PyCStore& s) { return s.live_count(); })
      .def("__bool__", [](const PyCStore&) { return true; })
      .def_prop_ro(
          "bound", [](const PyCStore& s) { return s.bound(); }, "All ids are below.")
      .def("memory", [](const PyCStore& s) { return s.memory(); }, "Bytes taken.");
}

}  // namespace dynomite::ir
