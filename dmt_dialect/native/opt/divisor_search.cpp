#include "dmt_dialect/native/opt/divisor_search.hpp"

#include <algorithm>

#include "dmt_dialect/native/opt/bits.hpp"

namespace dmt::opt {

namespace {

constexpr std::size_t kMostParts = 64;  // literals of one side that are combined
constexpr std::size_t kMostOpen = 100;  // literals of no side that are paired
constexpr std::size_t kMostPairs = 60;
constexpr std::size_t kMostHolding = 40;
constexpr std::size_t kDeepParts = 8;     // first parts tried for three gates
constexpr std::size_t kMostSelects = 60;  // divisors tried as a multiplexer's select

}  // namespace

void DivisorSearch::start(Words on, Words off, std::span<const Words> rows, unsigned words) {
  on_ = on;
  off_ = off;
  rows_ = rows;
  words_ = words;
  classified_ = false;
  paired_ = {};
  rest_.resize(words);
  rest2_.resize(words);
}

bool DivisorSearch::find(unsigned gates, Expression& result) {
  result.gate_count = gates;
  if (gates == 0) return find_literal(result);
  if (!classified_) classify();
  if (gates == 1) return find_or(0, result) || find_or(1, result);
  if (gates == 2) return find_two(0, result) || find_two(1, result);
  return find_xor(result) || find_three(0, result) || find_three(1, result) || find_mux(result);
}

bool DivisorSearch::find_literal(Expression& result) const {
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    const std::uint64_t first = rows_[i][0];
    const bool flip = on_[0] != 0 ? (first & on_[0]) == 0 : (first & off_[0]) != 0;
    const std::uint64_t mask = flip ? ~std::uint64_t{0} : 0;
    std::uint64_t wrong = 0;
    for (unsigned w = 0; w < words_ && wrong == 0; ++w) {
      const std::uint64_t value = rows_[i][w] ^ mask;
      wrong = (on_[w] & ~value) | (off_[w] & value);
    }
    if (wrong == 0) {
      result.output = 2 * i + static_cast<std::uint32_t>(flip);
      return true;
    }
  }
  return false;
}

// A literal l is within the function when no pattern of `off` has it; then it may be a term of a sum.
void DivisorSearch::classify() {
  classified_ = true;
  parts_[0].clear();
  parts_[1].clear();
  open_.clear();
  for (Literal literal = 0; literal < 2 * rows_.size(); ++literal) {
    std::uint64_t meets[2] = {0, 0};
    for (unsigned w = 0; w < words_; ++w) {
      const std::uint64_t value = word(literal, w);
      meets[0] |= value & on_[w];
      meets[1] |= value & off_[w];
      if (meets[0] != 0 && meets[1] != 0) break;
    }
    if (meets[0] != 0 && meets[1] != 0) {
      open_.push_back(literal);
      continue;
    }
    const int side = meets[1] == 0 ? 0 : 1;
    if (meets[side] == 0) continue;
    std::uint32_t count = 0;
    const Words set = on(side);
    for (unsigned w = 0; w < words_; ++w) count += count_ones(word(literal, w) & set[w]);
    parts_[side].push_back({literal, count});
  }
  for (auto& parts : parts_) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.count > b.count; });
    if (parts.size() > kMostParts) parts.resize(kMostParts);
  }
  if (open_.size() > kMostOpen) open_.resize(kMostOpen);
}

bool DivisorSearch::covers_rest(Literal literal, Words rest) const {
  for (unsigned w = 0; w < words_; ++w) {
    if ((rest[w] & ~word(literal, w)) != 0) return false;
  }
  return true;
}

bool DivisorSearch::disjoint(Literal a, Literal b, Words set) const {
  for (unsigned w = 0; w < words_; ++w) {
    if ((word(a, w) & word(b, w) & set[w]) != 0) return false;
  }
  return true;
}

void DivisorSearch::rest_of(Literal literal, Words set, std::vector<std::uint64_t>& rest) const {
  for (unsigned w = 0; w < words_; ++w) rest[w] = set[w] & ~word(literal, w);
}

// Those within the function would do alone, those within its complement hold nowhere in it: open ones are
// left.
void DivisorSearch::holding(Words set, std::vector<Literal>& literals) const {
  literals.clear();
  for (const Literal literal : open_) {
    if (literals.size() < kMostHolding && covers_rest(literal, set)) literals.push_back(literal);
  }
}

std::uint32_t DivisorSearch::size_of(Words set) const {
  std::uint32_t count = 0;
  for (unsigned w = 0; w < words_; ++w) count += count_ones(set[w]);
  return count;
}

