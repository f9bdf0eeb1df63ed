#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/dividers/stages.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::dividers {

/// What is divided or has its root taken, in literals of an AIG, bit 0 first.
struct Operands {
  Kind kind = Kind::kQuotient;
  std::vector<Lit> dividend;
  /// As wide as the dividend; empty for roots, whose radicand has an even number of bits.
  std::vector<Lit> divisor;
};

/// An AIG with a divider in front of what it held, which has the words of both restoring and non-restoring
/// circuits.
struct Bridge {
  AigStore aig;
  /// The literal in it of each node of the AIG given.
  std::vector<Lit> map;
  /// Literals proved equal: what tells the words of the one kind from those of the other.
  std::vector<std::pair<Lit, Lit>> facts;
  /// The bits of all words of the divider.
  std::vector<Lit> words;
};

/// Puts a divider or root over `operands`, which must be inputs, in front of the gates of `aig`, so that a
/// sweeper going up from the inputs finds its words first, and both kinds of circuits equal to it stage by
/// stage. The gates are those of `aig`, hashed: nothing depends on the operands being a good guess.
/// Nothing when `stop` ends it. Cost: linear in the gates of `aig`, plus 30 times the square of the width.
std::optional<Bridge> build_bridge(const AigStore& aig, const Operands& operands, dynomite::Stop& stop);

}  // namespace dmt::dividers
