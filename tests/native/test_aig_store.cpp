#include <string>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"

using dmt::AigStore;
using dmt::kConstNode;
using dmt::kFalse;
using dmt::kTrue;
using dmt::Lit;
using dmt::NameTable;
using dmt::Node;
using dmt::NodeId;
using dmt::NodeKind;
using dmt::ReadLease;
using dmt::Reset;
using dmt::WriteLease;
using dynomite::LimitError;
using dynomite::SharedArray;
using dynomite::Stop;
using dynomite::UsageError;

namespace {

SharedArray<Node> rows(const std::vector<Node>& nodes) {
  SharedArray<Node> array;
  for (const Node& node : nodes) array.push_back(node);
  return array;
}

Node raw(std::uint32_t a, std::uint32_t b) { return {Lit::from_raw(a), Lit::from_raw(b)}; }

bool value(const AigStore& store, Lit lit, std::uint32_t inputs) {
  std::vector<bool> values(store.node_count());
  const auto of = [&](Lit l) { return values[l.node().index()] != l.complemented(); };
  for (std::uint32_t i = 1; i < store.node_count(); ++i) {
    const NodeId id(i);
    values[i] = store.is_and(id) ? of(store.fanin0(id)) && of(store.fanin1(id))
                                 : ((inputs >> store.ci_index(id)) & 1U) != 0;
  }
  return of(lit);
}

}  // namespace

TEST(kinds_and_positions) {
  AigStore store;
  const Lit a = store.add_input();
  const Lit q = store.add_latch(Reset::kOne);
  const Lit b = store.add_input();
  const Lit g = store.and_(a, q);
  CHECK(store.kind(kConstNode) == NodeKind::kConst);
  CHECK(store.kind(a.node()) == NodeKind::kInput && store.is_input(a.node()));
  CHECK(store.kind(q.node()) == NodeKind::kLatch && store.is_latch(q.node()));
  CHECK(store.kind(g.node()) == NodeKind::kAnd && store.is_and(g.node()));
  CHECK(!store.is_input(kConstNode) && !store.is_latch(kConstNode) && !store.is_and(kConstNode));
  CHECK_EQ(store.ci_index(b.node()), 1u);
  CHECK_EQ(store.ci_index(q.node()), 0u);
  CHECK_EQ(store.and_count(), 1u);
  CHECK_EQ(store.node_count(), 5u);
  CHECK(!store.has_aiger_layout());
  CHECK(store.contains(~g) && !store.contains(Lit::from_raw(10)));
}

TEST(or_xor_mux_compute_what_they_say) {
  AigStore store;
  const Lit a = store.add_input();
  const Lit b = store.add_input();
  const Lit c = store.add_input();
  const std::vector<Lit> lits = {kFalse, kTrue, a, ~a, b, ~b, c, ~c};
  for (const Lit x : lits) {
    for (const Lit y : lits) {
      for (const Lit z : lits) {
        const Lit mux = store.mux(x, y, z);
        const Lit exclusive = store.xor_(x, y);
        const Lit either = store.or_(y, z);
        for (std::uint32_t v = 0; v < 8; ++v) {
          const bool vx = value(store, x, v);
          const bool vy = value(store, y, v);
          const bool vz = value(store, z, v);
          CHECK_EQ(value(store, mux, v), vx ? vy : vz);
          CHECK_EQ(value(store, exclusive, v), vx != vy);
          CHECK_EQ(value(store, either, v), vy || vz);
        }
      }
    }
  }
  CHECK_EQ(store.xor_(a, b).raw(), (~store.xor_(~a, b)).raw());
}

TEST(from_nodes_checks_every_row) {
  const std::uint32_t mark = AigStore::kNotAnd.raw();
  const Node zero = raw(mark, 0);
  const AigStore store = AigStore::from_nodes(
      rows({zero, raw(mark, 0), raw(mark, AigStore::kLatchBit), raw(4, 2), raw(mark, 1), raw(7, 8)}));
  CHECK_EQ(store.inputs().size(), std::size_t{2});
  CHECK_EQ(store.latches().size(), std::size_t{1});
  CHECK_EQ(store.and_count(), 2u);
  CHECK_THROWS(AigStore::from_nodes(rows({})), UsageError);
  CHECK_THROWS(AigStore::from_nodes(rows({raw(2, 2)})), UsageError);
  CHECK_THROWS(AigStore::from_nodes(rows({zero, raw(mark, 1)})), UsageError);
  CHECK_THROWS(AigStore::from_nodes(rows({zero, raw(mark, AigStore::kLatchBit | 1U)})), UsageError);
  CHECK_THROWS(AigStore::from_nodes(rows({zero, raw(2, 0)})), UsageError);
  CHECK_THROWS(AigStore::from_nodes(rows({zero, raw(0, 3)})), UsageError);
  CHECK_THROWS(AigStore::from_nodes(rows({zero, raw(0, mark)})), UsageError);
  CHECK_THROWS(AigStore::from_nodes(rows({zero, raw(mark - 1, 0)})), UsageError);
}

