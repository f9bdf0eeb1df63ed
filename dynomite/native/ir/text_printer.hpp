#pragma once

#include <string>

#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

struct PrintOptions {
  bool locations = false;    // loc("file":line:column, ...) behind every instruction that has origins
  bool declarations = true;  // dialects declared in a text and used here, in front
};

/// The canonical text of a module (docs/language.md): `parse_text` makes the identical module of it.
/// Throws UsageError if instructions are in regions that belong to no instruction, LimitError if `stop`
/// ends it. Linear in the module; no recursion.
std::string print_text(const Module& module, const PrintOptions& options, Stop& stop);

/// Text of a single type, for messages.
std::string type_text(const Module& module, TypeId type);

}  // namespace dynomite::ir
