#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynomite::ir {

/// Names of one kind (values, blocks...) with scopes: a definition hides one of the same name outside of its
/// scope until the scope is left. A name is an entry number; what it means now is read from there. Bare
/// numbers have a dense table; memory is linear in the names seen. All steps are constant expected time.
class TextNames {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  /// Entry of a name; `text` must outlive this object (see `keep`).
  std::uint32_t entry(std::string_view text);
  /// Entry of the bare number `number`.
  std::uint32_t entry_of_number(std::uint64_t number);
  /// Entry of a name if it was ever seen.
  std::uint32_t find(std::string_view text) const;
  /// Makes a text live as long as this object.
  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

  /// Number of the definition the name means now; kNone if it has none.
  std::uint32_t definition(std::uint32_t entry) const { return entries_[entry].definition; }
  /// Defines a name in the scope. False if the scope has defined it already.
  bool define(std::uint32_t entry, std::uint32_t scope, std::uint32_t definition);

  std::size_t mark() const { return hidden_.size(); }
  /// Leaves a scope: what was defined since `mark` is forgotten.
  void leave(std::size_t mark);

 private:
  struct Entry {
    std::string_view text;
    std::uint32_t scope = 0;  // 0: not defined
    std::uint32_t definition = kNone;
  };
  struct Hidden {
    std::uint32_t entry;
    std::uint32_t scope;
    std::uint32_t definition;
  };
  static std::uint64_t hash(std::string_view text);
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;                         // entry + 1
  std::vector<std::uint32_t> numbers_;                       // entry + 1
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;  // entries of numbers far beyond the others
  std::vector<Hidden> hidden_;
  std::size_t named_ = 0;
  std::deque<std::string> kept_;
};

}  // namespace dynomite::ir
