#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "dmt_dialect/native/bdd/bdd_edge.hpp"
#include "dmt_dialect/native/bdd/op_cache.hpp"
#include "dmt_dialect/native/bdd/unique_table.hpp"
#include "dmt_dialect/native/bdd/work_stack.hpp"
#include "dynomite/native/base/access.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

/// Asked now and then by long operations, about every 50 microseconds.
class BddWatch {
 public:
  BddWatch() = default;
  BddWatch(const BddWatch&) = delete;
  BddWatch& operator=(const BddWatch&) = delete;
  virtual ~BddWatch() = default;
  /// False ends the operation with a LimitError.
  virtual bool keep_going() = 0;
};

struct BddLimits {
  /// Nodes alive at a time, garbage included.
  std::size_t max_nodes = (std::size_t{1} << 30) - 256;
  std::size_t max_cache_entries = std::size_t{1} << 26;
  /// Garbage is looked for when this many nodes are in use.
  std::size_t first_collection = std::size_t{1} << 19;
};

/// Reduced ordered binary decision diagrams with complement arcs: 16 bytes a node, and 13 to 26 for finding
/// it. Ids are dense; an id is given again only after nothing refers to its node.
///
/// An edge is safe while its node is referenced (`ref`) or reached from a referenced one. Garbage is
/// collected at the start of an `operation` only, so results need no reference until the next one.
class BddStore {
 public:
  static constexpr std::uint32_t kTerminalLevel = 0xFFFFFFFFU;
  static constexpr std::uint32_t kFreeLevel = 0xFFFFFFFEU;

  explicit BddStore(const BddLimits& limits = {});
  BddStore(const BddStore&) = delete;
  BddStore& operator=(const BddStore&) = delete;
  ~BddStore();

  // Variables and their order.
  std::uint32_t var_count() const { return static_cast<std::uint32_t>(level_of_.size()); }
  /// New variables at the end of the order; returns the first.
  std::uint32_t add_vars(std::uint32_t count);
  std::uint32_t level_of(std::uint32_t var) const { return level_of_[var]; }
  std::uint32_t var_at(std::uint32_t level) const { return var_at_[level]; }
  const std::vector<std::uint32_t>& order() const { return var_at_; }

  // Nodes.
  const BddNode& node(BddEdge edge) const { return nodes_[edge.node()]; }
  const BddNode& node_at(std::uint32_t id) const { return nodes_[id]; }
  std::uint32_t level(BddEdge edge) const { return nodes_[edge.node()].level; }
  BddEdge high(BddEdge edge) const { return node(edge).high ^ edge.complemented(); }
  BddEdge low(BddEdge edge) const { return node(edge).low ^ edge.complemented(); }
  /// The variable on top of `edge`, which is no constant.
  std::uint32_t top_var(BddEdge edge) const { return var_at_[level(edge)]; }
  /// Nodes in use, garbage and the terminal included.
  std::size_t node_count() const { return in_use_; }
  /// Ids are below.
  std::uint32_t id_end() const { return id_end_; }
  std::size_t peak_nodes() const { return peak_ > in_use_ ? peak_ : in_use_; }
  std::size_t collections() const { return collections_; }
  std::size_t reorderings() const { return reorderings_; }
  std::size_t memory() const { return capacity_ * sizeof(BddNode) + unique_.memory() + cache_.memory(); }

  /// The node "variable at `level` ? high : low"; both lie below `level`.
  BddEdge make(std::uint32_t level, BddEdge high, BddEdge low) {
    if (high == low) return high;
    const bool flip = high.complemented();
    high = high ^ flip;
    low = low ^ flip;
    const std::uint32_t hash = UniqueTable::hash(level, high, low);
    auto [id, slot] = unique_.find(nodes_, hash, level, high, low);
    if (id == 0) {
      if (in_use_ >= event_at_) {
        make_room();
        slot = unique_.free_slot(hash);
      }
      id = take_id();
      nodes_[id] = {high, low, level, 0};
      unique_.put(slot, hash, id);
    }
    return {id, flip};
  }
  BddEdge var(std::uint32_t v) { return make(level_of_[v], kBddTrue, kBddFalse); }

  // References from outside.
  void ref(BddEdge edge) { ++nodes_[edge.node()].refs; }
  void deref(BddEdge edge) { --nodes_[edge.node()].refs; }

