#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <utility>

#include "dynomite/native/ir/bulk_build.hpp"
#include "dynomite/native/py_builder.hpp"

// Whole modules as numpy arrays: building from rows, and reading tables indexed by id.

namespace dynomite::ir {

namespace {

template <typename T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <typename T>
using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A new array that owns `values`.
template <typename T>
Array<T> array(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  const std::size_t size = kept->size();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(data, {size}, owner);
}

template <typename T>
std::span<const T> span_of(const Given<T>& given) {
  return {given.data(), given.size()};
}

const Module& readable(const Module& module) {
  module.access().check_read();
  return module;
}

}  // namespace

void bind_ir_arrays(nb::module_& m) {
  m.def(
      "build_rows",
      [](PyBuilder& builder, const Given<std::uint16_t>& opcodes, const Given<std::uint32_t>& types,
         const Given<std::uint64_t>& starts, const Given<std::uint32_t>& operands, std::uint32_t first_new) {
        writable(builder.module());
        return array(build_rows(
            builder, {span_of(opcodes), span_of(types), span_of(starts), span_of(operands), first_new}));
      },
      nb::arg("builder"), nb::arg("opcodes").noconvert(), nb::arg("types").noconvert(),
      nb::arg("starts").noconvert(), nb::arg("operands").noconvert(), nb::arg("first_new"),
      "See dynomite.ir.arrays.build_rows.");
  m.def(
      "opcode_table",
      [](const Module& given) {
        const InstrStore& store = readable(given).instrs();
        std::vector<std::uint16_t> table(store.instr_bound(), 0xFFFF);
        for (std::uint32_t i = 0; i < table.size(); ++i) {
          if (store.is_live(InstrId(i))) table[i] = store.opcode(InstrId(i)).raw();
        }
        return array(std::move(table));
      },
      nb::arg("module"), "See dynomite.ir.arrays.opcodes.");
  m.def(
      "use_count_table",
      [](const Module& given) {
        const InstrStore& store = readable(given).instrs();
        std::vector<std::uint32_t> table(store.value_bound(), 0);
        for (std::uint32_t i = 0; i < store.instr_bound(); ++i) {
          if (!store.is_live(InstrId(i))) continue;
          for (std::uint32_t k = 0; k < store.operand_count(InstrId(i)); ++k) {
            const Operand operand = store.operand(InstrId(i), k);
            if (!operand.is_def && operand.ref.kind == kind::kValue) ++table[operand.ref.id];
          }
        }
        return array(std::move(table));
      },
      nb::arg("module"), "See dynomite.ir.arrays.use_counts.");
  m.def(
      "definer_table",
      [](const Module& given) {
        const InstrStore& store = readable(given).instrs();
        std::vector<std::uint32_t> table(store.value_bound(), InstrId::kNone);
        for (std::uint32_t i = 0; i < table.size(); ++i) {
          if (store.is_live(ValueId(i))) table[i] = store.definition(ValueId(i)).instr.index();
        }
        return array(std::move(table));
      },
      nb::arg("module"), "See dynomite.ir.arrays.definers.");
  m.def(
      "type_table",
      [](const Module& given) {
        const InstrStore& store = readable(given).instrs();
        std::vector<std::uint32_t> table(store.value_bound(), TypeId::kNone);
        for (std::uint32_t i = 0; i < table.size(); ++i) {
          if (store.is_live(ValueId(i))) table[i] = store.type(ValueId(i)).index();
        }
        return array(std::move(table));
      },
      nb::arg("module"), "See dynomite.ir.arrays.types.");
  m.def(
      "block_table",
      [](const BlockHandle& block) {
        const Module& module = block.read();
        std::vector<std::uint32_t> ids;
        ids.reserve(module.cfg().instr_count(block.id));
        for (InstrId i = module.cfg().first(block.id); i; i = module.cfg().next(block.id, i))
          ids.push_back(i.index());
        return array(std::move(ids));
      },
      nb::arg("block"), "See dynomite.ir.arrays.block_instrs.");
  m.def(
      "operand_rows",
      [](const Module& given) {
        const InstrStore& store = readable(given).instrs();
        std::vector<std::uint64_t> starts(1, 0);
        std::vector<std::uint32_t> ids;
        std::vector<std::uint16_t> kinds;
        std::vector<std::uint8_t> defs;
        for (std::uint32_t i = 0; i < store.instr_bound(); ++i) {
          const std::uint32_t count = store.is_live(InstrId(i)) ? store.operand_count(InstrId(i)) : 0;
          for (std::uint32_t k = 0; k < count; ++k) {
            const Operand operand = store.operand(InstrId(i), k);
            ids.push_back(operand.ref.id);
            kinds.push_back(
                static_cast<std::uint16_t>(operand.ref.kind.dialect << 8 | operand.ref.kind.type));
            defs.push_back(operand.is_def ? 1 : 0);
          }
          starts.push_back(ids.size());
        }
        return nb::typed<nb::tuple, Array<std::uint64_t>, Array<std::uint32_t>, Array<std::uint16_t>,
                         Array<std::uint8_t>>(nb::make_tuple(array(std::move(starts)), array(std::move(ids)),
                                                             array(std::move(kinds)),
                                                             array(std::move(defs))));
      },
      nb::arg("module"), "See dynomite.ir.arrays.operand_rows.");
}

}  // namespace dynomite::ir
