#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "dmt_dialect/native/aig/lit.hpp"

namespace dmt {

/// Variables by activity, the highest first; of those alike the one with the later node. Entries carry what
/// they are compared by: a comparison touches nothing but the heap.
class ActivityHeap {
 public:
  using Var = std::uint32_t;

  bool empty() const { return entries_.empty(); }
  bool contains(Var var) const { return positions_[var] != kNone; }

  void clear() {
    entries_.clear();
    positions_.clear();
  }

  /// Makes room for the next variable; it is not in the heap.
  void add_variable() { positions_.push_back(kNone); }

  void push(Var var, NodeId node, double activity) {
    if (contains(var)) return;
    entries_.emplace_back();
    move_up(static_cast<std::uint32_t>(entries_.size() - 1), {activity, node.index(), var});
  }

  Var pop() {
    const Var top = entries_.front().var;
    positions_[top] = kNone;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) move_down(last);
    return top;
  }

  /// Sets the activity of a variable in the heap, to no less than it was.
  void raise(Var var, double activity) {
    Entry entry = entries_[positions_[var]];
    entry.activity = activity;
    move_up(positions_[var], entry);
  }

  void divide_activities(double by) {
    for (Entry& entry : entries_) entry.activity /= by;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Entry {
    double activity;
    std::uint32_t node;
    Var var;

    bool before(const Entry& other) const {
      return activity != other.activity ? activity > other.activity : node > other.node;
    }
  };

  void place(std::uint32_t position, const Entry& entry) {
    entries_[position] = entry;
    positions_[entry.var] = position;
  }

  void move_up(std::uint32_t position, const Entry& entry) {
    while (position > 0) {
      const std::uint32_t parent = (position - 1) / 2;
      if (!entry.before(entries_[parent])) break;
      place(position, entries_[parent]);
      position = parent;
    }
    place(position, entry);
  }

  void move_down(const Entry& entry) {
    const auto size = static_cast<std::uint32_t>(entries_.size());
    std::uint32_t position = 0;
    for (;;) {
      std::uint32_t child = 2 * position + 1;
      if (child >= size) break;
      if (child + 1 < size && entries_[child + 1].before(entries_[child])) ++child;
      if (!entries_[child].before(entry)) break;
      place(position, entries_[child]);
      position = child;
    }
    place(position, entry);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace dmt
