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

/// `bench`: escapes for .bench.
WrittenNames plan_names(const dmt::AigStore& store, bool bench);

/// The properties that neither BLIF nor .bench can express ("2 bad, 1 fairness"), or an empty string.
std::string list_properties(const dmt::AigStore& store);

}  // namespace hw
