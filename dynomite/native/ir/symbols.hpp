#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynomite/native/ir/update_log.hpp"

namespace dynomite::ir {

enum class Visibility : std::uint8_t { kPublic, kNested, kPrivate };

/// One reference to a symbol, found in an operand or below the attribute that is one.
struct SymbolUse {
  InstrId instr;
  std::uint32_t operand = 0;
  AttrId reference;
  bool operator==(const SymbolUse&) const = default;
};

/// Where the path of a reference leads.
struct SymbolPath {
  std::vector<InstrId> symbols;  // as far as it resolves, one a name
  bool complete = false;
  bool operator==(const SymbolPath&) const = default;
};

/// The symbol tables of a module. A table is an instruction with the trait kSymbolTable, or none: the module
/// itself. The symbols of a table stand immediately in its regions. A reference resolves in the nearest
/// table around the instruction that holds it (its own attributes count as outside of it), each further name
/// in the symbol before, which must be a table. References are found in operands and, at any depth, in lists
/// and dictionaries, in operations of every kind.
///
/// Built in linear time; a look-up takes constant expected time a name. Valid until symbols change.
class SymbolTables {
 public:
  explicit SymbolTables(const Module& module);

  /// The table an instruction's references resolve in.
  InstrId nearest_table(InstrId instr) const;
  InstrId find(InstrId table, AttrId name) const;
  InstrId find(InstrId table, std::string_view name) const;
  /// Symbols of one table in order.
  const std::vector<InstrId>& symbols(InstrId table) const;
  /// Symbols whose name was taken, with the earlier one.
  const std::vector<std::pair<InstrId, InstrId>>& duplicates() const { return duplicates_; }
  /// From the nearest table of `from`.
  SymbolPath lookup_nearest(InstrId from, AttrId reference) const;
  SymbolPath lookup_in(InstrId table, AttrId reference) const;
  /// The nearest declared name, for "did you mean"; empty if none is near.
  std::string suggestion(InstrId table, std::string_view name) const;

  /// References in `instr` itself, in operand order.
  std::vector<SymbolUse> uses_in(InstrId instr) const;
  /// References of the whole module that reach `symbol`, as their last name or on the way; in order.
  std::vector<SymbolUse> uses_of(InstrId symbol) const;

  static Visibility visibility(const Module& module, InstrId symbol);
  /// Sets or drops "sym_visibility".
  static void set_visibility(Mutator& mutator, InstrId symbol, Visibility visibility);
  /// Makes every reference that reaches `symbol` reach a symbol of this name in the same table, wherever
  /// the name stands in the path. Returns the number of references changed. Linear in the module.
  std::uint64_t replace_all_uses(Mutator& mutator, InstrId symbol, AttrId name) const;
  /// `replace_all_uses`, and the symbol takes the name. Throws UsageError if the table has it already.
  std::uint64_t rename(Mutator& mutator, InstrId symbol, AttrId name) const;

 private:
  static std::uint64_t key(InstrId table, AttrId name) {
    return std::uint64_t{table.index()} << 32 | std::uint64_t{name.index()};
  }
  bool is_table(InstrId instr) const;
  /// The symbol reference attributes inside of `attr`, each once.
  const std::vector<AttrId>& references_in(AttrId attr) const;
  /// `attr` with references replaced; the same attribute if there are none of them.
  AttrId rewritten(Attributes& attributes, AttrId attr,
                   const std::unordered_map<std::uint32_t, AttrId>& to) const;

  const Module& module_;
  std::vector<InstrId> table_of_region_;  // nearest table around what stands in a region
  std::unordered_map<std::uint64_t, InstrId> by_name_;
  std::unordered_map<std::uint32_t, std::vector<InstrId>> symbols_;  // by table
  std::vector<std::pair<InstrId, InstrId>> duplicates_;
  mutable std::unordered_map<std::uint32_t, std::vector<AttrId>> references_;  // by attribute
};

}  // namespace dynomite::ir
