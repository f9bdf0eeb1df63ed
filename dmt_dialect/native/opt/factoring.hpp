#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/opt/cover.hpp"

namespace dmt::opt {

/// ANDs over leaves. Literals are twice the number plus complement; leaves come first, then the gates in
/// their order.
struct GateList {
  struct Gate {
    std::uint32_t fanin0, fanin1;
  };
  static constexpr std::uint32_t kFalse = 0xFFFFFFFEU, kTrue = 0xFFFFFFFFU;

  std::uint32_t leaf_count = 0;
  std::vector<Gate> gates;
  std::uint32_t output = kFalse;
};

/// A factored form of a sum of products, as gates: the literal in most products is divided out again and
/// again (Brayton, "Factoring logic functions", IBM JRD 1987). `levels`, of the leaves, decide which operands
/// of a wide gate are joined first.
void factor(std::span<const Cube> cover, std::span<const std::uint32_t> levels, GateList& result);

}  // namespace dmt::opt
