#pragma once

#include <array>

namespace dmt::bdd {

/// How a binary node of DDDMP gives its variable and its arcs, two bits each.
enum DddmpCode : unsigned { kTerminal = 0, kAbsolute = 1, kRelative = 2, kRelativeOne = 3 };

/// Bytes that are written as a zero byte and their place in this list.
inline constexpr std::array<unsigned char, 4> kEscaped = {0x00, 0x0A, 0x0D, 0x1A};

}  // namespace dmt::bdd
