#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "dynomite/native/base/large_pages.hpp"
#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

/// How a store gives out ids and memory.
enum class StoreKind : std::uint8_t {
  kArena,    // ids and memory are never used again (default)
  kPool,     // both are, through free lists; generations tell old handles apart
  kChecked,  // an arena that validates every access and throws StaleRefError
};

/// The kind of stores that Python makes if it is not told: kArena, or what DYNOMITE_STORE=checked in the
/// environment says. Throws UsageError for another value.
StoreKind default_store();

/// What a new operand is: a use of an object (or a constant, which is its own object), or the definition of
/// a new value or of an existing region or block.
struct OperandSpec {
  FatDynObjRef ref;
  bool is_def = false;
  TypeId type;  // of the value a definition without `ref` makes

  static OperandSpec use(FatDynObjRef ref) { return {ref, false, {}}; }
  static OperandSpec def(TypeId type) { return {{}, true, type}; }
  static OperandSpec def_object(FatDynObjRef ref) { return {ref, true, {}}; }
};

/// One operand as read: values appear as references of kind kValue, whether defined or used here.
struct Operand {
  FatDynObjRef ref;
  bool is_def = false;
  bool operator==(const Operand&) const = default;
};

/// Where an object is used.
struct Use {
  InstrId instr;
  std::uint32_t operand = 0;
  bool operator==(const Use&) const = default;
};

/// Instructions with trailing fat operands and full use lists, in one array of 64-bit words.
///
/// An instruction is a header word and two words an operand: with its entry in the id table 12 + 16 n bytes,
/// and 4 more for every value it defines; a binary operation takes 64 bytes. The use list of a value is
/// threaded through its uses (payload word), so uses are added and removed in constant time. Order of a use
/// list: latest first.
///
/// Ids are dense; see StoreKind for when they come back. Deleted objects raise StaleRefError where a
/// function says so and are undefined elsewhere.
class InstrStore {
 public:
  explicit InstrStore(StoreKind kind = StoreKind::kArena);

  // Reading. Constant time.
  bool is_live(InstrId instr) const { return instr.index() < instrs_.size() && instrs_[instr.index()] != 0; }
  bool is_live(ValueId value) const { return value.index() < values_.size() && values_[value.index()] != 0; }
  Opcode opcode(InstrId instr) const { return Opcode::from_raw(header(instr).opcode); }
  std::uint32_t operand_count(InstrId instr) const;
  Operand operand(InstrId instr, std::uint32_t index) const;
  TypeId type(ValueId value) const;
  /// The instruction that defines `value`, and at which operand.
  Use definition(ValueId value) const;
  bool has_uses(ValueId value) const;
  /// Whether an operand refers to the instruction itself.
  bool has_uses(InstrId instr) const { return first_use(kind::kInstr, instr.index()) != 0; }
  /// Instruction that defines the value used as operand `index`; none if that is no value.
  InstrId operand_def(InstrId instr, std::uint32_t index) const;
  /// Calls `each(Use)` for the uses of a value, latest first; `each` must not change them. Linear in the
  /// uses.
  template <typename Each>
  void for_uses(ValueId value, Each each) const {
    check(value);
    for (Offset at = first_use(kind::kValue, value.index()); at != 0; at = load<Links>(at).next) {
      each(owner(at));
    }
  }
  /// The first of them; the value must have uses.
  Use latest_use(ValueId value) const {
    check(value);
    return owner(first_use(kind::kValue, value.index()));
  }
  /// The latest `most` uses, latest first. Linear in them.
  std::vector<Use> uses(ValueId value, std::uint32_t most = 0xFFFFFFFFU) const;
  std::uint32_t use_count(ValueId value) const;
  /// The same, but `most` where there are more. Linear in the result.
  std::uint32_t count_uses(ValueId value, std::uint32_t most) const {
    check(value);
    std::uint32_t count = 0;
    for (Offset at = first_use(kind::kValue, value.index()); at != 0 && count < most; ++count) {
      at = load<Links>(at).next;
    }
    return count;
  }
  /// Whether anything uses this value, instruction, block or region by reference.
  bool is_used(DynObjRef object) const {
    return is_tracked(object.kind) && first_use(object.kind, object.id) != 0;
  }
  /// Uses of an instruction, block or region by reference.
  std::vector<Use> uses_of(DynObjRef object) const;

