#pragma once

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/io/aiger_cursor.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::aiger {

/// Reads what follows the ANDs, up to the end of the file: the symbol table and the comments. `store` has
/// all its ports already.
void read_symbols(Cursor& cursor, AigStore& store, dynomite::Stop& stop);

}  // namespace dmt::aiger
