#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "dynomite/native/py_builder.hpp"

namespace dynomite::ir {

namespace {

Module& target(Mutator& mutator) { return writable(mutator.module()); }

/// A running pass writes the log, too.
template <typename M>
M& readable(M& mutator) {
  mutator.module().access().check_read();
  return mutator;
}

/// For what changes an instruction that exists: builders in mode Immutable only replace them.
Module& mutable_target(Mutator& mutator, const char* call) {
  const auto* builder = dynamic_cast<PyBuilder*>(&mutator);
  if (builder != nullptr && !builder->is_mutable) {
    throw UsageError(std::string(call) + ": the builder is immutable: build a new instruction, or replace");
  }
  return target(mutator);
}

/// The block or instruction a new instruction is put behind.
InstrId optional_id(const Module& module, const nb::object& instr) {
  return instr.is_none() ? InstrId() : checked(module, nb::cast<const InstrHandle&>(instr));
}

nb::list updates_to_python(Mutator& mutator, std::size_t from, std::size_t to) {
  const nb::object owner = owner_of(mutator.module());
  nb::list list;
  const nb::object self = nb::find(&mutator);
  for (std::size_t i = from; i < to; ++i) {
    list.append(PyUpdate{owner, &mutator.module(), mutator.log()[i], self, i});
  }
  return list;
}

std::size_t checked_mark(const Mutator& mutator, std::size_t mark) {
  if (mark > mutator.mark()) throw UsageError("the log has no such mark");
  return mark;
}

void bind_changes(nb::class_<Mutator>& c) {
  c.def(
       "erase",
       [](Mutator& mutator, const InstrHandle& instr) {
         Module& module = target(mutator);
         const InstrId id = checked(module, instr);
         for (const RegionId region : module.regions(id)) {
           if (is_live(module, region) && module.cfg().first_block(region))
             throw UsageError("erase: a region of the instruction still has blocks");
         }
         mutator.erase(id);
       },
       nb::arg("instr"),
       "Deletes an instruction, which leaves its blocks first.\n\nInvalidates: references to it and its "
       "values.\n\nRaises:\n    UsageError: It is still used, or its regions hold blocks.")
      .def(
          "set_opcode",
          [](Mutator& mutator, const InstrHandle& instr, const nb::object& op) {
            Module& module = mutable_target(mutator, "set_opcode");
            mutator.set_opcode(checked(module, instr), to_opcode(*module.registry(), op));
          },
          nb::arg("instr"), nb::arg("op"),
          nb::sig("def set_opcode(self, instr: InstrRef, op: Op | Opcode) -> None"),
          "Makes another operation of an instruction.")
      .def(
          "set_operand",
          [](Mutator& mutator, const InstrHandle& instr, std::uint32_t index, const nb::object& to) {
            Module& module = mutable_target(mutator, "set_operand");
            const InstrId id = checked(module, instr);
            if (index >= module.instrs().operand_count(id))
              throw nb::index_error("the instruction has fewer operands");
            if (module.instrs().operand(id, index).is_def)
              throw UsageError("set_operand: this operand is a definition");
            mutator.set_operand(id, index, to_ref(module, to));
          },
          nb::arg("instr"), nb::arg("index"), nb::arg("operand").none(),
          nb::sig("def set_operand(self, instr: InstrRef, index: int, operand: dynomite.ir.operands.Operand) "
                  "-> None"),
          "Replaces one use.\n\nRaises:\n    UsageError: The operand is a definition.")
      .def(
          "set_attributes",
          [](Mutator& mutator, const InstrHandle& instr, const nb::dict& attrs) {
            Module& module = mutable_target(mutator, "set_attributes");
            const InstrId id = checked(module, instr);
            if (!module.dictionary(id))
              throw UsageError("set_attributes: the instruction was built without attributes");
            mutator.set_operand(id, module.instrs().operand_count(id) - 1, to_ref(module, attrs));
          },
          nb::arg("instr"), nb::arg("attrs"),
          nb::sig("def set_attributes(self, instr: InstrRef, attrs: dict[str, dynomite.ir.operands.Operand]) "
                  "-> None"),
          "Replaces the attribute dictionary.\n\nRaises:\n    UsageError: The instruction has none.")
      .def(
          "replace_all_uses",
          [](Mutator& mutator, const ValueHandle& from, const ValueHandle& to) {
            Module& module = target(mutator);
            mutator.replace_all_uses(checked(module, from), checked(module, to));
          },
          nb::arg("old"), nb::arg("new"),
          "Makes all uses of one value uses of another.\n\nCost: linear in the uses.")
      .def(
          "set_type",
          [](Mutator& mutator, const ValueHandle& value, const TypeHandle& type) {
            Module& module = mutable_target(mutator, "set_type");
            if (type.module != &module) throw UsageError("this type belongs to another module");
            mutator.set_type(checked(module, value), type.id);
          },
          nb::arg("value"), nb::arg("type"), "Changes the type of a value.")
      .def(
          "set_location",
          [](Mutator& mutator, const InstrHandle& instr, const nb::object& loc) {
            Module& module = target(mutator);
            mutator.set_location(checked(module, instr), to_location(module, loc));
          },
          nb::arg("instr"), nb::arg("loc").none(),
          nb::sig("def set_location(self, instr: InstrRef, loc: dynomite.ir.locations.Location) -> None"),
          "Says where an instruction comes from.")
      .def(
          "set_value_name",
          [](Mutator& mutator, const ValueHandle& value, const nb::object& name) {
            Module& module = target(mutator);
            const ValueId id = checked(module, value);
            mutator.set_value_name(
                id, name.is_none() ? AttrId()
                                   : module.attributes().string(text_to_bytes(nb::cast<nb::str>(name))));
          },
          nb::arg("value"), nb::arg("name").none(),
          nb::sig("def set_value_name(self, value: ValueRef, name: str | None) -> None"),
          "Names a value in the text.")
      .def(
          "create_region",
          [](Mutator& mutator) {
            Module& module = target(mutator);
            return make_handle(owner_of(module), module, mutator.create_region());
          },
          "A new region. It belongs to the instruction built with `Def(region)`.")
      .def(
          "erase_region",
          [](Mutator& mutator, const RegionHandle& region) {
            mutator.erase_region(checked(target(mutator), region));
          },
          nb::arg("region"), "Deletes a region without blocks.")
      .def(
          "create_block",
          [](Mutator& mutator, const RegionHandle& region) {
            Module& module = target(mutator);
            return make_handle(owner_of(module), module, mutator.create_block(checked(module, region)));
          },
          nb::arg("region"), "A new block at the end of a region.")
      .def(
          "erase_block",
          [](Mutator& mutator, const BlockHandle& block) {
            Module& module = target(mutator);
            const BlockId id = checked(module, block);
            if (id == module.body()) throw UsageError("erase_block: the body of the module stays");
            for (const Use& use : module.instrs().uses_of({id.index(), kind::kBlock})) {
              static_cast<void>(use);
              throw UsageError("erase_block: an instruction refers to the block");
            }
            mutator.erase_block(id);
          },
          nb::arg("block"), "Deletes a block without instructions.")
      .def(
          "move_block",
          [](Mutator& mutator, const BlockHandle& block, const RegionHandle& region,
             const nb::object& behind) {
            Module& module = target(mutator);
            const BlockId id = checked(module, block);
            if (id == module.body()) throw UsageError("move_block: the body of the module stays");
            const BlockId previous =
                behind.is_none() ? BlockId() : checked(module, nb::cast<const BlockHandle&>(behind));
            mutator.move_block(id, checked(module, region), previous);
          },
          nb::arg("block"), nb::arg("region"), nb::arg("behind") = nb::none(),
          nb::sig("def move_block(self, block: BlockRef, region: RegionRef, behind: BlockRef | None = None) "
                  "-> None"),
          "Moves a block behind another one, to the front without.")
      .def(
          "insert",
          [](Mutator& mutator, const BlockHandle& block, const InstrHandle& instr, const nb::object& behind) {
            Module& module = target(mutator);
            mutator.insert(checked(module, block), optional_id(module, behind), checked(module, instr));
          },
          nb::arg("block"), nb::arg("instr"), nb::arg("behind") = nb::none(),
          nb::sig(
              "def insert(self, block: BlockRef, instr: InstrRef, behind: InstrRef | None = None) -> None"),
          "Puts an instruction behind another one, to the front without.")
      .def(
          "append",
          [](Mutator& mutator, const BlockHandle& block, const InstrHandle& instr) {
            Module& module = target(mutator);
            mutator.append(checked(module, block), checked(module, instr));
          },
          nb::arg("block"), nb::arg("instr"), "Puts an instruction at the end of a block.")
      .def(
          "remove",
          [](Mutator& mutator, const BlockHandle& block, const InstrHandle& instr) {
            Module& module = target(mutator);
            mutator.remove(checked(module, block), checked(module, instr));
          },
          nb::arg("block"), nb::arg("instr"), "Takes an instruction out of a block; it lives on.")
      .def(
          "splice",
          [](Mutator& mutator, const BlockHandle& block, const BlockHandle& source, const InstrHandle& first,
             const InstrHandle& last, const nb::object& behind) {
            Module& module = target(mutator);
            mutator.splice(checked(module, block), optional_id(module, behind), checked(module, source),
                           checked(module, first), checked(module, last));
          },
          nb::arg("block"), nb::arg("source"), nb::arg("first"), nb::arg("last"),
          nb::arg("behind") = nb::none(),
          nb::sig(
              "def splice(self, block: BlockRef, source: BlockRef, first: InstrRef, last: InstrRef, behind: "
              "InstrRef | None = None) -> None"),
          "Moves the instructions from `first` to `last` behind another one, to the front without.\n\nCost: "
          "linear in "
          "the range.");
}

void bind_log(nb::class_<Mutator>& c) {
  c.def_prop_ro("tracking", &Mutator::tracking, "What it does with mutations.")
      .def(
          "set_tracking",
          [](Mutator& mutator, Tracking tracking) {
            target(mutator);
            mutator.set_tracking(tracking);
          },
          nb::arg("tracking"), "Changes what it does with mutations.")
      .def_prop_ro(
          "mark", [](Mutator& mutator) { return readable(mutator).mark(); },
          "The present end of the log, for `execute`, `rollback` and `updates`.")
      .def_prop_ro(
          "pending", [](Mutator& mutator) { return readable(mutator).mark() - mutator.executed(); },
          "Number of updates recorded but not done.")
      .def(
          "updates",
          [](Mutator& mutator, std::size_t mark) {
            readable(mutator);
            return updates_to_python(mutator, checked_mark(mutator, mark), mutator.mark());
          },
          nb::arg("since") = 0, nb::sig("def updates(self, since: int = 0) -> list[Update]"),
          "The log from a mark on.")
      .def(
          "execute",
          [](Mutator& mutator) {
            target(mutator);
            mutator.execute(mutator.executed());
          },
          "Does all updates that are only recorded.\n\nRaises:\n    UsageError, StaleRefError: One of them "
          "is impossible; "
          "those in front of it are done, the rest waits.")
      .def(
          "rollback",
          [](Mutator& mutator, std::size_t mark) {
            target(mutator);
            mutator.rollback(checked_mark(mutator, mark));
          },
          nb::arg("mark") = 0,
          "Takes back everything since a mark, latest first: text, use lists and order are as they "
          "were.\n\nRaises:\n    UsageError: Another builder has changed the module since, or the "
          "store is a pool and something was deleted.")
      .def(
          "clear_log",
          [](Mutator& mutator) {
            target(mutator);
            if (mutator.executed() < mutator.mark())
              throw UsageError("clear_log: recorded updates wait to be executed");
            mutator.clear_log();
          },
          "Forgets the log: what was done stays done.");
}

void notify(PyBuilder& builder, const Update& update, bool reverted) {
  const nb::object value = nb::cast(PyUpdate{builder.owner, &builder.module(), update, {}, 0});
  for (const nb::handle listener : nb::list(builder.listeners)) listener(value, reverted);
}

constexpr const char* kReplaceSignature =
    "def replace(self, old: InstrRef, op: Op | Opcode, *operands: dynomite.ir.operands.Operand | Def, attrs: "
    "dict[str, dynomite.ir.operands.Operand] | None = None, loc: dynomite.ir.locations.Location = None) -> "
    "InstrRef";
constexpr const char* kUpdateSignature =
    "def update(self, old: InstrRef, op: Op | Opcode, *operands: dynomite.ir.operands.Operand | Def, attrs: "
    "dict[str, dynomite.ir.operands.Operand] | None = None, loc: dynomite.ir.locations.Location = None) -> "
    "InstrRef";

using Rewrite = InstrId (Builder::*)(InstrId, Opcode, std::span<const OperandSpec>, LocationId);

template <Rewrite kRewrite>
InstrHandle rewrite(PyBuilder& builder, const InstrHandle& old, const nb::object& op,
                    const nb::args& operands, const nb::object& attrs, const nb::object& loc) {
  Module& module = target(builder);
  const InstrId id = checked(module, old);
  const Opcode opcode = to_opcode(*module.registry(), op);
  std::vector<OperandSpec> specs;
  for (const nb::handle operand : operands) specs.push_back(to_spec(module, operand));
  if (!attrs.is_none() && nb::len(attrs) != 0)
    specs.push_back(OperandSpec::use(to_ref(module, nb::cast<nb::dict>(attrs))));
  const LocationId location = to_location(module, loc);
  return make_handle(builder.owner, module, (builder.*kRewrite)(id, opcode, specs, location));
}

void bind_builder(nb::module_& m) {
  nb::class_<PyBuilder, Mutator>(
      m, "Builder", nb::is_final(), nb::type_slots(builder_slots),
      "Makes and changes instructions. New ones go to the end of `module.body` unless "
      "`set_place` says otherwise.")
      .def(
          "__init__",
          [](PyBuilder* self, nb::handle_t<Module> module, Tracking tracking, bool merging, bool is_mutable) {
            Module& of = *nb::inst_ptr<Module>(module);
            new (self) PyBuilder(nb::borrow(module), of, tracking);
            self->set_place(of.body());
            self->set_merging(merging);
            self->is_mutable = is_mutable;
          },
          nb::arg("module"), nb::kw_only(), nb::arg("tracking") = Tracking::kNone, nb::arg("merging") = false,
          nb::arg("mutable") = true,
          "Args:\n    module: What it changes.\n    tracking: What it does with mutations.\n    merging: A "
          "pure "
          "operation like a visible one is not made; the old one is returned.\n    mutable: Instructions may "
          "be changed "
          "in place.")
      .def(
          "set_place",
          [](PyBuilder& builder, const nb::object& block, const nb::object& before) {
            const Module& module = target(builder);
            if (block.is_none()) return builder.set_place({});
            const BlockId id = checked(module, nb::cast<const BlockHandle&>(block));
            const InstrId next = optional_id(module, before);
            if (next && !module.cfg().contains(id, next))
              throw UsageError("set_place: the instruction is not in this block");
            builder.set_place(id, next);
          },
          nb::arg("block").none(), nb::kw_only(), nb::arg("before") = nb::none(),
          nb::sig("def set_place(self, block: BlockRef | None, *, before: InstrRef | None = None) -> None"),
          "Where new instructions go: the end of a block, in front of one of its instructions, or nowhere.")
      .def_prop_ro(
          "block",
          [](PyBuilder& builder) {
            return optional_handle(builder.owner, readable(builder).module(), builder.block());
          },
          nb::sig("def block(self) -> BlockRef | None"), "The block new instructions go to.")
      .def_prop_ro(
          "before",
          [](PyBuilder& builder) {
            return optional_handle(builder.owner, readable(builder).module(), builder.before());
          },
          nb::sig("def before(self) -> InstrRef | None"),
          "The instruction in front of which new ones go; None at the end of the block.")
      .def_prop_ro(
          "module", [](PyBuilder& builder) { return builder.owner; }, nb::sig("def module(self) -> Module"),
          "The module it changes.")
      .def_prop_ro(
          "merging", [](PyBuilder& b) { return b.merging(); }, "True if equal pure operations are merged.")
      .def_prop_ro(
          "merged_count", [](PyBuilder& b) { return b.merged_count(); }, "Operations found instead of made.")
      .def(
          "replace",
          [](PyBuilder& builder, const InstrHandle& old, const nb::object& op, const nb::args& operands,
             const nb::object& attrs, const nb::object& loc) {
            return rewrite<&Builder::replace>(builder, old, op, operands, attrs, loc);
          },
          nb::arg("old"), nb::arg("op"), nb::arg("operands"), nb::kw_only(), nb::arg("attrs") = nb::none(),
          nb::arg("loc") = nb::none(), nb::sig(kReplaceSignature),
          "Builds an instruction in place of another: same place, names and uses; the old one is deleted and "
          "their origins unite.\n\nRaises:\n    UsageError: The new one defines another number of values, or "
          "uses the old one.")
      .def(
          "update",
          [](PyBuilder& builder, const InstrHandle& old, const nb::object& op, const nb::args& operands,
             const nb::object& attrs, const nb::object& loc) {
            return builder.is_mutable ? rewrite<&Builder::update>(builder, old, op, operands, attrs, loc)
                                      : rewrite<&Builder::replace>(builder, old, op, operands, attrs, loc);
          },
          nb::arg("old"), nb::arg("op"), nb::arg("operands"), nb::kw_only(), nb::arg("attrs") = nb::none(),
          nb::arg("loc") = nb::none(), nb::sig(kUpdateSignature),
          "Makes this of an instruction: in place where the builder is mutable and operands and definitions "
          "match in number and place, otherwise by `replace`.\n\nReturns:\n    The changed or the new "
          "instruction.")
      .def_prop_ro(
          "mutable", [](PyBuilder& b) { return b.is_mutable; },
          "True if instructions may be changed in place.")
      .def(
          "listen",
          [](PyBuilder& builder, const nb::object& listener) {
            builder.listeners.append(listener);
            builder.set_listener(
                [&builder](const Update& update, bool reverted) { notify(builder, update, reverted); });
          },
          nb::arg("listener"),
          nb::sig("def listen(self, listener: collections.abc.Callable[[Update, bool], object]) -> None"),
          "Calls `listener(update, reverted)` after every update done or taken back in mode EAGER.")
      .def_prop_rw(
          "folding", [](PyBuilder& b) { return b.folding.is_valid() ? b.folding : nb::none(); },
          [](PyBuilder& b, const nb::object& interface) {
            if (!interface.is_none() && !is_interface(interface))
              throw nb::type_error("folding: a NativeInterface or None is needed");
            b.folding = interface.is_none() ? nb::object() : interface;
          },
          nb::arg("interface").none(),
          "An `Interface` of functions `(builder, type, operands)` that return a value or constant for "
          "`value` to return instead of building, or None.");
}

}  // namespace

void bind_ir_builder(nb::module_& m) {
  bind_ir_updates(m);
  bind_ir_interface(m);
  nb::class_<Mutator> mutator(m, "Mutator", "The only thing that changes modules; see Builder.");
  bind_changes(mutator);
  bind_log(mutator);
  bind_builder(m);
}

}  // namespace dynomite::ir
