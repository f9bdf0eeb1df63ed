#include "dmt_dialect/native/opt/window.hpp"

#include <algorithm>

namespace dmt::opt {

void Window::build(std::uint32_t root, const WindowLimits& limits, std::uint32_t level) {
  grow_marks();
  stamp_ += 2;  // find_cone uses the value below
  if (limits.fanout_free) {
    find_private_leaves(root, limits);
  } else {
    find_leaves(root, limits);
  }
  find_cone(root);
  find_dying(root);
  divisors_.clear();
  for (const std::uint32_t id : cone_) {
    if (doomed_[id] != stamp_ && divisors_.size() + leaves_.size() < limits.divisors) divisors_.push_back(id);
  }
  find_side_divisors(limits, level);
}

void Window::grow_marks() {
  if (inside_.size() < network_.size()) {
    inside_.resize(network_.size(), 0);
    doomed_.resize(network_.size(), 0);
  }
}

// Expands the leaf that adds the fewest new leaves, the deepest of them first.
void Window::find_leaves(std::uint32_t root, const WindowLimits& limits) {
  leaves_.assign(1, root);
  inside_[root] = stamp_;
  for (unsigned nodes = 0; nodes < limits.nodes; ++nodes) {
    std::size_t best = leaves_.size();
    unsigned best_cost = 3;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const std::uint32_t leaf = leaves_[i];
      if (!network_.is_and(leaf)) continue;
      const unsigned cost = static_cast<unsigned>(inside_[network_.fanin0(leaf).node().index()] != stamp_) +
                            static_cast<unsigned>(inside_[network_.fanin1(leaf).node().index()] != stamp_);
      if (cost < best_cost || (cost == best_cost && network_.level(leaf) > network_.level(leaves_[best]))) {
        best = i;
        best_cost = cost;
      }
    }
    if (best == leaves_.size() || leaves_.size() - 1 + best_cost > limits.leaves) break;
    const std::uint32_t leaf = leaves_[best];
    leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(best));
    for (const Lit fanin : {network_.fanin0(leaf), network_.fanin1(leaf)}) {
      const std::uint32_t id = fanin.node().index();
      if (inside_[id] == stamp_) continue;
      inside_[id] = stamp_;
      leaves_.push_back(id);
    }
  }
}

// Expands leaves that nothing outside uses, the one that adds the fewest new leaves first.
void Window::find_private_leaves(std::uint32_t root, const WindowLimits& limits) {
  leaves_.assign(1, root);
  uses_.assign(1, network_.refs(root));
  inside_[root] = stamp_;
  for (unsigned nodes = 0; nodes < limits.nodes; ++nodes) {
    std::size_t best = leaves_.size();
    unsigned best_cost = 3;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const std::uint32_t leaf = leaves_[i];
      if (!network_.is_and(leaf) || uses_[i] != network_.refs(leaf)) continue;
      const unsigned cost = static_cast<unsigned>(inside_[network_.fanin0(leaf).node().index()] != stamp_) +
                            static_cast<unsigned>(inside_[network_.fanin1(leaf).node().index()] != stamp_);
      if (cost < best_cost) {
        best = i;
        best_cost = cost;
      }
    }
    if (best == leaves_.size() || leaves_.size() - 1 + best_cost > limits.leaves) break;
    const std::uint32_t leaf = leaves_[best];
    leaves_[best] = leaves_.back();
    leaves_.pop_back();
    uses_[best] = uses_.back();
    uses_.pop_back();
    for (const Lit fanin : {network_.fanin0(leaf), network_.fanin1(leaf)}) {
      const std::uint32_t id = fanin.node().index();
      const auto at = std::find(leaves_.begin(), leaves_.end(), id);
      if (at != leaves_.end()) {
        ++uses_[static_cast<std::size_t>(at - leaves_.begin())];
      } else {
        inside_[id] = stamp_;
        leaves_.push_back(id);
        uses_.push_back(1);
      }
    }
  }
}

// All nodes marked are leaves or above them; fanins first.
void Window::find_cone(std::uint32_t root) {
  cone_.clear();
  for (const std::uint32_t leaf : leaves_) inside_[leaf] = stamp_ - 1;
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const std::uint32_t id = stack_.back();
    const std::uint32_t a = network_.fanin0(id).node().index(), b = network_.fanin1(id).node().index();
    if (inside_[id] != stamp_) {
      stack_.pop_back();
      continue;
    }
    if (inside_[a] == stamp_) stack_.push_back(a);
    if (inside_[b] == stamp_) stack_.push_back(b);
    if (stack_.back() != id) continue;
    cone_.push_back(id);
    inside_[id] = stamp_ - 1;
    stack_.pop_back();
  }
  for (const std::uint32_t leaf : leaves_) inside_[leaf] = stamp_;
  for (const std::uint32_t id : cone_) inside_[id] = stamp_;
}

void Window::find_dying(std::uint32_t root) {
  for (const std::uint32_t leaf : leaves_) network_.hold(leaf);
  dying_.clear();
  network_.deref_cone(root, &dying_);
  network_.ref_cone(root);
  for (const std::uint32_t leaf : leaves_) network_.release(leaf);
  for (const std::uint32_t id : dying_) doomed_[id] = stamp_;
  std::reverse(dying_.begin(), dying_.end());
}

// Nodes both of whose fanins are in the window are functions of the leaves, too.
void Window::find_side_divisors(const WindowLimits& limits, std::uint32_t level) {
  const auto side = [&](std::uint32_t id) {
    unsigned seen = 0;
    network_.for_each_fanout(id, [&](std::uint32_t fanout) {
      if (++seen > limits.fanouts || divisors_.size() + leaves_.size() >= limits.divisors) return false;
      if (inside_[fanout] == stamp_ || !network_.visited(fanout) || network_.level(fanout) > level)
        return true;
      const std::uint32_t a = network_.fanin0(fanout).node().index(),
                          b = network_.fanin1(fanout).node().index();
      if (inside_[a] != stamp_ || inside_[b] != stamp_ || doomed_[a] == stamp_ || doomed_[b] == stamp_)
        return true;
      inside_[fanout] = stamp_;
      divisors_.push_back(fanout);
      return true;
    });
  };
  for (const std::uint32_t leaf : leaves_) side(leaf);
  for (std::size_t i = 0; i < divisors_.size(); ++i) side(divisors_[i]);
}

}  // namespace dmt::opt
