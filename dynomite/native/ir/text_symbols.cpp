#include "dynomite/native/ir/text_symbols.hpp"

#include <vector>

#include "dynomite/native/ir/nearest_name.hpp"
#include "dynomite/native/ir/text_quoting.hpp"

namespace dynomite::ir {

namespace {
// Outer tables looked at for the note of an unknown symbol.
constexpr int kMaxOuter = 64;
}  // namespace

std::uint32_t TextSymbols::add_table(std::uint32_t outer) {
  outer_.push_back(outer);
  return static_cast<std::uint32_t>(outer_.size() - 1);
}

std::uint32_t TextSymbols::add_symbol(std::uint32_t table, AttrId name, bool is_private,
                                      std::uint32_t offset) {
  symbols_.push_back({table, name, is_private, offset, kNone});
  return static_cast<std::uint32_t>(symbols_.size() - 1);
}

const TextSymbols::Symbol* TextSymbols::find(std::uint32_t table, AttrId name) const {
  const auto it = by_name_.find(key(table, name));
  return it == by_name_.end() ? nullptr : &symbols_[it->second];
}

void TextSymbols::check_names(const Attributes& attributes, Diagnostics& errors) {
  for (std::uint32_t i = 0; i < symbols_.size() && !errors.full(); ++i) {
    const Symbol& symbol = symbols_[i];
    if (symbol.table == kNone) continue;  // in no table
    const auto [it, added] = by_name_.emplace(key(symbol.table, symbol.name), i);
    if (added) continue;
    errors.error(symbol.offset,
                 "the symbol " + symbol_text(attributes.text_view(symbol.name)) + " exists already",
                 {{symbols_[it->second].offset, "first defined here"}});
  }
}

std::string TextSymbols::suggestion(const Attributes& attributes, std::uint32_t table,
                                    std::string_view name) const {
  NearestName nearest(name);
  for (const Symbol& symbol : symbols_) {
    if (symbol.table == table) nearest.offer(attributes.text_view(symbol.name));
  }
  return nearest.best().empty() ? "" : "; did you mean " + symbol_text(nearest.best()) + "?";
}

void TextSymbols::check_uses(const Attributes& attributes, Diagnostics& errors) const {
  for (const Reference& use : uses_) {
    if (errors.full()) return;
    const std::vector<AttrId> path = attributes.path(use.reference);
    const Symbol* symbol = nullptr;
    std::string so_far;
    for (const AttrId name : path) {
      const std::string text = symbol_text(attributes.text_view(name));
      std::uint32_t table = use.table;
      if (symbol != nullptr) {
        table = symbol->inner_table;
        if (table == kNone) {
          errors.error(use.offset, "the symbol " + so_far + " is no symbol table",
                       {{symbol->offset, "defined here"}});
          break;
        }
      }
      const Symbol* outer = symbol;
      symbol = find(table, name);
      if (symbol == nullptr) {
        std::vector<Diagnostics::At> notes;
        std::uint32_t around = outer == nullptr ? outer_[table] : kNone;
        for (int i = 0; i < kMaxOuter && around != kNone; ++i, around = outer_[around]) {
          if (const Symbol* far = find(around, name)) {
            notes.push_back({far->offset, "a symbol of this name is outside of the nearest symbol table"});
            break;
          }
        }
        if (outer != nullptr) notes.push_back({outer->offset, so_far + " is defined here"});
        errors.error(use.offset,
                     "unknown symbol " + text + (outer != nullptr ? " in " + so_far : "") +
                         suggestion(attributes, table, attributes.text_view(name)),
                     notes);
        break;
      }
      if (outer != nullptr && symbol->is_private) {
        errors.error(use.offset, "the symbol " + text + " is private to " + so_far,
                     {{symbol->offset, "defined here"}});
        break;
      }
      so_far += (so_far.empty() ? "" : "::") + text;
    }
  }
}

}  // namespace dynomite::ir
