#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "dmt_dialect/native/arith/adder_trees.hpp"

namespace dmt {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

/// A leaf of a tree that is the AND of two literals, or the complement of it.
struct Product {
  std::uint32_t first;
  std::uint32_t second;
  std::int64_t weight;
  bool negative;
};

/// A literal that is a factor of products.
struct Factor {
  Lit lit;
  std::vector<std::uint32_t> products;
  std::int64_t index = 0;
  /// 0: not met yet; 1 and 2: operand a, b.
  int side = 0;
  /// Of `rewritten`: surely a bit of an operand.
  bool is_known = false;
  /// Weight of the leaf that is the literal itself: its square.
  std::optional<std::int64_t> square;
};

class Recogniser {
 public:
  Recogniser(const AigStore& store, const FunctionTable& table, ArithReport& report)
      : store_(store),
        table_(table),
        report_(report),
        factor_of_(2 * std::size_t{store.node_count()}, kNone) {}

  void tree(std::uint32_t index) {
    tree_ = index;
    collect();
    for (std::uint32_t start = 0; start < factors_.size(); ++start) {
      if (factors_[start].side != 0) continue;
      const std::vector<std::uint32_t> group = connected(start);
      if (group.size() < 3) continue;
      if (!two_words(group) && !one_word(group)) rewritten(group);
    }
    if (report_.multipliers.empty() || report_.multipliers.back().tree != tree_) {
      if (auto found = find_booth(store_, table_, current(), tree_, leaves_, constants_)) {
        report_.multipliers.push_back(std::move(*found));
      }
    }
    for (const Factor& factor : factors_) factor_of_[factor.lit.raw()] = kNone;
  }

 private:
  const AdderTree& current() const { return report_.trees[tree_]; }

  std::uint32_t factor(Lit lit) {
    std::uint32_t& slot = factor_of_[lit.raw()];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(factors_.size());
      factors_.emplace_back().lit = lit;
    }
    return slot;
  }

