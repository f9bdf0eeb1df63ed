#pragma once

#include <array>
#include <cstdint>

namespace dmt::opt {

/// Tables of the variables; narrower tables take the low bits.
inline constexpr std::array<std::uint32_t, 5> kVariables5 = {0xAAAAAAAA, 0xCCCCCCCC, 0xF0F0F0F0, 0xFF00FF00,
                                                             0xFFFF0000};

/// Exchanges variables `low` < `high`.
template <typename Table>
Table swap_variables(Table table, unsigned low, unsigned high) {
  const auto up = static_cast<Table>(kVariables5[low] & ~kVariables5[high]);  // low = 1, high = 0
  const unsigned shift = (1U << high) - (1U << low);
  const auto down = static_cast<Table>(up << shift);
  return static_cast<Table>((table & static_cast<Table>(~(up | down))) |
                            static_cast<Table>((table & up) << shift) | ((table & down) >> shift));
}

/// Complements a variable.
template <typename Table>
Table flip_variable(Table table, unsigned variable) {
  const unsigned shift = 1U << variable;
  const auto high = static_cast<Table>(kVariables5[variable]);
  return static_cast<Table>(((table & high) >> shift) | (static_cast<Table>(table << shift) & high));
}

/// Whether the function depends on a variable.
template <typename Table>
bool depends_on(Table table, unsigned variable) {
  const auto low = static_cast<Table>(~kVariables5[variable]);
  return ((table >> (1U << variable)) & low) != (table & low);
}

/// The function where a variable has a value; does not depend on it.
template <typename Table>
Table cofactor(Table table, unsigned variable, bool value) {
  const auto high = static_cast<Table>(kVariables5[variable]);
  const auto half = static_cast<Table>(value ? table & high : table & static_cast<Table>(~high));
  const unsigned shift = 1U << variable;
  return static_cast<Table>(value ? half | (half >> shift) : half | static_cast<Table>(half << shift));
}

}  // namespace dmt::opt
