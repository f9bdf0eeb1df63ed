#include "dmt_dialect/native/arith/adder_cells.hpp"

#include <algorithm>
#include <span>
#include <tuple>

#include "dmt_dialect/native/aig/levels.hpp"

namespace dmt {

namespace {

constexpr std::uint8_t kXor3Table = 0x96;
constexpr std::uint8_t kMajorityTable = 0xE8;
constexpr std::uint8_t kXor2Table = 0x66;
constexpr std::uint8_t kAnd2Table = 0x88;
constexpr std::array<std::uint8_t, 3> kVariable = {0xAA, 0xCC, 0xF0};
constexpr std::uint32_t kNoLeaf = 0xFFFFFFFFU;

/// Nodes in ascending order, `kNoLeaf` at the end if there are fewer than three, and the node's function of
/// them: bit k is its value when leaf i has bit i of k. It depends on every leaf.
struct Cut {
  std::array<std::uint32_t, 3> leaves;
  std::uint8_t table;
  std::uint8_t size;
};
static_assert(sizeof(Cut) == 16);

bool depends_on(std::uint8_t table, std::size_t variable) {
  const unsigned shift = 1U << variable;
  return (((table >> shift) ^ table) & static_cast<std::uint8_t>(~kVariable[variable])) != 0;
}

/// The table of a cut when its leaves move to other places.
std::uint8_t spread(const Cut& cut, const std::array<std::uint8_t, 3>& place) {
  unsigned table = 0;
  for (unsigned k = 0; k < 8; ++k) {
    unsigned index = 0;
    for (std::size_t i = 0; i < cut.size; ++i) index |= ((k >> place[i]) & 1U) << i;
    table |= ((static_cast<unsigned>(cut.table) >> index) & 1U) << k;
  }
  return static_cast<std::uint8_t>(table);
}

/// All eight values of the places of up to three leaves: the tables above, precomputed.
class SpreadTable {
 public:
  SpreadTable() {
    for (unsigned places = 0; places < 64; ++places) {
      for (unsigned table = 0; table < 256; ++table) {
        const std::array<std::uint8_t, 3> place = {static_cast<std::uint8_t>(places & 3U),
                                                   static_cast<std::uint8_t>((places >> 2) & 3U),
                                                   static_cast<std::uint8_t>((places >> 4) & 3U)};
        values_[places * 256 + table] = spread({{}, static_cast<std::uint8_t>(table), 3}, place);
      }
    }
  }
  std::uint8_t operator()(std::uint8_t table, const std::array<std::uint8_t, 3>& place) const {
    const unsigned places =
        place[0] | (static_cast<unsigned>(place[1]) << 2) | (static_cast<unsigned>(place[2]) << 4);
    return values_[places * 256 + table];
  }

