#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/opt/level_aware.hpp"

namespace dmt::opt {

/// Which of the recognised gates are balanced as such.
struct GateTreeKinds {
  bool xors = false;
  bool muxes = false;
};

/// Trees of XORs and chains of multiplexers in a circuit: what is inside of them is used nowhere else, so
/// that they can be built anew with fewer levels.
class GateTrees {
 public:
  /// `uses` counts the references of each node, those of roots included (it may stop counting at 3); dead
  /// nodes have none. Linear.
  GateTrees(const AigStore& aig, const std::vector<std::uint8_t>& uses, GateTreeKinds kinds);

  /// The node is a tree's root or inside of one: `build` makes the former, nobody needs the latter.
  bool is_root(NodeId id) const {
    return role_[id.index()] == Role::kXorRoot || role_[id.index()] == Role::kMuxRoot;
  }
  bool is_inside(NodeId id) const { return role_[id.index()] == Role::kInside; }
  const std::vector<NodeId>& roots() const { return roots_; }
  /// Nodes that the trees take as operands.
  const std::vector<NodeId>& operands() const { return operands_; }

  /// Builds the tree of a root; `map` has the literals of its operands' nodes in `target`. N log N in the
  /// operands.
  Lit build(NodeId root, const std::vector<Lit>& map, LevelAware& target);

 private:
  enum class Role : std::uint8_t { kNone, kXor, kMux, kXorRoot, kMuxRoot, kInside };
  /// One alternative of a chain: `value` where `condition` and none before. The last has no condition.
  struct Choice {
    Lit condition, value;
  };

  void find_gates(GateTreeKinds kinds);
  void mark_tree(NodeId root);
  bool is_private(Lit lit, Role role, std::uint8_t uses) const {
    return role_[lit.node().index()] == role && uses_[lit.node().index()] == uses;
  }
  bool has_inner_xor(NodeId root) const;
  /// Literals whose XOR the root is; with the nodes that the tree consists of besides the root.
  std::vector<Lit> collect_xor(NodeId root, std::vector<NodeId>* inside) const;
  std::vector<Choice> collect_choices(NodeId root, std::vector<NodeId>* inside) const;
  Lit build_xor(NodeId root, const std::vector<Lit>& map, LevelAware& target);
  Lit build_mux(NodeId root, const std::vector<Lit>& map, LevelAware& target);

  const AigStore& aig_;
  const std::vector<std::uint8_t>& uses_;
  std::vector<Role> role_;
  std::vector<std::uint32_t> chain_;  // of a multiplexer: how many follow each other from here
  std::vector<NodeId> operands_, roots_;
};

}  // namespace dmt::opt
