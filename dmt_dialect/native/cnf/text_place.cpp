#include "dmt_dialect/native/cnf/text_place.hpp"

#include <algorithm>
#include <array>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

constexpr std::size_t kShown = 160;

}  // namespace

void fail_at(std::string_view data, const std::string& name, std::size_t offset, const std::string& message) {
  offset = std::min(offset, data.size());
  const std::string_view before = data.substr(0, offset);
  const std::size_t line_end_before = before.rfind('\n');
  const std::size_t start = line_end_before == std::string_view::npos ? 0 : line_end_before + 1;
  const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const std::string_view line = data.substr(start, data.find('\n', offset) - start);
  // A long line is shown only where the caret can be under it.
  const bool shown = offset - start < kShown;
  throw dynomite::ParseError(name, {lines + 1, offset - start + 1, offset}, message,
                             shown ? std::string(line.substr(0, kShown)) : std::string());
}

std::string describe_char(std::string_view data, std::size_t offset) {
  if (offset >= data.size()) return "the end of the file";
  const auto c = static_cast<unsigned char>(data[offset]);
  if (c == '\n') return "the end of the line";
  if (c == ' ') return "a blank";
  if (c > ' ' && c < 0x7F) return "'" + std::string(1, static_cast<char>(c)) + "'";
  constexpr std::string_view kDigits = "0123456789abcdef";
  return std::string("byte 0x") + kDigits[c >> 4] + kDigits[c & 15U];
}

}  // namespace dmt
