#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/bdd/dddmp.hpp"
#include "dmt_dialect/native/bdd/dddmp_codes.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::bdd {

namespace {

constexpr std::size_t kShownText = 120;

std::optional<long long> to_number(std::string_view word) {
  long long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Words of a line; carriage returns count as blanks.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (at < line.size()) {
    while (at < line.size() && blank(line[at])) ++at;
    const std::size_t start = at;
    while (at < line.size() && !blank(line[at])) ++at;
    if (at != start) words.push_back(line.substr(start, at - start));
  }
  return words;
}

/// The bytes of binary nodes, escapes undone.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}
  std::size_t place() const { return at_; }
  std::optional<unsigned> byte() {
    if (at_ >= bytes_.size()) return std::nullopt;
    const auto value = static_cast<unsigned char>(bytes_[at_++]);
    if (value != 0) return value;
    if (at_ >= bytes_.size() || static_cast<unsigned char>(bytes_[at_]) >= kEscaped.size()) {
      return std::nullopt;
    }
    return kEscaped[static_cast<unsigned char>(bytes_[at_++])];
  }
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    for (int i = 0; i < 5; ++i) {
      const auto next = byte();
      if (!next) return std::nullopt;
      value = value << 7 | *next >> 1;
      if ((*next & 1U) == 0) return value;
    }
    return std::nullopt;
  }

 private:
  std::string_view bytes_;
  std::size_t at_;
};

}  // namespace

void DddmpReader::fail(const std::string& message, std::size_t offset) const {
  dynomite::SourcePlace place;
  place.offset = offset;
  std::string text;
  if (body_ == 0 || !binary_ || offset < body_) {
    const std::string_view before = bytes_.substr(0, offset);
    place.line = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    place.column = offset - begin + 1;
    text = std::string(bytes_.substr(begin, std::min(kShownText, bytes_.find('\n', begin) - begin)));
  }
  throw dynomite::ParseError(path_, place, message, text);
}

void DddmpReader::read_header() {
  std::size_t at = 0;
  std::optional<long long> support, roots, nodes;
  bool has_mode = false;
  for (;;) {
    const std::size_t end = bytes_.find('\n', at);
    if (end == std::string_view::npos) fail("the header has no line .nodes", std::min(at, bytes_.size()));
    Words words = words_of(bytes_.substr(at, end - at));
    const std::size_t start = at;
    at = end + 1;
    if (words.empty()) continue;
    const std::string_view key = words.front();
    if (start == 0 && key != ".ver") fail("a DDDMP file begins with .ver", 0);
    if (key == ".nodes") break;
    words.erase(words.begin());
    const auto one = [&]() -> long long {
      const auto value = words.size() == 1 ? to_number(words[0]) : std::nullopt;
      if (!value || *value < 0) fail(std::string(key) + " needs one number", start);
      return *value;
    };
    const auto numbers = [&] {
      std::vector<long long> values;
      for (const std::string_view word : words) {
        const auto value = to_number(word);
        if (!value) fail("'" + std::string(word) + "' is no number", start);
        values.push_back(*value);
      }
      return values;
    };
    if (key == ".ver") {
      if (words.size() != 1 || (words[0] != "DDDMP-2.0" && words[0] != "DDDMP-3.0")) {
        fail("only DDDMP-2.0 and DDDMP-3.0 are known", start);
      }
    } else if (key == ".mode") {
      has_mode = words.size() == 1 && (words[0] == "A" || words[0] == "B");
      if (!has_mode) fail(".mode is A or B", start);
      binary_ = words[0] == "B";
    } else if (key == ".varinfo") {
      const long long info = one();
      if (info > 4) fail(".varinfo is 0 to 4", start);
      varinfo_ = static_cast<int>(info);
    } else if (key == ".nnodes") {
      nodes = one();
    } else if (key == ".nsuppvars") {
      support = one();
    } else if (key == ".nroots") {
      roots = one();
    } else if (key == ".suppvarnames") {
      support_names_ = words;
    } else if (key == ".orderedvarnames") {
      ordered_names_ = words;
    } else if (key == ".ids") {
      ids_ = numbers();
    } else if (key == ".permids") {
      permids_ = numbers();
    } else if (key == ".rootids") {
      root_ids_ = numbers();
      root_place_ = start;
    } else if (key == ".rootnames") {
      root_names_ = words;
    } else if (key != ".dd" && key != ".nvars" && key != ".auxids" && key != ".varnames" && key != ".add") {
      fail("unknown line " + std::string(key), start);
    } else if (key == ".add") {
      fail("this file holds an ADD, not a BDD", start);
    }
  }
  body_ = at;
  if (!has_mode || !nodes || !support || !roots) {
    fail("the header needs .mode, .nnodes, .nsuppvars and .nroots", at - 1);
  }
  // Every node takes a byte at least, every number of a list two.
  if (static_cast<std::size_t>(*nodes) > bytes_.size() - body_)
    fail(".nnodes is more than the file holds", at - 1);
  nodes_ = static_cast<std::size_t>(*nodes);
  const auto count = static_cast<std::size_t>(*support);
  if (ids_.size() != count || permids_.size() != count)
    fail(".ids and .permids need .nsuppvars numbers", at - 1);
  if (!support_names_.empty() && support_names_.size() != count) {
    fail(".suppvarnames needs .nsuppvars names", at - 1);
  }
  if (root_ids_.size() != static_cast<std::size_t>(*roots)) fail(".rootids needs .nroots numbers", at - 1);
  if (!root_names_.empty() && root_names_.size() != root_ids_.size()) {
    fail(".rootnames needs .nroots names", at - 1);
  }
}

