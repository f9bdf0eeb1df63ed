#pragma once

#include <string>
#include <string_view>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// Reads AIGER 1.9, ASCII ("aag") or binary ("aig"), told apart by the header.
///
/// The circuit is kept as the file has it: no hashing, no folding, ports in file order, also ports that are
/// constants or repeat. Inputs become nodes 1 to I, latches follow, ANDs after them: in file order if that
/// is topological, else in the order of a depth-first walk over the file order. Unused variables of an
/// ASCII file get no node.
///
/// Stricter than the format's text where the reference library is, with these leniencies: a comment's last
/// line (or a lone `c`) need not end with a line feed, and the name block that ABC's `&w` puts behind `c`
/// is taken as the circuit's name. Refused with a reason: reset functions (a latch reset that is neither
/// 0, 1 nor the latch), other ABC extension blocks, DOS line ends, NUL in names, two symbols for one port.
///
/// Cost: linear; binary about 5 ns an AND. Memory at most 16 times the size of `data` plus 64 MiB. As
/// binary inputs take no bytes at all, a binary file may have at most 2^21 + size / 2 of them, and comments
/// at most 2^20 + size / 8 lines.
///
/// @throws ParseError with a place, and nothing is returned; LimitError when stopped.
AigStore read_aiger(std::string_view data, const std::string& name, dynomite::Stop& stop);

}  // namespace dmt
