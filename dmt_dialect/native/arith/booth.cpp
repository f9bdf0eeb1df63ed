#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "dmt_dialect/native/arith/adder_trees.hpp"

// Radix-4 Booth products: bit j of row k is
//     negative XOR (one AND a[j]  OR  two AND a[j - 1])
// with negative = b[2k+1], one = b[2k] XOR b[2k-1], two = (b[2k+1] XOR b[2k]) AND NOT one: a function of two
// bits of a and three of b, by which it is recognised whatever its gates are. Some make nothing negative
// where the digit is 0 (b[2k+1], b[2k] and b[2k-1] all 1): another function of the same bits.

namespace dmt {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

/// The variables of a product bit. A role may be absent: a constant, or equal to another (signs).
enum Role : std::uint8_t { kA, kBelowA, kNegative, kMiddle, kLow, kRoles };
constexpr std::uint8_t kZero = 7;

/// Which input of the function plays a role.
using Roles = std::array<std::uint8_t, kRoles>;

bool chosen_bit(bool a, bool below, bool negative, bool middle, bool low) {
  const bool one = middle != low;
  const bool two = negative != middle && !one;
  return (one && a) || (two && below);
}

bool product_bit(bool a, bool below, bool negative, bool middle, bool low) {
  return negative != chosen_bit(a, below, negative, middle, low);
}

bool product_bit_without_minus_zero(bool a, bool below, bool negative, bool middle, bool low) {
  return (negative && !(middle && low)) != chosen_bit(a, below, negative, middle, low);
}

/// Truth tables of product bits over 2 to 5 inputs, in all orders.
class Patterns {
 public:
  Patterns() {
    // In the middle of a row and at its ends; in the first row (low = 0), in the last of an unsigned b
    // (negative = 0), and of a signed one (negative = middle).
    for (const std::uint8_t a : {std::uint8_t{0}, kZero}) {
      for (const std::uint8_t below : {std::uint8_t{1}, std::uint8_t{0}, kZero}) {
        if (a == kZero && below != 1) continue;
        for (const std::uint8_t low : {std::uint8_t{4}, kZero}) {
          add({a, below, 2, 3, low}, product_bit);
          if (low != kZero) add({a, below, 2, 3, low}, product_bit_without_minus_zero);
          // In a parity on top the bit comes in two parts.
          if (a != kZero && below == 1) add({a, below, 2, 3, low}, chosen_bit);
          if (low != kZero) add({a, below, kZero, 3, low}, product_bit);
          if (low != kZero) add({a, below, 3, 3, low}, product_bit);
        }
      }
    }
  }
  const Roles* find(std::size_t inputs, std::uint32_t table) const {
    const auto found = tables_.find((std::uint64_t{inputs} << 32) | table);
    return found == tables_.end() ? nullptr : &found->second;
  }

