#include "dynomite/native/ir/instr_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

StoreKind default_store() {
  const char* given = std::getenv("DYNOMITE_STORE");  // NOLINT(concurrency-mt-unsafe): while importing
  const std::string_view wanted = given == nullptr ? "" : given;
  if (wanted.empty() || wanted == "arena") return StoreKind::kArena;
  if (wanted == "checked") return StoreKind::kChecked;
  throw UsageError("DYNOMITE_STORE is 'arena' or 'checked', not '" + std::string(wanted) + "'");
}

namespace {
// Runs above this many operands are not kept for reuse by the pool.
constexpr std::size_t kLargestFreeRun = 64;
constexpr std::size_t kMaxWords = 0xFFFFFFF0U;
}  // namespace

InstrStore::InstrStore(StoreKind kind) : kind_(kind), words_(1, 0) {}

void InstrStore::throw_dead(const char* what, std::uint32_t id) {
  throw StaleRefError(what + std::to_string(id) + " was deleted or never made");
}

void InstrStore::throw_no_operand(std::uint32_t index, std::uint32_t count) {
  throw UsageError("operand " + std::to_string(index) + " of an instruction with " + std::to_string(count));
}

void InstrStore::set_type(ValueId value, TypeId type) {
  check(value);
  Links links = load<Links>(values_[value.index()]);
  links.previous = type.index();
  store(values_[value.index()], links);
}

InstrId InstrStore::operand_def(InstrId instr, std::uint32_t index) const {
  const Operand given = operand(instr, index);
  if (given.ref.kind != kind::kValue) return {};
  return definition(ValueId(given.ref.id)).instr;
}

void InstrStore::set_first_use(ObjKind kind, std::uint32_t id, Offset at) {
  if (kind == kind::kValue) {
    Links links = load<Links>(values_[id]);
    links.next = at;
    store(values_[id], links);
    return;
  }
  auto& table = kind == kind::kInstr ? instr_uses_ : kind == kind::kBlock ? block_uses_ : region_uses_;
  if (id >= table.size()) table.resize(std::max<std::size_t>(id + std::size_t{1}, table.size() * 3 / 2), 0);
  table[id] = at;
}

void InstrStore::link_after(Offset at, ObjKind kind, std::uint32_t id, Offset previous) {
  const Offset next = previous == 0 ? first_use(kind, id) : load<Links>(previous).next;
  store(at, Links{next, previous});
  if (next != 0) {
    Links links = load<Links>(next);
    links.previous = at;
    store(next, links);
  }
  if (previous == 0) {
    set_first_use(kind, id, at);
  } else {
    Links links = load<Links>(previous);
    links.next = at;
    store(previous, links);
  }
}

void InstrStore::unlink(Offset at) {
  const Tail tail = load<Tail>(at + 1);
  const Links own = load<Links>(at);
  if (own.next != 0) {
    Links links = load<Links>(own.next);
    links.previous = own.previous;
    store(own.next, links);
  }
  if (own.previous == 0) {
    set_first_use({tail.dialect, tail.type}, tail.id, own.next);
  } else {
    Links links = load<Links>(own.previous);
    links.next = own.next;
    store(own.previous, links);
  }
}

std::vector<Use> InstrStore::collect(Offset at, std::uint32_t most) const {
  std::vector<Use> uses;
  for (; at != 0 && uses.size() < most; at = load<Links>(at).next) uses.push_back(owner(at));
  return uses;
}

std::vector<Use> InstrStore::uses(ValueId value, std::uint32_t most) const {
  check(value);
  return collect(first_use(kind::kValue, value.index()), most);
}

std::uint32_t InstrStore::use_count(ValueId value) const {
  check(value);
  std::uint32_t count = 0;
  for (Offset at = first_use(kind::kValue, value.index()); at != 0; at = load<Links>(at).next) ++count;
  return count;
}

std::vector<Use> InstrStore::uses_of(DynObjRef object) const {
  if (!is_tracked(object.kind)) return {};
  if (object.kind == kind::kValue) return uses(ValueId(object.id));
  return collect(first_use(object.kind, object.id));
}

