#include "dmt_dialect/native/io/aiger_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/io/aiger_cursor.hpp"
#include "dmt_dialect/native/io/aiger_definitions.hpp"
#include "dmt_dialect/native/io/aiger_delta.hpp"
#include "dmt_dialect/native/io/aiger_header.hpp"
#include "dmt_dialect/native/io/aiger_symbols.hpp"

namespace dmt {

using aiger::AndOrder;
using aiger::Cursor;
using aiger::Definitions;
using aiger::DeltaFault;
using aiger::Header;
using aiger::Item;
using dynomite::LimitError;
using dynomite::Stop;

namespace {

/// Lines or ANDs between two looks at the clock.
constexpr std::uint64_t kPollStride = std::uint64_t{1} << 16;

class Reader {
 public:
  Reader(std::string_view data, const std::string& name, Stop& stop)
      : cursor_(data, name),
        stop_(stop),
        header_(read_header(cursor_)),
        max_lit_(2 * header_.max_var + 1),
        definitions_(header_.max_var, data.size()) {}

  AigStore read() {
    // Counts of lines are bounded by the file, those of binary inputs have been checked.
    const std::size_t inputs =
        header_.binary ? static_cast<std::size_t>(header_.inputs) : room(header_.inputs, 2);
    store_.reserve(1 + inputs + room(header_.latches, 2) + and_room());
    read_inputs();
    read_latches();
    read_section("output", header_.outputs, store_.outputs());
    read_section("bad state", header_.bad, store_.bad());
    read_section("constraint", header_.constraints, store_.constraints());
    read_justice();
    read_section("fairness constraint", header_.fairness, store_.fairness());
    if (header_.binary) {
      read_binary_ands();
    } else {
      read_ascii_ands();
    }
    aiger::read_symbols(cursor_, store_, stop_);
    return std::move(store_);
  }

 private:
  void check_stop() {
    if (stop_.poll_clock()) throw LimitError("reading was stopped");
  }
  void next_line() {
    if (++line_ % kPollStride == 0) check_stop();
  }
  /// No more than `count` and no more than the rest of the file can hold at `bytes` each.
  std::size_t room(std::uint64_t count, std::size_t bytes) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(count, cursor_.left() / bytes + 1));
  }
  std::size_t and_room() const { return room(header_.ands, header_.binary ? 2 : 6); }

  /// A literal within 2*M+1, whose variable may still turn out undefined.
  Lit literal(const char* what, const Item& item) {
    const char* start = cursor_.at();
    const std::uint32_t value = cursor_.number(what, item);
    if (value > max_lit_) {
      cursor_.fail(start,
                   "literal " + std::to_string(value) + " is above 2*M+1 = " + std::to_string(max_lit_));
    }
    return Lit::from_raw(value);
  }

  /// The literal that an input, latch or AND line defines.
  std::uint32_t defined_literal(const char* what, const Item& item) {
    const char* start = cursor_.at();
    const Lit lit = literal(what, item);
    if (lit.complemented()) {
      cursor_.fail(start, std::string(what) + " " + std::to_string(lit.raw()) + " is complemented");
    }
    if (lit == kFalse) cursor_.fail(start, std::string(what) + " 0 is the constant, which cannot be defined");
    const std::uint32_t earlier = definitions_.add(lit.node().index());
    if (earlier != Definitions::kNone) {
      cursor_.fail(start, "variable " + std::to_string(lit.node().index()) + " (literal " +
                              std::to_string(lit.raw()) + ") is defined twice, first as " + role(earlier));
    }
    return lit.raw();
  }

  /// What kind of line made definition number `definition`.
  std::string role(std::uint64_t definition) const {
    if (definition <= header_.inputs) return Item{"input", definition - 1, header_.inputs}.text();
    definition -= header_.inputs;
    if (definition <= header_.latches) return Item{"latch", definition - 1, header_.latches}.text();
    return Item{"AND", definition - header_.latches - 1, header_.ands}.text();
  }

  void read_inputs() {
    if (header_.binary) {
      store_.add_inputs(static_cast<std::uint32_t>(header_.inputs));
      return;
    }
    std::uint64_t read = 0;
    for (; read < header_.inputs; ++read) {
      const Item item{"input", read, header_.inputs};
      defined_literal("input literal", item);
      cursor_.line_end(item);
      next_line();
    }
    store_.add_inputs(static_cast<std::uint32_t>(read));
  }

  void read_latches() {
    latch_line_ = line_;
    store_.reserve_latches(room(header_.latches, 2));
    for (std::uint64_t i = 0; i < header_.latches; ++i) {
      const Item item{"latch", i, header_.latches};
      auto own = static_cast<std::uint32_t>(2 * (header_.inputs + i + 1));
      if (!header_.binary) {
        own = defined_literal("latch literal", item);
        cursor_.blank(item);
      }
      const Lit next = literal("next state literal", item);
      Reset reset = Reset::kZero;
      if (!cursor_.at_end() && *cursor_.at() == ' ') {
        cursor_.blank(item);
        reset = read_reset(own, item);
      }
      cursor_.line_end(item);
      next_line();
      store_.add_latch(reset);
      store_.set_next(static_cast<std::uint32_t>(i), next);
    }
  }

