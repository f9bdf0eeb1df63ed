#include "dmt_dialect/native/io/aiger_header.hpp"

#include <array>
#include <string>
#include <string_view>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt::aiger {

namespace {

struct Field {
  const char* what;
  std::uint64_t Header::* count;
};

constexpr std::array<Field, 9> kFields = {{
    {"M (maximal variable index)", &Header::max_var},
    {"I (number of inputs)", &Header::inputs},
    {"L (number of latches)", &Header::latches},
    {"O (number of outputs)", &Header::outputs},
    {"A (number of ANDs)", &Header::ands},
    {"B (number of bad states)", &Header::bad},
    {"C (number of constraints)", &Header::constraints},
    {"J (number of justice properties)", &Header::justice},
    {"F (number of fairness constraints)", &Header::fairness},
}};
constexpr unsigned kNeeded = 5;
constexpr Item kHeader{"header", 0, 0};
/// All variables and the constant must fit the store.
constexpr std::uint64_t kMaxVar = AigStore::kMaxNodes - 1;
/// Implicit inputs beyond half the file's size that binary files may have.
constexpr std::uint64_t kFreeInputs = std::uint64_t{1} << 21;

void read_magic(Cursor& cursor, Header& header) {
  const char* begin = cursor.at();
  if (cursor.at_end()) cursor.fail(begin, "empty file");
  const std::string_view magic(begin, cursor.left() < 3 ? cursor.left() : 3);
  if (magic != "aag" && magic != "aig") {
    cursor.fail(begin, "not an AIGER file: it must begin with 'aag ' (ASCII) or 'aig ' (binary)");
  }
  header.binary = magic == "aig";
  cursor.move_to(begin + 3);
}

[[noreturn]] void fail_short(const Cursor& cursor, unsigned found) {
  cursor.fail(cursor.at(),
              "the header has " + counted(found, "count") + ", at least five are needed: M I L O A");
}

}  // namespace

Header read_header(Cursor& cursor) {
  Header header;
  read_magic(cursor, header);
  std::array<const char*, kFields.size()> places{};
  for (unsigned i = 0; i < kFields.size(); ++i) {
    const bool line_ends = cursor.at_end() || *cursor.at() == '\n' || *cursor.at() == '\r';
    if (line_ends && i >= kNeeded) break;
    if (line_ends) fail_short(cursor, i);
    if (*cursor.at() != ' ') {
      cursor.fail(cursor.at(),
                  "header fields are separated by one blank, found " + cursor.describe(cursor.at()));
    }
    cursor.move_to(cursor.at() + 1);
    if (i < kNeeded && !cursor.at_end() && *cursor.at() == '\n') fail_short(cursor, i);
    places[i] = cursor.at();
    if (!cursor.at_end() && *cursor.at() == '-') {
      cursor.fail(cursor.at(), std::string("negative count for ") + kFields[i].what);
    }
    header.*kFields[i].count = cursor.number(kFields[i].what, kHeader);
  }
  if (!cursor.at_end() && *cursor.at() == ' ') {
    cursor.fail(cursor.at(), "the header has more than nine counts (M I L O A B C J F)");
  }
  cursor.line_end(kHeader);

  if (header.max_var > kMaxVar) {
    cursor.fail(places[0], "maximal variable index M=" + std::to_string(header.max_var) +
                               " is above the limit " + std::to_string(kMaxVar));
  }
  const std::uint64_t sum = header.definitions();
  if (header.binary && header.max_var != sum) {
    cursor.fail(places[0], "binary AIGER requires M = I+L+A, but M=" + std::to_string(header.max_var) +
                               " and I+L+A=" + std::to_string(sum));
  }
  if (header.max_var < sum) {
    cursor.fail(places[0], "maximal variable index M=" + std::to_string(header.max_var) +
                               " is below I+L+A=" + std::to_string(sum));
  }
  const auto size = static_cast<std::uint64_t>(cursor.end() - cursor.begin());
  const std::uint64_t most = kFreeInputs + size / 2;
  if (header.binary && header.inputs > most) {
    cursor.fail(places[1], "I=" + std::to_string(header.inputs) +
                               " inputs that take no bytes are above the limit of " + std::to_string(most) +
                               " for a binary file of " + counted(size, "byte"));
  }
  return header;
}

}  // namespace dmt::aiger
