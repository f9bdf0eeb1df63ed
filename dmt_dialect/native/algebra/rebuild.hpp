#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/algebra/polynomial.hpp"
#include "dmt_dialect/native/arith/adder_cells.hpp"

namespace dmt::algebra {

struct Rebuilt {
  /// Whether the word is the polynomial: proved.
  bool equal = false;
  /// If so: the sum's bits.
  std::vector<Lit> word;
  /// Adders taken over from the circuit, found by values, and put in for want of either.
  std::uint64_t by_gates = 0;
  std::uint64_t by_values = 0;
  std::uint64_t invented = 0;
};

/// Whether the word is the given polynomial modulo 2^bits (terms as `Rewritten` has them), for circuits whose
/// adders were restructured: a sum of the polynomial's terms is built anew, of full and half adders only, so
/// that it is the polynomial whatever adders are chosen. Those of the circuit are chosen where their inputs
/// meet in a column, else such whose sum and carry are nodes of the circuit by their values. What comes out
/// is then much like the circuit, and is proved equal to it by SAT sweeping. Adds to `store`.
Rebuilt prove_by_rebuilding(AigStore& store, const AdderCells& found, std::span<const Lit> word,
                            const std::vector<Term>& terms, dynomite::Stop& stop);

}  // namespace dmt::algebra
