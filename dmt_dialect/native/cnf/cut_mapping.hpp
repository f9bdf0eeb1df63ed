#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/cnf/cnf.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// A formula, and which variables stand for which nodes.
struct MappedCnf {
  Cnf cnf;
  /// Of each node: its variable, 0 for none.
  std::vector<std::uint32_t> variables;
  /// Of variable v, at v - 1: its node.
  std::vector<std::uint32_t> nodes;
};

/// CNF by technology mapping: the AIG below `roots` is covered by cells of up to four inputs, chosen so that
/// few clauses are needed, and each cell becomes the clauses of its function and of its complement; nodes
/// inside of cells get no variable. (Een, Mishchenko, Sorensson, "Applying logic synthesis for speeding up
/// SAT", SAT 2007.)
///
/// Two rounds of area flow over five cuts a node. Throws LimitError when `stop` ends it. Linear time; about
/// 180 bytes a node while it runs.
MappedCnf map_to_cnf(const AigStore& aig, std::span<const Lit> roots, dynomite::Stop& stop);

}  // namespace dmt
