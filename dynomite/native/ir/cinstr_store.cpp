#include "dynomite/native/ir/cinstr_store.hpp"

#include <algorithm>
#include <string>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

namespace {

constexpr std::size_t kMostUses = 0x7FFF;

bool is_plain(ObjKind kind) { return kind != kind::kInstr && kind != kind::kBlock && kind != kind::kRegion; }

/// Before something is added: exactly the room it needs, but no less than a fifth of what is there, so that
/// adding stays cheap and little is ever unused.
template <typename T>
void make_room(std::vector<T>& table, std::size_t added) {
  const std::size_t size = table.size();
  if (size + added > table.capacity()) table.reserve(size + std::max(added, size / 5));
}

}  // namespace

void CInstrStore::check(CInstrId instr) const {
  if (!is_live(instr)) throw StaleRefError("this compressed instruction was deleted or never made");
}

std::uint32_t CInstrStore::pool(const FatDynObjRef& ref) {
  const auto [entry, is_new] = pool_index_.try_emplace(ref, static_cast<std::uint32_t>(pool_.size()));
  if (is_new) pool_.push_back(ref);
  return entry->second | kPooled;
}

CInstrId CInstrStore::create(Opcode opcode, bool has_value, TypeId type, std::span<const FatDynObjRef> uses) {
  if (uses.size() > kMostUses) throw LimitError("a compressed instruction uses at most 32767 operands");
  if (words_.size() + 2 + uses.size() >= kDead || starts_.size() >= kPooled - 1)
    throw LimitError("a compressed store is full");
  for (const FatDynObjRef& ref : uses) {
    if (!is_plain(ref.kind))
      throw UsageError("a compressed instruction has no instructions, blocks or regions as operands");
    if (ref.kind != kind::kValue) continue;
    check(CInstrId(ref.id));
    if (!this->has_value(CInstrId(ref.id))) throw UsageError("an operand is an instruction without a value");
  }
  const CInstrId instr(bound());
  const Shape wanted{opcode, static_cast<std::uint16_t>(uses.size()), has_value, type};
  const auto [known, is_new] = shape_index_.try_emplace(wanted, static_cast<std::uint32_t>(shapes_.size()));
  if (is_new) shapes_.push_back(wanted);
  make_room(starts_, 1);
  make_room(words_, 2 + uses.size());
  starts_.push_back(static_cast<std::uint32_t>(words_.size()));
  words_.push_back(known->second);
  words_.push_back(0);
  for (const FatDynObjRef& ref : uses) {
    if (ref.kind == kind::kValue) {
      ++words_[starts_[ref.id] + 1];
      words_.push_back(ref.id);
    } else {
      words_.push_back(pool(ref));
    }
  }
  ++live_;
  return instr;
}

void CInstrStore::erase(CInstrId instr) {
  check(instr);
  if (use_count(instr) != 0) throw UsageError("erase: the value of the instruction is still used");
  for (std::uint32_t i = 0; i < use_operand_count(instr); ++i) {
    const FatDynObjRef ref = use(instr, i);
    if (ref.kind == kind::kValue) --words_[starts_[ref.id] + 1];
  }
  starts_[instr.index()] = kDead;
  --live_;
}

FatDynObjRef CInstrStore::use(CInstrId instr, std::uint32_t index) const {
  const std::uint32_t word = words_[starts_[instr.index()] + 2 + index];
  if ((word & kPooled) != 0) return pool_[word & ~kPooled];
  return {kind::kValue, word};
}

std::size_t CInstrStore::memory() const {
  // A node of an unordered map: entry, hash or link, and what the allocator adds.
  constexpr std::size_t kNode = 24;
  return (starts_.capacity() + words_.capacity()) * 4 + pool_.capacity() * sizeof(FatDynObjRef) +
         pool_index_.size() * (sizeof(FatDynObjRef) + kNode) + pool_index_.bucket_count() * 8 +
         shapes_.capacity() * sizeof(Shape) + shape_index_.size() * (sizeof(Shape) + kNode) +
         shape_index_.bucket_count() * 8 + of_value_.memory() + of_cinstr_.memory();
}

