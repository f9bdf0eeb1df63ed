#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// A value of three-valued simulation: 0, 1 or unknown.
enum class Ternary : std::uint8_t { kZero = 0, kOne = 1, kUnknown = 2 };

/// Values of `lits` when the inputs, then the latches, have the values `cis`. Unknown means that this
/// simulation cannot tell; a known value holds for every choice of the unknown inputs. Linear.
std::vector<Ternary> evaluate(const AigStore& aig, std::span<const Ternary> cis, std::span<const Lit> lits);

/// One side of a difference: a design as it was read, the literal, and which shared variable each of its
/// inputs, then latches, reads.
struct WitnessSide {
  const AigStore* aig;
  Lit lit;
  std::span<const std::uint32_t> variables;
};

/// The variables needed to keep both literals at the values `values` give them; one flag a variable.
/// A linear justification of each side comes first, then each variable left is tried alone while the visits
/// of nodes stay below `budget` (and `stop` does not ask to end). The literals have known values under the
/// answer, whatever the other variables are.
std::vector<bool> needed_variables(const WitnessSide& left, const WitnessSide& right,
                                   std::span<const std::uint8_t> values, std::uint64_t budget,
                                   dynomite::Stop& stop);

}  // namespace dmt
