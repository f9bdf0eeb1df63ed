#pragma once

#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// Copies the AND nodes of `source` into `target` with hashing and simplification. `ci_map` gives the
/// target literal of each input, then of each latch, of `source`. Returns the target literal of every
/// source node (positive). Ports are not copied. Linear.
std::vector<Lit> append(AigStore& target, const AigStore& source, std::span<const Lit> ci_map);

/// The target literal of `lit` under a node map as `append` returns it.
inline Lit mapped(std::span<const Lit> map, Lit lit) { return map[lit.node().index()] ^ lit.complemented(); }

/// Marks the nodes that `roots` depend on, themselves included. Linear, no recursion: fanins precede nodes.
std::vector<bool> mark_cone(const AigStore& aig, std::span<const Lit> roots);

}  // namespace dmt
