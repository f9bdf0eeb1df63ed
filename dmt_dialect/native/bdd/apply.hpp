#pragma once

#include "dmt_dialect/native/bdd/bdd_store.hpp"

/// Boolean operations on diagrams. They are to run inside `BddStore::operation`, and may call one another.
namespace dmt::bdd {

/// Third words of cache keys; see OpCache.
enum Tag : std::uint32_t {
  kAndTag = OpCache::kFirstTag,
  kXorTag,
  kImpliesTag,
  kExistsTag,
  kConstrainTag,
  kRestrictTag,
  kComposeTag = OpCache::kFirstNumbered,
};

BddEdge and_(BddStore& store, BddEdge f, BddEdge g);
inline BddEdge or_(BddStore& store, BddEdge f, BddEdge g) { return ~and_(store, ~f, ~g); }
BddEdge xor_(BddStore& store, BddEdge f, BddEdge g);
/// f ? g : h
BddEdge ite(BddStore& store, BddEdge f, BddEdge g, BddEdge h);
/// Whether g is true wherever f is, without building anything.
bool implies(BddStore& store, BddEdge f, BddEdge g);

}  // namespace dmt::bdd
