#include "dmt_dialect/native/map/lut_function.hpp"

#include <utility>

namespace dmt {

namespace {

LutFunction minus(const LutFunction& f, const LutFunction& g) { return f & ~g; }

/// A cover between `lower` and `upper` over the variables below `variables`; returns its function. As deep as
/// there are variables: at most eight.
LutFunction cover(const LutFunction& lower, const LutFunction& upper, unsigned variables,
                  std::vector<LutCube>& cubes) {
  if (lower == kLutFalse) return kLutFalse;
  if (upper == ~kLutFalse) {
    cubes.push_back({});
    return ~kLutFalse;
  }
  unsigned variable = variables - 1;
  while (!depends_on(lower, variable) && !depends_on(upper, variable)) --variable;
  const LutFunction lower0 = cofactor(lower, variable, false);
  const LutFunction lower1 = cofactor(lower, variable, true);
  const LutFunction upper0 = cofactor(upper, variable, false);
  const LutFunction upper1 = cofactor(upper, variable, true);
  const auto bit = static_cast<std::uint8_t>(1U << variable);
  std::size_t first = cubes.size();
  const LutFunction zero = cover(minus(lower0, upper1), upper0, variable, cubes);
  for (; first < cubes.size(); ++first) cubes[first].negative |= bit;
  const LutFunction one = cover(minus(lower1, upper0), upper1, variable, cubes);
  for (; first < cubes.size(); ++first) cubes[first].positive |= bit;
  const LutFunction rest = minus(lower0, zero) | minus(lower1, one);
  const LutFunction both = cover(rest, upper0 & upper1, variable, cubes);
  return minus(zero, lut_variable(variable)) | (one & lut_variable(variable)) | both;
}

}  // namespace

LutFunction cofactor(const LutFunction& f, unsigned variable, bool value) {
  if (variable >= 6) {
    const std::size_t step = variable - 5;  // 1 or 2 words
    LutFunction result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = f[value ? i | step : i & ~step];
    return result;
  }
  const LutFunction mask = lut_variable(variable);
  const unsigned shift = 1U << variable;
  LutFunction result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint64_t half = value ? f[i] & mask[i] : f[i] & ~mask[i];
    result[i] = value ? half | half >> shift : half | half << shift;
  }
  return result;
}

bool depends_on(const LutFunction& f, unsigned variable) {
  return cofactor(f, variable, false) != cofactor(f, variable, true);
}

LutFunction flipped(const LutFunction& f, unsigned variable) {
  const LutFunction mask = lut_variable(variable);
  return minus(cofactor(f, variable, true), mask) | (cofactor(f, variable, false) & mask);
}

LutFunction exchanged(const LutFunction& f, unsigned a, unsigned b) {
  if (a == b) return f;
  const LutFunction first = lut_variable(a);
  const LutFunction second = lut_variable(b);
  const LutFunction low = cofactor(f, a, false);
  const LutFunction high = cofactor(f, a, true);
  return minus(minus(cofactor(low, b, false), first), second) |
         (minus(cofactor(high, b, false), first) & second) | minus(cofactor(low, b, true) & first, second) |
         (cofactor(high, b, true) & first & second);
}

std::vector<LutCube> irredundant_cover(const LutFunction& f, unsigned variables) {
  std::vector<LutCube> cubes;
  cover(f, f, variables, cubes);
  return cubes;
}

}  // namespace dmt