// f = a | b as ~(~a & ~b); for the complement the output is the AND itself.
bool DivisorSearch::find_or(int side, Expression& result) {
  const auto& parts = parts_[side];
  const std::uint32_t total = size_of(on(side));
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (2 * parts[i].count < total) break;
    rest_of(parts[i].literal, on(side), rest_);
    for (std::size_t j = i + 1; j < parts.size() && parts[i].count + parts[j].count >= total; ++j) {
      if (!covers_rest(parts[j].literal, rest_.data())) continue;
      result.gates[0] = {parts[i].literal ^ 1U, parts[j].literal ^ 1U};
      result.output = gate_literal(0) ^ (side == 0 ? 1U : 0U);
      return true;
    }
  }
  return false;
}

// f = a | b | c, or f = a | (x & y).
bool DivisorSearch::find_two(int side, Expression& result) {
  const auto& parts = parts_[side];
  const std::uint32_t flip = side == 0 ? 1U : 0U;
  const std::uint32_t total = size_of(on(side));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Literal first = parts[i].literal;
    const std::uint32_t count = parts[i].count;
    rest_of(first, on(side), rest_);
    for (std::size_t j = i + 1; j < parts.size() && count + 2 * parts[j].count >= total; ++j) {
      rest_of(parts[j].literal, rest_.data(), rest2_);
      for (std::size_t k = j + 1; k < parts.size() && count + parts[j].count + parts[k].count >= total; ++k) {
        if (!covers_rest(parts[k].literal, rest2_.data())) continue;
        result.gates[0] = {first ^ 1U, parts[j].literal ^ 1U};
        result.gates[1] = {gate_literal(0), parts[k].literal ^ 1U};
        result.output = gate_literal(1) ^ flip;
        return true;
      }
    }
    holding(rest_.data(), holding_);
    for (std::size_t x = 0; x + 1 < holding_.size(); ++x) {
      for (std::size_t y = x + 1; y < holding_.size(); ++y) {
        if (!disjoint(holding_[x], holding_[y], off(side))) continue;
        result.gates[0] = {holding_[x], holding_[y]};
        result.gates[1] = {first ^ 1U, gate_literal(0) ^ 1U};
        result.output = gate_literal(1) ^ flip;
        return true;
      }
    }
  }
  return false;
}

// ANDs of two open literals within the function.
void DivisorSearch::find_pairs(int side) {
  if (paired_[side]) return;
  paired_[side] = true;
  auto& pairs = pairs_[side];
  pairs.clear();
  for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
    for (std::size_t j = i + 1; j < open_.size(); ++j) {
      if (!disjoint(open_[i], open_[j], off(side))) continue;
      std::uint32_t count = 0;
      for (unsigned w = 0; w < words_; ++w)
        count += count_ones(word(open_[i], w) & word(open_[j], w) & on(side)[w]);
      if (count != 0) pairs.push_back({open_[i], open_[j], count});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.count > b.count; });
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
}

// f = (a & b) | (c & d); f = a | b | (x & y); f = a | (x & y & z).
bool DivisorSearch::find_three(int side, Expression& result) {
  const std::uint32_t flip = side == 0 ? 1U : 0U;
  const auto& parts = parts_[side];
  find_pairs(side);
  const auto& pairs = pairs_[side];
  for (std::size_t i = 0; i + 1 < pairs.size(); ++i) {
    for (unsigned w = 0; w < words_; ++w)
      rest_[w] = on(side)[w] & ~(word(pairs[i].a, w) & word(pairs[i].b, w));
    for (std::size_t j = i + 1; j < pairs.size(); ++j) {
      if (!covers_rest(pairs[j].a, rest_.data()) || !covers_rest(pairs[j].b, rest_.data())) continue;
      result.gates[0] = {pairs[i].a, pairs[i].b};
      result.gates[1] = {pairs[j].a, pairs[j].b};
      result.gates[2] = {gate_literal(0) ^ 1U, gate_literal(1) ^ 1U};
      result.output = gate_literal(2) ^ flip;
      return true;
    }
  }
  const std::size_t firsts = std::min(parts.size(), kDeepParts);
  for (std::size_t i = 0; i < firsts; ++i) {
    const Literal first = parts[i].literal;
    rest_of(first, on(side), rest_);
    for (std::size_t j = i + 1; j < firsts; ++j) {
      rest_of(parts[j].literal, rest_.data(), rest2_);
      holding(rest2_.data(), holding_);
      for (std::size_t x = 0; x + 1 < holding_.size(); ++x) {
        for (std::size_t y = x + 1; y < holding_.size(); ++y) {
          if (!disjoint(holding_[x], holding_[y], off(side))) continue;
          result.gates[0] = {holding_[x], holding_[y]};
          result.gates[1] = {first ^ 1U, parts[j].literal ^ 1U};
          result.gates[2] = {gate_literal(1), gate_literal(0) ^ 1U};
          result.output = gate_literal(2) ^ flip;
          return true;
        }
      }
    }
    holding(rest_.data(), holding_);
    for (std::size_t x = 0; x + 2 < holding_.size(); ++x) {
      for (std::size_t y = x + 1; y + 1 < holding_.size(); ++y) {
        for (unsigned w = 0; w < words_; ++w)
          rest2_[w] = off(side)[w] & word(holding_[x], w) & word(holding_[y], w);
        for (std::size_t z = y + 1; z < holding_.size(); ++z) {
          if (!covers_rest(holding_[z] ^ 1U, rest2_.data())) continue;
          result.gates[0] = {holding_[x], holding_[y]};
          result.gates[1] = {gate_literal(0), holding_[z]};
          result.gates[2] = {first ^ 1U, gate_literal(1) ^ 1U};
          result.output = gate_literal(2) ^ flip;
          return true;
        }
      }
    }
  }
  return false;
}

