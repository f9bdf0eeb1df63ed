#include "dmt_dialect/native/aig/aig_store.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dmt {

using dynomite::LimitError;
using dynomite::UsageError;

AigStore::AigStore() { nodes_.push_back({kNotAnd, kFalse}); }

NodeId AigStore::push_node(Node node) {
  if (node_count() >= kMaxNodes) throw LimitError("an AIG holds at most 2^31 - 2 nodes");
  const NodeId id(node_count());
  nodes_.push_back(node);
  return id;
}

Lit AigStore::add_input() {
  const NodeId id = push_node({kNotAnd, Lit::from_raw(static_cast<std::uint32_t>(inputs_.size()))});
  inputs_.push_back(id);
  return Lit(id, false);
}

Lit AigStore::add_inputs(std::uint32_t n) {
  if (n > kMaxNodes - node_count()) throw LimitError("an AIG holds at most 2^31 - 2 nodes");
  const NodeId first(node_count());
  nodes_.reserve(nodes_.size() + n);
  inputs_.reserve(inputs_.size() + n);
  for (std::uint32_t i = 0; i < n; ++i) add_input();
  return Lit(first, false);
}

Lit AigStore::add_latch(Reset reset) {
  const auto index = static_cast<std::uint32_t>(latches_.size());
  const NodeId id = push_node({kNotAnd, Lit::from_raw(index | kLatchBit)});
  latches_.push_back({id, kFalse, reset});
  return Lit(id, false);
}

Lit AigStore::append_and(Lit a, Lit b) {
  assert(contains(a) && contains(b));
  if (strash_.active()) strash_.clear();
  return Lit(push_node({a, b}), false);
}

Node* AigStore::append_ands_uninitialised(std::size_t n) {
  if (n > kMaxNodes - node_count()) throw LimitError("an AIG holds at most 2^31 - 2 nodes");
  if (strash_.active()) strash_.clear();
  const std::size_t first = nodes_.size();
  nodes_.resize_uninitialised(first + n);
  return nodes_.mutable_data() + first;
}

AigStore AigStore::from_nodes(dynomite::SharedArray<Node> rows) {
  if (rows.size() > kMaxNodes) throw LimitError("an AIG holds at most 2^31 - 2 nodes");
  if (rows.empty() || rows[0].fanin0 != kNotAnd) throw UsageError("row 0 must be the constant (mark first)");
  AigStore store;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Node& row = rows[i];
    const auto id = static_cast<std::uint32_t>(i);
    if (row.fanin0 != kNotAnd) {
      if (row.fanin0.node().index() < id && row.fanin1.node().index() < id) continue;
      throw UsageError("row " + std::to_string(i) + ": a fanin does not precede its node");
    }
    if ((row.fanin1.raw() & kLatchBit) != 0) {
      if ((row.fanin1.raw() & ~kLatchBit) != store.latches_.size()) {
        throw UsageError("row " + std::to_string(i) + ": latches must be numbered in order");
      }
      store.latches_.push_back({NodeId(id), kFalse, Reset::kZero});
    } else {
      if (row.fanin1.raw() != store.inputs_.size()) {
        throw UsageError("row " + std::to_string(i) + ": inputs must be numbered in order");
      }
      store.inputs_.push_back(NodeId(id));
    }
  }
  store.nodes_ = std::move(rows);
  return store;
}

void AigStore::ensure_hash() {
  if (!strash_.active()) strash_.build(nodes());
}

