#include "hw_dialect/native/blif/cover.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hw {

using dmt::AigStore;
using dmt::Lit;

namespace {

template <typename Join>
Lit balanced(std::vector<Lit>& lits, Lit neutral, Join join) {
  if (lits.empty()) return neutral;
  std::size_t n = lits.size();
  while (n > 1) {
    const std::size_t half = n / 2;
    for (std::size_t i = 0; i < half; ++i) lits[i] = join(lits[2 * i], lits[2 * i + 1]);
    if (n % 2 != 0) lits[half] = lits[n - 1];
    n = half + n % 2;
  }
  return lits[0];
}

/// Factoring goes this deep; below it cubes are built as they stand.
constexpr unsigned kMaxDepth = 24;
/// Character look-ups spent on factoring, as a multiple of the cover's size.
constexpr std::uint64_t kBudgetFactor = 24;

}  // namespace

Lit balanced_and(AigStore& store, std::vector<Lit>& lits) {
  return balanced(lits, dmt::kTrue, [&store](Lit a, Lit b) { return store.and_(a, b); });
}

Lit balanced_or(AigStore& store, std::vector<Lit>& lits) {
  return balanced(lits, dmt::kFalse, [&store](Lit a, Lit b) { return store.or_(a, b); });
}

Lit balanced_xor(AigStore& store, std::vector<Lit>& lits) {
  return balanced(lits, dmt::kFalse, [&store](Lit a, Lit b) { return store.xor_(a, b); });
}

Lit CoverBuilder::cube(std::uint32_t row) {
  scratch_.clear();
  for (std::size_t c = 0; c < inputs_.size(); ++c) {
    if (masked_[c] == 0 && at(row, c) != '-') scratch_.push_back(literal(c, at(row, c)));
  }
  return balanced_and(store_, scratch_);
}

Lit CoverBuilder::flat(std::span<const std::uint32_t> rows) {
  std::vector<Lit> terms;
  terms.reserve(rows.size());
  for (const std::uint32_t row : rows) terms.push_back(cube(row));
  return balanced_or(store_, terms);
}

/// The cover of `rows` without the masked columns. `rows` is used up.
Lit CoverBuilder::factor(std::vector<std::uint32_t>& rows, unsigned depth) {
  const std::size_t width = inputs_.size();
  std::vector<std::array<std::uint32_t, 2>> counts(width);
  std::vector<std::size_t> own;  // columns masked here
  std::vector<Lit> shared;       // literals of all rows: F = shared & rest
  std::vector<Lit> terms;        // rest = OR of terms and of what is left in rows
  bool first = true;
  while (!rows.empty()) {
    const std::uint64_t work = rows.size() * width;
    if (rows.size() == 1 || depth >= kMaxDepth || budget_ < work) {
      terms.push_back(flat(rows));
      break;
    }
    budget_ -= work;
    std::fill(counts.begin(), counts.end(), std::array<std::uint32_t, 2>{});
    for (const std::uint32_t row : rows) {
      for (std::size_t c = 0; c < width; ++c) {
        const char value = at(row, c);
        if (value != '-' && masked_[c] == 0) ++counts[c][value == '1' ? 1 : 0];
      }
    }
    const auto all = static_cast<std::uint32_t>(rows.size());
    std::size_t best = width;
    unsigned best_value = 0;
    std::uint32_t best_count = 1;
    std::size_t split = width;  // a column in which every row has a literal, of either kind
    for (std::size_t c = 0; c < width; ++c) {
      if (masked_[c] != 0) continue;
      if (first && (counts[c][0] == all || counts[c][1] == all)) {
        shared.push_back(literal(c, counts[c][1] == all ? '1' : '0'));
        masked_[c] = 1;
        own.push_back(c);
        continue;
      }
      for (unsigned value = 0; value < 2; ++value) {
        if (counts[c][value] > best_count) {
          best = c;
          best_value = value;
          best_count = counts[c][value];
        }
      }
      if (split == width && counts[c][0] != 0 && counts[c][1] != 0 && counts[c][0] + counts[c][1] == all)
        split = c;
    }
    first = false;
    const bool is_mux = split != width;
    const std::size_t column = is_mux ? split : best;
    if (column == width) {  // no literal occurs twice
      terms.push_back(flat(rows));
      break;
    }
    const char value = is_mux ? '1' : (best_value == 1 ? '1' : '0');
    std::vector<std::uint32_t> quotient;
    std::vector<std::uint32_t> rest;
    for (const std::uint32_t row : rows) (at(row, column) == value ? quotient : rest).push_back(row);
    masked_[column] = 1;
    const Lit inside = factor(quotient, depth + 1);
    if (is_mux) {
      const Lit outside = factor(rest, depth + 1);
      masked_[column] = 0;
      terms.push_back(store_.mux(inputs_[column], inside, outside));
      break;
    }
    masked_[column] = 0;
    terms.push_back(store_.and_(literal(column, value), inside));
    rows = std::move(rest);
  }
  for (const std::size_t column : own) masked_[column] = 0;
  shared.push_back(balanced_or(store_, terms));
  return balanced_and(store_, shared);
}

Lit CoverBuilder::build(std::string_view rows, std::uint32_t row_count, std::span<const Lit> inputs,
                        bool phase) {
  if (row_count == 0) return dmt::kFalse;
  rows_ = rows;
  inputs_ = inputs;
  if (masked_.size() < inputs.size()) masked_.resize(inputs.size(), 0);
  if (row_count == 1) return cube(0) ^ !phase;
  std::vector<std::uint32_t> all(row_count);
  for (std::uint32_t i = 0; i < row_count; ++i) all[i] = i;
  budget_ = kBudgetFactor * row_count * (inputs.size() + 1);
  return factor(all, 0) ^ !phase;
}

Lit build_lut(AigStore& store, std::string_view digits, std::span<const Lit> inputs) {
  const std::size_t size = std::size_t{1} << inputs.size();
  std::vector<Lit> table(size, dmt::kFalse);
  for (std::size_t i = 0; i < size && i / 4 < digits.size(); ++i) {
    const char c = digits[digits.size() - 1 - i / 4];
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    if (((digit >> (i % 4)) & 1) != 0) table[i] = dmt::kTrue;
  }
  // The first input is the lowest bit of the index: neighbours differ in it.
  std::size_t n = size;
  for (const Lit input : inputs) {
    n /= 2;
    for (std::size_t i = 0; i < n; ++i) table[i] = store.mux(input, table[2 * i + 1], table[2 * i]);
  }
  return table[0];
}

}  // namespace hw
