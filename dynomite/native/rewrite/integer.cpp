#include "dynomite/native/rewrite/integer.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace dynomite::rewrite {

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// Schoolbook division of magnitudes by digits of 32 bits (Knuth, TAOCP 4.3.1, algorithm D).
using Digits = std::vector<std::uint32_t>;

Digits digits_of(const Integer& value) {
  Digits digits;
  for (std::size_t i = 0; i < value.word_count(); ++i) {
    digits.push_back(static_cast<std::uint32_t>(value.word(i)));
    digits.push_back(static_cast<std::uint32_t>(value.word(i) >> 32));
  }
  while (digits.size() > 1 && digits.back() == 0) digits.pop_back();
  return digits;
}

Integer from_digits(const Digits& digits) {
  std::vector<std::uint64_t> words((digits.size() + 1) / 2 + 1, 0);
  for (std::size_t i = 0; i < digits.size(); ++i) words[i / 2] |= std::uint64_t{digits[i]} << (32 * (i % 2));
  return Integer::from_words(std::move(words));
}

void divide_by_digit(const Digits& u, std::uint32_t v, Digits& quotient, Digits& remainder) {
  std::uint64_t rest = 0;
  quotient.assign(u.size(), 0);
  for (std::size_t i = u.size(); i-- > 0;) {
    const std::uint64_t now = rest << 32 | u[i];
    quotient[i] = static_cast<std::uint32_t>(now / v);
    rest = now % v;
  }
  remainder.assign(1, static_cast<std::uint32_t>(rest));
}

void shift_digits(Digits& digits, int by) {
  if (by == 0) return;
  for (std::size_t i = digits.size(); i-- > 1;) digits[i] = digits[i] << by | digits[i - 1] >> (32 - by);
  digits[0] <<= by;
}

/// Subtracts `factor` times `v` from the digits of `u` at `at`; true if that was too much.
bool subtract_product(Digits& u, const Digits& v, std::uint64_t factor, std::size_t at) {
  std::uint64_t carry = 0;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::uint64_t product = factor * v[i] + carry;
    carry = product >> 32;
    const std::uint64_t sub = std::uint64_t{u[at + i]} - (product & 0xFFFFFFFFU) - borrow;
    u[at + i] = static_cast<std::uint32_t>(sub);
    borrow = sub >> 63;
  }
  const std::uint64_t sub = std::uint64_t{u[at + v.size()]} - carry - borrow;
  u[at + v.size()] = static_cast<std::uint32_t>(sub);
  return sub >> 63 != 0;
}

void add_back(Digits& u, const Digits& v, std::size_t at) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::uint64_t sum = std::uint64_t{u[at + i]} + v[i] + carry;
    u[at + i] = static_cast<std::uint32_t>(sum);
    carry = sum >> 32;
  }
  u[at + v.size()] = static_cast<std::uint32_t>(u[at + v.size()] + carry);
}

void divide_digits(Digits u, Digits v, Digits& quotient, Digits& remainder) {
  if (v.size() == 1) return divide_by_digit(u, v[0], quotient, remainder);
  if (u.size() < v.size()) {
    quotient.assign(1, 0);
    remainder = std::move(u);
    return;
  }
  const int shift = std::countl_zero(v.back());
  const std::size_t length = u.size();
  u.push_back(0);
  shift_digits(u, shift);
  shift_digits(v, shift);
  const std::size_t n = v.size();
  quotient.assign(length - n + 1, 0);
  for (std::size_t j = length - n + 1; j-- > 0;) {
    const std::uint64_t top = std::uint64_t{u[j + n]} << 32 | u[j + n - 1];
    std::uint64_t guess = top / v[n - 1];
    std::uint64_t rest = top % v[n - 1];
    while (guess >> 32 != 0 || guess * v[n - 2] > (rest << 32 | u[j + n - 2])) {
      --guess;
      rest += v[n - 1];
      if (rest >> 32 != 0) break;
    }
    if (subtract_product(u, v, guess, j)) {
      --guess;
      add_back(u, v, j);
    }
    quotient[j] = static_cast<std::uint32_t>(guess);
  }
  u.resize(n);
  if (shift != 0) {
    for (std::size_t i = 0; i + 1 < n; ++i) u[i] = u[i] >> shift | u[i + 1] << (32 - shift);
    u[n - 1] >>= shift;
  }
  remainder = std::move(u);
}

template <typename Op>
Integer bitwise(const Integer& a, const Integer& b, Op op) {
  std::vector<std::uint64_t> words(std::max(a.word_count(), b.word_count()));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = op(a.word(i), b.word(i));
  return Integer::from_words(std::move(words));
}

}  // namespace

Integer Integer::from_words(std::vector<std::uint64_t> words) {
  Integer result;
  if (words.empty()) words.push_back(0);
  result.words_ = std::move(words);
  result.trim();
  return result;
}

