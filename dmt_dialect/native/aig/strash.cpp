#include "dmt_dialect/native/aig/strash.hpp"

#include <algorithm>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

namespace {
constexpr std::size_t kFirstSlots = 64;
}  // namespace

void Strash::clear() {
  slots_.clear();
  used_ = 0;
}

void Strash::rebuild(std::span<const Node> nodes, std::size_t slots) {
  dynomite::SharedArray<std::uint32_t> old = std::move(slots_);
  slots_ = {};
  slots_.resize_uninitialised(std::max(slots, kFirstSlots));
  std::fill_n(slots_.mutable_data(), slots_.size(), 0U);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i] != 0) place(nodes, NodeId(old[i]));
  }
}

void Strash::place(std::span<const Node> nodes, NodeId id) {
  const Node& node = nodes[id.index()];
  std::size_t slot = slot_of(node.fanin0, node.fanin1);
  while (slots_[slot] != 0) {
    if (++slot == slots_.size()) slot = 0;
  }
  slots_.mutable_data()[slot] = id.index();
}

void Strash::build(std::span<const Node> nodes) {
  clear();
  rebuild(nodes, nodes.size() + nodes.size() * 3 / 4);
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (i + kAhead < nodes.size()) prefetch(nodes[i + kAhead].fanin0, nodes[i + kAhead].fanin1);
    if (nodes[i].fanin0 == AigStore::kNotAnd) continue;
    const NodeId id(static_cast<std::uint32_t>(i));
    if (find(nodes, nodes[i].fanin0, nodes[i].fanin1) == kConstNode) {
      place(nodes, id);
      ++used_;
    }
  }
}

NodeId Strash::find(std::span<const Node> nodes, Lit fanin0, Lit fanin1) const {
  std::size_t slot = slot_of(fanin0, fanin1);
  for (;;) {
    const std::uint32_t index = slots_[slot];
    if (index == 0) return kConstNode;
    const Node& node = nodes[index];
    if (node.fanin0 == fanin0 && node.fanin1 == fanin1) return NodeId(index);
    if (++slot == slots_.size()) slot = 0;
  }
}

void Strash::insert(std::span<const Node> nodes, NodeId id) {
  if ((used_ + 1) * 3 > slots_.size() * 2)
    rebuild(nodes, slots_.size() + slots_.size() * 3 / 5 + kFirstSlots);
  place(nodes, id);
  ++used_;
}

}  // namespace dmt