TEST(bulk_ands_are_the_same_as_single_ones) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    dynomite::Random random(seed);
    AigStore bulk;
    bulk.add_inputs(3 + static_cast<std::uint32_t>(seed));
    if (seed % 2 == 0) bulk.and_(Lit::from_raw(2), Lit::from_raw(5));
    AigStore single = bulk;
    const std::uint32_t base = bulk.node_count();
    std::vector<Node> table;
    for (std::uint32_t i = 0; i < 3000; ++i) {
      table.push_back(raw(random.below(2 * (base + i)), random.below(2 * (base + i))));
    }
    std::vector<Lit> results(table.size());
    Stop stop;
    CHECK(bulk.and_rows(table, results.data(), stop));
    std::vector<Lit> expected;
    const auto of = [&](Lit lit) {
      return lit.node().index() < base ? lit : expected[lit.node().index() - base] ^ lit.complemented();
    };
    for (const Node& row : table) expected.push_back(single.and_(of(row.fanin0), of(row.fanin1)));
    CHECK(results == expected);
    CHECK_EQ(bulk.node_count(), single.node_count());
    for (std::uint32_t i = 0; i < bulk.node_count(); ++i) {
      CHECK(bulk.nodes()[i].fanin0 == single.nodes()[i].fanin0 &&
            bulk.nodes()[i].fanin1 == single.nodes()[i].fanin1);
    }
  }
}

TEST(bulk_ands_reject_forward_rows_and_stop) {
  AigStore store;
  store.add_inputs(2);
  std::vector<Lit> results(2);
  Stop stop;
  CHECK_THROWS(store.and_rows(std::vector<Node>{raw(2, 4), raw(8, 2)}, results.data(), stop), UsageError);
  CHECK_THROWS(store.and_rows(std::vector<Node>{raw(6, 2)}, results.data(), stop), UsageError);
  CHECK_EQ(store.and_count(), 0u);
  CHECK(store.and_rows({}, results.data(), stop));
  stop.cancel();
  CHECK(!store.and_rows(std::vector<Node>{raw(2, 4), raw(6, 3)}, results.data(), stop));
}

TEST(append_drops_the_hash_and_it_comes_back) {
  AigStore store;
  const Lit a = store.add_input();
  const Lit b = store.add_input();
  const Lit g = store.and_(a, b);
  CHECK(store.hash_memory() != 0);
  const Lit copy = store.append_and(a, b);
  CHECK_EQ(store.hash_memory(), std::size_t{0});
  CHECK(copy != g);
  CHECK_EQ(store.and_(b, a).raw(), g.raw());
}

TEST(copies_are_independent) {
  AigStore store;
  const Lit a = store.add_input();
  const Lit b = store.add_input();
  store.outputs().push_back(store.and_(a, b));
  AigStore copy = store;
  copy.outputs().push_back(copy.and_(~a, b));
  copy.names().inputs.set(0, "x");
  CHECK_EQ(store.and_count(), 1u);
  CHECK_EQ(store.outputs().size(), std::size_t{1});
  CHECK(!store.names().inputs.has(0));
  CHECK_EQ(copy.and_count(), 2u);
}

TEST(limits) {
  AigStore store;
  CHECK_THROWS(store.add_inputs(AigStore::kMaxNodes), LimitError);
  CHECK_THROWS(store.append_ands_uninitialised(AigStore::kMaxNodes), LimitError);
  CHECK_EQ(store.node_count(), 1u);
}

TEST(deep_chain) {
  AigStore store;
  Lit chain = store.add_input();
  const std::uint32_t first = store.add_inputs(1000000).node().index();
  for (std::uint32_t i = 0; i < 1000000; ++i) chain = store.and_(~chain, Lit(NodeId(first + i), false));
  CHECK_EQ(store.and_count(), 1000000u);
  CHECK(store.memory() <= std::size_t{store.node_count()} * 20 + std::size_t{4} * 3000000);
}

TEST(name_table) {
  NameTable names;
  CHECK(names.empty());
  names.set(5, "five");
  names.set(1, "one");
  names.set(9, "");
  CHECK_EQ(names.count(), std::size_t{2});
  CHECK_EQ(std::string(names.get(5)), "five");
  CHECK(!names.has(0) && !names.has(100) && names.get(100).empty());
  names.set(5, "cinq");
  CHECK_EQ(names.count(), std::size_t{2});
  CHECK_EQ(std::string(names.get(5)), "cinq");
  names.set(1, "");
  CHECK_EQ(names.count(), std::size_t{1});
  names.clear();
  CHECK(names.empty() && !names.has(5));
}

TEST(leases_exclude_each_other) {
  AigStore store;
  CHECK(store.access().can_read() && store.access().can_write());
  {
    const ReadLease one(store.access());
    const ReadLease two(store.access());
    CHECK(store.access().can_read() && !store.access().can_write());
    CHECK_THROWS(WriteLease(store.access()), UsageError);
    const AigStore copy = store;
    CHECK(copy.access().can_write());
  }
  {
    const WriteLease writer(store.access());
    CHECK(!store.access().can_read() && !store.access().can_write());
    CHECK_THROWS(ReadLease(store.access()), UsageError);
    CHECK_THROWS(WriteLease(store.access()), UsageError);
  }
  CHECK(store.access().can_write());
}
