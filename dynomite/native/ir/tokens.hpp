#pragma once

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

/// A token is a value without data that stands for the operation defining it. Operations with the trait
/// kForwards must neither take nor give tokens, so that a use always leads to that one operation.
inline bool is_token(const Module& module, ValueId value) {
  const TypeId type = module.instrs().type(value);
  if (type.is_none()) return false;
  const ObjKind kind = module.attributes().type_kind(type);
  return module.registry()->knows(kind) && module.registry()->type(kind).is_token;
}

/// The operation that operand `index` of `user`, a token, stands for; none if the operand is no token or the
/// token is laundered: made by an operation that hands values on. Constant time.
inline InstrId token_origin(const Module& module, InstrId user, std::uint32_t index) {
  const Operand operand = module.instrs().operand(user, index);
  if (operand.ref.kind != kind::kValue || !is_token(module, ValueId(operand.ref.id))) return {};
  const InstrId origin = module.instrs().definition(ValueId(operand.ref.id)).instr;
  return (module.traits(origin) & kForwards) != 0 ? InstrId() : origin;
}

}  // namespace dynomite::ir
