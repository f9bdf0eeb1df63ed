#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynomite/native/ir/builder.hpp"

namespace dynomite::ir {

/// Many operations that define one value each and use values only.
struct BulkRows {
  std::span<const std::uint16_t> opcodes;  // one a row
  std::span<const std::uint32_t> types;    // TypeId, one a row
  std::span<const std::uint64_t> starts;   // row i uses operands[starts[i]] to operands[starts[i + 1]]
  /// Value ids. Those from `first_new` on are rows of this batch: first_new + i is the value of row i.
  std::span<const std::uint32_t> operands;
  std::uint32_t first_new = 0;
};

/// Builds all rows where the builder builds; returns the ids of their values. Everything is checked before
/// anything is built: a row may use live values and earlier rows (UsageError).
std::vector<std::uint32_t> build_rows(Builder& builder, const BulkRows& rows);

}  // namespace dynomite::ir
