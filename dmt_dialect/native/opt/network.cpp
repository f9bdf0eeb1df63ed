#include "dmt_dialect/native/opt/network.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/opt/ports.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

constexpr std::uint32_t kPollStride = 4096;

void check(dynomite::Stop& stop, std::uint32_t i) {
  if (i % kPollStride == 0 && stop.poll_clock()) throw dynomite::LimitError("the pass was stopped");
}

}  // namespace

Network::Network(const AigStore& aig, dynomite::Stop& stop)
    : original_(aig), ci_count_(static_cast<std::uint32_t>(aig.inputs().size() + aig.latches().size())) {
  const std::vector<Lit> roots = root_literals(aig);
  const std::vector<bool> live = mark_cone(aig, roots);
  const std::size_t room = std::size_t{aig.node_count()} + aig.node_count() / 4 + 16;
  nodes_.reserve(room);
  const auto add_ci = [&] {
    add_node(AigStore::kNotAnd, kFalse, State::kCi);
    visited_.back() = 1;
  };
  for (std::uint32_t i = 0; i <= ci_count_; ++i) add_ci();
  std::uint32_t buckets = 64;
  while (buckets < aig.node_count()) buckets *= 2;
  table_.assign(buckets, kNone);
  filter_.assign(filter_words(buckets), 0);
  std::vector<Lit> map(aig.node_count(), kFalse);
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    check(stop, i);
    const NodeId id(i);
    if (aig.is_and(id)) {
      if (live[i]) map[i] = and_(mapped(map, aig.fanin0(id)), mapped(map, aig.fanin1(id)));
      continue;
    }
    const std::uint32_t place =
        aig.ci_index(id) + (aig.is_latch(id) ? static_cast<std::uint32_t>(aig.inputs().size()) : 0);
    map[i] = Lit(NodeId(place + 1), false);
  }
  for (const NetName& net : aig.net_names()) {
    const NodeId node = net.lit.node();
    named_.push_back(live[node.index()] || !aig.is_and(node) ? mapped(map, net.lit) : kNoLit);
  }
  for (const Lit root : roots) {
    const Lit lit = mapped(map, root);
    roots_.push_back(lit);
    ++refs_[lit.node().index()];
    ++root_refs_[lit.node().index()];
    max_level_ = std::max(max_level_, level_[lit.node().index()]);
  }
  // Folding can leave nodes that nothing needs.
  for (std::uint32_t i = size(); i-- > ci_count_ + 1;) {
    if (is_and(i) && refs_[i] == 0) drop_unused(i);
  }
  std::fill(visited_.begin() + ci_count_ + 1, visited_.end(), std::uint8_t{0});
  order_.clear();
}

AigStore Network::to_store() const {
  AigStore store;
  copy_cis(original_, store);
  store.reserve_ands(and_count_);
  std::vector<Lit> map(size(), kNoLit);
  map[0] = kFalse;
  for (std::uint32_t i = 1; i <= ci_count_; ++i) map[i] = Lit(NodeId(i), false);
  std::vector<std::uint32_t> stack;
  for (const Lit root : roots_) {
    stack.push_back(resolve(root).node().index());
    while (!stack.empty()) {
      const std::uint32_t id = stack.back();
      if (map[id] != kNoLit) {
        stack.pop_back();
        continue;
      }
      assert(is_and(id));
      const std::uint32_t a = nodes_[id].fanin0.node().index(), b = nodes_[id].fanin1.node().index();
      if (map[a] == kNoLit) stack.push_back(a);
      if (map[b] == kNoLit) stack.push_back(b);
      if (stack.back() != id) continue;
      map[id] = store.and_(mapped(map, nodes_[id].fanin0), mapped(map, nodes_[id].fanin1));
      stack.pop_back();
    }
  }
  std::size_t next = 0;
  copy_ports(original_, store, [&](Lit) { return mapped(map, resolve(roots_[next++])); });
  next = 0;
  copy_net_names(original_, store, [&](Lit) {
    const Lit lit = named_[next] == kNoLit ? kNoLit : surviving(named_[next]);
    ++next;
    return lit == kNoLit || map[lit.node().index()] == kNoLit ? AigStore::kNotAnd : mapped(map, lit);
  });
  return without_dangling(store);  // the two-level rules can leave gates unused
}

void Network::visit(std::uint32_t id) {
  if (visited_[id] != 0) return;
  const std::uint32_t a = nodes_[id].fanin0.node().index(), b = nodes_[id].fanin1.node().index();
  assert(visited_[a] != 0 && visited_[b] != 0);
  level_[id] = 1 + std::max(level_[a], level_[b]);
  visited_[id] = 1;
  order_.push_back(id);
}

