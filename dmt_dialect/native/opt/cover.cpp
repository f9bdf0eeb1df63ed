#include "dmt_dialect/native/opt/cover.hpp"

#include <algorithm>
#include <array>

namespace dmt::opt {

namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::array<std::uint64_t, 6> kLow = {0x5555555555555555ULL, 0x3333333333333333ULL,
                                               0x0F0F0F0F0F0F0F0FULL, 0x00FF00FF00FF00FFULL,
                                               0x0000FFFF0000FFFFULL, 0x00000000FFFFFFFFULL};

bool is_zero(std::span<const std::uint64_t> table) {
  return std::all_of(table.begin(), table.end(), [](std::uint64_t word) { return word == 0; });
}
bool is_one(std::span<const std::uint64_t> table) {
  return std::all_of(table.begin(), table.end(),
                     [](std::uint64_t word) { return word == ~std::uint64_t{0}; });
}

/// Both cofactors of a table by a variable; each as wide as the table.
void cofactors(std::span<const std::uint64_t> table, unsigned variable, Words& zero, Words& one) {
  zero.resize(table.size());
  one.resize(table.size());
  if (variable < 6) {
    const unsigned shift = 1U << variable;
    for (std::size_t w = 0; w < table.size(); ++w) {
      const std::uint64_t low = table[w] & kLow[variable], high = table[w] & ~kLow[variable];
      zero[w] = low | (low << shift);
      one[w] = high | (high >> shift);
    }
    return;
  }
  const std::size_t step = std::size_t{1} << (variable - 6);
  for (std::size_t w = 0; w < table.size(); ++w) {
    zero[w] = table[w & ~step];
    one[w] = table[w | step];
  }
}

bool depends(std::span<const std::uint64_t> table, unsigned variable) {
  if (variable < 6) {
    const unsigned shift = 1U << variable;
    return std::any_of(table.begin(), table.end(),
                       [&](std::uint64_t w) { return ((w >> shift) ^ w) & kLow[variable]; });
  }
  const std::size_t step = std::size_t{1} << (variable - 6);
  for (std::size_t w = 0; w < table.size(); ++w) {
    if ((w & step) == 0 && table[w] != table[w | step]) return true;
  }
  return false;
}

class CoverMaker {
 public:
  CoverMaker(std::size_t most, std::vector<Cube>& cover) : most_(most), cover_(cover) {}

  /// Appends the products and gives their sum in `sum`. Recursion is by variables: at most 16 deep.
  bool make(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper, unsigned variables,
            Words& sum) {
    if (is_zero(lower)) {
      sum.assign(lower.size(), 0);
      return true;
    }
    if (is_one(upper)) {
      sum.assign(lower.size(), ~std::uint64_t{0});
      cover_.emplace_back();
      return cover_.size() <= most_;
    }
    unsigned variable = variables - 1;
    while (!depends(lower, variable) && !depends(upper, variable)) --variable;
    Words lower0, lower1, upper0, upper1, sum0, sum1, both;
    cofactors(lower, variable, lower0, lower1);
    cofactors(upper, variable, upper0, upper1);
    const std::size_t words = lower.size();
    Words part(words);
    const std::size_t first = cover_.size();
    for (std::size_t w = 0; w < words; ++w) part[w] = lower0[w] & ~upper1[w];
    if (!make(part, upper0, variable, sum0)) return false;
    const std::size_t second = cover_.size();
    for (std::size_t w = 0; w < words; ++w) part[w] = lower1[w] & ~upper0[w];
    if (!make(part, upper1, variable, sum1)) return false;
    const std::size_t third = cover_.size();
    for (std::size_t w = 0; w < words; ++w) {
      part[w] = (lower0[w] & ~sum0[w]) | (lower1[w] & ~sum1[w]);
      upper0[w] &= upper1[w];
    }
    if (!make(part, upper0, variable, both)) return false;
    const auto bit = static_cast<std::uint16_t>(1U << variable);
    for (std::size_t i = first; i < second; ++i) cover_[i].negative |= bit;
    for (std::size_t i = second; i < third; ++i) cover_[i].positive |= bit;
    sum.resize(words);
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t one =
          variable < 6 ? ~kLow[variable] : 0 - static_cast<std::uint64_t>((w >> (variable - 6)) & 1U);
      sum[w] = (sum0[w] & ~one) | (sum1[w] & one) | both[w];
    }
    return true;
  }

 private:
  std::size_t most_;
  std::vector<Cube>& cover_;
};

}  // namespace

bool irredundant_cover(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
                       unsigned variables, std::size_t most, std::vector<Cube>& cover) {
  cover.clear();
  Words sum;
  return CoverMaker(most, cover).make(lower, upper, variables, sum);
}

}  // namespace dmt::opt