void InstrStore::write_operand(Offset at, std::uint32_t index, const OperandSpec& spec) {
  // The distance is written so that `owner` can go back in steps of at most kMaxBack.
  const std::uint32_t back = std::min(index, kMaxBack);
  Tail tail{spec.ref.id, spec.ref.kind.dialect, spec.ref.kind.type,
            static_cast<std::uint16_t>(back << 1 | static_cast<std::uint32_t>(spec.is_def))};
  if (spec.is_def && spec.ref.is_none()) {
    std::uint32_t value;
    if (kind_ == StoreKind::kPool && !free_values_.empty()) {
      value = free_values_.back();
      free_values_.pop_back();
      values_[value] = at;
    } else {
      value = value_bound();
      values_.push_back(at);
      if (kind_ == StoreKind::kPool) value_generations_.push_back(0);
    }
    tail.id = value;
    tail.dialect = kind::kValue.dialect;
    tail.type = kind::kValue.type;
    store(at, Links{0, spec.type.index()});
    store(at + 1, tail);
    return;
  }
  store(at + 1, tail);
  if (!spec.is_def && is_tracked(spec.ref.kind)) {
    link_after(at, spec.ref.kind, spec.ref.id, 0);
  } else {
    words_[at] = spec.ref.payload;
  }
}

InstrId InstrStore::create(Opcode opcode, std::span<const OperandSpec> operands) {
  const bool many = operands.size() >= kManyOperands;
  if (operands.size() > 0x7FFFFFFFU) throw LimitError("an instruction has at most 2^31 - 1 operands");
  for (const OperandSpec& spec : operands) {
    if (spec.is_def || spec.ref.kind != kind::kValue) continue;
    if (!is_live(ValueId(spec.ref.id))) throw StaleRefError("an operand refers to a deleted value");
  }
  const std::size_t length = 1 + 2 * operands.size();
  Offset at = 0;
  if (kind_ == StoreKind::kPool && operands.size() < free_runs_.size() &&
      !free_runs_[operands.size()].empty()) {
    at = free_runs_[operands.size()].back();
    free_runs_[operands.size()].pop_back();
  } else {
    if (words_.size() + length + 1 > kMaxWords)
      throw LimitError("a module holds at most 32 GiB of instructions");
    if (many) words_.push_back(operands.size());
    at = static_cast<Offset>(words_.size());
    words_.resize(words_.size() + length, 0);
  }
  std::uint32_t id;
  if (kind_ == StoreKind::kPool && !free_instrs_.empty()) {
    id = free_instrs_.back();
    free_instrs_.pop_back();
    instrs_[id] = at;
  } else {
    id = instr_bound();
    instrs_.push_back(at);
    if (kind_ == StoreKind::kPool) generations_.push_back(0);
  }
  store(at, Header{id, opcode.raw(), many ? kManyOperands : static_cast<std::uint16_t>(operands.size())});
  for (std::uint32_t i = 0; i < operands.size(); ++i) write_operand(at + 1 + 2 * i, i, operands[i]);
  ++live_;
  return InstrId(id);
}

void InstrStore::check_erasable(InstrId instr) const {
  if (!is_live(instr)) throw StaleRefError("erase: the instruction was deleted already");
  const std::uint32_t count = operand_count(instr);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand given = operand(instr, i);
    if (!given.is_def || given.ref.kind != kind::kValue) continue;
    for_uses(ValueId(given.ref.id), [&](const Use& use) {
      if (use.instr != instr) throw UsageError("erase: a value the instruction defines is still used");
    });
  }
  if (has_uses(instr)) throw UsageError("erase: the instruction is still referred to");
}

void InstrStore::erase_checked(InstrId instr) {
  const std::uint32_t count = operand_count(instr);
  // Last operand first, so that `restore`, first operand first, finds every list as it was.
  for (std::uint32_t i = count; i-- > 0;) {
    const Operand given = operand(instr, i);
    if (!given.is_def && is_tracked(given.ref.kind)) unlink(operand_at(instr, i));
  }
  // Its own uses of its values are gone; now the values may go.
  for (std::uint32_t i = count; i-- > 0;) {
    const Operand given = operand(instr, i);
    if (!given.is_def || given.ref.kind != kind::kValue) continue;
    values_[given.ref.id] = 0;
    if (kind_ == StoreKind::kPool) {
      ++value_generations_[given.ref.id];
      free_values_.push_back(given.ref.id);
    }
  }
  const Offset at = instrs_[instr.index()];
  instrs_[instr.index()] = 0;
  --live_;
  if (kind_ == StoreKind::kPool) {
    ++generations_[instr.index()];
    free_instrs_.push_back(instr.index());
    if (count <= kLargestFreeRun) {
      if (count >= free_runs_.size()) free_runs_.resize(count + 1);
      free_runs_[count].push_back(at);
    }
  } else {
    graves_.push_back({instr, at});
  }
}

