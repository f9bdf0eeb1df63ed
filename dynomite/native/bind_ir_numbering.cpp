#include <nanobind/stl/vector.h>

#include <vector>

#include "dynomite/native/ir/numbering.hpp"
#include "dynomite/native/py_builder.hpp"

namespace dynomite::ir {

namespace {

struct PyNumbering {
  nb::object owner;
  Module* module;
  RegionId region;
  InstrNumbering numbering;

  /// For questions; throws StaleRefError if the region is gone.
  InstrNumbering& read() {
    module->access().check_read();
    if (!is_live(*module, region)) throw StaleRefError("this region was deleted");
    return numbering;
  }
};

}  // namespace

void bind_ir_numbering(nb::module_& m) {
  nb::class_<PyNumbering>(m, "RegionNumbering", nb::is_final(),
                          "The table behind dynomite.ir.analyses.InstrOrder and DominanceOrder.")
      .def(
          "__init__",
          [](PyNumbering* self, const RegionHandle& region, bool dominance) {
            Module& module = region.read();
            new (self)
                PyNumbering{region.owner, &module, region.id,
                            InstrNumbering(module, region.id,
                                           dominance ? NumberOrder::kDominance : NumberOrder::kBlocks)};
          },
          nb::arg("region"), nb::arg("dominance"))
      .def(
          "number",
          [](PyNumbering& self, const InstrHandle& instr) {
            InstrNumbering& numbering = self.read();
            return numbering.number(checked(*self.module, instr));
          },
          nb::arg("instr"),
          "Its number.\n\nCost: amortised constant.\n\nRaises:\n    UsageError: It is not directly in the "
          "region.")
      .def(
          "has_number",
          [](PyNumbering& self, const InstrHandle& instr) {
            return self.read().has_number(checked(*self.module, instr));
          },
          nb::arg("instr"), "True if it has a number already. Constant time.")
      .def(
          "unnumbered",
          [](PyNumbering& self) {
            nb::list result;
            for (const InstrId instr : self.read().unnumbered()) {
              result.append(make_handle(self.owner, *self.module, instr));
            }
            return result;
          },
          nb::sig("def unnumbered(self) -> list[InstrRef]"),
          "Instructions of the region without a number, in order. Linear in the region.")
      .def(
          "consume",
          [](PyNumbering& self, const PyUpdate& update, bool reverted) {
            if (update.module != self.module) throw UsageError("consume: the update is of another module");
            self.module->access().check_read();
            self.numbering.consume({&update.update, 1}, reverted);
          },
          nb::arg("update"), nb::arg("reverted"), "Takes in an update that was done or taken back.")
      .def_prop_ro(
          "renumberings", [](const PyNumbering& self) { return self.numbering.renumberings(); },
          "How often a block was numbered anew.");
}

}  // namespace dynomite::ir