 private:
  std::array<std::uint8_t, 64 * 256> values_{};
};

/// The union of the leaves, if at most three; where the leaves of each went.
bool merge_leaves(const Cut& a, const Cut& b, Cut& out, std::array<std::uint8_t, 3>& place_a,
                  std::array<std::uint8_t, 3>& place_b) {
  std::size_t i = 0;
  std::size_t j = 0;
  std::uint8_t n = 0;
  place_a = {0, 0, 0};
  place_b = {0, 0, 0};
  out.leaves = {kNoLeaf, kNoLeaf, kNoLeaf};
  while (i < a.size || j < b.size) {
    if (n == 3) return false;
    const std::uint32_t x = i < a.size ? a.leaves[i] : kNoLeaf;
    const std::uint32_t y = j < b.size ? b.leaves[j] : kNoLeaf;
    out.leaves[n] = std::min(x, y);
    if (x <= y) place_a[i++] = n;
    if (y <= x) place_b[j++] = n;
    ++n;
  }
  out.size = n;
  return true;
}

/// Drops leaves the function does not depend on.
void shrink(Cut& cut) {
  for (std::size_t i = cut.size; i-- > 0;) {
    if (depends_on(cut.table, i)) continue;
    Cut smaller = cut;
    smaller.size = static_cast<std::uint8_t>(cut.size - 1);
    for (std::size_t k = i; k + 1 < 3; ++k) smaller.leaves[k] = cut.leaves[k + 1];
    smaller.leaves[2] = kNoLeaf;
    unsigned table = 0;
    for (unsigned k = 0; k < 8; ++k) {
      const unsigned low = k & ((1U << i) - 1);
      const unsigned index = low | ((k >> i) << (i + 1));
      table |= ((static_cast<unsigned>(cut.table) >> (index & 7U)) & 1U) << k;
    }
    smaller.table = static_cast<std::uint8_t>(table);
    cut = smaller;
  }
}

/// A node with one of the functions looked for.
struct Match {
  std::array<std::uint32_t, 3> leaves;
  std::uint32_t node;
  std::uint8_t table;
  auto key() const { return std::tie(leaves, node); }
};

/// The function with leaves and result complemented: bits 0 to 2 the leaves, bit 3 the result.
constexpr std::uint8_t complemented(std::uint8_t table, unsigned flips) {
  unsigned result = 0;
  for (unsigned k = 0; k < 8; ++k) result |= ((static_cast<unsigned>(table) >> (k ^ (flips & 7U))) & 1U) << k;
  return static_cast<std::uint8_t>((flips & 8U) != 0 ? ~result : result);
}

/// How `table` comes from `base` by complements, fewest leaves first; 16 if it does not.
unsigned flips_of(std::uint8_t table, std::uint8_t base, unsigned leaves) {
  unsigned best = 16;
  unsigned fewest = 4;
  for (unsigned flips = 0; flips < 16; ++flips) {
    const auto count = static_cast<unsigned>(__builtin_popcount(flips & 7U));
    if ((flips & 7U) >> leaves != 0 || count >= fewest) continue;
    if (complemented(base, flips) != table) continue;
    best = flips;
    fewest = count;
  }
  return best;
}

enum class Kind : std::uint8_t { kNone, kXor3, kMajority, kXor2, kAnd2 };

std::array<Kind, 256> kinds() {
  std::array<Kind, 256> result{};
  for (unsigned flips = 0; flips < 16; ++flips) {
    result[complemented(kXor3Table, flips)] = Kind::kXor3;
    result[complemented(kMajorityTable, flips)] = Kind::kMajority;
    if ((flips & 4U) != 0) continue;
    result[complemented(kXor2Table, flips)] = Kind::kXor2;
    result[complemented(kAnd2Table, flips)] = Kind::kAnd2;
  }
  return result;
}

Lit leaf_lit(std::uint32_t leaf, bool flip) { return Lit(NodeId(leaf), flip); }

class Finder {
 public:
  Finder(const AigStore& store, dynomite::Stop& stop) : store_(store), stop_(stop), kind_(kinds()) {}

  AdderCells run() {
    result_.inside_cell.assign(store_.node_count(), false);
    result_.complete = enumerate();
    if (!result_.complete) return std::move(result_);
    for (auto* matches : {&xor3s_, &majorities_, &xor2s_, &and2s_}) {
      std::sort(matches->begin(), matches->end(),
                [](const Match& a, const Match& b) { return a.key() < b.key(); });
    }
    result_.xor3s = count_nodes(xor3s_);
    result_.majorities = count_nodes(majorities_);
    find_full();
    find_half();
    std::sort(result_.cells.begin(), result_.cells.end(), [](const AdderCell& a, const AdderCell& b) {
      return std::pair(a.carry.node().index(), a.is_half()) < std::pair(b.carry.node().index(), b.is_half());
    });
    return std::move(result_);
  }

