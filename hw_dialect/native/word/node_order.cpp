#include "hw_dialect/native/word/node_order.hpp"

#include <algorithm>
#include <utility>

namespace hw::word {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;
constexpr std::uint32_t kBusy = 0xFFFFFFFEU;  // on the way

}  // namespace

NodeOrder order_nodes(const WordNet& net, std::span<const WordNode> nodes,
                      std::span<const std::uint32_t> node_of, Stop& stop) {
  NodeOrder found;
  found.rank.assign(nodes.size(), kNone);
  found.order.reserve(nodes.size());
  struct Visit {
    std::uint32_t node, operand, segment;
  };
  std::vector<Visit> stack;
  const auto finish = [&](std::uint32_t node) {
    found.rank[node] = static_cast<std::uint32_t>(found.order.size());
    found.order.push_back(node);
  };
  for (const NodeKind first : {NodeKind::kInput, NodeKind::kRegister}) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == first && nodes[i].operand_count == 0) finish(i);
    }
  }
  for (std::uint32_t root = 0; root < nodes.size(); ++root) {
    if (stop.poll()) throw dynomite::LimitError("elaborate: stopped");
    if (found.rank[root] != kNone) continue;
    found.rank[root] = kBusy;
    stack.push_back({root, 0, 0});
    while (!stack.empty()) {
      Visit& at = stack.back();
      const WordNode& node = nodes[at.node];
      if (at.operand == node.operand_count) {
        finish(at.node);
        stack.pop_back();
        continue;
      }
      const Bits& bits = net.operands[node.first_operand + at.operand];
      if (at.segment == bits.count) {
        ++at.operand;
        at.segment = 0;
        continue;
      }
      const std::uint32_t key = net.segments[bits.first + at.segment++].node;
      if ((key & kConstantBit) != 0) continue;
      const std::uint32_t needed = node_of[key];
      if (found.rank[needed] == kNone) {
        found.rank[needed] = kBusy;
        stack.push_back({needed, 0, 0});
      } else if (found.rank[needed] == kBusy) {
        std::vector<std::uint32_t> loop;
        for (std::size_t i = stack.size(); i-- > 0;) {
          loop.push_back(stack[i].node);
          if (stack[i].node == needed) break;
        }
        std::ranges::reverse(loop);
        if (found.loops.size() < ReadLimits().violations) found.loops.push_back(std::move(loop));
      }
    }
  }
  return found;
}

void number_nodes(WordNet& net, std::span<const WordNode> nodes, std::span<const std::uint32_t> node_of,
                  const NodeOrder& ordered) {
  const auto constants = static_cast<std::uint32_t>(net.constants.size());
  for (std::uint32_t i = 0; i < constants; ++i) {
    net.nodes.push_back({NodeKind::kConstant, 0, net.constants[i].width, 0, 0, i, 0, {}});
  }
  for (const std::uint32_t node : ordered.order) net.nodes.push_back(nodes[node]);
  for (Segment& segment : net.segments) {
    segment.node = (segment.node & kConstantBit) != 0 ? segment.node & ~kConstantBit
                                                      : constants + ordered.rank[node_of[segment.node]];
  }
  for (NetInput& input : net.inputs) input.node = constants + ordered.rank[input.node];
  for (NetRegister& reg : net.registers) reg.node = constants + ordered.rank[reg.node];
}

}  // namespace hw::word
