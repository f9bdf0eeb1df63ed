#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

/// A remark that explains an error, at a place of its own ("first defined here").
struct Note {
  std::string message;
  SourcePlace place;
  std::string text;  // the line, as in ParseError
};

/// One error of a source text.
struct Diagnostic {
  std::string message;
  SourcePlace place;
  std::string text;
  std::vector<Note> notes;
};

/// All errors found in one source text, in order of their places; as a ParseError it is the first one.
class SourceErrors : public ParseError {
 public:
  /// `errors` must not be empty.
  SourceErrors(std::string path, std::vector<Diagnostic> errors)
      : ParseError(std::move(path), errors.front().place, errors.front().message, errors.front().text),
        errors_(std::move(errors)) {}
  const std::vector<Diagnostic>& errors() const { return errors_; }
  /// What a user reads: `FILE:LINE:COL: error: MESSAGE`, the line, a caret, and the notes likewise.
  std::string render() const;

 private:
  std::vector<Diagnostic> errors_;
};

/// Collects errors by byte offset. Lines and columns are counted only once there is an error.
class Diagnostics {
 public:
  /// `source` must outlive this object.
  Diagnostics(std::string_view source, std::string path, std::uint32_t limit)
      : source_(source), path_(std::move(path)), limit_(limit) {}

  struct At {
    std::size_t offset;
    std::string message;
  };
  void error(std::size_t offset, std::string message, const std::vector<At>& notes = {});
  bool any() const { return !errors_.empty(); }
  /// No more errors are wanted.
  bool full() const { return errors_.size() >= limit_; }
  SourcePlace place(std::size_t offset) const;
  /// Throws SourceErrors if there is any.
  void raise();

 private:
  std::string line_text(std::size_t offset) const;

  std::string_view source_;
  std::string path_;
  std::size_t limit_;
  std::vector<Diagnostic> errors_;
  mutable std::vector<std::size_t> line_starts_;
};

}  // namespace dynomite::ir
