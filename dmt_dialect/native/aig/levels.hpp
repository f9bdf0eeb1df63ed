#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// Calls `visit(Lit)` for every literal that the circuit's surroundings read: outputs, next states, bad,
/// constraints, justice, fairness, in this order.
template <typename Visit>
void for_each_root(const AigStore& store, Visit&& visit) {
  for (const Lit lit : store.outputs()) visit(lit);
  for (const Latch& latch : store.latches()) visit(latch.next);
  for (const Lit lit : store.bad()) visit(lit);
  for (const Lit lit : store.constraints()) visit(lit);
  for (const auto& group : store.justice()) {
    for (const Lit lit : group) visit(lit);
  }
  for (const Lit lit : store.fairness()) visit(lit);
}

/// Level of every node: 0 for the constant, inputs and latches, else one more than the higher fanin. Linear.
std::vector<std::uint32_t> levels(const AigStore& store);

/// Highest level of a root (`for_each_root`).
std::uint32_t depth(const AigStore& store, const std::vector<std::uint32_t>& levels);

/// For every node the number of fanins and roots that refer to it. Linear.
std::vector<std::uint32_t> fanout_counts(const AigStore& store);

}  // namespace dmt
