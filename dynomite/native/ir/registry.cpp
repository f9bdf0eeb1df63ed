#include "dynomite/native/ir/registry.hpp"

#include <atomic>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/nearest_name.hpp"
#include "dynomite/native/ir/rewrite_ops.hpp"

namespace dynomite::ir {

namespace {

template <typename Map>
std::string nearest(const Map& names, std::string_view wanted) {
  NearestName found(wanted);
  for (const auto& [name, value] : names) found.offer(name);
  return found.best();
}

}  // namespace

void check_declared_name(std::string_view name, const char* what) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) {
    throw UsageError(std::string(what) + " '" + std::string(name) + "': a name starts with a letter or '_'");
  }
  // Operations and types may be grouped by dots: exec.inline.
  for (const char c : name) {
    if (!good(c) && c != '.') {
      throw UsageError(std::string(what) + " '" + std::string(name) +
                       "': a name has letters, digits, '_' and '.'");
    }
  }
}

Registry::Registry() {
  static std::atomic<std::uint64_t> last_serial{0};
  serial_ = ++last_serial;
  add_dialect("core");
  // In the order of the kinds in refs.hpp.
  for (const char* name : {"none", "instr", "value", "block", "region", "type", "constant", "wide", "attr"}) {
    add_type(kCoreDialect, {name, 0, false, ""});
  }
  add_type(kCoreDialect,
           {"token", 0, true, "A value without data that stands for the operation defining it."});
  // In the order of core_op.
  add_op(kCoreDialect, {"CFG", kSymbol | kIsolated, 0, 0, "A named region in which order matters."});
  add_op(kCoreDialect,
         {"GRAPH", kSymbol | kIsolated | kGraphRegion, 0, 0, "A named region in which order means nothing."});
  add_op(kCoreDialect, {"MODULE", kSymbol | kSymbolTable | kIsolated | kGraphRegion, 0, 0,
                        "A symbol table, with a name or without."});
  add_dialect("dsl");
  // In the order of dsl_op.
  add_op(kDslDialect, {"DIALECT", 0, 0, 1, "Declares what is in its region in the dialect of this name."});
  add_op(kDslDialect,
         {"TYPE", 0, 0, 1, "Declares a type of this name; params, token and doc are attributes."});
  add_op(kDslDialect,
         {"OP", 0, 0, 1, "Declares an operation of this name; defs, uses, doc and traits are attributes."});
  add_dialect("rewrite");
  for (std::uint8_t number = 0; number < rewrite_op::kEnd; ++number) {
    std::uint32_t traits = kVariadic;
    if (number <= rewrite_op::kRules) traits = kSymbol | kIsolated | kGraphRegion;
    add_op(kRewriteDialect, {std::string(rewrite_op::kNames[number]), traits, 0, 0, ""});
  }
}

DialectId Registry::add_dialect(std::string_view name) {
  check_declared_name(name, "dialect");
  if (dialect_by_name_.contains(name))
    throw UsageError("the dialect '" + std::string(name) + "' exists already");
  if (dialects_.size() >= 255) throw LimitError("a context has at most 255 dialects");
  const auto id = static_cast<DialectId>(dialects_.size());
  dialects_.push_back({std::string(name), {}, {}});
  dialects_.back().ops.reserve(256);
  dialects_.back().types.reserve(256);
  dialect_by_name_.emplace(name, id);
  return id;
}

Opcode Registry::add_op(DialectId dialect, OpInfo info) {
  check_declared_name(info.name, "operation");
  auto& ops = dialects_.at(dialect).ops;
  if (ops.size() >= 256) throw LimitError("a dialect has at most 256 operations");
  const Opcode opcode(dialect, static_cast<std::uint8_t>(ops.size()));
  const std::string full = dialects_[dialect].name + "." + info.name;
  if (!op_by_name_.emplace(full, opcode).second)
    throw UsageError("the operation '" + full + "' exists already");
  ops.push_back(std::move(info));
  return opcode;
}

ObjKind Registry::add_type(DialectId dialect, TypeInfo info) {
  check_declared_name(info.name, "type");
  auto& types = dialects_.at(dialect).types;
  if (types.size() >= 256) throw LimitError("a dialect has at most 256 types");
  const ObjKind kind{dialect, static_cast<std::uint8_t>(types.size())};
  const std::string full = dialects_[dialect].name + "." + info.name;
  if (!type_by_name_.emplace(full, kind).second) throw UsageError("the type '" + full + "' exists already");
  types.push_back(std::move(info));
  return kind;
}

std::optional<DialectId> Registry::find_dialect(std::string_view name) const {
  const auto it = dialect_by_name_.find(name);
  return it == dialect_by_name_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<Opcode> Registry::find_op(std::string_view full_name) const {
  const auto it = op_by_name_.find(full_name);
  return it == op_by_name_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<ObjKind> Registry::find_type(std::string_view full_name) const {
  const auto it = type_by_name_.find(full_name);
  return it == type_by_name_.end() ? std::nullopt : std::optional(it->second);
}

std::string Registry::nearest_op(std::string_view full_name) const { return nearest(op_by_name_, full_name); }
std::string Registry::nearest_type(std::string_view full_name) const {
  return nearest(type_by_name_, full_name);
}

}  // namespace dynomite::ir
