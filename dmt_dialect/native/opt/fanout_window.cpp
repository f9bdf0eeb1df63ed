#include "dmt_dialect/native/opt/fanout_window.hpp"

#include <algorithm>
#include <utility>

#include "dmt_dialect/native/opt/bits.hpp"

namespace dmt::opt {

bool FanoutWindow::build(std::uint32_t root, const FanoutLimits& limits) {
  nodes_.clear();
  ends_.clear();
  return network_.root_refs(root) == 0 && collect(root, limits) && !nodes_.empty();
}

// Breadth first; what is `depth` steps away, feeds a root, or has many fanouts is an end.
bool FanoutWindow::collect(std::uint32_t root, const FanoutLimits& limits) {
  std::vector<std::pair<std::uint32_t, unsigned>>& queue = queue_;
  queue.assign(1, {root, 0});
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [id, depth] = queue[i];
    const bool open =
        depth < limits.depth && network_.root_refs(id) == 0 && network_.refs(id) <= limits.fanouts;
    if (!open) {
      if (i == 0) return false;
      ends_.push_back(id);
      continue;
    }
    network_.for_each_fanout(id, [&](std::uint32_t fanout) {
      const auto known = [&](const auto& item) { return item.first == fanout; };
      if (std::none_of(queue.begin(), queue.end(), known)) queue.emplace_back(fanout, depth + 1);
      return true;
    });
    if (queue.size() > limits.nodes) return false;
  }
  for (std::size_t i = 1; i < queue.size(); ++i) nodes_.push_back(queue[i].first);
  std::sort(nodes_.begin(), nodes_.end());  // unvisited nodes stand in topological order
  return true;
}

std::uint32_t FanoutWindow::place(std::uint32_t id) const {
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), id);
  return found != nodes_.end() && *found == id ? static_cast<std::uint32_t>(found - nodes_.begin()) + 1
                                               : Network::kNone;
}

void FanoutWindow::care(std::uint32_t root, const Patterns& patterns, std::vector<std::uint64_t>& mask) {
  const unsigned words = patterns.words();
  turned_.resize((nodes_.size() + 1) * words);
  for (unsigned w = 0; w < words; ++w) turned_[w] = ~patterns.row(root)[w];
  const auto row = [&](std::uint32_t id) {
    const std::uint32_t here = id == root ? 0 : place(id);
    return here == Network::kNone ? patterns.row(id) : turned_.data() + std::size_t{here} * words;
  };
  mask.assign(words, 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& gate = network_.nodes()[nodes_[i]];
    const std::uint64_t* x = row(gate.fanin0.node().index());
    const std::uint64_t* y = row(gate.fanin1.node().index());
    and_words(gate, x, y, turned_.data() + (i + 1) * words, words);
  }
  for (const std::uint32_t end : ends_) {
    const std::uint64_t* x = row(end);
    const std::uint64_t* y = patterns.row(end);
    for (unsigned w = 0; w < words; ++w) mask[w] |= x[w] ^ y[w];
  }
}

Lit FanoutWindow::copy_and(Lit a, Lit b) {
  // A literal of the copy is the fanin of no gate of the network: only folding can find it there.
  const Lit found = network_.find_and(a, b);
  if (found != Network::kNoLit) return found;
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    if ((gates_[i].fanin0 == a && gates_[i].fanin1 == b) || (gates_[i].fanin0 == b && gates_[i].fanin1 == a))
      return Lit(NodeId(network_.size() + static_cast<std::uint32_t>(i)), false);
  }
  gates_.push_back({a, b});
  return Lit(NodeId(record_count() - 1), false);
}

void FanoutWindow::copy(std::uint32_t root, Lit by, std::vector<Lit>& ends) {
  copies_.assign(nodes_.size() + 1, kFalse);
  copies_[0] = by;
  const auto lead = [&](Lit lit) {
    const std::uint32_t id = lit.node().index();
    const std::uint32_t here = id == root ? 0 : place(id);
    return here == Network::kNone ? lit : copies_[here] ^ lit.complemented();
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    copies_[i + 1] = copy_and(lead(network_.fanin0(nodes_[i])), lead(network_.fanin1(nodes_[i])));
  ends.clear();
  for (const std::uint32_t end : ends_) ends.push_back(copies_[place(end)]);
}

Node FanoutWindow::record(NodeId id) const {
  const std::uint32_t index = id.index();
  return index < network_.size() ? network_.nodes()[index] : gates_[index - network_.size()];
}

}  // namespace dmt::opt
