#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dmt_dialect/native/bdd/bdd_store.hpp"

namespace dmt {

struct SiftParams {
  /// Variables moved at most, those with most nodes first.
  std::size_t max_vars = 1000;
  /// A variable turns back when the diagrams have grown by this factor since it set out.
  double max_growth = 1.2;
  std::size_t max_swaps = 2'000'000;
};

/// Rudell's sifting (ICCAD 1993): every variable goes to the place where the diagrams are smallest. Edges
/// keep their functions. Stopped by the store's watch with a LimitError, in a good state.
void sift(BddStore& store, const SiftParams& params = {});
/// Brings the variables into an order given top first, which names each once.
void set_order(BddStore& store, std::span<const std::uint32_t> order);

/// A store taken apart for reordering: a unique table for each variable, counts of parents. Between
/// construction and `finish` nodes carry variables instead of levels, and nothing else may use the store.
class BddReorder {
 public:
  explicit BddReorder(BddStore& store);
  BddReorder(const BddReorder&) = delete;
  BddReorder& operator=(const BddReorder&) = delete;
  ~BddReorder();

  /// Exchanges the variables at `level` and the next one.
  void swap(std::uint32_t level);
  /// Moves one variable by swaps; ends early when stopped.
  void move(std::uint32_t var, std::uint32_t level);
  void sift(const SiftParams& params);
  void set_order(std::span<const std::uint32_t> order);
  bool stopped() const { return stopped_; }
  /// Stopped because the way to a given order led over too many nodes.
  bool is_full() const { return is_full_; }

 private:
  /// Nodes of one variable, chained.
  struct Table {
    std::vector<std::uint32_t> heads = std::vector<std::uint32_t>(4);
    std::uint32_t count = 0;
  };

  void finish();
  void find_interactions();
  bool interact(std::uint32_t x, std::uint32_t y) const {
    if (interactions_.empty()) return true;
    const std::size_t bit = std::size_t{x} * store_.var_count() + y;
    return (interactions_[bit / 64] >> (bit % 64) & 1U) != 0;
  }
  static std::size_t place(const Table& table, BddEdge high, BddEdge low) {
    return UniqueTable::hash(0, high, low) & (table.heads.size() - 1);
  }
  void insert(Table& table, std::uint32_t id);
  void remove(Table& table, std::uint32_t id);
  void fit(Table& table);
  void rehash(Table& table, std::size_t heads);
  /// The node of variable `x` with these branches, made where there is none.
  BddEdge find_or_add(std::uint32_t x, BddEdge high, BddEdge low);
  void add_parent(BddEdge edge) { ++parents_[edge.node()]; }
  void drop_parent(BddEdge edge, std::uint32_t y);
  void rebuild_node(std::uint32_t id, std::uint32_t x, std::uint32_t y);
  void sift_var(std::uint32_t var, const SiftParams& params);
  /// Goes on to `end` while it pays, keeping the best place.
  void explore(std::uint32_t var, std::uint32_t end, std::size_t limit, std::size_t& best,
               std::uint32_t& best_level);
  void count_work(std::size_t nodes);

  BddStore& store_;
  std::vector<Table> tables_;
  std::vector<std::uint32_t> next_, parents_, moving_;
  std::vector<std::uint64_t> interactions_;
  std::size_t work_ = 0;
  std::size_t swaps_ = 0;
  std::size_t max_nodes_ = std::numeric_limits<std::size_t>::max();
  bool stopped_ = false;
  bool is_full_ = false;
};

}  // namespace dmt
