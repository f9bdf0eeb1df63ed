#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/word/bit_vec.hpp"
#include "hw_dialect/native/word/word_net.hpp"

namespace hw::word {

/// Evaluates a netlist word by word, clock cycle by clock cycle, without making gates: the model that the AIG
/// is tested against. State without an initial value starts at 0. Linear in the netlist a cycle.
class WordSimulator {
 public:
  /// `net` must outlive this.
  explicit WordSimulator(const WordNet& net);

  /// Computes everything for these inputs, in the order of the ports. Throws UsageError for wrong widths.
  void evaluate(std::vector<dmt::BitVec> inputs, Stop& stop);
  /// The value of a row of bits after `evaluate`.
  dmt::BitVec value(const Bits& bits) const;
  /// The clock edge, after `evaluate`.
  void step();

  const std::vector<dmt::BitVec>& registers() const { return registers_; }

 private:
  const dmt::BitVec* operand(const Bits& bits, dmt::BitVec& to) const;
  dmt::BitVec compute(const WordNode& node) const;

  const WordNet& net_;
  std::vector<dmt::BitVec> values_;  // by node
  std::vector<dmt::BitVec> registers_;
  std::vector<std::vector<dmt::BitVec>> memories_;
};

}  // namespace hw::word
