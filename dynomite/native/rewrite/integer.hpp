#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dynomite::rewrite {

/// An integer of any size: two's complement, lowest word first, the highest bit of the last word repeated
/// without end. No more words than needed.
///
/// Costs are linear in the words, those of products and quotients quadratic.
class Integer {
 public:
  Integer() : words_(1, 0) {}
  Integer(std::int64_t value) : words_(1, static_cast<std::uint64_t>(value)) {}  // NOLINT: lossless
  /// What these words are in two's complement.
  static Integer from_words(std::vector<std::uint64_t> words);
  /// The same without a sign.
  static Integer from_unsigned(std::span<const std::uint64_t> words);

  bool is_negative() const { return words_.back() >> 63 != 0; }
  bool is_zero() const { return words_.size() == 1 && words_[0] == 0; }
  std::uint64_t word(std::size_t index) const {
    if (index < words_.size()) return words_[index];
    return is_negative() ? ~std::uint64_t{0} : 0;
  }
  std::size_t word_count() const { return words_.size(); }
  /// The value if it fits.
  std::optional<std::int64_t> small() const;
  /// Its value modulo 2^width: (width + 63) / 64 words.
  std::vector<std::uint64_t> modulo(std::uint32_t width) const;
  /// Number of bits of the absolute value, 0 for 0.
  std::uint64_t bit_length() const;
  bool is_power_of_two() const;

  Integer operator+(const Integer& other) const;
  Integer operator-(const Integer& other) const { return *this + ~other + Integer(1); }
  Integer operator-() const { return ~*this + Integer(1); }
  Integer operator*(const Integer& other) const;
  Integer operator~() const;
  Integer operator&(const Integer& other) const;
  Integer operator|(const Integer& other) const;
  Integer operator^(const Integer& other) const;
  Integer shifted_left(std::uint64_t count) const;
  /// Rounds down.
  Integer shifted_right(std::uint64_t count) const;
  /// Quotient, rounded down, and remainder, which has the sign of `divisor`; that must not be 0.
  void divide(const Integer& divisor, Integer& quotient, Integer& remainder) const;

  std::strong_ordering operator<=>(const Integer& other) const;
  bool operator==(const Integer& other) const = default;

 private:
  void trim();
  Integer absolute() const { return is_negative() ? -*this : *this; }

  std::vector<std::uint64_t> words_;
};

}  // namespace dynomite::rewrite
