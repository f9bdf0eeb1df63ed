#include <algorithm>
#include <array>
#include <unordered_map>

#include "dmt_dialect/native/arith/adder_trees.hpp"
#include "dmt_dialect/native/word/word_op.hpp"
#include "dynomite/native/base/random.hpp"

namespace dmt {

namespace {

constexpr std::size_t kRounds = 4;
constexpr std::uint32_t kMostOffset = 2;
/// Gates a leaf, on average, between the operands and the leaves: far more, and the operands were not found.
constexpr std::size_t kGatesPerLeaf = 64;

class ProductCheck {
 public:
  ProductCheck(const AigStore& store, const AdderTree& tree, const std::vector<WeightedLit>& leaves,
               const std::vector<std::uint32_t>& constants)
      : store_(store), tree_(tree), leaves_(leaves), constants_(constants) {}

  bool run(ProductTree& found) {
    if (!find_cone(found)) return false;
    simulate(found);
    for (const bool is_signed : {false, true}) {
      for (std::uint32_t offset = 0; offset <= kMostOffset; ++offset) {
        for (const bool inverted : {false, true}) {
          if (!agrees(found, is_signed, offset, inverted)) continue;
          found.is_signed = is_signed;
          found.offset = offset;
          found.is_inverted = inverted;
          return true;
        }
      }
    }
    return false;
  }

 private:
  using Values = std::array<std::uint64_t, kRounds>;

  /// ANDs between operands and leaves, in order; false if the leaves need anything else.
  bool find_cone(const ProductTree& found) {
    std::unordered_map<std::uint32_t, bool> seen;
    for (const auto* word : {&found.a, &found.b}) {
      for (const Lit lit : *word) seen[lit.node().index()] = true;
    }
    std::vector<std::uint32_t> stack;
    for (const WeightedLit& leaf : leaves_) stack.push_back(leaf.lit.node().index());
    while (!stack.empty()) {
      const NodeId id(stack.back());
      stack.pop_back();
      if (id == kConstNode || !seen.emplace(id.index(), true).second) continue;
      if (!store_.is_and(id) || cone_.size() > kGatesPerLeaf * leaves_.size()) return false;
      cone_.push_back(id.index());
      stack.push_back(store_.fanin0(id).node().index());
      stack.push_back(store_.fanin1(id).node().index());
    }
    std::sort(cone_.begin(), cone_.end());
    return true;
  }

  void simulate(const ProductTree& found) {
    dynomite::Random random(1);
    values_[0] = {};
    for (const auto* word : {&found.a, &found.b}) {
      for (const Lit lit : *word) {
        for (std::uint64_t& part : values_[lit.node().index()]) part = random.next();
      }
    }
    for (const std::uint32_t node : cone_) {
      Values made;
      for (std::size_t r = 0; r < kRounds; ++r) {
        made[r] = value(store_.fanin0(NodeId(node)), r) & value(store_.fanin1(NodeId(node)), r);
      }
      values_[node] = made;
    }
  }

  std::uint64_t value(Lit lit, std::size_t round) const {
    return values_.at(lit.node().index())[round] ^ (lit.complemented() ? ~std::uint64_t{0} : 0);
  }
  bool bit(Lit lit, std::size_t at) const { return ((value(lit, at / 64) >> (at % 64)) & 1U) != 0; }

  BitVec word(const std::vector<Lit>& lits, std::size_t at) const {
    BitVec bits(static_cast<std::uint32_t>(lits.size()));
    for (std::uint32_t i = 0; i < lits.size(); ++i) bits.set_bit(i, bit(lits[i], at));
    return bits;
  }

  /// What the leaves add up to in each column, before carries.
  std::vector<std::int64_t> columns(std::size_t at, bool inverted) const {
    std::vector<std::int64_t> sums(tree_.width, 0);
    for (const WeightedLit& leaf : leaves_) {
      if (leaf.weight < tree_.width) sums[leaf.weight] += bit(leaf.lit, at) ? 1 : 0;
    }
    for (const std::uint32_t weight : constants_) {
      if (weight < tree_.width) ++sums[weight];
    }
    if (inverted) {
      // The complements of the outputs: what is left of their weights.
      for (std::int64_t& sum : sums) sum = -sum;
      for (const WeightedLit& output : tree_.outputs) ++sums[output.weight];
    }
    return sums;
  }

