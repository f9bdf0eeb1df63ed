#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

// Declarations are instructions too; `dialect demo { ... }` in the text stands for
//   dsl.DIALECT "demo" { dsl.TYPE "word" {params = [["width", "unsigned"]]}; dsl.OP "ADD" {defs = 1, uses =
//   2} }
// in the outermost region. What has its default value is left out of the dictionaries.

using Declared = std::variant<TypeInfo, OpInfo>;

/// What one dsl.DIALECT declares.
struct DeclaredDialect {
  std::string name;
  std::vector<Declared> items;
  bool canonical = true;  // made by nothing but the short form of the text
};

/// Names of ParamKind in declarations, in its order.
inline constexpr std::array<std::string_view, 4> kParamKinds = {"any", "unsigned", "type", "string"};

/// What is wrong with the parameters of a type; empty if nothing is. Constant time a parameter.
std::string wrong_parameters(const Registry& registry, ObjKind type, const Attributes& attributes,
                             std::span<const FatDynObjRef> params);

/// The dictionary of a dsl.OP or dsl.TYPE; none if everything is default.
AttrId declaration_dictionary(Attributes& attributes, const Declared& declared);

/// Reads a dsl.DIALECT. Throws UsageError if it or what is in it is no declaration. Linear in its contents.
DeclaredDialect read_declarations(const Module& module, InstrId dialect);

/// Makes a registry know a declaration, as one that came from a text. Repeating an equal one does nothing.
/// Throws UsageError if there is a different one of the name, LimitError if there are too many.
void declare(Registry& registry, DialectId dialect, Declared declared);
/// The same for a whole dialect, which is added if it is new.
void declare(Registry& registry, const DeclaredDialect& dialect);

}  // namespace dynomite::ir
