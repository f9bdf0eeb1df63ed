#pragma once

#include <cstdint>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

struct ExtractParams {
  /// Inputs of the nodes that the circuit is collapsed into, 2 to 8.
  unsigned k = 6;
  /// Collapses for few nodes; otherwise for few levels.
  bool area = true;
  /// Cuts of a node that the collapsing chooses from, up to 32; 0: as many as mapping takes.
  unsigned cuts = 0;
  /// Products of a node; one with more keeps its ANDs and takes no part.
  unsigned products = 64;
  /// A node whose products, factored alone, take more ANDs than so many percent of those it has in the
  /// circuit keeps its ANDs, too; an AND in n nodes counts as 1/n of one. 0: no such limit.
  unsigned growth = 0;
  /// A circuit whose products have more literals than so many percent of its ANDs is given back as it is:
  /// sums of products suit control logic, not arithmetic. 0: no such limit.
  unsigned density = 0;
  /// Literals of a divisor of two products, 2 to 8.
  unsigned literals = 4;
  /// Pairs of products or literals to be remembered, at most 2^27. Half of them are for the circuit as it is
  /// given, nodes beyond take no part; the search ends when there are more.
  std::uint64_t pairs = 40'000'000;
};

struct ExtractStats {
  std::uint64_t nodes = 0;
  /// Nodes with too many products.
  std::uint64_t kept = 0;
  std::uint64_t products = 0;
  std::uint64_t divisors = 0;
  std::uint64_t extracted = 0;
  std::uint64_t uses = 0;
  /// Literals of all products before and after, those of the new nodes included.
  std::uint64_t literals_before = 0;
  std::uint64_t literals_after = 0;
};

/// Extraction of common divisors from the whole circuit at once: it is collapsed into nodes of up to `k`
/// inputs, each an irredundant sum of products (of the function or its complement); pairs of literals of one
/// product and pairs of products of one node are the divisors, and that which saves most ANDs is made a node
/// of its own until none saves any (Rajski, Vasudevamurthy, "The testability-preserving concurrent
/// decomposition and factorization of Boolean expressions", IEEE TCAD 1992). What is left is factored into
/// ANDs. The structure is new: the result may be larger than `aig`.
///
/// Time is linear in the circuit for bounded `products`, up to the logarithm of the queue; memory about 80
/// bytes a divisor and 12 a pair. Throws UsageError for parameters out of range, LimitError when `stop` ends
/// it.
AigStore extract(const AigStore& aig, const ExtractParams& params, ExtractStats* stats, dynomite::Stop& stop);

}  // namespace dmt::opt
