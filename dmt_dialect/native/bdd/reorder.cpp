#include "dmt_dialect/native/bdd/reorder.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace dmt {

namespace {
/// Beyond, the matrix of interactions would be larger than what it saves.
constexpr std::uint32_t kMaxMatrixVars = 1U << 14;
/// Visits of nodes allowed for finding interactions.
constexpr std::size_t kMaxVisits = 20'000'000;
constexpr std::size_t kWorkStride = 8192;
}  // namespace

BddReorder::BddReorder(BddStore& store) : store_(store) {
  store_.collect();
  tables_.resize(store_.var_count());
  next_.resize(store_.capacity_);
  parents_.resize(store_.capacity_);
  find_interactions();
  for (std::uint32_t id = 1; id < store_.id_end_; ++id) {
    BddNode& node = store_.nodes_[id];
    if (node.level == BddStore::kFreeLevel) continue;
    node.level = store_.var_at_[node.level];
    insert(tables_[node.level], id);
    fit(tables_[node.level]);
    add_parent(node.high);
    add_parent(node.low);
    if (node.refs != 0) ++parents_[id];
  }
}

BddReorder::~BddReorder() { finish(); }

void BddReorder::finish() {
  store_.unique_.clear();
  while (store_.in_use_ >= store_.unique_.room()) store_.unique_.grow();
  store_.cache_.clear();
  for (std::uint32_t id = 1; id < store_.id_end_; ++id) {
    BddNode& node = store_.nodes_[id];
    if (node.level == BddStore::kFreeLevel) continue;
    node.level = store_.level_of_[node.level];
    store_.unique_.add(UniqueTable::hash(node.level, node.high, node.low), id);
  }
  ++store_.reorderings_;
  store_.plan_collection();
}

/// Variables interact when some function depends on both; others pass each other without work.
void BddReorder::find_interactions() {
  const std::uint32_t vars = store_.var_count();
  if (vars > kMaxMatrixVars) return;
  std::vector<std::uint8_t> has_parent(store_.id_end_);
  for (std::uint32_t id = 1; id < store_.id_end_; ++id) {
    const BddNode& node = store_.nodes_[id];
    if (node.level == BddStore::kFreeLevel) continue;
    has_parent[node.high.node()] = has_parent[node.low.node()] = 1;
  }
  std::vector<std::uint64_t> matrix(std::size_t{vars} * vars / 64 + 1);
  std::vector<std::uint32_t> seen(store_.id_end_), stack, support;
  std::vector<std::uint8_t> in_support(vars);
  std::size_t visits = 0;
  for (std::uint32_t root = 1; root < store_.id_end_; ++root) {
    if (store_.nodes_[root].level == BddStore::kFreeLevel || has_parent[root] != 0) continue;
    support.clear();
    const auto visit = [&](std::uint32_t id) {
      if (id == 0 || seen[id] == root) return;
      seen[id] = root;
      stack.push_back(id);
      const std::uint32_t var = store_.var_at_[store_.nodes_[id].level];
      if (in_support[var] != 0) return;
      in_support[var] = 1;
      support.push_back(var);
    };
    visit(root);
    while (!stack.empty()) {
      const BddNode& node = store_.nodes_[stack.back()];
      stack.pop_back();
      visit(node.high.node());
      visit(node.low.node());
      ++visits;
    }
    visits += support.size() * support.size() / 16;
    if (visits > kMaxVisits) return;
    for (const std::uint32_t x : support) {
      in_support[x] = 0;
      for (const std::uint32_t y : support) {
        const std::size_t bit = std::size_t{x} * vars + y;
        matrix[bit / 64] |= std::uint64_t{1} << (bit % 64);
      }
    }
  }
  interactions_ = std::move(matrix);
}

void BddReorder::insert(Table& table, std::uint32_t id) {
  const BddNode& node = store_.nodes_[id];
  std::uint32_t& head = table.heads[place(table, node.high, node.low)];
  next_[id] = head;
  head = id;
  ++table.count;
}

void BddReorder::remove(Table& table, std::uint32_t id) {
  const BddNode& node = store_.nodes_[id];
  std::uint32_t* link = &table.heads[place(table, node.high, node.low)];
  while (*link != id) link = &next_[*link];
  *link = next_[id];
  --table.count;
}

