#include "dynomite/native/rewrite/emitter.hpp"

#include <algorithm>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/text_printer.hpp"
#include "dynomite/native/ir/walk.hpp"
#include "dynomite/native/passes/dce.hpp"

namespace dynomite::rewrite {

namespace {

// A value that a planned instruction will define; the id is its number. No registered kind.
constexpr ir::ObjKind kNewValue{0xFF, 0xFF};
constexpr std::uint32_t kWidestConstant = 1U << 20;

}  // namespace

void Emitter::list_root_values() {
  root_values_.clear();
  const ir::InstrId root(matcher_.root());
  const std::uint32_t count = module_.instrs().operand_count(root);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::Operand operand = module_.instrs().operand(root, i);
    if (operand.is_def && operand.ref.kind == ir::kind::kValue) root_values_.emplace_back(operand.ref.id);
  }
}

bool Emitter::is_own(const ir::FatDynObjRef& ref) const {
  return ref.kind == ir::kind::kValue &&
         std::find(root_values_.begin(), root_values_.end(), ir::ValueId(ref.id)) != root_values_.end();
}

/// The way of most rules: the one value of the root is replaced by another one.
bool Emitter::plan_simple(const CompiledRule& compiled, const Shape& shape) {
  simple_ = {};
  if (compiled.replaced == kNoSlot || !shape.in_order || shape.first_use != 1) return false;
  const Slot& own = matcher_.slot(compiled.replaced);
  const Slot& other = matcher_.slot(compiled.replacement);
  if (own.kind != SlotKind::kOperand || other.kind != SlotKind::kOperand) return false;
  if (!own.is_def || own.ref().kind != ir::kind::kValue || other.ref().kind != ir::kind::kValue) return false;
  // The only definition of the root: only that can be bound as one.
  const ir::ValueId value(own.ref().id), by(other.ref().id);
  if (by == value) return false;
  if (module_.instrs().type(value) != module_.instrs().type(by)) return false;
  if (module_.instrs().has_uses(ir::InstrId(matcher_.root()))) return false;
  simple_ = by;
  root_values_.assign(1, value);
  may_fail_ = deletes_root_explicitly_ = false;
  deletes_root_ = true;
  return true;
}

bool Emitter::plan(const CompiledRule& compiled, const Shape& shape) {
  if (plan_simple(compiled, shape)) return true;
  const Rule& rule = compiled.rule;
  steps_.clear();
  operands_.clear();
  defs_.clear();
  overwritten_.clear();
  new_types_.assign(rule.new_values, ir::TypeId());
  new_values_.assign(rule.new_values, ir::ValueId());
  may_fail_ = false;
  deletes_root_ = deletes_root_explicitly_ = false;
  if (rule.emits.empty()) return true;
  const ir::InstrId root(matcher_.root());
  list_root_values();
  bool deletes = false;
  for (const EmitStep& step : rule.emits) {
    Step planned{step.kind,
                 step.opcode,
                 matcher_.root(),
                 static_cast<std::uint32_t>(operands_.size()),
                 0,
                 static_cast<std::uint32_t>(defs_.size()),
                 0};
    if (step.kind == EmitKind::kInstr) {
      if (!plan_instr(rule, step, planned)) return false;
    } else if (!plan_replacements(rule, step, planned)) {
      return false;
    }
    const bool is_deletion = step.kind == EmitKind::kDelete || step.kind == EmitKind::kReplaceAll;
    may_fail_ = may_fail_ || is_deletion;
    deletes = deletes || (is_deletion && planned.instr == matcher_.root());
    steps_.push_back(planned);
  }
  deletes_root_explicitly_ = deletes;
  deletes_root_ = !deletes && overwrites_root();
  if (!deletes && !deletes_root_) return true;
  // Nothing that goes may be used afterwards.
  if (module_.instrs().has_uses(root)) return false;
  return std::none_of(operands_.begin(), operands_.end(),
                      [&](const ir::FatDynObjRef& ref) { return is_own(ref); });
}

