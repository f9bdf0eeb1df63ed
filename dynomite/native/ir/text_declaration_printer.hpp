#pragma once

#include <array>
#include <bitset>
#include <string>

#include "dynomite/native/ir/declarations.hpp"
#include "dynomite/native/ir/registry.hpp"

namespace dynomite::ir {

/// Declarations in the text of a module: those it has, and in front of it those that it uses and has not.
class DeclarationPrinter {
 public:
  explicit DeclarationPrinter(const Registry& registry) : registry_(registry) {}

  /// The text uses this.
  void need(Opcode opcode);
  void need(ObjKind kind);
  /// The text declares this before it goes on: what comes behind needs no other declaration.
  void note(const DeclaredDialect& dialect);
  /// What is needed and not declared, as `extern dialect`.
  std::string front() const;
  /// The short form of a dialect.
  static void print(std::string& out, const DeclaredDialect& dialect);

 private:
  using Flags = std::array<std::bitset<256>, 256>;

  const Registry& registry_;
  Flags declared_ops_, declared_types_;    // by declarations printed so far
  Flags missing_ops_, missing_types_;      // used without one
  std::array<bool, 256> used_dialects_{};  // with something missing
};

}  // namespace dynomite::ir