 private:
  bool enumerate() {
    first_.resize(store_.node_count() + std::size_t{1}, 0);
    std::array<Cut, kCutsPerNode> found;
    for (std::uint32_t i = 0; i < store_.node_count(); ++i) {
      if ((i & 0xFFU) == 0 && stop_.poll()) return false;
      first_[i] = cuts_.size();
      const NodeId id(i);
      if (!store_.is_and(id)) continue;
      std::size_t count = 0;
      collect(store_.fanin0(id), store_.fanin1(id), found, count);
      Match pair{{0, 0, kNoLeaf}, 0, 0};
      for (std::size_t k = 0; k < count; ++k) {
        const Cut& cut = found[k];
        const Match match{cut.leaves, i, cut.table};
        switch (kind_[cut.table]) {
          case Kind::kXor3: xor3s_.push_back(match); break;
          case Kind::kMajority: majorities_.push_back(match); break;
          case Kind::kXor2:
            xor2s_.push_back(match);
            if (pair.node == 0 || cut.leaves > pair.leaves) pair = match;
            break;
          case Kind::kAnd2: and2s_.push_back(match); break;
          case Kind::kNone: break;
        }
      }
      if (pair.node != 0) {
        const bool inverted = pair.table != kXor2Table;
        result_.xors.push_back({id, leaf_lit(pair.leaves[0], inverted), leaf_lit(pair.leaves[1], false)});
      }
      cuts_.insert(cuts_.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
    }
    first_[store_.node_count()] = cuts_.size();
    return true;
  }

  /// The node itself, then its cuts.
  void cuts_of(Lit lit, std::vector<Cut>& out) const {
    const std::uint32_t node = lit.node().index();
    out.clear();
    if (node != 0) {
      out.push_back({{node, kNoLeaf, kNoLeaf}, kVariable[0], 1});
    } else {
      out.push_back({{kNoLeaf, kNoLeaf, kNoLeaf}, 0, 0});
    }
    out.insert(out.end(), cuts_.begin() + static_cast<std::ptrdiff_t>(first_[node]),
               cuts_.begin() + static_cast<std::ptrdiff_t>(first_[node + 1]));
  }

  void collect(Lit fanin0, Lit fanin1, std::array<Cut, kCutsPerNode>& found, std::size_t& count) {
    cuts_of(fanin0, left_);
    cuts_of(fanin1, right_);
    // Local cuts first: those of the fanins themselves, then ever deeper ones.
    for (std::size_t depth = 0; depth + 1 < left_.size() + right_.size(); ++depth) {
      for (std::size_t i = 0; i <= depth && i < left_.size(); ++i) {
        const std::size_t j = depth - i;
        if (j >= right_.size()) continue;
        if (count == kCutsPerNode) return;
        Cut cut{};
        std::array<std::uint8_t, 3> place_a;
        std::array<std::uint8_t, 3> place_b;
        if (!merge_leaves(left_[i], right_[j], cut, place_a, place_b)) continue;
        const auto a = static_cast<std::uint8_t>(spread_(left_[i].table, place_a) ^
                                                 (fanin0.complemented() ? 0xFFU : 0U));
        const auto b = static_cast<std::uint8_t>(spread_(right_[j].table, place_b) ^
                                                 (fanin1.complemented() ? 0xFFU : 0U));
        cut.table = a & b;
        shrink(cut);
        if (cut.size < 2) continue;
        const auto same = [&](const Cut& other) { return other.leaves == cut.leaves; };
        if (std::any_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), same)) continue;
        found[count++] = cut;
      }
    }
  }

  static std::uint64_t count_nodes(const std::vector<Match>& matches) {
    std::vector<std::uint32_t> nodes;
    for (const Match& match : matches) nodes.push_back(match.node);
    std::sort(nodes.begin(), nodes.end());
    return static_cast<std::uint64_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
  }

  /// Matches over the same leaves.
  static std::span<const Match> with_leaves(const std::vector<Match>& matches,
                                            const std::array<std::uint32_t, 3>& leaves) {
    struct Less {
      bool operator()(const Match& a, const std::array<std::uint32_t, 3>& b) const { return a.leaves < b; }
      bool operator()(const std::array<std::uint32_t, 3>& a, const Match& b) const { return a < b.leaves; }
    };
    const auto [first, last] = std::equal_range(matches.begin(), matches.end(), leaves, Less());
    return {first, last};
  }

  struct Pairing {
    std::size_t carry;
    std::size_t sum;
  };
  /// For every node among the carries the sum over the same leaves, if there is one that fits. A node may
  /// have several: the most local leaves count, of sums over the same leaves the first.
  template <typename Fits>
  std::vector<Pairing> best_partners(const std::vector<Match>& carries, const std::vector<Match>& sums,
                                     Fits&& fits) const {
    std::vector<std::uint32_t> slot(store_.node_count(), kNoLeaf);
    std::vector<Pairing> found;
    for (std::size_t i = 0; i < carries.size(); ++i) {
      const std::span<const Match> same = with_leaves(sums, carries[i].leaves);
      const auto partner =
          std::find_if(same.begin(), same.end(), [&](const Match& sum) { return fits(carries[i], sum); });
      if (partner == same.end()) continue;
      const Pairing pairing{i, static_cast<std::size_t>(&*partner - sums.data())};
      std::uint32_t& known = slot[carries[i].node];
      if (known == kNoLeaf) {
        known = static_cast<std::uint32_t>(found.size());
        found.push_back(pairing);
      } else if (is_nearer(carries[i], carries[found[known].carry])) {
        found[known] = pairing;
      }
    }
    return found;
  }
  static bool is_nearer(const Match& a, const Match& b) {
    for (std::size_t i = 3; i-- > 0;) {
      if (a.leaves[i] != b.leaves[i]) return a.leaves[i] > b.leaves[i];
    }
    return false;
  }