void InstrStore::restore(InstrId instr) {
  const auto grave =
      std::find_if(graves_.rbegin(), graves_.rend(), [&](const Grave& g) { return g.instr == instr; });
  if (grave == graves_.rend())
    throw UsageError("restore: the instruction was not deleted, or the store reuses memory");
  instrs_[instr.index()] = grave->header;
  graves_.erase(std::next(grave).base());
  ++live_;
  const std::uint32_t count = operand_count(instr);
  const auto each = [&](bool defs) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Offset at = operand_at(instr, i);
      const Tail tail = load<Tail>(at + 1);
      const ObjKind kind{tail.dialect, tail.type};
      if (((tail.back & 1U) != 0) != defs) continue;
      if (defs && kind == kind::kValue) values_[tail.id] = at;
      if (!defs && is_tracked(kind)) link_after(at, kind, tail.id, load<Links>(at).previous);
    }
  };
  each(true);
  each(false);
}

void InstrStore::set_opcode(InstrId instr, Opcode opcode) {
  Header head = header(instr);
  head.opcode = opcode.raw();
  store(instrs_[instr.index()], head);
}

Use InstrStore::previous_use(InstrId instr, std::uint32_t index) const {
  check(instr, index);
  const Offset at = operand_at(instr, index);
  const Tail tail = load<Tail>(at + 1);
  if ((tail.back & 1U) != 0 || !is_tracked({tail.dialect, tail.type})) return {};
  const Offset previous = load<Links>(at).previous;
  return previous == 0 ? Use{} : owner(previous);
}

void InstrStore::set_operand(InstrId instr, std::uint32_t index, FatDynObjRef ref) {
  set_operand_at(instr, index, ref, {});
}

void InstrStore::set_operand_at(InstrId instr, std::uint32_t index, FatDynObjRef ref, Use previous) {
  check(instr, index);
  if (ref.kind == kind::kValue && !is_live(ValueId(ref.id))) {
    throw StaleRefError("set_operand: the value was deleted");
  }
  const Offset at = operand_at(instr, index);
  Tail tail = load<Tail>(at + 1);
  if ((tail.back & 1U) != 0) throw UsageError("set_operand: this operand is a definition");
  if (is_tracked({tail.dialect, tail.type})) unlink(at);
  tail.id = ref.id;
  tail.dialect = ref.kind.dialect;
  tail.type = ref.kind.type;
  store(at + 1, tail);
  if (is_tracked(ref.kind)) {
    link_after(at, ref.kind, ref.id, previous.instr ? operand_at(previous.instr, previous.operand) : 0);
  } else {
    words_[at] = ref.payload;
  }
}

std::uint32_t InstrStore::replace_all_uses(ValueId from, ValueId to) {
  check(from);
  check(to);
  if (from == to) return 0;
  Offset last = 0;
  std::uint32_t count = 0;
  for (Offset at = first_use(kind::kValue, from.index()); at != 0; at = load<Links>(at).next) {
    Tail tail = load<Tail>(at + 1);
    tail.id = to.index();
    store(at + 1, tail);
    last = at;
    ++count;
  }
  if (last == 0) return 0;
  // The whole list goes in front of the other one.
  const Offset first = first_use(kind::kValue, from.index());
  const Offset behind = first_use(kind::kValue, to.index());
  Links links = load<Links>(last);
  links.next = behind;
  store(last, links);
  if (behind != 0) {
    links = load<Links>(behind);
    links.previous = last;
    store(behind, links);
  }
  set_first_use(kind::kValue, to.index(), first);
  set_first_use(kind::kValue, from.index(), 0);
  return count;
}

void InstrStore::move_first_uses(ValueId from, ValueId to, std::uint32_t count) {
  check(from);
  check(to);
  if (count == 0 || from == to) return;
  if (has_uses(to)) throw UsageError("move_first_uses: the target has uses already");
  const Offset first = first_use(kind::kValue, from.index());
  Offset last = 0;
  Offset at = first;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (at == 0) throw UsageError("move_first_uses: the value has fewer uses");
    Tail tail = load<Tail>(at + 1);
    tail.id = to.index();
    store(at + 1, tail);
    last = at;
    at = load<Links>(at).next;
  }
  Links links = load<Links>(last);
  links.next = 0;
  store(last, links);
  if (at != 0) {
    links = load<Links>(at);
    links.previous = 0;
    store(at, links);
  }
  set_first_use(kind::kValue, from.index(), at);
  set_first_use(kind::kValue, to.index(), first);
}

void InstrStore::reserve(std::size_t instrs, std::size_t operands) {
  instrs_.reserve(instrs_.size() + instrs);
  words_.reserve(words_.size() + instrs + 2 * operands);
}

std::size_t InstrStore::memory() const {
  std::size_t bytes = words_.capacity() * 8 + graves_.capacity() * sizeof(Grave);
  for (const auto* table : {&instrs_, &values_, &generations_, &value_generations_, &instr_uses_,
                            &block_uses_, &region_uses_, &free_instrs_, &free_values_}) {
    bytes += table->capacity() * sizeof(Offset);
  }
  return bytes;
}

}  // namespace dynomite::ir
