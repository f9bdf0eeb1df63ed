#pragma once

#include <cstddef>
#include <vector>

#include "dmt_dialect/native/bdd/bdd_store.hpp"
#include "dmt_dialect/native/dividers/stages.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::dividers {

/// Proves what a stage is said to keep, for all words before it that are in range: by decision diagrams over
/// the bits of these words from the highest down, which stay linear in the width, as a carry is all that
/// passes from bit to bit.
///
/// What is proved is what the functions of stages.hpp build: the same calls make the circuit that is proved,
/// over free inputs, and the one the proof is used for, where the words before the stage are in range because
/// they were so proved of the stage before. By induction over the stages.
class StageProver {
 public:
  /// For words of at most `width` bits.
  StageProver(Kind kind, std::size_t width, dynomite::Stop& stop);

  /// Whether for all `last` of these widths that are in range and all incoming bits: the remainder of the
  /// next stage needs no more bits than `Stage::remainder` has, is in range, and is what `corrected` gives;
  /// and, if there is a stage after it, its difference is what `difference_of_difference` gives, with one
  /// more copy of the sign. False also when `stop` ends it.
  bool prove(std::size_t remainder_bits, std::size_t result_bits, std::size_t divisor_bits, bool more);

 private:
  /// From the top: the digit, then by significance from the highest, the incoming bits last.
  BddEdge digit_variable() const { return variables_[0].get(); }
  BddEdge variable(std::size_t place, std::size_t word) const;
  BddEdge incoming_variable(std::size_t place) const;

  Kind kind_;
  std::size_t width_;
  dynomite::Stop& stop_;
  BddStore store_;
  std::vector<BddHold> variables_;  // by their place in the order; let go before the store is
};

}  // namespace dmt::dividers
