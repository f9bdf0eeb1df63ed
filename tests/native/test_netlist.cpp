#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "hw_dialect/native/bench/bench_reader.hpp"
#include "hw_dialect/native/bench/bench_writer.hpp"
#include "hw_dialect/native/blif/blif_reader.hpp"
#include "hw_dialect/native/blif/blif_writer.hpp"
#include "hw_dialect/native/blif/cover.hpp"
#include "hw_dialect/native/blif/directions.hpp"
#include "hw_dialect/native/blif/elaborate.hpp"
#include "hw_dialect/native/blif/name_pool.hpp"
#include "hw_dialect/native/blif/port_names.hpp"
#include "tests/native/check.hpp"

namespace {

using dmt::AigStore;
using dmt::Lit;
using dynomite::Random;
using dynomite::Stop;
using hw::NameId;
using hw::NetId;

/// Values of `lit` for all values of the (at most 6) inputs: bit k for input number k.
std::uint64_t table_of(const AigStore& store, Lit lit) {
  std::vector<std::uint64_t> values(store.node_count(), 0);
  for (std::uint32_t i = 1; i < store.node_count(); ++i) {
    const dmt::NodeId id(i);
    const auto value = [&](Lit fanin) {
      return values[fanin.node().index()] ^ (fanin.complemented() ? ~std::uint64_t{0} : 0);
    };
    if (store.is_and(id)) {
      values[i] = value(store.fanin0(id)) & value(store.fanin1(id));
    } else {
      for (unsigned k = 0; k < 64; ++k) values[i] |= std::uint64_t{(k >> store.ci_index(id)) & 1U} << k;
    }
  }
  return values[lit.node().index()] ^ (lit.complemented() ? ~std::uint64_t{0} : 0);
}

std::string random_text(Random& random, std::string_view letters, std::uint32_t most) {
  std::string text;
  for (std::uint32_t n = random.below(most + 1); n > 0; --n) {
    text += letters[random.below(static_cast<std::uint32_t>(letters.size()))];
  }
  return text;
}

TEST(names_are_interned_once) {
  hw::NamePool pool;
  Random random(1);
  std::vector<std::string> known;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = random_text(random, "abcdefgh", 20);
    const NameId found = pool.find(name);
    const NameId id = pool.intern(name);
    const auto place = std::find(known.begin(), known.end(), name);
    CHECK_EQ(found.none(), place == known.end());
    CHECK_EQ(id.index(), static_cast<std::uint32_t>(place - known.begin()));
    if (place == known.end()) known.push_back(name);
    CHECK_EQ(pool.text(id), std::string_view(name));
  }
  CHECK_EQ(pool.size(), known.size());
}

TEST(escaped_names_are_undone) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const std::string name = random_text(random, "ab%#\\ \t()=,0129ilo\x7f\xc3", 8);
    for (const bool bench : {false, true}) {
      const std::string written = hw::escape_name(name, bench);
      CHECK(std::none_of(written.begin(), written.end(),
                         [&](char c) { return c != '%' && hw::needs_escape(c, bench); }));
      CHECK_EQ(hw::unescape_name(written), name);
      CHECK_EQ(hw::unescape_name(written + "%o12"), name);
    }
  }
  CHECK_EQ(hw::unescape_name("%i0"), "");
  CHECK_EQ(hw::unescape_name("50%"), "50%");
  CHECK_EQ(hw::unescape_name("%41%zz"), "%41%zz");
}

TEST(covers_compute_their_rows) {
  Random random(3);
  for (int round = 0; round < 4000; ++round) {
    AigStore store;
    hw::CoverBuilder builder(store);
    const std::uint32_t width = random.below(7);
    std::vector<Lit> inputs;
    for (std::uint32_t i = 0; i < width; ++i) inputs.push_back(store.add_input() ^ (random.below(2) != 0));
    const std::uint32_t count = random.below(12);
    const bool phase = random.below(2) != 0;
    const std::string_view letters = random.below(2) != 0 ? "01-" : "01---";
    std::string rows;
    for (std::uint32_t i = 0; i < count * width; ++i) {
      rows += letters[random.below(static_cast<std::uint32_t>(letters.size()))];
    }
    std::uint64_t expected = 0;
    for (std::uint32_t row = 0; row < count; ++row) {
      std::uint64_t cube = ~std::uint64_t{0};
      for (std::uint32_t i = 0; i < width; ++i) {
        const char c = rows[row * width + i];
        if (c != '-') cube &= table_of(store, inputs[i]) ^ (c == '0' ? ~std::uint64_t{0} : 0);
      }
      expected |= cube;
    }
    if (count != 0 && !phase) expected = ~expected;
    CHECK_EQ(table_of(store, builder.build(rows, count, inputs, phase)), expected);
  }
}

