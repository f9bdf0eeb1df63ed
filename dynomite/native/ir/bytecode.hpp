#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

/// Version of the format (docs/language.md); the reader knows this one only.
inline constexpr std::uint8_t kBytecodeVersion = 1;

/// The module as bytes, with all names, types, attributes, locations and text-declared dialects. Does not
/// depend on ids: modules are identical exactly if their bytes are equal. Linear in the module; no recursion.
/// Throws UsageError as `print_text` does.
std::string write_bytecode(const Module& module, Stop& stop);

struct BytecodeOptions {
  std::string path = "<bytes>";  // for messages
  StoreKind store = StoreKind::kArena;
};

/// Reads what `write_bytecode` wrote. Dialects of the file that were declared in a text are added to
/// `registry`; if there is an error it stays as it was. Every damaged file is rejected: ParseError with the
/// byte offset. Linear in the file; no recursion, memory proportional to the file.
std::unique_ptr<Module> read_bytecode(std::string_view bytes, const std::shared_ptr<Registry>& registry,
                                      const BytecodeOptions& options, Stop& stop);

/// Equality up to ids, by bytecode.
bool same_module(const Module& a, const Module& b);

}  // namespace dynomite::ir
