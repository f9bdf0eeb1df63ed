#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dynomite/native/base/error.hpp"

namespace hw {

/// Splits text into logical lines of blank-separated words: `#` starts a comment anywhere, a backslash before
/// the line end (LF or CR LF) joins the next line. Words are views into the text, which must outlive the
/// lexer.
class LineLexer {
 public:
  LineLexer(std::string_view data, std::string path);

  /// Moves to the next line that holds a word. False at the end of the text.
  bool next_line();
  /// The next word of the logical line, or an empty view at its end.
  std::string_view word();
  /// Rest of the physical line from the next non-blank on, without comment and trailing blanks. A value in
  /// double quotes is taken up to its closing quote, whatever stands in it.
  std::string_view raw_rest();
  /// The whole physical line the lexer stands on from its first word, comment included; moves past it.
  std::string_view raw_line();
  /// Raises an error if the logical line has another word.
  void expect_end(const char* after);

  /// Number of the physical line of the last word.
  std::uint32_t line() const { return line_; }
  /// Lines where blanks followed a continuation backslash.
  std::uint32_t loose_continuations() const { return loose_continuations_; }
  std::uint32_t first_loose_continuation() const { return first_loose_continuation_; }
  const std::string& path() const { return path_; }
  std::string_view data() const { return data_; }

  /// Raises a ParseError at `where`, a word of the text.
  [[noreturn]] void fail(std::string_view where, const std::string& message) const;
  /// Raises a ParseError at the lexer's position.
  [[noreturn]] void fail_here(const std::string& message) const;

 private:
  std::string_view data_;
  std::string path_;
  const char* cursor_;
  const char* end_;
  std::uint32_t line_ = 1;
  std::uint32_t loose_continuations_ = 0;
  std::uint32_t first_loose_continuation_ = 0;
  bool skip_blanks();
  void skip_comment();
};

/// Raises a ParseError at `where`, a part of `data`.
[[noreturn]] void fail_at_text(std::string_view data, const std::string& path, std::string_view where,
                               const std::string& message);

/// Raises a ParseError for line `line` of `data`. The column is that of `word` in the line, if it occurs
/// there as a whole word. `data` may be empty: then the error has no text.
[[noreturn]] void fail_at_line(std::string_view data, const std::string& path, std::uint32_t line,
                               std::string_view word, const std::string& message);

/// `name` for a message: cut in the middle when very long.
std::string shown(std::string_view name);
/// The same in double quotes.
std::string quoted(std::string_view name);

}  // namespace hw
