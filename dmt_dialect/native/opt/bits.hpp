#pragma once

#include <cstdint>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt::opt {

/// Number of ones; without the instruction, which not every machine of the baseline has.
inline std::uint32_t count_ones(std::uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555ULL;
  word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
  word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
  return static_cast<std::uint32_t>((word * 0x0101010101010101ULL) >> 56);
}

/// Whether at most K bits are set.
template <unsigned K>
bool at_most(std::uint32_t bits) {
  for (unsigned i = 0; i < K; ++i) bits &= bits - 1;
  return bits == 0;
}

/// Values of an AND of literals whose nodes have the values `x` and `y`.
inline void and_words(const Node& gate, const std::uint64_t* x, const std::uint64_t* y, std::uint64_t* result,
                      unsigned words) {
  const std::uint64_t flip_x = 0 - static_cast<std::uint64_t>(gate.fanin0.complemented());
  const std::uint64_t flip_y = 0 - static_cast<std::uint64_t>(gate.fanin1.complemented());
  for (unsigned w = 0; w < words; ++w) result[w] = (x[w] ^ flip_x) & (y[w] ^ flip_y);
}

}  // namespace dmt::opt
