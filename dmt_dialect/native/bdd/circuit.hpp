#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/bdd/bdd_store.hpp"
#include "dynomite/native/base/stop.hpp"

/// From and-inverter graphs to decision diagrams and back.
namespace dmt::bdd {

/// Combinational inputs are numbered: inputs first, then latches.
std::uint32_t ci_count(const AigStore& aig);

/// Diagrams of `roots`; `inputs` has one edge for each combinational input, all referenced. Gates are built
/// depth first from the roots, and let go with their last reader. To be called outside an operation: each
/// gate is one. Throws LimitError.
std::vector<BddHold> from_aig(BddStore& store, const AigStore& aig, std::span<const Lit> roots,
                              std::span<const BddEdge> inputs);

/// Muxes for `roots` in `aig`: `inputs` has a literal for each variable of the store. Nodes of the diagrams
/// that are shared become gates that are shared.
std::vector<Lit> to_aig(const BddStore& store, AigStore& aig, std::span<const BddEdge> roots,
                        std::span<const Lit> inputs);

/// Orders of the combinational inputs below `roots` for small diagrams; those not reached come last.
/// Depth first from the roots, the deeper fanin first.
std::vector<std::uint32_t> depth_first_order(const AigStore& aig, std::span<const Lit> roots);
/// FORCE (Aloul, Markov, Sakallah 2003): begins with the depth-first order, then draws connected nodes
/// together as long as the total span of gates gets smaller.
std::vector<std::uint32_t> force_order(const AigStore& aig, std::span<const Lit> roots, dynomite::Stop& stop);

}  // namespace dmt::bdd
