#include "dmt_dialect/native/word/word_gates.hpp"

namespace dmt::word {

namespace {

/// As by hand: subtract, and keep the difference if there is no borrow. After k steps the remainder is at
/// most the top k bits of the dividend, so step k works on k bits; a divisor with a bit above them is
/// greater.
Quotient divide_restoring(Gates& g, WordLits a, WordLits b, bool want_remainder) {
  const std::size_t n = a.size();
  // big[k]: the divisor has a bit set at k or above.
  Bits big(n + 1, kFalse);
  for (std::size_t k = n; k-- > 0;) big[k] = g.aig.or_(big[k + 1], b[k]);
  const Bits minus_b = inverted(b);
  Quotient result{Bits(n, kFalse), {}};
  for (std::size_t k = 1; k <= n; ++k) {
    g.poll();
    result.remainder.insert(result.remainder.begin(), a[n - k]);
    if (k == n && !want_remainder) {
      result.quotient[0] = carry_of(g, result.remainder, minus_b, kTrue);
      break;
    }
    const Addition difference = add(g, result.remainder, WordLits(minus_b).first(k), kTrue, Carry::kKeep);
    const Lit fits = g.aig.and_(difference.carry, ~big[k]);
    result.quotient[n - k] = fits;
    result.remainder = mux(g, fits, difference.sum, result.remainder);
  }
  return result;
}

/// A negative remainder is kept, and the divisor added instead of subtracted in the next step; one correction
/// at the end. The remainder is signed, one bit wider than the divisor.
Quotient divide_non_restoring(Gates& g, WordLits a, WordLits b, bool want_remainder) {
  const std::size_t n = a.size();
  const Bits wide_b = resized(b, n + 1, false);
  Quotient result{Bits(n, kFalse), Bits(n + 1, kFalse)};
  Bits& rest = result.remainder;
  for (std::size_t k = 1; k <= n; ++k) {
    g.poll();
    const Lit subtract = ~rest.back();
    rest.insert(rest.begin(), a[n - k]);
    rest.pop_back();
    Bits operand;
    for (const Lit lit : wide_b) operand.push_back(g.aig.xor_(lit, subtract));
    if (k == n && !want_remainder) {
      const Lit carry = carry_of(g, WordLits(rest).first(n), WordLits(operand).first(n), subtract);
      result.quotient[0] = ~g.aig.xor_(g.aig.xor_(rest[n], operand[n]), carry);
      return result;
    }
    rest = add(g, rest, operand, subtract).sum;
    result.quotient[n - k] = ~rest.back();
  }
  Bits correction;
  for (const Lit lit : b) correction.push_back(g.aig.and_(lit, rest.back()));
  rest = add(g, WordLits(rest).first(n), correction, kFalse).sum;
  return result;
}

}  // namespace

Quotient divide(Gates& g, WordLits a, WordLits b, bool want_remainder) {
  g.aig.reserve_ands(a.size() * b.size() * (g.architecture.divider == Divider::kRestoring ? 5 : 10));
  return g.architecture.divider == Divider::kRestoring ? divide_restoring(g, a, b, want_remainder)
                                                       : divide_non_restoring(g, a, b, want_remainder);
}

}  // namespace dmt::word
