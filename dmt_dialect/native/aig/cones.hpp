#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// A set of nodes of one store, one bit a node.
class NodeSet {
 public:
  explicit NodeSet(std::size_t node_count) : words_((node_count + 63) / 64) {}
  bool contains(NodeId id) const { return ((words_[id.index() / 64] >> (id.index() % 64)) & 1U) != 0; }
  /// True if `id` was not in the set before.
  bool insert(NodeId id) {
    std::uint64_t& word = words_[id.index() / 64];
    const std::uint64_t bit = std::uint64_t{1} << (id.index() % 64);
    const bool fresh = (word & bit) == 0;
    word |= bit;
    return fresh;
  }
  /// The nodes in topological order.
  std::vector<NodeId> sorted() const;

 private:
  std::vector<std::uint64_t> words_;
};

/// Adds the transitive fanin of `roots`, the roots and the leaves (inputs, latches, constant) included, to
/// `cone`. Latches are leaves; those that are new in the cone are appended to `latches`, if given. Linear in
/// the nodes added.
void add_fanin_cone(const AigStore& store, std::span<const Lit> roots, NodeSet& cone,
                    std::vector<NodeId>* latches = nullptr);

/// What happens to the ports in `extract_cone`.
struct ConeOptions {
  /// Latches in the cone stay latches, and what their next states need belongs to the cone. Otherwise they
  /// become inputs, behind the real ones, with their names.
  bool follow_latches = true;
  /// All inputs are kept, not only those in the cone.
  bool keep_inputs = false;
};

/// A circuit of its own whose outputs are `roots`, with nothing else than they need. Structure is copied as
/// it is. Outputs get the name of the first output with the same literal. Net names are kept; properties and
/// comments are not.
AigStore extract_cone(const AigStore& store, std::span<const Lit> roots, const ConeOptions& options);

/// Copy without the ANDs that no root (output, next state, property) needs. Ports, names, comments stay.
/// Inputs come first, then latches, then ANDs in their order.
AigStore without_dangling(const AigStore& store);

/// Copy with every AND built anew by `AigStore::and_`, then without what dangles.
AigStore rehashed(const AigStore& store);

}  // namespace dmt
