#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/aig/strash.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"

using dmt::AigStore;
using dmt::kConstNode;
using dmt::kFalse;
using dmt::kTrue;
using dmt::Lit;
using dmt::Node;
using dmt::NodeId;
using dmt::Strash;

namespace {

constexpr Node kPortNode{AigStore::kNotAnd, kFalse};

/// The table's naive twin: a sorted map from the ordered pair of fanins.
class Twin {
 public:
  static std::pair<std::uint32_t, std::uint32_t> key(Lit a, Lit b) {
    return {std::max(a.raw(), b.raw()), std::min(a.raw(), b.raw())};
  }
  std::uint32_t find(Lit a, Lit b) const {
    const auto found = map_.find(key(a, b));
    return found == map_.end() ? 0 : found->second;
  }
  void insert(Lit a, Lit b, std::uint32_t id) { map_.emplace(key(a, b), id); }
  std::size_t size() const { return map_.size(); }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> map_;
};

/// Truth tables of all nodes of a store with at most 4 inputs, kept up to date while it grows.
class Tables {
 public:
  explicit Tables(const AigStore& store) : store_(store) { update(); }
  void update() {
    static constexpr std::uint32_t kInput[] = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};
    for (auto i = static_cast<std::uint32_t>(tables_.size()); i < store_.node_count(); ++i) {
      const NodeId id(i);
      if (store_.is_and(id)) {
        tables_.push_back((*this)(store_.fanin0(id)) & (*this)(store_.fanin1(id)));
      } else {
        tables_.push_back(id == kConstNode ? 0 : kInput[store_.ci_index(id)]);
      }
    }
  }
  std::uint32_t operator()(Lit lit) const {
    return (lit.complemented() ? ~tables_[lit.node().index()] : tables_[lit.node().index()]) & 0xFFFF;
  }

 private:
  const AigStore& store_;
  std::vector<std::uint32_t> tables_;
};

/// Checks `and_(a, b)`: right function, at most one new node, the same answer for both orders and the second
/// time.
void check_and(AigStore& store, Tables& tables, Lit a, Lit b) {
  const std::uint32_t wanted = tables(a) & tables(b);
  const auto found = store.find_and(a, b);
  const std::uint32_t before = store.node_count();
  const Lit result = store.and_(a, b);
  tables.update();
  CHECK_EQ(tables(result), wanted);
  CHECK(store.node_count() <= before + 1);
  CHECK_EQ(found.has_value(), store.node_count() == before);
  if (found.has_value()) CHECK_EQ(found->raw(), result.raw());
  const std::uint32_t after = store.node_count();
  CHECK_EQ(store.and_(b, a).raw(), result.raw());
  CHECK_EQ(store.and_(a, b).raw(), result.raw());
  CHECK_EQ(store.node_count(), after);
  if (after != before) {
    // A node was needed: its operands must not be trivial.
    const Lit x = store.fanin0(result.node());
    const Lit y = store.fanin1(result.node());
    CHECK(x.node() != y.node() && x.node() != kConstNode && y.node() != kConstNode);
    CHECK(x.raw() > y.raw());
  }
}

std::vector<Lit> all_lits(const AigStore& store) {
  std::vector<Lit> lits;
  for (std::uint32_t raw = 0; raw < 2 * store.node_count(); ++raw) lits.push_back(Lit::from_raw(raw));
  return lits;
}

/// Every operand pair over `inputs` inputs and all ANDs of two of their literals.
void check_all_pairs(std::uint32_t inputs) {
  AigStore store;
  store.add_inputs(inputs);
  // Raw ANDs of all pairs of literals, also those that no rule would let through.
  const std::vector<Lit> leaves = all_lits(store);
  for (const Lit a : leaves) {
    for (const Lit b : leaves) {
      if (a.raw() >= b.raw()) store.append_and(a, b);
    }
  }
  Tables tables(store);
  const std::vector<Lit> operands = all_lits(store);
  for (const Lit a : operands) {
    for (const Lit b : operands) check_and(store, tables, a, b);
  }
}

}  // namespace

TEST(two_level_rules_all_pairs_3_inputs) { check_all_pairs(3); }
TEST(two_level_rules_all_pairs_4_inputs) { check_all_pairs(4); }

TEST(two_level_rules_random_deep_operands) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    dynomite::Random random(seed);
    AigStore store;
    store.add_inputs(4);
    Tables tables(store);
    for (int step = 0; step < 1500; ++step) {
      const Lit a = Lit::from_raw(random.below(2 * store.node_count()));
      const Lit b = Lit::from_raw(random.below(2 * store.node_count()));
      if (step % 3 == 0) {
        store.append_and(a, b);
        tables.update();
      } else {
        check_and(store, tables, a, b);
      }
    }
  }
}

