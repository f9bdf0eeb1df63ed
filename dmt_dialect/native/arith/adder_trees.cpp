#include "dmt_dialect/native/arith/adder_trees.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dmt_dialect/native/aig/levels.hpp"

namespace dmt {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

/// Sets of cells that know their weights and polarities relative to each other.
class Relations {
 public:
  explicit Relations(std::size_t count) : parent_(count), weight_(count, 0), flip_(count, false) {
    for (std::size_t i = 0; i < count; ++i) parent_[i] = static_cast<std::uint32_t>(i);
  }
  struct Place {
    std::uint32_t root;
    std::int64_t weight;
    bool flip;
  };
  Place find(std::uint32_t cell) {
    // Two passes: the root, then the shortcuts.
    std::uint32_t root = cell;
    std::int64_t weight = 0;
    bool flip = false;
    while (parent_[root] != root) {
      weight += weight_[root];
      flip = flip != flip_[root];
      root = parent_[root];
    }
    const Place place{root, weight, flip};
    while (parent_[cell] != root && cell != root) {
      const std::uint32_t next = parent_[cell];
      const std::int64_t own_weight = weight_[cell];
      const bool own_flip = flip_[cell];
      parent_[cell] = root;
      weight_[cell] = weight;
      flip_[cell] = flip;
      weight -= own_weight;
      flip = flip != own_flip;
      cell = next;
    }
    return place;
  }
  /// `b` has the weight of `a` plus `weight`, and the other polarity if `flip`. False if they are known to
  /// have others.
  bool relate(std::uint32_t a, std::uint32_t b, std::int64_t weight, bool flip) {
    const Place x = find(a);
    const Place y = find(b);
    if (x.root == y.root) return y.weight == x.weight + weight && (x.flip != y.flip) == flip;
    parent_[y.root] = x.root;
    weight_[y.root] = x.weight + weight - y.weight;
    flip_[y.root] = (x.flip != y.flip) != flip;
    return true;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::int64_t> weight_;
  std::vector<bool> flip_;
};

/// Where a node comes from.
struct Producer {
  std::uint32_t cell = kNone;
  bool is_carry = false;
};

class Builder {
 public:
  Builder(const AigStore& store, ArithReport& report)
      : store_(store),
        report_(report),
        cells_(report.found.cells),
        relations_(cells_.size()),
        is_xor_(store.node_count(), false),
        read_as_(store.node_count(), 0) {
    for (const XorNode& node : report.found.xors) is_xor_[node.node.index()] = true;
    for_each_root(store, [&](Lit lit) { read_as_[lit.node().index()] = lit.complemented() ? -1 : 1; });
  }

  void run() {
    drop_idle();
    find_producers();
    relate(true);
    relate(false);
    number_trees();
    find_tops();
    collect_ports();
  }

 private:
  Lit produced(const Producer& from) const {
    const AdderCell& cell = cells_[from.cell];
    return from.is_carry ? cell.carry : cell.sum;
  }

  /// Half adders of which a cell takes the sum and nothing takes the carry: such a sum is a word's bit
  /// rather, say an exclusive or in a Booth product, and its AND serves something else. They go to no tree.
  void drop_idle() {
    idle_.assign(cells_.size(), false);
    std::vector<bool> by_cell(store_.node_count(), false);
    std::vector<bool> by_any(store_.node_count(), false);
    for (bool changed = true; changed;) {
      changed = false;
      by_cell.assign(by_cell.size(), false);
      for (std::uint32_t i = 0; i < cells_.size(); ++i) {
        if (idle_[i]) continue;
        for (const Lit lit : cells_[i].in) by_cell[lit.node().index()] = true;
      }
      by_any = by_cell;
      for (const XorNode& node : report_.found.xors) {
        if (report_.found.inside_cell[node.node.index()]) continue;
        by_any[node.first.node().index()] = by_any[node.second.node().index()] = true;
      }
      for_each_root(store_, [&](Lit lit) { by_any[lit.node().index()] = true; });
      for (std::uint32_t i = 0; i < cells_.size(); ++i) {
        const AdderCell& cell = cells_[i];
        if (idle_[i] || !cell.is_half() || !by_cell[cell.sum.node().index()]) continue;
        if (by_any[cell.carry.node().index()]) continue;
        idle_[i] = changed = true;
      }
    }
  }

