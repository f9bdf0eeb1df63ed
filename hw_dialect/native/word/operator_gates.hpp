#pragma once

#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/word/architecture.hpp"
#include "dmt_dialect/native/word/blast.hpp"
#include "dmt_dialect/native/word/word_op.hpp"
#include "hw_dialect/native/word/word_net.hpp"

namespace hw::word {

/// The operator of each row of dmt::op_rules(); those that are none are never asked for.
dmt::WordOp word_op(std::uint8_t rule);

/// The bits of a constant of the IR.
dmt::BitVec to_bit_vec(const ir::Constant& constant);

/// Builds the gates of an operator of a netlist over the literals of its operands, as `dmt::blast` does.
/// Three operands of an operator on two are taken from the left, more as a balanced tree; the table of a LUT
/// is that of the netlist. False when `stop` ended it. As linear as `dmt::blast`.
[[nodiscard]] bool blast_operator(dmt::AigStore& aig, const WordNet& net, const WordNode& node,
                                  std::span<const dmt::WordLits> operands,
                                  const dmt::Architecture& architecture, Stop& stop,
                                  std::vector<dmt::Lit>& result);

}  // namespace hw::word
