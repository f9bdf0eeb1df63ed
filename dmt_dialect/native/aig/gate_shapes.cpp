#include "dmt_dialect/native/aig/gate_shapes.hpp"

#include <array>

namespace dmt {

std::optional<MuxShape> mux_shape(const AigStore& store, NodeId node) {
  const Lit a = store.fanin0(node), b = store.fanin1(node);
  if (!a.complemented() || !b.complemented() || !store.is_and(a.node()) || !store.is_and(b.node()))
    return std::nullopt;
  const std::array<Lit, 2> left = {store.fanin0(a.node()), store.fanin1(a.node())};
  const std::array<Lit, 2> right = {store.fanin0(b.node()), store.fanin1(b.node())};
  std::optional<MuxShape> found;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      if (left[i] != ~right[j]) continue;
      const MuxShape shape{left[i], left[1 - i], right[1 - j], a.node(), b.node()};
      if (shape.is_xor()) return shape;
      if (!found) found = shape;
    }
  }
  return found;
}

}  // namespace dmt
