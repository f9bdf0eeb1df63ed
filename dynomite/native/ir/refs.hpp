#pragma once

#include <cstdint>
#include <functional>

#include "dynomite/native/base/id.hpp"

namespace dynomite::ir {

// Ids of the objects of one module. Dense, never reused in the arena store.
using InstrId = Id<struct InstrTag>;
using ValueId = Id<struct ValueTag>;
using BlockId = Id<struct BlockTag>;
using RegionId = Id<struct RegionTag>;
/// Interned: equal ids mean equal content.
using TypeId = Id<struct TypeTag>;
using AttrId = Id<struct AttrTag>;
using LocationId = Id<struct LocationTag>;

using DialectId = std::uint8_t;

/// An operation: dialect in the upper byte, number in the dialect below.
class Opcode {
 public:
  constexpr Opcode() = default;
  constexpr Opcode(DialectId dialect, std::uint8_t number)
      : raw_(static_cast<std::uint16_t>((dialect << 8) | number)) {}
  static constexpr Opcode from_raw(std::uint16_t raw) {
    Opcode opcode;
    opcode.raw_ = raw;
    return opcode;
  }
  constexpr std::uint16_t raw() const { return raw_; }
  constexpr DialectId dialect() const { return static_cast<DialectId>(raw_ >> 8); }
  constexpr std::uint8_t number() const { return static_cast<std::uint8_t>(raw_ & 0xFF); }
  constexpr bool operator==(const Opcode&) const = default;

 private:
  std::uint16_t raw_ = 0;
};

/// Kind of an object: dialect and type number.
struct ObjKind {
  DialectId dialect = 0;
  std::uint8_t type = 0;
  constexpr bool operator==(const ObjKind&) const = default;
};

/// The dialect of declarations as instructions; see declarations.hpp.
inline constexpr DialectId kDslDialect = 1;
/// The dialect of rewrite rules as instructions; see rewrite_ops.hpp.
inline constexpr DialectId kRewriteDialect = 2;
/// The core dialect has id 0; these are its object kinds.
inline constexpr DialectId kCoreDialect = 0;
namespace kind {
inline constexpr ObjKind kNone{kCoreDialect, 0};      // no object
inline constexpr ObjKind kInstr{kCoreDialect, 1};     // id: InstrId
inline constexpr ObjKind kValue{kCoreDialect, 2};     // id: ValueId
inline constexpr ObjKind kBlock{kCoreDialect, 3};     // id: BlockId
inline constexpr ObjKind kRegion{kCoreDialect, 4};    // id: RegionId
inline constexpr ObjKind kType{kCoreDialect, 5};      // id: TypeId
inline constexpr ObjKind kConstant{kCoreDialect, 6};  // payload: bits, id: width; see Constants
inline constexpr ObjKind kWide{kCoreDialect, 7};      // id: AttrId of a constant above 64 bits
inline constexpr ObjKind kAttr{kCoreDialect, 8};   // id: AttrId (string, list, dictionary, symbol reference)
inline constexpr ObjKind kToken{kCoreDialect, 9};  // a type of values, see token.hpp
}  // namespace kind

/// A reference whose object type is known when compiling: the id alone.
template <typename T>
struct ObjRef {
  std::uint32_t id = Id<T>::kNone;
  constexpr bool operator==(const ObjRef&) const = default;
};

/// A static reference with 64 inline bits.
template <typename T>
struct FatObjRef {
  std::uint64_t payload = 0;
  std::uint32_t id = Id<T>::kNone;
  constexpr bool operator==(const FatObjRef&) const = default;
};

/// A reference whose type is known when running. 8 bytes.
struct DynObjRef {
  std::uint32_t id = 0xFFFFFFFFU;
  ObjKind kind;
  constexpr bool operator==(const DynObjRef&) const = default;
};
static_assert(sizeof(DynObjRef) == 8);

/// Can hold every other reference: kind, id and 64 inline bits. 16 bytes.
struct FatDynObjRef {
  std::uint64_t payload = 0;
  std::uint32_t id = 0xFFFFFFFFU;
  ObjKind kind;
  constexpr bool operator==(const FatDynObjRef&) const = default;

  constexpr FatDynObjRef() = default;
  constexpr FatDynObjRef(ObjKind object_kind, std::uint32_t object_id, std::uint64_t bits = 0)
      : payload(bits), id(object_id), kind(object_kind) {}
  constexpr FatDynObjRef(DynObjRef ref) : id(ref.id), kind(ref.kind) {}  // NOLINT: lossless
  /// The thin form; the payload must be empty.
  constexpr DynObjRef thin() const { return {id, kind}; }
  constexpr bool is_none() const { return kind == kind::kNone; }
};
static_assert(sizeof(FatDynObjRef) == 16);

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29);
}

/// Structural hash of a reference: equal references have equal hashes in every run.
constexpr std::uint64_t hash_of(const FatDynObjRef& ref) {
  return mix(mix(ref.payload, ref.id), (std::uint64_t{ref.kind.dialect} << 8) | std::uint64_t{ref.kind.type});
}

}  // namespace dynomite::ir

template <>
struct std::hash<dynomite::ir::FatDynObjRef> {
  std::size_t operator()(const dynomite::ir::FatDynObjRef& ref) const noexcept {
    return dynomite::ir::hash_of(ref);
  }
};
