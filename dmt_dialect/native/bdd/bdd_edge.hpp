#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace dmt {

/// An arc of a decision diagram: node id in the upper 31 bits, complement in the lowest. Node 0 is the
/// terminal "true", so the raw values 0 and 1 are the constants true and false.
class BddEdge {
 public:
  constexpr BddEdge() = default;
  constexpr BddEdge(std::uint32_t node, bool complemented)
      : raw_((node << 1) | static_cast<std::uint32_t>(complemented)) {}
  static constexpr BddEdge from_raw(std::uint32_t raw) {
    BddEdge edge;
    edge.raw_ = raw;
    return edge;
  }
  constexpr std::uint32_t raw() const { return raw_; }
  constexpr std::uint32_t node() const { return raw_ >> 1; }
  constexpr bool complemented() const { return (raw_ & 1U) != 0; }
  constexpr bool is_constant() const { return raw_ <= 1U; }
  constexpr BddEdge operator~() const { return from_raw(raw_ ^ 1U); }
  constexpr BddEdge operator^(bool flip) const { return from_raw(raw_ ^ static_cast<std::uint32_t>(flip)); }
  constexpr BddEdge regular() const { return from_raw(raw_ & ~1U); }
  constexpr bool operator==(const BddEdge&) const = default;

 private:
  std::uint32_t raw_ = 0;
};

inline constexpr BddEdge kBddTrue = BddEdge::from_raw(0);
inline constexpr BddEdge kBddFalse = BddEdge::from_raw(1);
/// No edge: what a search that found nothing returns.
inline constexpr BddEdge kBddNone = BddEdge::from_raw(0xFFFFFFFFU);

/// A node: 16 bytes. The arc for "variable true" is never complemented, which makes diagrams canonical.
struct BddNode {
  BddEdge high;
  BddEdge low;
  /// Place of the variable in the order, 0 on top; during reordering the variable itself.
  std::uint32_t level;
  /// References from outside the store: handles, roots of conversions.
  std::uint32_t refs;
};
static_assert(sizeof(BddNode) == 16);

/// Folds the 128-bit product of both words: a hash good in all bits for one multiplication.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace dmt

template <>
struct std::hash<dmt::BddEdge> {
  std::size_t operator()(dmt::BddEdge edge) const noexcept { return std::hash<std::uint32_t>()(edge.raw()); }
};