// Two-level rules after Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization without
// Blowup" (MEMICS 2006): each looks at the operands' fanins and never makes more than one node.
std::optional<Lit> AigStore::simplify(Lit& a, Lit& b) const {
  // Several rules may fit; one order of the operands makes the choice the same for both.
  if (a.raw() < b.raw()) std::swap(a, b);
  // A substitution gives a new pair of operands, strictly lower in the graph: the loop ends.
  for (;;) {
    if (a == b) return a;
    if (a == ~b) return kFalse;
    if (a.node() == kConstNode) return a == kTrue ? b : kFalse;
    if (b.node() == kConstNode) return b == kTrue ? a : kFalse;
    const bool and_a = is_and(a.node());
    const bool and_b = is_and(b.node());
    bool substituted = false;
    for (int turn = 0; turn < 2 && !substituted; ++turn) {
      // One side: `x` is an AND (possibly complemented), `y` anything.
      Lit& x = turn == 0 ? a : b;
      const Lit y = turn == 0 ? b : a;
      if (!(turn == 0 ? and_a : and_b)) continue;
      const Lit x0 = fanin0(x.node());
      const Lit x1 = fanin1(x.node());
      if (!x.complemented()) {
        if (x0 == ~y || x1 == ~y) return kFalse;  // contradiction: (y' z) y = 0
        if (x0 == y || x1 == y) return x;         // idempotence: (y z) y = y z
      } else {
        if (x0 == ~y || x1 == ~y) return y;  // subsumption: (y' z)' y = y
        if (x0 == y || x1 == y) {            // substitution: (y z)' y = z' y
          x = x0 == y ? ~x1 : ~x0;
          substituted = true;
        }
      }
    }
    if (substituted) continue;
    if (!and_a || !and_b) return std::nullopt;
    const Lit a0 = fanin0(a.node());
    const Lit a1 = fanin1(a.node());
    const Lit b0 = fanin0(b.node());
    const Lit b1 = fanin1(b.node());
    if (!a.complemented() && !b.complemented()) {
      if (a0 == ~b0 || a0 == ~b1 || a1 == ~b0 || a1 == ~b1) return kFalse;  // contradiction
      // idempotence: (c d)(c e) = (c d) e
      if (a0 == b0 || a1 == b0) {
        b = b1;
        continue;
      }
      if (a0 == b1 || a1 == b1) {
        b = b0;
        continue;
      }
    } else if (a.complemented() && b.complemented()) {
      // resolution: (c d)' (c d')' = c'
      if ((a0 == b0 && a1 == ~b1) || (a0 == b1 && a1 == ~b0)) return ~a0;
      if ((a1 == b1 && a0 == ~b0) || (a1 == b0 && a0 == ~b1)) return ~a1;
    } else {
      Lit& n = a.complemented() ? a : b;  // (n0 n1)'
      const Lit p = a.complemented() ? b : a;
      const Lit n0 = fanin0(n.node());
      const Lit n1 = fanin1(n.node());
      const Lit p0 = fanin0(p.node());
      const Lit p1 = fanin1(p.node());
      if (n0 == ~p0 || n0 == ~p1 || n1 == ~p0 || n1 == ~p1) return p;  // subsumption
      if (n0 == p0 || n0 == p1) {                                      // substitution
        n = ~n1;
        continue;
      }
      if (n1 == p0 || n1 == p1) {
        n = ~n0;
        continue;
      }
    }
    return std::nullopt;
  }
}

std::optional<Lit> AigStore::find_and(Lit a, Lit b) {
  assert(contains(a) && contains(b));
  ensure_hash();
  if (const auto known = simplify(a, b)) return known;
  // Larger literal first, as AIGER writes it.
  if (a.raw() < b.raw()) std::swap(a, b);
  const NodeId id = strash_.find(nodes(), a, b).node;
  if (id == kConstNode) return std::nullopt;
  return Lit(id, false);
}

Lit AigStore::and_(Lit a, Lit b) {
  assert(contains(a) && contains(b));
  ensure_hash();
  if (const auto known = simplify(a, b)) return *known;
  if (a.raw() < b.raw()) std::swap(a, b);
  const Strash::Place place = strash_.find(nodes(), a, b);
  if (place.node != kConstNode) return Lit(place.node, false);
  const NodeId id = push_node({a, b});
  strash_.insert(nodes(), place, id);
  return Lit(id, false);
}

void AigStore::reserve_ands(std::size_t n) {
  constexpr std::size_t kLeast = std::size_t{1} << 12;
  constexpr std::size_t kMost = std::size_t{1} << 22;
  if (n < kLeast) return;
  // At least in proportion to the size, so that many calls copy and hash a node a constant number of times.
  const std::size_t more = std::max(std::min(n, kMost), nodes_.size() / 2);
  if (nodes_.capacity() < nodes_.size() + std::min(n, kMost)) nodes_.reserve(nodes_.size() + more);
  if (!strash_.active()) {
    strash_.build(nodes(), more);
  } else if (!strash_.has_room_for(nodes(), std::min(n, kMost))) {
    strash_.build(nodes(), more);
  }
}