void BddReorder::fit(Table& table) {
  const std::size_t heads = table.heads.size();
  if (table.count <= heads && (table.count * std::size_t{8} >= heads || heads <= 4)) return;
  rehash(table, table.count * std::size_t{2});
}

void BddReorder::rehash(Table& table, std::size_t heads) {
  std::vector<std::uint32_t> old(std::bit_ceil(std::max<std::size_t>(heads, 4)));
  old.swap(table.heads);
  table.count = 0;
  for (std::uint32_t id : old) {
    while (id != 0) {
      const std::uint32_t following = next_[id];
      insert(table, id);
      id = following;
    }
  }
}

BddEdge BddReorder::find_or_add(std::uint32_t x, BddEdge high, BddEdge low) {
  if (high == low) return high;
  const bool flip = high.complemented();
  high = high ^ flip;
  low = low ^ flip;
  Table& table = tables_[x];
  for (std::uint32_t id = table.heads[place(table, high, low)]; id != 0; id = next_[id]) {
    if (store_.nodes_[id].high == high && store_.nodes_[id].low == low) return {id, flip};
  }
  const std::uint32_t id = store_.take_id();
  store_.nodes_[id] = {high, low, x, 0};
  parents_[id] = 0;
  add_parent(high);
  add_parent(low);
  insert(table, id);
  return {id, flip};
}

/// A node of `y` that lost its last parent is freed; its branches live on below the new nodes.
void BddReorder::drop_parent(BddEdge edge, std::uint32_t y) {
  const std::uint32_t id = edge.node();
  if (--parents_[id] != 0 || id == 0 || store_.nodes_[id].level != y) return;
  remove(tables_[y], id);
  --parents_[store_.nodes_[id].high.node()];
  --parents_[store_.nodes_[id].low.node()];
  store_.free_id(id);
}

/// Turns x ? (y ? a : b) : (y ? c : d) into y ? (x ? a : c) : (x ? b : d), under the same id.
void BddReorder::rebuild_node(std::uint32_t id, std::uint32_t x, std::uint32_t y) {
  const BddEdge high = store_.nodes_[id].high;
  const BddEdge low = store_.nodes_[id].low;
  const auto branches = [&](BddEdge edge) {
    const BddNode& node = store_.node(edge);
    if (node.level != y) return std::pair{edge, edge};
    return std::pair{node.high ^ edge.complemented(), node.low ^ edge.complemented()};
  };
  const auto [a, b] = branches(high);
  const auto [c, d] = branches(low);
  const BddEdge new_high = find_or_add(x, a, c);
  const BddEdge new_low = find_or_add(x, b, d);
  add_parent(new_high);
  add_parent(new_low);
  store_.nodes_[id].high = new_high;
  store_.nodes_[id].low = new_low;
  store_.nodes_[id].level = y;
  drop_parent(high, y);
  drop_parent(low, y);
}

void BddReorder::swap(std::uint32_t level) {
  const std::uint32_t x = store_.var_at_[level];
  const std::uint32_t y = store_.var_at_[level + 1];
  std::swap(store_.var_at_[level], store_.var_at_[level + 1]);
  std::swap(store_.level_of_[x], store_.level_of_[y]);
  ++swaps_;
  count_work(1);
  if (store_.in_use_ > max_nodes_) stopped_ = is_full_ = true;
  if (!interact(x, y)) return;
  Table& table = tables_[x];
  // Room first: what follows must not fail half-way.
  while (store_.in_use_ + 2 * std::size_t{table.count} > store_.capacity_) store_.grow_nodes();
  if (next_.size() < store_.capacity_) {
    next_.resize(store_.capacity_);
    parents_.resize(store_.capacity_);
  }
  moving_.clear();
  moving_.reserve(table.count);
  count_work(table.count);
  for (std::uint32_t& head : table.heads) {
    std::uint32_t* link = &head;
    while (*link != 0) {
      const std::uint32_t id = *link;
      const BddNode& node = store_.nodes_[id];
      if (store_.node(node.high).level != y && store_.node(node.low).level != y) {
        link = &next_[id];
        continue;
      }
      *link = next_[id];
      --table.count;
      moving_.push_back(id);
    }
  }
  const std::size_t expected = table.count + moving_.size();
  if (expected > 2 * table.heads.size()) rehash(table, expected);
  for (const std::uint32_t id : moving_) rebuild_node(id, x, y);
  for (const std::uint32_t id : moving_) insert(tables_[y], id);
  fit(tables_[x]);
  fit(tables_[y]);
}

