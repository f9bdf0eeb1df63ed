#pragma once

#include <string>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/stop.hpp"
#include "hw_dialect/native/blif/written_circuit.hpp"

namespace hw {

/// Writes an AIG as an ISCAS .bench file: AND, NOT, BUFF, DFF (uninitialised), DFF0, DFF1, gnd and vdd. The
/// constructor takes all it needs from the store, so `write` may run while the store grows. Linear.
class BenchWriter {
 public:
  /// Throws UsageError if the store has properties, which the format cannot hold, unless `drop_properties`.
  BenchWriter(const dmt::AigStore& store, bool drop_properties);
  /// Throws LimitError when stopped, and what the sink throws.
  void write(dynomite::ByteSink& sink, dynomite::Stop& stop) const;
  /// Names that had to be made up, properties that were dropped.
  const std::vector<std::string>& notes() const { return circuit_.names.notes; }

 private:
  WrittenCircuit circuit_;
  std::string title_;
};

}  // namespace hw
