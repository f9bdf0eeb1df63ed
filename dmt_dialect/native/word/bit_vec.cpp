#include "dmt_dialect/native/word/bit_vec.hpp"

#include <algorithm>
#include <bit>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

__extension__ typedef unsigned __int128 DoubleLimb;
constexpr std::uint32_t kBits = BitVec::kLimbBits;

std::size_t limb_count(std::uint32_t width) { return (width + kBits - 1) / kBits; }

}  // namespace

void check_width(std::uint64_t width, std::string_view what) {
  if (width == 0) throw dynomite::UsageError(std::string(what) + ": a word has at least one bit, not 0");
  if (width > BitVec::kMaxWidth) {
    throw dynomite::LimitError(std::string(what) + ": a word has at most 2^24 bits, not " +
                               std::to_string(width));
  }
}

BitVec::BitVec(std::uint32_t width, std::uint64_t value) : width_(width) {
  check_width(width, "BitVec");
  limbs_.resize(limb_count(width));
  limbs_[0] = value;
  trim();
}

BitVec BitVec::ones(std::uint32_t width) {
  BitVec result(width);
  std::fill(result.limbs_.begin(), result.limbs_.end(), ~std::uint64_t{0});
  result.trim();
  return result;
}

BitVec BitVec::from_limbs(std::uint32_t width, std::span<const std::uint64_t> limbs) {
  BitVec result(width);
  std::copy_n(limbs.begin(), std::min(limbs.size(), result.limbs_.size()), result.limbs_.begin());
  result.trim();
  return result;
}

void BitVec::trim() {
  const std::uint32_t used = width_ % kBits;
  if (used != 0) limbs_.back() &= (std::uint64_t{1} << used) - 1;
}

bool BitVec::is_zero() const {
  return std::all_of(limbs_.begin(), limbs_.end(), [](std::uint64_t limb) { return limb == 0; });
}

bool BitVec::is_ones() const { return count_ones() == width_; }

std::uint32_t BitVec::count_ones() const {
  std::uint32_t count = 0;
  for (const std::uint64_t limb : limbs_) count += static_cast<std::uint32_t>(std::popcount(limb));
  return count;
}

std::uint64_t BitVec::saturated() const {
  for (std::size_t i = 1; i < limbs_.size(); ++i) {
    if (limbs_[i] != 0) return ~std::uint64_t{0};
  }
  return limbs_[0];
}

BitVec BitVec::slice(std::uint32_t lo, std::uint32_t width) const {
  BitVec result(width);
  const std::size_t first = lo / kBits;
  const std::uint32_t shift = lo % kBits;
  for (std::size_t i = 0; i < result.limbs_.size() && first + i < limbs_.size(); ++i) {
    std::uint64_t limb = limbs_[first + i] >> shift;
    if (shift != 0 && first + i + 1 < limbs_.size()) limb |= limbs_[first + i + 1] << (kBits - shift);
    result.limbs_[i] = limb;
  }
  result.trim();
  return result;
}

BitVec BitVec::sign_extended(std::uint32_t width) const {
  BitVec result = slice(0, width);
  if (!sign() || width <= width_) return result;
  const std::uint32_t used = width_ % kBits;
  if (used != 0) result.limbs_[width_ / kBits] |= ~std::uint64_t{0} << used;
  std::fill(result.limbs_.begin() + static_cast<std::ptrdiff_t>(limb_count(width_)), result.limbs_.end(),
            ~std::uint64_t{0});
  result.trim();
  return result;
}

void BitVec::place(const BitVec& word, std::uint32_t lo) {
  const std::uint32_t shift = lo % kBits;
  std::size_t at = lo / kBits;
  std::uint32_t left = word.width_;
  for (const std::uint64_t limb : word.limbs_) {
    const std::uint32_t count = std::min(left, kBits);
    const std::uint64_t mask = ~std::uint64_t{0} >> (kBits - count);
    limbs_[at] = (limbs_[at] & ~(mask << shift)) | (limb << shift);
    if (shift + count > kBits) {
      limbs_[at + 1] = (limbs_[at + 1] & ~(mask >> (kBits - shift))) | (limb >> (kBits - shift));
    }
    left -= count;
    ++at;
  }
}

std::string BitVec::hex() const {
  const std::uint32_t digits = (width_ + 3) / 4;
  std::string text(digits, '0');
  for (std::uint32_t i = 0; i < digits; ++i) {
    const std::uint64_t nibble = (limbs_[i / 16] >> (4 * (i % 16))) & 0xFU;
    text[digits - 1 - i] = "0123456789abcdef"[nibble];
  }
  return text;
}

BitVec WordArithmetic::bit_not(const BitVec& a) {
  BitVec result = a;
  for (std::uint64_t& limb : result.limbs_) limb = ~limb;
  result.trim();
  return result;
}