  void find_producers() {
    producer_.assign(store_.node_count(), {});
    // Full adders come first, and carries: what is left explains the rest.
    for (const bool half : {false, true}) {
      for (const bool carry : {true, false}) {
        for (std::uint32_t i = 0; i < cells_.size(); ++i) {
          if (cells_[i].is_half() != half || idle_[i]) continue;
          Producer& slot = producer_[(carry ? cells_[i].carry : cells_[i].sum).node().index()];
          if (slot.cell == kNone) slot = {i, carry};
        }
      }
    }
  }

  /// Cells whose inputs are carries (or sums) of cells.
  void relate(bool carries) {
    for (std::uint32_t i = 0; i < cells_.size(); ++i) {
      if (idle_[i]) continue;
      for (const Lit lit : cells_[i].in) {
        const Producer& from = producer_[lit.node().index()];
        if (lit.node() == kConstNode || from.cell == kNone || from.is_carry != carries) continue;
        if (!relations_.relate(from.cell, i, carries ? 1 : 0, produced(from) != lit)) ++report_.conflicts;
      }
    }
  }

  void number_trees() {
    const std::size_t count = cells_.size();
    report_.tree_of.assign(count, kNone);
    report_.weight_of.assign(count, 0);
    report_.flipped.assign(count, false);
    std::vector<std::uint32_t> tree_of_root(count, kNone);
    std::vector<std::int64_t> least;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto place = relations_.find(i);
      if (tree_of_root[place.root] == kNone) {
        tree_of_root[place.root] = static_cast<std::uint32_t>(report_.trees.size());
        report_.trees.emplace_back();
        least.push_back(std::numeric_limits<std::int64_t>::max());
      }
      const std::uint32_t tree = tree_of_root[place.root];
      report_.tree_of[i] = tree;
      report_.trees[tree].cells.push_back(i);
      least[tree] = std::min(least[tree], place.weight);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto place = relations_.find(i);
      report_.weight_of[i] = static_cast<std::uint32_t>(place.weight - least[report_.tree_of[i]]);
      report_.flipped[i] = place.flip;
    }
    for (AdderTree& tree : report_.trees) {
      choose_polarity(tree);
      std::stable_sort(tree.cells.begin(), tree.cells.end(), [&](std::uint32_t a, std::uint32_t b) {
        return report_.weight_of[a] < report_.weight_of[b];
      });
    }
  }

  /// Whether the input is handed over inside the tree: weight and polarity fit.
  bool is_inner(std::uint32_t tree, std::uint32_t weight, Lit lit) const {
    const Producer& from = producer_[lit.node().index()];
    if (lit.node() == kConstNode || from.cell == kNone || report_.tree_of[from.cell] != tree) return false;
    const std::uint32_t there = report_.weight_of[from.cell] + (from.is_carry ? 1U : 0U);
    return there == weight && (produced(from) ^ report_.flipped[from.cell]) == lit;
  }

  /// A tree may be taken with all literals complemented: the way that most leaves are plain. An exclusive or
  /// has no plain form.
  void choose_polarity(const AdderTree& tree) {
    std::int64_t plain = 0;
    for (const std::uint32_t i : tree.cells) {
      for (const Lit lit : report_.cell(i).in) {
        if (lit.node() == kConstNode || is_xor_[lit.node().index()]) continue;
        if (!is_inner(report_.tree_of[i], report_.weight_of[i], lit)) plain += lit.complemented() ? -1 : 1;
      }
    }
    if (plain == 0) {
      // Else the way the circuit's outputs read its sums.
      for (const std::uint32_t i : tree.cells) {
        const AdderCell cell = report_.cell(i);
        for (const Lit lit : {cell.sum, cell.carry})
          plain += read_as_[lit.node().index()] * (lit.complemented() ? -1 : 1);
      }
    }
    if (plain >= 0) return;
    for (const std::uint32_t i : tree.cells) report_.flipped[i] = !report_.flipped[i];
  }

