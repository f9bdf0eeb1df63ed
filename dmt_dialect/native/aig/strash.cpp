#include "dmt_dialect/native/aig/strash.hpp"

#include <algorithm>
#include <bit>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

namespace {
constexpr std::size_t kFirstSlots = 64;
/// Slots for each node right after a rebuild, in 1/16: room for growth by 45 per cent.
constexpr std::size_t kSlotsPerNode16 = 31;
}  // namespace

void Strash::clear() {
  slots_.clear();
  used_ = 0;
}

void Strash::build(std::span<const Node> nodes, std::size_t more) {
  clear();
  const std::size_t wanted = nodes.size() + more;
  slots_.resize_uninitialised(std::max(wanted * kSlotsPerNode16 / 16, kFirstSlots));
  std::fill_n(slots_.mutable_data(), slots_.size(), 0U);
  // The lower bits hold every id that may come before the next rebuild.
  id_mask_ = static_cast<std::uint32_t>(std::bit_ceil(wanted + wanted / 2 + kFirstSlots) - 1);
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (i + kAhead < nodes.size()) prefetch(nodes[i + kAhead].fanin0, nodes[i + kAhead].fanin1);
    if (nodes[i].fanin0 == AigStore::kNotAnd) continue;
    const Place place = find(nodes, nodes[i].fanin0, nodes[i].fanin1);
    if (place.node != kConstNode) continue;
    slots_.mutable_data()[place.slot] = static_cast<std::uint32_t>(i) | place.tag;
    ++used_;
  }
}

void Strash::reserve(std::span<const Node> nodes, std::size_t more) {
  if (!has_room(used_ + more, nodes.size() + more)) build(nodes, more);
}

}  // namespace dmt
