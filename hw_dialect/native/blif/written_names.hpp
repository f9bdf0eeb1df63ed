#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace hw {

/// The names under which the ports of an AIG are written to a format where every signal has exactly one name
/// (BLIF, .bench); see port_names.hpp for how they are read back. Holds copies, no reference to the store.
struct WrittenNames {
  std::vector<std::string> inputs, latches, outputs;
  /// By output: a node has the same name and value, so it needs no logic of its own.
  std::vector<bool> output_is_node;
  /// What internal nets are called, followed by the node's number. Starts no port's name that ends likewise.
  std::string node_prefix;
  /// ANDs with a name of their own, and their names: that of an output, or one of `AigStore::net_names`.
  std::vector<bool> has_name;
  std::unordered_map<std::uint32_t, std::string> nodes;
  const std::string* name_of(dmt::NodeId node) const {
    return has_name[node.index()] ? &nodes.find(node.index())->second : nullptr;
  }
  /// Port names that were made up or marked, as a sentence each.
  std::vector<std::string> notes;
};

/// `bench`: names escaped for .bench, in place of BLIF. Neither format can express properties: throws
/// UsageError if the store has some, unless `drop_properties`, which makes a note of it.
WrittenNames plan_names(const dmt::AigStore& store, bool bench, bool drop_properties);

}  // namespace hw
