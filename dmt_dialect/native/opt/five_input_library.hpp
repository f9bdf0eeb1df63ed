#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "dmt_dialect/native/opt/npn_library.hpp"

namespace dmt::opt {

/// Truth table of a function of five variables.
using Table5 = std::uint32_t;

/// The structures of a function: input i of the structures is variable `variable[i]`, complemented as bit i
/// of `phase` says; their output is complemented if `complement`.
struct FiveInputStructures {
  const ClassStructures* all = nullptr;
  std::array<std::uint8_t, 5> variable = {0, 1, 2, 3, 4};
  std::uint8_t phase = 0;
  bool complement = false;
};

/// AND structures of functions of five variables, made from those of four when they are first asked for:
/// by decompositions with a subset of two or three variables that the rest sees through one bit (Ashenhurst
/// 1959), by AND, OR, XOR with a variable, and by a multiplexer of the cofactors. Functions that differ in
/// order and complements of variables share an entry in most cases. Not for several threads.
class FiveInputLibrary {
 public:
  /// The function must depend on all five variables. The reference in the result stays valid as long as the
  /// library. About 0.1 ms at the first call for a function.
  FiveInputStructures of(Table5 table);
  std::size_t size() const { return entries_.size(); }

 private:
  std::unordered_map<Table5, ClassStructures> entries_;
};

/// The value of a structure when its inputs have these tables.
Table5 structure_table5(const ClassStructures& all, const Structure& structure,
                        const std::array<Table5, 5>& inputs);

}  // namespace dmt::opt
