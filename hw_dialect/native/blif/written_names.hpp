#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace hw {

/// The names under which the ports of an AIG are written to a format where every signal has exactly one name
/// (BLIF, .bench); see port_names.hpp for how they are read back. Holds copies, no reference to the store.
struct WrittenNames {
  std::vector<std::string> inputs, latches, outputs;
  /// By output: it is the input or latch of the same name, and needs no logic of its own.
  std::vector<bool> output_is_source;
  /// What internal nets are called, followed by the node's number. Starts no port's name that ends likewise.
  std::string node_prefix;
  /// By node: its name from `AigStore::net_names`, or empty. Has no elements if there are none.
  std::vector<std::string> nodes;
  /// Port names that were made up or marked, as a sentence each.
  std::vector<std::string> notes;
};

/// `bench`: escapes for .bench.
WrittenNames plan_names(const dmt::AigStore& store, bool bench);

/// The properties that neither BLIF nor .bench can express ("2 bad, 1 fairness"), or an empty string.
std::string list_properties(const dmt::AigStore& store);

}  // namespace hw
