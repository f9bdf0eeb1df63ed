#include <algorithm>
#include <optional>

#include "dmt_dialect/native/word/word_gates.hpp"

namespace dmt::word {

namespace {

/// Bits to be added up, by their weight.
using Columns = std::vector<Bits>;

void add_bit(Columns& columns, std::size_t weight, Lit bit) {
  if (weight < columns.size() && bit != kFalse) columns[weight].push_back(bit);
}

/// Collects powers of two, to be added as one constant.
class Constant {
 public:
  explicit Constant(std::size_t width) : bits_(width, false) {}
  void add(std::size_t weight) {
    while (weight < bits_.size() && bits_[weight]) bits_[weight++] = false;
    if (weight < bits_.size()) bits_[weight] = true;
  }
  /// -2^weight is the sum of 2^weight, 2^(weight + 1)... modulo the width.
  void subtract(std::size_t weight) {
    for (std::size_t i = weight; i < bits_.size(); ++i) add(i);
  }
  bool operator[](std::size_t weight) const { return bits_[weight]; }
  std::size_t size() const { return bits_.size(); }

 private:
  std::vector<bool> bits_;
};

/// The plain partial products a[j] b[i] of weight i + j. Signed ones after Baugh and Wooley 1973: a product
/// of one sign bit with an ordinary bit counts negative, -x = (~x) - 1; the ones are added as a constant.
class Products {
 public:
  Products(Gates& g, WordLits a, WordLits b, std::size_t width, bool is_signed)
      : gates_(g), a_(a), b_(b), constant_(width), is_signed_(is_signed) {
    if (!is_signed) return;
    constant_.add(a.size() - 1);
    constant_.add(b.size() - 1);
    constant_.add(a.size() + b.size() - 1);
  }
  std::size_t rows() const { return std::min(b_.size(), constant_.size()); }
  /// Number of bits in row i below the width of the result.
  std::size_t length(std::size_t row) const { return std::min(a_.size(), constant_.size() - row); }
  Lit bit(std::size_t row, std::size_t j) const {
    const Lit product = gates_.aig.and_(a_[j], b_[row]);
    return product ^ (is_signed_ && (j + 1 == a_.size()) != (row + 1 == b_.size()));
  }
  const Constant& constant() const { return constant_; }
  bool is_signed_square() const { return is_signed_ && a_.size() == b_.size(); }

