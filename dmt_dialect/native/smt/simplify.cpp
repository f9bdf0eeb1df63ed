#include "dmt_dialect/native/smt/simplify.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dmt::smt {

namespace {

/// Wider constants are left to bit-blasting, which can be stopped.
constexpr std::uint32_t kFoldWidth = 1U << 16;
/// Products and quotients take quadratic time.
constexpr std::uint32_t kFoldProductWidth = 1U << 12;

bool is_quadratic(WordOp op) { return is_square(op) || op == WordOp::kRol || op == WordOp::kRor; }

}  // namespace

void Simplifier::remember(TermId id, TermId image) {
  if (images_.size() <= id.index())
    images_.resize(std::max(std::size_t{terms_.size()}, id.index() + std::size_t{1}));
  images_[id.index()] = image;
}

TermId Simplifier::simplify(TermId root, dynomite::Stop& stop) {
  bool stopped = false;
  std::vector<TermId> operands;
  visit_below(
      terms_, std::array{root}, [&](TermId id) { return !stopped && !known(id); },
      [&](TermId id) {
        stopped = stop.poll();
        if (stopped) return;
        if (terms_.kind(id) != TermKind::kOp) {
          remember(id, id);
          return;
        }
        operands.clear();
        for (const TermId operand : terms_.operands(id)) operands.push_back(images_[operand.index()]);
        const TermId image =
            build(terms_.word_op(id), operands, terms_.sort(id), terms_.hi(id), terms_.lo(id));
        remember(id, image);
        remember(image, image);
      });
  return stopped ? TermId() : images_[root.index()];
}

TermId Simplifier::inverted(TermId a) { return build(WordOp::kNot, std::array{a}, terms_.sort(a), 0, 0); }

bool Simplifier::are_opposite(TermId a, TermId b) const {
  return (is(a, WordOp::kNot) && terms_.operands(a)[0] == b) ||
         (is(b, WordOp::kNot) && terms_.operands(b)[0] == a);
}

TermId Simplifier::fold(WordOp op, std::span<const TermId> operands, Sort sort, std::uint32_t hi,
                        std::uint32_t lo) {
  std::uint32_t width = sort.width();
  for (const TermId operand : operands) {
    if (!terms_.is_constant(operand)) return {};
    width = std::max(width, terms_.sort(operand).width());
  }
  if (width > (is_quadratic(op) ? kFoldProductWidth : kFoldWidth)) return {};
  std::vector<BitVec> values;
  values.reserve(operands.size());
  for (const TermId operand : operands) values.push_back(terms_.value(operand));
  return terms_.constant(sort, evaluate(op, values, {hi, lo, hi, nullptr}));
}

TermId Simplifier::build(WordOp op, std::span<const TermId> given, Sort sort, std::uint32_t hi,
                         std::uint32_t lo) {
  if (const TermId folded = fold(op, given, sort, hi, lo); !folded.is_none()) return folded;
  std::vector<TermId> operands(given.begin(), given.end());
  if (info(op).commutative && operands.size() == 2 && operands.back().index() < operands.front().index()) {
    std::swap(operands.front(), operands.back());
  }
  const TermId simpler = rewrite(op, operands, sort, hi, lo);
  return simpler.is_none() ? terms_.op(op, operands, sort, hi, lo) : simpler;
}

TermId Simplifier::rewrite(WordOp op, std::span<const TermId> operands, Sort sort, std::uint32_t hi,
                           std::uint32_t lo) {
  const TermId a = operands[0];
  switch (op) {
    case WordOp::kNot:
      if (is(a, WordOp::kNot)) return terms_.operands(a)[0];  // ~~x = x
      return {};
    case WordOp::kNeg:
      if (is(a, WordOp::kNeg)) return terms_.operands(a)[0];  // --x = x
      return {};
    case WordOp::kZext:
    case WordOp::kSext: return hi == terms_.sort(a).width() ? a : TermId();  // extended by nothing
    case WordOp::kRepeat: return hi == 1 ? a : TermId();                     // once
    case WordOp::kSlice: return rewrite_slice(a, sort, hi, lo);
    case WordOp::kConcat: return operands.size() == 1 ? a : TermId();
    case WordOp::kMux: return rewrite_mux(a, operands[1], operands[2], sort);
    default: break;
  }
  return operands.size() == 2 ? rewrite_two(op, a, operands[1], sort) : TermId();
}

