#include <nanobind/stl/string.h>

#include "dynomite/native/py_builder.hpp"

namespace dynomite::ir {

namespace {

/// A handle to what an update speaks of, which may be deleted by now.
template <typename Id>
nb::object mention(const PyUpdate& u, Id id) {
  if (!id) return nb::none();
  u.module->access().check_read();
  return nb::cast(
      Handle<Id>{u.owner, u.module, id, is_live(*u.module, id) ? generation_of(*u.module, id) : 0});
}

}  // namespace

void bind_ir_updates(nb::module_& m) {
  nb::enum_<Tracking>(m, "Tracking", "What a builder does with a mutation.")
      .value("NONE", Tracking::kNone, "Do it.")
      .value("LAZY_TRACKING", Tracking::kLazyTracking, "Do it and record it.")
      .value("LAZY_UPDATE", Tracking::kLazyUpdate, "Record it; `execute` does it.")
      .value("EAGER", Tracking::kEager, "Do it, record it, and call the listeners.");
  nb::enum_<UpdateKind>(m, "UpdateKind", "What an update does.")
      .value("INSTR_CREATE", UpdateKind::kInstrCreate)
      .value("INSTR_DELETE", UpdateKind::kInstrDelete)
      .value("OPCODE_CHANGE", UpdateKind::kOpcodeChange)
      .value("OPERAND_REPLACE", UpdateKind::kOperandReplace)
      .value("OPERAND_REPLACE_ALL_USES", UpdateKind::kReplaceAllUses)
      .value("TYPE_CHANGE", UpdateKind::kTypeChange)
      .value("LOCATION_CHANGE", UpdateKind::kLocationChange)
      .value("NAME_CHANGE", UpdateKind::kNameChange)
      .value("REGION_CREATE", UpdateKind::kRegionCreate)
      .value("REGION_DELETE", UpdateKind::kRegionDelete)
      .value("BLOCK_CREATE", UpdateKind::kBlockCreate)
      .value("BLOCK_DELETE", UpdateKind::kBlockDelete)
      .value("BLOCK_MOVE", UpdateKind::kBlockMove)
      .value("INSTR_INSERT", UpdateKind::kInstrInsert)
      .value("INSTR_REMOVE", UpdateKind::kInstrRemove)
      .value("BLOCK_SPLICE", UpdateKind::kBlockSplice);
  nb::class_<PyUpdate>(m, "Update", nb::is_final(),
                       "One mutation as a value. Which fields mean something depends on the kind.")
      .def_prop_ro(
          "kind", [](const PyUpdate& u) { return u.update.kind; }, "What it does.")
      .def_prop_ro(
          "instr", [](const PyUpdate& u) { return mention(u, u.update.instr); },
          nb::sig("def instr(self) -> InstrRef | None"), "The instruction; the first one of a splice.")
      .def_prop_ro(
          "last", [](const PyUpdate& u) { return mention(u, u.update.last); },
          nb::sig("def last(self) -> InstrRef | None"), "The last instruction of a splice.")
      .def_prop_ro(
          "operand", [](const PyUpdate& u) { return u.update.operand; },
          "Number of the operand; of uses moved for OPERAND_REPLACE_ALL_USES.")
      .def_prop_ro(
          "old", [](const PyUpdate& u) { return u.update.old_ref; }, "What was there.")
      .def_prop_ro(
          "new", [](const PyUpdate& u) { return u.update.new_ref; }, "What is there now.")
      .def_prop_ro(
          "block", [](const PyUpdate& u) { return mention(u, u.update.block); },
          nb::sig("def block(self) -> BlockRef | None"), "The block; the target of a splice.")
      .def_prop_ro(
          "old_block", [](const PyUpdate& u) { return mention(u, u.update.old_block); },
          nb::sig("def old_block(self) -> BlockRef | None"), "The source of a splice.")
      .def_prop_ro(
          "region", [](const PyUpdate& u) { return mention(u, u.update.region); },
          nb::sig("def region(self) -> RegionRef | None"), "The region.")
      .def_prop_ro(
          "previous", [](const PyUpdate& u) { return mention(u, u.update.previous); },
          nb::sig("def previous(self) -> InstrRef | None"), "The instruction in front of the place.")
      .def(
          "revert",
          [](const PyUpdate& u) {
            if (!u.mutator.is_valid()) throw UsageError("revert: what a listener is told is in no log");
            Mutator& mutator = nb::cast<Mutator&>(u.mutator);
            writable(mutator.module());
            if (u.index + 1 != mutator.mark() || mutator.log()[u.index].stamp != u.update.stamp ||
                mutator.log()[u.index].kind != u.update.kind) {
              throw UsageError("revert: this is not the latest update of its builder");
            }
            mutator.rollback(u.index);
          },
          "Takes it back; it has to be the latest of its builder.\n\nRaises:\n    UsageError: It is not, or "
          "another "
          "builder has changed the module since.")
      .def("__repr__", [](const PyUpdate& u) {
        const nb::object kind = nb::cast(u.update.kind);
        std::string text = std::string("<Update ") + nb::cast<std::string>(kind.attr("name"));
        if (u.update.instr) text += " instr " + std::to_string(u.update.instr.index());
        if (u.update.block) text += " block " + std::to_string(u.update.block.index());
        return text + ">";
      });
}

}  // namespace dynomite::ir
