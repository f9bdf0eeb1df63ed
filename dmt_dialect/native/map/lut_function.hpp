#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/map/lut_network.hpp"

namespace dmt {

inline LutFunction operator~(const LutFunction& f) { return {~f[0], ~f[1], ~f[2], ~f[3]}; }
inline LutFunction operator&(const LutFunction& f, const LutFunction& g) {
  return {f[0] & g[0], f[1] & g[1], f[2] & g[2], f[3] & g[3]};
}
inline LutFunction operator|(const LutFunction& f, const LutFunction& g) {
  return {f[0] | g[0], f[1] | g[1], f[2] | g[2], f[3] | g[3]};
}
inline constexpr LutFunction kLutFalse = {0, 0, 0, 0};

/// The function with `variable` set to a value; it does not depend on it any more.
LutFunction cofactor(const LutFunction& f, unsigned variable, bool value);
bool depends_on(const LutFunction& f, unsigned variable);
/// The function of the complemented variable.
LutFunction flipped(const LutFunction& f, unsigned variable);
/// Exchanges two variables.
LutFunction exchanged(const LutFunction& f, unsigned a, unsigned b);

/// A product: bit k of `positive` for variable k, of `negative` for its complement.
struct LutCube {
  std::uint8_t positive = 0;
  std::uint8_t negative = 0;
};

/// An irredundant sum of products of a function of variables below `variables`. (Minato, "Fast generation of
/// irredundant sum-of-products forms from binary decision diagrams", 1992.)
std::vector<LutCube> irredundant_cover(const LutFunction& f, unsigned variables);

}  // namespace dmt