std::vector<std::uint32_t> Network::required_levels() const {
  std::vector<std::uint32_t> required(size(), max_level_);
  for (std::uint32_t i = size(); i-- > ci_count_ + 1;) {
    if (!is_and(i)) continue;
    for (const Lit fanin : {nodes_[i].fanin0, nodes_[i].fanin1}) {
      std::uint32_t& bound = required[fanin.node().index()];
      bound = std::min(bound, required[i] - 1);
    }
  }
  return required;
}

Lit Network::and_(Lit a, Lit b) {
  const Lit found = find_and(a, b);
  if (found != kNoLit) {
    visit(found.node().index());
    return found;
  }
  if (size() >= AigStore::kMaxNodes) throw dynomite::LimitError("a circuit holds at most 2^31 - 2 nodes");
  if (a.raw() > b.raw()) std::swap(a, b);
  const std::uint32_t id = add_node(a, b, State::kAnd);
  visit(id);
  add_edge(id, 0, a.node().index());
  add_edge(id, 1, b.node().index());
  ++and_count_;
  if (and_count_ > table_.size()) grow_table();
  hash_insert(id);
  return Lit(NodeId(id), false);
}

void Network::replace(std::uint32_t id, Lit by) {
  assert(moves_.empty());
  hold(by.node().index());
  moves_.push_back({id, by});
  while (!moves_.empty()) {
    const Move move = moves_.back();
    moves_.pop_back();
    const Lit target = resolve(move.by);
    if (target.node() != move.by.node()) {  // replaced in the meantime: the hold moves along
      hold(target.node().index());
      release_and_kill(move.by.node().index());
    }
    if (is_and(move.id) && target.node().index() != move.id && moved_to_[move.id] == kNoLit) {
      // Nothing may be merged with a node on its way out: it need not be equal to what takes its place (see
      // note_changed).
      if (hashed_[move.id] != 0) hash_remove(move.id);
      move_fanouts(move.id, target);
      const std::uint32_t by_roots = root_refs_[move.id];
      root_refs_[move.id] = 0;
      root_refs_[target.node().index()] += by_roots;
      refs_[target.node().index()] += by_roots;
      refs_[move.id] -= by_roots;
      moved_to_[move.id] = target;
      if (refs_[move.id] == 0) kill(move.id);
    }
    release_and_kill(target.node().index());
  }
}

void Network::move_fanouts(std::uint32_t id, Lit by) {
  const std::uint32_t target = by.node().index();
  std::uint32_t edge = first_fanout_[id];
  while (edge != kNone) {
    const std::uint32_t next = edges_[edge].next;
    const std::uint32_t fanout = edge >> 1;
    const unsigned operand = edge & 1U;
    Node& node = nodes_[fanout];
    if (hashed_[fanout] != 0) hash_remove(fanout);
    remove_edge(fanout, operand, id);
    Lit& fanin = operand == 0 ? node.fanin0 : node.fanin1;
    fanin = by ^ fanin.complemented();
    add_edge(fanout, operand, target);
    const Lit found = find_and(node.fanin0, node.fanin1);
    if (found == kNoLit) {
      hash_insert(fanout);
    } else if (moved_to_[fanout] == kNoLit) {
      const std::uint32_t other = found.node().index();
      if (is_and(other) && visited_[other] == 0 && visited_[fanout] == 0 && other > fanout &&
          hashed_[other] != 0 && same_gate(other, fanout)) {
        hash_remove(other);
        hash_insert(fanout);
        hold(fanout);
        moves_.push_back({other, Lit(NodeId(fanout), false)});
      } else {
        hold(other);
        moves_.push_back({fanout, found});
      }
    }
    edge = next;
  }
}

bool Network::same_gate(std::uint32_t a, std::uint32_t b) const {
  const Node& x = nodes_[a];
  const Node& y = nodes_[b];
  return (x.fanin0 == y.fanin0 && x.fanin1 == y.fanin1) || (x.fanin0 == y.fanin1 && x.fanin1 == y.fanin0);
}

void Network::drop_unused(std::uint32_t id) {
  if (is_and(id) && refs_[id] == 0) kill(id);
}

void Network::release_and_kill(std::uint32_t id) {
  release(id);
  if (refs_[id] == 0 && is_and(id)) kill(id);
}

