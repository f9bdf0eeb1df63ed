#include <cstdint>
#include <set>
#include <vector>

#include "dmt_dialect/native/opt/latch_classes.hpp"
#include "dmt_dialect/native/opt/latch_constants.hpp"
#include "dmt_dialect/native/opt/scl.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

using dmt::AigStore;
using dmt::Lit;
using dmt::NodeId;
using dmt::Reset;
using dmt::opt::Trit;

namespace {

/// A random circuit with latches, among them copies, opposites and latches that cannot move.
AigStore sequential(std::uint64_t seed, std::uint32_t inputs, std::uint32_t latches, std::uint32_t gates) {
  dynomite::Random random(seed);
  AigStore aig;
  std::vector<Lit> lits{dmt::kFalse};
  for (std::uint32_t i = 0; i < inputs; ++i) lits.push_back(aig.add_input());
  for (std::uint32_t i = 0; i < latches; ++i) {
    lits.push_back(aig.add_latch(static_cast<Reset>(random.below(8) == 0 ? 2 : random.below(2))));
  }
  const auto pick = [&] {
    return lits[random.below(static_cast<std::uint32_t>(lits.size()))] ^ (random.below(2) != 0);
  };
  for (std::uint32_t i = 0; i < gates; ++i) lits.push_back(aig.and_(pick(), pick()));
  for (std::uint32_t i = 0; i < latches; ++i) {
    const dmt::Latch& earlier = aig.latches()[random.below(i + 1)];
    const bool flip = aig.latches()[i].reset != earlier.reset;
    aig.set_next(i, random.below(3) == 0 ? earlier.next ^ flip : pick());
  }
  for (std::uint32_t i = 0; i < 3; ++i) aig.outputs().push_back(pick());
  return aig;
}

/// Values of all nodes for one row of inputs and one state, as bits.
std::vector<bool> values_of(const AigStore& aig, std::uint32_t inputs, std::uint32_t state) {
  std::vector<bool> values(aig.node_count(), false);
  for (std::size_t i = 0; i < aig.inputs().size(); ++i)
    values[aig.inputs()[i].index()] = (inputs >> i & 1U) != 0;
  for (std::size_t i = 0; i < aig.latches().size(); ++i) {
    values[aig.latches()[i].node.index()] = (state >> i & 1U) != 0;
  }
  const auto of = [&](Lit lit) { return values[lit.node().index()] != lit.complemented(); };
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    if (aig.is_and(NodeId(i))) values[i] = of(aig.fanin0(NodeId(i))) && of(aig.fanin1(NodeId(i)));
  }
  return values;
}

bool value_of(const std::vector<bool>& values, Lit lit) {
  return values[lit.node().index()] != lit.complemented();
}

/// Every reachable state, one by one.
std::set<std::uint32_t> reachable(const AigStore& aig) {
  std::vector<std::uint32_t> open{0};
  for (std::size_t i = 0; i < aig.latches().size(); ++i) {
    const Reset reset = aig.latches()[i].reset;
    const std::size_t count = open.size();
    for (std::size_t k = 0; k < count; ++k) {
      if (reset == Reset::kUninitialised) open.push_back(open[k] | 1U << i);
      if (reset == Reset::kOne) open[k] |= 1U << i;
    }
  }
  std::set<std::uint32_t> seen(open.begin(), open.end());
  while (!open.empty()) {
    const std::uint32_t state = open.back();
    open.pop_back();
    for (std::uint32_t row = 0; row < 1U << aig.inputs().size(); ++row) {
      const std::vector<bool> values = values_of(aig, row, state);
      std::uint32_t next = 0;
      for (std::size_t i = 0; i < aig.latches().size(); ++i) {
        if (value_of(values, aig.latches()[i].next)) next |= 1U << i;
      }
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return seen;
}

/// Three-valued simulation of whole cycles, latches joined with what they were, until nothing changes.
std::vector<Trit> stuck_by_cycles(const AigStore& aig) {
  std::vector<int> state;  // 0, 1, 2 unknown
  for (const dmt::Latch& latch : aig.latches()) state.push_back(static_cast<int>(latch.reset));
  for (bool changed = true; changed;) {
    std::vector<int> values(aig.node_count(), 2);
    values[0] = 0;
    for (std::size_t i = 0; i < state.size(); ++i) values[aig.latches()[i].node.index()] = state[i];
    const auto of = [&](Lit lit) {
      const int value = values[lit.node().index()];
      return value == 2 || !lit.complemented() ? value : 1 - value;
    };
    for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
      const NodeId id(i);
      if (!aig.is_and(id)) continue;
      const int a = of(aig.fanin0(id)), b = of(aig.fanin1(id));
      values[i] = a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : 2;
    }
    changed = false;
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (state[i] != 2 && of(aig.latches()[i].next) != state[i]) {
        state[i] = 2;
        changed = true;
      }
    }
  }
  std::vector<Trit> stuck;
  for (const int value : state) stuck.push_back(static_cast<Trit>(value));
  return stuck;
}

}  // namespace

