#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt::opt {

/// A new circuit whose levels are known while it grows.
class LevelAware {
 public:
  AigStore& store() { return store_; }
  /// When inputs and latches are there.
  void start() { levels_.assign(store_.node_count(), 0); }
  std::uint32_t level(Lit lit) const { return levels_[lit.node().index()]; }
  Lit and_(Lit a, Lit b);
  Lit xor_(Lit a, Lit b);
  /// `select ? then : otherwise`.
  Lit mux(Lit select, Lit then, Lit otherwise);
  /// The AND of all: gates that are there first, then the two shallowest literals; empties the list.
  Lit join(std::vector<Lit>& lits);

 private:
  void extend_levels();
  bool join_known(std::vector<Lit>& lits);

  AigStore store_;
  std::vector<std::uint32_t> levels_;
};

}  // namespace dmt::opt
