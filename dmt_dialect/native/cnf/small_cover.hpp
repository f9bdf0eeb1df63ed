#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace dmt {

/// A function of four variables: bit i is its value where variable k has bit k of i.
using Truth4 = std::uint16_t;

/// A product of literals of four variables: bit k of `positive` for variable k, of `negative` for its
/// complement.
struct SmallCube {
  std::uint8_t positive = 0;
  std::uint8_t negative = 0;
};

/// An irredundant sum of products of `function`. (Minato, "Fast generation of irredundant sum-of-products
/// forms from binary decision diagrams", 1992.) Appends to `cubes`.
void small_cover(Truth4 function, std::vector<SmallCube>& cubes);

/// How many clauses say that a variable equals a function: cubes of the function and of its complement.
/// Remembers what it has computed.
class ClauseCounts {
 public:
  std::uint8_t operator()(Truth4 function);

 private:
  // 0: not known; no function needs none.
  std::array<std::uint8_t, 65536> counts_{};
  std::vector<SmallCube> cubes_;
};

}  // namespace dmt