  // Changing. The log and the builder call these; nobody else should.
  InstrId create(Opcode opcode, std::span<const OperandSpec> operands);
  /// Throws UsageError if the instruction or a value it defines is used by another one.
  void check_erasable(InstrId instr) const;
  /// Values defined here must be unused (UsageError).
  void erase(InstrId instr) {
    check_erasable(instr);
    erase_checked(instr);
  }
  /// The same of what `check_erasable` let pass.
  void erase_checked(InstrId instr);
  /// The latest `erase` will never be taken back.
  void forget_erased() {
    if (!graves_.empty()) graves_.pop_back();
  }
  /// Takes an `erase` back; only the arena kinds can, and only if nothing it used is gone.
  void restore(InstrId instr);
  void set_opcode(InstrId instr, Opcode opcode);
  /// Replaces a use by another use.
  void set_operand(InstrId instr, std::uint32_t index, FatDynObjRef ref);
  void set_type(ValueId value, TypeId type);
  /// Makes all uses of `from` uses of `to`; returns their number. Linear in it.
  std::uint32_t replace_all_uses(ValueId from, ValueId to);
  /// The first `count` uses of `from` become the whole list of uses of `to`, which must have none: takes a
  /// `replace_all_uses` back.
  void move_first_uses(ValueId from, ValueId to, std::uint32_t count);
  /// Puts a use back at its old place in the list, behind `previous` (first if that is none).
  void set_operand_at(InstrId instr, std::uint32_t index, FatDynObjRef ref, Use previous);
  /// The use before this one in its list; `instr` none if it is the first.
  Use previous_use(InstrId instr, std::uint32_t index) const;

  // Bounds for side tables, and iteration: ids below these may be dead.
  std::uint32_t instr_bound() const { return static_cast<std::uint32_t>(instrs_.size()); }
  std::uint32_t value_bound() const { return static_cast<std::uint32_t>(values_.size()); }
  std::uint32_t live_count() const { return live_; }
  std::uint32_t generation(InstrId instr) const {
    return generations_.empty() ? 0 : generations_[instr.index()];
  }
  std::uint32_t generation(ValueId value) const {
    return value_generations_.empty() ? 0 : value_generations_[value.index()];
  }
  StoreKind kind() const { return kind_; }
  std::size_t memory() const;
  /// Bytes that an instruction takes, ids and use lists included, slack of growing tables not.
  static constexpr std::size_t bytes_of(std::size_t operands, std::size_t values) {
    return sizeof(Offset) + 8 + 16 * operands + sizeof(Offset) * values;
  }
  void reserve(std::size_t instrs, std::size_t operands);
  /// Fetches early what using a value will touch: its definition first, its latest use some time later. Ids
  /// that do not exist do no harm.
  void prefetch_definition(ValueId value) const {
    if (value.index() < values_.size()) __builtin_prefetch(&words_[values_[value.index()]], 1);
  }
  void prefetch_latest_use(ValueId value) const {
    if (is_live(value)) __builtin_prefetch(&words_[load<Links>(values_[value.index()]).next], 1);
  }

 private:
  // Offset of a word in words_; 0 is none, word 0 is never used.
  using Offset = std::uint32_t;

  struct Header {
    std::uint32_t instr;
    std::uint16_t opcode;
    std::uint16_t count;  // kManyOperands: the word before the header has the number
  };
  static constexpr std::uint16_t kManyOperands = 0xFFFF;
  // Second word of an operand.
  struct Tail {
    std::uint32_t id;
    DialectId dialect;
    std::uint8_t type;
    std::uint16_t back;  // bit 0: definition; the rest: operands to the first one, at most kMaxBack at a time
  };
  static constexpr std::uint32_t kMaxBack = 0x7FFF;
  // First word of a tracked use: neighbours in its list. Of a value's definition: first use and type.
  struct Links {
    std::uint32_t next;
    std::uint32_t previous;
  };
  static_assert(sizeof(Header) == 8 && sizeof(Tail) == 8 && sizeof(Links) == 8);
  static_assert(std::endian::native == std::endian::little, "operands are read as words");

  template <typename T>
  T load(Offset at) const {
    T record;
    std::memcpy(&record, &words_[at], sizeof record);
    return record;
  }
  template <typename T>
  void store(Offset at, const T& record) {
    std::memcpy(&words_[at], &record, sizeof record);
  }

