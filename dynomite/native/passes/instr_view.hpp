#pragma once

#include <cstdint>

#include "dynomite/native/ir/module.hpp"
#include "dynomite/native/passes/instr_like.hpp"

namespace dynomite::ir {

/// The instructions of a module as an InstrLikeStore; node n is InstrId(n).
class InstrView {
 public:
  explicit InstrView(const Module& module) : module_(module), instrs_(module.instrs()) {}

  std::uint32_t node_bound() const { return instrs_.instr_bound(); }
  bool is_live(std::uint32_t node) const { return instrs_.is_live(InstrId(node)); }
  std::uint32_t opcode(std::uint32_t node) const { return instrs_.opcode(InstrId(node)).raw(); }
  std::uint32_t operand_count(std::uint32_t node) const { return instrs_.operand_count(InstrId(node)); }
  /// The defining instruction of a used value; the instruction itself where it is used as an object.
  std::uint32_t operand_def(std::uint32_t node, std::uint32_t index) const {
    const Operand operand = instrs_.operand(InstrId(node), index);
    if (operand.is_def) return kNoNode;
    if (operand.ref.kind == kind::kInstr) return operand.ref.id;
    if (operand.ref.kind != kind::kValue) return kNoNode;
    return instrs_.definition(ValueId(operand.ref.id)).instr.index();
  }
  std::uint64_t operand_word(std::uint32_t node, std::uint32_t index) const {
    const Operand operand = instrs_.operand(InstrId(node), index);
    if (operand.ref.kind != kind::kValue) return hash_of(operand.ref);
    const ValueId value(operand.ref.id);
    // A definition is told by its type, a use by which value of its instruction it is.
    return operand.is_def ? ~std::uint64_t{instrs_.type(value).index()} : instrs_.definition(value).operand;
  }
  bool is_commutative(std::uint32_t node) const { return has_trait(node, kCommutative); }
  bool is_mergeable(std::uint32_t node) const {
    if (!has_trait(node, kPure)) return false;
    for (std::uint32_t i = 0; i < operand_count(node); ++i) {
      const Operand operand = instrs_.operand(InstrId(node), i);
      if (operand.is_def && operand.ref.kind != kind::kValue) return false;
    }
    return true;
  }

 private:
  bool has_trait(std::uint32_t node, OpTrait trait) const {
    return (module_.traits(InstrId(node)) & trait) != 0;
  }

  const Module& module_;
  const InstrStore& instrs_;
};
static_assert(InstrLikeStore<InstrView>);

}  // namespace dynomite::ir