void DddmpReader::declare(BddManager& manager) {
  read_header();
  match_variables(manager);
}

void DddmpReader::match_variables(BddManager& manager) {
  std::vector<std::size_t> by_level(ids_.size());
  std::iota(by_level.begin(), by_level.end(), std::size_t{0});
  std::sort(by_level.begin(), by_level.end(),
            [&](std::size_t a, std::size_t b) { return permids_[a] < permids_[b]; });
  std::vector<std::string> names;
  for (const std::size_t place : by_level) {
    names.push_back(support_names_.empty() ? "x" + std::to_string(ids_[place])
                                           : std::string(support_names_[place]));
  }
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    fail("two variables of the support are the same", body_ - 1);
  }
  for (const std::string_view name : ordered_names_) {
    if (!manager.find(std::string(name))) manager.add_var(std::string(name));
  }
  vars_.clear();
  for (const std::string& name : names) {
    const auto found = manager.find(name);
    vars_.push_back(found ? *found : manager.add_var(name));
  }
}

BddEdge DddmpReader::make(BddStore& store, std::size_t rank, BddEdge high, BddEdge low) const {
  const std::uint32_t var = vars_[rank];
  const std::uint32_t level = store.level_of(var);
  if (level < store.level(high) && level < store.level(low)) return store.make(level, high, low);
  return ite(store, store.var(var), high, low);
}

