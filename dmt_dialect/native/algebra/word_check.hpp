#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dmt_dialect/native/algebra/side.hpp"

namespace dmt::algebra {

enum class WordStatus : std::uint8_t { kUndecided, kEqual, kDifferent };

struct WordResult {
  WordStatus status = WordStatus::kUndecided;
  /// If different: values of the inputs, then latches, for which the words differ.
  std::vector<std::uint8_t> counterexample;
  /// The bits that differ there, by simulation; at least one.
  std::vector<std::uint32_t> differing;
  SideStats left, right;
  /// If equal, and wanted: how each word became the polynomial; the nodes added for the right one follow
  /// those for the left one.
  std::vector<Explanation> explained;
};

/// Whether two words (bit 0 first, equally many bits) of one AIG are equal for all inputs: after some random
/// patterns both as polynomials modulo 2^bits in the inputs, which are equal just if the words are. Of the
/// difference of two that are not, a monomial with no other below it is a point where it is not 0. If one
/// side only meets the limits, it is proved to be the polynomial of the other by building one anew in its
/// likeness (`prove_by_rebuilding`).
WordResult compare_words(const AigStore& store, std::span<const Lit> left, std::span<const Lit> right,
                         const RewriteLimits& limits, bool explain, dynomite::Stop& stop);

}  // namespace dmt::algebra
