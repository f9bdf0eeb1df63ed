#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace dmt {

/// A cut of a node: leaves that every path from the inputs to the node goes through, and what it costs as a
/// cell. `kMax` is the most leaves that fit; a mapping may ask for fewer.
template <unsigned kMax>
struct Cut {
  std::array<std::uint32_t, kMax> leaves;  // ascending, the first `size`
  std::uint32_t size;
  /// Bit (leaf mod 64) of every leaf: tells most cuts apart without a look at their leaves.
  std::uint64_t signature;
  /// Smaller is better; what it is made of depends on the round.
  std::uint64_t key;
  float flow;
  std::uint32_t depth;

  const std::uint32_t* begin() const { return leaves.data(); }
  const std::uint32_t* end() const { return leaves.data() + size; }
};

/// The cut that is the node itself; its costs are left at nothing.
template <unsigned kMax>
inline void make_trivial(Cut<kMax>& cut, std::uint32_t node) {
  cut.leaves[0] = node;
  cut.size = 1;
  cut.signature = std::uint64_t{1} << (node & 63U);
  cut.depth = 0;
  cut.flow = 0;
}

/// False if more than `limit` bits are set.
inline bool has_at_most(std::uint64_t bits, unsigned limit) {
  // By hand: without the instruction, std::popcount is a call.
  bits -= bits >> 1 & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + (bits >> 2 & 0x3333333333333333U);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FU;
  return bits * 0x0101010101010101U >> 56 <= limit;
}

/// The union of two sets of leaves, if it has at most `limit`.
template <unsigned kMax>
inline bool unite(const Cut<kMax>& a, const Cut<kMax>& b, unsigned limit, Cut<kMax>& into) {
  const std::uint64_t signature = a.signature | b.signature;
  if (!has_at_most(signature, limit)) return false;
  unsigned i = 0;
  unsigned j = 0;
  unsigned size = 0;
  while (i < a.size && j < b.size) {
    if (size == limit) return false;
    const std::uint32_t x = a.leaves[i];
    const std::uint32_t y = b.leaves[j];
    into.leaves[size++] = x < y ? x : y;
    i += static_cast<unsigned>(x <= y);
    j += static_cast<unsigned>(y <= x);
  }
  if (size + (a.size - i) + (b.size - j) > limit) return false;
  while (i < a.size) into.leaves[size++] = a.leaves[i++];
  while (j < b.size) into.leaves[size++] = b.leaves[j++];
  into.size = size;
  into.signature = signature;
  return true;
}

/// True if every leaf of `a` is one of `b`.
template <unsigned kMax>
inline bool is_subset(const Cut<kMax>& a, const Cut<kMax>& b) {
  if (a.size > b.size || (a.signature & ~b.signature) != 0) return false;
  unsigned j = 0;
  for (unsigned i = 0; i < a.size; ++i, ++j) {
    while (j < b.size && b.leaves[j] < a.leaves[i]) ++j;
    if (j == b.size || b.leaves[j] != a.leaves[i]) return false;
  }
  return true;
}

}  // namespace dmt
