#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dmt_dialect/native/smt/term_store.hpp"

namespace dmt::smt {

/// A defined function with parameters; without any it is a term.
struct Function {
  std::vector<TermId> parameters;
  TermId body;
};

/// What a name means.
struct Binding {
  enum class Kind : std::uint8_t { kNone, kTerm, kFunction, kSort };
  Kind kind = Kind::kNone;
  /// Which `let` or parameter list bound it: the mark it was bound at; kDeclared for declarations.
  std::size_t scope = kDeclared;
  static constexpr std::size_t kDeclared = SIZE_MAX;
  TermId term;
  const Function* function = nullptr;
  Sort sort = Sort::boolean();
};

/// Names and what they mean, with scopes that can be left. Looking up and binding take constant time.
class Names {
 public:
  /// Terms and functions have names of their own, sorts too.
  enum class Space : std::uint8_t { kTerms, kSorts };

  const Binding& find(std::string_view name, Space space = Space::kTerms) const;
  void bind(std::string_view name, Binding binding, Space space = Space::kTerms);
  const Function* keep(Function function) {
    functions_.push_back(std::make_unique<Function>(std::move(function)));
    return functions_.back().get();
  }

  /// What `leave` takes to come back to where things are now.
  std::size_t mark() const { return undo_.size(); }
  void leave(std::size_t mark);
  /// Bindings from now on can no longer be undone by marks made before.
  void clear();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  using Table = std::unordered_map<std::string, Binding, Hash, std::equal_to<>>;
  struct Undo {
    Binding* binding;
    Binding before;
  };
  Table& table(Space space) { return space == Space::kTerms ? terms_ : sorts_; }
  const Table& table(Space space) const { return space == Space::kTerms ? terms_ : sorts_; }

  Table terms_;
  Table sorts_;
  std::vector<Undo> undo_;
  std::vector<std::unique_ptr<Function>> functions_;
};

}  // namespace dmt::smt
