#include "hw_dialect/native/blif/line_lexer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace hw {

namespace {

enum CharClass : std::uint8_t { kOther, kBlank, kNewline, kHash, kBackslash, kNul };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'}) classes[static_cast<unsigned char>(c)] = kBlank;
  classes['\n'] = kNewline;
  classes['#'] = kHash;
  classes['\\'] = kBackslash;
  classes[0] = kNul;
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

constexpr std::size_t kShownLine = 200;
constexpr std::size_t kShownName = 200;

/// The physical line around `at`, cut to a printable length that contains `at`.
std::string line_text(std::string_view data, std::size_t begin, std::size_t at, std::size_t* column) {
  std::size_t end = data.find('\n', at);
  if (end == std::string_view::npos) end = data.size();
  if (end > begin && data[end - 1] == '\r') --end;
  if (end < at) end = at;
  *column = at - begin + 1;
  // The caret must stay under its column, so a long line is only cut at its end; past that no text is shown.
  if (at - begin > kShownLine) return {};
  std::string text(data.substr(begin, std::min(end - begin, kShownLine + 40)));
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace

std::string shown(std::string_view name) {
  std::string text;
  if (name.size() <= kShownName) {
    text.append(name);
  } else {
    text.append(name.substr(0, kShownName / 2))
        .append("...")
        .append(name.substr(name.size() - kShownName / 2));
  }
  return text;
}

std::string quoted(std::string_view name) {
  std::string text(1, '"');
  text.append(shown(name));
  text.append(1, '"');
  return text;
}

LineLexer::LineLexer(std::string_view data, std::string path) : data_(data), path_(std::move(path)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  cursor_ = data.data();
  end_ = cursor_ + data.size();
  if (data.starts_with(kByteOrderMark)) cursor_ += kByteOrderMark.size();
}

void fail_at_text(std::string_view data, const std::string& path, std::string_view where,
                  const std::string& message) {
  const auto at = static_cast<std::size_t>(where.data() - data.data());
  const std::string_view before = data.substr(0, at);
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  dynomite::SourcePlace place;
  place.line = 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  place.offset = at;
  std::size_t column = 0;
  std::string text = line_text(data, begin, at, &column);
  place.column = column;
  throw dynomite::ParseError(path, place, message, std::move(text));
}

void LineLexer::fail(std::string_view where, const std::string& message) const {
  fail_at_text(data_, path_, where, message);
}

void LineLexer::fail_here(const std::string& message) const {
  fail(std::string_view(cursor_, static_cast<std::size_t>(end_ - cursor_)), message);
}

void LineLexer::skip_comment() {
  const void* newline = std::memchr(cursor_, '\n', static_cast<std::size_t>(end_ - cursor_));
  cursor_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
}

/// Moves to the next word of the logical line; false at the line's end, where the cursor stands on the
/// newline or at the end of the text.
bool LineLexer::skip_blanks() {
  while (cursor_ != end_) {
    switch (class_of(*cursor_)) {
      case kBlank: ++cursor_; break;
      case kNewline: return false;
      case kHash: skip_comment(); return false;
      case kNul: fail_here("NUL byte: this is not a text file");
      case kBackslash: {
        const char* p = cursor_ + 1;
        if (p != end_ && *p == '\r') ++p;
        if (p != end_ && *p == '\n') {
          cursor_ = p + 1;
          ++line_;
          break;
        }
        // A backslash alone, then blanks or a comment: meant as a continuation. Noted by the reader.
        p = cursor_ + 1;
        if (p == end_) fail_here("the last line ends with a continuation backslash");
        if (class_of(*p) != kBlank) return true;
        while (p != end_ && class_of(*p) == kBlank) ++p;
        if (p == end_) fail_here("the last line ends with a continuation backslash");
        if (class_of(*p) != kNewline && class_of(*p) != kHash) {
          fail_here("a backslash alone is no name, and a continuation must end its line");
        }
        if (loose_continuations_++ == 0) first_loose_continuation_ = line_;
        cursor_ = p;
        skip_comment();
        if (cursor_ == end_) return false;
        ++cursor_;
        ++line_;
        break;
      }
      default: return true;
    }
  }
  return false;
}

bool LineLexer::next_line() {
  for (;;) {
    if (skip_blanks()) return true;
    if (cursor_ == end_) return false;
    ++cursor_;
    ++line_;
  }
}

std::string_view LineLexer::word() {
  // Most words follow the one before after a single blank.
  if (cursor_ != end_ && *cursor_ == ' ') ++cursor_;
  if (cursor_ == end_ || (class_of(*cursor_) != kOther && !skip_blanks())) return {};
  const char* begin = cursor_;
  const char* p = cursor_;
  for (; p != end_; ++p) {
    const std::uint8_t c = class_of(*p);
    if (c == kOther) continue;
    if (c != kBackslash) break;
    const char* next = p + 1;
    if (next != end_ && *next == '\r') ++next;
    if (next == end_ || *next == '\n') {
      if (next == end_ && next == p + 1) continue;  // a backslash as the very last byte belongs to the word
      break;
    }
  }
  cursor_ = p;
  return {begin, static_cast<std::size_t>(p - begin)};
}

std::string_view LineLexer::raw_rest() {
  if (!skip_blanks()) return {};
  const char* begin = cursor_;
  if (*cursor_ == '"') {
    const char* p = cursor_ + 1;
    while (p != end_ && *p != '"' && *p != '\n') p += (*p == '\\' && p + 1 != end_ && p[1] != '\n') ? 2 : 1;
    if (p == end_ || *p == '\n') fail_here("a quoted value without its closing quote");
    cursor_ = p + 1;
    return {begin, static_cast<std::size_t>(cursor_ - begin)};
  }
  while (cursor_ != end_ && *cursor_ != '\n' && *cursor_ != '#') {
    if (*cursor_ == 0) fail_here("NUL byte: this is not a text file");
    ++cursor_;
  }
  const char* last = cursor_;
  while (last != begin && class_of(last[-1]) == kBlank) --last;
  return {begin, static_cast<std::size_t>(last - begin)};
}

std::string_view LineLexer::raw_line() {
  const char* begin = cursor_;
  skip_comment();
  const char* last = cursor_;
  while (last != begin && class_of(last[-1]) == kBlank) --last;
  return {begin, static_cast<std::size_t>(last - begin)};
}

void LineLexer::expect_end(const char* after) {
  const std::string_view extra = word();
  if (!extra.empty()) fail(extra, "unexpected " + quoted(extra) + " after " + after);
}

void fail_at_line(std::string_view data, const std::string& path, std::uint32_t line, std::string_view word,
                  const std::string& message) {
  dynomite::SourcePlace place;
  place.line = line;
  if (data.empty() || line == 0) throw dynomite::ParseError(path, place, message);
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t newline = data.find('\n', begin);
    if (newline == std::string_view::npos) break;
    begin = newline + 1;
  }
  std::size_t at = begin;
  std::size_t end = data.find('\n', begin);
  if (end == std::string_view::npos) end = data.size();
  const std::string_view text = data.substr(begin, end - begin);
  const auto breaks = [](char c) {
    return class_of(c) != kOther || c == '=' || c == '(' || c == ')' || c == ',';
  };
  for (std::size_t p = text.find(word); !word.empty() && p != std::string_view::npos;
       p = text.find(word, p + 1)) {
    const std::size_t after = p + word.size();
    if ((p == 0 || breaks(text[p - 1])) && (after == text.size() || breaks(text[after]))) {
      at = begin + p;
      break;
    }
  }
  place.offset = at;
  std::size_t column = 0;
  std::string shown_line = line_text(data, begin, at, &column);
  place.column = column;
  throw dynomite::ParseError(path, place, message, std::move(shown_line));
}

}  // namespace hw
