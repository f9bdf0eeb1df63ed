#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dynomite/native/ir/module.hpp"
#include "dynomite/native/rewrite/code.hpp"
#include "dynomite/native/rewrite/slot.hpp"

// Tests of one operand that leaves of patterns make, names apart.

namespace dynomite::rewrite {

inline bool is_constant(const ir::FatDynObjRef& ref) {
  return ref.kind == ir::kind::kConstant || ref.kind == ir::kind::kWide;
}

inline std::uint32_t constant_width(const ir::Attributes& attributes, const ir::FatDynObjRef& ref) {
  return ref.kind == ir::kind::kConstant ? ref.id : attributes.wide_width(ir::AttrId(ref.id));
}

/// A plain number as an operand.
inline ir::FatDynObjRef number_ref(std::uint64_t value) { return {ir::kind::kConstant, 64, value}; }

/// Whether a constant is `literal` modulo 2^width.
inline bool is_congruent(const ir::Attributes& attributes, const ir::FatDynObjRef& ref,
                         const Integer& literal) {
  if (ref.kind == ir::kind::kConstant) {
    const std::uint64_t mask = ref.id >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ref.id) - 1;
    return (literal.word(0) & mask) == ref.payload;
  }
  const auto words = attributes.wide_words(ir::AttrId(ref.id));
  const std::uint32_t width = attributes.wide_width(ir::AttrId(ref.id));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_last = i + 1 == words.size() && width % 64 != 0;
    const std::uint64_t mask = is_last ? ~std::uint64_t{0} >> (64 - width % 64) : ~std::uint64_t{0};
    if ((literal.word(i) & mask) != words[i]) return false;
  }
  return true;
}

inline Integer constant_value(const ir::Attributes& attributes, const ir::FatDynObjRef& ref) {
  if (ref.kind == ir::kind::kConstant) {
    if (ref.payload >> 63 == 0) return {static_cast<std::int64_t>(ref.payload)};
    return Integer::from_unsigned(std::span<const std::uint64_t>(&ref.payload, 1));
  }
  return Integer::from_unsigned(attributes.wide_words(ir::AttrId(ref.id)));
}

/// Whether two references are the same number, or the same thing if they are none.
inline bool same_number(const ir::Attributes& attributes, const ir::FatDynObjRef& a,
                        const ir::FatDynObjRef& b) {
  if (!is_constant(a) || !is_constant(b)) return a == b;
  if (a.kind == b.kind && a.kind == ir::kind::kConstant) return a.payload == b.payload;
  return constant_value(attributes, a) == constant_value(attributes, b);
}

inline bool is_one_of(const std::vector<std::uint16_t>& opcodes, std::uint16_t opcode) {
  if (opcodes.empty()) return true;
  if (opcodes.size() <= 4) return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
  return std::binary_search(opcodes.begin(), opcodes.end(), opcode);
}

inline bool sides_fit(const ir::Operand& operand, std::uint8_t sides) {
  return (sides & (operand.is_def ? kMustUse : kMustDefine)) == 0;
}

/// Whether a number fits what a pattern asks for, captures taken as anything.
inline bool fits_literal(const ir::Attributes& attributes, const ir::FatDynObjRef& ref, const Param& param) {
  if (param.kind != Param::Kind::kLiteral) return true;
  return is_constant(ref) && constant_value(attributes, ref) == param.literal;
}

inline bool fits_type(const ir::Attributes& attributes, ir::TypeId type, const PatternNode& node) {
  if (!type || attributes.type_kind(type) != node.type) return false;
  if (node.params.empty()) return true;
  if (attributes.type_param_count(type) != node.params.size()) return false;
  for (std::uint32_t i = 0; i < node.params.size(); ++i) {
    if (node.params[i].kind != Param::Kind::kLiteral) continue;
    if (!fits_literal(attributes, attributes.type_param(type, i), node.params[i])) return false;
  }
  return true;
}

inline bool fits_constant(const ir::Attributes& attributes, const ir::Operand& operand,
                          const PatternNode& node) {
  if (operand.is_def || !is_constant(operand.ref)) return false;
  const Param& value = node.params[0];
  if (value.kind == Param::Kind::kLiteral && !is_congruent(attributes, operand.ref, value.literal))
    return false;
  const Param& width = node.params[1];
  if (width.kind != Param::Kind::kLiteral) return true;
  return width.literal == Integer(std::int64_t{constant_width(attributes, operand.ref)});
}

/// What an operand has to be for a leaf, as far as that can be said without names and other operands.
template <MatchStore S>
bool fits_leaf(const S& store, const ir::Operand& operand, const PatternNode& node, std::uint8_t sides) {
  if (!sides_fit(operand, sides)) return false;
  switch (node.kind) {
    case PatternKind::kType: return fits_type(store.attributes(), store.type(operand.ref), node);
    case PatternKind::kConst: return fits_constant(store.attributes(), operand, node);
    case PatternKind::kInstr: {
      if (operand.ref.kind != ir::kind::kValue) return false;
      const std::uint32_t node_def = store.definition(operand.ref);
      return node_def != kNoNode && is_one_of(node.opcodes, store.opcode(node_def));
    }
    default: return true;
  }
}

}  // namespace dynomite::rewrite
