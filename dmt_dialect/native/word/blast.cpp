#include "dmt_dialect/native/word/blast.hpp"

#include <algorithm>
#include <array>

#include "dmt_dialect/native/word/word_gates.hpp"

namespace dmt {

namespace {

using word::Bits;
using word::Carry;
using word::Direction;
using word::Gates;
using word::Tree;

using Operands = std::span<const WordLits>;

enum class Gate : std::uint8_t { kAnd, kOr, kXor };

Bits bitwise(Gates& g, Gate gate, WordLits a, WordLits b, bool invert) {
  Bits result;
  result.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Lit lit = gate == Gate::kAnd  ? g.aig.and_(a[i], b[i])
                    : gate == Gate::kOr ? g.aig.or_(a[i], b[i])
                                        : g.aig.xor_(a[i], b[i]);
    result.push_back(lit ^ invert);
  }
  return result;
}

Bits magnitude(Gates& g, WordLits a) { return word::negated_if(g, a, a.back()); }

Bits signed_quotient(Gates& g, WordLits a, WordLits b) {
  const Bits quotient = word::divide(g, magnitude(g, a), magnitude(g, b), false).quotient;
  return word::negated_if(g, quotient, g.aig.xor_(a.back(), b.back()));
}

Bits signed_remainder(Gates& g, WordLits a, WordLits b) {
  const Bits remainder = word::divide(g, magnitude(g, a), magnitude(g, b), true).remainder;
  return word::negated_if(g, remainder, a.back());
}

/// The remainder plus the divisor where their signs differ.
Bits signed_modulo(Gates& g, WordLits a, WordLits b) {
  const Bits remainder = signed_remainder(g, a, b);
  const Lit fix = g.aig.and_(word::reduce(g, Tree::kOr, remainder), g.aig.xor_(remainder.back(), b.back()));
  Bits correction;
  for (const Lit lit : b) correction.push_back(g.aig.and_(lit, fix));
  return word::add(g, remainder, correction, kFalse).sum;
}

/// Carry into the top bit differs from the carry out of it.
Lit signed_carry_overflow(Gates& g, WordLits a, WordLits b, Lit carry_in) {
  const Lit into =
      a.size() == 1 ? carry_in : word::carry_of(g, a.first(a.size() - 1), b.first(b.size() - 1), carry_in);
  // Signs x, y and the carry into them: x y c' + x' y' c.
  const Lit x = a.back();
  const Lit y = b.back();
  return g.aig.or_(g.aig.and_(g.aig.and_(x, y), ~into), g.aig.and_(g.aig.and_(~x, ~y), into));
}

/// Some a[i] and b[j] with i + j >= bound are both set.
Lit product_reaches(Gates& g, WordLits a, WordLits b, std::size_t bound) {
  Bits terms;
  Lit above = kFalse;  // some b[j] with j >= bound - i
  std::size_t next = b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (next > 0 && next - 1 + i >= bound) above = g.aig.or_(above, b[--next]);
    terms.push_back(g.aig.and_(a[i], above));
  }
  return word::reduce(g, Tree::kOr, terms);
}

/// Without the upper half of the product: if no pair of bits reaches weight n, the product has n + 1 bits.
Lit unsigned_product_overflow(Gates& g, WordLits a, WordLits b) {
  const std::size_t n = a.size();
  if (n == 1) return kFalse;
  const Bits product = word::multiply(g, a, b, n + 1, false);
  return g.aig.or_(product_reaches(g, a, b, n), product[n]);
}