  /// Parities that end a tree: leaves of an XOR tree of which one is a carry.
  void find_tops() {
    const auto& xors = report_.found.xors;
    std::vector<std::uint32_t> xor_of(store_.node_count(), kNone);
    std::vector<std::uint32_t> uses(store_.node_count(), 0);
    for (std::uint32_t i = 0; i < xors.size(); ++i) {
      const std::uint32_t node = xors[i].node.index();
      if (producer_[node].cell == kNone && !report_.found.inside_cell[node]) xor_of[node] = i;
    }
    for (std::uint32_t i = 0; i < xors.size(); ++i) {
      if (xor_of[xors[i].node.index()] != i) continue;
      ++uses[xors[i].first.node().index()];
      ++uses[xors[i].second.node().index()];
    }
    const std::vector<std::uint32_t> fanouts = fanout_counts(store_);
    // An XOR below one other XOR only, and in the two gates of that one only, is part of it.
    const auto is_part = [&](std::uint32_t node) {
      return xor_of[node] != kNone && uses[node] == 1 && fanouts[node] <= 2;
    };
    std::vector<Lit> stack;
    for (const XorNode& top : xors) {
      if (xor_of[top.node.index()] == kNone) continue;
      if (is_part(top.node.index()) && fanouts[top.node.index()] == 2) continue;
      TopParity parity{Lit(top.node, false), 0, {}};
      stack = {top.second, top.first};
      while (!stack.empty()) {
        const Lit lit = stack.back();
        stack.pop_back();
        if (is_part(lit.node().index()) && fanouts[lit.node().index()] == 2) {
          const XorNode& inner = xors[xor_of[lit.node().index()]];
          stack.push_back(inner.second);
          stack.push_back(inner.first ^ lit.complemented());
        } else {
          parity.in.push_back(lit);
        }
      }
      place_top(parity);
    }
  }

  void place_top(TopParity& parity) {
    std::uint32_t tree = kNone;
    for (const Lit lit : parity.in) {
      const Producer& from = producer_[lit.node().index()];
      if (from.cell == kNone || !from.is_carry) continue;
      tree = report_.tree_of[from.cell];
      parity.weight = report_.weight_of[from.cell] + 1;
      break;
    }
    // In the middle of a tree a parity is no sum without its carry, which then runs elsewhere.
    if (tree == kNone || parity.weight != report_.weight_of[report_.trees[tree].cells.back()] + 1) return;
    for (Lit& lit : parity.in) {
      const Producer& from = producer_[lit.node().index()];
      if (from.cell == kNone || report_.tree_of[from.cell] != tree) continue;
      if (report_.weight_of[from.cell] + (from.is_carry ? 1U : 0U) != parity.weight) return;
      // An input may change its polarity if the sum does.
      const Lit there = produced(from) ^ report_.flipped[from.cell];
      if (there != lit) {
        lit = ~lit;
        parity.sum = ~parity.sum;
      }
    }
    report_.trees[tree].tops.push_back(parity);
  }

  void collect_ports() {
    std::vector<bool> taken(store_.node_count(), false);
    for (std::uint32_t t = 0; t < report_.trees.size(); ++t) {
      AdderTree& tree = report_.trees[t];
      const auto take = [&](std::uint32_t weight, Lit lit) {
        if (lit.node() == kConstNode) {
          if (lit == kTrue) tree.constants.push_back(weight);
        } else if (is_inner(t, weight, lit) && !taken[lit.node().index()]) {
          taken[lit.node().index()] = true;  // whoever takes it a second time has it from outside
        } else {
          tree.leaves.push_back({weight, lit});
        }
      };
      for (const std::uint32_t i : tree.cells) {
        for (const Lit lit : report_.cell(i).in) take(report_.weight_of[i], lit);
      }
      for (TopParity& top : tree.tops) {
        // Leaves from outside count plain; what that changes goes into the sum.
        for (Lit& lit : top.in) {
          if (!is_inner(t, top.weight, lit) && lit.complemented()) {
            lit = ~lit;
            top.sum = ~top.sum;
          }
          take(top.weight, lit);
        }
        // The parity as it is drawn is that of the plain node.
        if (top.sum.complemented()) {
          tree.constants.push_back(top.weight);
          top.sum = ~top.sum;
        }
      }
      for (const std::uint32_t i : tree.cells) {
        const AdderCell cell = report_.cell(i);
        add_output(tree, i, report_.weight_of[i], cell.sum, taken);
        add_output(tree, i, report_.weight_of[i] + 1, cell.carry, taken);
      }
      for (const TopParity& top : tree.tops) tree.outputs.push_back({top.weight, top.sum});
      const auto lighter = [](const WeightedLit& a, const WeightedLit& b) { return a.weight < b.weight; };
      std::stable_sort(tree.leaves.begin(), tree.leaves.end(), lighter);
      std::stable_sort(tree.outputs.begin(), tree.outputs.end(), lighter);
      join_constants(tree);
      std::sort(tree.constants.begin(), tree.constants.end());
      if (!tree.outputs.empty()) tree.width = tree.outputs.back().weight + 1;
      tree.is_adder = adds_two_words(tree);
    }
  }

