#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace dmt::aiger {

// The number code of binary AIGER: 7 bits a byte, low ones first, top bit set on all bytes but the last.
// A 32-bit number takes at most 5 bytes. Both directions work on 8 bytes at once without a branch on the
// length, since lengths of neighbours vary at random and mispredicted branches would cost most of the time.
static_assert(std::endian::native == std::endian::little, "byte-wise loads assume little-endian words");

/// Joins the 7-bit groups of 8 bytes (whose top bits are ignored) into one number.
inline std::uint64_t join_groups(std::uint64_t x) {
  x &= 0x7F7F7F7F7F7F7F7FULL;
  x = (x & 0x007F007F007F007FULL) | ((x & 0x7F007F007F007F00ULL) >> 1);
  x = (x & 0x00003FFF00003FFFULL) | ((x & 0x3FFF00003FFF0000ULL) >> 2);
  return (x & 0x000000000FFFFFFFULL) | ((x & 0x0FFFFFFF00000000ULL) >> 4);
}

/// Spreads a 32-bit number into 7-bit groups of bytes.
inline std::uint64_t split_groups(std::uint64_t x) {
  x = (x & 0x0FFFFFFFULL) | ((x & 0xF0000000ULL) << 4);
  x = (x & 0x00003FFF00003FFFULL) | ((x & 0x0FFFC0000FFFC000ULL) << 2);
  return (x & 0x007F007F007F007FULL) | ((x & 0x3F803F803F803F80ULL) << 1);
}

/// Two neighbouring codes found in one 8-byte word.
struct DeltaPair {
  std::uint64_t first;
  std::uint64_t second;
  unsigned bytes;  // of both
  bool found;      // both end within the word and neither is longer than 5 bytes
};

/// Reads 8 bytes at `at`.
inline DeltaPair decode_pair(const unsigned char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const std::uint64_t ends = ~word & 0x8080808080808080ULL;
  const std::uint64_t later = ends & (ends - 1);
  // All ones up to the last bit of the first code, of both codes.
  const std::uint64_t mask1 = ends ^ (ends - 1);
  const std::uint64_t mask2 = later ^ (later - 1);
  const unsigned bits1 = static_cast<unsigned>(std::countr_zero(ends)) + 1;
  const unsigned bits2 = static_cast<unsigned>(std::countr_zero(later)) + 1;
  const std::uint64_t rest = (word & mask2) >> (bits1 & 63U);
  return {join_groups(word & mask1), join_groups(rest), bits2 / 8,
          later != 0 && bits1 <= 40 && bits2 - bits1 <= 40};
}

enum class DeltaFault : unsigned char { kNone, kEndOfData, kTooLong };

/// Reads one code byte by byte; moves `at` behind it, or leaves it when there is a fault.
inline DeltaFault decode_one(const unsigned char*& at, const unsigned char* end, std::uint64_t& value) {
  value = 0;
  const unsigned char* p = at;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (p == end) return DeltaFault::kEndOfData;
    const unsigned char byte = *p++;
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) {
      if (value > UINT32_MAX) return DeltaFault::kTooLong;
      at = p;
      return DeltaFault::kNone;
    }
  }
  return DeltaFault::kTooLong;
}

/// Writes the code of `value`; touches 8 bytes at `at`, returns the end of the code (1 to 5 bytes).
inline unsigned char* encode_delta(unsigned char* at, std::uint32_t value) {
  // ceil(bits / 7) for 1 to 32 bits.
  const unsigned bits = 32U - static_cast<unsigned>(std::countl_zero(value | 1U));
  const unsigned bytes = (bits * 37U + 222U) >> 8U;
  const std::uint64_t more = 0x0000008080808080ULL & ((1ULL << (8U * (bytes - 1U))) - 1U);
  const std::uint64_t word = split_groups(value) | more;
  std::memcpy(at, &word, sizeof word);
  return at + bytes;
}

}  // namespace dmt::aiger
