#pragma once

#include <cstdint>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/passes/instr_like.hpp"

namespace dmt {

/// The nodes of an AIG as an InstrLikeStore: the operation is the kind of node, the operands of an AND are
/// its two fanins with their complement bits; other nodes have none (a latch's next state belongs to the
/// next cycle). Costs nothing: every call is a read of the node.
class AigView {
 public:
  explicit AigView(const AigStore& aig) : aig_(aig) {}

  std::uint32_t node_bound() const { return aig_.node_count(); }
  bool is_live(std::uint32_t) const { return true; }
  std::uint32_t opcode(std::uint32_t node) const {
    return static_cast<std::uint32_t>(aig_.kind(NodeId(node)));
  }
  std::uint32_t operand_count(std::uint32_t node) const { return aig_.is_and(NodeId(node)) ? 2 : 0; }
  std::uint32_t operand_def(std::uint32_t node, std::uint32_t index) const {
    return fanin(node, index).node().index();
  }
  std::uint64_t operand_word(std::uint32_t node, std::uint32_t index) const {
    return fanin(node, index).raw() & 1U;
  }
  bool is_commutative(std::uint32_t) const { return true; }
  bool is_mergeable(std::uint32_t node) const { return aig_.is_and(NodeId(node)); }

 private:
  Lit fanin(std::uint32_t node, std::uint32_t index) const {
    return index == 0 ? aig_.fanin0(NodeId(node)) : aig_.fanin1(NodeId(node));
  }

  const AigStore& aig_;
};
static_assert(dynomite::ir::InstrLikeStore<AigView>);

}  // namespace dmt
