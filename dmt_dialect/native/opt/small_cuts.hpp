#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "dmt_dialect/native/map/map_graph.hpp"
#include "dmt_dialect/native/opt/network.hpp"

namespace dmt::opt {

/// Truth table of a function of up to K variables: bit m is its value for the assignment with number m.
template <unsigned K>
using SmallTable = std::conditional_t<(K <= 4), std::uint16_t, std::uint32_t>;

/// A cut of up to K leaves, in increasing order, and the function of the node over them. The table does
/// not depend on variables from `size` on.
template <unsigned K>
struct SmallCut {
  std::array<std::uint32_t, K> leaves;
  std::uint32_t signature;  // bit (leaf mod 32) of each leaf
  SmallTable<K> table;
  std::uint8_t size;
};

/// Cuts of the nodes of a network, found from the fanins' cuts (Cong, Wu, Ding, FPGA'99; Mishchenko,
/// Chatterjee, Brayton, DAC 2006). At most `most` of a node are kept, small ones first; the trivial one is
/// not stored. K is 4 or 5; Graph has `size()` and, by number of a node, `fanin0` and `fanin1`.
template <unsigned K, typename Graph = Network>
class SmallCuts {
 public:
  SmallCuts(const Graph& network, unsigned most) : network_(network), most_(most) {}

  /// Finds the cuts of an AND; its fanins' are used as far as they are known.
  void compute(std::uint32_t id);
  std::span<const SmallCut<K>> cuts(std::uint32_t id) const {
    if (id >= begin_.size()) return {};
    return {pool_.data() + begin_[id], count_[id]};
  }

 private:
  bool merge(const SmallCut<K>& a, const SmallCut<K>& b, Lit fanin0, Lit fanin1);
  void add(const SmallCut<K>& cut);

  const Graph& network_;
  unsigned most_;
  std::vector<SmallCut<K>> pool_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint8_t> count_;
  std::vector<SmallCut<K>> found_;
};

extern template class SmallCuts<4>;
extern template class SmallCuts<5>;
extern template class SmallCuts<4, MapGraph>;

}  // namespace dmt::opt