// f = a ^ b: the patterns where a is wrong must be those where b is 1, or those where it is 0.
bool DivisorSearch::find_xor(Expression& result) {
  for (std::uint32_t i = 0; i + 1 < rows_.size(); ++i) {
    for (unsigned w = 0; w < words_; ++w) rest_[w] = (on_[w] & ~rows_[i][w]) | (off_[w] & rows_[i][w]);
    for (unsigned w = 0; w < words_; ++w) rest2_[w] = (on_[w] & rows_[i][w]) | (off_[w] & ~rows_[i][w]);
    for (std::uint32_t j = i + 1; j < rows_.size(); ++j) {
      std::uint64_t straight = 0, flipped = 0;
      for (unsigned w = 0; w < words_ && (straight == 0 || flipped == 0); ++w) {
        straight |= (rest_[w] & ~rows_[j][w]) | (rest2_[w] & rows_[j][w]);
        flipped |= (rest_[w] & rows_[j][w]) | (rest2_[w] & ~rows_[j][w]);
      }
      if (straight != 0 && flipped != 0) continue;
      result.gates[0] = {2 * i, 2 * j};
      result.gates[1] = {2 * i + 1, 2 * j + 1};
      result.gates[2] = {gate_literal(0) ^ 1U, gate_literal(1) ^ 1U};
      result.output = gate_literal(2) ^ (straight == 0 ? 0U : 1U);
      return true;
    }
  }
  return false;
}

// f = s ? a : b, where a agrees with f when s is 1, and b when it is 0.
bool DivisorSearch::find_mux(Expression& result) {
  const std::size_t selects = std::min<std::size_t>(rows_.size(), kMostSelects);
  std::vector<std::uint64_t>& on_here = rest_;
  std::vector<std::uint64_t>& off_here = rest2_;
  for (std::uint32_t s = 0; s < selects; ++s) {
    std::uint32_t chosen[2] = {0, 0};
    bool both = true;
    for (std::uint32_t value = 0; value < 2 && both; ++value) {
      const Literal select = 2 * s + 1 - value;  // true where s has this value
      for (unsigned w = 0; w < words_; ++w) {
        on_here[w] = on_[w] & word(select, w);
        off_here[w] = off_[w] & word(select, w);
      }
      both = false;
      for (Literal literal = 0; literal < 2 * rows_.size() && !both; ++literal) {
        if ((literal >> 1) == s) continue;
        std::uint64_t wrong = 0;
        for (unsigned w = 0; w < words_ && wrong == 0; ++w) {
          const std::uint64_t have = word(literal, w);
          wrong = (on_here[w] & ~have) | (off_here[w] & have);
        }
        if (wrong != 0) continue;
        chosen[value] = literal;
        both = true;
      }
    }
    if (!both) continue;
    result.gates[0] = {2 * s, chosen[1]};
    result.gates[1] = {2 * s + 1, chosen[0]};
    result.gates[2] = {gate_literal(0) ^ 1U, gate_literal(1) ^ 1U};
    result.output = gate_literal(2) ^ 1U;
    return true;
  }
  return false;
}

}  // namespace dmt::opt