 private:
  using Function = bool (*)(bool, bool, bool, bool, bool);
  void add(Roles roles, Function function) {
    // The inputs that occur, renumbered 0, 1...
    std::vector<std::uint8_t> used;
    for (const std::uint8_t input : roles) {
      if (input != kZero && std::find(used.begin(), used.end(), input) == used.end()) used.push_back(input);
    }
    std::vector<std::uint8_t> order(used.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
    do {
      Roles placed{};
      for (std::size_t r = 0; r < kRoles; ++r) {
        const auto at = std::find(used.begin(), used.end(), roles[r]) - used.begin();
        placed[r] = roles[r] == kZero ? kZero : order[static_cast<std::size_t>(at)];
      }
      std::uint32_t table = 0;
      for (std::uint32_t k = 0; k < (1U << used.size()); ++k) {
        const auto value = [&](std::size_t r) { return placed[r] != kZero && ((k >> placed[r]) & 1U) != 0; };
        if (function(value(kA), value(kBelowA), value(kNegative), value(kMiddle), value(kLow))) {
          table |= 1U << k;
        }
      }
      tables_.try_emplace((std::uint64_t{used.size()} << 32) | table, placed);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  std::unordered_map<std::uint64_t, Roles> tables_;
};

/// A leaf read as a product bit.
struct Bit {
  std::int64_t weight;
  std::array<std::uint32_t, kRoles> node;  ///< kNone: constant 0
};

class BoothReader {
 public:
  BoothReader(const AigStore& store, const FunctionTable& table, const AdderTree& tree,
              const std::vector<WeightedLit>& leaves, const std::vector<std::uint32_t>& constants)
      : store_(store), table_(table), tree_(tree), leaves_(leaves), constants_(constants) {}

  std::optional<ProductTree> run(std::uint32_t index) {
    for (const WeightedLit& leaf : leaves_) read(leaf);
    if (bits_.size() < 2 || !read_b() || !read_a()) return std::nullopt;
    ProductTree found;
    found.tree = index;
    found.is_booth = true;
    found.a = literals(a_);
    found.b = literals(b_);
    if (check_product(store_, tree_, leaves_, constants_, found)) return found;
    if (find_product(table_, found)) return found;
    return std::nullopt;
  }

 private:
  static std::vector<Lit> literals(const std::vector<std::uint32_t>& nodes) {
    std::vector<Lit> lits;
    for (const std::uint32_t node : nodes) lits.emplace_back(NodeId(node), false);
    return lits;
  }

  /// Grows a cut from the leaf towards the inputs, the highest node first, and looks for a product bit among
  /// the functions met.
  void read(const WeightedLit& leaf) {
    static const Patterns patterns;
    if (!store_.is_and(leaf.lit.node())) return;
    std::vector<std::uint32_t> cut = {leaf.lit.node().index()};
    inner_.clear();
    std::size_t matched = 0;
    Bit best{};
    constexpr std::size_t kWidest = 9;
    constexpr std::size_t kDeepest = 24;
    while (!cut.empty() && cut.size() <= kWidest && inner_.size() < kDeepest) {
      // `cut` is in ascending order.
      std::size_t at = cut.size();
      while (at > 0 && !store_.is_and(NodeId(cut[at - 1]))) --at;
      if (at == 0) break;
      const NodeId id(cut[at - 1]);
      cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(at - 1));
      inner_.push_back(id.index());
      for (const Lit fanin : {store_.fanin0(id), store_.fanin1(id)}) {
        const std::uint32_t node = fanin.node().index();
        const auto place = std::lower_bound(cut.begin(), cut.end(), node);
        if (place == cut.end() || *place != node) cut.insert(place, node);
      }
      if (cut.size() < 3 || cut.size() > 5) continue;
      std::uint32_t table = function(cut);
      const std::uint32_t mask = cut.size() == 5 ? 0xFFFFFFFFU : (1U << (1U << cut.size())) - 1;
      if (leaf.lit.complemented()) table = ~table & mask;
      const Roles* roles = patterns.find(cut.size(), table);
      if (roles == nullptr) roles = patterns.find(cut.size(), ~table & mask);
      if (roles == nullptr) continue;
      Bit bit{leaf.weight, {}};
      for (std::size_t r = 0; r < kRoles; ++r) bit.node[r] = (*roles)[r] == kZero ? kNone : cut[(*roles)[r]];
      // Parts of a product bit may look like one: the last match of most inputs counts.
      if (cut.size() < matched) continue;
      matched = cut.size();
      best = bit;
    }
    if (matched != 0) bits_.push_back(best);
  }

  /// The function of the last node grown from (the first of `inner_`) over the cut.
  std::uint32_t function(const std::vector<std::uint32_t>& cut) {
    static constexpr std::array<std::uint32_t, 5> kInputs = {0xAAAAAAAAU, 0xCCCCCCCCU, 0xF0F0F0F0U,
                                                             0xFF00FF00U, 0xFFFF0000U};
    std::map<std::uint32_t, std::uint32_t> tables;
    for (std::size_t i = 0; i < cut.size(); ++i) tables[cut[i]] = kInputs[i];
    std::vector<std::uint32_t> order = inner_;
    std::sort(order.begin(), order.end());
    for (const std::uint32_t node : order) {
      const auto value = [&](Lit lit) {
        return tables[lit.node().index()] ^ (lit.complemented() ? 0xFFFFFFFFU : 0U);
      };
      tables[node] = value(store_.fanin0(NodeId(node))) & value(store_.fanin1(NodeId(node)));
    }
    const std::uint32_t mask = cut.size() == 5 ? 0xFFFFFFFFU : (1U << (1U << cut.size())) - 1;
    return tables[inner_.front()] & mask;
  }

  /// Rows of b by the bits they share: the top bit of a row is the low bit of the next.
  bool read_b() {
    std::map<std::uint32_t, const Bit*> row_of_low;  // by either of middle and low, which look alike
    const Bit* first = nullptr;
    for (const Bit& bit : bits_) {
      if (bit.node[kMiddle] == kNone) continue;
      if (bit.node[kLow] == kNone) {
        if (bit.node[kNegative] != kNone && (first == nullptr || bit.weight < first->weight)) first = &bit;
        continue;
      }
      // Of a row the bit that knows most.
      for (const Role role : {kMiddle, kLow}) {
        const Bit*& slot = row_of_low[bit.node[role]];
        if (slot == nullptr || rank(bit) > rank(*slot)) slot = &bit;
      }
    }
    if (first == nullptr) return false;
    b_ = {first->node[kMiddle], first->node[kNegative]};
    while (b_.size() <= 2 * bits_.size() + 2) {
      const auto next = row_of_low.find(b_.back());
      if (next == row_of_low.end()) break;
      const Bit& row = *next->second;
      const std::uint32_t middle = row.node[kMiddle] == b_.back() ? row.node[kLow] : row.node[kMiddle];
      if (std::find(b_.begin(), b_.end(), middle) != b_.end()) break;
      b_.push_back(middle);
      const std::uint32_t top = row.node[kNegative];
      if (top == kNone || top == middle || top == row.node[kLow]) break;
      b_.push_back(top);
    }
    return true;
  }
  static int rank(const Bit& bit) {
    return (bit.node[kNegative] != kNone && bit.node[kNegative] != bit.node[kMiddle] ? 2 : 0) +
           (bit.node[kA] != kNone && bit.node[kBelowA] != kNone ? 1 : 0);
  }

  /// Bits of a by the neighbours a product bit reads.
  bool read_a() {
    std::map<std::uint32_t, std::uint32_t> above;
    std::uint32_t start = kNone;
    for (const Bit& bit : bits_) {
      const std::uint32_t upper = bit.node[kA];
      const std::uint32_t lower = bit.node[kBelowA];
      if (upper != kNone && lower != kNone && upper != lower) {
        above.try_emplace(lower, upper);
      } else if (upper != kNone && lower == kNone && bit.node[kNegative] != kNone &&
                 bit.node[kNegative] != bit.node[kMiddle]) {
        start = upper;
      }
    }
    if (start == kNone) return false;
    a_ = {start};
    while (a_.size() <= bits_.size()) {
      const auto next = above.find(a_.back());
      if (next == above.end()) break;
      a_.push_back(next->second);
    }
    return a_.size() <= bits_.size();
  }

  const AigStore& store_;
  const FunctionTable& table_;
  const AdderTree& tree_;
  const std::vector<WeightedLit>& leaves_;
  const std::vector<std::uint32_t>& constants_;
  std::vector<std::uint32_t> inner_;
  std::vector<Bit> bits_;
  std::vector<std::uint32_t> a_, b_;
};

}  // namespace

std::optional<ProductTree> find_booth(const AigStore& store, const FunctionTable& table,
                                      const AdderTree& tree, std::uint32_t index,
                                      const std::vector<WeightedLit>& leaves,
                                      const std::vector<std::uint32_t>& constants) {
  return BoothReader(store, table, tree, leaves, constants).run(index);
}

}  // namespace dmt
