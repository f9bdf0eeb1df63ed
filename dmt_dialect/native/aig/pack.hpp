#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// The whole AIG as bytes, exactly (numbering, duplicates, names, comments): for pickling and for sending to
/// another process. Begins with "dynoAIG" and a version byte, ends with a 64-bit checksum; numbers are
/// little-endian base 128, fanins are differences as in binary AIGER. About 2 to 3 bytes an AND.
std::string pack(const AigStore& store);

/// The AIG in `bytes`. Throws ParseError (path "<bytes>") for anything that `pack` did not write: another
/// version, cut or changed bytes, and also bytes with a right checksum that break an invariant.
AigStore unpack(std::string_view bytes);

/// The checksum at the end of packed bytes, over all before it.
std::uint64_t pack_checksum(std::string_view bytes);

}  // namespace dmt