  Header header(InstrId instr) const {
    check(instr);
    return load<Header>(instrs_[instr.index()]);
  }
  Offset first_operand(InstrId instr) const { return instrs_[instr.index()] + 1; }
  Offset operand_at(InstrId instr, std::uint32_t index) const { return first_operand(instr) + 2 * index; }
  /// The instruction and operand number of the operand at `at`.
  Use owner(Offset at) const;
  static bool is_tracked(ObjKind kind) {
    return kind.dialect == kCoreDialect && kind.type >= kind::kInstr.type && kind.type <= kind::kRegion.type;
  }
  Offset first_use(ObjKind kind, std::uint32_t id) const {
    if (kind == kind::kValue) return load<Links>(values_[id]).next;
    const auto& table = kind == kind::kInstr   ? instr_uses_
                        : kind == kind::kBlock ? block_uses_
                                               : region_uses_;
    return id < table.size() ? table[id] : 0;
  }
  void set_first_use(ObjKind kind, std::uint32_t id, Offset at);
  void link_after(Offset at, ObjKind kind, std::uint32_t id, Offset previous);
  void unlink(Offset at);
  void write_operand(Offset at, std::uint32_t index, const OperandSpec& spec);
  std::vector<Use> collect(Offset at, std::uint32_t most = 0xFFFFFFFFU) const;
  bool checks() const { return kind_ == StoreKind::kChecked; }
  void check(InstrId instr) const {
    if (checks() && !is_live(instr)) throw_dead("instruction ", instr.index());
    assert(is_live(instr));
  }
  void check(ValueId value) const {
    if (checks() && !is_live(value)) throw_dead("value ", value.index());
    assert(is_live(value));
  }
  void check(InstrId instr, std::uint32_t index) const {
    if (checks() && index >= operand_count(instr)) throw_no_operand(index, operand_count(instr));
    assert(index < operand_count(instr));
  }
  [[noreturn]] static void throw_dead(const char* what, std::uint32_t id);
  [[noreturn]] static void throw_no_operand(std::uint32_t index, std::uint32_t count);

  StoreKind kind_;
  LargeVector<std::uint64_t> words_;
  LargeVector<Offset> instrs_;                                  // header of an instruction; 0: dead
  LargeVector<Offset> values_;                                  // defining operand of a value; 0: dead
  LargeVector<std::uint32_t> generations_, value_generations_;  // pool only
  // First uses of instructions, blocks and regions; grown only when such a reference is made.
  LargeVector<Offset> instr_uses_, block_uses_, region_uses_;
  // Arena kinds: header offset of dead instructions, so that an erase can be taken back.
  struct Grave {
    InstrId instr;
    Offset header;
  };
  LargeVector<Grave> graves_;
  // Pool: free ids, and free runs by number of operands.
  LargeVector<std::uint32_t> free_instrs_, free_values_;
  std::vector<std::vector<Offset>> free_runs_;
  std::uint32_t live_ = 0;
};

// What every loop over instructions calls.

[[gnu::always_inline]] inline std::uint32_t InstrStore::operand_count(InstrId instr) const {
  const Header head = header(instr);
  if (head.count != kManyOperands) return head.count;
  return static_cast<std::uint32_t>(words_[instrs_[instr.index()] - 1]);
}

[[gnu::always_inline]] inline Operand InstrStore::operand(InstrId instr, std::uint32_t index) const {
  check(instr, index);
  const Offset at = operand_at(instr, index);
  // The second word of a reference is that of an operand but for its last 16 bits.
  const std::uint64_t tail = words_[at + 1];
  const std::uint64_t second = tail & 0x0000FFFFFFFFFFFFU;
  const ObjKind kind{static_cast<DialectId>(tail >> 32), static_cast<std::uint8_t>(tail >> 40)};
  const std::uint64_t payload = is_tracked(kind) ? 0 : words_[at];
  return {std::bit_cast<FatDynObjRef>(std::array<std::uint64_t, 2>{payload, second}), (tail >> 48 & 1U) != 0};
}

inline TypeId InstrStore::type(ValueId value) const {
  check(value);
  return TypeId(load<Links>(values_[value.index()]).previous);
}

inline Use InstrStore::owner(Offset at) const {
  std::uint32_t index = 0;
  for (;;) {
    const std::uint32_t back = load<Tail>(at + 1).back >> 1;
    index += back;
    at -= 2 * back;
    if (back < kMaxBack) break;
  }
  return {InstrId(load<Header>(at - 1).instr), index};
}

inline Use InstrStore::definition(ValueId value) const {
  check(value);
  return owner(values_[value.index()]);
}

inline bool InstrStore::has_uses(ValueId value) const {
  check(value);
  return first_use(kind::kValue, value.index()) != 0;
}

}  // namespace dynomite::ir
