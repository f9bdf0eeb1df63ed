#pragma once

#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// Whether copied gates are hashed and simplified, or stay one node each.
enum class AppendMode : std::uint8_t { kHashed, kPlain };

/// Copies the AND nodes of `source` into `target`. `ci_map` gives the target literal of each input, then of
/// each latch, of `source`. Returns the target literal of every source node (positive). Ports are not
/// copied. Linear. Throws UsageError for a map of the wrong length or with foreign literals, LimitError when
/// `stop` ends the call; what was copied until then stays.
std::vector<Lit> append(AigStore& target, const AigStore& source, std::span<const Lit> ci_map,
                        AppendMode mode, dynomite::Stop& stop);

/// The target literal of `lit` under a node map as `append` returns it.
inline Lit mapped(std::span<const Lit> map, Lit lit) { return map[lit.node().index()] ^ lit.complemented(); }

/// Marks the nodes that `roots` depend on, themselves included. Linear, no recursion: fanins precede nodes.
std::vector<bool> mark_cone(const AigStore& aig, std::span<const Lit> roots);

}  // namespace dmt
