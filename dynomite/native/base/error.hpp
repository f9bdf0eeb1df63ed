#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace dynomite {

// Three kinds of failure, never mixed: bad input raises a ParseError with a location, misuse raises a
// UsageError that names the call, a bug is an assert. bind_base.cpp maps these to dynomite.errors.

/// A place in an input file. Line and column count from 1; 0 means unknown (binary data has only an offset).
struct SourcePlace {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::uint64_t offset = 0;
};

/// Bad input. `text` is the offending line, cut to a printable length by the reader; empty for binary data.
class ParseError : public std::runtime_error {
 public:
  ParseError(std::string path, SourcePlace place, const std::string& message, std::string text = {})
      : std::runtime_error(message), path_(std::move(path)), place_(place), text_(std::move(text)) {}
  const std::string& path() const { return path_; }
  const SourcePlace& place() const { return place_; }
  const std::string& text() const { return text_; }

 private:
  std::string path_;
  SourcePlace place_;
  std::string text_;
};

/// The caller broke a documented rule of an API call.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An IR breaks invariants; the message lists all violations.
class VerifyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A documented size limit was met (node count, file size...).
class LimitError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A handle to something deleted was used.
class StaleRefError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dynomite
