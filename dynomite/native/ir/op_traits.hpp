#pragma once

#include <array>
#include <string_view>

#include "dynomite/native/ir/registry.hpp"

namespace dynomite::ir {

struct NamedTrait {
  std::string_view name;
  OpTrait trait;
};

/// Names of the traits in textual declarations.
inline constexpr std::array<NamedTrait, 10> kNamedTraits = {{
    {"pure", kPure},
    {"commutative", kCommutative},
    {"terminator", kTerminator},
    {"symbol", kSymbol},
    {"symbol_table", kSymbolTable},
    {"isolated", kIsolated},
    {"forwards", kForwards},
    {"graph_region", kGraphRegion},
    {"variadic", kVariadic},
    {"same_type", kSameType},
}};

}  // namespace dynomite::ir
