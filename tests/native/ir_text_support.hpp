#pragma once

#include <memory>
#include <string>

#include "dynomite/native/ir/text_parser.hpp"
#include "dynomite/native/ir/text_printer.hpp"

namespace dynomite::ir::test {

inline constexpr const char* kDemo = R"(dialect demo {
  let word = type { let params = list { %width:core.unsigned } }
  let pair = type { let params = list { %first:core.type, %second:core.type } }
  let IN = core.instr { let defs = 1 }
  let ADD = core.instr { let defs = 1; let uses = 2; let pure = true; let commutative = true; let same_type = true; let doc = "sum" }
  let MUX = core.instr { let defs = 1; let uses = 3; let pure = true }
  let USE = core.instr { let variadic = true }
  let IF = core.instr { let uses = 1 }
  let BR = core.instr { let variadic = true; let terminator = true }
  let FUNC = core.instr { let symbol = true; let isolated = true }
  let CALL = core.instr { let uses = 1; let variadic = true }
  let OP = core.instr { let defs = 1; let variadic = true }
}
)";

inline std::shared_ptr<Registry> demo_registry() {
  auto registry = std::make_shared<Registry>();
  Stop stop;
  parse_text(kDemo, registry, {}, stop);
  return registry;
}

inline std::unique_ptr<Module> parse(const std::string& text, std::shared_ptr<Registry> registry = nullptr,
                                     const ParseOptions& options = {}) {
  Stop stop;
  return parse_text(text, registry ? registry : demo_registry(), options, stop);
}

/// Without the declarations in front.
inline std::string print(const Module& module, bool locations = false) {
  Stop stop;
  return print_text(module, {locations, false}, stop);
}

/// All errors as a user sees them; empty if there is none.
inline std::string errors_of(const std::string& text, const ParseOptions& options = {}) {
  try {
    parse(text, nullptr, options);
  } catch (const SourceErrors& errors) {
    return errors.render();
  }
  return {};
}

}  // namespace dynomite::ir::test
