#include "dynomite/native/ir/bulk_build.hpp"

#include <algorithm>
#include <string>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

namespace {

[[noreturn]] void bad_row(std::size_t row, const std::string& what) {
  throw UsageError("build_rows: row " + std::to_string(row) + " " + what);
}

void check(const Module& module, const BulkRows& rows) {
  const std::size_t count = rows.opcodes.size();
  if (rows.types.size() != count || rows.starts.size() != count + 1)
    throw UsageError("build_rows: opcodes, types and operands differ in length");
  if (rows.starts[0] != 0 || rows.starts[count] != rows.operands.size())
    throw UsageError("build_rows: the starts do not cover the operands");
  for (std::size_t row = 0; row < count; ++row) {
    if (!module.registry()->knows(Opcode::from_raw(rows.opcodes[row]))) bad_row(row, "has an unknown opcode");
    if (rows.types[row] != TypeId::kNone && rows.types[row] >= module.attributes().type_count())
      bad_row(row, "has an unknown type");
    if (rows.starts[row] > rows.starts[row + 1]) bad_row(row, "has a start behind its end");
    for (std::uint64_t i = rows.starts[row]; i < rows.starts[row + 1]; ++i) {
      const std::uint32_t value = rows.operands[i];
      if (value >= rows.first_new) {
        if (value - rows.first_new >= row) bad_row(row, "uses a row that does not come before it");
      } else if (!module.instrs().is_live(ValueId(value))) {
        bad_row(row, "uses a value that does not exist");
      }
    }
  }
}

}  // namespace

std::vector<std::uint32_t> build_rows(Builder& builder, const BulkRows& rows) {
  Module& module = builder.module();
  check(module, rows);
  const std::size_t count = rows.opcodes.size();
  std::vector<std::uint32_t> values;
  values.reserve(count);
  module.instrs().reserve(count, rows.operands.size() + count);
  std::vector<OperandSpec> specs;
  // Uses are far apart; what they touch is fetched some rows ahead.
  constexpr std::size_t kAhead = 8;
  const auto ahead = [&](std::size_t row, auto fetch) {
    if (row >= count) return;
    for (std::uint64_t i = rows.starts[row]; i < rows.starts[row + 1]; ++i) {
      const std::uint32_t value = rows.operands[i];
      if (value < rows.first_new) {
        fetch(ValueId(value));
      } else if (value - rows.first_new < values.size()) {
        fetch(ValueId(values[value - rows.first_new]));
      }
    }
  };
  const InstrStore& store = module.instrs();
  for (std::size_t row = 0; row < count; ++row) {
    ahead(row + 2 * kAhead, [&](ValueId value) { store.prefetch_definition(value); });
    ahead(row + kAhead, [&](ValueId value) { store.prefetch_latest_use(value); });
    specs.clear();
    specs.push_back(OperandSpec::def(TypeId(rows.types[row])));
    for (std::uint64_t i = rows.starts[row]; i < rows.starts[row + 1]; ++i) {
      const std::uint32_t value = rows.operands[i];
      specs.push_back(
          OperandSpec::use({kind::kValue, value < rows.first_new ? value : values[value - rows.first_new]}));
    }
    const InstrId instr = builder.build(Opcode::from_raw(rows.opcodes[row]), specs);
    values.push_back(module.instrs().operand(instr, 0).ref.id);
  }
  return values;
}

}  // namespace dynomite::ir
