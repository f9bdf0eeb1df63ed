#include "dynomite/native/ir/module.hpp"

#include <algorithm>

namespace dynomite::ir {

void Module::set_value_name(ValueId value, AttrId name) {
  if (value.index() >= value_names_.size()) {
    if (!name) return;
    value_names_.resize(std::max<std::size_t>(value.index() + std::size_t{1}, value_names_.size() * 3 / 2));
  }
  value_names_[value.index()] = name;
}

AttrId Module::dictionary(InstrId instr) const {
  const std::uint32_t count = instrs_.operand_count(instr);
  if (count == 0) return {};
  const Operand last = instrs_.operand(instr, count - 1);
  if (last.is_def || last.ref.kind != kind::kAttr) return {};
  const AttrId attr(last.ref.id);
  return attributes_.kind(attr) == AttrKind::kDict ? attr : AttrId();
}

FatDynObjRef Module::attribute(InstrId instr, std::string_view name) const {
  const AttrId dict = dictionary(instr);
  if (!dict) return {};
  for (const auto& [key, value] : attributes_.entries(dict)) {
    if (attributes_.text(key) == name) return value;
  }
  return {};
}

std::optional<std::string> Module::symbol_name(InstrId instr) const {
  if (!registry_->has_trait(instrs_.opcode(instr), kSymbol)) return std::nullopt;
  const FatDynObjRef name = attribute(instr, "sym_name");
  if (name.kind != kind::kAttr || attributes_.kind(AttrId(name.id)) != AttrKind::kString) return std::nullopt;
  return attributes_.text(AttrId(name.id));
}

std::vector<RegionId> Module::regions(InstrId instr) const {
  std::vector<RegionId> regions;
  const std::uint32_t count = instrs_.operand_count(instr);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand operand = instrs_.operand(instr, i);
    if (operand.is_def && operand.ref.kind == kind::kRegion) regions.emplace_back(operand.ref.id);
  }
  return regions;
}

InstrId Module::parent(InstrId instr) const {
  const BlockId block = cfg_.block_of(instr);
  return block ? cfg_.owner(cfg_.region(block)) : InstrId();
}

std::unique_ptr<Module> Module::clone() const {
  auto copy = std::make_unique<Module>(registry_, instrs_.kind());
  copy->attributes_ = attributes_;
  copy->instrs_ = instrs_;
  copy->cfg_ = cfg_;
  copy->locations_ = locations_;
  copy->body_ = body_;
  copy->value_names_ = value_names_;
  return copy;
}

std::size_t Module::memory() const {
  return attributes_.memory() + instrs_.memory() + cfg_.memory() + locations_.memory() +
         value_names_.capacity() * sizeof(AttrId);
}

}  // namespace dynomite::ir
