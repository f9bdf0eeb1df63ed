#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynomite/native/base/access.hpp"
#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

/// What passes may rely on, as bits of `OpInfo::traits`.
enum OpTrait : std::uint32_t {
  kPure = 1U << 0,         // no effect but its values: may be merged, moved, dropped
  kCommutative = 1U << 1,  // its value uses may come in any order
  kTerminator = 1U << 2,   // ends a block
  kSymbol = 1U << 3,       // has a name in the nearest symbol table
  kSymbolTable = 1U << 4,  // its region is a symbol table
  kIsolated = 1U << 5,     // its region uses no values from outside
  kForwards = 1U << 6,     // hands operands on to other values: tokens must not pass
  kGraphRegion = 1U << 7,  // in its region order means nothing and cycles through values are allowed
  kVariadic = 1U << 8,     // any number of uses behind the declared ones
  kDynamic = 1U << 9,      // declared in the textual language
  kSameType = 1U << 10,    // all values it defines and uses have one type; gives `def` its type
};

/// Declaration of an operation.
struct OpInfo {
  std::string name;  // without the dialect
  std::uint32_t traits = 0;
  std::uint32_t defs = 0;  // leading definitions
  std::uint32_t uses = 0;  // least number of uses behind them
  std::string doc;
};

/// What a parameter of a type may be.
enum class ParamKind : std::uint8_t { kAny, kUnsigned, kType, kString };

struct ParamInfo {
  std::string name;
  ParamKind kind = ParamKind::kAny;
  bool operator==(const ParamInfo&) const = default;
};

/// Declaration of a type or object kind.
struct TypeInfo {
  std::string name;
  std::uint32_t params = 0;
  bool is_token = false;
  std::string doc;
  std::vector<ParamInfo> param_info = {};  // empty: any `params` parameters; else one entry for each
  bool is_dynamic = false;                 // declared in the textual language
};

struct DialectInfo {
  std::string name;
  std::vector<OpInfo> ops;
  std::vector<TypeInfo> types;
};

/// Operations of the core dialect, which contain code.
namespace core_op {
inline constexpr Opcode kCfg(kCoreDialect, 0);     // CFG: named region in which order matters
inline constexpr Opcode kGraph(kCoreDialect, 1);   // GRAPH: named region in which it does not
inline constexpr Opcode kModule(kCoreDialect, 2);  // MODULE: a symbol table; its name may be missing
}  // namespace core_op

/// Operations of the dsl dialect, which declare; see declarations.hpp.
namespace dsl_op {
inline constexpr Opcode kDialect(kDslDialect, 0);  // DIALECT: its name and a region with what it declares
inline constexpr Opcode kType(kDslDialect, 1);     // TYPE: name, and properties in the dictionary
inline constexpr Opcode kOp(kDslDialect, 2);       // OP: name, and properties in the dictionary
}  // namespace dsl_op

/// Throws UsageError unless `name` has letters, digits, '_' and '.' only and does not begin with a digit.
void check_declared_name(std::string_view name, const char* what);

/// The declared dialects of a context: dense tables, so that every property of an opcode is an array read.
/// At most 255 dialects, 256 operations and 256 types in each (LimitError). Names are unique (UsageError).
/// The dialects core, id 0, dsl, id 1, and rewrite, id 2, are always there.
class Registry {
 public:
  Registry();

  /// Different for every context of the process, never 0.
  std::uint64_t serial() const { return serial_; }

  /// Grows with every declaration; nothing is ever taken away.
  std::size_t declaration_count() const {
    return dialect_by_name_.size() + op_by_name_.size() + type_by_name_.size();
  }

  DialectId add_dialect(std::string_view name);
  Opcode add_op(DialectId dialect, OpInfo info);
  ObjKind add_type(DialectId dialect, TypeInfo info);

  std::uint32_t dialect_count() const { return static_cast<std::uint32_t>(dialects_.size()); }
  const DialectInfo& dialect(DialectId id) const { return dialects_[id]; }
  bool knows(Opcode opcode) const {
    return opcode.dialect() < dialects_.size() && opcode.number() < dialects_[opcode.dialect()].ops.size();
  }
  bool knows(ObjKind kind) const {
    return kind.dialect < dialects_.size() && kind.type < dialects_[kind.dialect].types.size();
  }
  const OpInfo& op(Opcode opcode) const { return dialects_[opcode.dialect()].ops[opcode.number()]; }
  const TypeInfo& type(ObjKind kind) const { return dialects_[kind.dialect].types[kind.type]; }
  bool has_trait(Opcode opcode, OpTrait trait) const { return (op(opcode).traits & trait) != 0; }
  /// "dialect.NAME".
  std::string name(Opcode opcode) const { return dialects_[opcode.dialect()].name + "." + op(opcode).name; }
  std::string name(ObjKind kind) const { return dialects_[kind.dialect].name + "." + type(kind).name; }

  /// Who reads the tables without the GIL; see access.hpp.
  AccessState& access() const { return access_; }

  std::optional<DialectId> find_dialect(std::string_view name) const;
  /// By full name, "dialect.NAME".
  std::optional<Opcode> find_op(std::string_view full_name) const;
  std::optional<ObjKind> find_type(std::string_view full_name) const;
  /// The declared full name nearest to a wrong one, for "did you mean"; empty if nothing is near.
  std::string nearest_op(std::string_view full_name) const;
  std::string nearest_type(std::string_view full_name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <typename T>
  using ByName = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

  std::uint64_t serial_;
  mutable AccessState access_{"context"};
  std::vector<DialectInfo> dialects_;
  ByName<DialectId> dialect_by_name_;
  ByName<Opcode> op_by_name_;
  ByName<ObjKind> type_by_name_;
};

}  // namespace dynomite::ir
