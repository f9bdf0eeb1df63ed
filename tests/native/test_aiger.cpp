#include <string>
#include <vector>

#include "dmt_dialect/native/io/aiger_definitions.hpp"
#include "dmt_dialect/native/io/aiger_delta.hpp"
#include "dmt_dialect/native/io/aiger_reader.hpp"
#include "dmt_dialect/native/io/aiger_writer.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"

namespace {

using dmt::AigStore;
using dmt::Lit;
using dmt::NodeId;
using dynomite::Stop;

/// The plain twin of `encode_delta`.
std::string slow_code(std::uint32_t value) {
  std::string code;
  for (; value > 127; value >>= 7) code += static_cast<char>((value & 127U) | 128U);
  return code + static_cast<char>(value);
}

/// Numbers around every power of two, and random ones of every length.
std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> all = {0};
  dynomite::Random random(1);
  for (unsigned bit = 0; bit < 32; ++bit) {
    const std::uint32_t power = 1U << bit;
    for (const std::uint32_t value : {power - 1, power, power + 1, 2 * power - 1}) all.push_back(value);
    for (int i = 0; i < 20; ++i) all.push_back(static_cast<std::uint32_t>(random.next()) >> (31 - bit));
  }
  return all;
}

std::string written(const AigStore& store, bool binary) {
  Stop stop;
  dynomite::StringSink sink;
  dmt::AigerWriter(store, binary).write(sink, stop);
  return sink.bytes();
}

AigStore read(const std::string& data) {
  Stop stop;
  return dmt::read_aiger(data, "test", stop);
}

}  // namespace

TEST(delta_codes_equal_the_plain_ones) {
  for (const std::uint32_t value : numbers()) {
    unsigned char buffer[16] = {};
    const unsigned char* end = dmt::aiger::encode_delta(buffer, value);
    CHECK_EQ(std::string(buffer + 0, buffer + (end - buffer)), slow_code(value));
    const unsigned char* at = buffer;
    std::uint64_t back = 0;
    CHECK(dmt::aiger::decode_one(at, end, back) == dmt::aiger::DeltaFault::kNone);
    CHECK_EQ(back, std::uint64_t{value});
    CHECK(at == end);
    at = buffer;
    CHECK(dmt::aiger::decode_one(at, end - 1, back) == dmt::aiger::DeltaFault::kEndOfData);
  }
}

TEST(pairs_of_deltas_are_decoded_at_once) {
  for (const std::uint32_t first : numbers()) {
    for (const std::uint32_t second : numbers()) {
      std::string code = slow_code(first) + slow_code(second);
      const std::size_t length = code.size();
      code += std::string(8, '\x91');
      const auto pair = dmt::aiger::decode_pair(reinterpret_cast<const unsigned char*>(code.data()));
      if (pair.found != (length <= 8)) {
        CHECK_EQ(pair.found, length <= 8);
        return;
      }
      if (!pair.found) continue;
      if (pair.first != first || pair.second != second || pair.bytes != length) {
        CHECK_EQ(pair.first, std::uint64_t{first});
        CHECK_EQ(pair.second, std::uint64_t{second});
        CHECK_EQ(std::size_t{pair.bytes}, length);
        return;
      }
    }
  }
}

TEST(definitions_dense_sparse_and_sequential) {
  using dmt::aiger::Definitions;
  for (const std::uint64_t max_var : {std::uint64_t{1000}, std::uint64_t{2000000000}}) {
    Definitions definitions(max_var, 100);
    for (std::uint32_t var = 1; var <= 5; ++var) CHECK_EQ(definitions.add(var), Definitions::kNone);
    CHECK(definitions.sequential());
    CHECK_EQ(definitions.find(5), 5U);
    CHECK_EQ(definitions.find(6), Definitions::kNone);
    CHECK_EQ(definitions.add(900), Definitions::kNone);
    CHECK(!definitions.sequential());
    CHECK_EQ(definitions.find(0), 0U);
    CHECK_EQ(definitions.find(5), 5U);
    CHECK_EQ(definitions.find(900), 6U);
    CHECK_EQ(definitions.find(6), Definitions::kNone);
    CHECK_EQ(definitions.add(3), 3U);
    CHECK_EQ(definitions.add(900), 6U);
  }
}