  /// A bit that is added to a constant one leaves as wires: it goes on at twice the weight, its complement
  /// stays. Put together again: 2 x + (1 - x) = x + 1.
  void rejoin() {
    leaves_ = current().leaves;
    constants_ = current().constants;
    std::stable_sort(leaves_.begin(), leaves_.end(), [](const WeightedLit& a, const WeightedLit& b) {
      return std::pair(a.lit.node().index(), a.weight) < std::pair(b.lit.node().index(), b.weight);
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (i + 1 < leaves_.size() && leaves_[i + 1].lit == ~leaves_[i].lit &&
          leaves_[i + 1].weight == leaves_[i].weight + 1) {
        constants_.push_back(leaves_[i].weight);
        leaves_[kept++] = {leaves_[i].weight, leaves_[i + 1].lit};
        ++i;
      } else {
        leaves_[kept++] = leaves_[i];
      }
    }
    leaves_.resize(kept);
  }

  void collect() {
    products_.clear();
    factors_.clear();
    rejoin();
    for (const WeightedLit& leaf : leaves_) {
      const NodeId node = leaf.lit.node();
      if (!store_.is_and(node)) continue;
      const std::uint32_t first = factor(store_.fanin0(node));
      const std::uint32_t second = factor(store_.fanin1(node));
      const auto index = static_cast<std::uint32_t>(products_.size());
      products_.push_back({first, second, leaf.weight, leaf.lit.complemented()});
      factors_[first].products.push_back(index);
      factors_[second].products.push_back(index);
    }
    for (const WeightedLit& leaf : leaves_) {
      const std::uint32_t slot = factor_of_[leaf.lit.raw()];
      if (slot != kNone) factors_[slot].square = leaf.weight;
    }
  }

  std::uint32_t other(const Product& product, std::uint32_t one) const {
    return product.first == one ? product.second : product.first;
  }

  /// The factors connected to `start` by products; sides and indices by the weights, as far as they go.
  std::vector<std::uint32_t> connected(std::uint32_t start) {
    std::vector<std::uint32_t> group = {start};
    factors_[start].side = 1;
    bipartite_ = true;
    consistent_ = true;
    for (std::size_t next = 0; next < group.size(); ++next) {
      const Factor& here = factors_[group[next]];
      for (const std::uint32_t p : here.products) {
        const Product& product = products_[p];
        Factor& there = factors_[other(product, group[next])];
        const std::int64_t index = product.weight - here.index;
        if (there.side == 0) {
          there.side = 3 - here.side;
          there.index = index;
          group.push_back(other(product, group[next]));
        } else {
          bipartite_ = bipartite_ && there.side != here.side;
          consistent_ = consistent_ && there.index == index;
        }
      }
    }
    return group;
  }

  /// Literals of one side by index, if the indices are consecutive and each is there once.
  bool word_of(std::span<const std::uint32_t> group, int side, std::vector<Lit>& word, std::int64_t& least) {
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    least = std::numeric_limits<std::int64_t>::max();
    std::int64_t count = 0;
    for (const std::uint32_t f : group) {
      if (factors_[f].side != side) continue;
      least = std::min(least, factors_[f].index);
      most = std::max(most, factors_[f].index);
      ++count;
    }
    if (count < 2 || most - least + 1 != count) return false;
    word.assign(static_cast<std::size_t>(count), kFalse);
    for (const std::uint32_t f : group) {
      if (factors_[f].side != side) continue;
      Lit& slot = word[static_cast<std::size_t>(factors_[f].index - least)];
      if (slot != kFalse) return false;
      slot = factors_[f].lit;
    }
    return true;
  }

  std::vector<std::uint32_t> products_of(std::span<const std::uint32_t> group) const {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t f : group) {
      all.insert(all.end(), factors_[f].products.begin(), factors_[f].products.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  bool two_words(std::span<const std::uint32_t> group) {
    if (!bipartite_ || !consistent_) return false;
    ProductTree found;
    found.tree = tree_;
    std::int64_t least_a = 0;
    std::int64_t least_b = 0;
    if (!word_of(group, 1, found.a, least_a) || !word_of(group, 2, found.b, least_b)) return false;
    const std::int64_t offset = -(least_a + least_b);
    // The bit of weight 0 is a product alone and no cell's input.
    if (offset < 0 || offset > 1) return false;
    found.offset = static_cast<std::uint32_t>(offset);
    const auto n = static_cast<std::int64_t>(found.a.size());
    const auto m = static_cast<std::int64_t>(found.b.size());
    const std::vector<std::uint32_t> all = products_of(group);
    std::vector<bool> seen(found.a.size() * found.b.size(), false);
    std::size_t crossed = 0;
    std::size_t plain = 0;
    for (const std::uint32_t p : all) {
      const Product& product = products_[p];
      const bool swapped = factors_[product.first].side == 2;
      const std::int64_t i = factors_[swapped ? product.second : product.first].index - least_a;
      const std::int64_t j = factors_[swapped ? product.first : product.second].index - least_b;
      const auto slot = static_cast<std::size_t>(i * m + j);
      if (seen[slot]) return false;
      seen[slot] = true;
      const bool with_sign = (i + 1 == n) != (j + 1 == m);
      if (product.negative && !with_sign) return false;
      crossed += product.negative ? 1 : 0;
      plain += with_sign && !product.negative ? 1 : 0;
    }
    if (crossed != 0 && plain != 0) return false;
    found.is_signed = crossed != 0;
    const auto limit = static_cast<std::int64_t>(current().width) + offset;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        if (i + j >= offset && i + j < limit && !seen[static_cast<std::size_t>(i * m + j)]) return false;
      }
    }
    if (all.size() == leaves_.size() && !constants_fit(found)) return false;
    order(found);
    report_.multipliers.push_back(std::move(found));
    return true;
  }

  /// A tree in which synthesis made other gates of some products: the factors with many products tell the
  /// words, and the whole tree is checked on random operands.
  bool rewritten(std::span<const std::uint32_t> group) {
    std::size_t most = 0;
    for (const std::uint32_t f : group) most = std::max(most, factors_[f].products.size());
    std::vector<std::uint32_t> often;
    for (const std::uint32_t f : group) {
      factors_[f].is_known = 2 * factors_[f].products.size() > most && factors_[f].products.size() > 1;
      if (factors_[f].is_known) often.push_back(f);
    }
    ProductTree found;
    found.tree = tree_;
    std::int64_t least = 0;
    if (often.size() < 4 || !spread(often) || !word_of(often, 1, found.a, least) ||
        !word_of(often, 2, found.b, least)) {
      return false;
    }
    if (!check_product(store_, current(), leaves_, constants_, found) && !find_product(table_, found)) {
      return false;
    }
    order(found);
    report_.multipliers.push_back(std::move(found));
    return true;
  }

  /// Sides and indices of known factors, by the products that they have with each other.
  bool spread(std::span<const std::uint32_t> known) {
    for (const std::uint32_t f : known) factors_[f].side = 0;
    std::vector<std::uint32_t> order = {known.front()};
    factors_[known.front()].side = 1;
    factors_[known.front()].index = 0;
    bool fits = true;
    for (std::size_t next = 0; next < order.size(); ++next) {
      const Factor& here = factors_[order[next]];
      for (const std::uint32_t p : here.products) {
        Factor& there = factors_[other(products_[p], order[next])];
        if (!there.is_known) continue;
        const std::int64_t index = products_[p].weight - here.index;
        if (there.side == 0) {
          there.side = 3 - here.side;
          there.index = index;
          order.push_back(other(products_[p], order[next]));
        } else {
          fits = fits && there.side != here.side && there.index == index;
        }
      }
    }
    return fits && order.size() == known.size();
  }

  /// The constant that comes with negative products (none with others), when the tree adds nothing else.
  bool constants_fit(const ProductTree& found) const {
    std::vector<bool> have(current().width, false);
    std::vector<bool> want(current().width, false);
    const auto add = [&](std::vector<bool>& bits, std::size_t weight) {
      while (weight < bits.size() && bits[weight]) bits[weight++] = false;
      if (weight < bits.size()) bits[weight] = true;
    };
    for (const std::uint32_t weight : constants_) add(have, weight);
    if (found.is_signed) {
      for (const std::size_t weight :
           {found.a.size() - 1, found.b.size() - 1, found.a.size() + found.b.size() - 1}) {
        if (weight < found.offset) return false;
        add(want, weight - found.offset);
      }
    }
    // A constant on top inverts the highest output: whoever reads it may have it so without a cell.
    return std::equal(have.begin(), have.end() - 1, want.begin());
  }

  /// A square: products of different bits count twice, one bit's product is the bit itself.
  bool one_word(std::span<const std::uint32_t> group) {
    // Twice the index of each bit, relative to one whose own leaf is there.
    std::vector<std::uint32_t> order;
    for (const std::uint32_t f : group) factors_[f].side = 0;
    for (const std::uint32_t f : group) {
      if (!factors_[f].square.has_value()) continue;
      factors_[f].index = *factors_[f].square;
      factors_[f].side = 1;
      order.push_back(f);
      break;
    }
    bool fits = !order.empty();
    for (std::size_t next = 0; next < order.size(); ++next) {
      const Factor& here = factors_[order[next]];
      for (const std::uint32_t p : here.products) {
        const Product& product = products_[p];
        Factor& there = factors_[other(product, order[next])];
        const std::int64_t index = 2 * (product.weight - 1) - here.index;
        if (there.side == 0) {
          there.side = 1;
          there.index = index;
          order.push_back(other(product, order[next]));
        } else {
          fits = fits && there.index == index;
        }
      }
    }
    for (const std::uint32_t f : group) factors_[f].side = 1;
    if (!fits || order.size() != group.size()) return false;
    for (const std::uint32_t f : group) {
      if (factors_[f].square.has_value() && *factors_[f].square != factors_[f].index) return false;
    }
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const std::uint32_t f : group) least = std::min(least, factors_[f].index);
    for (const std::uint32_t f : group) {
      if ((factors_[f].index - least) % 2 != 0) return false;
      factors_[f].index = (factors_[f].index - least) / 2;
    }
    ProductTree found;
    found.tree = tree_;
    found.is_square = true;
    // Three products may be anything.
    if (!word_of(group, 1, found.a, least) || found.a.size() < 4) return false;
    const auto n = static_cast<std::int64_t>(found.a.size());
    const std::vector<std::uint32_t> all = products_of(group);
    std::vector<bool> seen(found.a.size() * found.a.size(), false);
    for (const std::uint32_t p : all) {
      const Product& product = products_[p];
      const std::int64_t i = factors_[product.first].index;
      const std::int64_t j = factors_[product.second].index;
      const auto slot = static_cast<std::size_t>(std::min(i, j) * n + std::max(i, j));
      if (product.negative || i == j || seen[slot]) return false;
      seen[slot] = true;
      found.offset = static_cast<std::uint32_t>(i + j + 1 - product.weight);
    }
    const auto limit = static_cast<std::int64_t>(current().width + found.offset);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) {
        if (i + j + 1 < limit && !seen[static_cast<std::size_t>(i * n + j)]) return false;
      }
    }
    found.b = found.a;
    report_.multipliers.push_back(std::move(found));
    return true;
  }

  /// The operand whose bit 0 comes first in the AIG is `a`.
  static void order(ProductTree& found) {
    if (found.b[0].raw() < found.a[0].raw()) std::swap(found.a, found.b);
  }

  const AigStore& store_;
  const FunctionTable& table_;
  ArithReport& report_;
  std::uint32_t tree_ = 0;
  std::vector<std::uint32_t> factor_of_;
  std::vector<Factor> factors_;
  std::vector<Product> products_;
  /// Of the tree, after `rejoin`.
  std::vector<WeightedLit> leaves_;
  std::vector<std::uint32_t> constants_;
  bool bipartite_ = true;
  bool consistent_ = true;
};

}  // namespace

void find_multipliers(const AigStore& store, const FunctionTable& table, ArithReport& report) {
  Recogniser recogniser(store, table, report);
  for (std::uint32_t i = 0; i < report.trees.size(); ++i) {
    recogniser.tree(i);
  }
  for (ProductTree& found : report.multipliers) {
    if (found.outputs.empty()) find_outputs(table, found);
  }
}

}  // namespace dmt
