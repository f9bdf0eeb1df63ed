#pragma once

#include <string>
#include <vector>

#include "dmt_dialect/native/map/lut_network.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/stop.hpp"
#include "hw_dialect/native/blif/written_names.hpp"

namespace hw {

/// Writes a network of LUTs as one flat BLIF model, a `.names` for each LUT, its cover irredundant. Names are
/// those of `BlifWriter`. Reads the network until `write` has ended. Linear.
class LutWriter {
 public:
  /// Throws UsageError if the network has properties, which BLIF cannot hold, unless `drop_properties`.
  LutWriter(const dmt::LutNetwork& network, bool drop_properties);
  /// Throws LimitError when stopped, and what the sink throws.
  void write(dynomite::ByteSink& sink, dynomite::Stop& stop) const;
  /// Names that had to be made up, properties that were dropped.
  const std::vector<std::string>& notes() const { return names_.notes; }

 private:
  const dmt::LutNetwork& network_;
  WrittenNames names_;
};

}  // namespace hw
