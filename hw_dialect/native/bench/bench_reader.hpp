#pragma once

#include <string>
#include <string_view>

#include "dynomite/native/base/stop.hpp"
#include "hw_dialect/native/blif/netlist.hpp"

namespace hw {

/// Reads an ISCAS .bench file into a netlist of one model whose gates are `CellKind::kFunction`; elaborate it
/// as any netlist. Keywords in any case, lines in any order. Gates: AND NAND OR NOR XOR XNOR NOT (INV) BUFF
/// (BUF) MUX (select, if 0, if 1) DFF, constants gnd and vdd, and ABC's `LUT 0xHEX (...)`, `DFF0`, `DFF1`,
/// `DFFRSE` with its set, reset and enable at gnd. A DFF starts uninitialised, DFF0 at 0, DFF1 at 1.
/// Throws ParseError with the place. Linear.
Netlist read_bench_netlist(std::string_view data, const std::string& path, dynomite::Stop& stop);

}  // namespace hw
