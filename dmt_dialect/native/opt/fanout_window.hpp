#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dmt_dialect/native/opt/network.hpp"
#include "dmt_dialect/native/opt/patterns.hpp"

namespace dmt::opt {

struct FanoutLimits {
  /// Steps from the node to the ends of the window.
  unsigned depth = 4;
  /// Nodes of the window; with more there is none.
  unsigned nodes = 40;
  /// Fanouts of one node; with more it ends the window.
  unsigned fanouts = 12;
};

/// Some levels of what a node feeds: where the node does not show at their ends, its value does not matter
/// (observability don't-cares). The node must be the last one visited, all its fanouts unvisited.
class FanoutWindow {
 public:
  explicit FanoutWindow(const Network& network) : network_(network) {}

  /// False if the node feeds a root itself or too much.
  bool build(std::uint32_t root, const FanoutLimits& limits);
  /// Nodes behind the root, fanins first.
  const std::vector<std::uint32_t>& nodes() const { return nodes_; }
  /// Those of them that something outside sees.
  const std::vector<std::uint32_t>& ends() const { return ends_; }

  /// The patterns in which the ends differ when the root's value is turned.
  void care(std::uint32_t root, const Patterns& patterns, std::vector<std::uint64_t>& mask);

  // A copy of the window with another literal in place of the root, as gates behind those of the network.

  /// Empties the copy.
  void start_copy() { gates_.clear(); }
  /// The AND of literals of network and copy: folded, found in the network, or a gate of the copy.
  Lit copy_and(Lit a, Lit b);
  /// Copies the window with `root` led to `by`; gives the literal of each end.
  void copy(std::uint32_t root, Lit by, std::vector<Lit>& ends);
  /// Records of the network and the copy, for a solver.
  Node record(NodeId id) const;
  std::uint32_t record_count() const { return network_.size() + static_cast<std::uint32_t>(gates_.size()); }

 private:
  bool collect(std::uint32_t root, const FanoutLimits& limits);
  std::uint32_t place(std::uint32_t id) const;

  const Network& network_;
  std::vector<std::uint32_t> nodes_, ends_;
  std::vector<std::pair<std::uint32_t, unsigned>> queue_;
  std::vector<std::uint64_t> turned_;  // rows of the window, the root's first
  std::vector<Lit> copies_;
  std::vector<Node> gates_;
};

}  // namespace dmt::opt
