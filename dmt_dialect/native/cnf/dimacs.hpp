#pragma once

#include <string>
#include <string_view>

#include "dmt_dialect/native/cnf/cnf.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// Reads a DIMACS CNF file. Comment lines ("c ...") may stand anywhere, clauses may run over several lines
/// and share one, and may be empty. The header is believed only as far as it is true: as many clauses as it
/// says, no variable above its number. SATLIB's last lines "%" and "0" are accepted.
///
/// Throws ParseError with line and column; LimitError when `stop` ends it. Linear; memory is at most twice
/// the size of the text.
Cnf read_dimacs(std::string_view data, const std::string& name, dynomite::Stop& stop);

/// Writes a DIMACS CNF file, one clause a line. `comment` may have several lines.
void write_dimacs(const Cnf& cnf, std::string_view comment, dynomite::ByteSink& sink, dynomite::Stop& stop);

}  // namespace dmt
