#include "dmt_dialect/native/opt/factoring.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace dmt::opt {

namespace {

class Factorer {
 public:
  Factorer(std::span<const std::uint32_t> levels, GateList& result)
      : result_(result), levels_(levels.begin(), levels.end()) {
    result_.gates.clear();
    result_.leaf_count = static_cast<std::uint32_t>(levels.size());
  }

  /// Each call divides out a literal or joins two parts: the recursion is at most as deep as there are
  /// literals in a product plus the logarithm of the products, or as the products that share nothing.
  std::uint32_t make(std::vector<Cube> cover) {
    if (cover.empty()) return GateList::kFalse;
    Cube common = cover.front();
    for (const Cube& cube : cover) {
      common.positive &= cube.positive;
      common.negative &= cube.negative;
    }
    std::vector<std::uint32_t> factors = literals(common);
    for (Cube& cube : cover) {
      cube.positive = static_cast<std::uint16_t>(cube.positive & ~common.positive);
      cube.negative = static_cast<std::uint16_t>(cube.negative & ~common.negative);
    }
    if (std::find(cover.begin(), cover.end(), Cube{}) == cover.end()) factors.push_back(sum(cover));
    return join(factors);
  }

 private:
  /// A cover without a common literal and without an empty product.
  std::uint32_t sum(const std::vector<Cube>& cover) {
    std::vector<std::uint32_t> terms;  // complemented: a sum is the complement of a product of complements
    std::vector<Cube> rest = cover, quotient, others;
    while (!rest.empty()) {
      std::array<unsigned, 32> counts = {};
      for (const Cube& cube : rest) {
        for (unsigned bits = cube.positive; bits != 0; bits &= bits - 1)
          ++counts[2U * static_cast<unsigned>(std::countr_zero(bits))];
        for (unsigned bits = cube.negative; bits != 0; bits &= bits - 1)
          ++counts[2U * static_cast<unsigned>(std::countr_zero(bits)) + 1];
      }
      const auto best =
          static_cast<unsigned>(std::max_element(counts.begin(), counts.end()) - counts.begin());
      if (counts[best] < 2) {
        for (const Cube& cube : rest) terms.push_back(join(literals(cube)) ^ 1U);
        break;
      }
      quotient.clear();
      others.clear();
      const auto bit = static_cast<std::uint16_t>(1U << (best / 2));
      for (const Cube& cube : rest) {
        const bool has = ((best % 2 == 0 ? cube.positive : cube.negative) & bit) != 0;
        (has ? quotient : others).push_back(cube);
      }
      terms.push_back(make(quotient) ^ 1U);
      rest = others;
    }
    return join(terms) ^ 1U;
  }

  std::vector<std::uint32_t> literals(const Cube& cube) const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < result_.leaf_count; ++i) {
      if (((cube.positive >> i) & 1U) != 0) result.push_back(2 * i);
      if (((cube.negative >> i) & 1U) != 0) result.push_back(2 * i + 1);
    }
    return result;
  }

  std::uint32_t level(std::uint32_t literal) const { return levels_[literal >> 1]; }

  /// The product, the shallowest two joined first.
  std::uint32_t join(std::vector<std::uint32_t> factors) {
    if (factors.empty()) return GateList::kTrue;
    while (factors.size() > 1) {
      std::stable_sort(factors.begin(), factors.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return level(a) > level(b); });
      const std::uint32_t a = factors.back();
      factors.pop_back();
      factors.back() = gate(a, factors.back());
    }
    return factors.front();
  }

  std::uint32_t gate(std::uint32_t a, std::uint32_t b) {
    if (a > b) std::swap(a, b);
    for (std::size_t i = 0; i < result_.gates.size(); ++i) {
      if (result_.gates[i].fanin0 == a && result_.gates[i].fanin1 == b)
        return 2 * (result_.leaf_count + static_cast<std::uint32_t>(i));
    }
    result_.gates.push_back({a, b});
    levels_.push_back(1 + std::max(level(a), level(b)));
    return 2 * (result_.leaf_count + static_cast<std::uint32_t>(result_.gates.size()) - 1);
  }

  GateList& result_;
  std::vector<std::uint32_t> levels_;
};

}  // namespace

void factor(std::span<const Cube> cover, std::span<const std::uint32_t> levels, GateList& result) {
  Factorer factorer(levels, result);
  if (cover.empty()) {
    result.output = GateList::kFalse;
    return;
  }
  result.output = factorer.make(std::vector<Cube>(cover.begin(), cover.end()));
}

}  // namespace dmt::opt
