#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dmt_dialect/native/aig/access.hpp"
#include "dmt_dialect/native/aig/lit.hpp"
#include "dmt_dialect/native/aig/name_table.hpp"
#include "dmt_dialect/native/aig/strash.hpp"
#include "dynomite/native/base/shared_array.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// Initial value of a latch. AIGER writes them 0, 1 and the latch's own literal.
enum class Reset : std::uint8_t { kZero = 0, kOne = 1, kUninitialised = 2 };

enum class NodeKind : std::uint8_t { kConst, kInput, kLatch, kAnd };

struct Latch {
  NodeId node;
  Lit next = kFalse;
  Reset reset = Reset::kZero;
};

/// One record of the store: the two fanin literals of an AND. A node that is no AND has the mark
/// `kNotAnd` as first fanin and says in the second what it is: input number, latch number or constant.
struct Node {
  Lit fanin0;
  Lit fanin1;
};
static_assert(sizeof(Node) == 8);

/// A name given to an internal literal (nets of a BLIF file...). Sorted by nothing; at most one a literal.
struct NetName {
  Lit lit;
  std::string name;
};

/// And-inverter graph with latches and the properties of AIGER 1.9: 8 bytes a node.
///
/// Invariants: node 0 is the constant; every fanin precedes its node; ids are dense and never reused, so
/// the order of ids is a topological order. `and_` simplifies and hashes; `append_and` stores what it is
/// given. The hash table (at most 10 bytes a node) is built by the first `and_` and then kept.
/// Not thread-safe for writing; const member functions may run in parallel.
class AigStore {
 public:
  /// Ids go up to 2^31 - 2, so that a literal has 32 bits and the mark stays free.
  static constexpr std::uint32_t kMaxNodes = 0x7FFFFFFEU;
  /// First fanin of every node that is no AND.
  static constexpr Lit kNotAnd = Lit::from_raw(0xFFFFFFFFU);
  /// Second fanin of a latch node: its number with this bit; of an input node: its number without.
  static constexpr std::uint32_t kLatchBit = 0x80000000U;

  AigStore();

  // Nodes.
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint32_t and_count() const {
    return node_count() - 1 - static_cast<std::uint32_t>(inputs_.size() + latches_.size());
  }
  bool contains(Lit lit) const { return lit.node().index() < node_count(); }
  bool is_and(NodeId id) const { return nodes_[id.index()].fanin0 != kNotAnd; }
  bool is_const(NodeId id) const { return id == kConstNode; }
  bool is_input(NodeId id) const { return !is_and(id) && id != kConstNode && !is_latch_mark(id); }
  bool is_latch(NodeId id) const { return !is_and(id) && id != kConstNode && is_latch_mark(id); }
  NodeKind kind(NodeId id) const {
    if (is_and(id)) return NodeKind::kAnd;
    if (id == kConstNode) return NodeKind::kConst;
    return is_latch_mark(id) ? NodeKind::kLatch : NodeKind::kInput;
  }
  /// Fanins of an AND; meaningless for other nodes.
  Lit fanin0(NodeId id) const { return nodes_[id.index()].fanin0; }
  Lit fanin1(NodeId id) const { return nodes_[id.index()].fanin1; }
  /// Position of an input node in `inputs()`, of a latch node in `latches()`.
  std::uint32_t ci_index(NodeId id) const { return nodes_[id.index()].fanin1.raw() & ~kLatchBit; }
  std::span<const Node> nodes() const { return {nodes_.data(), nodes_.size()}; }
  const dynomite::SharedArray<Node>& node_array() const { return nodes_; }