  Reset read_reset(std::uint32_t own, const Item& item) {
    const char* start = cursor_.at();
    const std::uint32_t value = cursor_.number("reset literal", item);
    if (value == 0) return Reset::kZero;
    if (value == 1) return Reset::kOne;
    if (value == own) return Reset::kUninitialised;
    cursor_.fail(start, "reset literal " + std::to_string(value) + " of the latch with literal " +
                            std::to_string(own) + " is neither 0, 1 nor " + std::to_string(own) +
                            " (reset functions are not supported)");
  }

  void read_section(const char* noun, std::uint64_t count, std::vector<Lit>& lits) {
    section_lines_.push_back({&lits, line_});
    read_literals(noun, count, lits);
  }

  void read_literals(const char* noun, std::uint64_t count, std::vector<Lit>& lits) {
    lits.reserve(room(count, 2));
    for (std::uint64_t i = 0; i < count; ++i) {
      const Item item{noun, i, count};
      lits.push_back(literal("literal", item));
      cursor_.line_end(item);
      next_line();
    }
  }

  void read_justice() {
    std::vector<std::uint32_t> sizes;
    sizes.reserve(room(header_.justice, 2));
    for (std::uint64_t i = 0; i < header_.justice; ++i) {
      const Item item{"justice property", i, header_.justice};
      sizes.push_back(cursor_.number("number of literals", item));
      cursor_.line_end(item);
      next_line();
    }
    justice_line_ = line_;
    store_.justice().reserve(sizes.size());
    for (const std::uint32_t size : sizes) {
      store_.justice().emplace_back();
      read_literals("justice literal", size, store_.justice().back());
    }
  }

  // Binary ANDs.

  void read_binary_ands() {
    if (header_.ands == 0) return;
    const char* from = cursor_.at();
    cursor_.set_binary_part(from, nullptr);
    // Every AND takes two bytes at least: a count beyond that ends in an error before the room does.
    Node* out = store_.append_ands_uninitialised(and_room());
    auto lhs = static_cast<std::uint32_t>(2 * (header_.inputs + header_.latches + 1));
    const auto* at = reinterpret_cast<const unsigned char*>(cursor_.at());
    const auto* end = reinterpret_cast<const unsigned char*>(cursor_.end());
    std::uint64_t done = 0;
    while (done < header_.ands) {
      // As many as surely have their 8 bytes to load, each taking 10 at most.
      const auto safe = static_cast<std::uint64_t>(end - at) / 10;
      const std::uint64_t block = std::min({safe, header_.ands - done, kPollStride});
      const std::uint64_t first = done;
      for (; done < first + block; ++done) {
        const aiger::DeltaPair pair = aiger::decode_pair(at);
        // One test for a zero first delta and one beyond the left-hand side.
        if (!pair.found || pair.first - 1 >= lhs || pair.second > lhs - pair.first) break;
        const auto rhs0 = static_cast<std::uint32_t>(lhs - pair.first);
        *out++ = {Lit::from_raw(rhs0), Lit::from_raw(static_cast<std::uint32_t>(rhs0 - pair.second))};
        at += pair.bytes;
        lhs += 2;
      }
      if (done < first + block || block == 0) {
        *out++ = read_pair_slowly(at, end, lhs, {"AND", done, header_.ands});
        lhs += 2;
        ++done;
      }
      check_stop();
    }
    cursor_.move_to(reinterpret_cast<const char*>(at));
    cursor_.set_binary_part(from, cursor_.at());
  }

  /// One pair byte by byte: near the end of the file, for codes that need more than 8 bytes, and to find
  /// out what is wrong.
  Node read_pair_slowly(const unsigned char*& at, const unsigned char* end, std::uint32_t lhs,
                        const Item& item) {
    const auto* start0 = reinterpret_cast<const char*>(at);
    const std::uint64_t delta0 = read_delta(at, end, item);
    if (delta0 > lhs) {
      cursor_.fail(start0, "first delta " + std::to_string(delta0) + " of " + item.text() + " exceeds lhs " +
                               std::to_string(lhs));
    }
    if (delta0 == 0) {
      cursor_.fail(start0, "first delta of " + item.text() + " must be positive (lhs " + std::to_string(lhs) +
                               " > rhs0)");
    }
    const auto rhs0 = static_cast<std::uint32_t>(lhs - delta0);
    const auto* start1 = reinterpret_cast<const char*>(at);
    const std::uint64_t delta1 = read_delta(at, end, item);
    if (delta1 > rhs0) {
      cursor_.fail(start1, "second delta " + std::to_string(delta1) + " of " + item.text() +
                               " exceeds rhs0 " + std::to_string(rhs0));
    }
    return {Lit::from_raw(rhs0), Lit::from_raw(static_cast<std::uint32_t>(rhs0 - delta1))};
  }

