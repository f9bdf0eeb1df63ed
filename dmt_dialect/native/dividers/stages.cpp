#include "dmt_dialect/native/dividers/stages.hpp"

#include <algorithm>

namespace dmt::dividers {

namespace {

Bits behind(WordLits low, WordLits high) {
  Bits word(low.begin(), low.end());
  word.insert(word.end(), high.begin(), high.end());
  return word;
}

/// 4q + 1 to be subtracted, 4q + 3 to be added.
Bits root_operand(WordLits root, bool add) { return behind(Bits{kTrue, add ? kTrue : kFalse}, root); }

word::Addition subtract(Gates& g, WordLits a, WordLits b, std::size_t width) {
  const Bits minuend = word::resized(a, width, false);
  return word::add(g, minuend, word::inverted(word::resized(b, width, false)), kTrue);
}

/// Bits of the remainder after a stage: less than 2^k after stage k, at most 2q for roots.
std::size_t remainder_width(Kind kind, const Stage& stage) {
  return kind == Kind::kQuotient ? stage.minuend.size()
                                 : std::min(stage.minuend.size(), stage.result.size() + 1);
}

}  // namespace

Stage start_stage(Kind kind, WordLits divisor) {
  Stage stage;
  if (kind == Kind::kQuotient) stage.subtrahend.assign(divisor.begin(), divisor.end());
  return stage;
}

Stage next_stage(Gates& g, Kind kind, const Stage& last, WordLits incoming, const Lit* digit) {
  g.poll();
  Stage stage;
  stage.minuend = behind(incoming, last.remainder);
  stage.subtrahend = kind == Kind::kQuotient ? last.subtrahend : root_operand(last.result, false);
  const std::size_t width = std::max(stage.minuend.size(), stage.subtrahend.size()) + 1;
  stage.difference = subtract(g, stage.minuend, stage.subtrahend, width).sum;
  stage.digit = digit != nullptr ? *digit : ~stage.difference.back();
  if (kind == Kind::kRoot) stage.result = behind(Bits{stage.digit}, last.result);
  const std::size_t kept = remainder_width(kind, stage);
  stage.remainder =
      word::mux(g, stage.digit, WordLits(stage.difference).first(kept), WordLits(stage.minuend).first(kept));
  if (narrows(stage))
    stage.carry = subtract(g, stage.minuend, stage.subtrahend, stage.minuend.size()).top_carry;
  return stage;
}

Bits whole_remainder(Gates& g, const Stage& stage, Lit digit) {
  return word::mux(g, digit, stage.difference, word::resized(stage.minuend, stage.difference.size(), false));
}

Bits difference_of_difference(Gates& g, Kind kind, const Stage& last, WordLits incoming, Lit digit) {
  const Bits minus = kind == Kind::kQuotient ? last.subtrahend : root_operand(last.result, false);
  const Bits plus = kind == Kind::kQuotient ? last.subtrahend : root_operand(last.result, true);
  Bits minuend = behind(incoming, last.difference);
  const std::size_t next = std::max(incoming.size() + last.remainder.size(), minus.size()) + 1;
  const std::size_t width = next + 1;
  minuend = word::resized(minuend, width, true);
  const Bits operand = word::mux(g, digit, word::inverted(word::resized(minus, width, false)),
                                 word::resized(plus, width, false));
  return word::add(g, minuend, operand, digit).sum;
}

Bits corrected(Gates& g, const Stage& last, Lit digit) {
  const std::size_t width = last.minuend.size();
  Bits back;
  for (const Lit lit : word::resized(last.subtrahend, width, false)) back.push_back(g.aig.and_(lit, ~digit));
  return word::add(g, WordLits(last.difference).first(width), back, kFalse).sum;
}

Lit in_range(Gates& g, Kind kind, const Stage& stage) {
  if (kind == Kind::kQuotient) return kTrue;
  const Bits twice = behind(Bits{kFalse}, stage.result);
  const std::size_t width = std::max(twice.size(), stage.remainder.size());
  return ~word::unsigned_less(g, word::resized(twice, width, false),
                              word::resized(stage.remainder, width, false));
}

}  // namespace dmt::dividers
