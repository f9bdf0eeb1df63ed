#include "dmt_dialect/native/io/aiger_symbols.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace dmt::aiger {

using dynomite::LimitError;

namespace {

/// Comment lines that any file may have; more must be in proportion to its size.
constexpr std::uint64_t kFreeCommentLines = std::uint64_t{1} << 20;
constexpr std::uint64_t kPollStride = std::uint64_t{1} << 16;

struct Section {
  const char* noun;
  NameTable* names;
  std::uint64_t ports;
};

class SymbolReader {
 public:
  SymbolReader(Cursor& cursor, AigStore& store, dynomite::Stop& stop)
      : cursor_(cursor), store_(store), stop_(stop) {}

  void read() {
    for (std::uint64_t count = 1; !cursor_.at_end(); ++count) {
      if (count % kPollStride == 0 && stop_.poll_clock()) throw LimitError("reading was stopped");
      if (*cursor_.at() == 'c' && !(cursor_.left() > 1 && Cursor::is_digit(cursor_.at()[1]))) {
        cursor_.move_to(cursor_.at() + 1);
        if (!cursor_.at_end() && *cursor_.at() != '\n') read_abc_name();
        if (!cursor_.at_end()) read_comments();
        return;
      }
      read_symbol();
    }
  }

 private:
  Section section(char kind) {
    AigStore::Names& names = store_.names();
    switch (kind) {
      case 'i': return {"input", &names.inputs, store_.inputs().size()};
      case 'l': return {"latch", &names.latches, store_.latches().size()};
      case 'o': return {"output", &names.outputs, store_.outputs().size()};
      case 'b': return {"bad state", &names.bad, store_.bad().size()};
      case 'c': return {"constraint", &names.constraints, store_.constraints().size()};
      case 'j': return {"justice property", &names.justice, store_.justice().size()};
      case 'f': return {"fairness constraint", &names.fairness, store_.fairness().size()};
      default: return {nullptr, nullptr, 0};
    }
  }

  void read_symbol() {
    const char* line = cursor_.at();
    const Section part = section(*line);
    if (part.names == nullptr) {
      if (*line == '\r') cursor_.fail(line, Cursor::carriage_return_message());
      cursor_.fail(line,
                   "expected a symbol (i, l, o, b, c, j or f and a position), the comment mark c or the "
                   "end of the file, found " +
                       cursor_.describe(line));
    }
    cursor_.move_to(line + 1);
    const Item item{"symbol", 0, 0};
    const std::uint32_t index = cursor_.number("position of the port", item);
    if (index >= part.ports) {
      cursor_.fail(line, std::string("symbol ") + *line + std::to_string(index) + ", but the circuit has " +
                             std::to_string(part.ports) + " of this kind (" + part.noun + ")");
    }
    cursor_.blank(item);
    const char* name = cursor_.at();
    const auto* stop = static_cast<const char*>(std::memchr(name, '\n', cursor_.left()));
    if (stop == nullptr) cursor_.fail(cursor_.end(), "end of file: the line of this symbol does not end");
    const std::string_view text(name, static_cast<std::size_t>(stop - name));
    if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
      cursor_.fail(name + nul, "NUL byte in a symbol");
    }
    const bool seen_empty = !empty_.empty() && empty_.contains({part.names, index});
    if (part.names->has(index) || seen_empty) {
      cursor_.fail(line, std::string("symbol ") + *line + std::to_string(index) + " is given twice");
    }
    // An empty symbol is the same as none.
    if (text.empty()) {
      empty_.insert({part.names, index});
    } else {
      part.names->reserve(static_cast<std::size_t>(part.ports));
      part.names->set(index, text);
    }
    cursor_.move_to(stop + 1);
  }

  /// ABC's `&w` puts blocks directly behind the `c`: a letter, 4 bytes of length (high byte first), data.
  /// Its name block is data of ours; others carry meaning that the AIG cannot hold.
  void read_abc_name() {
    const char* at = cursor_.at();
    if (*at == '\r') cursor_.fail(at, Cursor::carriage_return_message());
    if (*at != 'n') {
      cursor_.fail(at, "expected the end of the line after the comment mark c, found " +
                           cursor_.describe(at) +
                           " (of ABC's extension blocks only the name, 'n', can be read)");
    }
    if (cursor_.left() < 5) cursor_.fail(cursor_.end(), "end of file inside the name block of ABC");
    std::uint64_t length = 0;
    for (int i = 1; i <= 4; ++i) length = (length << 8U) | static_cast<unsigned char>(at[i]);
    if (length > cursor_.left() - 5) {
      cursor_.fail(at, "name block of ABC with " + counted(length, "byte") + ", but " +
                           counted(cursor_.left() - 5, "byte") + " follow");
    }
    std::string_view name(at + 5, static_cast<std::size_t>(length));
    if (!name.empty() && name.back() == '\0') name.remove_suffix(1);
    if (const auto bad = std::min(name.find('\0'), name.find('\n')); bad != std::string_view::npos) {
      cursor_.fail(name.data() + bad, "NUL byte or line end in the name block of ABC");
    }
    store_.name() = std::string(name);
    at += 5 + length;
    cursor_.move_to(at);
    if (at != cursor_.end() && *at != '\n') {
      cursor_.fail(at, "expected the end of the line after the name block of ABC, found " +
                           cursor_.describe(at) +
                           " (of ABC's extension blocks only the name, 'n', can be read)");
    }
  }

  /// Stands on the line feed behind the mark.
  void read_comments() {
    cursor_.move_to(cursor_.at() + 1);
    const char* at = cursor_.at();
    const char* end = cursor_.end();
    const auto lines = static_cast<std::uint64_t>(std::count(at, end, '\n')) + 1;
    const auto size = static_cast<std::uint64_t>(end - cursor_.begin());
    if (lines > kFreeCommentLines + size / 8) {
      cursor_.fail(at, "too many comment lines: " + std::to_string(lines) + ", the limit for a file of " +
                           counted(size, "byte") + " is " + std::to_string(kFreeCommentLines + size / 8));
    }
    store_.comments().reserve(static_cast<std::size_t>(lines));
    while (at != end) {
      const char* stop = std::find(at, end, '\n');
      store_.comments().emplace_back(at, stop);
      at = stop == end ? end : stop + 1;
    }
    cursor_.move_to(end);
  }

  Cursor& cursor_;
  AigStore& store_;
  dynomite::Stop& stop_;
  /// Ports whose symbol is empty, to find the second one.
  std::set<std::pair<const NameTable*, std::uint32_t>> empty_;
};

}  // namespace

void read_symbols(Cursor& cursor, AigStore& store, dynomite::Stop& stop) {
  SymbolReader(cursor, store, stop).read();
}

}  // namespace dmt::aiger
