#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dmt {

/// A constant word: `width` bits, the least significant first, in limbs of 64 bits. Bits above the width are
/// zero in the top limb, so equal words have equal limbs. Never of zero width. Words know no sign; operators
/// that read one say so.
class BitVec {
 public:
  /// No word is wider: room for every real design, and a typing error in a width stays harmless.
  static constexpr std::uint32_t kMaxWidth = std::uint32_t{1} << 24;
  static constexpr std::uint32_t kLimbBits = 64;

  /// `value` modulo 2^width. Throws UsageError for width 0, LimitError above `kMaxWidth`.
  explicit BitVec(std::uint32_t width, std::uint64_t value = 0);
  static BitVec ones(std::uint32_t width);
  /// Limbs, the least significant first; missing ones are zero, bits above the width are dropped.
  static BitVec from_limbs(std::uint32_t width, std::span<const std::uint64_t> limbs);

  std::uint32_t width() const { return width_; }
  std::span<const std::uint64_t> limbs() const { return limbs_; }
  bool bit(std::uint32_t index) const {
    return ((limbs_[index / kLimbBits] >> (index % kLimbBits)) & 1U) != 0;
  }
  void set_bit(std::uint32_t index, bool value) {
    const std::uint64_t mask = std::uint64_t{1} << (index % kLimbBits);
    std::uint64_t& limb = limbs_[index / kLimbBits];
    limb = value ? limb | mask : limb & ~mask;
  }
  /// The top bit: set for negative numbers.
  bool sign() const { return bit(width_ - 1); }
  bool is_zero() const;
  bool is_ones() const;
  /// Number of bits set.
  std::uint32_t count_ones() const;
  /// The value, or 2^64 - 1 if it is greater: for amounts of which only small values matter.
  std::uint64_t saturated() const;
  bool operator==(const BitVec&) const = default;

  /// Bits `lo` to `lo + width - 1`; those outside the word are zero.
  BitVec slice(std::uint32_t lo, std::uint32_t width) const;
  /// The low bits, or zeros in front.
  BitVec zero_extended(std::uint32_t width) const { return slice(0, width); }
  /// The low bits, or copies of the top bit in front.
  BitVec sign_extended(std::uint32_t width) const;
  /// Writes `word` at bit `lo`; both must fit.
  void place(const BitVec& word, std::uint32_t lo);

  /// All hexadecimal digits of the width, lower case, no prefix.
  std::string hex() const;

 private:
  /// For the words of operators: fills limbs itself, then calls `trim`.
  friend class WordArithmetic;
  void trim();

  std::uint32_t width_;
  std::vector<std::uint64_t> limbs_;
};

/// Throws UsageError for width 0 and LimitError for one above `BitVec::kMaxWidth`; `what` is named.
void check_width(std::uint64_t width, std::string_view what);

/// Arithmetic on words of equal width, modulo 2^width. Operands of unequal width are a caller's bug; the
/// table of operators (`word_op.hpp`) checks them.
class WordArithmetic {
 public:
  static BitVec bit_not(const BitVec& a);
  static BitVec bit_and(const BitVec& a, const BitVec& b);
  static BitVec bit_or(const BitVec& a, const BitVec& b);
  static BitVec bit_xor(const BitVec& a, const BitVec& b);
  static BitVec add(const BitVec& a, const BitVec& b);
  static BitVec sub(const BitVec& a, const BitVec& b);
  static BitVec neg(const BitVec& a);
  static BitVec mul(const BitVec& a, const BitVec& b);
  struct Division {
    BitVec quotient;
    BitVec remainder;
  };
  /// By zero: all ones and the dividend.
  static Division divide(const BitVec& a, const BitVec& b);
  static bool less(const BitVec& a, const BitVec& b);
  static bool signed_less(const BitVec& a, const BitVec& b);
  /// Towards the top bit; zeros come in. Any amount.
  static BitVec shift_left(const BitVec& a, std::uint64_t amount);
  static BitVec shift_right(const BitVec& a, std::uint64_t amount);
};

}  // namespace dmt