std::vector<BddEdge> DddmpReader::text_nodes(BddStore& store) const {
  std::vector<BddEdge> nodes{kBddNone};
  std::size_t at = body_;
  while (nodes.size() <= nodes_) {
    const std::size_t end = bytes_.find('\n', at);
    if (end == std::string_view::npos) fail("the file ends before its last node", bytes_.size());
    const Words words = words_of(bytes_.substr(at, end - at));
    const std::size_t wanted = varinfo_ == 4 ? 4 : 5;
    if (words.size() != wanted &&
        !(words.size() > 1 && (words[1] == "T" || words[1] == "F") && wanted == 5)) {
      fail("a node has " + std::to_string(wanted) + " words", at);
    }
    if (to_number(words[0]) != static_cast<long long>(nodes.size())) {
      fail("nodes are numbered from 1; here comes number " + std::to_string(nodes.size()), at);
    }
    const auto last = words.size() - 1;
    const auto then = to_number(words[last - 1]);
    const auto otherwise = to_number(words[last]);
    if (then == 0 && otherwise == 0 && (words[1] == "T" || words[1] == "F")) {
      nodes.push_back(words[1] == "T" ? kBddTrue : kBddFalse);
    } else {
      const auto rank = to_number(words[last - 2]);
      if (!rank || *rank < 0 || *rank >= static_cast<long long>(vars_.size())) fail("no such variable", at);
      const auto arc = [&](std::optional<long long> number) {
        const long long place = number ? std::abs(*number) : 0;
        if (place == 0 || place >= static_cast<long long>(nodes.size())) {
          fail("a node refers to a node that does not come before it", at);
        }
        return nodes[static_cast<std::size_t>(place)] ^ (*number < 0);
      };
      const BddEdge high = arc(then);
      const BddEdge low = arc(otherwise);
      nodes.push_back(make(store, static_cast<std::size_t>(*rank), high, low));
    }
    at = end + 1;
  }
  if (words_of(bytes_.substr(at, bytes_.find('\n', at) - at)) != Words{".end"}) fail(".end is missing", at);
  return nodes;
}

std::vector<BddEdge> DddmpReader::binary_nodes(BddStore& store) const {
  std::vector<BddEdge> nodes{kBddNone};
  // Ranks of the nodes' variables; the constant comes after all.
  std::vector<std::size_t> ranks{0};
  ByteReader reader(bytes_, body_);
  while (nodes.size() <= nodes_) {
    const std::size_t start = reader.place();
    const auto code = reader.byte();
    if (!code) fail("the file ends before its last node", start);
    const auto number = [&](unsigned kind) -> std::uint64_t {
      if (kind == kRelativeOne) return 1;
      const auto value = reader.number();
      if (!value) fail("a number is cut short or too long", start);
      return *value;
    };
    const unsigned var_code = *code >> 5 & 3U;
    if (var_code == kTerminal) {
      nodes.push_back(kBddTrue);
      ranks.push_back(vars_.size());
      continue;
    }
    const std::uint64_t var_value = number(var_code);
    const auto arc = [&](unsigned kind) -> std::size_t {
      std::uint64_t place = 1;
      if (kind == kAbsolute) place = number(kind);
      if (kind == kRelative || kind == kRelativeOne) {
        const std::uint64_t distance = number(kind);
        place = distance < nodes.size() ? nodes.size() - distance : 0;
      }
      if (place == 0 || place >= nodes.size())
        fail("a node refers to a node that does not come before it", start);
      return static_cast<std::size_t>(place);
    };
    const std::size_t high = arc(*code >> 3 & 3U);
    const std::size_t low = arc(*code & 3U);
    const std::size_t below = std::min(ranks[high], ranks[low]);
    const std::uint64_t rank = var_code == kAbsolute ? var_value : below - var_value;
    if (rank >= vars_.size()) fail("no such variable", start);
    ranks.push_back(static_cast<std::size_t>(rank));
    nodes.push_back(
        make(store, static_cast<std::size_t>(rank), nodes[high], nodes[low] ^ ((*code & 4U) != 0)));
  }
  if (bytes_.substr(reader.place(), 4) != ".end") fail(".end is missing", reader.place());
  return nodes;
}

DddmpRoots DddmpReader::build(BddStore& store) const {
  const std::vector<BddEdge> nodes = binary_ ? binary_nodes(store) : text_nodes(store);
  DddmpRoots roots;
  for (const long long id : root_ids_) {
    if (id == 0 || std::abs(id) >= static_cast<long long>(nodes.size())) fail("no such root", root_place_);
    roots.edges.push_back(nodes[static_cast<std::size_t>(std::abs(id))] ^ (id < 0));
  }
  for (const std::string_view name : root_names_) roots.names.emplace_back(name);
  return roots;
}

}  // namespace dmt::bdd