 private:
  Gates& gates_;
  WordLits a_;
  WordLits b_;
  Constant constant_;
  bool is_signed_;
};

/// The last addition: from the first weight at which there are two bits, or from `carry_at`, where a one
/// comes in.
Bits add_last(Gates& g, const Bits& first, const Bits& second, std::optional<std::size_t> carry_at = {}) {
  std::size_t low = 0;
  while (low < second.size() && second[low] == kFalse) ++low;
  if (carry_at.has_value()) low = *carry_at;
  Bits sum(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(low));
  if (low < second.size()) {
    const Bits high = add(g, WordLits(first).subspan(low), WordLits(second).subspan(low),
                          carry_at.has_value() ? kTrue : kFalse)
                          .sum;
    sum.insert(sum.end(), high.begin(), high.end());
  }
  return sum;
}

/// Rows one after the other into a word of sums and a word of saved carries; then one adder.
Bits multiply_array(Gates& g, const Products& products, std::size_t width) {
  Bits sums(width, kFalse);
  Bits carries(width, kFalse);
  for (std::size_t i = 0; i < width; ++i) sums[i] = products.constant()[i] ? kTrue : kFalse;
  // The constant of signed operands of one width n is 2^n and 2^(2n - 1): weight n is where the last adder
  // begins, and has a carry to spare.
  std::optional<std::size_t> carry_at;
  if (products.is_signed_square() && products.rows() > 1) {
    carry_at = products.rows();
    sums[*carry_at] = kFalse;
  }
  for (std::size_t row = 0; row < products.rows(); ++row) {
    g.poll();
    const std::size_t length = products.length(row);
    // The carry of weight row + j belongs to this row's bit; the new one goes to the next.
    Lit saved = carries[row];
    carries[row] = kFalse;
    for (std::size_t j = 0; j < length; ++j) {
      g.poll_at(j);
      const std::size_t at = row + j;
      const Lit carry_in = saved;
      const Lit product = products.bit(row, j);
      if (at + 1 == width) {
        sums[at] = odd(g, product, sums[at], carry_in);
        break;
      }
      saved = carries[at + 1];
      const SumCarry bit = full_add(g, product, sums[at], carry_in);
      sums[at] = bit.sum;
      carries[at + 1] = bit.carry;
    }
  }
  return add_last(g, sums, carries, carry_at);
}

/// Adds up two or three bits of a column; the carry goes to the next column, if there is one.
void compress(Gates& g, Columns& next, std::size_t weight, std::span<const Lit> bits) {
  const Lit third = bits.size() == 3 ? bits[2] : kFalse;
  if (weight + 1 == next.size()) {
    add_bit(next, weight, odd(g, bits[0], bits[1], third));
    return;
  }
  const SumCarry out = full_add(g, bits[0], bits[1], third);
  add_bit(next, weight, out.sum);
  add_bit(next, weight + 1, out.carry);
}

std::size_t height(const Columns& columns) {
  std::size_t most = 0;
  for (const Bits& column : columns) most = std::max(most, column.size());
  return most;
}

/// Wallace 1964: in every stage all groups of three, and the pairs that are left, are added.
void wallace(Gates& g, Columns& columns) {
  while (height(columns) > 2) {
    g.poll();
    Columns next(columns.size());
    for (std::size_t weight = 0; weight < columns.size(); ++weight) {
      g.poll_at(weight);
      const std::span<const Lit> bits(columns[weight]);
      std::size_t i = 0;
      for (; i + 3 <= bits.size(); i += 3) compress(g, next, weight, bits.subspan(i, 3));
      if (i + 2 == bits.size() && bits.size() > 2) {
        compress(g, next, weight, bits.subspan(i, 2));
      } else {
        for (; i < bits.size(); ++i) add_bit(next, weight, bits[i]);
      }
    }
    columns.swap(next);
  }
}

/// Dadda 1965: in every stage only as many adders as bring the columns down to the next of 2, 3, 4, 6, 9...
void dadda(Gates& g, Columns& columns) {
  std::vector<std::size_t> targets = {2};
  while (targets.back() < height(columns)) targets.push_back(targets.back() * 3 / 2);
  while (!targets.empty()) {
    const std::size_t target = targets.back();
    targets.pop_back();
    for (std::size_t weight = 0; weight < columns.size(); ++weight) {
      g.poll();
      // Sums and carries queue up behind the bits of the stage, so that these are added first.
      Bits& bits = columns[weight];
      std::size_t used = 0;
      while (bits.size() - used > target) {
        const std::size_t count = bits.size() - used == target + 1 ? 2 : 3;
        const Bits taken(bits.begin() + static_cast<std::ptrdiff_t>(used),
                         bits.begin() + static_cast<std::ptrdiff_t>(used + count));
        used += count;
        compress(g, columns, weight, taken);
      }
      bits.erase(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(used));
    }
  }
}

/// The last two bits of every column.
Bits add_columns(Gates& g, const Columns& columns) {
  Bits first;
  Bits second;
  for (const Bits& column : columns) {
    first.push_back(column.empty() ? kFalse : column[0]);
    second.push_back(column.size() < 2 ? kFalse : column[1]);
  }
  return add_last(g, first, second);
}

void add_constant(Columns& columns, const Constant& constant) {
  for (std::size_t i = 0; i < constant.size(); ++i) {
    if (constant[i]) columns[i].push_back(kTrue);
  }
}

/// One row for two bits of `b` (Booth 1951, MacSorley 1961): digit -2, -1, 0, 1 or 2 times `a`. A negative
/// row is inverted, a one added; its sign is not extended but inverted, and the rest is a constant.
Columns booth_columns(Gates& g, WordLits a, WordLits b, std::size_t width, bool is_signed) {
  Columns columns(width);
  Constant constant(width);
  const Lit beyond_b = is_signed ? b.back() : kFalse;
  const Lit beyond_a = is_signed ? a.back() : kFalse;
  const auto b_bit = [&](std::size_t i) { return i < b.size() ? b[i] : beyond_b; };
  const std::size_t digits = is_signed ? (b.size() + 1) / 2 : b.size() / 2 + 1;
  for (std::size_t k = 0; k < digits && 2 * k < width; ++k) {
    g.poll();
    const Lit low = k == 0 ? kFalse : b_bit(2 * k - 1);
    const Lit middle = b_bit(2 * k);
    const Lit negative = b_bit(2 * k + 1);
    const Lit one = g.aig.xor_(middle, low);
    const Lit two = g.aig.and_(g.aig.xor_(negative, middle), ~one);
    const std::size_t n = a.size();
    for (std::size_t j = 0; j <= n && 2 * k + j < width; ++j) {
      g.poll_at(j);
      const Lit single = j < n ? a[j] : beyond_a;
      const Lit twice = j == 0 ? kFalse : a[j - 1];
      const Lit chosen = g.aig.or_(g.aig.and_(one, single), g.aig.and_(two, twice));
      const bool is_sign = is_signed && j == n;
      add_bit(columns, 2 * k + j, g.aig.xor_(chosen, negative) ^ is_sign);
    }
    add_bit(columns, 2 * k, negative);
    if (is_signed) {
      constant.subtract(2 * k + n);
    } else if (negative != kFalse) {
      add_bit(columns, 2 * k + n + 1, ~negative);
      constant.subtract(2 * k + n + 1);
    }
  }
  add_constant(columns, constant);
  return columns;
}

bool is_constant(WordLits a) {
  return std::all_of(a.begin(), a.end(), [](Lit lit) { return lit.node() == kConstNode; });
}

/// Digits -1, 0, 1 of a constant with the fewest non-zero ones (Reitwiesner 1960), modulo 2^width.
std::vector<int> signed_digits(WordLits constant, std::size_t width, bool is_signed) {
  const Bits bits = resized(constant, width, is_signed);
  std::vector<int> digits(width, 0);
  bool carry = false;
  for (std::size_t i = 0; i < width; ++i) {
    const bool bit = bits[i] == kTrue;
    if (bit == carry) {
      continue;  // 0 + 0: digit 0; 1 + 1: digit 0 and the carry stays
    }
    const bool next = i + 1 < width && bits[i + 1] == kTrue;
    digits[i] = next ? -1 : 1;
    carry = next;
  }
  return digits;
}

/// A sum or difference for each non-zero digit.
Bits multiply_by_constant(Gates& g, WordLits a, WordLits constant, std::size_t width, bool is_signed) {
  const std::vector<int> digits = signed_digits(constant, width, is_signed);
  const Bits wide = resized(a, width, is_signed);
  // A positive digit first, if there is one: no negation.
  Bits sum(width, kFalse);
  bool empty = true;
  for (const int wanted : {1, -1}) {
    for (std::size_t i = 0; i < width; ++i) {
      if (digits[i] != wanted) continue;
      g.poll();
      const WordLits row = WordLits(wide).first(width - i);
      const WordLits above = WordLits(sum).subspan(i);
      Bits added;
      if (wanted == 1) {
        added = empty ? Bits(row.begin(), row.end()) : add(g, above, row, kFalse).sum;
      } else {
        added = empty ? negated(g, row) : add(g, above, inverted(row), kTrue).sum;
      }
      std::copy(added.begin(), added.end(), sum.begin() + static_cast<std::ptrdiff_t>(i));
      empty = false;
    }
  }
  return sum;
}

}  // namespace

Bits multiply(Gates& g, WordLits a, WordLits b, std::size_t width, bool is_signed) {
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b)) return multiply_by_constant(g, a, b, width, is_signed);
  // An estimate from above, so that no table grows while the product is built.
  g.aig.reserve_ands(std::min(a.size(), width) * std::min(b.size(), width) * 8);
  if (g.architecture.multiplier == Multiplier::kBooth) {
    Columns columns = booth_columns(g, a, b, width, is_signed);
    dadda(g, columns);
    return add_columns(g, columns);
  }
  const Products products(g, a, b, width, is_signed);
  if (g.architecture.multiplier == Multiplier::kArray) return multiply_array(g, products, width);
  Columns columns(width);
  for (std::size_t row = 0; row < products.rows(); ++row) {
    g.poll();
    for (std::size_t j = 0; j < products.length(row); ++j) {
      g.poll_at(j);
      add_bit(columns, row + j, products.bit(row, j));
    }
  }
  add_constant(columns, products.constant());
  if (g.architecture.multiplier == Multiplier::kWallace) {
    wallace(g, columns);
  } else {
    dadda(g, columns);
  }
  return add_columns(g, columns);
}

}  // namespace dmt::word
