#include <algorithm>

#include "dmt_dialect/native/bdd/cone.hpp"
#include "dmt_dialect/native/bdd/dddmp.hpp"
#include "dmt_dialect/native/bdd/dddmp_codes.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::bdd {

namespace {

void check_name(const std::string& name) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  if (name.empty() || std::any_of(name.begin(), name.end(), blank)) {
    throw dynomite::UsageError("DDDMP cannot hold the name '" + name + "': names are words without blanks");
  }
}

/// Writes bytes that no system's text mode may change.
void put_byte(std::string& out, unsigned char byte) {
  for (unsigned char code = 0; code < kEscaped.size(); ++code) {
    if (byte != kEscaped[code]) continue;
    out.push_back('\0');
    byte = code;
    break;
  }
  out.push_back(static_cast<char>(byte));
}

/// Seven bits a byte, the highest first; the lowest bit says that more follow.
void put_number(std::string& out, std::uint32_t value) {
  unsigned shift = 28;
  while (shift > 0 && value >> shift == 0) shift -= 7;
  for (;; shift -= 7) {
    const auto bits = static_cast<unsigned char>((value >> shift & 0x7FU) << 1);
    put_byte(out, static_cast<unsigned char>(bits | (shift != 0 ? 1U : 0U)));
    if (shift == 0) return;
  }
}

class Writer {
 public:
  Writer(const BddManager& manager, std::span<const BddEdge> roots)
      : manager_(manager), store_(manager.store), roots_(roots), cone_(cone_of(manager.store, roots)) {
    if (cone_.ids.empty() || cone_.ids.back() != 0) {
      // No root at all.
      cone_.ids.push_back(0);
      cone_.number.add(0);
    }
    for (const std::uint32_t id : cone_.ids) {
      const std::uint32_t level = store_.node_at(id).level;
      if (id != 0 && (levels_.empty() || levels_.back() != level)) levels_.push_back(level);
    }
  }

  std::string write(std::span<const std::string> names, bool binary) {
    header(names, binary);
    for (std::size_t i = cone_.ids.size(); i-- > 0;) binary ? binary_node(i) : text_node(i);
    return std::move(out_) + ".end\n";
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  long long number(BddEdge edge) const {
    const auto place = static_cast<long long>(cone_.ids.size() - cone_.number[edge.node()]);
    return edge.complemented() ? -place : place;
  }
  std::size_t rank(std::uint32_t id) const {
    if (id == 0) return levels_.size();
    const auto found = std::lower_bound(levels_.begin(), levels_.end(), store_.node_at(id).level);
    return static_cast<std::size_t>(found - levels_.begin());
  }

  void header(std::span<const std::string> names, bool binary) {
    std::vector<std::uint32_t> support;
    for (const std::uint32_t level : levels_) support.push_back(store_.var_at(level));
    std::sort(support.begin(), support.end());
    line(".ver DDDMP-2.0");
    line(binary ? ".mode B" : ".mode A");
    line(binary ? ".varinfo 4" : ".varinfo 3");
    line(".nnodes " + std::to_string(cone_.ids.size()));
    line(".nvars " + std::to_string(store_.var_count()));
    line(".nsuppvars " + std::to_string(support.size()));
    std::string supported = ".suppvarnames", ordered = ".orderedvarnames", ids = ".ids", levels = ".permids";
    for (const std::uint32_t var : support) {
      supported += " " + manager_.name_of(var);
      ids += " " + std::to_string(var);
      levels += " " + std::to_string(store_.level_of(var));
    }
    for (const std::uint32_t var : store_.order()) {
      check_name(manager_.name_of(var));
      ordered += " " + manager_.name_of(var);
    }
    for (const std::string& text : {supported, ordered, ids, levels}) line(text);
    line(".nroots " + std::to_string(roots_.size()));
    std::string root_ids = ".rootids", root_names = ".rootnames";
    for (const BddEdge root : roots_) root_ids += " " + std::to_string(number(root));
    line(root_ids);
    for (const std::string& name : names) {
      check_name(name);
      root_names += " " + name;
    }
    if (!names.empty()) line(root_names);
    line(".nodes");
  }

  void text_node(std::size_t i) {
    const std::uint32_t id = cone_.ids[i];
    const std::string place = std::to_string(cone_.ids.size() - i);
    if (id == 0) {
      line(place + " T 1 0 0");
      return;
    }
    const BddNode& node = store_.node_at(id);
    line(place + " " + manager_.name_of(store_.var_at(node.level)) + " " + std::to_string(rank(id)) + " " +
         std::to_string(number(node.high)) + " " + std::to_string(number(node.low)));
  }

  void binary_node(std::size_t i) {
    const std::uint32_t id = cone_.ids[i];
    if (id == 0) {
      put_byte(out_, 0);
      return;
    }
    const BddNode& node = store_.node_at(id);
    const auto place = static_cast<std::uint32_t>(cone_.ids.size() - i);
    const auto own = static_cast<std::uint32_t>(rank(id));
    const auto below = static_cast<std::uint32_t>(std::min(rank(node.high.node()), rank(node.low.node())));
    const Coded var = below == levels_.size() ? Coded{kAbsolute, own} : coded(below - own);
    const Coded high = arc(place, node.high);
    const Coded low = arc(place, node.low);
    put_byte(out_, static_cast<unsigned char>(var.code << 5 | high.code << 3 |
                                              (node.low.complemented() ? 4U : 0U) | low.code));
    for (const Coded& part : {var, high, low}) {
      if (part.code == kAbsolute || part.code == kRelative) put_number(out_, part.value);
    }
  }

  struct Coded {
    unsigned code;
    std::uint32_t value;
  };
  static Coded coded(std::uint32_t distance) { return {distance == 1 ? kRelativeOne : kRelative, distance}; }
  Coded arc(std::uint32_t place, BddEdge edge) const {
    if (edge.is_constant()) return {kTerminal, 0};
    return coded(place - static_cast<std::uint32_t>(number(edge.regular())));
  }

  const BddManager& manager_;
  const BddStore& store_;
  std::span<const BddEdge> roots_;
  Cone cone_;
  std::vector<std::uint32_t> levels_;
  std::string out_;
};

}  // namespace

std::string write_dddmp(const BddManager& manager, std::span<const BddEdge> roots,
                        std::span<const std::string> names, bool binary) {
  if (!names.empty() && names.size() != roots.size()) {
    throw dynomite::UsageError("DDDMP: one name for each function, or none");
  }
  return Writer(manager, roots).write(names, binary);
}

}  // namespace dmt::bdd
