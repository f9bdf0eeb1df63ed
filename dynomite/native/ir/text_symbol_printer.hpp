#pragma once

#include <string>

#include "dynomite/native/ir/module.hpp"
#include "dynomite/native/ir/text_value_printer.hpp"

namespace dynomite::ir {

/// Writes operations that are symbols: name and visibility stand behind the operation, not in the dictionary.
class SymbolPrinter {
 public:
  SymbolPrinter(const Module& module, std::string& out, ValuePrinter& values)
      : module_(module), attributes_(module.attributes()), out_(out), values_(values) {}

  /// `op` is the full name of the operation.
  void head(InstrId instr, const std::string& op);
  /// The dictionary of a symbol without what stands behind the operation.
  void dictionary(InstrId instr, AttrId dictionary);

 private:
  const Module& module_;
  const Attributes& attributes_;
  std::string& out_;
  ValuePrinter& values_;
};

}  // namespace dynomite::ir
