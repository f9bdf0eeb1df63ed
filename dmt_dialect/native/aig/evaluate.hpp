#pragma once

#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// Value of a literal under a partial assignment.
enum class Ternary : std::uint8_t { kZero = 0, kOne = 1, kUnknown = 2 };

/// Values of `lits` when the inputs and latches have the values `ci_values` (inputs first, then latches).
/// An AND with a false fanin is false whatever the other is; else an unknown fanin makes it unknown. Looks at
/// the cone of `lits` only. For a handful of values; simulation is for many.
std::vector<Ternary> evaluate(const AigStore& store, std::span<const Lit> lits,
                              std::span<const Ternary> ci_values);

}  // namespace dmt
