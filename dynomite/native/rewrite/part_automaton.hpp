#pragma once

#include <cstdint>
#include <vector>

#include "dynomite/native/rewrite/code.hpp"

namespace dynomite::rewrite {

/// The position automaton (Glushkov 1961) of a part, without what names and nested operands ask for: it takes
/// at least the operands that the part takes.
PartAutomaton part_automaton(const Rule& rule, std::uint32_t node, std::uint8_t sides,
                             const std::vector<bool>& single_slots);

}  // namespace dynomite::rewrite
