#include "hw_dialect/native/word/operator_gates.hpp"

#include <array>

namespace hw::word {

using dmt::Lit;
using dmt::WordLits;

dmt::WordOp word_op(std::uint8_t rule) {
  static const std::vector<dmt::WordOp> ops = [] {
    std::vector<dmt::WordOp> found;
    for (const dmt::OpRule& row : dmt::op_rules()) {
      found.push_back(dmt::find_word_op(row.name).value_or(dmt::WordOp::kAdd));
    }
    return found;
  }();
  return ops[rule];
}

dmt::BitVec to_bit_vec(const ir::Constant& constant) {
  return dmt::BitVec::from_limbs(constant.width, constant.words);
}

bool blast_operator(dmt::AigStore& aig, const WordNet& net, const WordNode& node,
                    std::span<const WordLits> operands, const dmt::Architecture& architecture, Stop& stop,
                    std::vector<Lit>& result) {
  const dmt::WordOp op = word_op(node.rule);
  const auto blast = [&](std::span<const WordLits> words, std::vector<Lit>& to) {
    return dmt::blast(aig, op, words, {}, architecture, stop, to);
  };
  if (op == dmt::WordOp::kLut) {
    const Segment& segment = net.segments[net.operands[node.first_operand + 1].first];
    const dmt::BitVec table = to_bit_vec(net.constants[net.nodes[segment.node].index]);
    dmt::WordParams params;
    params.table = &table;
    return dmt::blast(aig, op, operands.first(1), params, architecture, stop, result);
  }
  if (operands.size() < 3 || op == dmt::WordOp::kMux) return blast(operands, result);
  if (operands.size() == 3) {
    std::vector<Lit> both;
    return blast(operands.first(2), both) && blast(std::array{WordLits(both), operands[2]}, result);
  }
  std::vector<std::vector<Lit>> row;
  for (const WordLits word : operands) row.emplace_back(word.begin(), word.end());
  while (row.size() > 1) {
    std::vector<std::vector<Lit>> next((row.size() + 1) / 2);
    for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
      if (!blast(std::array{WordLits(row[i]), WordLits(row[i + 1])}, next[i / 2])) return false;
    }
    if (row.size() % 2 != 0) next.back() = std::move(row.back());
    row = std::move(next);
  }
  result.insert(result.end(), row.front().begin(), row.front().end());
  return true;
}

}  // namespace hw::word
