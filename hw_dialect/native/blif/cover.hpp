#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace hw {

/// AND of all `lits`, balanced: depth ceil(log2 n). Empty: true. Overwrites `lits`.
dmt::Lit balanced_and(dmt::AigStore& store, std::vector<dmt::Lit>& lits);
/// OR of all `lits`, balanced. Empty: false. Overwrites `lits`.
dmt::Lit balanced_or(dmt::AigStore& store, std::vector<dmt::Lit>& lits);
/// XOR of all `lits`, balanced. Empty: false. Overwrites `lits`.
dmt::Lit balanced_xor(dmt::AigStore& store, std::vector<dmt::Lit>& lits);

/// Builds covers (sums of products) as AND nodes. Literals that cubes share are factored out, the most
/// frequent first; a column whose both values split the rows becomes a multiplexer or XOR. Keeps scratch
/// memory between covers. Work is at most a constant times the size of the cover.
class CoverBuilder {
 public:
  explicit CoverBuilder(dmt::AigStore& store) : store_(store) {}

  /// `rows` holds `row_count` rows of `inputs.size()` characters 0, 1, -. No rows: constant false, whatever
  /// the phase. `phase` false: the rows list the off-set, everything else is true.
  dmt::Lit build(std::string_view rows, std::uint32_t row_count, std::span<const dmt::Lit> inputs,
                 bool phase);

 private:
  dmt::Lit cube(std::uint32_t row);
  dmt::Lit flat(std::span<const std::uint32_t> rows);
  dmt::Lit factor(std::vector<std::uint32_t>& rows, unsigned depth);
  char at(std::uint32_t row, std::size_t column) const { return rows_[row * inputs_.size() + column]; }
  dmt::Lit literal(std::size_t column, char value) const { return inputs_[column] ^ (value == '0'); }

  dmt::AigStore& store_;
  std::string_view rows_;
  std::span<const dmt::Lit> inputs_;
  std::vector<std::uint8_t> masked_;  // by column: already divided out
  std::vector<dmt::Lit> scratch_;
  std::uint64_t budget_ = 0;
};

/// Builds a look-up table given by `digits`, hexadecimal, most significant first: bit i is the value for
/// input number i, the first input being its lowest bit. At most 16 inputs; digits must fit.
dmt::Lit build_lut(dmt::AigStore& store, std::string_view digits, std::span<const dmt::Lit> inputs);

}  // namespace hw