TEST(known_rules_need_no_node) {
  AigStore store;
  const Lit a = store.add_input();
  const Lit b = store.add_input();
  const Lit c = store.add_input();
  const Lit ab = store.and_(a, b);
  const Lit anb = store.and_(a, ~b);
  const std::uint32_t nodes = store.node_count();
  CHECK_EQ(store.and_(a, kTrue).raw(), a.raw());
  CHECK_EQ(store.and_(kFalse, a).raw(), kFalse.raw());
  CHECK_EQ(store.and_(a, a).raw(), a.raw());
  CHECK_EQ(store.and_(a, ~a).raw(), kFalse.raw());
  CHECK_EQ(store.and_(ab, a).raw(), ab.raw());        // idempotence
  CHECK_EQ(store.and_(ab, ~a).raw(), kFalse.raw());   // contradiction
  CHECK_EQ(store.and_(ab, anb).raw(), kFalse.raw());  // contradiction, two levels
  CHECK_EQ(store.and_(~ab, ~a).raw(), (~a).raw());    // subsumption
  CHECK_EQ(store.and_(~ab, anb).raw(), anb.raw());    // subsumption, two levels
  CHECK_EQ(store.and_(~ab, ~anb).raw(), (~a).raw());  // resolution
  CHECK_EQ(store.and_(~ab, a).raw(), anb.raw());      // substitution: (ab)' a = a b'
  CHECK_EQ(store.node_count(), nodes);
  // Idempotence over two levels: (ab)(ac) = (ac)b, one node; the later operand stays.
  const Lit ac = store.and_(a, c);
  const Lit abc = store.and_(ab, ac);
  CHECK_EQ(store.node_count(), nodes + 2);
  CHECK_EQ(abc.raw(), store.and_(ac, b).raw());
}

TEST(table_agrees_with_twin) {
  dynomite::Random random(7);
  std::vector<Node> nodes = {kPortNode};
  nodes.insert(nodes.end(), 50, kPortNode);
  Strash hash;
  hash.build(nodes);
  Twin twin;
  for (int step = 0; step < 200000; ++step) {
    // Few different pairs at first, so that many are found; runs of ports in between, so that ids outgrow the
    // table.
    const std::uint32_t range = 20 + static_cast<std::uint32_t>(step) / 50;
    const Lit a = Lit::from_raw(random.below(std::min(range, 2 * static_cast<std::uint32_t>(nodes.size()))));
    const Lit b = Lit::from_raw(random.below(std::min(range, 2 * static_cast<std::uint32_t>(nodes.size()))));
    const Strash::Place place = hash.find(nodes, a, b);
    CHECK_EQ(place.node.index(), twin.find(a, b));
    if (place.node == kConstNode) {
      const NodeId id(static_cast<std::uint32_t>(nodes.size()));
      nodes.push_back({a, b});
      hash.insert(nodes, place, id);
      twin.insert(a, b, id.index());
    }
    if (step == 1000 || step == 30000) nodes.insert(nodes.end(), 300000, kPortNode);
  }
  CHECK_EQ(hash.size(), twin.size());
  CHECK(hash.memory() <= nodes.size() * 10);
}

TEST(build_takes_the_first_of_equal_nodes) {
  dynomite::Random random(3);
  std::vector<Node> nodes(12, kPortNode);
  Twin twin;
  for (int i = 0; i < 5000; ++i) {
    const Lit a = Lit::from_raw(random.below(24));
    const Lit b = Lit::from_raw(random.below(24 + static_cast<std::uint32_t>(i)));
    twin.insert(a, b, static_cast<std::uint32_t>(nodes.size()));
    nodes.push_back({a, b});
  }
  Strash hash;
  for (const std::size_t more : {std::size_t{0}, std::size_t{100000}}) {
    hash.build(nodes, more);
    CHECK_EQ(hash.size(), twin.size());
    for (const Node& node : nodes) {
      if (node.fanin0 == AigStore::kNotAnd) continue;
      CHECK_EQ(hash.find(nodes, node.fanin0, node.fanin1).node.index(), twin.find(node.fanin0, node.fanin1));
      CHECK_EQ(hash.find(nodes, node.fanin1, node.fanin0).node.index(), twin.find(node.fanin0, node.fanin1));
    }
  }
  hash.clear();
  CHECK(!hash.active());
  CHECK_EQ(hash.memory(), std::size_t{0});
}

TEST(reserve_keeps_what_is_there) {
  AigStore store;
  const Lit first = store.add_inputs(100);
  Strash hash;
  std::vector<Node> nodes(store.nodes().begin(), store.nodes().end());
  hash.build(nodes);
  for (std::uint32_t i = 0; i < 90; ++i) {
    const Node node{Lit(NodeId(first.node().index() + i + 1), false),
                    Lit(NodeId(first.node().index() + i), false)};
    const Strash::Place place = hash.find(nodes, node.fanin0, node.fanin1);
    nodes.push_back(node);
    hash.insert(nodes, place, NodeId(static_cast<std::uint32_t>(nodes.size() - 1)));
  }
  hash.reserve(nodes, 1000000);
  const std::size_t memory = hash.memory();
  CHECK(memory >= 4 * std::size_t{1000000});
  hash.reserve(nodes, 500000);
  CHECK_EQ(hash.memory(), memory);
  for (std::uint32_t i = 101; i < nodes.size(); ++i) {
    CHECK_EQ(hash.find(nodes, nodes[i].fanin0, nodes[i].fanin1).node.index(), i);
  }
}
