#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynomite/native/ir/attributes.hpp"
#include "dynomite/native/ir/diagnostics.hpp"

namespace dynomite::ir {

/// Symbols and references of one text, with their places: finds double names, references to nothing and
/// references to private symbols from outside. Linear in the symbols and the names in references.
class TextSymbols {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  /// Table 0 is the outermost one.
  TextSymbols() : outer_(1, kNone) {}
  std::uint32_t add_table(std::uint32_t outer);
  std::uint32_t add_symbol(std::uint32_t table, AttrId name, bool is_private, std::uint32_t offset);
  void set_inner_table(std::uint32_t symbol, std::uint32_t table) { symbols_[symbol].inner_table = table; }
  void add_use(std::uint32_t table, AttrId reference, std::uint32_t offset) {
    uses_.push_back({table, reference, offset});
  }
  void check_names(const Attributes& attributes, Diagnostics& errors);
  /// After `check_names`.
  void check_uses(const Attributes& attributes, Diagnostics& errors) const;

 private:
  struct Symbol {
    std::uint32_t table;
    AttrId name;
    bool is_private;
    std::uint32_t offset;
    std::uint32_t inner_table;
  };
  struct Reference {
    std::uint32_t table;
    AttrId reference;
    std::uint32_t offset;
  };
  static std::uint64_t key(std::uint32_t table, AttrId name) {
    return std::uint64_t{table} << 32 | std::uint64_t{name.index()};
  }
  const Symbol* find(std::uint32_t table, AttrId name) const;
  std::string suggestion(const Attributes& attributes, std::uint32_t table, std::string_view name) const;

  std::vector<std::uint32_t> outer_;  // of each table
  std::vector<Symbol> symbols_;
  std::vector<Reference> uses_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_name_;
};

}  // namespace dynomite::ir
