#pragma once

#include <optional>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// An AND of the complements of two ANDs that share a literal in both polarities: the node is
///     ~(select ? then : otherwise).
/// It is an XOR, select ^ then, if `otherwise` is `~then`.
struct MuxShape {
  Lit select, then, otherwise;
  /// The AND of `select` and `then`, and that of `~select` and `otherwise`.
  NodeId then_and, otherwise_and;
  bool is_xor() const { return otherwise == ~then; }
};

/// The shape of an AND node, if it has it. Constant time.
std::optional<MuxShape> mux_shape(const AigStore& store, NodeId node);

}  // namespace dmt
