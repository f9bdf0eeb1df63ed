#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dynomite::ir {

/// Classes of bytes in the text form.
namespace text_class {
inline constexpr std::uint8_t kStart = 1;   // starts an identifier: letter or '_'
inline constexpr std::uint8_t kDigit = 2;   // 0-9
inline constexpr std::uint8_t kDot = 4;     // goes on in a name of an operation or type
inline constexpr std::uint8_t kDollar = 8;  // goes on in a name of a value or symbol
inline constexpr std::uint8_t kBlank = 16;  // blank, tab, carriage return

inline constexpr std::array<std::uint8_t, 256> kTable = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = kStart;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = kStart;
  table['_'] = kStart;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = kDigit;
  table['.'] = kDot;
  table['$'] = kDollar;
  table[' '] = table['\t'] = table['\r'] = kBlank;
  return table;
}();
inline bool is(char c, std::uint8_t classes) {
  return (kTable[static_cast<unsigned char>(c)] & classes) != 0;
}
}  // namespace text_class

/// A place in a text that ends in a zero byte. Zero bytes inside count as ordinary bad characters.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  char peek() const { return *at_; }
  char peek(std::size_t ahead) const {
    return static_cast<std::size_t>(end_ - at_) > ahead ? at_[ahead] : '\0';
  }
  bool at_end() const { return at_ == end_; }
  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_ - begin_); }
  const char* at() const { return at_; }
  void seek(std::uint32_t offset) { at_ = begin_ + offset; }
  void advance(std::size_t count = 1) { at_ += count; }
  bool take(char c) {
    if (*at_ != c || at_ == end_) return false;
    ++at_;
    return true;
  }

  /// Skips blanks and comments up to the end of the line; a backslash before the line end joins lines.
  void skip_blanks() {
    for (;;) {
      while (text_class::is(*at_, text_class::kBlank)) ++at_;
      if (*at_ == '/' && at_[1] == '/') {
        while (at_ != end_ && *at_ != '\n') ++at_;
      } else if (*at_ == '\\' && (at_[1] == '\n' || (at_[1] == '\r' && at_[2] == '\n'))) {
        at_ += at_[1] == '\n' ? 2 : 3;
      } else {
        return;
      }
    }
  }
  /// Skips line ends too.
  void skip_lines() {
    for (;;) {
      skip_blanks();
      if (*at_ != '\n') return;
      ++at_;
    }
  }
  /// Letters, digits and '_', with `more` classes besides; empty if there is none.
  std::string_view word(std::uint8_t more) {
    const char* start = at_;
    if (text_class::is(*at_, text_class::kStart)) {
      const auto classes = static_cast<std::uint8_t>(text_class::kStart | text_class::kDigit | more);
      do ++at_;
      while (text_class::is(*at_, classes));
    }
    return {start, static_cast<std::size_t>(at_ - start)};
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace dynomite::ir