BitVec WordArithmetic::bit_and(const BitVec& a, const BitVec& b) {
  BitVec result = a;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) result.limbs_[i] &= b.limbs_[i];
  return result;
}

BitVec WordArithmetic::bit_or(const BitVec& a, const BitVec& b) {
  BitVec result = a;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) result.limbs_[i] |= b.limbs_[i];
  return result;
}

BitVec WordArithmetic::bit_xor(const BitVec& a, const BitVec& b) {
  BitVec result = a;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) result.limbs_[i] ^= b.limbs_[i];
  return result;
}

BitVec WordArithmetic::add(const BitVec& a, const BitVec& b) {
  BitVec result = a;
  DoubleLimb sum = 0;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    sum = (sum >> kBits) + a.limbs_[i] + b.limbs_[i];
    result.limbs_[i] = static_cast<std::uint64_t>(sum);
  }
  result.trim();
  return result;
}

BitVec WordArithmetic::sub(const BitVec& a, const BitVec& b) {
  BitVec result = a;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    const DoubleLimb taken = DoubleLimb{b.limbs_[i]} + borrow;
    borrow = a.limbs_[i] < taken ? 1 : 0;
    result.limbs_[i] = static_cast<std::uint64_t>(a.limbs_[i] - taken);
  }
  result.trim();
  return result;
}

BitVec WordArithmetic::neg(const BitVec& a) { return sub(BitVec(a.width_), a); }

BitVec WordArithmetic::mul(const BitVec& a, const BitVec& b) {
  BitVec result(a.width_);
  const std::size_t limbs = a.limbs_.size();
  for (std::size_t i = 0; i < limbs; ++i) {
    DoubleLimb sum = 0;
    for (std::size_t j = 0; i + j < limbs; ++j) {
      sum = (sum >> kBits) + DoubleLimb{a.limbs_[i]} * b.limbs_[j] + result.limbs_[i + j];
      result.limbs_[i + j] = static_cast<std::uint64_t>(sum);
    }
  }
  result.trim();
  return result;
}

WordArithmetic::Division WordArithmetic::divide(const BitVec& a, const BitVec& b) {
  if (b.is_zero()) return {BitVec::ones(a.width_), a};
  Division result{BitVec(a.width_), BitVec(a.width_)};
  if (a.limbs_.size() == 1) {
    result.quotient.limbs_[0] = a.limbs_[0] / b.limbs_[0];
    result.remainder.limbs_[0] = a.limbs_[0] % b.limbs_[0];
    return result;
  }
  if (a.limbs_.size() == 2) {
    const DoubleLimb x = (DoubleLimb{a.limbs_[1]} << kBits) | a.limbs_[0];
    const DoubleLimb y = (DoubleLimb{b.limbs_[1]} << kBits) | b.limbs_[0];
    const DoubleLimb quotient = x / y;
    const DoubleLimb remainder = x % y;
    result.quotient.limbs_ = {static_cast<std::uint64_t>(quotient),
                              static_cast<std::uint64_t>(quotient >> kBits)};
    result.remainder.limbs_ = {static_cast<std::uint64_t>(remainder),
                               static_cast<std::uint64_t>(remainder >> kBits)};
    return result;
  }
  // One bit at a time, as by hand. The remainder, doubled, may need one bit more than the word; then it is
  // greater than the divisor whatever the kept bits are.
  std::vector<std::uint64_t>& rest = result.remainder.limbs_;
  for (std::uint32_t i = a.width_; i-- > 0;) {
    const bool overflow = result.remainder.sign();
    for (std::size_t k = rest.size(); k-- > 1;) rest[k] = (rest[k] << 1) | (rest[k - 1] >> (kBits - 1));
    rest[0] = (rest[0] << 1) | (a.bit(i) ? 1U : 0U);
    result.remainder.trim();
    if (!overflow && less(result.remainder, b)) continue;
    result.remainder = sub(result.remainder, b);
    result.quotient.set_bit(i, true);
  }
  return result;
}

bool WordArithmetic::less(const BitVec& a, const BitVec& b) {
  for (std::size_t i = a.limbs_.size(); i-- > 0;) {
    if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i];
  }
  return false;
}

bool WordArithmetic::signed_less(const BitVec& a, const BitVec& b) {
  return a.sign() != b.sign() ? a.sign() : less(a, b);
}

BitVec WordArithmetic::shift_left(const BitVec& a, std::uint64_t amount) {
  BitVec result(a.width_);
  if (amount >= a.width_) return result;
  const auto by = static_cast<std::uint32_t>(amount);
  result.place(a.slice(0, a.width_ - by), by);
  return result;
}

BitVec WordArithmetic::shift_right(const BitVec& a, std::uint64_t amount) {
  if (amount >= a.width_) return BitVec(a.width_);
  return a.slice(static_cast<std::uint32_t>(amount), a.width_);
}

}  // namespace dmt
