#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dynomite/native/ir/nearest_name.hpp"

// Parts of messages.

namespace hw::word {

inline std::string bits(std::uint64_t width) {
  return std::to_string(width) + (width == 1 ? " bit" : " bits");
}

inline std::string quoted(const std::string& name) { return "'" + name + "'"; }

/// "; did you mean 'x'?" for the nearest of `ports`, which have a `name`.
std::string near(std::string_view name, const auto& ports) {
  ir::NearestName nearest(name);
  for (const auto& port : ports) nearest.offer(port.name);
  return nearest.best().empty() ? "" : "; did you mean '" + std::string(nearest.best()) + "'?";
}

}  // namespace hw::word
