#include "dmt_dialect/native/aig/sim_schedule.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

/// More slots than this at one time, and a second order of the nodes is tried.
constexpr std::uint32_t kManySlots = 2048;
constexpr std::uint32_t kNoSlot = 0xFFFFFFFFU;
constexpr std::size_t kPollStride = 4096;

void poll(std::size_t step, dynomite::Stop& stop) {
  if (step % kPollStride == 0 && stop.poll_clock()) throw dynomite::LimitError("compiling was stopped");
}

// Marks of a node.
constexpr std::uint8_t kNeeded = 1;  // in the cone of a root
constexpr std::uint8_t kRead = 2;    // an operand of some op
constexpr std::uint8_t kLast0 = 4;   // this op is the last reader of its fanin 0
constexpr std::uint8_t kLast1 = 8;
constexpr std::uint8_t kRoot = 16;

struct Layout {
  std::vector<SimOp> ops;
  std::vector<SimEvent> events;
  std::uint32_t slots = 0;
};

/// ANDs of the cones of the roots by id; sets kNeeded and kRoot.
std::vector<std::uint32_t> order_by_id(const AigSnapshot& aig, std::span<const Lit> roots,
                                       std::vector<std::uint8_t>& marks, dynomite::Stop& stop) {
  for (const Lit root : roots) marks[root.node().index()] |= kNeeded | kRoot;
  std::size_t count = 0;
  for (std::uint32_t id = aig.node_count(); id-- > 1;) {
    poll(id, stop);
    if ((marks[id] & kNeeded) == 0 || !aig.is_and(id)) continue;
    ++count;
    marks[aig.nodes[id].fanin0.node().index()] |= kNeeded;
    marks[aig.nodes[id].fanin1.node().index()] |= kNeeded;
  }
  std::vector<std::uint32_t> order;
  order.reserve(count);
  for (std::uint32_t id = 1; id < aig.node_count(); ++id) {
    if ((marks[id] & kNeeded) != 0 && aig.is_and(id)) order.push_back(id);
  }
  return order;
}

/// The same ANDs in the order a depth-first walk from the roots leaves them.
std::vector<std::uint32_t> order_depth_first(const AigSnapshot& aig, std::span<const Lit> roots,
                                             std::size_t count, dynomite::Stop& stop) {
  enum : std::uint8_t { kNew, kOpen, kDone };
  std::vector<std::uint8_t> state(aig.node_count(), kNew);
  std::vector<std::uint32_t> order;
  order.reserve(count);
  std::vector<std::uint32_t> stack;
  for (const Lit root : roots) {
    stack.push_back(root.node().index());
    while (!stack.empty()) {
      const std::uint32_t id = stack.back();
      if (state[id] == kDone || !aig.is_and(id)) {
        stack.pop_back();
      } else if (state[id] == kOpen) {
        state[id] = kDone;
        poll(order.size(), stop);
        order.push_back(id);
        stack.pop_back();
      } else {
        state[id] = kOpen;
        for (const Lit fanin : {aig.nodes[id].fanin1, aig.nodes[id].fanin0}) {
          if (state[fanin.node().index()] == kNew) stack.push_back(fanin.node().index());
        }
      }
    }
  }
  return order;
}

/// Gives slots to the values of `order` and writes the program.
class Allocator {
 public:
  Allocator(const AigSnapshot& aig, std::span<const Lit> roots, std::vector<std::uint8_t>& marks,
            dynomite::Stop& stop)
      : aig_(aig), roots_(roots), marks_(marks), stop_(stop), slot_of_(aig.node_count(), kNoSlot) {
    by_node_.resize(roots.size());
    for (std::uint32_t i = 0; i < by_node_.size(); ++i) by_node_[i] = i;
    std::stable_sort(by_node_.begin(), by_node_.end(), [&](std::uint32_t x, std::uint32_t y) {
      return roots_[x].node().precedes(roots_[y].node());
    });
  }

