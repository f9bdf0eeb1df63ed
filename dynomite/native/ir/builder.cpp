#include "dynomite/native/ir/builder.hpp"

#include <algorithm>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

namespace {

// What two equal expressions share: of a definition the type only. `second` tells uses from definitions.
struct Part {
  FatDynObjRef ref;
  std::uint64_t type;  // of a definition, plus 1; 0 for uses
  bool operator==(const Part&) const = default;
};

std::uint64_t part_hash(const Part& part) { return mix(hash_of(part.ref), part.type); }

Part part_of(const OperandSpec& spec) {
  if (!spec.is_def) return {spec.ref, 0};
  return {spec.ref, std::uint64_t{spec.type.index()} + 1};
}

Part part_of(const Module& module, const Operand& operand) {
  if (!operand.is_def) return {operand.ref, 0};
  if (operand.ref.kind != kind::kValue) return {operand.ref, std::uint64_t{TypeId().index()} + 1};
  return {{}, std::uint64_t{module.instrs().type(ValueId(operand.ref.id)).index()} + 1};
}

bool is_value_use(const Part& part) { return part.type == 0 && part.ref.kind == kind::kValue; }

/// The hash of an expression; of a commutative one the value uses count in no order.
class ExpressionHash {
 public:
  ExpressionHash(Opcode opcode, bool commutative) : hash_(opcode.raw()), commutative_(commutative) {}
  void add(const Part& part) {
    if (commutative_ && is_value_use(part)) {
      sum_ += part_hash(part);
    } else {
      hash_ = mix(hash_, part_hash(part));
    }
  }
  std::uint64_t value() const { return mix(hash_, sum_); }

 private:
  std::uint64_t hash_;
  std::uint64_t sum_ = 0;
  bool commutative_;
};

bool is_commutative(const Module& module, Opcode opcode) {
  return module.registry()->has_trait(opcode, kCommutative);
}

bool matches(const Module& module, InstrId instr, Opcode opcode, std::span<const OperandSpec> operands) {
  const InstrStore& store = module.instrs();
  if (store.opcode(instr) != opcode || store.operand_count(instr) != operands.size()) return false;
  const bool commutative = is_commutative(module, opcode);
  std::vector<std::uint32_t> left, right;
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    const Part wanted = part_of(operands[i]);
    const Part found = part_of(module, store.operand(instr, i));
    if (wanted == found) continue;
    if (!commutative || !is_value_use(wanted) || !is_value_use(found)) return false;
    left.push_back(wanted.ref.id);
    right.push_back(found.ref.id);
  }
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  return left == right;
}

}  // namespace

bool is_visible(const Module& module, InstrId instr, BlockId block, InstrId before) {
  const CfgStore& cfg = module.cfg();
  while (block) {
    if (cfg.contains(block, instr)) return !before || cfg.comes_before(block, instr, before);
    const InstrId owner = cfg.owner(cfg.region(block));
    if (!owner || !module.instrs().is_live(owner)) return false;
    if (module.registry()->has_trait(module.instrs().opcode(owner), kIsolated)) return false;
    block = cfg.block_of(owner);
    before = owner;
  }
  return false;
}

InstrId ExpressionTable::find(const Module& module, Opcode opcode, std::span<const OperandSpec> operands,
                              BlockId block, InstrId before) const {
  if (slots_.empty()) return {};
  ExpressionHash hash(opcode, is_commutative(module, opcode));
  for (const OperandSpec& spec : operands) hash.add(part_of(spec));
  const std::uint64_t wanted = hash.value();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = wanted & mask; slots_[slot].instr; slot = (slot + 1) & mask) {
    const Entry& entry = slots_[slot];
    if (entry.hash != wanted || !module.instrs().is_live(entry.instr)) continue;
    if (module.instrs().generation(entry.instr) != entry.generation) continue;
    if (matches(module, entry.instr, opcode, operands) && is_visible(module, entry.instr, block, before)) {
      return entry.instr;
    }
  }
  return {};
}

void ExpressionTable::add(const Module& module, InstrId instr) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  const InstrStore& store = module.instrs();
  ExpressionHash hash(store.opcode(instr), is_commutative(module, store.opcode(instr)));
  for (std::uint32_t i = 0; i < store.operand_count(instr); ++i)
    hash.add(part_of(module, store.operand(instr, i)));
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash.value() & mask;
  // The latest of equal ones is kept: the others were not visible.
  while (slots_[slot].instr && slots_[slot].hash != hash.value()) slot = (slot + 1) & mask;
  if (!slots_[slot].instr) ++used_;
  slots_[slot] = {hash.value(), instr, store.generation(instr)};
}

void ExpressionTable::clear() {
  slots_.clear();
  used_ = 0;
}

