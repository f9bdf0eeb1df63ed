#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// What a mapper works on: the live nodes of an AIG, numbered anew without gaps, in topological order. Node 0
/// is the constant, nodes 1 to `ci_count` are the inputs, then the latches, all of them, used or not.
struct MapGraph {
  struct Root {
    std::uint32_t node;
    bool complemented;
  };

  /// Another pair of fanins whose AND, complemented or not, is the node as well.
  struct Choice {
    Node fanins;
    std::uint32_t next;
    bool complemented;
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Takes the cone of all roots (`for_each_root`). Linear.
  explicit MapGraph(const AigStore& aig);
  /// The same with choices: nodes are classes of nodes proved equal, of the circuit and of other versions of
  /// it, at least one, with as many inputs, latches and roots. Roots are those of the first version. Throws
  /// LimitError when `stop` ends it.
  MapGraph(const AigStore& aig, std::span<const AigStore* const> versions, dynomite::Stop& stop);

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(fanins.size()); }
  std::uint32_t size() const { return node_count(); }
  Lit fanin0(std::uint32_t node) const { return fanins[node].fanin0; }
  Lit fanin1(std::uint32_t node) const { return fanins[node].fanin1; }
  bool has_choices() const { return !choices.empty(); }
  /// Calls `visit(fanins, complemented)` for every pair of fanins of an AND.
  template <typename Visit>
  void for_each_pair(std::uint32_t node, Visit&& visit) const {
    visit(fanins[node], false);
    if (choices.empty()) return;
    for (std::uint32_t at = first_choice[node]; at != kNone; at = choices[at].next) {
      visit(choices[at].fanins, choices[at].complemented);
    }
  }
  bool is_ci(std::uint32_t node) const { return node <= ci_count; }

  std::uint32_t ci_count = 0;
  /// Literals (AIGER's numbers) of the nodes of the graph; rows up to `ci_count` mean nothing.
  std::vector<Node> fanins;
  /// Further pairs of fanins: chains that begin at `first_choice`, which is empty if there is none at all.
  std::vector<Choice> choices;
  std::vector<std::uint32_t> first_choice;
  /// First pairs of fanins and roots that refer to a node.
  std::vector<std::uint32_t> fanouts;
  std::vector<Root> roots;
  /// Of each node one of the AIG that is the same; 0 if there is none.
  std::vector<std::uint32_t> origins;
};

}  // namespace dmt