TEST(order_of_ands_is_topological_or_a_cycle) {
  dynomite::Random random(7);
  int cycles = 0;
  for (int round = 0; round < 500; ++round) {
    const std::uint32_t first = 3;
    const std::uint32_t count = 1 + random.below(12);
    std::vector<dmt::Node> rows;
    for (std::uint32_t i = 0; i < count; ++i) {
      rows.push_back(
          {Lit::from_raw(random.below(2 * (first + count))), Lit::from_raw(random.below(2 * first))});
    }
    Stop stop;
    const auto order = dmt::aiger::order_ands(rows, first, stop);
    if (!order.cycle.empty()) {
      ++cycles;
      // Every AND of it is a fanin of the one before.
      for (std::size_t i = 0; i < order.cycle.size(); ++i) {
        const std::uint32_t next = order.cycle[(i + 1) % order.cycle.size()];
        const dmt::Node& row = rows[order.cycle[i]];
        CHECK(row.fanin0.node().index() == first + next || row.fanin1.node().index() == first + next);
      }
      continue;
    }
    std::vector<bool> used(count, false);
    for (std::uint32_t i = 0; i < count; ++i) {
      CHECK(order.position[i] < count && !used[order.position[i]]);
      used[order.position[i]] = true;
      const std::uint32_t fanin = rows[i].fanin0.node().index();
      if (fanin >= first) CHECK(order.position[fanin - first] < order.position[i]);
    }
  }
  CHECK(cycles > 50 && cycles < 450);
}

TEST(names_and_comments_that_the_format_cannot_hold) {
  const auto fails = [](const AigStore& store) {
    try {
      written(store, true);
    } catch (const dynomite::UsageError&) {
      return true;
    }
    return false;
  };
  for (const std::string& bad : {std::string("a\nb"), std::string("a\0b", 3)}) {
    AigStore store;
    store.add_input();
    store.names().inputs.set(0, bad);
    CHECK(fails(store));
  }
  AigStore store;
  store.comments() = {"a\nb"};
  CHECK(fails(store));
  store.comments() = {"fine"};
  CHECK(!fails(store));
}

TEST(failed_reading_throws_with_a_place) {
  try {
    read("aag 1 1 0 0 0\n4\n");
    CHECK(false);
  } catch (const dynomite::ParseError& error) {
    CHECK_EQ(error.place().line, std::uint64_t{2});
    CHECK_EQ(error.place().column, std::uint64_t{1});
    CHECK_EQ(error.place().offset, std::uint64_t{14});
    CHECK_EQ(error.path(), std::string("test"));
    CHECK_EQ(error.text(), std::string("4"));
  }
}

TEST(memory_is_eight_bytes_a_node) {
  std::string data = "aig 100002 2 0 0 100000\n";
  for (int i = 0; i < 100000; ++i) data += "\x02\x02";
  const AigStore store = read(data);
  CHECK_EQ(store.and_count(), 100000U);
  CHECK(store.memory() <= std::size_t{100003} * 9);
}

TEST(stores_in_mixed_order_are_renumbered) {
  AigStore store;
  const Lit a = store.add_input();
  const Lit latch = store.add_latch(dmt::Reset::kUninitialised);
  const Lit gate = store.append_and(a, ~latch);
  const Lit b = store.add_input();
  store.outputs().push_back(store.append_and(gate, b));
  store.set_next(0, ~gate);
  CHECK_EQ(written(store, false), std::string("aag 5 2 1 1 2\n2\n4\n6 9 6\n10\n8 2 7\n10 8 4\n"));
  CHECK_EQ(written(read(written(store, true)), true), written(store, true));
}
