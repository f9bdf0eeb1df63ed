#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dynomite/native/ir/builder.hpp"
#include "dynomite/native/ir/module.hpp"
#include "dynomite/native/ir/value_links.hpp"

namespace dynomite::ir {

using CInstrId = Id<struct CInstrTag>;

/// Compressed instructions: operands of 4 bytes, numbers of uses instead of use lists, at most one value
/// each.
///
/// An instruction takes 12 bytes and 4 an operand, 20 for a binary operation, and at most a fifth of that for
/// growing. Operation, type and number of operands together are one word, a number in a table of those there
/// are. Types, constants and attributes are those of the module it belongs to. Ids are dense, in the order of
/// creation and never used again; an instruction uses earlier ones only.
///
/// What fits: a definition of one value as first operand or none, no regions, blocks or instructions as
/// operands. `compress` and `expand` convert; names of values and locations stay with the module. Which value
/// is which costs some bytes a run of values that were converted in order (ValueLinks).
class CInstrStore {
 public:
  explicit CInstrStore(Module& module) : module_(module) {}

  /// A new instruction that defines a value of type `type` if `has_value`. Uses of kind kValue hold the id of
  /// the CInstr that defines it. Throws UsageError for what does not fit and StaleRefError for dead operands.
  CInstrId create(Opcode opcode, bool has_value, TypeId type, std::span<const FatDynObjRef> uses);
  /// UsageError if its value is still used.
  void erase(CInstrId instr);

  bool is_live(CInstrId instr) const {
    return instr.index() < starts_.size() && starts_[instr.index()] != kDead;
  }
  Opcode opcode(CInstrId instr) const { return shape(instr).opcode; }
  bool has_value(CInstrId instr) const { return shape(instr).has_value; }
  TypeId type(CInstrId instr) const { return shape(instr).type; }
  std::uint32_t use_count(CInstrId instr) const { return words_[starts_[instr.index()] + 1]; }
  /// Operands it uses; the value it defines, which comes first in an Instr, not counted.
  std::uint32_t use_operand_count(CInstrId instr) const { return shape(instr).uses; }
  /// A use; kind kValue with the id of the defining CInstr, or an object of the module.
  FatDynObjRef use(CInstrId instr, std::uint32_t index) const;

  std::uint32_t bound() const { return static_cast<std::uint32_t>(starts_.size()); }
  std::uint32_t live_count() const { return live_; }
  Module& module() const { return module_; }
  std::size_t memory() const;
  static constexpr std::size_t bytes_of(std::size_t uses) { return 12 + 4 * uses; }
  /// Room for so many instructions more, with so many operands together.
  void reserve(std::size_t instrs, std::size_t uses);

  /// True if `instr` fits into this form.
  bool fits(InstrId instr) const;
  /// The compressed form of an instruction of the module. What its operands use has to be compressed already
  /// (UsageError).
  CInstrId compress(InstrId instr);
  /// The compressed form of a value's definition; none if there is none.
  CInstrId find(ValueId value) const;
  /// The compressed forms of all instructions of a block, in order; takes no more memory than they need.
  std::vector<CInstrId> compress_block(BlockId block);
  /// The full form, made by `builder` where it builds. What the operands use has to be expanded already or to
  /// come from the module.
  InstrId expand(CInstrId instr, Builder& builder);
  /// The value in the module that an instruction was compressed from or expanded to.
  ValueId value(CInstrId instr) const;

 private:
  static constexpr std::uint32_t kDead = 0xFFFFFFFFU;
  static constexpr std::uint32_t kPooled = 0x80000000U;  // bit of an operand: a number in pool_

  /// What an instruction is but for its operands.
  struct Shape {
    Opcode opcode;
    std::uint16_t uses = 0;
    bool has_value = false;
    TypeId type;
    bool operator==(const Shape&) const = default;
  };
  struct ShapeHash {
    std::size_t operator()(const Shape& s) const {
      return mix(mix(s.opcode.raw(), std::uint64_t{s.uses} << 1 | (s.has_value ? 1U : 0U)), s.type.index());
    }
  };

  const Shape& shape(CInstrId instr) const { return shapes_[words_[starts_[instr.index()]]]; }
  std::uint32_t pool(const FatDynObjRef& ref);
  void check(CInstrId instr) const;
  void link(ValueId value, CInstrId instr);

  Module& module_;
  std::vector<std::uint32_t> starts_;
  // Number of the shape; number of uses of the value; uses.
  std::vector<std::uint32_t> words_;
  std::vector<Shape> shapes_;
  std::unordered_map<Shape, std::uint32_t, ShapeHash> shape_index_;
  std::vector<FatDynObjRef> pool_;  // objects of the module, each once
  std::unordered_map<FatDynObjRef, std::uint32_t> pool_index_;
  ValueLinks of_value_, of_cinstr_;
  std::uint32_t live_ = 0;
};

}  // namespace dynomite::ir
