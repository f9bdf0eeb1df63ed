#include <cstdint>
#include <vector>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/bdd/bdd_store.hpp"
#include "dmt_dialect/native/bdd/measure.hpp"
#include "dmt_dialect/native/bdd/op_cache.hpp"
#include "dmt_dialect/native/bdd/quantify.hpp"
#include "dmt_dialect/native/bdd/reorder.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"

using namespace dmt;

namespace {

/// The disjunction of x_i and y_i with all x before all y: large in this order.
BddHold hard(BddStore& store, std::uint32_t pairs) {
  store.add_vars(2 * pairs);
  BddHold function(store, kBddFalse);
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const BddHold term(store,
                       store.operation([&] { return bdd::and_(store, store.var(i), store.var(pairs + i)); }));
    function = BddHold(store, store.operation([&] { return bdd::or_(store, function.get(), term.get()); }));
  }
  return function;
}

}  // namespace

TEST(bdd_nodes_are_canonical) {
  BddStore store;
  store.add_vars(3);
  const BddHold a(store, store.var(0)), b(store, store.var(1));
  const BddEdge f = bdd::and_(store, a.get(), ~b.get());
  CHECK(f == ~bdd::or_(store, ~a.get(), b.get()));
  CHECK(bdd::and_(store, f, b.get()) == kBddFalse);
  CHECK(bdd::ite(store, a.get(), b.get(), kBddFalse) == bdd::and_(store, b.get(), a.get()));
  CHECK(bdd::xor_(store, a.get(), ~a.get()) == kBddTrue);
  CHECK(bdd::implies(store, f, a.get()));
  CHECK(!bdd::implies(store, a.get(), f));
  store.check();
}

TEST(bdd_garbage_goes_and_the_rest_stays) {
  BddStore store;
  const BddHold function = hard(store, 10);
  const std::size_t size = bdd::node_count(store, std::vector<BddEdge>{function.get()});
  CHECK(store.node_count() > size);
  CHECK(store.collect() > 0);
  CHECK_EQ(store.node_count(), size);
  store.check();
  CHECK_EQ(store.collect(), std::size_t{0});
}

TEST(bdd_sifting_keeps_functions) {
  BddStore store;
  const BddHold function = hard(store, 10);
  const auto before = bdd::model_count(store, function.get(), 20);
  sift(store);
  store.check();
  CHECK(before == bdd::model_count(store, function.get(), 20));
  CHECK_EQ(bdd::node_count(store, std::vector<BddEdge>{function.get()}), std::size_t{21});
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 20; i-- > 0;) order.push_back(i);
  set_order(store, order);
  store.check();
  CHECK(store.order() == order);
  CHECK(before == bdd::model_count(store, function.get(), 20));
  CHECK_THROWS(set_order(store, std::vector<std::uint32_t>(20, 1)), dynomite::UsageError);
}

TEST(bdd_reordering_may_make_diagrams_large) {
  BddStore store;
  const BddHold function = hard(store, 14);
  const auto before = bdd::model_count(store, function.get(), 28);
  const std::vector<std::uint32_t> bad = store.order();
  sift(store);
  CHECK_EQ(store.node_count(), std::size_t{29});
  set_order(store, bad);
  store.check();
  CHECK(store.node_count() > 30000);
  CHECK(before == bdd::model_count(store, function.get(), 28));
  sift(store);
  BddLimits limits;
  limits.max_nodes = 1000;
  store.set_limits(limits);
  CHECK_THROWS(set_order(store, bad), dynomite::LimitError);
  store.check();
  CHECK(before == bdd::model_count(store, function.get(), 28));
}

TEST(bdd_limit_leaves_a_good_store) {
  BddLimits limits;
  limits.max_nodes = 2000;
  BddStore store(limits);
  CHECK_THROWS(hard(store, 14), dynomite::LimitError);
  store.check();
  store.collect();
  CHECK_EQ(store.node_count(), std::size_t{1});
}

TEST(bdd_random_operations_survive_collection_and_reordering) {
  BddStore store;
  store.add_vars(12);
  dynomite::Random random(7);
  std::vector<BddHold> pool;
  for (std::uint32_t i = 0; i < 12; ++i) pool.emplace_back(store, store.var(i));
  store.set_checked(17);
  for (int step = 0; step < 3000; ++step) {
    const auto pick = [&] { return pool[random.below(static_cast<std::uint32_t>(pool.size()))].get(); };
    const BddEdge f = pick(), g = pick(), h = pick();
    const std::uint32_t vars[] = {random.below(12), random.below(12)};
    const std::uint32_t kind = random.below(40);
    if (kind == 0) sift(store);
    BddHold made(store, store.operation([&] {
      if (kind < 10) return bdd::and_(store, f, ~g);
      if (kind < 20) return bdd::xor_(store, f, g);
      if (kind < 30) return bdd::ite(store, f, g, h);
      return bdd::and_exists(store, f, g, bdd::cube(store, vars));
    }));
    std::swap(pool[random.below(static_cast<std::uint32_t>(pool.size()))], made);
    if (pool.size() < 40) pool.push_back(std::move(made));
  }
  store.check();
}

TEST(bdd_cache_keeps_entries_when_it_grows) {
  OpCache cache(4);
  cache.insert(2, 4, OpCache::kFirstTag, kBddTrue);
  cache.insert(6, 8, 10, BddEdge(7, true));
  for (int i = 0; i < 6; ++i) cache.grow();
  CHECK(cache.find(2, 4, OpCache::kFirstTag) == kBddTrue);
  CHECK(cache.find(6, 8, 10) == BddEdge(7, true));
  CHECK(cache.find(6, 8, 12) == kBddNone);
  cache.filter([](std::uint32_t id) { return id != 5; });
  CHECK(cache.find(6, 8, 10) == kBddNone);
  CHECK(cache.find(2, 4, OpCache::kFirstTag) == kBddTrue);
}
