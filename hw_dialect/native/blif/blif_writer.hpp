#pragma once

#include <string>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/stop.hpp"
#include "hw_dialect/native/blif/netlist.hpp"
#include "hw_dialect/native/blif/written_circuit.hpp"

namespace hw {

/// Writes a netlist as BLIF (EBLIF if it has such lines): what is written reads back to the same netlist, up
/// to line numbers and comments. Throws LimitError when stopped, UsageError for gates of a .bench file.
void write_netlist(const Netlist& netlist, dynomite::ByteSink& sink, dynomite::Stop& stop);

/// Writes an AIG as one flat BLIF model, a `.names` for each AND. Reading gives the same function, port for
/// port with the same names. The constructor takes all it needs from the store (the node array is shared,
/// not copied), so `write` may run while the store grows. Linear; about 30 bytes an AND.
class BlifWriter {
 public:
  /// Throws UsageError if the store has properties, which BLIF cannot hold, unless `drop_properties`.
  BlifWriter(const dmt::AigStore& store, bool drop_properties);
  /// Throws LimitError when stopped, and what the sink throws.
  void write(dynomite::ByteSink& sink, dynomite::Stop& stop) const;
  /// Names that had to be made up, properties that were dropped.
  const std::vector<std::string>& notes() const { return circuit_.names.notes; }

 private:
  WrittenCircuit circuit_;
  std::string model_;
};

}  // namespace hw