  Layout run(std::span<const std::uint32_t> order) {
    mark_last_readers(order);
    out_.ops.reserve(order.size());
    out_.events.reserve(roots_.size() + aig_.input_count + aig_.latch_count);
    for (const std::uint32_t id : order) {
      poll(out_.ops.size(), stop_);
      const Lit a = aig_.nodes[id].fanin0;
      const Lit b = aig_.nodes[id].fanin1;
      load(a.node().index());
      load(b.node().index());
      const std::uint32_t slot_a = slot_of_[a.node().index()];
      const std::uint32_t slot_b = slot_of_[b.node().index()];
      if ((marks_[id] & kLast0) != 0) free_.push_back(slot_a);
      if ((marks_[id] & kLast1) != 0) free_.push_back(slot_b);
      const std::uint32_t slot = take();
      slot_of_[id] = slot;
      out_.ops.push_back({slot_a * 2 + static_cast<std::uint32_t>(a.complemented()),
                          slot_b * 2 + static_cast<std::uint32_t>(b.complemented()), slot});
      store(id);
    }
    // Sources that are roots and nothing else.
    for (const std::uint32_t root : by_node_) load(roots_[root].node().index());
    return std::move(out_);
  }

 private:
  void mark_last_readers(std::span<const std::uint32_t> order) {
    for (auto& mark : marks_) mark &= static_cast<std::uint8_t>(kNeeded | kRoot);
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint32_t id = order[i];
      std::uint8_t& read0 = marks_[aig_.nodes[id].fanin0.node().index()];
      if ((read0 & kRead) == 0) marks_[id] |= kLast0;
      read0 |= kRead;
      std::uint8_t& read1 = marks_[aig_.nodes[id].fanin1.node().index()];
      if ((read1 & kRead) == 0) marks_[id] |= kLast1;
      read1 |= kRead;
    }
  }

  std::uint32_t take() {
    if (free_.empty()) return out_.slots++;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }

  std::uint32_t position() const { return static_cast<std::uint32_t>(out_.ops.size()); }

  /// Puts a source that has no slot yet into one.
  void load(std::uint32_t id) {
    if (slot_of_[id] != kNoSlot) return;
    assert(!aig_.is_and(id));
    const std::uint32_t slot = take();
    slot_of_[id] = slot;
    if (id == kConstNode.index()) {
      out_.events.push_back({SimEvent::Kind::kZero, position(), slot, 0});
    } else {
      out_.events.push_back({SimEvent::Kind::kLoad, position(), slot, aig_.source(id)});
    }
    store(id);
  }

  /// Hands the value of `id` to its roots; frees it when nobody else reads it.
  void store(std::uint32_t id) {
    const std::uint32_t slot = slot_of_[id];
    if ((marks_[id] & kRoot) != 0) {
      auto it = std::lower_bound(
          by_node_.begin(), by_node_.end(), id,
          [&](std::uint32_t root, std::uint32_t node) { return roots_[root].node().index() < node; });
      for (; it != by_node_.end() && roots_[*it].node().index() == id; ++it) {
        const auto complemented = static_cast<std::uint32_t>(roots_[*it].complemented());
        out_.events.push_back({SimEvent::Kind::kStore, position(), slot * 2 + complemented, *it});
      }
    }
    if ((marks_[id] & kRead) == 0) free_.push_back(slot);
  }

  const AigSnapshot& aig_;
  std::span<const Lit> roots_;
  std::vector<std::uint8_t>& marks_;
  dynomite::Stop& stop_;
  std::vector<std::uint32_t> slot_of_;
  std::vector<std::uint32_t> by_node_;  // numbers of the roots, sorted by their nodes
  std::vector<std::uint32_t> free_;
  Layout out_;
};

}  // namespace

SimSchedule::SimSchedule(const AigSnapshot& aig, std::span<const Lit> roots, dynomite::Stop& stop)
    : source_count_(aig.input_count + aig.latch_count),
      root_count_(static_cast<std::uint32_t>(roots.size())) {
  std::vector<std::uint8_t> marks(aig.node_count(), 0);
  const std::vector<std::uint32_t> order = order_by_id(aig, roots, marks, stop);
  Layout best = Allocator(aig, roots, marks, stop).run(order);
  if (best.slots > kManySlots) {
    Layout other = Allocator(aig, roots, marks, stop).run(order_depth_first(aig, roots, order.size(), stop));
    if (other.slots < best.slots) best = std::move(other);
  }
  ops_ = std::move(best.ops);
  events_ = std::move(best.events);
  slot_count_ = best.slots;
}

}  // namespace dmt
