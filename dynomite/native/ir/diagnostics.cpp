#include "dynomite/native/ir/diagnostics.hpp"

#include <algorithm>

namespace dynomite::ir {

namespace {

// Longer lines are cut; a caret further right is not drawn.
constexpr std::size_t kLongestLine = 240;

void render_one(std::string& out, const std::string& path, const char* severity, const std::string& message,
                const SourcePlace& place, const std::string& text) {
  out += path + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + severity +
         ": " + message + "\n";
  if (text.empty()) return;
  out += "    " + text + "\n    ";
  for (std::size_t i = 0; i + 1 < place.column; ++i) out += i < text.size() && text[i] == '\t' ? '\t' : ' ';
  out += "^\n";
}

}  // namespace

std::string SourceErrors::render() const {
  std::string out;
  for (const Diagnostic& error : errors_) {
    render_one(out, path(), "error", error.message, error.place, error.text);
    for (const Note& note : error.notes) {
      render_one(out, path(), "note", note.message, note.place, note.text);
    }
  }
  return out;
}

SourcePlace Diagnostics::place(std::size_t offset) const {
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < source_.size(); ++i) {
      if (source_[i] == '\n') line_starts_.push_back(i + 1);
    }
  }
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(after - 1);
  return {static_cast<std::uint64_t>(after - line_starts_.begin()), offset - start + 1, offset};
}

std::string Diagnostics::line_text(std::size_t offset) const {
  const SourcePlace where = place(offset);
  if (where.column > kLongestLine) return {};
  const std::size_t start = offset + 1 - where.column;
  const std::size_t end = std::min(source_.find('\n', start), source_.size());
  std::string text(source_.substr(start, std::min(end - start, kLongestLine)));
  while (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

void Diagnostics::error(std::size_t offset, std::string message, const std::vector<At>& notes) {
  if (full()) return;
  offset = std::min(offset, source_.size());
  Diagnostic error{std::move(message), place(offset), line_text(offset), {}};
  for (const At& note : notes) {
    const SourcePlace where = place(note.offset);
    error.notes.push_back(
        {note.message + ": " + std::to_string(where.line) + ":" + std::to_string(where.column), where,
         line_text(note.offset)});
  }
  errors_.push_back(std::move(error));
}

void Diagnostics::raise() {
  if (errors_.empty()) return;
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.place.offset < b.place.offset; });
  throw SourceErrors(path_, errors_);
}

}  // namespace dynomite::ir
