#pragma once

#include <cstdint>
#include <functional>

namespace dmt {

/// A node of one AIG: constant, input, latch or AND. Dense, in topological order; 0 is the constant.
/// Equality only: order by id is topological order and is asked for by name (`precedes`).
class NodeId {
 public:
  constexpr NodeId() = default;
  constexpr explicit NodeId(std::uint32_t index) : index_(index) {}
  constexpr std::uint32_t index() const { return index_; }
  constexpr bool operator==(const NodeId&) const = default;
  constexpr bool precedes(NodeId other) const { return index_ < other.index_; }

 private:
  std::uint32_t index_ = 0;
};

inline constexpr NodeId kConstNode{0};

/// A literal: node id in the upper 31 bits, complement in the lowest, as in AIGER.
class Lit {
 public:
  constexpr Lit() = default;
  constexpr Lit(NodeId node, bool complemented)
      : raw_((node.index() << 1) | static_cast<std::uint32_t>(complemented)) {}
  static constexpr Lit from_raw(std::uint32_t raw) {
    Lit lit;
    lit.raw_ = raw;
    return lit;
  }
  constexpr std::uint32_t raw() const { return raw_; }
  constexpr NodeId node() const { return NodeId(raw_ >> 1); }
  constexpr bool complemented() const { return (raw_ & 1U) != 0; }
  constexpr Lit operator~() const { return from_raw(raw_ ^ 1U); }
  /// Complements when `flip` is set.
  constexpr Lit operator^(bool flip) const { return from_raw(raw_ ^ static_cast<std::uint32_t>(flip)); }
  constexpr Lit regular() const { return from_raw(raw_ & ~1U); }
  constexpr bool operator==(const Lit&) const = default;

 private:
  std::uint32_t raw_ = 0;
};

inline constexpr Lit kFalse = Lit::from_raw(0);
inline constexpr Lit kTrue = Lit::from_raw(1);

}  // namespace dmt

template <>
struct std::hash<dmt::Lit> {
  std::size_t operator()(dmt::Lit lit) const noexcept { return std::hash<std::uint32_t>()(lit.raw()); }
};
