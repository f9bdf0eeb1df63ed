#pragma once

#include <nanobind/nanobind.h>

#include "dmt_dialect/native/word/bit_vec.hpp"

// Words as Python sees them: whole numbers of any size and `BitVec`.

namespace dmt {

/// `value`, signed or unsigned, in `width` bits; throws UsageError if it needs more.
BitVec word_from_int(nanobind::int_ value, std::uint32_t width);
/// An amount, an index: an unsigned number in as few bits as it needs.
BitVec amount_from_int(nanobind::int_ value);
/// The unsigned value.
nanobind::int_ word_to_int(const BitVec& word);

/// Registers `BitVec`.
void bind_bit_vec(nanobind::module_& m);

/// Registers `ArithReport`.
void bind_arith(nanobind::module_& m);

}  // namespace dmt
