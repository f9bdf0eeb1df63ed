#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/aig/levels.hpp"
#include "dynomite/native/rewrite/match_store.hpp"

namespace dmt {

/// The literals of an AIG as instructions that patterns match: node n is the literal with the raw number n.
///
/// A literal of an AND is `op.AND def, fanin0, fanin1`, the complement of any literal `op.NOT def, literal`;
/// inputs and latches are values without an operation. A literal is the value it defines; constants are those
/// of one bit. Values have no types. The AIG must not change meanwhile.
class AigMatchStore {
 public:
  /// `registry` must have the dialect `op`; UsageError if not. Linear: counts fanouts.
  AigMatchStore(const AigStore& aig, const dynomite::ir::Registry& registry);

  std::uint32_t size() const { return 2 * aig_.node_count(); }
  std::uint16_t opcode(std::uint32_t literal) const {
    if ((literal & 1U) != 0) return not_;
    return aig_.is_and(NodeId(literal >> 1)) ? and_ : kNoOperation;
  }
  std::uint32_t operand_count(std::uint32_t literal) const { return 1 + uses_of(literal); }
  dynomite::rewrite::Shape shape(std::uint32_t literal) const { return {operand_count(literal), 1, true}; }
  dynomite::ir::Operand operand(std::uint32_t literal, std::uint32_t index) const {
    if (index == 0) return {reference(literal), true};
    if ((literal & 1U) != 0) return {reference(literal ^ 1U), false};
    const NodeId node(literal >> 1);
    return {reference((index == 1 ? aig_.fanin0(node) : aig_.fanin1(node)).raw()), false};
  }
  std::uint32_t definition(const dynomite::ir::FatDynObjRef& ref) const { return ref.id; }
  dynomite::ir::TypeId type(const dynomite::ir::FatDynObjRef&) const { return {}; }
  /// One gate or root takes the literal or its complement.
  bool has_one_use(const dynomite::ir::FatDynObjRef& ref) const {
    return ref.kind == dynomite::ir::kind::kValue && has_one_use(ref.id);
  }
  bool has_one_use(std::uint32_t literal) const { return fanouts_[literal >> 1] == 1; }
  const dynomite::ir::Attributes& attributes() const { return attributes_; }
  const dynomite::ir::Registry& registry() const { return registry_; }

 private:
  static constexpr std::uint16_t kNoOperation = 0xFFFF;

  std::uint32_t uses_of(std::uint32_t literal) const {
    if ((literal & 1U) != 0) return 1;
    return aig_.is_and(NodeId(literal >> 1)) ? 2 : 0;
  }
  static dynomite::ir::FatDynObjRef reference(std::uint32_t literal) {
    if (literal < 2) return {dynomite::ir::kind::kConstant, 1, literal};
    return {dynomite::ir::kind::kValue, literal};
  }

  const AigStore& aig_;
  const dynomite::ir::Registry& registry_;
  dynomite::ir::Attributes attributes_;
  std::vector<std::uint32_t> fanouts_;
  std::uint16_t and_, not_;
};
static_assert(dynomite::rewrite::MatchStore<AigMatchStore>);

}  // namespace dmt