TermId Simplifier::rewrite_two(WordOp op, TermId a, TermId b, Sort sort) {
  const auto two = [&](WordOp other, TermId x, TermId y) {
    return build(other, std::array{x, y}, sort, 0, 0);
  };
  switch (op) {
    case WordOp::kAnd:
      if (a == b || is_ones(b)) return a;                                     // x & x = x & 1 = x
      if (is_ones(a)) return b;                                               //
      if (is_zero(a) || is_zero(b) || are_opposite(a, b)) return zero(sort);  // x & 0 = x & ~x = 0
      return {};
    case WordOp::kOr:
      if (a == b || is_zero(b)) return a;                                               // x | x = x | 0 = x
      if (is_zero(a)) return b;                                                         //
      if (is_ones(a) || is_ones(b) || are_opposite(a, b)) return inverted(zero(sort));  // x | 1 = x | ~x = 1
      return {};
    case WordOp::kXor:
      if (a == b) return zero(sort);       // x ^ x = 0
      if (is_zero(a)) return b;            // x ^ 0 = x
      if (is_zero(b)) return a;            //
      if (is_ones(a)) return inverted(b);  // x ^ 1 = ~x
      if (is_ones(b)) return inverted(a);  //
      return {};
    case WordOp::kNand: return inverted(two(WordOp::kAnd, a, b));
    case WordOp::kNor: return inverted(two(WordOp::kOr, a, b));
    case WordOp::kXnor: return inverted(two(WordOp::kXor, a, b));
    case WordOp::kAdd:
      if (is_zero(a)) return b;  // 0 + x = x
      if (is_zero(b)) return a;
      return {};
    case WordOp::kSub:
      if (a == b) return zero(sort);     // x - x = 0
      return is_zero(b) ? a : TermId();  // x - 0 = x
    case WordOp::kMul:
      if (is_zero(a) || is_zero(b)) return zero(sort);  // x * 0 = 0
      if (is_one(a)) return b;                          // x * 1 = x
      return is_one(b) ? a : TermId();
    case WordOp::kUdiv: return is_one(b) ? a : TermId();                     // x / 1 = x
    case WordOp::kUrem: return is_one(b) || a == b ? zero(sort) : TermId();  // x % 1 = x % x = 0
    case WordOp::kShl:
    case WordOp::kLshr:
    case WordOp::kAshr:
    case WordOp::kRol:
    case WordOp::kRor: return is_zero(b) || is_zero(a) ? a : TermId();  // x by 0, 0 by x
    case WordOp::kEq:
      if (a == b) return truth(true, sort);               // x = x
      if (are_opposite(a, b)) return truth(false, sort);  // x = ~x never
      if (terms_.sort(a) != sort) return {};
      if (is_ones(a)) return b;            // b = true
      if (is_ones(b)) return a;            //
      if (is_zero(a)) return inverted(b);  // b = false
      if (is_zero(b)) return inverted(a);  //
      return {};
    case WordOp::kNe: return inverted(two(WordOp::kEq, a, b));
    case WordOp::kUgt: return two(WordOp::kUlt, b, a);
    case WordOp::kUle: return inverted(two(WordOp::kUlt, b, a));
    case WordOp::kUge: return inverted(two(WordOp::kUlt, a, b));
    case WordOp::kSgt: return two(WordOp::kSlt, b, a);
    case WordOp::kSle: return inverted(two(WordOp::kSlt, b, a));
    case WordOp::kSge: return inverted(two(WordOp::kSlt, a, b));
    case WordOp::kUlt:
      if (a == b || is_zero(b) || is_ones(a))
        return truth(false, sort);                    // nothing is below 0 or above all ones
      if (is_zero(a)) return two(WordOp::kNe, a, b);  // 0 < x: x is not 0
      return {};
    case WordOp::kSlt: return a == b ? truth(false, sort) : TermId();  // not x < x
    default: return {};
  }
}

TermId Simplifier::rewrite_mux(TermId select, TermId then, TermId otherwise, Sort sort) {
  if (then == otherwise || is_ones(select)) return then;
  if (is_zero(select)) return otherwise;
  if (is(select, WordOp::kNot)) {  // ite(~s, a, b) = ite(s, b, a)
    return build(WordOp::kMux, std::array{terms_.operands(select)[0], otherwise, then}, sort, 0, 0);
  }
  if (!sort.is_bool()) return {};
  const auto two = [&](WordOp op, TermId a, TermId b) { return build(op, std::array{a, b}, sort, 0, 0); };
  if (is_ones(then)) return two(WordOp::kOr, select, otherwise);             // ite(s, 1, b) = s | b
  if (is_zero(then)) return two(WordOp::kAnd, inverted(select), otherwise);  // ite(s, 0, b) = ~s & b
  if (is_zero(otherwise)) return two(WordOp::kAnd, select, then);            // ite(s, a, 0) = s & a
  if (is_ones(otherwise)) return two(WordOp::kOr, inverted(select), then);   // ite(s, a, 1) = ~s | a
  return {};
}

TermId Simplifier::rewrite_slice(TermId a, Sort sort, std::uint32_t hi, std::uint32_t lo) {
  if (sort.width() == terms_.sort(a).width()) return a;  // all bits
  const auto slice = [&](TermId of, std::uint32_t from) {
    return build(WordOp::kSlice, std::array{of}, sort, hi - lo + from, from);
  };
  if (is(a, WordOp::kSlice)) return slice(terms_.operands(a)[0], lo + terms_.lo(a));  // bits of bits
  if (is(a, WordOp::kZext) || is(a, WordOp::kSext)) {
    const TermId inner = terms_.operands(a)[0];
    if (hi < terms_.sort(inner).width()) return slice(inner, lo);                     // below the extension
    if (is(a, WordOp::kZext) && lo >= terms_.sort(inner).width()) return zero(sort);  // within it
    return {};
  }
  if (is(a, WordOp::kConcat)) {
    std::uint32_t above = terms_.sort(a).width();
    for (const TermId part : terms_.operands(a)) {
      const std::uint32_t start = above - terms_.sort(part).width();
      if (hi < above && lo >= start) return slice(part, lo - start);  // within one part
      above = start;
    }
  }
  return {};
}

}  // namespace dmt::smt