void BddReorder::count_work(std::size_t nodes) {
  work_ += nodes;
  if (work_ < kWorkStride) return;
  work_ = 0;
  if (store_.watch_ != nullptr && !store_.watch_->keep_going()) stopped_ = true;
}

void BddReorder::move(std::uint32_t var, std::uint32_t level) {
  while (!stopped_ && store_.level_of_[var] > level) swap(store_.level_of_[var] - 1);
  while (!stopped_ && store_.level_of_[var] < level) swap(store_.level_of_[var]);
}

void BddReorder::explore(std::uint32_t var, std::uint32_t end, std::size_t limit, std::size_t& best,
                         std::uint32_t& best_level) {
  while (!stopped_ && store_.level_of_[var] != end && store_.in_use_ <= limit) {
    const std::uint32_t level = store_.level_of_[var];
    swap(end < level ? level - 1 : level);
    if (store_.in_use_ < best) {
      best = store_.in_use_;
      best_level = store_.level_of_[var];
    }
  }
}

void BddReorder::sift_var(std::uint32_t var, const SiftParams& params) {
  const std::uint32_t last = store_.var_count() - 1;
  const std::uint32_t start = store_.level_of_[var];
  std::size_t best = store_.in_use_;
  std::uint32_t best_level = start;
  const auto limit = static_cast<std::size_t>(static_cast<double>(best) * params.max_growth);
  // The nearer end first: the way back costs as much again.
  const bool down_first = last - start < start;
  explore(var, down_first ? last : 0, limit, best, best_level);
  move(var, start);
  explore(var, down_first ? 0 : last, limit, best, best_level);
  move(var, best_level);
}

void BddReorder::sift(const SiftParams& params) {
  std::vector<std::uint32_t> vars;
  for (std::uint32_t var = 0; var < store_.var_count(); ++var) {
    if (tables_[var].count != 0) vars.push_back(var);
  }
  std::stable_sort(vars.begin(), vars.end(),
                   [&](std::uint32_t x, std::uint32_t y) { return tables_[x].count > tables_[y].count; });
  if (vars.size() > params.max_vars) vars.resize(params.max_vars);
  for (const std::uint32_t var : vars) {
    if (stopped_ || swaps_ > params.max_swaps) break;
    sift_var(var, params);
  }
}

void BddReorder::set_order(std::span<const std::uint32_t> order) {
  max_nodes_ = store_.limits_.max_nodes;
  for (std::uint32_t level = 0; level < order.size() && !stopped_; ++level) move(order[level], level);
}

namespace {
template <typename Body>
void reorder(BddStore& store, Body body) {
  bool stopped = false;
  bool full = false;
  {
    BddReorder work(store);
    body(work);
    stopped = work.stopped();
    full = work.is_full();
  }
  if (full) throw dynomite::LimitError("the BDD limit of nodes is met on the way to the order");
  if (stopped) throw dynomite::LimitError("reordering was stopped");
}
}  // namespace

void sift(BddStore& store, const SiftParams& params) {
  if (store.var_count() < 2) return;
  reorder(store, [&](BddReorder& work) { work.sift(params); });
}

void set_order(BddStore& store, std::span<const std::uint32_t> order) {
  std::vector<std::uint8_t> seen(store.var_count());
  for (const std::uint32_t var : order) {
    if (var >= seen.size() || seen[var] != 0) {
      throw dynomite::UsageError("an order names every variable once; variable " + std::to_string(var) +
                                 (var < seen.size() ? " comes twice" : " does not exist"));
    }
    seen[var] = 1;
  }
  if (order.size() != seen.size()) throw dynomite::UsageError("an order names every variable once");
  reorder(store, [&](BddReorder& work) { work.set_order(order); });
}

}  // namespace dmt
