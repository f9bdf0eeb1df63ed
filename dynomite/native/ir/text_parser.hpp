#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/diagnostics.hpp"
#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

struct ParseOptions {
  std::string path = "<text>";  // for messages and locations
  StoreKind store = StoreKind::kArena;
  bool locations = false;         // instructions without loc(...) get their place in the text
  bool check_symbols = true;      // every symbol reference has to resolve
  std::uint32_t max_errors = 20;  // collected before giving up
};

/// Reads a module from its text form (docs/language.md). Dialects declared in the text are added to
/// `registry`; if there is an error it stays as it was.
///
/// Throws SourceErrors with every error found, LimitError if `stop` ends it or the text is over 4 GiB - 1.
/// Linear in the text; no recursion, memory proportional to the text.
std::unique_ptr<Module> parse_text(std::string_view text, const std::shared_ptr<Registry>& registry,
                                   const ParseOptions& options, Stop& stop);

}  // namespace dynomite::ir
