#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// Writes one circuit as AIGER 1.9. What is written reads back to the same circuit: ports, properties,
/// resets, names, comments and every AND, dangling or trivial ones too. A store whose inputs and latches do
/// not come first is renumbered, otherwise variables are node ids. Binary puts the larger fanin first, as
/// the format demands; ASCII keeps the fanins as they are. The names of nets and of the circuit have no
/// place in the format.
///
/// The constructor takes all it needs from the store (the node array is shared, not copied), so `write`
/// may run while the store grows. Cost: linear; binary about 5 ns an AND.
class AigerWriter {
 public:
  /// @throws UsageError if a name or a comment line has a character that the format cannot hold.
  AigerWriter(const AigStore& store, bool binary);
  /// @throws LimitError when stopped, and what the sink throws.
  void write(dynomite::ByteSink& sink, dynomite::Stop& stop) const;

 private:
  std::uint32_t var(NodeId id) const { return vars_.empty() ? id.index() : vars_[id.index()]; }
  std::uint32_t raw(Lit lit) const {
    return (var(lit.node()) << 1) | static_cast<std::uint32_t>(lit.complemented());
  }
  void number_nodes(const AigStore& store);
  void put_head(const AigStore& store);
  void put_tail(const AigStore& store);
  void put_names(const NameTable& names, std::size_t ports, char kind);
  void write_binary_ands(dynomite::ByteSink& sink, dynomite::Stop& stop) const;
  void write_ascii_ands(dynomite::ByteSink& sink, dynomite::Stop& stop) const;

  bool binary_;
  const Node* nodes_;
  std::uint32_t node_count_;
  std::uint32_t first_var_;  // of the ANDs
  std::shared_ptr<const void> owner_;
  std::vector<std::uint32_t> vars_;  // of nodes; empty if the same
  std::string head_, tail_;
};

}  // namespace dmt
