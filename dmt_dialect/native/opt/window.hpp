#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/opt/network.hpp"

namespace dmt::opt {

struct WindowLimits {
  /// Leaves of the cut below the root.
  unsigned leaves = 8;
  /// Nodes between leaves and root.
  unsigned nodes = 200;
  /// Divisors, leaves included.
  unsigned divisors = 150;
  /// Fanouts of a divisor that are looked at.
  unsigned fanouts = 64;
  /// Only what dies with the root stands above the leaves, as far as these suffice.
  bool fanout_free = false;
};

/// The surroundings of a node: a cut below it (reconvergence-driven: Mishchenko, Brayton, IWLS 2006), what
/// dies with the node, and the divisors from which its function may be built anew.
class Window {
 public:
  explicit Window(Network& network) : network_(network) {}

  /// Of a visited AND. The vectors stay valid until the next call. Divisors are visited nodes of at most
  /// `level`, outside the transitive fanout of the root; leaves come first, and each node stands behind its
  /// fanins.
  void build(std::uint32_t root, const WindowLimits& limits, std::uint32_t level);

  const std::vector<std::uint32_t>& leaves() const { return leaves_; }
  /// Nodes above the leaves and below the root that do not die with it, then nodes beside the cone: all
  /// divisors that are no leaves. Fanins of any are divisors or in `dying`.
  const std::vector<std::uint32_t>& divisors() const { return divisors_; }
  /// What dies when the root is replaced, the root included (last).
  const std::vector<std::uint32_t>& dying() const { return dying_; }
  /// The cone: all nodes above the leaves, the root included, fanins first.
  const std::vector<std::uint32_t>& cone() const { return cone_; }

 private:
  void find_leaves(std::uint32_t root, const WindowLimits& limits);
  void find_private_leaves(std::uint32_t root, const WindowLimits& limits);
  void find_cone(std::uint32_t root);
  void find_dying(std::uint32_t root);
  void find_side_divisors(const WindowLimits& limits, std::uint32_t level);
  void grow_marks();

  Network& network_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> inside_;  // stamp of nodes of the window
  std::vector<std::uint32_t> doomed_;  // stamp of dying nodes
  std::vector<std::uint32_t> uses_;    // of each leaf, from above
  std::vector<std::uint32_t> leaves_, divisors_, dying_, cone_, stack_;
};

}  // namespace dmt::opt