/// The same with the bits that differ from the sign; then the product fits into n + 1 bits with its sign.
Lit signed_product_overflow(Gates& g, WordLits a, WordLits b) {
  const std::size_t n = a.size();
  if (n == 1) return g.aig.and_(a[0], b[0]);  // -1 times -1
  const auto differing = [&](WordLits word) {
    Bits bits;
    for (std::size_t i = 0; i + 1 < n; ++i) bits.push_back(g.aig.xor_(word[i], word.back()));
    return bits;
  };
  const Lit reaches = product_reaches(g, differing(a), differing(b), n - 1);
  // Modulo 2^(n + 1) the extended operands may count as unsigned.
  const Bits product =
      word::multiply(g, word::resized(a, n + 1, true), word::resized(b, n + 1, true), n + 1, false);
  return g.aig.or_(reaches, g.aig.xor_(product[n], product[n - 1]));
}

Lit is_smallest(Gates& g, WordLits a) {
  Bits bits = word::inverted(a);
  bits.back() = a.back();
  return word::reduce(g, Tree::kAnd, bits);
}

/// Shannon's expansion from the top bit of the index down; equal halves meet in the hash table.
Bits looked_up(Gates& g, WordLits index, const BitVec& table) {
  const std::uint32_t width = table.width() >> index.size();
  Bits entries;
  append_constant(table, entries);
  for (const Lit select : index) {
    g.poll();
    Bits next;
    next.reserve(entries.size() / 2);
    for (std::size_t i = 0; i < entries.size(); i += 2 * width) {
      for (std::size_t k = 0; k < width; ++k) {
        next.push_back(g.aig.mux(select, entries[i + width + k], entries[i + k]));
      }
    }
    entries.swap(next);
  }
  return entries;
}

Bits concatenation(Operands o) {
  Bits result;
  for (std::size_t i = o.size(); i-- > 0;) result.insert(result.end(), o[i].begin(), o[i].end());
  return result;
}

Bits repetition(WordLits a, std::uint32_t count) {
  Bits result;
  result.reserve(a.size() * count);
  for (std::uint32_t i = 0; i < count; ++i) result.insert(result.end(), a.begin(), a.end());
  return result;
}

Bits part(WordLits a, std::uint32_t lo, std::uint32_t hi) {
  const WordLits bits = a.subspan(lo, hi - lo + 1);
  return Bits(bits.begin(), bits.end());
}