void ExpressionTable::grow() {
  const std::vector<Entry> old =
      std::exchange(slots_, std::vector<Entry>(std::max<std::size_t>(64, 2 * slots_.size())));
  const std::size_t mask = slots_.size() - 1;
  for (const Entry& entry : old) {
    if (!entry.instr) continue;
    std::size_t slot = entry.hash & mask;
    while (slots_[slot].instr) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

InstrId Builder::build(Opcode opcode, std::span<const OperandSpec> operands, LocationId location) {
  Module& target = module();
  if (block_ && !target.cfg().is_live(block_))
    throw StaleRefError("build: the block to build in was deleted");
  if (before_ && !target.cfg().contains(block_, before_))
    throw UsageError("build: the instruction to build in front of has left the block");
  const bool mergeable = merging_ && tracking() != Tracking::kLazyUpdate && block_ &&
                         target.registry()->has_trait(opcode, kPure);
  if (mergeable) {
    const InstrId found = table_.find(target, opcode, operands, block_, before_);
    if (found) {
      ++merged_;
      const LocationId own = target.locations().of(found);
      if (location && own != location) {
        set_location(found, own ? target.locations().unite(own, location) : location);
      }
      return found;
    }
  }
  const InstrId instr = create(opcode, operands, location);
  if (block_) {
    if (before_) {
      insert_before(block_, before_, instr);
    } else {
      append(block_, instr);
    }
  }
  if (mergeable) table_.add(target, instr);
  return instr;
}

InstrId Builder::replace(InstrId old, Opcode opcode, std::span<const OperandSpec> operands,
                         LocationId location) {
  Module& target = module();
  const auto values = [&](InstrId instr) {
    std::vector<ValueId> result;
    for (std::uint32_t i = 0; i < target.instrs().operand_count(instr); ++i) {
      const Operand operand = target.instrs().operand(instr, i);
      if (operand.is_def && operand.ref.kind == kind::kValue) result.emplace_back(operand.ref.id);
    }
    return result;
  };
  const std::vector<ValueId> before = values(old);
  const auto made = std::count_if(operands.begin(), operands.end(),
                                  [](const OperandSpec& spec) { return spec.is_def && spec.ref.is_none(); });
  if (static_cast<std::size_t>(made) != before.size()) {
    throw UsageError("replace: the old instruction defines " + std::to_string(before.size()) +
                     " values, the new one " + std::to_string(made));
  }
  for (const OperandSpec& spec : operands) {
    if (!spec.is_def && spec.ref.kind == kind::kValue &&
        std::find(before.begin(), before.end(), ValueId(spec.ref.id)) != before.end()) {
      throw UsageError("replace: the new instruction uses a value of the old one");
    }
  }
  if (target.instrs().has_uses(old)) throw UsageError("replace: the old instruction is still referred to");
  const LocationId own = target.locations().of(old);
  if (own) location = location ? target.locations().unite(own, location) : own;
  const InstrId instr = create(opcode, operands, location);
  for (const BlockId block : target.cfg().blocks_of(old)) insert_before(block, old, instr);
  const std::vector<ValueId> after = values(instr);
  for (std::size_t i = 0; i < before.size(); ++i) {
    replace_all_uses(before[i], after[i]);
    if (target.value_name(before[i])) {
      set_value_name(after[i], target.value_name(before[i]));
      set_value_name(before[i], {});
    }
  }
  erase(old);
  return instr;
}

InstrId Builder::update(InstrId old, Opcode opcode, std::span<const OperandSpec> operands,
                        LocationId location) {
  const Module& target = module();
  const InstrStore& store = target.instrs();
  bool fits = store.operand_count(old) == operands.size();
  for (std::uint32_t i = 0; fits && i < operands.size(); ++i) {
    const Operand present = store.operand(old, i);
    const OperandSpec& wanted = operands[i];
    fits = present.is_def == wanted.is_def;
    if (!fits || !present.is_def) continue;
    fits = wanted.ref.is_none() ? present.ref.kind == kind::kValue : present.ref == wanted.ref;
  }
  if (!fits) return replace(old, opcode, operands, location);
  if (store.opcode(old) != opcode) set_opcode(old, opcode);
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    const Operand present = store.operand(old, i);
    if (!present.is_def) {
      if (present.ref != operands[i].ref) set_operand(old, i, operands[i].ref);
    } else if (present.ref.kind == kind::kValue && store.type(ValueId(present.ref.id)) != operands[i].type) {
      set_type(ValueId(present.ref.id), operands[i].type);
    }
  }
  const LocationId own = target.locations().of(old);
  if (location && own != location) {
    set_location(old, own ? module().locations().unite(own, location) : location);
  }
  return old;
}

}  // namespace dynomite::ir