Integer Integer::from_unsigned(std::span<const std::uint64_t> words) {
  std::vector<std::uint64_t> own(words.begin(), words.end());
  own.push_back(0);
  return from_words(std::move(own));
}

void Integer::trim() {
  while (words_.size() > 1) {
    const std::uint64_t sign = words_[words_.size() - 2] >> 63 != 0 ? kAll : 0;
    if (words_.back() != sign) break;
    words_.pop_back();
  }
}

std::optional<std::int64_t> Integer::small() const {
  if (words_.size() != 1) return std::nullopt;
  return static_cast<std::int64_t>(words_[0]);
}

std::vector<std::uint64_t> Integer::modulo(std::uint32_t width) const {
  std::vector<std::uint64_t> result((std::size_t{width} + 63) / 64);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = word(i);
  if (width % 64 != 0) result.back() &= kAll >> (64 - width % 64);
  return result;
}

std::uint64_t Integer::bit_length() const {
  const Integer magnitude = absolute();
  for (std::size_t i = magnitude.words_.size(); i-- > 0;) {
    if (magnitude.words_[i] != 0)
      return 64 * i + static_cast<std::uint64_t>(std::bit_width(magnitude.words_[i]));
  }
  return 0;
}

bool Integer::is_power_of_two() const {
  if (is_negative()) return false;
  int ones = 0;
  for (const std::uint64_t word : words_) ones += std::popcount(word);
  return ones == 1;
}

Integer Integer::operator+(const Integer& other) const {
  std::vector<std::uint64_t> sum(std::max(words_.size(), other.words_.size()) + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::uint64_t half = word(i) + carry;
    const std::uint64_t overflow = half < carry ? 1 : 0;
    sum[i] = half + other.word(i);
    carry = overflow | static_cast<std::uint64_t>(sum[i] < half);
  }
  return from_words(std::move(sum));
}

Integer Integer::operator*(const Integer& other) const {
  const Digits a = digits_of(absolute());
  const Digits b = digits_of(other.absolute());
  Digits product(a.size() + b.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::uint64_t now = std::uint64_t{a[i]} * b[j] + product[i + j] + carry;
      product[i + j] = static_cast<std::uint32_t>(now);
      carry = now >> 32;
    }
    product[i + b.size()] = static_cast<std::uint32_t>(carry);
  }
  const Integer magnitude = from_digits(product);
  return is_negative() != other.is_negative() ? -magnitude : magnitude;
}

Integer Integer::operator~() const {
  std::vector<std::uint64_t> words(words_.size());
  std::transform(words_.begin(), words_.end(), words.begin(), [](std::uint64_t word) { return ~word; });
  return from_words(std::move(words));
}

Integer Integer::operator&(const Integer& other) const { return bitwise(*this, other, std::bit_and<>()); }
Integer Integer::operator|(const Integer& other) const { return bitwise(*this, other, std::bit_or<>()); }
Integer Integer::operator^(const Integer& other) const { return bitwise(*this, other, std::bit_xor<>()); }

Integer Integer::shifted_left(std::uint64_t count) const {
  const std::size_t whole = static_cast<std::size_t>(count / 64);
  const auto part = static_cast<unsigned>(count % 64);
  std::vector<std::uint64_t> words(words_.size() + whole + 1, 0);
  for (std::size_t i = whole; i < words.size(); ++i) {
    words[i] = word(i - whole) << part;
    if (part != 0 && i > whole) words[i] |= word(i - whole - 1) >> (64 - part);
  }
  return from_words(std::move(words));
}

Integer Integer::shifted_right(std::uint64_t count) const {
  if (count / 64 >= words_.size()) return is_negative() ? Integer(-1) : Integer(0);
  const std::size_t whole = static_cast<std::size_t>(count / 64);
  const auto part = static_cast<unsigned>(count % 64);
  std::vector<std::uint64_t> words(words_.size() - whole);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = word(i + whole) >> part;
    if (part != 0) words[i] |= word(i + whole + 1) << (64 - part);
  }
  return from_words(std::move(words));
}

void Integer::divide(const Integer& divisor, Integer& quotient, Integer& remainder) const {
  assert(!divisor.is_zero());
  Digits q, r;
  divide_digits(digits_of(absolute()), digits_of(divisor.absolute()), q, r);
  quotient = from_digits(q);
  remainder = from_digits(r);
  const bool differ = is_negative() != divisor.is_negative();
  if (differ) quotient = -quotient;
  if (is_negative()) remainder = -remainder;
  if (differ && !remainder.is_zero()) {
    quotient = quotient - Integer(1);
    remainder = remainder + divisor;
  }
}

std::strong_ordering Integer::operator<=>(const Integer& other) const {
  if (is_negative() != other.is_negative()) {
    return is_negative() ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  for (std::size_t i = std::max(words_.size(), other.words_.size()); i-- > 0;) {
    if (word(i) != other.word(i)) return word(i) <=> other.word(i);
  }
  return std::strong_ordering::equal;
}

}  // namespace dynomite::rewrite
