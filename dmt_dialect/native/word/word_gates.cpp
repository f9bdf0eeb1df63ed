#include "dmt_dialect/native/word/word_gates.hpp"

#include <algorithm>
#include <bit>

namespace dmt::word {

Lit reduce(Gates& g, Tree tree, std::span<const Lit> lits) {
  if (lits.empty()) return tree == Tree::kAnd ? kTrue : kFalse;
  Bits left(lits.begin(), lits.end());
  while (left.size() > 1) {
    g.poll();
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < left.size(); i += 2) {
      const Lit a = left[i];
      const Lit b = left[i + 1];
      left[kept++] = tree == Tree::kAnd  ? g.aig.and_(a, b)
                     : tree == Tree::kOr ? g.aig.or_(a, b)
                                         : g.aig.xor_(a, b);
    }
    if (left.size() % 2 != 0) left[kept++] = left.back();
    left.resize(kept);
  }
  return left[0];
}

Lit equal(Gates& g, WordLits a, WordLits b) {
  Bits same;
  same.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) same.push_back(~g.aig.xor_(a[i], b[i]));
  return reduce(g, Tree::kAnd, same);
}

Bits mux(Gates& g, Lit select, WordLits then, WordLits otherwise) {
  Bits result;
  result.reserve(then.size());
  for (std::size_t i = 0; i < then.size(); ++i) {
    result.push_back(g.aig.mux(select, then[i], otherwise[i]));
  }
  return result;
}

Bits inverted(WordLits a, bool invert) {
  Bits result;
  result.reserve(a.size());
  for (const Lit lit : a) result.push_back(lit ^ invert);
  return result;
}

Bits resized(WordLits a, std::size_t width, bool is_signed) {
  Bits result(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), width)));
  result.resize(width, is_signed ? a.back() : kFalse);
  return result;
}

namespace {

/// Bits of an amount that tell amounts below `width` apart.
std::size_t amount_bits(std::size_t width) { return std::bit_width(width - 1); }

/// One stage: towards the top by `by` (left), or towards bit 0.
Bits moved(WordLits a, std::size_t by, Direction direction, Lit fill) {
  Bits result(a.size(), fill);
  for (std::size_t i = 0; i + by < a.size(); ++i) {
    if (direction == Direction::kLeft) {
      result[i + by] = a[i];
    } else {
      result[i] = a[i + by];
    }
  }
  return result;
}

}  // namespace

Bits shift(Gates& g, WordLits a, WordLits amount, Direction direction, Lit fill) {
  const std::size_t stages = std::min(amount_bits(a.size()), amount.size());
  Bits result(a.begin(), a.end());
  for (std::size_t k = 0; k < stages; ++k) {
    g.poll();
    result = mux(g, amount[k], moved(result, std::size_t{1} << k, direction, fill), result);
  }
  const Lit beyond = reduce(g, Tree::kOr, amount.subspan(stages));
  return mux(g, beyond, Bits(a.size(), fill), result);
}

Bits rotate(Gates& g, WordLits a, WordLits amount, Direction direction) {
  const std::size_t width = a.size();
  if (width == 1) return Bits(a.begin(), a.end());
  const std::size_t needed = amount_bits(width);
  Bits by(amount.begin(), amount.end());
  if (std::has_single_bit(width)) {
    by.resize(std::min(by.size(), needed));  // the rest is a multiple of the width
  } else if (by.size() > needed) {
    Bits modulus;
    append_constant(BitVec(static_cast<std::uint32_t>(by.size()), width), modulus);
    by = divide(g, by, modulus, true).remainder;
    by.resize(needed);
  }
  Bits result(a.begin(), a.end());
  for (std::size_t k = 0; k < by.size(); ++k) {
    g.poll();
    std::size_t distance = (std::size_t{1} << k) % width;
    if (direction == Direction::kRight) distance = width - distance;
    Bits turned(width);
    for (std::size_t i = 0; i < width; ++i) turned[(i + distance) % width] = result[i];
    result = mux(g, by[k], turned, result);
  }
  return result;
}

Lit pick(Gates& g, WordLits a, WordLits index) {
  // A tree: pairs of neighbours are chosen from by bit 0 of the index, and so on.
  // Bits that no index reaches have no part in it.
  const std::size_t reached = index.size() < 32 ? std::size_t{1} << index.size() : a.size();
  Bits left(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), reached)));
  std::size_t k = 0;
  for (; left.size() > 1 && k < index.size(); ++k) {
    g.poll();
    Bits next;
    for (std::size_t i = 0; i < left.size(); i += 2) {
      next.push_back(g.aig.mux(index[k], i + 1 < left.size() ? left[i + 1] : kFalse, left[i]));
    }
    left.swap(next);
  }
  return g.aig.and_(left[0], ~reduce(g, Tree::kOr, index.subspan(k)));
}

}  // namespace dmt::word