  // Construction.
  Lit add_input();
  /// `n` inputs at once; returns the first, the others follow by id.
  Lit add_inputs(std::uint32_t n);
  Lit add_latch(Reset reset = Reset::kZero);
  void set_next(std::uint32_t latch, Lit next) { latches_[latch].next = next; }
  void set_reset(std::uint32_t latch, Reset reset) { latches_[latch].reset = reset; }
  /// AND with constant folding, two-level simplification and structural hashing. Constant expected time.
  Lit and_(Lit a, Lit b);
  Lit or_(Lit a, Lit b) { return ~and_(~a, ~b); }
  Lit xor_(Lit a, Lit b);
  /// `select ? then : otherwise`.
  Lit mux(Lit select, Lit then, Lit otherwise);
  /// `and_` of many rows, fast: row i holds two literals, of which those of nodes below the node count at the
  /// time of the call (N) mean these nodes, and those of node N + j, j < i, mean the result of row j.
  /// `results[i]` is the literal of row i. Throws UsageError naming the first row with another literal,
  /// before anything is added. False when `stop` ended it early; `results` is then undefined, nodes made
  /// stay.
  bool and_rows(std::span<const Node> rows, Lit* results, dynomite::Stop& stop);
  /// The literal `and_` would return, without making a node; nothing if a node would be needed.
  std::optional<Lit> find_and(Lit a, Lit b);
  /// Stores the AND as given: no folding, no hashing. Fanins must be in the store.
  Lit append_and(Lit a, Lit b);
  /// Room for `n` more ANDs made by `and_`, the hash table included. A hint: few are ignored, many capped.
  void reserve_ands(std::size_t n);
  /// Room for `n` nodes in all.
  void reserve(std::size_t n) { nodes_.reserve(n); }
  /// Room for the records of `n` latches in all.
  void reserve_latches(std::size_t n) { latches_.reserve(n); }
  /// Appends `n` records to be filled by a reader with valid fanins; returns the first.
  /// Drops the hash table, as `append_and` does. The records are uninitialised until written.
  Node* append_ands_uninitialised(std::size_t n);
  /// Bulk construction: takes a whole node array over without a copy (`SharedArray::adopt` for numpy memory).
  /// Row 0 and the rows of inputs and latches have the mark as first literal, as `nodes()` shows them.
  /// Throws UsageError naming the first row that breaks an invariant. Linear, about 1 ns a node.
  static AigStore from_nodes(dynomite::SharedArray<Node> rows);

  // Ports and properties. All vectors keep the order of the file.
  const std::vector<NodeId>& inputs() const { return inputs_; }
  const std::vector<Latch>& latches() const { return latches_; }
  std::vector<Lit>& outputs() { return outputs_; }
  const std::vector<Lit>& outputs() const { return outputs_; }
  std::vector<Lit>& bad() { return bad_; }
  const std::vector<Lit>& bad() const { return bad_; }
  std::vector<Lit>& constraints() { return constraints_; }
  const std::vector<Lit>& constraints() const { return constraints_; }
  std::vector<std::vector<Lit>>& justice() { return justice_; }
  const std::vector<std::vector<Lit>>& justice() const { return justice_; }
  std::vector<Lit>& fairness() { return fairness_; }
  const std::vector<Lit>& fairness() const { return fairness_; }

  /// Names of one section.
  struct Names {
    NameTable inputs, latches, outputs, bad, constraints, justice, fairness;
  };
  Names& names() { return names_; }
  const Names& names() const { return names_; }
  std::vector<NetName>& net_names() { return net_names_; }
  const std::vector<NetName>& net_names() const { return net_names_; }
  /// Comment lines without their line ends, as in the AIGER comment section.
  std::vector<std::string>& comments() { return comments_; }
  const std::vector<std::string>& comments() const { return comments_; }
  std::string& name() { return name_; }
  const std::string& name() const { return name_; }

  /// True when the inputs are nodes 1..I and the latches follow them: the layout of binary AIGER.
  bool has_aiger_layout() const;
  /// Who uses the store from threads without the GIL; see access.hpp.
  AccessState& access() const { return access_; }
  /// Bytes held: nodes, hash table, ports, names.
  std::size_t memory() const;
  std::size_t hash_memory() const { return strash_.memory(); }
  void drop_hash() { strash_.clear(); }

 private:
  bool is_latch_mark(NodeId id) const { return (nodes_[id.index()].fanin1.raw() & kLatchBit) != 0; }
  NodeId push_node(Node node);
  void ensure_hash();
  /// The result without a new node if a rule or the hash table gives one; may replace the operands by an
  /// equivalent simpler pair.
  std::optional<Lit> simplify(Lit& a, Lit& b) const;

  dynomite::SharedArray<Node> nodes_;
  Strash strash_;
  std::vector<NodeId> inputs_;
  std::vector<Latch> latches_;
  std::vector<Lit> outputs_, bad_, constraints_, fairness_;
  std::vector<std::vector<Lit>> justice_;
  Names names_;
  std::vector<NetName> net_names_;
  std::vector<std::string> comments_;
  std::string name_;
  mutable AccessState access_{"AIG"};
};

inline bool Strash::matches(std::span<const Node> nodes, std::uint32_t index, Lit fanin0, Lit fanin1) {
  const Node& node = nodes[index];
  return (node.fanin0 == fanin0 && node.fanin1 == fanin1) || (node.fanin0 == fanin1 && node.fanin1 == fanin0);
}

}  // namespace dmt
