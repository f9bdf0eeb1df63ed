#include "dmt_dialect/native/explain/flip_simulator.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "dmt_dialect/native/aig/cones.hpp"

namespace dmt::explain {

namespace {

std::uint64_t mask(bool complemented) { return complemented ? ~std::uint64_t{0} : 0; }

/// Turns counts into the beginnings of ranges; the last entry is the total.
void accumulate_counts(std::vector<std::uint32_t>& counts) {
  std::uint32_t total = 0;
  for (std::uint32_t& count : counts) {
    const std::uint32_t own = count;
    count = total;
    total += own;
  }
}

}  // namespace

FlipSimulator::FlipSimulator(const AigStore& aig, std::span<const std::uint64_t> values,
                             std::span<const Lit> roots, std::span<const std::uint64_t> targets,
                             std::size_t words)
    : aig_(aig),
      values_(values),
      roots_(roots),
      targets_(targets),
      words_(words),
      fanout_begin_(aig.node_count() + 1),
      root_begin_(aig.node_count() + 1),
      base_fails_(words),
      changed_(values.size()),
      touched_(aig.node_count()),
      dirty_((aig.node_count() + 63) / 64),
      fails_(words),
      must0_(words),
      must1_(words) {
  assert(values.size() == aig.node_count() * words && targets.size() == roots.size() * words);
  const std::uint32_t count = aig.node_count();
  for (std::uint32_t i = 1; i < count; ++i) {
    if (!aig.is_and(NodeId(i))) continue;
    ++fanout_begin_[aig.fanin0(NodeId(i)).node().index()];
    ++fanout_begin_[aig.fanin1(NodeId(i)).node().index()];
  }
  accumulate_counts(fanout_begin_);
  fanouts_.resize(fanout_begin_.back());
  std::vector<std::uint32_t> place = fanout_begin_;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (!aig.is_and(NodeId(i))) continue;
    fanouts_[place[aig.fanin0(NodeId(i)).node().index()]++] = i;
    fanouts_[place[aig.fanin1(NodeId(i)).node().index()]++] = i;
  }
  for (const Lit root : roots) ++root_begin_[root.node().index()];
  accumulate_counts(root_begin_);
  roots_by_node_.resize(roots.size());
  place = root_begin_;
  for (std::uint32_t r = 0; r < roots.size(); ++r) {
    roots_by_node_[place[roots[r].node().index()]++] = r;
    bool wrong = false;
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t miss = values[roots[r].node().index() * words + w] ^ mask(roots[r].complemented()) ^
                                 targets[r * words + w];
      base_fails_[w] |= miss;
      wrong = wrong || miss != 0;
    }
    if (wrong) wrong_roots_.push_back(r);
  }
}

void FlipSimulator::mark_fanouts(NodeId node) {
  for (std::uint32_t k = fanout_begin_[node.index()]; k < fanout_begin_[node.index() + 1]; ++k) {
    const std::uint32_t reader = fanouts_[k];
    dirty_[reader / 64] |= std::uint64_t{1} << (reader % 64);
    last_dirty_ = std::max(last_dirty_, reader);
  }
}

/// Computes a node anew; true if it differs from its value as it is.
bool FlipSimulator::evaluate(NodeId node) {
  const Lit a = aig_.fanin0(node);
  const Lit b = aig_.fanin1(node);
  const std::uint64_t* x = now(a.node());
  const std::uint64_t* y = now(b.node());
  const std::uint64_t flip_a = mask(a.complemented());
  const std::uint64_t flip_b = mask(b.complemented());
  const std::uint64_t* old = values_.data() + node.index() * words_;
  std::uint64_t* out = changed_.data() + node.index() * words_;
  std::uint64_t difference = 0;
  for (std::size_t w = 0; w < words_; ++w) {
    out[w] = (x[w] ^ flip_a) & (y[w] ^ flip_b);
    difference |= out[w] ^ old[w];
  }
  return difference != 0;
}

bool FlipSimulator::flip(NodeId node) {
  for (std::size_t w = 0; w < words_; ++w) {
    changed_[node.index() * words_ + w] = ~values_[node.index() * words_ + w];
  }
  touched_[node.index()] = true;
  touched_list_.assign(1, node.index());
  last_dirty_ = node.index();
  mark_fanouts(node);
  for (std::uint32_t block = node.index() / 64; block <= last_dirty_ / 64; ++block) {
    while (dirty_[block] != 0) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(dirty_[block]));
      dirty_[block] &= dirty_[block] - 1;
      const NodeId reader(block * 64 + bit);
      if (!evaluate(reader)) continue;
      touched_[reader.index()] = true;
      touched_list_.push_back(reader.index());
      mark_fanouts(reader);
    }
  }
  const bool possible = collect(node);
  for (const std::uint32_t index : touched_list_) touched_[index] = false;
  return possible;
}

/// Compares the roots, as they are now, with the targets.
bool FlipSimulator::collect(NodeId node) {
  std::ranges::fill(fails_, 0);
  const auto miss = [&](std::uint32_t root) {
    const std::uint64_t* value = now(roots_[root].node());
    const std::uint64_t complement = mask(roots_[root].complemented());
    for (std::size_t w = 0; w < words_; ++w) {
      fails_[w] |= value[w] ^ complement ^ targets_[root * words_ + w];
    }
  };
  for (const std::uint32_t root : wrong_roots_) miss(root);
  for (const std::uint32_t index : touched_list_) {
    for (std::uint32_t k = root_begin_[index]; k < root_begin_[index + 1]; ++k) miss(roots_by_node_[k]);
  }
  const std::uint64_t* value = values_.data() + node.index() * words_;
  for (std::size_t w = 0; w < words_; ++w) {
    if ((base_fails_[w] & fails_[w]) != 0) return false;
    const std::uint64_t must_change = base_fails_[w];
    const std::uint64_t must_stay = fails_[w];
    must1_[w] = (must_change & ~value[w]) | (must_stay & value[w]);
    must0_[w] = (must_change & value[w]) | (must_stay & ~value[w]);
  }
  return true;
}

std::uint8_t FlipSimulator::local_requirements(NodeId node) const {
  const Lit a = aig_.fanin0(node);
  const Lit b = aig_.fanin1(node);
  const std::uint64_t* x = values_.data() + a.node().index() * words_;
  const std::uint64_t* y = values_.data() + b.node().index() * words_;
  unsigned found = 0;
  for (std::size_t w = 0; w < words_; ++w) {
    const std::uint64_t one = x[w] ^ mask(a.complemented());
    const std::uint64_t two = y[w] ^ mask(b.complemented());
    for (unsigned k = 0; k < 4; ++k) {
      const std::uint64_t here = (one ^ mask((k & 1U) == 0)) & (two ^ mask((k & 2U) == 0));
      if ((here & must1_[w]) != 0) found |= 1U << k;
      if ((here & must0_[w]) != 0) found |= 16U << k;
    }
  }
  return static_cast<std::uint8_t>(found);
}

std::vector<NodeId> common_cone(const AigStore& aig, std::span<const Lit> roots) {
  std::vector<std::uint32_t> count(aig.node_count());
  for (const Lit root : roots) {
    NodeSet cone(aig.node_count());
    add_fanin_cone(aig, std::span(&root, 1), cone);
    for (const NodeId node : cone.sorted()) ++count[node.index()];
  }
  std::vector<NodeId> common;
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    if (aig.is_and(NodeId(i)) && count[i] == roots.size()) common.push_back(NodeId(i));
  }
  return common;
}

}  // namespace dmt::explain
