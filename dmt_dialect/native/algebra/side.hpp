#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dmt_dialect/native/algebra/prefix_carries.hpp"
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

/// How a word became its polynomial, in literals of the store it came from; for a certificate.
struct Explanation {
  /// Gates to be added to the store, in this order.
  std::vector<std::pair<Lit, Lit>> gates;
  /// Literals that are equal, which is not told by gates near by: to be proved; each with the set of `cuts`
  /// over which it holds.
  std::vector<std::array<std::uint32_t, 3>> equalities;
  /// Sets of nodes that may be taken for inputs; the last one is empty.
  std::vector<std::vector<std::uint32_t>> cuts;
  /// The word that was rewritten: the one asked for, or one equal to it by `equalities`.
  std::vector<Lit> word;
  /// kind (0 AND, 1 exclusive or, 2 adder) and six literals: the node and its two operands; or sum, carry,
  /// three inputs, and their majority where the carry is only equal to it (else 0); the set of `cuts` for
  /// that.
  std::vector<std::array<std::uint32_t, 8>> steps;
};

/// One word, its logic taken for itself.
class Side {
 public:
  Side(const AigStore& store, std::span<const Lit> word);

  /// Finds the word's polynomial.
  void rewrite(const RewriteLimits& limits, dynomite::Stop& stop);
  /// Whether the word is this polynomial, proved by a circuit built for it (`prove_by_rebuilding`).
  bool is(const std::vector<Term>& terms, dynomite::Stop& stop);
  /// After `rewrite` was done or `is` was true. Nodes that are added begin at `first_new` in the store.
  Explanation explain(std::uint32_t first_new, const RewriteLimits& limits, dynomite::Stop& stop);

  bool is_done() const { return result_.outcome == RewriteOutcome::kDone; }
  const std::vector<Term>& terms() const { return result_.terms; }
  SideStats stats() const;

 private:
  AigStore cone_;
  std::uint32_t own_count_;              // nodes of the cone as it was taken
  std::vector<std::uint32_t> in_store_;  // node of the cone -> node of the store
  std::vector<Lit> outputs_, word_;      // in the cone: the bits, and those that were rewritten
  AdderCells found_;
  Rewritten result_;
  CarryCells carries_;
  std::array<std::uint64_t, 3> rebuilt_{};
};

}  // namespace dmt::algebra
