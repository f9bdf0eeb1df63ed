#include "dmt_dialect/native/cnf/small_cover.hpp"

namespace dmt {

namespace {

constexpr std::array<Truth4, 4> kVariables = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};

Truth4 complement(Truth4 f) { return static_cast<Truth4>(~f); }
Truth4 minus(Truth4 f, Truth4 g) { return static_cast<Truth4>(f & complement(g)); }

/// The cofactor at 0 (or 1), over all rows.
Truth4 cofactor(Truth4 f, unsigned variable, bool value) {
  const unsigned shift = 1U << variable;
  if (value) {
    const Truth4 half = f & kVariables[variable];
    return static_cast<Truth4>(half | (half >> shift));
  }
  const Truth4 half = minus(f, kVariables[variable]);
  return static_cast<Truth4>(half | (half << shift));
}

/// A cover between `lower` and `upper` over the variables below `variables`; returns its function. As deep as
/// there are variables: at most four.
Truth4 cover(Truth4 lower, Truth4 upper, unsigned variables, std::vector<SmallCube>& cubes) {
  if (lower == 0) return 0;
  if (upper == 0xFFFF) {
    cubes.push_back({});
    return 0xFFFF;
  }
  unsigned variable = variables - 1;
  while (cofactor(lower, variable, false) == cofactor(lower, variable, true) &&
         cofactor(upper, variable, false) == cofactor(upper, variable, true)) {
    --variable;
  }
  const Truth4 lower0 = cofactor(lower, variable, false);
  const Truth4 lower1 = cofactor(lower, variable, true);
  const Truth4 upper0 = cofactor(upper, variable, false);
  const Truth4 upper1 = cofactor(upper, variable, true);
  const auto bit = static_cast<std::uint8_t>(1U << variable);
  std::size_t first = cubes.size();
  const Truth4 zero = cover(minus(lower0, upper1), upper0, variable, cubes);
  for (; first < cubes.size(); ++first) cubes[first].negative |= bit;
  const Truth4 one = cover(minus(lower1, upper0), upper1, variable, cubes);
  for (; first < cubes.size(); ++first) cubes[first].positive |= bit;
  const auto rest = static_cast<Truth4>(minus(lower0, zero) | minus(lower1, one));
  const Truth4 both = cover(rest, upper0 & upper1, variable, cubes);
  return static_cast<Truth4>(minus(zero, kVariables[variable]) | (one & kVariables[variable]) | both);
}

}  // namespace

void small_cover(Truth4 function, std::vector<SmallCube>& cubes) { cover(function, function, 4, cubes); }

std::uint8_t ClauseCounts::operator()(Truth4 function) {
  std::uint8_t& count = counts_[function];
  if (count == 0) {
    cubes_.clear();
    small_cover(function, cubes_);
    small_cover(complement(function), cubes_);
    count = static_cast<std::uint8_t>(cubes_.size());
  }
  return count;
}

}  // namespace dmt
