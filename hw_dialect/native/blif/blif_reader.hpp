#pragma once

#include <string>
#include <string_view>

#include "dynomite/native/base/stop.hpp"
#include "hw_dialect/native/blif/netlist.hpp"

namespace hw {

/// Reads BLIF or EBLIF text. `path` is for messages and names a model that has no `.model` line.
/// Throws ParseError with the place; what was skipped is in `Netlist::notes`. Linear.
Netlist read_blif_netlist(std::string_view data, const std::string& path, dynomite::Stop& stop);

}  // namespace hw
