#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dmt_dialect/native/algebra/rewriting.hpp"

namespace dmt::algebra {

struct SideStats {
  std::uint64_t nodes = 0;
  std::uint64_t cells = 0;
  /// Adders whose carry was found by its values and proved by SAT.
  std::uint64_t carries_proved = 0;
  std::uint64_t terms = 0;
  std::uint64_t most_terms = 0;
  std::uint64_t monomials = 0;
  std::uint64_t carries_expanded = 0;
  /// Adders of the circuit built anew (`Rebuilt`); 0 if there was no need.
  std::uint64_t rebuilt_by_gates = 0;
  std::uint64_t rebuilt_by_values = 0;
  std::uint64_t rebuilt_invented = 0;
  RewriteOutcome outcome = RewriteOutcome::kStopped;
};

enum class WordStatus : std::uint8_t { kUndecided, kEqual, kDifferent };

struct WordResult {
  WordStatus status = WordStatus::kUndecided;
  /// If different: values of the inputs, then latches, for which the words differ.
  std::vector<std::uint8_t> counterexample;
  /// The bits that differ there, by simulation; at least one.
  std::vector<std::uint32_t> differing;
  SideStats left, right;
};

/// Whether two words (bit 0 first, equally many bits) of one AIG are equal for all inputs: after some random
/// patterns both as polynomials modulo 2^bits in the inputs, which are equal just if the words are. Of the
/// difference of two that are not, a monomial with no other below it is a point where it is not 0. If one
/// side only meets the limits, it is proved to be the polynomial of the other by building one anew in its
/// likeness (`prove_by_rebuilding`).
WordResult compare_words(const AigStore& store, std::span<const Lit> left, std::span<const Lit> right,
                         const RewriteLimits& limits, dynomite::Stop& stop);

}  // namespace dmt::algebra
