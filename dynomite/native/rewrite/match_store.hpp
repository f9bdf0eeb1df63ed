#pragma once

#include <concepts>
#include <cstdint>

#include "dynomite/native/ir/module.hpp"
#include "dynomite/native/passes/instr_like.hpp"

namespace dynomite::rewrite {

using ir::kNoNode;

/// The operands of a node that patterns see: an attribute dictionary at the end is none.
struct Shape {
  std::uint32_t count = 0;
  std::uint32_t first_use = 0;  // number of definitions in front
  bool in_order = true;         // no definition behind a use
};

/// What the matcher asks of a store of instruction-like nodes.
///
/// A use of kind kValue is whatever `definition` understands; constants are operands of their own. `type` is
/// none where values have no types.
template <typename S>
concept MatchStore = requires(const S store, std::uint32_t node, std::uint32_t index, ir::FatDynObjRef ref) {
  { store.opcode(node) } -> std::convertible_to<std::uint16_t>;
  { store.operand_count(node) } -> std::convertible_to<std::uint32_t>;
  { store.shape(node) } -> std::convertible_to<Shape>;
  { store.operand(node, index) } -> std::convertible_to<ir::Operand>;
  { store.definition(ref) } -> std::convertible_to<std::uint32_t>;
  { store.type(ref) } -> std::convertible_to<ir::TypeId>;
  { store.has_one_use(ref) } -> std::convertible_to<bool>;
  { store.has_one_use(node) } -> std::convertible_to<bool>;
  { store.attributes() } -> std::convertible_to<const ir::Attributes&>;
  { store.registry() } -> std::convertible_to<const ir::Registry&>;
};

/// The instructions of a module; node n is InstrId(n).
class InstrMatchStore {
 public:
  explicit InstrMatchStore(const ir::Module& module)
      : instrs_(module.instrs()), attributes_(module.attributes()), registry_(*module.registry()) {}

  std::uint16_t opcode(std::uint32_t node) const { return instrs_.opcode(ir::InstrId(node)).raw(); }
  [[gnu::always_inline]] ir::Operand operand(std::uint32_t node, std::uint32_t index) const {
    return instrs_.operand(ir::InstrId(node), index);
  }
  std::uint32_t operand_count(std::uint32_t node) const {
    const std::uint32_t count = instrs_.operand_count(ir::InstrId(node));
    if (count == 0) return 0;
    return is_dictionary(operand(node, count - 1)) ? count - 1 : count;
  }
  [[gnu::always_inline]] Shape shape(std::uint32_t node) const {
    Shape shape;
    shape.count = instrs_.operand_count(ir::InstrId(node));
    ir::Operand last;
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      last = operand(node, i);
      if (!last.is_def) continue;
      if (i == shape.first_use) {
        ++shape.first_use;
      } else {
        shape.in_order = false;
      }
    }
    if (is_dictionary(last)) --shape.count;
    return shape;
  }
  /// The node that defines a value.
  std::uint32_t definition(const ir::FatDynObjRef& ref) const {
    return instrs_.definition(ir::ValueId(ref.id)).instr.index();
  }
  ir::TypeId type(const ir::FatDynObjRef& ref) const {
    return ref.kind == ir::kind::kValue ? instrs_.type(ir::ValueId(ref.id)) : ir::TypeId();
  }
  bool has_one_use(const ir::FatDynObjRef& ref) const {
    return ref.kind == ir::kind::kValue && uses(ref.id, 2) == 1;
  }
  bool has_one_use(std::uint32_t node) const {
    std::uint32_t found = 0;
    const std::uint32_t count = instrs_.operand_count(ir::InstrId(node));
    for (std::uint32_t i = 0; i < count && found < 2; ++i) {
      const ir::Operand at = operand(node, i);
      if (at.is_def && at.ref.kind == ir::kind::kValue) found += uses(at.ref.id, 2);
    }
    return found == 1;
  }
  const ir::Attributes& attributes() const { return attributes_; }
  const ir::Registry& registry() const { return registry_; }

 private:
  bool is_dictionary(const ir::Operand& operand) const {
    return operand.ref.kind == ir::kind::kAttr && !operand.is_def &&
           attributes_.kind(ir::AttrId(operand.ref.id)) == ir::AttrKind::kDict;
  }
  std::uint32_t uses(std::uint32_t value, std::uint32_t most) const {
    return instrs_.count_uses(ir::ValueId(value), most);
  }

  const ir::InstrStore& instrs_;
  const ir::Attributes& attributes_;
  const ir::Registry& registry_;
};
static_assert(MatchStore<InstrMatchStore>);

}  // namespace dynomite::rewrite
