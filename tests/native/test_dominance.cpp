#include <set>
#include <vector>

#include "dynomite/native/ir/dominance.hpp"
#include "dynomite/native/ir/walk.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_ir.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::test::IrMaker;

namespace {

/// Blocks reachable from the entry when `without` is left out.
std::set<std::uint32_t> reachable(const std::vector<std::vector<std::uint32_t>>& edges,
                                  std::uint32_t without) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> work;
  if (without != 0) work.push_back(0);
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    if (!seen.insert(block).second) continue;
    for (const std::uint32_t next : edges[block]) {
      if (next != without) work.push_back(next);
    }
  }
  return seen;
}

/// A region with these edges; returns its blocks.
std::vector<BlockId> make_graph(IrMaker& maker, const std::vector<std::vector<std::uint32_t>>& edges) {
  maker.open(maker.dialect.scope);
  const RegionId region = maker.module().cfg().region(maker.block);
  std::vector<BlockId> blocks = {maker.block};
  while (blocks.size() < edges.size()) blocks.push_back(maker.mutator.create_block(region));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    maker.block = blocks[i];
    std::vector<FatDynObjRef> uses;
    for (const std::uint32_t next : edges[i]) uses.emplace_back(kind::kBlock, blocks[next].index());
    maker.use(maker.dialect.branch, uses);
  }
  maker.close();
  return blocks;
}

}  // namespace

TEST(dominance_agrees_with_its_definition) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    dynomite::Random random(seed);
    const std::uint32_t n = 1 + random.below(14);
    std::vector<std::vector<std::uint32_t>> edges(n);
    for (auto& row : edges) {
      for (std::uint32_t k = random.below(4); k > 0; --k) row.push_back(random.below(n));
    }
    IrMaker maker;
    const std::vector<BlockId> blocks = make_graph(maker, edges);
    const Dominance dominance(maker.module());
    const auto all = reachable(edges, n);
    for (std::uint32_t a = 0; a < n; ++a) {
      CHECK_EQ(dominance.is_reachable(blocks[a]), all.contains(a));
      const auto rest = reachable(edges, a);
      for (std::uint32_t b = 0; b < n; ++b) {
        const bool expected = a == b || !all.contains(b) || (all.contains(a) && !rest.contains(b));
        CHECK_EQ(dominance.dominates(blocks[a], blocks[b]), expected);
      }
      if (a != 0 && all.contains(a)) {
        const BlockId idom = dominance.immediate_dominator(blocks[a]);
        CHECK(dominance.dominates(idom, blocks[a]) && idom != blocks[a]);
        for (std::uint32_t b = 0; b < n; ++b) {
          if (b == a || !dominance.dominates(blocks[b], blocks[a])) continue;
          CHECK(dominance.dominates(blocks[b], idom));
        }
      }
    }
    const auto order = dominance.tree_order(maker.module().cfg().region(blocks[0]));
    CHECK_EQ(order.size(), n);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        CHECK(!dominance.is_reachable(order[k]) || !dominance.dominates(order[i], order[k]));
      }
    }
  }
}

TEST(edges_are_the_blocks_that_terminators_use) {
  IrMaker maker;
  const auto blocks = make_graph(maker, {{1, 2}, {2}, {}});
  const Dominance dominance(maker.module());
  CHECK_EQ(dominance.successors(blocks[0]).size(), 2U);
  CHECK_EQ(dominance.predecessors(blocks[2]).size(), 2U);
  CHECK(dominance.predecessors(blocks[2])[0] == blocks[0]);
  CHECK(dominance.immediate_dominator(blocks[2]) == blocks[0]);
  CHECK(dominance.immediate_dominator(blocks[0]).is_none());
}

TEST(visibility_follows_order_blocks_and_nesting) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, std::vector<ValueId>{});
  const InstrId before = maker.use(d.use, {IrMaker::ref(a)});
  const InstrId scope = maker.open(d.scope);
  const BlockId inner = maker.block;
  const ValueId b = maker.value(d.in, std::vector<ValueId>{});
  const InstrId inside = maker.use(d.use, {IrMaker::ref(a)});
  maker.close();
  const ValueId late = maker.value(d.in, std::vector<ValueId>{});
  const InstrId graph = maker.open(d.graph);
  const BlockId unordered = maker.block;
  const ValueId x = maker.value(d.add, {a, a});
  const ValueId y = maker.value(d.add, {a, x});
  maker.close();
  const Dominance dominance(maker.module());
  const BlockId body = maker.module().body();
  CHECK(dominance.is_visible(a, before, body));
  CHECK(!dominance.is_visible(late, before, body));
  CHECK(dominance.is_visible(a, inside, inner));
  CHECK(dominance.is_visible(b, inside, inner));
  CHECK(!dominance.is_visible(late, inside, inner));
  CHECK(!dominance.is_visible(b, scope, body));
  CHECK(!dominance.is_visible(b, graph, body));
  CHECK(dominance.is_visible(y, maker.defining(x), unordered));
  CHECK(dominance.is_visible(x, maker.defining(x), unordered));
  CHECK(!dominance.is_visible(a, maker.defining(a), body));
  // What stands in no block is seen everywhere.
  const InstrId loose = maker.mutator.create(d.in, std::vector{OperandSpec::def(maker.type)});
  const ValueId free(maker.module().instrs().operand(loose, 0).ref.id);
  CHECK(dominance.is_visible(free, before, body));
}

TEST(a_long_chain_of_blocks_needs_no_stack) {
  IrMaker maker(StoreKind::kArena, Tracking::kNone);
  constexpr std::uint32_t kBlocks = 200000;
  std::vector<std::vector<std::uint32_t>> edges(kBlocks);
  for (std::uint32_t i = 0; i + 1 < kBlocks; ++i) edges[i] = {i + 1, i};
  const auto blocks = make_graph(maker, edges);
  const Dominance dominance(maker.module());
  CHECK(dominance.dominates(blocks[1], blocks[kBlocks - 1]));
  CHECK(!dominance.dominates(blocks[kBlocks - 1], blocks[1]));
}
