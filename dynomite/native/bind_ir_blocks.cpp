#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "dynomite/native/py_refs.hpp"

// Blocks, regions and types.

namespace dynomite::ir {

namespace {

std::string type_text(const Module& module, TypeId type) {
  if (!type) return "core.none";
  std::string text = module.registry()->name(module.attributes().type_kind(type));
  const auto params = module.attributes().type_params(type);
  if (params.empty()) return text;
  text += "(";
  nb::object owner = owner_of(const_cast<Module&>(module));
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (i != 0) text += ", ";
    const FatDynObjRef& ref = params[i];
    if (ref.kind == kind::kType) {
      text += type_text(module, TypeId(ref.id));
    } else if (ref.kind == kind::kConstant) {
      text += std::to_string(ref.payload);
    } else {
      text += nb::repr(to_python(owner, const_cast<Module&>(module), ref)).c_str();
    }
  }
  return text + ")";
}

/// Walks over a block; asks for the next instruction only when it is wanted, so the block may change behind.
struct BlockWalk {
  BlockHandle block;
  InstrId next;
  std::uint32_t generation = 0;
};

void bind_block(nb::module_& m) {
  using Ref = BlockHandle;
  nb::class_<BlockWalk>(m, "BlockWalk", nb::is_final(), "Iterator over the instructions of a block.")
      .def(
          "__iter__", [](const nb::object& self) { return self; }, nb::sig("def __iter__(self) -> BlockWalk"))
      .def("__next__", [](BlockWalk& walk) {
        Module& module = walk.block.read();
        if (!walk.next) throw nb::stop_iteration();
        if (!is_live(module, walk.next) || generation_of(module, walk.next) != walk.generation ||
            !module.cfg().contains(walk.block.id, walk.next)) {
          throw UsageError("the instruction that comes next has left the block during the iteration");
        }
        InstrHandle result = make_handle(walk.block.owner, module, walk.next);
        walk.next = module.cfg().next(walk.block.id, walk.next);
        walk.generation = walk.next ? generation_of(module, walk.next) : 0;
        return result;
      });
  bind_handle<BlockId>(m, "BlockRef", "A block: instructions in order.")
      .def_prop_ro(
          "region",
          [](const Ref& r) {
            Module& module = r.read();
            return make_handle(r.owner, module, module.cfg().region(r.id));
          },
          "The region that holds it.")
      .def_prop_ro(
          "first",
          [](const Ref& r) { return optional_handle(r.owner, r.read(), r.module->cfg().first(r.id)); },
          nb::sig("def first(self) -> InstrRef | None"), "The first instruction.")
      .def_prop_ro(
          "last", [](const Ref& r) { return optional_handle(r.owner, r.read(), r.module->cfg().last(r.id)); },
          nb::sig("def last(self) -> InstrRef | None"), "The last instruction.")
      .def(
          "next_instr",
          [](const Ref& r, const InstrHandle& instr) {
            Module& module = r.read();
            const InstrId id = checked(module, instr);
            if (!module.cfg().contains(r.id, id))
              throw UsageError("next_instr: the instruction is not in this block");
            return optional_handle(r.owner, module, module.cfg().next(r.id, id));
          },
          nb::arg("instr"), nb::sig("def next_instr(self, instr: InstrRef) -> InstrRef | None"),
          "The instruction behind another one.")
      .def(
          "previous_instr",
          [](const Ref& r, const InstrHandle& instr) {
            Module& module = r.read();
            const InstrId id = checked(module, instr);
            if (!module.cfg().contains(r.id, id))
              throw UsageError("previous_instr: the instruction is not in this block");
            return optional_handle(r.owner, module, module.cfg().previous(r.id, id));
          },
          nb::arg("instr"), nb::sig("def previous_instr(self, instr: InstrRef) -> InstrRef | None"),
          "The instruction in front of another one.")
      .def_prop_ro(
          "next",
          [](const Ref& r) { return optional_handle(r.owner, r.read(), r.module->cfg().next_block(r.id)); },
          nb::sig("def next(self) -> BlockRef | None"), "The block behind it in the region.")
      .def_prop_ro(
          "previous",
          [](const Ref& r) {
            return optional_handle(r.owner, r.read(), r.module->cfg().previous_block(r.id));
          },
          nb::sig("def previous(self) -> BlockRef | None"), "The block in front of it in the region.")
      .def_prop_ro(
          "references",
          [](const Ref& r) {
            Module& module = r.read();
            return use_tuple(r.owner, module, module.instrs().uses_of({r.id.index(), kind::kBlock}));
          },
          nb::sig("def references(self) -> tuple[tuple[InstrRef, int], ...]"),
          "Instructions that refer to it (branches), with the operand's number.")
      .def("__len__", [](const Ref& r) { return r.read().cfg().instr_count(r.id); })
      .def("__bool__", [](const Ref&) { return true; })
      .def("__contains__",
           [](const Ref& r, const InstrHandle& instr) {
             const Module& module = r.read();
             return instr.module == &module && instr.live() && module.cfg().contains(r.id, instr.id);
           })
      .def("__iter__",
           [](const Ref& r) {
             const Module& module = r.read();
             const InstrId first = module.cfg().first(r.id);
             return BlockWalk{r, first, first ? generation_of(module, first) : 0};
           })
      .def("__repr__", [](const Ref& r) {
        const std::string gone = gone_text(r, "BlockRef");
        return gone.empty() ? "<BlockRef ^" + std::to_string(r.id.index()) + ">" : gone;
      });
}

void bind_region(nb::module_& m) {
  using Ref = RegionHandle;
  bind_handle<RegionId>(m, "RegionRef", "A region: blocks in order, the first one is the entry.")
      .def_prop_ro(
          "owner",
          [](const Ref& r) {
            Module& module = r.read();
            return optional_handle(r.owner, module, module.cfg().owner(r.id));
          },
          nb::sig("def owner(self) -> InstrRef | None"), "The instruction it belongs to.")
      .def_prop_ro(
          "blocks",
          [](const Ref& r) {
            Module& module = r.read();
            std::vector<BlockId> blocks;
            for (BlockId b = module.cfg().first_block(r.id); b; b = module.cfg().next_block(b))
              blocks.push_back(b);
            return block_tuple(r.owner, module, blocks);
          },
          nb::sig("def blocks(self) -> tuple[BlockRef, ...]"), "Its blocks in order.")
      .def_prop_ro(
          "entry",
          [](const Ref& r) { return optional_handle(r.owner, r.read(), r.module->cfg().first_block(r.id)); },
          nb::sig("def entry(self) -> BlockRef | None"), "Its first block.")
      .def("__repr__", [](const Ref& r) {
        const std::string gone = gone_text(r, "RegionRef");
        return gone.empty() ? "<RegionRef " + std::to_string(r.id.index()) + ">" : gone;
      });
}

void bind_type(nb::module_& m) {
  using Ref = TypeHandle;
  nb::class_<Ref>(m, "Type", nb::is_final(), "A type of values, interned in its module: equal types are one.")
      .def_prop_ro(
          "module", [](const Ref& r) { return r.owner; }, nb::sig("def module(self) -> Module"),
          "The module it belongs to.")
      .def_prop_ro(
          "id", [](const Ref& r) { return r.id; }, "Its id in the module.")
      .def_prop_ro(
          "kind", [](const Ref& r) { return r.read().attributes().type_kind(r.id); }, "Which type.")
      .def_prop_ro(
          "name",
          [](const Ref& r) { return r.read().registry()->name(r.module->attributes().type_kind(r.id)); },
          "\"dialect.name\".")
      .def_prop_ro(
          "is_token",
          [](const Ref& r) {
            return r.read().registry()->type(r.module->attributes().type_kind(r.id)).is_token;
          },
          "True for tokens, which carry no data.")
      .def_prop_ro(
          "params",
          [](const Ref& r) {
            nb::list params;
            for (const FatDynObjRef& ref : r.read().attributes().type_params(r.id))
              params.append(to_python(r.owner, *r.module, ref));
            return nb::tuple(params);
          },
          nb::sig("def params(self) -> tuple[dynomite.ir.operands.Operand, ...]"), "Its parameters.")
      .def(
          "__hash__",
          [](const Ref& r) {
            return static_cast<Py_hash_t>(mix(reinterpret_cast<std::uintptr_t>(r.module), r.id.index()) >> 1);
          })
      .def(
          "__eq__",
          [](const Ref& a, const nb::object& b) {
            const auto* other = as<Ref>(b);
            return other != nullptr && other->module == a.module && other->id == a.id;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__",
           [](const Ref& r) {
             if (!r.module->access().can_read()) return std::string("<Type, module being changed>");
             return "<Type " + type_text(*r.module, r.id) + ">";
           })
      .def("__str__", [](const Ref& r) { return type_text(r.read(), r.id); });
}

}  // namespace

void bind_ir_blocks(nb::module_& m) {
  bind_block(m);
  bind_region(m);
}

void bind_ir_types(nb::module_& m) { bind_type(m); }

}  // namespace dynomite::ir
