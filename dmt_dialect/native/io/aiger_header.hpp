#pragma once

#include <cstdint>

#include "dmt_dialect/native/io/aiger_cursor.hpp"

namespace dmt::aiger {

/// The counts of the first line.
struct Header {
  bool binary = false;
  std::uint64_t max_var = 0;
  std::uint64_t inputs = 0, latches = 0, outputs = 0, ands = 0;
  std::uint64_t bad = 0, constraints = 0, justice = 0, fairness = 0;
  std::uint64_t definitions() const { return inputs + latches + ands; }
};

/// Reads and checks the header line against the format and the limits; leaves `cursor` behind it.
Header read_header(Cursor& cursor);

}  // namespace dmt::aiger
