#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/aig/instr_view.hpp"
#include "dmt_dialect/native/aig/levels.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"

using namespace dmt;  // NOLINT: one file of tests

TEST(generic_analyses_run_on_an_aig) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    dynomite::Random random(seed);
    AigStore aig;
    for (int i = 0; i < 4; ++i) aig.add_input();
    const auto pick = [&] {
      // Never a constant, so that an AND of the raw store is one of the hashing store too.
      const Lit lit = Lit::from_raw(2 * (1 + random.below(aig.node_count() - 1)));
      return random.below(2) == 0 ? lit : ~lit;
    };
    for (int i = 0; i < 60; ++i) aig.append_and(pick(), pick());
    const AigView view(aig);
    // Naive: compare all pairs under the representatives found so far.
    const auto representative = dynomite::ir::equal_nodes(view);
    std::vector<std::uint32_t> expected(aig.node_count());
    for (std::uint32_t n = 0; n < aig.node_count(); ++n) {
      expected[n] = n;
      if (!aig.is_and(NodeId(n))) continue;
      const auto literal = [&](std::uint32_t node, int which) {
        const Lit lit = which == 0 ? aig.fanin0(NodeId(node)) : aig.fanin1(NodeId(node));
        return 2 * expected[lit.node().index()] + (lit.raw() & 1U);
      };
      for (std::uint32_t m = 0; m < n && expected[n] == n; ++m) {
        if (!aig.is_and(NodeId(m)) || expected[m] != m) continue;
        const bool straight = literal(m, 0) == literal(n, 0) && literal(m, 1) == literal(n, 1);
        const bool crossed = literal(m, 0) == literal(n, 1) && literal(m, 1) == literal(n, 0);
        if (straight || crossed) expected[n] = m;
      }
    }
    CHECK(representative == expected);
    CHECK_EQ(dynomite::ir::count_operations(view).at(static_cast<std::uint32_t>(NodeKind::kAnd)), 60U);
    const std::uint32_t root = aig.node_count() - 1;
    const auto needed = dynomite::ir::needed_nodes(view, std::span(&root, 1));
    for (std::uint32_t n = root; n > 0; --n) {
      if (!aig.is_and(NodeId(n)) || !needed[n]) continue;
      CHECK(needed[aig.fanin0(NodeId(n)).node().index()] && needed[aig.fanin1(NodeId(n)).node().index()]);
    }
    CHECK(dynomite::ir::longest_path(view) > 1);
  }
}

TEST(a_deep_aig_needs_no_stack) {
  AigStore aig;
  Lit last = aig.add_input();
  const Lit other = aig.add_input();
  for (int i = 0; i < 300000; ++i) last = aig.append_and(last, ~other);
  CHECK_EQ(dynomite::ir::longest_path(AigView(aig)), 300001U);
}
