#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/word/architecture.hpp"
#include "dmt_dialect/native/word/word_op.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// A word as literals, bit 0 first.
using WordLits = std::span<const Lit>;

/// Builds the gates of one operator and appends the literals of its result, bit 0 first, to `result`. The one
/// place where words become gates: IR, SMT-LIB and Python all come through here.
///
///     std::vector<Lit> sum;
///     const std::array operands = {WordLits(a), WordLits(b)};
///     blast(aig, WordOp::kAdd, operands, {}, {}, stop, sum);
///
/// Checks as `result_width` does, before a node is made. Constant operands are made use of: a shift by a
/// constant is wires, a product with a constant has a row for each non-zero digit. Operands may lie in
/// `result`: it grows only when all is done. Literals must be in `aig`.
///
/// False when `stop` ended it early: `result` is as it was, nodes made stay. Cost: linear in the nodes, of
/// which a product or quotient of n bits has O(n^2), a shift O(n log n), a sum O(n) (Kogge-Stone: O(n log
/// n)).
[[nodiscard]] bool blast(AigStore& aig, WordOp op, std::span<const WordLits> operands,
                         const WordParams& params, const Architecture& architecture, dynomite::Stop& stop,
                         std::vector<Lit>& result);

/// About how many ANDs `blast` makes, from above, of a product or quotient, which grow with the square of the
/// width; 0 for other operators. For callers that refuse what is too large before a node is made.
std::uint64_t square_ands(WordOp op, std::span<const WordLits> operands);

/// Appends the literals of a constant, bit 0 first.
void append_constant(const BitVec& value, std::vector<Lit>& result);

}  // namespace dmt