Bits build(Gates& g, WordOp op, Operands o, const WordParams& p) {
  const WordLits a = o[0];
  const WordLits b = o.size() > 1 ? o[1] : WordLits();
  const std::size_t n = a.size();
  switch (op) {
    case WordOp::kAdd: return word::add(g, a, b, kFalse).sum;
    case WordOp::kSub: return word::add(g, a, word::inverted(b), kTrue).sum;
    case WordOp::kNeg: return word::negated(g, a);
    case WordOp::kAbs: return magnitude(g, a);
    case WordOp::kMul: return word::multiply(g, a, b, n, false);
    case WordOp::kSmulw: return word::multiply(g, a, b, n + b.size(), true);
    case WordOp::kUmulw: return word::multiply(g, a, b, n + b.size(), false);
    case WordOp::kUdiv: return word::divide(g, a, b, false).quotient;
    case WordOp::kUrem: return word::divide(g, a, b, true).remainder;
    case WordOp::kSdiv: return signed_quotient(g, a, b);
    case WordOp::kSrem: return signed_remainder(g, a, b);
    case WordOp::kSmod: return signed_modulo(g, a, b);
    case WordOp::kAnd: return bitwise(g, Gate::kAnd, a, b, false);
    case WordOp::kOr: return bitwise(g, Gate::kOr, a, b, false);
    case WordOp::kXor: return bitwise(g, Gate::kXor, a, b, false);
    case WordOp::kNand: return bitwise(g, Gate::kAnd, a, b, true);
    case WordOp::kNor: return bitwise(g, Gate::kOr, a, b, true);
    case WordOp::kXnor: return bitwise(g, Gate::kXor, a, b, true);
    case WordOp::kNot: return word::inverted(a);
    case WordOp::kRedand: return {word::reduce(g, Tree::kAnd, a)};
    case WordOp::kRedor: return {word::reduce(g, Tree::kOr, a)};
    case WordOp::kRedxor: return {word::reduce(g, Tree::kXor, a)};
    case WordOp::kEq: return {word::equal(g, a, b)};
    case WordOp::kNe: return {~word::equal(g, a, b)};
    case WordOp::kUlt: return {word::unsigned_less(g, a, b)};
    case WordOp::kUle: return {~word::unsigned_less(g, b, a)};
    case WordOp::kUgt: return {word::unsigned_less(g, b, a)};
    case WordOp::kUge: return {~word::unsigned_less(g, a, b)};
    case WordOp::kSlt: return {word::signed_less(g, a, b)};
    case WordOp::kSle: return {~word::signed_less(g, b, a)};
    case WordOp::kSgt: return {word::signed_less(g, b, a)};
    case WordOp::kSge: return {~word::signed_less(g, a, b)};
    case WordOp::kShl: return word::shift(g, a, b, Direction::kLeft, kFalse);
    case WordOp::kLshr: return word::shift(g, a, b, Direction::kRight, kFalse);
    case WordOp::kAshr: return word::shift(g, a, b, Direction::kRight, a.back());
    case WordOp::kRol: return word::rotate(g, a, b, Direction::kLeft);
    case WordOp::kRor: return word::rotate(g, a, b, Direction::kRight);
    case WordOp::kConcat: return concatenation(o);
    case WordOp::kSlice: return part(a, p.lo, p.hi);
    case WordOp::kIndex: return {word::pick(g, a, b)};
    case WordOp::kRepeat: return repetition(a, p.number);
    case WordOp::kZext: return word::resized(a, p.number, false);
    case WordOp::kSext: return word::resized(a, p.number, true);
    case WordOp::kMux: return word::mux(g, a[0], b, o[2]);
    case WordOp::kLut: return looked_up(g, a, *p.table);
    case WordOp::kUaddo: return {word::carry_of(g, a, b, kFalse)};
    case WordOp::kSaddo: return {signed_carry_overflow(g, a, b, kFalse)};
    case WordOp::kUsubo: return {word::unsigned_less(g, a, b)};
    case WordOp::kSsubo: return {signed_carry_overflow(g, a, word::inverted(b), kTrue)};
    case WordOp::kUmulo: return {unsigned_product_overflow(g, a, b)};
    case WordOp::kSmulo: return {signed_product_overflow(g, a, b)};
    case WordOp::kNego: return {is_smallest(g, a)};
    case WordOp::kSdivo: return {g.aig.and_(is_smallest(g, a), word::reduce(g, Tree::kAnd, b))};
  }
  return {};
}

}  // namespace

bool blast(AigStore& aig, WordOp op, std::span<const WordLits> operands, const WordParams& params,
           const Architecture& architecture, dynomite::Stop& stop, std::vector<Lit>& result) {
  std::vector<std::uint32_t> widths;
  widths.reserve(operands.size());
  for (const WordLits operand : operands) {
    widths.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(operand.size(), 0xFFFFFFFFU)));
  }
  static_cast<void>(result_width(op, widths, params));
  Gates gates{aig, architecture, stop};
  try {
    const Bits bits = build(gates, op, operands, params);
    result.insert(result.end(), bits.begin(), bits.end());
  } catch (const word::Interrupted&) {
    return false;
  }
  return true;
}

std::uint64_t square_ands(WordOp op, std::span<const WordLits> operands) {
  constexpr std::uint64_t kAndsPerCell = 8;
  if (operands.size() < 2 || !is_square(op)) return 0;
  return std::uint64_t{operands[0].size()} * operands[1].size() * kAndsPerCell;
}

void append_constant(const BitVec& value, std::vector<Lit>& result) {
  result.reserve(result.size() + value.width());
  for (std::uint32_t i = 0; i < value.width(); ++i) result.push_back(value.bit(i) ? kTrue : kFalse);
}

}  // namespace dmt
