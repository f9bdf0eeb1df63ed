#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

struct Statistics {
  std::uint64_t instrs = 0;    // live, in blocks or not
  std::uint64_t detached = 0;  // in no block
  std::uint64_t values = 0;
  std::uint64_t unused_values = 0;
  std::uint64_t operands = 0;
  std::uint64_t blocks = 0;
  std::uint64_t regions = 0;
  std::uint64_t symbols = 0;
  std::uint32_t nesting = 0;  // regions around the innermost instruction
  std::uint32_t depth = 0;    // instructions on the longest path of operands
  std::size_t bytes = 0;
  std::map<std::uint32_t, std::uint64_t> by_opcode;  // raw opcode, live instructions
};

/// Counts. Linear, without recursion.
Statistics statistics(const Module& module);

}  // namespace dynomite::ir
