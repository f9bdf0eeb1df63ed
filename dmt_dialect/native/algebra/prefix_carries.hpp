#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/arith/adder_cells.hpp"

namespace dmt::algebra {

struct CarryCells {
  /// Exact: proved by SAT.
  std::vector<AdderCell> cells;
  /// Per cell: which of `cuts` its proof took for free inputs.
  std::vector<std::uint8_t> cut_of;
  /// Sets of nodes, ascending.
  std::vector<std::vector<std::uint32_t>> cuts;
  /// Carries looked like that and were not proved.
  std::uint64_t refused = 0;
};

/// Full adders whose carry is made by other logic than that of a cell, such as a prefix network: a sum bit is
/// the exclusive or of a carry and of an exclusive or x ^ y; the carry out of it is a node with the values of
/// the majority. Candidates come from simulation of the adders alone, over their operands as free inputs,
/// with long runs of propagated carries; each is then proved by SAT sweeping against a ripple carry, over the
/// same free inputs. After Kaufmann, Biere, Kauers, "Verifying Large Multipliers by Combining SAT and
/// Computer Algebra" (FMCAD 2019), where the whole last adder is replaced.
CarryCells find_carry_cells(const AigStore& store, const AdderCells& found, dynomite::Stop& stop);

}  // namespace dmt::algebra
