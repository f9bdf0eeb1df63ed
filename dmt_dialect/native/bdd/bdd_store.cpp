#include "dmt_dialect/native/bdd/bdd_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include "dmt_dialect/native/bdd/reorder.hpp"

namespace dmt {

namespace {
constexpr std::uint32_t kStride = 4096;
constexpr std::size_t kFirstNodes = 2048;
/// Variables are levels, and levels are 32-bit numbers of which the last are taken.
constexpr std::uint32_t kMaxVars = 1U << 30;
}  // namespace

BddStore::BddStore(const BddLimits& limits) : limits_(limits) {
  grow_nodes();
  nodes_[0] = {kBddTrue, kBddTrue, kTerminalLevel, 1};
  set_limits(limits);
  fuel_ = kStride;
}

BddStore::~BddStore() { std::free(nodes_); }

std::uint32_t BddStore::add_vars(std::uint32_t count) {
  const std::uint32_t first = var_count();
  if (count > kMaxVars - first) throw dynomite::LimitError("too many variables");
  for (std::uint32_t i = 0; i < count; ++i) {
    level_of_.push_back(first + i);
    var_at_.push_back(first + i);
  }
  return first;
}

void BddStore::clear() {
  id_end_ = 1;
  free_ = 0;
  in_use_ = 1;
  nodes_[0].refs = 1;
  level_of_.clear();
  var_at_.clear();
  unique_.clear();
  cache_.clear();
  plan_collection();
}

void BddStore::grow_nodes() {
  const std::size_t wanted = capacity_ == 0 ? kFirstNodes : capacity_ * 2;
  void* moved = std::realloc(static_cast<void*>(nodes_), wanted * sizeof(BddNode));
  if (moved == nullptr) throw std::bad_alloc();
  advise_large_pages(moved, wanted * sizeof(BddNode));
  nodes_ = static_cast<BddNode*>(moved);
  capacity_ = wanted;
}

void BddStore::plan_event() {
  std::size_t event = std::min({capacity_, unique_.room(), soft_limit_});
  if (cache_.size() < limits_.max_cache_entries) event = std::min(event, cache_.size());
  event_at_ = event;
}

void BddStore::make_room() {
  if (in_use_ >= soft_limit_) throw Full{};
  if (in_use_ >= capacity_) grow_nodes();
  if (in_use_ >= unique_.room()) unique_.grow();
  if (in_use_ >= cache_.size() && cache_.size() < limits_.max_cache_entries) cache_.grow();
  plan_event();
}

std::uint32_t BddStore::next_serial() {
  if (++serial_ == 0) {
    cache_.clear();
    ++serial_;
  }
  return serial_;
}

void BddStore::refuel() {
  fuel_ = kStride;
  if (watch_ != nullptr && !watch_->keep_going()) throw dynomite::LimitError("the operation was stopped");
}

void BddStore::set_limits(const BddLimits& limits) {
  limits_ = limits;
  limits_.max_nodes = std::min(limits_.max_nodes, BddLimits{}.max_nodes);
  plan_collection();
}

void BddStore::plan_collection() {
  // At least as much is built as was marked, so that collecting costs no more than building.
  collect_at_ = std::max(limits_.first_collection, in_use_ * 2);
  soft_limit_ = limits_.max_nodes;
  if (reorder_at_ != 0) {
    collect_at_ = std::min(collect_at_, reorder_at_);
    // An operation that goes far beyond is broken off, and begun again in the new order.
    soft_limit_ = std::min(soft_limit_, std::max(reorder_at_, in_use_) * 2);
  }
  if (checked_interval_ != 0) collect_at_ = 0;
  plan_event();
}

void BddStore::set_checked(std::uint32_t interval) {
  checked_interval_ = interval;
  plan_collection();
}

void BddStore::set_auto_reorder(std::size_t nodes) {
  reorder_at_ = nodes;
  plan_collection();
}

void BddStore::tidy() {
  if (checked_interval_ != 0) {
    if (++checked_count_ % checked_interval_ != 0) return;
    collect();
    check();
  }
  if (in_use_ >= limits_.first_collection || (reorder_at_ != 0 && in_use_ >= reorder_at_)) collect();
  // Half of it alive is enough: else little could be built before the next collection.
  if (reorder_at_ == 0 || in_use_ < reorder_at_ / 2) return;
  sift(*this);
  reorder_at_ = std::max(reorder_at_, in_use_ * 2);
  plan_collection();
}

void BddStore::recover() {
  collect();
  // With so little room the next operations would do nothing but collect.
  if (in_use_ > limits_.max_nodes / 8 * 7) throw dynomite::LimitError(full_message());
  if (reorder_at_ != 0) {
    sift(*this);
    reorder_at_ = std::max(reorder_at_, in_use_ * 2);
    plan_collection();
    // The second try is not to fail for want of a better order.
    soft_limit_ = limits_.max_nodes;
    plan_event();
  }
}

std::string BddStore::full_message() const {
  return "the BDD limit of " + std::to_string(limits_.max_nodes) + " nodes is met";
}

std::vector<std::uint64_t> BddStore::mark() const {
  std::vector<std::uint64_t> alive(id_end_ / 64 + 1);
  alive[0] = 1;
  std::vector<std::uint32_t> stack;
  const auto visit = [&](std::uint32_t id) {
    std::uint64_t& word = alive[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    if ((word & bit) != 0) return;
    word |= bit;
    stack.push_back(id);
  };
  for (std::uint32_t root = 1; root < id_end_; ++root) {
    if (nodes_[root].refs == 0) continue;
    visit(root);
    while (!stack.empty()) {
      const BddNode& node = nodes_[stack.back()];
      stack.pop_back();
      visit(node.low.node());
      visit(node.high.node());
    }
  }
  return alive;
}

std::size_t BddStore::collect() {
  peak_ = peak_nodes();
  ++collections_;
  const std::vector<std::uint64_t> marks = mark();
  const auto alive = [&](std::uint32_t id) { return (marks[id / 64] >> (id % 64) & 1U) != 0; };
  const std::size_t before = in_use_;
  free_ = 0;
  in_use_ = id_end_;
  // From the end, so that the lowest ids are given first.
  for (std::uint32_t id = id_end_; id-- > 1;) {
    if (!alive(id)) free_id(id);
  }
  if (in_use_ != before) {
    unique_.filter(alive);
    cache_.filter(alive);
  }
  plan_collection();
  return before - in_use_;
}

void BddStore::check() const {
  const auto fail = [](std::uint32_t id, const char* what) {
    throw std::logic_error("BDD node " + std::to_string(id) + ": " + what);
  };
  std::size_t seen = 1;
  for (std::uint32_t id = 1; id < id_end_; ++id) {
    const BddNode& node = nodes_[id];
    if (node.level == kFreeLevel) continue;
    ++seen;
    if (node.level >= var_count()) fail(id, "no such level");
    if (node.high.complemented()) fail(id, "complemented then-arc");
    if (node.high == node.low) fail(id, "both arcs equal");
    for (const BddEdge arc : {node.high, node.low}) {
      if (arc.node() >= id_end_) fail(id, "an arc leads out of the store");
      if (level(arc) == kFreeLevel) fail(id, "an arc leads to a free node");
      if (level(arc) <= node.level) fail(id, "an arc does not lead down");
    }
    const std::uint32_t hash = UniqueTable::hash(node.level, node.high, node.low);
    if (unique_.find(nodes_, hash, node.level, node.high, node.low).first != id) fail(id, "not unique");
  }
  if (seen != in_use_) fail(0, "the number of nodes in use is wrong");
  for (std::uint32_t v = 0; v < var_count(); ++v) {
    if (var_at_[level_of_[v]] != v) fail(0, "order and levels disagree");
  }
}

}  // namespace dmt
