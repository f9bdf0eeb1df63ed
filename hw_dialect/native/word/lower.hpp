#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/word/architecture.hpp"
#include "dmt_dialect/native/word/word_op.hpp"
#include "hw_dialect/native/word/word_net.hpp"

namespace hw::word {

struct LowerParams {
  dmt::Architecture architecture;
  std::uint64_t max_memory_bits = 1U << 16;  // of all memories: each bit becomes a latch
  std::uint64_t max_bits = 1U << 26;         // of all values, and of all outputs
  std::uint64_t max_ands = 1U << 28;
  bool net_names = false;  // keep the names of internal signals
};

/// From this AIG node on, nodes were made for this operation.
struct LoweredFrom {
  std::uint32_t first_node = 0;
  ir::InstrId instr;
};

/// What became of a netlist, beside its AIG.
struct Lowered {
  std::vector<LoweredFrom> from;
  std::vector<dmt::Lit> lits;      // of all words
  std::vector<std::size_t> first;  // by node of the netlist: its bit 0 in `lits`
};

/// Makes an AIG of a netlist. Inputs, then latches (registers, then the words of memories) come in order, bit
/// 0 first; a bit of the port a is called a[3], one of a single bit just a. Throws LimitError for what is
/// above the limits of `params`, before it is made, and when `stop` ends it.
Lowered lower(const WordNet& net, const ir::Module& module, const LowerParams& params, Stop& stop,
              dmt::AigStore& aig);

}  // namespace hw::word
