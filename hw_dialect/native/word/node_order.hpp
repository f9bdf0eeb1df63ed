#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynomite/native/base/stop.hpp"
#include "hw_dialect/native/word/word_net.hpp"

namespace hw::word {

/// In the segments of a netlist that is being made, in place of a node: the number of a constant. Else there
/// is the key of a value, whose node `node_of` has.
inline constexpr std::uint32_t kConstantBit = 0x80000000U;

struct NodeOrder {
  std::vector<std::uint32_t> order;  // nodes, operands first
  std::vector<std::uint32_t> rank;   // by node: its place in `order`
  /// Combinational loops: nodes that feed each other, the last one the first.
  std::vector<std::vector<std::uint32_t>> loops;
};

/// Orders nodes so that operands come first: inputs, registers, then what is computed. Linear; nothing
/// recurses. Throws LimitError when `stop` ends it.
NodeOrder order_nodes(const WordNet& net, std::span<const WordNode> nodes,
                      std::span<const std::uint32_t> node_of, Stop& stop);

/// Puts constants and then the nodes in this order into the netlist, and their numbers wherever keys were.
void number_nodes(WordNet& net, std::span<const WordNode> nodes, std::span<const std::uint32_t> node_of,
                  const NodeOrder& ordered);

}  // namespace hw::word