/// Whether all values that the root defines are replaced.
bool Emitter::overwrites_root() const {
  if (overwritten_.empty()) return false;
  return std::all_of(root_values_.begin(), root_values_.end(), [&](ir::ValueId value) {
    return std::find(overwritten_.begin(), overwritten_.end(), value) != overwritten_.end();
  });
}

bool Emitter::plan_instr(const Rule& rule, const EmitStep& step, Step& planned) {
  if (step.slot != kNoSlot) {
    const Slot& slot = matcher_.slot(step.slot);
    if (slot.kind != SlotKind::kOp) {
      throw UsageError("rule '" + rule.name + "': '" + rule.slots[step.slot] + "' names no operation");
    }
    planned.opcode = static_cast<std::uint16_t>(slot.first);
  }
  for (const EmitDef& def : step.defs) {
    if (!plan_def(rule, def)) return false;
  }
  planned.def_count = static_cast<std::uint32_t>(defs_.size()) - planned.defs;
  for (const EmitOperand& operand : step.operands) {
    if (!plan_operand(rule, operand)) return false;
  }
  planned.uses = static_cast<std::uint32_t>(operands_.size()) - planned.operands;
  check_counts(rule, planned);
  // A new instruction stands in front of the root, so it cannot use what that defines.
  return std::none_of(operands_.begin() + planned.operands, operands_.end(),
                      [&](const ir::FatDynObjRef& ref) { return is_own(ref); });
}

/// As many operands as the operation is declared with.
void Emitter::check_counts(const Rule& rule, const Step& planned) const {
  const ir::Registry& registry = *module_.registry();
  const ir::Opcode opcode = ir::Opcode::from_raw(planned.opcode);
  if (!registry.knows(opcode)) throw UsageError("rule '" + rule.name + "' emits an unknown operation");
  const ir::OpInfo& info = registry.op(opcode);
  const bool is_variadic = (info.traits & ir::kVariadic) != 0;
  if (planned.def_count >= info.defs && planned.uses >= info.uses &&
      (is_variadic || planned.uses == info.uses))
    return;
  throw UsageError("rule '" + rule.name + "' emits " + registry.name(opcode) + " with " +
                   std::to_string(planned.def_count) + " definitions and " + std::to_string(planned.uses) +
                   " uses");
}

bool Emitter::plan_def(const Rule& rule, const EmitDef& def) {
  if (def.replaces == kNoSlot) {
    ir::TypeId type;
    if (!type_of(rule, def.type, type)) return false;
    new_types_[def.number] = type;
    defs_.push_back({{}, type, def.number});
    return true;
  }
  const Slot& slot = matcher_.slot(def.replaces);
  for (std::uint32_t i = 0; i < matcher_.count(slot); ++i) {
    const ir::Operand operand = matcher_.operand(slot, i);
    if (!operand.is_def || !is_own(operand.ref)) {
      throw UsageError("rule '" + rule.name + "': '" + rule.slots[def.replaces] +
                       "' is no value that the instruction defines");
    }
    const ir::ValueId value(operand.ref.id);
    overwritten_.push_back(value);
    defs_.push_back({value, module_.instrs().type(value), 0});
  }
  return true;
}

