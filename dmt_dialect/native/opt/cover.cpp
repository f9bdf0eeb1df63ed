#include "dmt_dialect/native/opt/cover.hpp"

#include <algorithm>
#include <array>

namespace dmt::opt {

namespace {

using Words = std::span<const std::uint64_t>;

constexpr std::array<std::uint64_t, 6> kLow = {0x5555555555555555ULL, 0x3333333333333333ULL,
                                               0x0F0F0F0F0F0F0F0FULL, 0x00FF00FF00FF00FFULL,
                                               0x0000FFFF0000FFFFULL, 0x00000000FFFFFFFFULL};

bool is_zero(Words table) {
  return std::all_of(table.begin(), table.end(), [](std::uint64_t word) { return word == 0; });
}
bool is_one(Words table) {
  return std::all_of(table.begin(), table.end(),
                     [](std::uint64_t word) { return word == ~std::uint64_t{0}; });
}

bool depends(std::uint64_t word, unsigned variable) {
  return (((word >> (1U << variable)) ^ word) & kLow[variable]) != 0;
}

/// Recursion is by variables: at most 16 deep. Tables of more than six variables split into halves.
class CoverMaker {
 public:
  CoverMaker(std::size_t most, std::size_t words, std::vector<Cube>& cover) : most_(most), cover_(cover) {
    // Each level takes two and a half tables of half the size of the one above.
    space_.resize(6 * words + 16);
  }

  /// Appends the products and gives their sum in `sum`, which is as long as the others.
  bool make(Words lower, Words upper, unsigned variables, std::span<std::uint64_t> sum) {
    if (variables <= 6) {
      std::uint64_t word = 0;
      if (!make_word(lower[0], upper[0], variables, word)) return false;
      std::fill(sum.begin(), sum.end(), word);
      return true;
    }
    if (is_zero(lower)) {
      std::fill(sum.begin(), sum.end(), 0);
      return true;
    }
    if (is_one(upper)) {
      std::fill(sum.begin(), sum.end(), ~std::uint64_t{0});
      cover_.emplace_back();
      return cover_.size() <= most_;
    }
    const std::size_t half = lower.size() / 2;
    const Words lower0 = lower.first(half), lower1 = lower.last(half);
    const Words upper0 = upper.first(half), upper1 = upper.last(half);
    const std::span<std::uint64_t> sum0 = sum.first(half), sum1 = sum.last(half);
    const unsigned variable = variables - 1;
    if (std::equal(lower0.begin(), lower0.end(), lower1.begin()) &&
        std::equal(upper0.begin(), upper0.end(), upper1.begin())) {
      if (!make(lower0, upper0, variable, sum0)) return false;
      std::copy(sum0.begin(), sum0.end(), sum1.begin());
      return true;
    }
    const std::size_t base = used_;
    used_ += 3 * half;
    const std::span<std::uint64_t> part(space_.data() + base, half);
    const std::span<std::uint64_t> bound(space_.data() + base + half, half);
    const std::span<std::uint64_t> both(space_.data() + base + 2 * half, half);
    const std::size_t first = cover_.size();
    for (std::size_t w = 0; w < half; ++w) part[w] = lower0[w] & ~upper1[w];
    if (!make(part, upper0, variable, sum0)) return false;
    const std::size_t second = cover_.size();
    for (std::size_t w = 0; w < half; ++w) part[w] = lower1[w] & ~upper0[w];
    if (!make(part, upper1, variable, sum1)) return false;
    const std::size_t third = cover_.size();
    for (std::size_t w = 0; w < half; ++w) {
      part[w] = (lower0[w] & ~sum0[w]) | (lower1[w] & ~sum1[w]);
      bound[w] = upper0[w] & upper1[w];
    }
    if (!make(part, bound, variable, both)) return false;
    set_literals(variable, first, second, third);
    for (std::size_t w = 0; w < half; ++w) {
      sum0[w] |= both[w];
      sum1[w] |= both[w];
    }
    used_ = base;
    return true;
  }

 private:
  bool make_word(std::uint64_t lower, std::uint64_t upper, unsigned variables, std::uint64_t& sum) {
    if (lower == 0) {
      sum = 0;
      return true;
    }
    if (upper == ~std::uint64_t{0}) {
      sum = upper;
      cover_.emplace_back();
      return cover_.size() <= most_;
    }
    unsigned variable = variables - 1;
    while (!depends(lower, variable) && !depends(upper, variable)) --variable;
    const unsigned shift = 1U << variable;
    const std::uint64_t low = kLow[variable];
    const auto zero = [&](std::uint64_t word) { return (word & low) | ((word & low) << shift); };
    const auto one = [&](std::uint64_t word) { return (word & ~low) | ((word & ~low) >> shift); };
    const std::uint64_t lower0 = zero(lower), lower1 = one(lower), upper0 = zero(upper), upper1 = one(upper);
    std::uint64_t sum0 = 0, sum1 = 0, both = 0;
    const std::size_t first = cover_.size();
    if (!make_word(lower0 & ~upper1, upper0, variable, sum0)) return false;
    const std::size_t second = cover_.size();
    if (!make_word(lower1 & ~upper0, upper1, variable, sum1)) return false;
    const std::size_t third = cover_.size();
    if (!make_word((lower0 & ~sum0) | (lower1 & ~sum1), upper0 & upper1, variable, both)) return false;
    set_literals(variable, first, second, third);
    sum = (sum0 & low) | (sum1 & ~low) | both;
    return true;
  }

  void set_literals(unsigned variable, std::size_t first, std::size_t second, std::size_t third) {
    const auto bit = static_cast<std::uint16_t>(1U << variable);
    for (std::size_t i = first; i < second; ++i) cover_[i].negative |= bit;
    for (std::size_t i = second; i < third; ++i) cover_[i].positive |= bit;
  }

  std::size_t most_;
  std::vector<Cube>& cover_;
  std::vector<std::uint64_t> space_;
  std::size_t used_ = 0;
};

}  // namespace

bool irredundant_cover(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
                       unsigned variables, std::size_t most, std::vector<Cube>& cover) {
  cover.clear();
  std::vector<std::uint64_t> sum(lower.size());
  return CoverMaker(most, lower.size(), cover).make(lower, upper, variables, sum);
}

}  // namespace dmt::opt
