#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dmt::opt {

/// A product of literals of up to 16 variables: bit i of `positive` for variable i, of `negative` for its
/// complement.
struct Cube {
  std::uint16_t positive = 0, negative = 0;
  bool operator==(const Cube&) const = default;
};

/// An irredundant sum of products that contains `lower` and lies within `upper` (truth tables of `variables`
/// <= 16 variables, 64 rows a word, at least one word). Minato and Morreale's procedure (Minato, DAC 1992).
/// False if it would need more than `most` products.
bool irredundant_cover(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
                       unsigned variables, std::size_t most, std::vector<Cube>& cover);

}  // namespace dmt::opt
