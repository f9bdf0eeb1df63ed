#pragma once

#include <string_view>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"
#include "hw_dialect/native/blif/netlist.hpp"
#include "hw_dialect/native/blif/resolve.hpp"

namespace hw {

/// Flattens a netlist into an AIG: inputs in the order of the file, then what black boxes and undriven
/// signals add; latches of the top first, then instance by instance; AND nodes only where an output or a
/// latch depends on them. Throws ParseError for what the circuit does wrong (loops are named signal by
/// signal), LimitError when the hierarchy grows too large. `source` is the text of the file, for messages;
/// may be empty. Assumptions made are added to `notes`. Linear in the flattened netlist.
dmt::AigStore elaborate(const Netlist& netlist, const ElaborateParams& params, std::string_view source,
                        std::vector<Note>& notes, dynomite::Stop& stop);

}  // namespace hw
