#include "dmt_dialect/native/cnf/cut_mapping.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "dmt_dialect/native/cnf/small_cover.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

constexpr std::size_t kLeaves = 4;
constexpr std::size_t kCuts = 5;
constexpr std::array<Truth4, kLeaves> kVariables = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};

struct Cut {
  std::array<std::uint32_t, kLeaves> leaves{};  // sorted
  std::uint8_t size = 0;
  Truth4 function = 0;
  float cost = 0;

  bool same_leaves(const Cut& other) const {
    return size == other.size && std::equal(leaves.begin(), leaves.begin() + size, other.leaves.begin());
  }
};

/// `function` of `from` as a function of the leaves of `to`, among which those of `from` are.
Truth4 stretched(const Cut& from, const Cut& to) {
  Truth4 f = from.function;
  // Variables move up, the last first, so that none runs into another.
  std::uint8_t target = to.size;
  for (std::uint8_t source = from.size; source-- > 0;) {
    do --target;
    while (to.leaves[target] != from.leaves[source]);
    for (std::uint8_t position = source; position < target; ++position) {
      // Exchanges the adjacent variables `position` and `position + 1`.
      const Truth4 low = kVariables[position];
      const Truth4 high = kVariables[position + 1U];
      const unsigned shift = 1U << position;
      const auto up = static_cast<Truth4>((f & low & ~high) << shift);
      const auto down = static_cast<Truth4>((f & high & ~low) >> shift);
      f = static_cast<Truth4>((f & ~(low ^ high)) | up | down);
    }
  }
  return f;
}

bool merge(const Cut& a, const Cut& b, Cut& result) {
  std::size_t i = 0;
  std::size_t j = 0;
  result.size = 0;
  while (i < a.size || j < b.size) {
    if (result.size == kLeaves) return false;
    const bool take_a = j == b.size || (i < a.size && a.leaves[i] <= b.leaves[j]);
    const std::uint32_t leaf = take_a ? a.leaves[i] : b.leaves[j];
    if (i < a.size && a.leaves[i] == leaf) ++i;
    if (j < b.size && b.leaves[j] == leaf) ++j;
    result.leaves[result.size++] = leaf;
  }
  return true;
}

class Mapper {
 public:
  Mapper(const AigStore& aig, std::span<const Lit> roots, dynomite::Stop& stop)
      : aig_(aig), roots_(roots), stop_(stop), references_(aig.node_count()), flow_(aig.node_count()) {}

  MappedCnf run() {
    count_fanouts();
    choose_cuts();
    count_uses();
    choose_cuts();
    count_uses();
    return clauses();
  }

 private:
  void poll() {
    if (stop_.poll()) throw dynomite::LimitError("the conversion was stopped");
  }

  void count_fanouts() {
    std::vector<float>& count = references_;
    for (const Lit root : roots_) count[root.node().index()] += 1;
    for (std::uint32_t node = aig_.node_count(); node-- > 1;) {
      poll();
      if (count[node] == 0 || !aig_.is_and(NodeId(node))) continue;
      count[aig_.fanin0(NodeId(node)).node().index()] += 1;
      count[aig_.fanin1(NodeId(node)).node().index()] += 1;
    }
    in_cone_.resize(count.size());
    for (std::size_t node = 0; node < count.size(); ++node) in_cone_[node] = count[node] > 0;
  }

  void choose_cuts() {
    cuts_.assign(std::size_t{aig_.node_count()} * kCuts, Cut());
    for (std::uint32_t node = 0; node < aig_.node_count(); ++node) {
      poll();
      if (in_cone_[node] && aig_.is_and(NodeId(node))) choose_cuts(node);
    }
  }

  Cut trivial(std::uint32_t node) const {
    Cut cut;
    if (node == 0) return cut;  // the constant has no leaves
    cut.leaves[0] = node;
    cut.size = 1;
    cut.function = kVariables[0];
    return cut;
  }

  /// The cuts of a node's fanin: its own and the one it is itself.
  std::size_t cuts_of(std::uint32_t node, std::array<Cut, kCuts + 1>& into) const {
    std::size_t count = 0;
    if (aig_.is_and(NodeId(node))) {
      while (count < kCuts && is_cut(node, count)) {
        into[count] = cut(node, count);
        ++count;
      }
    }
    into[count++] = trivial(node);
    return count;
  }