bool Emitter::plan_operand(const Rule& rule, const EmitOperand& operand) {
  switch (operand.kind) {
    case EmitOperand::Kind::kCapture: {
      const Slot& slot = matcher_.slot(operand.slot);
      if (slot.kind == SlotKind::kInstr) {
        operands_.emplace_back(ir::kind::kInstr, slot.node);
        return true;
      }
      if (slot.kind == SlotKind::kUnbound || slot.kind == SlotKind::kOp) {
        throw UsageError("rule '" + rule.name + "': '" + rule.slots[operand.slot] +
                         "' is bound to no operand");
      }
      for (std::uint32_t i = 0; i < matcher_.count(slot); ++i)
        operands_.push_back(matcher_.operand(slot, i).ref);
      return true;
    }
    case EmitOperand::Kind::kConst: {
      std::int64_t width = 0;
      if (!checker_.small(rule, operand.width, width) || width < 1) return false;
      if (width > kWidestConstant) {
        throw LimitError("rule '" + rule.name + "' emits a constant of " + std::to_string(width) + " bits");
      }
      return plan_constant(rule, operand.value, static_cast<std::uint32_t>(width));
    }
    case EmitOperand::Kind::kNumber: return plan_constant(rule, operand.value, 64);
    case EmitOperand::Kind::kNew: operands_.emplace_back(kNewValue, operand.slot); return true;
  }
  return false;
}

bool Emitter::plan_constant(const Rule& rule, const Expression& value, std::uint32_t width) {
  std::int64_t small = 0;
  if (width <= 64 && checker_.small(rule, value, small)) {
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    operands_.emplace_back(ir::kind::kConstant, width, static_cast<std::uint64_t>(small) & mask);
    return true;
  }
  const auto exact = checker_.exact(rule, value);
  if (!exact) return false;
  operands_.push_back(module_.attributes().constant(width, exact->modulo(width)));
  return true;
}

ir::TypeId Emitter::root_type() const {
  return root_values_.empty() ? ir::TypeId() : module_.instrs().type(root_values_.front());
}

bool Emitter::with_width(const Rule& rule, ir::TypeId base, const Expression& width, ir::TypeId& type) {
  std::int64_t value = 0;
  if (!base || !checker_.small(rule, width, value) || value < 1) return false;
  const ir::ObjKind kind = module_.attributes().type_kind(base);
  std::vector<ir::FatDynObjRef> params = module_.attributes().type_params(base);
  const auto at = checker_.widths().position(kind, params.size());
  if (!at) return false;
  params[*at] = number_ref(static_cast<std::uint64_t>(value));
  type = module_.attributes().type(kind, params);
  return true;
}

bool Emitter::computed_type(const Rule& rule, const TypeSource& source, ir::TypeId& type) {
  std::vector<ir::FatDynObjRef> params;
  for (const Expression& expression : source.params) {
    std::int64_t value = 0;
    if (!checker_.small(rule, expression, value) || value < 0) return false;
    params.push_back(number_ref(static_cast<std::uint64_t>(value)));
  }
  type = module_.attributes().type(source.type, params);
  return true;
}

bool Emitter::type_of(const Rule& rule, const TypeSource& source, ir::TypeId& type) {
  if (source.slot == kNoSlot) return computed_type(rule, source, type);
  const auto ref = checker_.single(source.slot);
  if (!ref) return false;
  if (!is_constant(*ref)) {
    type = matcher_.store().type(*ref);
    return source.params.empty() || with_width(rule, type, source.params[0], type);
  }
  // Of a constant: the kind of what the root defines, with its width.
  if (!source.params.empty()) return with_width(rule, root_type(), source.params[0], type);
  const ir::TypeId base = root_type();
  if (!base) return false;
  if (checker_.widths().of(base) == checker_.width_of(*ref)) {
    type = base;
    return true;
  }
  const ir::ObjKind kind = module_.attributes().type_kind(base);
  std::vector<ir::FatDynObjRef> params = module_.attributes().type_params(base);
  const auto at = checker_.widths().position(kind, params.size());
  if (!at) return false;
  params[*at] = number_ref(*checker_.width_of(*ref));
  type = module_.attributes().type(kind, params);
  return true;
}

void Emitter::check_replacement(const Rule& rule, ir::ValueId value, const ir::FatDynObjRef& by) const {
  const ir::TypeId own = module_.instrs().type(value);
  bool agree = true;
  if (by.kind == kNewValue) {
    agree = new_types_[by.id] == own;
  } else if (by.kind == ir::kind::kValue) {
    agree = module_.instrs().type(ir::ValueId(by.id)) == own;
  } else if (is_constant(by)) {
    const auto width = checker_.widths().of(own);
    agree = !width || *width == constant_width(module_.attributes(), by);
  }
  if (!agree) {
    throw UsageError("rule '" + rule.name + "' replaces a value of type " +
                     (own ? ir::type_text(module_, own) : std::string("none")) + " by one of another type");
  }
}

