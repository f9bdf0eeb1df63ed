#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dmt_dialect/native/word/blast.hpp"

// Internal to bit-blasting: the blocks operators are made of. Constant literals are folded by
// `AigStore::and_`, so no block treats them apart unless structure changes.

namespace dmt::word {

using Bits = std::vector<Lit>;

/// Thrown by `Gates::poll`, caught by `blast`.
struct Interrupted {};

/// Where gates go and how they are to be built.
struct Gates {
  AigStore& aig;
  const Architecture& architecture;
  dynomite::Stop& stop;

  /// To be called for every row of a quadratic structure.
  void poll() const {
    if (stop.poll()) throw Interrupted();
  }
  /// To be called for every bit of a row: polls at every 1024th.
  void poll_at(std::size_t place) const {
    if (place % 1024 == 1023) poll();
  }
};

// Trees and multiplexers.

enum class Tree : std::uint8_t { kAnd, kOr, kXor };
/// Balanced; of no literals the neutral one.
Lit reduce(Gates& g, Tree tree, std::span<const Lit> lits);
Lit equal(Gates& g, WordLits a, WordLits b);
Bits mux(Gates& g, Lit select, WordLits then, WordLits otherwise);
Bits inverted(WordLits a, bool invert = true);
/// Low bits, or copies of the top bit (signed) or zeros in front.
Bits resized(WordLits a, std::size_t width, bool is_signed);

// Adders.

struct SumCarry {
  Lit sum;
  Lit carry;
};
/// Seven gates, of which the carry shares four with the sum.
SumCarry full_add(Gates& g, Lit a, Lit b, Lit c);
/// The sum without the carry.
Lit odd(Gates& g, Lit a, Lit b, Lit c);

struct Addition {
  Bits sum;
  /// Into the top bit, and out of it; only if asked for.
  Lit top_carry;
  Lit carry;
};
enum class Carry : std::uint8_t { kDrop, kKeep };
/// a + b + carry_in by the architecture's adder; equal widths.
Addition add(Gates& g, WordLits a, WordLits b, Lit carry_in, Carry carry = Carry::kDrop);
/// The carry out of a + b + carry_in only.
Lit carry_of(Gates& g, WordLits a, WordLits b, Lit carry_in);
Bits negated(Gates& g, WordLits a);
/// -a where `condition` holds.
Bits negated_if(Gates& g, WordLits a, Lit condition);
Lit unsigned_less(Gates& g, WordLits a, WordLits b);
Lit signed_less(Gates& g, WordLits a, WordLits b);

// Multipliers and dividers.

/// The low `width` bits of the product; operands may differ in width. Signed ones need the whole product:
/// width = |a| + |b|.
Bits multiply(Gates& g, WordLits a, WordLits b, std::size_t width, bool is_signed);

struct Quotient {
  Bits quotient;
  /// Meaningless if it was not asked for.
  Bits remainder;
};
/// Unsigned; by zero: all ones and the dividend.
Quotient divide(Gates& g, WordLits a, WordLits b, bool want_remainder);

// Shifters.

enum class Direction : std::uint8_t { kLeft, kRight };
/// `fill` comes in.
Bits shift(Gates& g, WordLits a, WordLits amount, Direction direction, Lit fill);
Bits rotate(Gates& g, WordLits a, WordLits amount, Direction direction);
/// a[index], false beyond the word.
Lit pick(Gates& g, WordLits a, WordLits index);

}  // namespace dmt::word