  std::uint64_t read_delta(const unsigned char*& at, const unsigned char* end, const Item& item) {
    std::uint64_t value = 0;
    const auto* start = reinterpret_cast<const char*>(at);
    switch (aiger::decode_one(at, end, value)) {
      case DeltaFault::kNone: break;
      case DeltaFault::kEndOfData:
        cursor_.fail(cursor_.end(), at == end ? "end of file: a delta code of " + item.text() + " is missing"
                                              : "end of file inside a delta code of " + item.text());
      case DeltaFault::kTooLong:
        cursor_.fail(start, "delta code of " + item.text() + " does not fit the literal range (32 bits)");
    }
    return value;
  }

  // ASCII ANDs.

  void read_ascii_ands() {
    const auto first_and = static_cast<std::uint32_t>(header_.inputs + header_.latches + 1);
    and_line_ = line_;
    std::vector<Node> rows;
    std::vector<std::uint32_t> lhs_vars;
    rows.reserve(and_room());
    lhs_vars.reserve(and_room());
    for (std::uint64_t i = 0; i < header_.ands; ++i) {
      const Item item{"AND", i, header_.ands};
      lhs_vars.push_back(defined_literal("left-hand side", item) / 2);
      cursor_.blank(item);
      const Lit rhs0 = literal("first right-hand side", item);
      cursor_.blank(item);
      const Lit rhs1 = literal("second right-hand side", item);
      cursor_.line_end(item);
      next_line();
      rows.push_back({rhs0, rhs1});
    }
    // From here on literals are of definitions, and those of inputs and latches are final.
    bool ordered = true;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      Node& row = rows[i];
      row = {resolve(row.fanin0, and_line_ + i, 1), resolve(row.fanin1, and_line_ + i, 2)};
      ordered &= std::max(row.fanin0.node().index(), row.fanin1.node().index()) < first_and + i;
    }
    std::vector<std::uint32_t> position;
    if (!ordered) {
      AndOrder order = aiger::order_ands(rows, first_and, stop_);
      if (!order.cycle.empty()) fail_cycle(order.cycle, lhs_vars);
      position = std::move(order.position);
    }
    const auto placed = [&](Lit lit) {
      const std::uint32_t definition = lit.node().index();
      if (ordered || definition < first_and) return lit;
      return Lit(NodeId(first_and + position[definition - first_and]), lit.complemented());
    };
    Node* out = store_.append_ands_uninitialised(rows.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      out[ordered ? i : position[i]] = {placed(rows[i].fanin0), placed(rows[i].fanin1)};
    }
    for (std::uint32_t i = 0; i < store_.latches().size(); ++i) {
      store_.set_next(i, placed(resolve(store_.latches()[i].next, latch_line_ + i, 1)));
    }
    for (const SectionLine& section : section_lines_) {
      std::uint64_t line = section.line;
      for (Lit& lit : *section.lits) lit = placed(resolve(lit, line++, 0));
    }
    std::uint64_t line = justice_line_;
    for (auto& group : store_.justice()) {
      for (Lit& lit : group) lit = placed(resolve(lit, line++, 0));
    }
  }

  /// The literal of the definition of `lit`, which stands as number `field` on line `line`.
  Lit resolve(Lit lit, std::uint64_t line, unsigned field) const {
    const std::uint32_t definition = definitions_.find(lit.node().index());
    if (definition == Definitions::kNone) {
      cursor_.fail_at_field(line, field,
                            "variable " + std::to_string(lit.node().index()) + " (literal " +
                                std::to_string(lit.raw()) + ") is used but never defined");
    }
    return Lit(NodeId(definition), lit.complemented());
  }

  [[noreturn]] void fail_cycle(const std::vector<std::uint32_t>& cycle,
                               const std::vector<std::uint32_t>& lhs_vars) const {
    constexpr std::size_t kShown = 12;
    const std::size_t shown = std::min(cycle.size(), kShown);
    std::string names;
    for (std::size_t i = 0; i < shown; ++i) {
      if (i != 0) names += i + 1 == cycle.size() ? " and " : ", ";
      names += std::to_string(lhs_vars[cycle[i]]);
    }
    if (shown < cycle.size()) names += " and " + std::to_string(cycle.size() - shown) + " more";
    const std::uint32_t first = *std::min_element(cycle.begin(), cycle.end());
    cursor_.fail_at_field(
        and_line_ + first, 0,
        std::string("combinational cycle through variable") + (cycle.size() == 1 ? " " : "s ") + names);
  }

  struct SectionLine {
    std::vector<Lit>* lits;
    std::uint64_t line;
  };

  Cursor cursor_;
  Stop& stop_;
  Header header_;
  std::uint64_t max_lit_;
  Definitions definitions_;
  AigStore store_;
  std::uint64_t line_ = 2;  // of the next text line
  std::uint64_t latch_line_ = 0, justice_line_ = 0, and_line_ = 0;
  std::vector<SectionLine> section_lines_;
};

}  // namespace

AigStore read_aiger(std::string_view data, const std::string& name, Stop& stop) {
  return Reader(data, name, stop).read();
}

}  // namespace dmt
