#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace dmt::opt {

/// Truth table of a function of four variables: bit m is its value for the assignment with number m.
using Table4 = std::uint16_t;

inline constexpr std::array<Table4, 4> kVariables4 = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};

/// How a function is got from the representative of its class: input i of the representative is variable
/// `variable[i]` of the function, complemented as bit i of `phase` says; the output as bit 4 says.
struct NpnTransform {
  std::uint8_t npn_class;
  std::uint8_t phase;
  std::array<std::uint8_t, 4> variable;
};

/// The 222 NPN classes of functions of four variables. Each is represented by its least table; classes are
/// numbered by their representatives.
class NpnClasses {
 public:
  /// The one table of all functions, made at first use in some milliseconds.
  static const NpnClasses& get();

  NpnClasses();
  const NpnTransform& transform(Table4 table) const { return transforms_[table]; }
  std::size_t count() const { return representatives_.size(); }
  Table4 representative(std::uint8_t npn_class) const { return representatives_[npn_class]; }
  const std::vector<Table4>& representatives() const { return representatives_; }

 private:
  void add_orbit(std::uint8_t npn_class, const std::array<std::uint8_t, 4>& variables);

  std::vector<NpnTransform> transforms_;
  std::vector<Table4> representatives_;
};

}  // namespace dmt::opt
