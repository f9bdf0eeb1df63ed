#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/opt/network.hpp"
#include "dmt_dialect/native/opt/npn_classes.hpp"

namespace dmt::opt {

/// A cut of up to four leaves, in increasing order, and the function of the node over them. The table does
/// not depend on variables from `size` on.
struct Cut4 {
  std::array<std::uint32_t, 4> leaves;
  std::uint32_t signature;  // bit (leaf mod 32) of each leaf
  Table4 table;
  std::uint8_t size;
};

/// Cuts of the nodes of a network, found from the fanins' cuts (Cong, Wu, Ding, FPGA'99; Mishchenko,
/// Chatterjee, Brayton, DAC 2006). At most `most` of a node are kept, small ones first; the trivial one is
/// not stored.
class CutSets4 {
 public:
  CutSets4(const Network& network, unsigned most) : network_(network), most_(most) {}

  /// Finds the cuts of an AND; its fanins' are used as far as they are known.
  void compute(std::uint32_t id);
  std::span<const Cut4> cuts(std::uint32_t id) const {
    if (id >= begin_.size()) return {};
    return {pool_.data() + begin_[id], count_[id]};
  }

 private:
  bool merge(const Cut4& a, const Cut4& b, Lit fanin0, Lit fanin1);
  void add(const Cut4& cut);

  const Network& network_;
  unsigned most_;
  std::vector<Cut4> pool_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint8_t> count_;
  std::vector<Cut4> found_;
};

}  // namespace dmt::opt