  /// A sum that is added to a constant one goes on as wires: x + 1 = 2 x + (1 - x). Then the tree has x as
  /// output, and the two others as leaves: they cancel, and leave the constant.
  static void join_constants(AdderTree& tree) {
    const auto lighter = [](const WeightedLit& a, const WeightedLit& b) { return a.weight < b.weight; };
    std::vector<bool> gone(tree.leaves.size(), false);
    const auto find = [&](std::uint32_t weight, Lit lit) -> std::size_t {
      const WeightedLit wanted{weight, lit};
      auto at = std::lower_bound(tree.leaves.begin(), tree.leaves.end(), wanted, lighter);
      for (; at != tree.leaves.end() && at->weight == weight; ++at) {
        const auto place = static_cast<std::size_t>(at - tree.leaves.begin());
        if (at->lit == lit && !gone[place]) return place;
      }
      return gone.size();
    };
    std::size_t kept = 0;
    for (const WeightedLit output : tree.outputs) {
      const std::size_t inverted = find(output.weight, ~output.lit);
      const std::size_t twice = find(output.weight + 1, output.lit);
      if (inverted == gone.size() || twice == gone.size()) {
        tree.outputs[kept++] = output;
        continue;
      }
      gone[inverted] = gone[twice] = true;
      tree.constants.push_back(output.weight);
    }
    tree.outputs.resize(kept);
    std::size_t place = 0;
    std::erase_if(tree.leaves, [&](const WeightedLit&) { return gone[place++]; });
  }

  void add_output(AdderTree& tree, std::uint32_t cell, std::uint32_t weight, Lit lit,
                  const std::vector<bool>& taken) {
    const Producer& from = producer_[lit.node().index()];
    if (taken[lit.node().index()] && from.cell == cell) return;
    tree.outputs.push_back({weight, lit});
  }

  static bool adds_two_words(const AdderTree& tree) {
    std::vector<std::uint32_t> height(tree.width + std::size_t{1}, 0);
    for (const WeightedLit& leaf : tree.leaves) ++height[std::min(leaf.weight, tree.width)];
    if (tree.width < 2 || tree.cells.size() + tree.tops.size() < 2 || height[0] > 3) return false;
    return std::all_of(height.begin() + 1, height.end(), [](std::uint32_t h) { return h <= 2; });
  }

  const AigStore& store_;
  ArithReport& report_;
  const std::vector<AdderCell>& cells_;
  Relations relations_;
  std::vector<bool> is_xor_;
  /// 1 or -1: a root reads the node plain or complemented.
  std::vector<std::int8_t> read_as_;
  std::vector<Producer> producer_;
  std::vector<bool> idle_;
};

}  // namespace

ArithReport find_arithmetic(const AigStore& store, dynomite::Stop& stop) {
  ArithReport report;
  report.found = find_adder_cells(store, stop);
  report.complete = report.found.complete;
  if (!report.complete) return report;
  Builder(store, report).run();
  const FunctionTable table(store, stop);
  report.complete = !table.is_empty();
  if (!report.complete) return report;
  find_multipliers(store, table, report);
  find_prefix_adders(store, table, report);
  return report;
}

}  // namespace dmt