  void find_full() {
    explained_.assign(store_.node_count(), 0);
    const std::vector<std::uint32_t> fanouts = fanout_counts(store_);
    // A carry that nobody reads is none.
    const auto partners = best_partners(
        majorities_, xor3s_, [&](const Match& carry, const Match&) { return fanouts[carry.node] != 0; });
    for (const auto& [carry, partner] : partners) {
      const Match& majority = majorities_[carry];
      const Match& sum = xor3s_[partner];
      const unsigned flips = flips_of(majority.table, kMajorityTable, 3);
      AdderCell cell;
      bool parity = sum.table != kXor3Table;
      for (std::size_t i = 0; i < 3; ++i) {
        const bool flip = ((flips >> i) & 1U) != 0;
        cell.in[i] = leaf_lit(majority.leaves[i], flip);
        parity ^= flip;
      }
      cell.sum = leaf_lit(sum.node, parity);
      cell.carry = leaf_lit(majority.node, (flips & 8U) != 0);
      result_.cells.push_back(cell);
      explain(sum.node, majority.leaves);
      explain(majority.node, majority.leaves);
    }
  }

  /// Marks the edges between `root` and the leaves as parts of a full adder.
  void explain(std::uint32_t root, const std::array<std::uint32_t, 3>& leaves) {
    stack_.assign(1, root);
    // The logic of a three-leaf function; a bound for graphs that are not hashed.
    for (int steps = 0; !stack_.empty() && steps < 64; ++steps) {
      const NodeId id(stack_.back());
      stack_.pop_back();
      for (int side = 0; side < 2; ++side) {
        const NodeId child = (side == 0 ? store_.fanin0(id) : store_.fanin1(id)).node();
        if (std::find(leaves.begin(), leaves.end(), child.index()) != leaves.end()) continue;
        if (!store_.is_and(child)) continue;
        explained_[id.index()] |= static_cast<std::uint8_t>(1 << side);
        result_.inside_cell[child.index()] = true;
        stack_.push_back(child.index());
      }
    }
  }

  void find_half() {
    // The two gates below an exclusive or are parts of it.
    for (const Match& sum : xor2s_) {
      const NodeId id(sum.node);
      const auto is_gate = [&](Lit lit) {
        const std::uint32_t node = lit.node().index();
        return node != sum.leaves[0] && node != sum.leaves[1];
      };
      if (is_gate(store_.fanin0(id)) && is_gate(store_.fanin1(id))) explained_[sum.node] = 3;
    }
    // References that are parts neither of a full adder nor of an exclusive or.
    std::vector<std::uint32_t> open = fanout_counts(store_);
    for (std::uint32_t i = 0; i < store_.node_count(); ++i) {
      const NodeId id(i);
      if ((explained_[i] & 1U) != 0) --open[store_.fanin0(id).node().index()];
      if ((explained_[i] & 2U) != 0) --open[store_.fanin1(id).node().index()];
    }
    const auto partners = best_partners(and2s_, xor2s_, [&](const Match& product, const Match& sum) {
      return open[product.node] != 0 && !result_.inside_cell[sum.node];
    });
    for (const auto& [carry, partner] : partners) {
      const Match& product = and2s_[carry];
      const Match& sum = xor2s_[partner];
      const unsigned flips = flips_of(product.table, kAnd2Table, 2);
      const bool flip0 = (flips & 1U) != 0;
      const bool flip1 = (flips & 2U) != 0;
      AdderCell cell;
      cell.in = {leaf_lit(product.leaves[0], flip0), leaf_lit(product.leaves[1], flip1), kFalse};
      cell.sum = leaf_lit(sum.node, (sum.table != kXor2Table) != (flip0 != flip1));
      cell.carry = leaf_lit(product.node, (flips & 8U) != 0);
      result_.cells.push_back(cell);
    }
  }

  const AigStore& store_;
  dynomite::Stop& stop_;
  std::array<Kind, 256> kind_;
  SpreadTable spread_;
  std::vector<Cut> cuts_;
  std::vector<std::size_t> first_;
  std::vector<Cut> left_, right_;
  std::vector<Match> xor3s_, majorities_, xor2s_, and2s_;
  std::vector<std::uint8_t> explained_;
  std::vector<std::uint32_t> stack_;
  AdderCells result_;
};

}  // namespace

AdderCells find_adder_cells(const AigStore& store, dynomite::Stop& stop) { return Finder(store, stop).run(); }

}  // namespace dmt