bool Emitter::plan_replacements(const Rule& rule, const EmitStep& step, Step& planned) {
  const Slot& slot = matcher_.slot(step.slot);
  replaced_.clear();
  if (step.kind == EmitKind::kReplaceUses) {
    for (std::uint32_t i = 0; i < matcher_.count(slot); ++i) {
      const ir::Operand operand = matcher_.operand(slot, i);
      if (operand.ref.kind != ir::kind::kValue || !operand.is_def) {
        throw UsageError("rule '" + rule.name + "': '" + rule.slots[step.slot] + "' is no definition");
      }
      const ir::ValueId value(operand.ref.id);
      replaced_.push_back(value);
      overwritten_.push_back(value);
    }
  } else {
    const auto ref = checker_.single(step.slot);
    if (slot.kind == SlotKind::kInstr) {
      planned.instr = slot.node;
    } else if (ref && ref->kind == ir::kind::kValue) {
      planned.instr = matcher_.store().definition(*ref);
    } else {
      throw UsageError("rule '" + rule.name + "': '" + rule.slots[step.slot] + "' names no instruction");
    }
    const ir::InstrId instr(planned.instr);
    for (std::uint32_t i = 0; i < module_.instrs().operand_count(instr); ++i) {
      const ir::Operand operand = module_.instrs().operand(instr, i);
      if (step.kind == EmitKind::kReplaceAll && operand.is_def && operand.ref.kind == ir::kind::kValue) {
        replaced_.emplace_back(operand.ref.id);
      }
    }
  }
  for (const EmitOperand& operand : step.operands) {
    if (!plan_operand(rule, operand)) return false;
  }
  planned.uses = static_cast<std::uint32_t>(operands_.size()) - planned.operands;
  if (planned.uses != replaced_.size()) {
    throw UsageError("rule '" + rule.name + "': " + std::to_string(replaced_.size()) +
                     " values are replaced by " + std::to_string(planned.uses));
  }
  for (std::size_t i = 0; i < replaced_.size(); ++i) {
    const ir::FatDynObjRef& by = operands_[planned.operands + i];
    check_replacement(rule, replaced_[i], by);
    // What goes cannot stand for anything.
    for (const ir::ValueId value : replaced_) {
      if (by == ir::FatDynObjRef(ir::kind::kValue, value.index())) return false;
    }
    defs_.push_back({replaced_[i], {}, 0});
  }
  planned.def_count = static_cast<std::uint32_t>(replaced_.size());
  return true;
}

ir::FatDynObjRef Emitter::resolved(const ir::FatDynObjRef& ref) const {
  if (ref.kind != kNewValue) return ref;
  return {ir::kind::kValue, new_values_[ref.id].index()};
}

ir::LocationId Emitter::united_location() {
  ir::LocationId all = module_.locations().of(ir::InstrId(matcher_.root()));
  for (const std::uint32_t node : matcher_.nested()) {
    const ir::LocationId own = module_.locations().of(ir::InstrId(node));
    if (!own || own == all) continue;
    all = all ? module_.locations().unite(all, own) : own;
  }
  return all;
}

void Emitter::list_operands(ir::InstrId instr, std::vector<ir::ValueId>& list) const {
  const std::uint32_t count = module_.instrs().operand_count(instr);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::Operand operand = module_.instrs().operand(instr, i);
    if (!operand.is_def && operand.ref.kind == ir::kind::kValue) list.emplace_back(operand.ref.id);
  }
}

