#pragma once

#include <cstdint>
#include <span>

#include "dmt_dialect/native/bdd/bdd_store.hpp"

/// Quantification. To run inside `BddStore::operation`.
namespace dmt::bdd {

/// The AND of the variables: what quantifiers take. Variables may repeat.
BddEdge cube(BddStore& store, std::span<const std::uint32_t> vars);
BddEdge exists(BddStore& store, BddEdge f, BddEdge cube);
inline BddEdge forall(BddStore& store, BddEdge f, BddEdge cube) { return ~exists(store, ~f, cube); }
/// exists(and_(f, g), cube) without building the AND: the relational product.
BddEdge and_exists(BddStore& store, BddEdge f, BddEdge g, BddEdge cube);

}  // namespace dmt::bdd