  void choose_cuts(std::uint32_t node) {
    const Lit fanin0 = aig_.fanin0(NodeId(node));
    const Lit fanin1 = aig_.fanin1(NodeId(node));
    std::array<Cut, kCuts + 1> first;
    std::array<Cut, kCuts + 1> second;
    const std::size_t first_count = cuts_of(fanin0.node().index(), first);
    const std::size_t second_count = cuts_of(fanin1.node().index(), second);
    std::array<Cut, kCuts> best;
    std::size_t count = 0;
    for (std::size_t i = 0; i < first_count; ++i) {
      for (std::size_t j = 0; j < second_count; ++j) {
        Cut merged;
        if (!merge(first[i], second[j], merged)) continue;
        const auto flip = [](Truth4 f, bool complemented) {
          return static_cast<Truth4>(complemented ? ~f : f);
        };
        merged.function = flip(stretched(first[i], merged), fanin0.complemented()) &
                          flip(stretched(second[j], merged), fanin1.complemented());
        merged.cost = counts_(merged.function);
        for (std::size_t k = 0; k < merged.size; ++k) merged.cost += flow_[merged.leaves[k]];
        const auto end = best.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::any_of(best.begin(), end, [&](const Cut& cut) { return cut.same_leaves(merged); })) continue;
        std::size_t place = count < kCuts ? count++ : kCuts;
        while (place > 0 && best[place - 1].cost > merged.cost) {
          if (place < kCuts) best[place] = best[place - 1];
          --place;
        }
        if (place < kCuts) best[place] = merged;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      cuts_[std::size_t{node} * kCuts + i] = best[i];
    }
    flow_[node] = best[0].cost / std::max(1.0F, references_[node]);
  }

  const Cut& cut(std::uint32_t node, std::size_t i) const { return cuts_[std::size_t{node} * kCuts + i]; }
  /// Every cut costs a clause at least; free places cost nothing.
  bool is_cut(std::uint32_t node, std::size_t i) const { return cut(node, i).cost > 0; }

  /// How often the chosen cells use each node.
  void count_uses() {
    std::fill(references_.begin(), references_.end(), 0.0F);
    for (const Lit root : roots_) references_[root.node().index()] += 1;
    for (std::uint32_t node = aig_.node_count(); node-- > 1;) {
      poll();
      if (references_[node] == 0 || !aig_.is_and(NodeId(node))) continue;
      const Cut& cell = cut(node, 0);
      for (std::size_t k = 0; k < cell.size; ++k) references_[cell.leaves[k]] += 1;
    }
  }

  MappedCnf clauses() {
    MappedCnf mapped;
    mapped.variables.resize(aig_.node_count(), 0);
    std::vector<SmallCube> cubes;
    // Fanins come first, so a cell's leaves have their variables.
    for (std::uint32_t node = 0; node < aig_.node_count(); ++node) {
      poll();
      if (references_[node] == 0) continue;
      const std::int32_t variable = mapped.cnf.add_variable();
      mapped.variables[node] = static_cast<std::uint32_t>(variable);
      mapped.nodes.push_back(node);
      if (node == 0) mapped.cnf.clause({-variable});
      if (!aig_.is_and(NodeId(node))) continue;
      const Cut& cell = cut(node, 0);
      for (const bool value : {true, false}) {
        cubes.clear();
        small_cover(static_cast<Truth4>(value ? cell.function : ~cell.function), cubes);
        for (const SmallCube& cube : cubes) {
          for (std::size_t k = 0; k < cell.size; ++k) {
            const auto leaf = static_cast<std::int32_t>(mapped.variables[cell.leaves[k]]);
            if ((cube.positive >> k & 1U) != 0) mapped.cnf.literal(-leaf);
            if ((cube.negative >> k & 1U) != 0) mapped.cnf.literal(leaf);
          }
          mapped.cnf.literal(value ? variable : -variable);
          mapped.cnf.end_clause();
        }
      }
    }
    return mapped;
  }

  const AigStore& aig_;
  std::span<const Lit> roots_;
  dynomite::Stop& stop_;
  std::vector<float> references_;
  std::vector<float> flow_;
  std::vector<bool> in_cone_;
  std::vector<Cut> cuts_;
  ClauseCounts counts_;
};

}  // namespace

MappedCnf map_to_cnf(const AigStore& aig, std::span<const Lit> roots, dynomite::Stop& stop) {
  return Mapper(aig, roots, stop).run();
}

}  // namespace dmt
