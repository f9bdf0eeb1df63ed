#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynomite/native/base/access.hpp"
#include "dynomite/native/ir/attributes.hpp"
#include "dynomite/native/ir/cfg_store.hpp"
#include "dynomite/native/ir/instr_store.hpp"
#include "dynomite/native/ir/locations.hpp"
#include "dynomite/native/ir/registry.hpp"

namespace dynomite::ir {

/// One unit of IR: the stores and what names them. Mutation goes through `Mutator` (update_log.hpp).
///
/// Conventions for instructions:
/// * Operands: definitions and uses in any order; an attribute dictionary, if there is one, is the last
///   operand (a use of kind kAttr).
/// * An operation with the trait kSymbol has the string attribute "sym_name" and may have
///   "sym_visibility" ("private" or "nested"; public without it).
/// * A region or block that belongs to an instruction is a definition operand of kind kRegion or kBlock.
class Module {
 public:
  explicit Module(std::shared_ptr<Registry> registry, StoreKind kind = StoreKind::kArena)
      : registry_(std::move(registry)), instrs_(kind) {
    body_ = cfg_.create_block(cfg_.create_region());
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::shared_ptr<Registry>& registry() const { return registry_; }
  /// `registry` must know the same operations and types by the same numbers.
  void set_registry(std::shared_ptr<Registry> registry) { registry_ = std::move(registry); }
  Attributes& attributes() { return attributes_; }
  const Attributes& attributes() const { return attributes_; }
  InstrStore& instrs() { return instrs_; }
  const InstrStore& instrs() const { return instrs_; }
  CfgStore& cfg() { return cfg_; }
  const CfgStore& cfg() const { return cfg_; }
  Locations& locations() { return locations_; }
  const Locations& locations() const { return locations_; }
  /// The block of the outermost region.
  BlockId body() const { return body_; }

  /// Name of a value in the text, without '%'; none if it has no name of its own.
  AttrId value_name(ValueId value) const {
    return value.index() < value_names_.size() ? value_names_[value.index()] : AttrId();
  }
  void set_value_name(ValueId value, AttrId name);

  /// Bits of OpTrait; 0, which promises nothing, for an operation that was never declared.
  std::uint32_t traits(InstrId instr) const {
    const Opcode opcode = instrs_.opcode(instr);
    return registry_->knows(opcode) ? registry_->op(opcode).traits : 0;
  }
  /// The attribute dictionary of an instruction (its last operand), or none.
  AttrId dictionary(InstrId instr) const;
  /// One attribute; a reference of kind kNone if it is absent.
  FatDynObjRef attribute(InstrId instr, std::string_view name) const;
  /// The name of a symbol; nothing if the instruction is none.
  std::optional<std::string> symbol_name(InstrId instr) const;
  /// Regions (and single blocks as operands) that an instruction owns, in operand order.
  std::vector<RegionId> regions(InstrId instr) const;
  /// The instruction whose region holds `instr`; none at the top or outside of all blocks.
  InstrId parent(InstrId instr) const;

  std::size_t memory() const;
  /// A copy with the same registry and ids.
  std::unique_ptr<Module> clone() const;

  /// Who works on the module without the GIL; see access.hpp.
  AccessState& access() const { return access_; }
  /// Names the present state: every mutation by a Mutator gives a new stamp, taking it back gives the old
  /// one.
  std::uint64_t stamp() const { return stamp_; }
  std::uint64_t next_stamp() { return stamp_ = ++last_stamp_; }
  void restore_stamp(std::uint64_t stamp) { stamp_ = stamp; }

 private:
  std::shared_ptr<Registry> registry_;
  Attributes attributes_;
  InstrStore instrs_;
  CfgStore cfg_;
  Locations locations_;
  BlockId body_;
  std::vector<AttrId> value_names_;
  mutable AccessState access_{"module"};
  std::uint64_t stamp_ = 0;
  std::uint64_t last_stamp_ = 0;
};

}  // namespace dynomite::ir