TEST(stuck_latches_are_those_of_whole_cycles) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const AigStore aig = sequential(seed, 3, 1 + static_cast<std::uint32_t>(seed % 10), 20);
    dynomite::Stop stop;
    const std::vector<Trit> stuck = dmt::opt::stuck_latches(aig, stop);
    CHECK(stuck == stuck_by_cycles(aig));
    for (const Trit value : stuck) found += value != Trit::kUnknown ? 1 : 0;
  }
  CHECK(found > 100);
}

TEST(leaders_are_equal_in_every_reachable_state) {
  std::size_t constant = 0, merged = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const AigStore aig = sequential(seed, 2, 2 + static_cast<std::uint32_t>(seed % 8), 15);
    dynomite::Stop stop;
    const bool ternary = seed % 2 == 0;
    const std::vector<Trit> stuck = ternary ? dmt::opt::stuck_latches(aig, stop)
                                            : std::vector<Trit>(aig.latches().size(), Trit::kUnknown);
    const std::vector<Lit> leaders = dmt::opt::latch_classes(aig, stuck, seed, stop).leaders;
    for (const std::uint32_t state : reachable(aig)) {
      const std::vector<bool> values = values_of(aig, 0, state);
      for (std::size_t i = 0; i < leaders.size(); ++i) {
        CHECK(value_of(values, leaders[i]) == values[aig.latches()[i].node.index()]);
      }
    }
    for (std::size_t i = 0; i < leaders.size(); ++i) {
      const Lit own(aig.latches()[i].node, false);
      constant += leaders[i].node() == dmt::kConstNode ? 1 : 0;
      merged += leaders[i] != own && leaders[i].node() != dmt::kConstNode ? 1 : 0;
      // A leader leads itself, and precedes the others.
      if (leaders[i].node() != dmt::kConstNode) {
        const std::uint32_t leader = aig.ci_index(leaders[i].node());
        CHECK(leader <= i);
        CHECK(leaders[leader] == Lit(leaders[i].node(), false));
      }
    }
  }
  CHECK(constant > 100);
  CHECK(merged > 50);
}

TEST(a_cleaned_circuit_is_well_formed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const AigStore aig = sequential(seed, 3, static_cast<std::uint32_t>(seed % 9), 30);
    dynomite::Stop stop;
    dmt::opt::SclStats stats;
    const dmt::opt::SclResult made = dmt::opt::scl(aig, {}, &stats, stop);
    CHECK_EQ(made.aig.inputs().size(), aig.inputs().size());
    CHECK_EQ(made.aig.outputs().size(), aig.outputs().size());
    CHECK_EQ(made.aig.latches().size(), made.kept.size());
    CHECK_EQ(made.codes.size(), aig.latches().size());
    CHECK_EQ(stats.constant + stats.duplicate + stats.unused + made.kept.size(), aig.latches().size());
    CHECK(made.aig.has_aiger_layout());
    for (std::size_t k = 0; k < made.kept.size(); ++k) {
      CHECK(made.aig.latches()[k].reset == aig.latches()[made.kept[k]].reset);
      CHECK_EQ(made.codes[made.kept[k]], std::uint64_t{2} + 2 * made.kept[k]);
    }
  }
}
