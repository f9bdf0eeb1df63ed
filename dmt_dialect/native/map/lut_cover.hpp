#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "dmt_dialect/native/map/cut.hpp"
#include "dmt_dialect/native/map/lut_extraction.hpp"
#include "dmt_dialect/native/map/map_graph.hpp"

namespace dmt {

/// The cells chosen so far: one cut for every node, and which nodes the roots need with these cuts.
template <unsigned kMax>
class LutCover {
 public:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  struct Cell {
    std::array<std::uint32_t, kMax> leaves;
    std::uint32_t size = 0;

    const std::uint32_t* begin() const { return leaves.data(); }
    const std::uint32_t* end() const { return leaves.data() + size; }
  };

  /// Of the chosen cell of a node: its level, and its area flow over the number of readers expected.
  struct Cost {
    std::uint32_t depth = 0;
    float flow = 0;
  };

  explicit LutCover(const MapGraph& graph)
      : graph_(graph),
        is_held_(graph.node_count(), 0),
        cells(graph.node_count()),
        costs(graph.node_count()),
        uses(graph.node_count(), 0),
        required(graph.node_count(), kFree) {}

  void choose(std::uint32_t node, const Cut<kMax>& cut) {
    cells[node].leaves = cut.leaves;
    cells[node].size = cut.size;
    costs[node].depth = cut.depth;
  }

  /// Counts uses anew from the roots; returns the number of cells.
  std::uint32_t count_uses() {
    std::fill(uses.begin(), uses.end(), 0);
    for (const MapGraph::Root& root : graph_.roots) ++uses[root.node];
    std::uint32_t cell_count = 0;
    for (std::uint32_t node = graph_.node_count(); node-- > graph_.ci_count + 1;) {
      if (uses[node] == 0) continue;
      ++cell_count;
      for (const std::uint32_t leaf : cells[node]) ++uses[leaf];
    }
    return cell_count;
  }

  std::uint32_t levels() const {
    std::uint32_t most = 0;
    for (const MapGraph::Root& root : graph_.roots) most = std::max(most, costs[root.node].depth);
    return most;
  }

  /// Latest levels of the nodes in use so that no root comes after `levels`; nodes not in use are free.
  void require(std::uint32_t levels) {
    std::fill(required.begin(), required.end(), kFree);
    if (levels == kFree) return;
    for (const MapGraph::Root& root : graph_.roots) required[root.node] = levels;
    for (std::uint32_t node = graph_.node_count(); node-- > graph_.ci_count + 1;) {
      if (uses[node] == 0) continue;
      const std::uint32_t before = required[node] - 1;
      for (const std::uint32_t leaf : cells[node]) required[leaf] = std::min(required[leaf], before);
    }
  }

  /// Takes the leaves of a cell into use, and what they need; returns how many cells that adds, at least
  /// `limit` where it is cut short there. To be undone or finished, below.
  template <typename Leaves>
  std::uint32_t try_use(const Leaves& leaves, std::uint32_t limit) {
    trail_.clear();
    stack_.clear();
    std::uint32_t added = take(leaves);
    while (!stack_.empty() && added < limit) {
      const std::uint32_t node = stack_.back();
      stack_.pop_back();
      added += take(cells[node]);
    }
    return added;
  }
  /// Pins of the cell and of the cells that the last `try_use` added.
  std::size_t tried_pins() const { return trail_.size(); }
  /// Undoes the last `try_use`.
  void take_back() {
    for (const std::uint32_t leaf : trail_) --uses[leaf];
  }
  /// Gives the leaves of a cell in use back, and what only they need; what is further away than `limit` cells
  /// is held: it counts as free, but what it needs stays in use until `use`.
  template <typename Leaves>
  void release(const Leaves& leaves, std::uint32_t limit) {
    stack_.clear();
    std::uint32_t removed = drop(leaves);
    while (!stack_.empty()) {
      const std::uint32_t node = stack_.back();
      stack_.pop_back();
      if (removed >= limit) {
        is_held_[node] = true;
        held_.push_back(node);
      } else {
        removed += drop(cells[node]);
      }
    }
  }
  /// After `release`: the cell that is in use from now on.
  template <typename Leaves>
  void use(const Leaves& leaves) {
    try_use(leaves, kFree);
    stack_.clear();
    for (const std::uint32_t node : held_) {
      is_held_[node] = false;
      if (uses[node] == 0) stack_.push_back(node);
    }
    held_.clear();
    while (!stack_.empty()) {
      const std::uint32_t node = stack_.back();
      stack_.pop_back();
      drop(cells[node]);
    }
  }

  /// The cells in use.
  MappedCells mapped() const {
    MappedCells result;
    for (std::uint32_t node = graph_.ci_count + 1; node < graph_.node_count(); ++node) {
      if (uses[node] == 0) continue;
      result.nodes.push_back(node);
      result.leaves.insert(result.leaves.end(), cells[node].begin(), cells[node].end());
      result.starts.push_back(static_cast<std::uint32_t>(result.leaves.size()));
    }
    return result;
  }

 private:
  template <typename Leaves>
  std::uint32_t take(const Leaves& leaves) {
    std::uint32_t added = 0;
    for (const std::uint32_t leaf : leaves) {
      trail_.push_back(leaf);
      if (uses[leaf]++ != 0 || graph_.is_ci(leaf)) continue;
      ++added;
      if (!is_held_[leaf]) stack_.push_back(leaf);
    }
    return added;
  }
  template <typename Leaves>
  std::uint32_t drop(const Leaves& leaves) {
    std::uint32_t removed = 0;
    for (const std::uint32_t leaf : leaves) {
      if (--uses[leaf] != 0 || graph_.is_ci(leaf)) continue;
      ++removed;
      stack_.push_back(leaf);
    }
    return removed;
  }

  const MapGraph& graph_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> trail_;
  std::vector<std::uint32_t> held_;
  std::vector<std::uint8_t> is_held_;

 public:
  std::vector<Cell> cells;
  std::vector<Cost> costs;
  /// How many cells and roots in use read a node; 0: it needs no cell.
  std::vector<std::uint32_t> uses;
  std::vector<std::uint32_t> required;
};

}  // namespace dmt
