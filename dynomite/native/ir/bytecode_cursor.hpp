#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/bytecode.hpp"

namespace dynomite::ir::bytecode {

/// Reads the parts that bytecode is made of; everything wrong is a ParseError with its offset.
class Cursor {
 public:
  /// Checks header, length and checksum.
  Cursor(std::string_view bytes, const BytecodeOptions& options, Stop& stop);

  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const {
    throw ParseError(options_.path, {0, 0, offset}, message);
  }
  std::size_t offset() const { return at_; }
  std::size_t bytes_left() const { return end_ - at_; }

  std::uint64_t number();
  /// A number below `bound`; `what` names it in errors.
  std::uint64_t below(std::uint64_t bound, const char* what);
  /// A count of things that take at least a byte each.
  std::uint64_t count() { return below(bytes_left() + std::uint64_t{1}, "a count"); }
  std::string_view text();
  bool flag() { return below(2, "a flag") != 0; }
  std::uint32_t small() { return static_cast<std::uint32_t>(below(std::uint64_t{1} << 32, "a number")); }
  /// Eight bytes, lowest first. They have to be there.
  std::uint64_t word();
  void poll() {
    if (++polls_ % 256 == 0 && stop_.poll()) throw LimitError("reading bytecode was stopped");
  }

 private:
  void check_envelope();

  std::string_view bytes_;
  const BytecodeOptions& options_;
  Stop& stop_;
  std::size_t at_ = 0, end_ = 0;
  std::uint32_t polls_ = 0;
};

}  // namespace dynomite::ir::bytecode