void Emitter::move_name(ir::ValueId from, ir::ValueId to) {
  const ir::AttrId name = module_.value_name(from);
  if (!name || module_.value_name(to)) return;
  mutator_.set_value_name(to, name);
  mutator_.set_value_name(from, {});
}

void Emitter::replace(ir::ValueId value, const ir::FatDynObjRef& by, Touched& touched) {
  ir::InstrStore& instrs = module_.instrs();
  if (by.kind == ir::kind::kValue) {
    instrs.for_uses(value, [&](const ir::Use& use) { touched.changed.push_back(use.instr.index()); });
    mutator_.replace_all_uses(value, ir::ValueId(by.id));
    move_name(value, ir::ValueId(by.id));
    return;
  }
  while (instrs.has_uses(value)) {
    const ir::Use use = instrs.latest_use(value);
    touched.changed.push_back(use.instr.index());
    mutator_.set_operand(use.instr, use.operand, by);
  }
}

void Emitter::make_instr(const Step& step, Touched& touched) {
  const ir::InstrId root(matcher_.root());
  specs_.clear();
  bool replaces = false;
  for (std::uint32_t i = 0; i < step.def_count; ++i) {
    specs_.push_back(ir::OperandSpec::def(defs_[step.defs + i].type));
    replaces = replaces || defs_[step.defs + i].replaces;
  }
  for (std::uint32_t i = 0; i < step.uses; ++i) {
    specs_.push_back(ir::OperandSpec::use(resolved(operands_[step.operands + i])));
  }
  if (replaces) {
    const ir::AttrId dictionary = module_.dictionary(root);
    if (dictionary) specs_.push_back(ir::OperandSpec::use({ir::kind::kAttr, dictionary.index()}));
  }
  const ir::InstrId made = mutator_.create(ir::Opcode::from_raw(step.opcode), specs_, united_location());
  ir::CfgStore& cfg = module_.cfg();
  if (cfg.is_shared(root)) {
    for (const ir::BlockId block : cfg.blocks_of(root)) mutator_.insert_before(block, root, made);
  } else if (const ir::BlockId block = cfg.block_of(root)) {
    mutator_.insert_before(block, root, made);
  }
  made_.push_back(made);
  touched.changed.push_back(made.index());
  for (std::uint32_t i = 0; i < step.def_count; ++i) {
    const Def& def = defs_[step.defs + i];
    const ir::ValueId value(module_.instrs().operand(made, i).ref.id);
    if (def.replaces) {
      replace(def.replaces, {ir::kind::kValue, value.index()}, touched);
    } else {
      new_values_[def.number] = value;
    }
  }
}

void Emitter::erase(ir::InstrId instr, Touched& touched) {
  bool has_regions = false;
  const std::uint32_t count = module_.instrs().operand_count(instr);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::Operand operand = module_.instrs().operand(instr, i);
    if (operand.is_def) {
      has_regions = has_regions || operand.ref.kind == ir::kind::kRegion;
    } else if (operand.ref.kind == ir::kind::kValue) {
      touched.released.emplace_back(operand.ref.id);
    }
  }
  if (!has_regions) return mutator_.erase(instr);
  module_.instrs().check_erasable(instr);
  ir::erase_instrs(mutator_, {instr});
}

void Emitter::commit(Touched& touched) {
  made_.clear();
  if (simple_) {
    replace(root_values_[0], {ir::kind::kValue, simple_.index()}, touched);
    erase(ir::InstrId(matcher_.root()), touched);
    return;
  }
  for (const Step& step : steps_) {
    if (step.kind == EmitKind::kInstr) {
      make_instr(step, touched);
      continue;
    }
    for (std::uint32_t i = 0; i < step.def_count; ++i) {
      replace(defs_[step.defs + i].replaces, resolved(operands_[step.operands + i]), touched);
    }
    if (step.kind != EmitKind::kReplaceUses) erase(ir::InstrId(step.instr), touched);
  }
  if (deletes_root_) erase(ir::InstrId(matcher_.root()), touched);
}

}  // namespace dynomite::rewrite
