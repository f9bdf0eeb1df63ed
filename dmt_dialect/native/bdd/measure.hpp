#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dmt_dialect/native/bdd/bdd_store.hpp"

/// Questions about diagrams. They change nothing and may run in parallel.
namespace dmt::bdd {

/// Variables the functions depend on, in the order of levels.
std::vector<std::uint32_t> support(const BddStore& store, std::span<const BddEdge> roots);
/// Nodes of the shared diagram, the terminal included.
std::size_t node_count(const BddStore& store, std::span<const BddEdge> roots);
/// Number of models over `vars` variables, which include the support; little-endian words of any number.
std::vector<std::uint64_t> model_count(const BddStore& store, BddEdge root, std::size_t vars);
/// The function's value; `values` has one for each variable.
bool evaluate(const BddStore& store, BddEdge root, std::span<const std::uint8_t> values);

/// A partial assignment, in the order of levels.
using BddCube = std::vector<std::pair<std::uint32_t, bool>>;

/// The paths to "true", one after the other, low branches first: disjoint cubes that cover the function.
class CubeWalk {
 public:
  CubeWalk(const BddStore& store, BddEdge root);
  /// Nothing after the last. Throws UsageError when the order of variables has changed meanwhile.
  std::optional<BddCube> next();

 private:
  /// Goes down to "true" from `edge`, by low branches where they allow it.
  void descend(BddEdge edge);

  struct Step {
    BddEdge edge;
    bool value;
  };
  const BddStore& store_;
  std::vector<Step> path_;
  std::size_t reorderings_;
  BddEdge root_;
  bool begun_ = false;
};

}  // namespace dmt::bdd
