#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "hw_dialect/native/blif/text_buffer.hpp"
#include "hw_dialect/native/blif/written_names.hpp"

namespace hw {

/// What a writer of BLIF or .bench takes from an AIG: the node array is shared, not copied, and the store may
/// grow meanwhile.
struct WrittenCircuit {
  WrittenNames names;
  const dmt::Node* nodes;
  std::uint32_t node_count;
  std::shared_ptr<const void> owner;
  std::vector<dmt::Latch> latches;
  std::vector<dmt::Lit> outputs;

  /// As `plan_names`.
  WrittenCircuit(const dmt::AigStore& store, bool bench, bool drop_properties);
  /// Writes the name of a node; `zero` for the constant.
  void put_name(dmt::NodeId id, TextBuffer& out, std::string_view zero) const;
};

}  // namespace hw