  bool agrees(const ProductTree& found, bool is_signed, std::uint32_t offset, bool inverted) const {
    for (std::size_t at = 0; at < 64 * kRounds; ++at) {
      const std::array<BitVec, 2> operands = {word(found.a, at), word(found.b, at)};
      const BitVec product = evaluate(is_signed ? WordOp::kSmulw : WordOp::kUmulw, operands);
      const std::vector<std::int64_t> sums = columns(at, inverted);
      std::int64_t carry = 0;
      // A constant on top inverts the highest output, which may be done by a wire.
      for (std::uint32_t w = 0; w + 1 < tree_.width; ++w) {
        carry += sums[w];
        const std::uint32_t place = w + offset;
        // Above the product an unsigned one has zeros, a signed one its sign.
        const bool expected = place < product.width() ? product.bit(place) : is_signed && product.sign();
        if (((carry & 1) != 0) != expected) return false;
        carry >>= 1;
      }
    }
    return true;
  }

  const AigStore& store_;
  const AdderTree& tree_;
  const std::vector<WeightedLit>& leaves_;
  const std::vector<std::uint32_t>& constants_;
  std::vector<std::uint32_t> cone_;
  std::unordered_map<std::uint32_t, Values> values_;
};

}  // namespace

bool check_product(const AigStore& store, const AdderTree& tree, const std::vector<WeightedLit>& leaves,
                   const std::vector<std::uint32_t>& constants, ProductTree& found) {
  return ProductCheck(store, tree, leaves, constants).run(found);
}

namespace {

/// The bits of a product from bit 0 on, as far as nodes have their values.
std::vector<Lit> product_bits(const FunctionTable& table, const ProductTree& found, bool is_signed) {
  constexpr std::size_t kPatterns = 64 * kSignatureWords;
  const std::size_t width = found.a.size() + found.b.size();
  std::vector<Signature> bits(width, Signature{});
  std::vector<Signature> inputs;
  for (const auto* word : {&found.a, &found.b}) {
    for (const Lit lit : *word) inputs.push_back(table.value(lit));
  }
  for (std::size_t at = 0; at < kPatterns; ++at) {
    std::array<BitVec, 2> operands = {BitVec(static_cast<std::uint32_t>(found.a.size())),
                                      BitVec(static_cast<std::uint32_t>(found.b.size()))};
    for (std::size_t i = 0; i < width; ++i) {
      const bool second = i >= found.a.size();
      operands[second ? 1 : 0].set_bit(static_cast<std::uint32_t>(second ? i - found.a.size() : i),
                                       bit_at(inputs[i], at));
    }
    const BitVec product = evaluate(is_signed ? WordOp::kSmulw : WordOp::kUmulw, operands);
    for (std::uint32_t i = 0; i < width; ++i) {
      if (product.bit(i)) bits[i][at / 64] |= std::uint64_t{1} << (at % 64);
    }
  }
  std::vector<Lit> outputs;
  for (const Signature& bit : bits) {
    const std::optional<Lit> lit = table.find(bit, outputs);
    if (!lit.has_value()) break;
    outputs.push_back(*lit);
  }
  return outputs;
}

}  // namespace

bool find_outputs(const FunctionTable& table, ProductTree& found) {
  found.outputs = product_bits(table, found, found.is_signed);
  if (found.outputs.size() < std::max(found.a.size(), found.b.size())) found.outputs.clear();
  return !found.outputs.empty();
}

bool find_product(const FunctionTable& table, ProductTree& found) {
  constexpr std::size_t kFewest = 3;  // smaller products are everywhere
  if (std::min(found.a.size(), found.b.size()) < kFewest) return false;
  // The low half is that of both.
  std::array<std::vector<Lit>, 2> outputs = {product_bits(table, found, false),
                                             product_bits(table, found, true)};
  found.is_signed = outputs[1].size() > outputs[0].size();
  found.outputs = std::move(outputs[found.is_signed ? 1 : 0]);
  if (found.outputs.size() >= std::max(found.a.size(), found.b.size())) return true;
  found.outputs.clear();
  return false;
}

}  // namespace dmt
