#pragma once

#include <cstdint>
#include <vector>

#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/symbols.hpp"

namespace dynomite::ir {

struct SymbolDceParams {
  InstrId within;  // changes only what is in its regions; none: the whole module
};

struct SymbolDceStats {
  std::uint64_t visited = 0;        // symbols
  std::uint64_t erased = 0;         // symbols, those inside of erased ones not counted
  std::uint64_t erased_instrs = 0;  // with everything inside
  /// References that resolve in no way; everything they could have meant further out was kept.
  std::vector<SymbolUse> unresolved;
  bool changed() const { return erased != 0; }
};

/// Dead symbols: erases the symbols that nobody can see from outside and nothing alive refers to, however
/// they refer to each other. Seen from outside are public symbols, unless a table around them is private or
/// nested itself. Alive are these, what is no symbol and stands in something alive, and what alive ones refer
/// to: every name on the path, wherever in an attribute the reference is.
///
/// A reference that does not resolve where it should keeps what it would mean in all tables around, and is
/// reported. Linear expected time. An early `stop` changes nothing.
/// Throws UsageError if the mutator only records (Tracking::kLazyUpdate).
SymbolDceStats symbol_dce(Mutator& mutator, const SymbolDceParams& params, Stop& stop);

}  // namespace dynomite::ir