bool AigStore::and_rows(std::span<const Node> rows, Lit* results, dynomite::Stop& stop) {
  const std::uint32_t base = node_count();
  if (rows.size() > kMaxNodes - base) throw LimitError("an AIG holds at most 2^31 - 2 nodes");
  const auto count = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (rows[i].fanin0.node().index() < base + i && rows[i].fanin1.node().index() < base + i) continue;
    throw UsageError("row " + std::to_string(i) + ": a literal that no earlier row or node defines");
  }
  nodes_.reserve(nodes_.size() + count);
  if (strash_.active()) {
    strash_.reserve(nodes(), count);
  } else {
    strash_.build(nodes(), count);
  }
  // The store's literal of an operand. The caller's rows might change under our hands: no later row is ever
  // taken for an earlier one.
  const auto translate = [&](Lit operand, std::uint32_t done) {
    const std::uint32_t index = operand.node().index();
    if (index < base) return operand;
    const std::uint32_t row = index - base;
    return row < done ? results[row] ^ operand.complemented() : kFalse;
  };
  // The same ahead of time, for prefetching: a row that is yet to come will be where it will be if no row in
  // between simplifies.
  const auto guess = [&](Lit operand, std::uint32_t done) {
    const std::uint32_t index = operand.node().index();
    if (index < base + done) return translate(operand, done);
    return Lit(NodeId(node_count() + (index - base - done)), operand.complemented());
  };
  constexpr std::uint32_t kNodesAhead = 24;
  constexpr std::uint32_t kSlotsAhead = 12;
  constexpr std::uint32_t kPollMask = 0xFFFU;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i + kNodesAhead < count) {
      const Node& ahead = rows[i + kNodesAhead];
      __builtin_prefetch(nodes_.data() + guess(ahead.fanin0, i).node().index());
      __builtin_prefetch(nodes_.data() + guess(ahead.fanin1, i).node().index());
    }
    if (i + kSlotsAhead < count) {
      const Node& ahead = rows[i + kSlotsAhead];
      strash_.prefetch(guess(ahead.fanin0, i), guess(ahead.fanin1, i));
    }
    results[i] = and_(translate(rows[i].fanin0, i), translate(rows[i].fanin1, i));
    if ((i & kPollMask) == 0 && stop.poll_clock()) return false;
  }
  return true;
}

Lit AigStore::xor_(Lit a, Lit b) {
  if (a == b) return kFalse;
  if (a == ~b) return kTrue;
  if (a.node() == kConstNode) return b ^ a.complemented();
  if (b.node() == kConstNode) return a ^ b.complemented();
  // Operands made positive first, so that XOR and XNOR of the same nodes share their gates.
  const bool flip = a.complemented() != b.complemented();
  const Lit x = a.regular();
  const Lit y = b.regular();
  return and_(~and_(x, y), ~and_(~x, ~y)) ^ flip;
}

Lit AigStore::mux(Lit select, Lit then, Lit otherwise) {
  if (then == otherwise) return then;
  if (then == ~otherwise) return xor_(select, otherwise);
  return ~and_(~and_(select, then), ~and_(~select, otherwise));
}

bool AigStore::has_aiger_layout() const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].index() != i + 1) return false;
  }
  for (std::size_t i = 0; i < latches_.size(); ++i) {
    if (latches_[i].node.index() != inputs_.size() + i + 1) return false;
  }
  return true;
}

std::size_t AigStore::memory() const {
  std::size_t bytes = nodes_.memory() + strash_.memory();
  bytes += inputs_.capacity() * sizeof(NodeId) + latches_.capacity() * sizeof(Latch);
  for (const auto* lits : {&outputs_, &bad_, &constraints_, &fairness_})
    bytes += lits->capacity() * sizeof(Lit);
  for (const auto& group : justice_) bytes += sizeof(group) + group.capacity() * sizeof(Lit);
  for (const auto* table : {&names_.inputs, &names_.latches, &names_.outputs, &names_.bad,
                            &names_.constraints, &names_.justice, &names_.fairness}) {
    bytes += table->memory();
  }
  for (const auto& net : net_names_) bytes += sizeof(net) + net.name.capacity();
  for (const auto& line : comments_) bytes += sizeof(line) + line.capacity();
  return bytes;
}

}  // namespace dmt
