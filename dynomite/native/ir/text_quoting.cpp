#include "dynomite/native/ir/text_quoting.hpp"

#include <cstddef>

#include "dynomite/native/ir/text_cursor.hpp"

namespace dynomite::ir {

namespace {

/// Length of the UTF-8 character at the front of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies above U+10FFFF.
  if (length == 3 && ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0))) return 0;
  if (length == 4 && ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90))) return 0;
  return length;
}

bool all_of_class(std::string_view text, std::uint8_t more) {
  if (text.empty() || !text_class::is(text[0], text_class::kStart)) return false;
  for (const char c : text) {
    if (!text_class::is(c, static_cast<std::uint8_t>(text_class::kStart | text_class::kDigit | more)))
      return false;
  }
  return true;
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      const std::size_t length = utf8_length(text.substr(i));
      const auto byte = static_cast<unsigned char>(c);
      if (length == 0 || byte < 0x20 || byte == 0x7F) {
        out += "\\x";
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
      } else {
        out.append(text, i, length);
        i += length;
        continue;
      }
    }
    ++i;
  }
  out += '"';
}

bool is_plain_name(std::string_view text) {
  return all_of_class(text, text_class::kDot | text_class::kDollar);
}

bool is_identifier(std::string_view text) { return all_of_class(text, 0); }

void append_name(std::string& out, std::string_view name) {
  if (is_plain_name(name)) {
    out += name;
  } else {
    append_quoted(out, name);
  }
}

std::string symbol_text(std::string_view name) {
  std::string out = "@";
  append_name(out, name);
  return out;
}

}  // namespace dynomite::ir