TEST(factoring_gives_up_on_hostile_covers) {
  // Each literal occurs in two rows only: dividing them out one by one would be quadratic.
  constexpr std::uint32_t kRows = 1500;
  AigStore store;
  hw::CoverBuilder builder(store);
  std::vector<Lit> inputs;
  for (std::uint32_t i = 0; i < kRows; ++i) inputs.push_back(store.add_input());
  std::string rows(std::size_t{kRows} * kRows, '-');
  for (std::size_t row = 0; row < kRows; ++row) {
    rows[row * kRows + row] = '1';
    rows[row * kRows + (row + 1) % kRows] = '1';
  }
  builder.build(rows, kRows, inputs, true);
  CHECK(store.and_count() < 2 * kRows);
}

TEST(look_up_tables) {
  Random random(4);
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int round = 0; round < 500; ++round) {
    AigStore store;
    std::vector<Lit> inputs;
    for (int i = 0; i < 6; ++i) inputs.push_back(store.add_input());
    const std::uint64_t table = random.next() & random.next();
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[(table >> shift) & 15U];
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    CHECK_EQ(table_of(store, hw::build_lut(store, digits, inputs)), table);
  }
}

TEST(directions_follow_from_instances_of_the_same_model) {
  const NameId inv(0), a(1), y(2), other(3);
  // inv(a=0, y=1) inv(a=1, y=2) inv(a=2, y=3); net 0 is driven; net 4 is between two unknown pins.
  std::vector<hw::OpenPin> pins = {
      {inv, a, NetId(0), 0, false},   {inv, y, NetId(1), 0, false},   {inv, a, NetId(1), 1, false},
      {inv, y, NetId(2), 1, false},   {inv, y, NetId(3), 2, false},   {inv, a, NetId(2), 2, false},
      {other, a, NetId(4), 3, false}, {other, y, NetId(4), 4, false}, {other, NameId(), NetId(5), 4, false}};
  std::vector<bool> driven(6, false);
  driven[0] = true;
  CHECK_EQ(hw::infer_directions(pins, driven), 1U);
  std::string outputs;
  for (const hw::OpenPin& pin : pins) outputs += pin.is_output ? 'o' : 'i';
  CHECK_EQ(outputs, "ioiooioii");
}

constexpr std::string_view kBlif =
    ".model top # comment\n.inputs a b \\\n c\n.outputs y z\n.clock k\n.names a b t\n1- 1\n-1 1\n.cname g\n"
    ".attr src \"f.v:1\"\n.latch t q re k 2\n.subckt leaf p=q q=c r=y\n.conn y z\n.area 2\n.exdc\n.names a "
    "y\n1 1\n"
    ".end\n.model leaf\n.inputs p q\n.outputs r\n.names p q r\n11 0\n.latch r s 1\n.end\n.model box\n.inputs "
    "i\n"
    ".outputs o\n.blackbox\n.end\n";
constexpr std::string_view kBench =
    "# c\nINPUT(a)\nINPUT(b)\nOUTPUT(y)\nq = DFF0(t)\nt = NAND(a, q, u)\nu = LUT 0x6 (a, b)\ny = MUX(a, t, "
    "v)\n"
    "v = vdd\n";

AigStore read(std::string_view text, bool bench, bool tolerant) {
  Stop stop;
  const hw::Netlist netlist =
      bench ? hw::read_bench_netlist(text, "x", stop) : hw::read_blif_netlist(text, "x", stop);
  hw::ElaborateParams params;
  params.black_boxes = params.free_undriven = params.net_names = tolerant;
  std::vector<hw::Note> notes;
  if (!bench) {
    dynomite::StringSink first;
    hw::write_netlist(netlist, first, stop);
    dynomite::StringSink second;
    hw::write_netlist(hw::read_blif_netlist(first.bytes(), "x", stop), second, stop);
    CHECK_EQ(first.bytes(), second.bytes());
  }
  return hw::elaborate(netlist, params, text, notes, stop);
}

template <typename Writer>
std::string written(const AigStore& store) {
  Stop stop;
  dynomite::StringSink sink;
  Writer(store, true).write(sink, stop);
  return sink.bytes();
}

TEST(mutated_files_are_read_or_refused) {
  Random random(5);
  std::size_t accepted = 0;
  for (int round = 0; round < 30000; ++round) {
    const bool bench = random.below(3) == 0;
    std::string text(bench ? kBench : kBlif);
    for (std::uint32_t edits = random.below(4); edits > 0; --edits) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
      const std::size_t size = random.below(12);
      switch (random.below(4)) {
        case 0: text[at] = static_cast<char>(random.next()); break;
        case 1: text.erase(at, size); break;
        case 2:
          text.insert(at, text.substr(random.below(static_cast<std::uint32_t>(text.size())), size));
          break;
        default: text.insert(at, random_text(random, " \n\\#.01-=(),%", 3)); break;
      }
    }
    try {
      const AigStore store = read(text, bench, random.below(2) != 0);
      ++accepted;
      const AigStore again = read(written<hw::BlifWriter>(store), false, false);
      const AigStore third = read(written<hw::BenchWriter>(store), true, false);
      CHECK_EQ(again.outputs().size(), store.outputs().size());
      CHECK_EQ(third.latches().size(), store.latches().size());
    } catch (const dynomite::ParseError& error) {
      CHECK(error.place().line > 0 && error.place().offset <= text.size());
    }
  }
  CHECK(accepted > 3000);
}

}  // namespace