void Network::kill(std::uint32_t id) {
  stack_.push_back(id);
  while (!stack_.empty()) {
    const std::uint32_t dead = stack_.back();
    stack_.pop_back();
    if (hashed_[dead] != 0) hash_remove(dead);
    const std::uint32_t fanins[2] = {nodes_[dead].fanin0.node().index(), nodes_[dead].fanin1.node().index()};
    for (unsigned operand = 0; operand < 2; ++operand) {
      remove_edge(dead, operand, fanins[operand]);
      if (refs_[fanins[operand]] == 0 && is_and(fanins[operand])) stack_.push_back(fanins[operand]);
    }
    state_[dead] = State::kDead;
    --and_count_;
  }
}

std::uint32_t Network::deref_cone(std::uint32_t id, std::vector<std::uint32_t>* cone) {
  std::uint32_t count = 0;
  stack_.push_back(id);
  while (!stack_.empty()) {
    const std::uint32_t top = stack_.back();
    stack_.pop_back();
    ++count;
    if (cone != nullptr) cone->push_back(top);
    for (const Lit fanin : {nodes_[top].fanin0, nodes_[top].fanin1}) {
      const std::uint32_t below = fanin.node().index();
      if (--refs_[below] == 0 && is_and(below)) stack_.push_back(below);
    }
  }
  return count;
}

void Network::ref_cone(std::uint32_t id) {
  stack_.push_back(id);
  while (!stack_.empty()) {
    const std::uint32_t top = stack_.back();
    stack_.pop_back();
    for (const Lit fanin : {nodes_[top].fanin0, nodes_[top].fanin1}) {
      const std::uint32_t below = fanin.node().index();
      if (refs_[below]++ == 0 && is_and(below)) stack_.push_back(below);
    }
  }
}

std::uint32_t Network::add_node(Lit a, Lit b, State state) {
  nodes_.push_back({a, b});
  state_.push_back(state);
  refs_.push_back(0);
  root_refs_.push_back(0);
  level_.push_back(0);
  first_fanout_.push_back(kNone);
  edges_.resize(edges_.size() + 2);
  chain_.push_back(kNone);
  visited_.push_back(0);
  hashed_.push_back(0);
  changed_.push_back(0);
  moved_to_.push_back(kNoLit);
  return size() - 1;
}

void Network::add_edge(std::uint32_t id, unsigned operand, std::uint32_t fanin) {
  const std::uint32_t edge = 2 * id + operand;
  const std::uint32_t head = first_fanout_[fanin];
  edges_[edge] = {head, kNone};
  if (head != kNone) edges_[head].previous = edge;
  first_fanout_[fanin] = edge;
  ++refs_[fanin];
}

void Network::remove_edge(std::uint32_t id, unsigned operand, std::uint32_t fanin) {
  const Edge edge = edges_[2 * id + operand];
  if (edge.previous == kNone) {
    first_fanout_[fanin] = edge.next;
  } else {
    edges_[edge.previous].next = edge.next;
  }
  if (edge.next != kNone) edges_[edge.next].previous = edge.previous;
  --refs_[fanin];
}

Lit Network::resolve(Lit lit) const {
  while (moved_to_[lit.node().index()] != kNoLit) lit = moved_to_[lit.node().index()] ^ lit.complemented();
  return lit;
}

Lit Network::surviving(Lit lit) const {
  while (changed_[lit.node().index()] == 0) {
    const Lit next = moved_to_[lit.node().index()];
    if (next == kNoLit) return lit;
    lit = next ^ lit.complemented();
  }
  return kNoLit;
}

void Network::hash_insert(std::uint32_t id) {
  const std::uint32_t hash = bucket_hash(nodes_[id].fanin0, nodes_[id].fanin1);
  filter_[(hash >> 6) & (filter_.size() - 1)] |= std::uint64_t{1} << (hash & 63U);
  std::uint32_t& bucket = table_[hash & (static_cast<std::uint32_t>(table_.size()) - 1)];
  chain_[id] = bucket;
  bucket = id;
  hashed_[id] = 1;
}

void Network::hash_remove(std::uint32_t id) {
  std::uint32_t* link = &table_[bucket_hash(nodes_[id].fanin0, nodes_[id].fanin1) &
                                (static_cast<std::uint32_t>(table_.size()) - 1)];
  while (*link != id) link = &chain_[*link];
  *link = chain_[id];
  hashed_[id] = 0;
}

void Network::grow_table() {
  table_.assign(table_.size() * 2, kNone);
  filter_.assign(filter_words(table_.size()), 0);
  for (std::uint32_t id = ci_count_ + 1; id < size(); ++id) {
    if (hashed_[id] != 0) hash_insert(id);
  }
}

}  // namespace dmt::opt
