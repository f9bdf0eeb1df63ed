#pragma once

#include <cstddef>
#include <vector>

#include "dmt_dialect/native/word/word_gates.hpp"

/// Division and square roots by hand, one bit of the result a stage, with what each of the usual circuits
/// keeps of a stage: the remainder (restoring) and the difference whatever its sign (non-restoring).
///
/// In every stage the next digits of the dividend or radicand are put behind the remainder, and a subtrahend
/// is taken away: the divisor, or 4q + 1 for the root q so far. The stage gives a 1 if the difference is not
/// negative, and then the difference is the next remainder. A non-restoring circuit goes on with the
/// difference D in any case, and adds in the next stage where it was negative:
///
///     2(R - d) + a + d = 2R + a - d          4(R - (4q+1)) + a + (8q+3) = 4R + a - (8q+1)
///
/// so that in both kinds of circuit the differences are the same words.
namespace dmt::dividers {

using word::Bits;
using word::Gates;

enum class Kind : std::uint8_t { kQuotient, kRoot };

/// The words of one stage, bit 0 first.
struct Stage {
  Bits minuend;
  Bits subtrahend;
  Bits difference;  // one bit wider than both: the sign
  Lit digit;        // of the result
  Bits remainder;   // as many bits as it can need
  Lit carry;        // of the subtraction, into the top bit of the minuend
  Bits result;      // digits so far; empty for quotients
};

/// Bits of the dividend a stage takes.
inline std::size_t digits_of(Kind kind) { return kind == Kind::kQuotient ? 1 : 2; }

/// What stands before the first stage.
Stage start_stage(Kind kind, WordLits divisor);

/// The next stage after `last`; `incoming` are the next bits of the dividend. `digit` replaces that of the
/// result where the remainder is chosen, for proofs about any digit.
Stage next_stage(Gates& g, Kind kind, const Stage& last, WordLits incoming, const Lit* digit = nullptr);

/// The remainder with the bits that are always 0 and that `Stage::remainder` is without.
Bits whole_remainder(Gates& g, const Stage& stage, Lit digit);

/// Whether the remainder has fewer bits than the minuend. Then the top bit of the minuend and the carry into
/// it are never both 1.
inline bool narrows(const Stage& stage) { return stage.remainder.size() < stage.minuend.size(); }

/// The difference of the stage after `last` as a non-restoring circuit makes it, from the difference of
/// `last`; one bit wider than that of `next_stage`.
Bits difference_of_difference(Gates& g, Kind kind, const Stage& last, WordLits incoming, Lit digit);

/// The remainder of `last` as a non-restoring circuit makes it in the end; as wide as the minuend.
Bits corrected(Gates& g, const Stage& last, Lit digit);

/// Whether what makes the next stage possible holds of a remainder: for roots, r <= 2q; true for quotients.
Lit in_range(Gates& g, Kind kind, const Stage& stage);

}  // namespace dmt::dividers