void CInstrStore::reserve(std::size_t instrs, std::size_t uses) {
  make_room(starts_, instrs);
  make_room(words_, 2 * instrs + uses);
}

bool CInstrStore::fits(InstrId instr) const {
  const InstrStore& store = module_.instrs();
  const std::uint32_t count = store.operand_count(instr);
  if (count > kMostUses) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand operand = store.operand(instr, i);
    if (!is_plain(operand.ref.kind) || (operand.is_def && (i != 0 || operand.ref.kind != kind::kValue)))
      return false;
  }
  return true;
}

CInstrId CInstrStore::find(ValueId value) const {
  const auto link = of_value_.find(value.index());
  if (!link || link->generation != module_.instrs().generation(value)) return {};
  return is_live(CInstrId(link->target)) ? CInstrId(link->target) : CInstrId();
}

ValueId CInstrStore::value(CInstrId instr) const {
  const auto link = of_cinstr_.find(instr.index());
  if (!link) return {};
  const ValueId value(link->target);
  if (!module_.instrs().is_live(value) || module_.instrs().generation(value) != link->generation) return {};
  return value;
}

void CInstrStore::link(ValueId value, CInstrId instr) {
  const std::uint32_t generation = module_.instrs().generation(value);
  of_value_.set(value.index(), {instr.index(), generation});
  of_cinstr_.set(instr.index(), {value.index(), generation});
}

CInstrId CInstrStore::compress(InstrId instr) {
  if (!fits(instr)) {
    throw UsageError(
        "compress: a compressed instruction defines at most one value, first, and has no instructions, "
        "blocks or "
        "regions as operands");
  }
  const InstrStore& store = module_.instrs();
  const std::uint32_t count = store.operand_count(instr);
  const bool has = count != 0 && store.operand(instr, 0).is_def;
  std::vector<FatDynObjRef> uses;
  for (std::uint32_t i = has ? 1 : 0; i < count; ++i) {
    FatDynObjRef ref = store.operand(instr, i).ref;
    if (ref.kind == kind::kValue) {
      const CInstrId used = find(ValueId(ref.id));
      if (!used)
        throw UsageError("compress: an operand is defined by an instruction that is not compressed yet");
      ref.id = used.index();
    }
    uses.push_back(ref);
  }
  if (!has) return create(store.opcode(instr), false, {}, uses);
  const ValueId value(store.operand(instr, 0).ref.id);
  const CInstrId made = create(store.opcode(instr), true, store.type(value), uses);
  link(value, made);
  return made;
}

std::vector<CInstrId> CInstrStore::compress_block(BlockId block) {
  const CfgStore& cfg = module_.cfg();
  const InstrStore& store = module_.instrs();
  std::size_t uses = 0;
  for (InstrId instr = cfg.first(block); instr; instr = cfg.next(block, instr)) {
    const std::uint32_t count = store.operand_count(instr);
    uses += count - (count != 0 && store.operand(instr, 0).is_def ? 1 : 0);
  }
  std::vector<CInstrId> made;
  made.reserve(cfg.instr_count(block));
  reserve(cfg.instr_count(block), uses);
  for (InstrId instr = cfg.first(block); instr; instr = cfg.next(block, instr))
    made.push_back(compress(instr));
  return made;
}

InstrId CInstrStore::expand(CInstrId instr, Builder& builder) {
  check(instr);
  if (&builder.module() != &module_) throw UsageError("expand: the builder works on another module");
  std::vector<OperandSpec> specs;
  if (has_value(instr)) specs.push_back(OperandSpec::def(type(instr)));
  for (std::uint32_t i = 0; i < use_operand_count(instr); ++i) {
    FatDynObjRef ref = use(instr, i);
    if (ref.kind == kind::kValue) {
      const ValueId used = value(CInstrId(ref.id));
      if (!used) throw UsageError("expand: an operand is defined by an instruction that is not expanded yet");
      ref.id = used.index();
    }
    specs.push_back(OperandSpec::use(ref));
  }
  const InstrId made = builder.build(opcode(instr), specs);
  if (has_value(instr)) link(ValueId(module_.instrs().operand(made, 0).ref.id), instr);
  return made;
}

}  // namespace dynomite::ir
