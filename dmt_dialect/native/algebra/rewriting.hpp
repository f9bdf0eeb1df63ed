#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/algebra/polynomial.hpp"
#include "dmt_dialect/native/arith/adder_cells.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::algebra {

/// What is known of the nodes besides their gates.
struct Facts {
  /// Exact adders; of several with the same sum or carry the first one that fits is used.
  std::vector<AdderCell> cells;
  /// The first so many cells are proved equal to other logic; the others are cells by their own gates.
  std::uint32_t proved = 0;
  /// Nodes that are the exclusive or of two others.
  std::vector<XorNode> xors;
};

struct RewriteLimits {
  /// Terms at a time.
  std::size_t terms = 200'000;
  /// Monomials over all.
  std::size_t monomials = 3'000'000;
};

enum class RewriteOutcome : std::uint8_t { kDone, kLimit, kStopped };

/// A node or an adder that was rewritten: a gate and its fanins, an exclusive or and its operands; or sum,
/// carry, and three inputs.
struct RewriteStep {
  enum class Kind : std::uint8_t { kAnd, kXor, kCell };
  Kind kind;
  /// Of a cell: whether it is one of the `Facts::proved` ones, and which.
  bool proved;
  std::uint32_t number;
  std::array<Lit, 5> lits;
};

struct Rewritten {
  RewriteOutcome outcome = RewriteOutcome::kStopped;
  /// The word as a polynomial in the inputs (inputs by number, latches behind them), modulo 2^bits of the
  /// word: terms without those that are 0, sorted. Equal words have equal polynomials and vice versa.
  std::vector<Term> terms;
  std::vector<RewriteStep> steps;
  std::size_t most_terms = 0;
  std::size_t monomials = 0;
  std::size_t cells_used = 0;
  /// Carries that were left over where their sum was rewritten, and were expanded.
  std::size_t carries_expanded = 0;
};

/// The word whose bits are given, lowest first, as a polynomial in the inputs: backward rewriting from the
/// outputs to the inputs, where a sum bit becomes what goes into its adder less twice its carry, so that
/// carries cancel and trees of adders stay linear. Other nodes become products. Products of sum and carry of
/// a half adder vanish. After Yu, Brown, Liu, Rossi, Ciesielski, "Formal Verification of Arithmetic Circuits
/// by Function Extraction" (TCAD 2016), and Mahzoon, Grosse, Drechsler, "RevSCA" (DAC 2019) for the rest.
/// Between 1 and `kMostBits` bits. Linear in the cells; exponential where products do not cancel, up to the
/// limits.
Rewritten rewrite_word(const AigStore& store, const Facts& facts, std::span<const Lit> word,
                       const RewriteLimits& limits, dynomite::Stop& stop);

}  // namespace dmt::algebra
