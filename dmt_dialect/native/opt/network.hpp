#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

/// An AIG that passes change in place: reference counts, fanout lists, hashing that follows replacements.
///
/// Node 0 is the constant, then come inputs, latches, and the ANDs that some root needs, each behind its
/// fanins; what a pass adds is appended. `replace` moves fanouts, so ids do not stay in topological order: a
/// pass visits the nodes that were there at its start in the order of their ids and calls `visit` on each. A
/// node must be replaced by functions of *visited* or new nodes only, which rules cycles out.
///
/// Of two equal nodes that are not visited the one with the lower id stays, so an order of nodes always
/// exists that is topological: the visited ones as they were visited (`order`), then the others by id. The
/// function of a node never changes, and ids are not reused; dead nodes keep their fanins, for those who
/// still know them. About 60 bytes a node.
class Network {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr Lit kNoLit = Lit::from_raw(kNone);

  /// Copies the cones of the roots of `aig`, hashed. Raises LimitError when `stop` ends it.
  Network(const AigStore& aig, dynomite::Stop& stop);

  /// The circuit as it is now: hashed by the two-level rules, only live nodes, ports and names of the
  /// original; nets keep their names as far as a literal with their function is there. Linear.
  AigStore to_store() const;
  /// Says that the function of a node has changed, which only what cannot be seen outside may do: nets that
  /// were equal to it lose their names.
  void note_changed(std::uint32_t id) { changed_[id] = 1; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint32_t and_count() const { return and_count_; }
  std::uint32_t ci_count() const { return ci_count_; }
  std::span<const Node> nodes() const { return nodes_; }
  /// An AND that is not dead.
  bool is_and(std::uint32_t id) const { return state_[id] == State::kAnd; }
  bool is_ci(std::uint32_t id) const { return id <= ci_count_; }
  Lit fanin0(std::uint32_t id) const { return nodes_[id].fanin0; }
  Lit fanin1(std::uint32_t id) const { return nodes_[id].fanin1; }
  std::uint32_t refs(std::uint32_t id) const { return refs_[id]; }
  /// Of them, those of roots: outputs, next states, properties.
  std::uint32_t root_refs(std::uint32_t id) const { return root_refs_[id]; }
  /// Levels as of the last visit; of nodes that are not visited, as of the start.
  std::uint32_t level(std::uint32_t id) const { return level_[id]; }
  bool visited(std::uint32_t id) const { return visited_[id] != 0; }
  /// The ANDs that are visited, some of them dead by now, fanins first.
  std::span<const std::uint32_t> order() const { return order_; }

  /// Brings the level of a node up to date and marks it as visited. Its fanins must be.
  void visit(std::uint32_t id);
  /// For each node of the start, the highest level that leaves the depth as it is.
  std::vector<std::uint32_t> required_levels() const;

  /// The AND of two literals of visited nodes: folded, found or new. It counts as visited; a new one has no
  /// references.
  Lit and_(Lit a, Lit b);
  /// What `and_` would give, or `kNoLit` if it would make a node.
  Lit find_and(Lit a, Lit b) const {
    if (a == b) return a;
    if (a == ~b || a == kFalse || b == kFalse) return kFalse;
    if (a == kTrue) return b;
    if (b == kTrue) return a;
    const std::uint32_t found = hash_find(a, b);
    return found == kNone ? kNoLit : Lit(NodeId(found), false);
  }
  /// Uses `by` in place of `id` everywhere; hashing may merge more nodes. What is not needed any more dies.
  void replace(std::uint32_t id, Lit by);
  /// Removes an AND without references, and what only it needed.
  void drop_unused(std::uint32_t id);

  /// Takes the references that `id` holds on its fanins away, and so on below what falls to zero: the maximum
  /// fanout-free cone. Gives its size; the nodes are appended to `cone` if given. Nodes with a `keep`
  /// reference (see `hold`) are not entered.
  std::uint32_t deref_cone(std::uint32_t id, std::vector<std::uint32_t>* cone = nullptr);
  /// Undoes it.
  void ref_cone(std::uint32_t id);
  /// Adds or takes a reference, so that a leaf of a cut does not fall to zero.
  void hold(std::uint32_t id) { ++refs_[id]; }
  void release(std::uint32_t id) { --refs_[id]; }

  /// Calls `use(fanout)` for each AND with `id` as fanin, at most once an edge, until it gives false.
  template <typename Use>
  void for_each_fanout(std::uint32_t id, Use use) const {
    for (std::uint32_t edge = first_fanout_[id]; edge != kNone; edge = edges_[edge].next) {
      if (!use(edge >> 1)) return;
    }
  }

 private:
  struct Edge {
    std::uint32_t next = kNone, previous = kNone;
  };
  enum class State : std::uint8_t { kCi, kAnd, kDead };
  struct Move {
    std::uint32_t id;
    Lit by;
  };

  std::uint32_t add_node(Lit a, Lit b, State state);
  void add_edge(std::uint32_t id, unsigned operand, std::uint32_t fanin);
  void remove_edge(std::uint32_t id, unsigned operand, std::uint32_t fanin);
  void kill(std::uint32_t id);
  void release_and_kill(std::uint32_t id);
  void move_fanouts(std::uint32_t id, Lit by);
  /// What has the function of the literal now, or `kNoLit`.
  Lit surviving(Lit lit) const;
  bool same_gate(std::uint32_t a, std::uint32_t b) const;
  Lit resolve(Lit lit) const;

  // Hash table with chains through the nodes.
  static std::uint32_t bucket_hash(Lit a, Lit b) {
    const std::uint32_t high = a.raw() > b.raw() ? a.raw() : b.raw();
    const std::uint32_t low = a.raw() ^ b.raw() ^ high;
    const std::uint64_t key = ((std::uint64_t{high} << 32) | low) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::uint32_t>((key ^ (key >> 29)) >> 16);
  }
  // Most look-ups find nothing: a bit for each of sixteen times as many hashes as there are buckets stays in
  // the cache and says so. Bits are not taken back before the table grows.
  bool may_hold(std::uint32_t hash) const {
    return ((filter_[(hash >> 6) & (filter_.size() - 1)] >> (hash & 63U)) & 1U) != 0;
  }
  static std::size_t filter_words(std::size_t buckets) { return buckets < 4 ? 1 : buckets / 4; }
  void hash_insert(std::uint32_t id);
  void hash_remove(std::uint32_t id);
  std::uint32_t hash_find(Lit a, Lit b) const {
    const std::uint32_t hash = bucket_hash(a, b);
    if (!may_hold(hash)) return kNone;
    std::uint32_t id = table_[hash & (static_cast<std::uint32_t>(table_.size()) - 1)];
    while (id != kNone) {
      const Node& node = nodes_[id];
      if ((node.fanin0 == a && node.fanin1 == b) || (node.fanin0 == b && node.fanin1 == a)) return id;
      id = chain_[id];
    }
    return kNone;
  }
  void grow_table();

  const AigStore& original_;
  std::uint32_t ci_count_;
  std::uint32_t and_count_ = 0;
  std::uint32_t max_level_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> refs_;
  std::vector<std::uint32_t> root_refs_;  // of them, by roots
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> first_fanout_;
  std::vector<Edge> edges_;  // of node n: 2n and 2n + 1
  std::vector<std::uint32_t> chain_;
  std::vector<State> state_;
  std::vector<std::uint8_t> visited_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint8_t> hashed_;
  std::vector<std::uint8_t> changed_;
  std::vector<Lit> moved_to_;  // of a replaced node; kNoLit of others
  std::vector<std::uint32_t> table_;
  std::vector<std::uint64_t> filter_;
  std::vector<Lit> roots_;
  std::vector<Lit> named_;  // of each net name of the original
  std::vector<Move> moves_;
  mutable std::vector<std::uint32_t> stack_;
};

}  // namespace dmt::opt
