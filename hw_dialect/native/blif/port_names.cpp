#include "hw_dialect/native/blif/port_names.hpp"

namespace hw {

namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Length of `name` without a mark at its end.
std::size_t without_mark(std::string_view name) {
  std::size_t n = name.size();
  while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9') --n;
  if (n == name.size() || n < 2) return name.size();
  const char kind = name[n - 1];
  if (name[n - 2] != '%' || (kind != 'i' && kind != 'o' && kind != 'l')) return name.size();
  return n - 2;
}

}  // namespace

bool needs_escape(char c, bool bench) {
  const auto u = static_cast<unsigned char>(c);
  if (u <= ' ' || u == 0x7F || c == '#' || c == '\\' || c == '%') return true;
  return bench && (c == '(' || c == ')' || c == ',' || c == '=');
}

std::string escape_name(std::string_view name, bool bench) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    if (!needs_escape(c, bench)) {
      out += c;
      continue;
    }
    const auto u = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[u >> 4];
    out += kDigits[u & 15U];
  }
  return out;
}

std::string unescape_name(std::string_view written) {
  if (written.find('%') == std::string_view::npos) return std::string(written);
  written = written.substr(0, without_mark(written));
  std::string out;
  out.reserve(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] == '%' && i + 2 < written.size()) {
      const int high = digit_of(written[i + 1]);
      const int low = digit_of(written[i + 2]);
      const char c = static_cast<char>(high * 16 + low);
      if (high >= 0 && low >= 0 && c != 0 && c != '\n' && needs_escape(c, true)) {
        out += c;
        i += 2;
        continue;
      }
    }
    out += written[i];
  }
  return out;
}

}  // namespace hw