  // What operations work with.
  OpCache& cache() { return cache_; }
  WorkStack& stack() { return stack_; }
  /// To be called once a step.
  void tick() {
    if (--fuel_ == 0) refuel();
  }
  /// Number of a substitution, for keys of the cache.
  std::uint32_t next_serial();

  /// Runs one public operation: collects garbage or reorders before it where due, and once more when it ran
  /// out of nodes. Operands have to be referenced. Throws LimitError.
  template <typename Body>
  auto operation(Body&& body) {
    if (in_use_ >= collect_at_) tidy();
    try {
      return body();
    } catch (const Full&) {
      recover();
    }
    try {
      return body();
    } catch (const Full&) {
      throw dynomite::LimitError(full_message());
    }
  }

  /// Forgets all nodes and variables.
  void clear();
  /// Frees what nothing refers to; returns the number of nodes freed.
  std::size_t collect();
  const BddLimits& limits() const { return limits_; }
  void set_limits(const BddLimits& limits);
  /// Collects garbage at every `interval`-th operation and checks all invariants: for tests. 0 ends it.
  void set_checked(std::uint32_t interval);
  /// Reorder by sifting when `nodes` are in use and half of them alive, then at twice what is left; 0 turns
  /// it off.
  void set_auto_reorder(std::size_t nodes);
  std::size_t auto_reorder() const { return reorder_at_; }
  /// Throws std::logic_error naming the first broken invariant. Linear.
  void check() const;

  void set_watch(BddWatch* watch) { watch_ = watch; }
  BddWatch* watch() const { return watch_; }
  dynomite::AccessState& access() const { return access_; }

 private:
  friend class BddReorder;
  /// Thrown when an operation needs more nodes than `soft_limit_`.
  struct Full {};

  std::uint32_t take_id() {
    ++in_use_;
    const std::uint32_t id = free_;
    if (id == 0) return id_end_++;
    free_ = nodes_[id].high.raw();
    return id;
  }
  void free_id(std::uint32_t id) {
    nodes_[id] = {BddEdge::from_raw(free_), kBddTrue, kFreeLevel, 0};
    free_ = id;
    --in_use_;
  }
  void make_room();
  void grow_nodes();
  void plan_event();
  void refuel();
  void tidy();
  void recover();
  void plan_collection();
  std::string full_message() const;
  std::vector<std::uint64_t> mark() const;

  BddNode* nodes_ = nullptr;
  std::uint32_t id_end_ = 1;
  std::uint32_t free_ = 0;
  std::size_t in_use_ = 1;
  /// `make` has to make room when so many nodes are in use.
  std::size_t event_at_ = 0;
  std::size_t collect_at_ = 0;
  UniqueTable unique_;
  OpCache cache_{12};
  WorkStack stack_;
  std::uint32_t fuel_ = 1;
  std::size_t capacity_ = 0;
  std::size_t soft_limit_ = 0;
  std::size_t reorder_at_ = 0;
  std::size_t peak_ = 0;
  std::size_t collections_ = 0;
  std::size_t reorderings_ = 0;
  std::uint32_t serial_ = 0;
  std::uint32_t checked_interval_ = 0;
  std::uint32_t checked_count_ = 0;
  BddLimits limits_;
  BddWatch* watch_ = nullptr;
  std::vector<std::uint32_t> level_of_, var_at_;
  mutable dynomite::AccessState access_{"BDD manager"};
};

/// An edge that is referenced as long as this lives.
class BddHold {
 public:
  BddHold() = default;
  BddHold(BddStore& store, BddEdge edge) : store_(&store), edge_(edge) { store.ref(edge); }
  BddHold(BddHold&& other) noexcept : store_(std::exchange(other.store_, nullptr)), edge_(other.edge_) {}
  BddHold& operator=(BddHold&& other) noexcept {
    std::swap(store_, other.store_);
    std::swap(edge_, other.edge_);
    return *this;
  }
  BddHold(const BddHold&) = delete;
  BddHold& operator=(const BddHold&) = delete;
  ~BddHold() {
    if (store_ != nullptr) store_->deref(edge_);
  }
  BddEdge get() const { return edge_; }

 private:
  BddStore* store_ = nullptr;
  BddEdge edge_;
};

}  // namespace dmt
