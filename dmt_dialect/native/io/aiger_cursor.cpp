#include "dmt_dialect/native/io/aiger_cursor.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dmt::aiger {

namespace {
/// Longest part of an offending line that is shown.
constexpr std::ptrdiff_t kShownBytes = 120;
}  // namespace

std::string Item::text() const {
  std::string result = noun;
  if (count != 0) {
    result += ' ';
    result += std::to_string(index + 1);
    result += " of ";
    result += std::to_string(count);
  }
  return result;
}

std::string counted(std::uint64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string Cursor::describe(const char* at) const {
  if (at >= end_) return "the end of the file";
  switch (*at) {
    case '\n': return "the end of the line";
    case '\r': return "a carriage return";
    case '\t': return "a tab";
    case ' ': return "a blank";
    default: break;
  }
  if (*at > ' ' && *at <= '~') return std::string("'") + *at + "'";
  std::array<char, 16> hex{};
  std::snprintf(hex.data(), hex.size(), "byte 0x%02x",
                static_cast<unsigned>(static_cast<unsigned char>(*at)));
  return hex.data();
}

const char* Cursor::carriage_return_message() {
  return "carriage return: lines of AIGER end with a line feed alone (convert the DOS line ends)";
}

void Cursor::fail(const char* at, const std::string& message) const {
  dynomite::SourcePlace place;
  place.offset = static_cast<std::uint64_t>(at - begin_);
  if (binary_from_ != nullptr && at >= binary_from_ && (binary_to_ == nullptr || at < binary_to_)) {
    throw dynomite::ParseError(name_, place, message);
  }
  const char* floor = binary_to_ != nullptr && at >= binary_to_ ? binary_to_ : begin_;
  const char* line = at;
  while (line > floor && line[-1] != '\n') --line;
  place.column = static_cast<std::uint64_t>(at - line) + 1;
  if (floor == begin_) place.line = static_cast<std::uint64_t>(std::count(begin_, line, '\n')) + 1;
  const char* stop = std::find(line, std::min(end_, line + std::min(end_ - line, kShownBytes)), '\n');
  std::string text(line, stop);
  // What would spoil a terminal is shown as a question mark; bytes above 127 may be UTF-8 and stay.
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < ' ' && c != '\t') || byte == 127) c = '?';
  }
  throw dynomite::ParseError(name_, place, message, std::move(text));
}

void Cursor::fail_at_field(std::uint64_t line, unsigned field, const std::string& message) const {
  const char* at = begin_;
  for (std::uint64_t i = 1; i < line && at != end_; ++i) {
    at = std::find(at, end_, '\n');
    if (at != end_) ++at;
  }
  for (unsigned i = 0; i < field && at != end_; ++i) {
    at = std::find(at, end_, ' ');
    if (at != end_) ++at;
  }
  fail(at, message);
}

void Cursor::fail_number(const char* what, const Item& item) const {
  if (at_end()) {
    // At the start of a line the whole line is missing.
    const bool whole = at_ == begin_ || at_[-1] == '\n';
    fail(at_,
         "end of file: " + item.text() + (whole ? " is missing" : std::string(": ") + what + " is missing"));
  }
  if (*at_ == '\r') fail(at_, carriage_return_message());
  if (*at_ == '-') fail(at_, std::string("negative number: ") + what + " (" + item.text() + ") must not be");
  fail(at_, std::string("expected ") + what + " (" + item.text() + "), found " + describe(at_));
}

void Cursor::fail_overflow(const char* start) const {
  const char* stop = start;
  while (stop != end_ && is_digit(*stop) && stop - start < 24) ++stop;
  const bool cut = stop != end_ && is_digit(*stop);
  fail(start, "number " + std::string(start, stop) + (cut ? "..." : "") + " does not fit 32 bits");
}

void Cursor::fail_separator(const char* wanted, const Item& item) const {
  if (!at_end() && *at_ == '\r') fail(at_, carriage_return_message());
  fail(at_, std::string("expected ") + wanted + " here (" + item.text() + "), found " + describe(at_));
}

}  // namespace dmt::aiger
