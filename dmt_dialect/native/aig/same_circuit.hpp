#pragma once

#include <cstdint>
#include <string>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// Empty if the two are the same circuit, else one sentence about the first difference. The same means: equal
/// up to the numbering of nodes, the order of an AND's fanins, duplicate ANDs and ANDs that nothing needs;
/// ports, reset values and properties in the same order; with `names`, the same names of ports and
/// properties. Circuit names, net names and comments are not looked at. This is about structure: circuits
/// that compute the same in different ways differ. Linear.
std::string first_difference(const AigStore& a, const AigStore& b, bool names);

/// 64-bit hash of a circuit; equal for circuits without `first_difference` (names included if asked for).
/// The same on every platform and in every run.
std::uint64_t circuit_hash(const AigStore& store, bool names);

}  // namespace dmt
