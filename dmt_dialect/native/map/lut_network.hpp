#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// A function of up to eight variables: bit i (of the words in a row) is its value where variable k has bit k
/// of i. Functions of fewer than six variables repeat, so that the first word is always whole.
using LutFunction = std::array<std::uint64_t, 4>;

/// The function that is variable `k`.
constexpr LutFunction lut_variable(unsigned k) {
  constexpr std::array<std::uint64_t, 6> kWords = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC,
                                                   0xF0F0F0F0F0F0F0F0, 0xFF00FF00FF00FF00,
                                                   0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
  if (k < 6) return {kWords[k], kWords[k], kWords[k], kWords[k]};
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  return k == 6 ? LutFunction{0, kAll, 0, kAll} : LutFunction{0, 0, kAll, kAll};
}

/// A circuit of look-up tables, with the ports of the AIG it was made from.
///
/// A signal is a number: first the inputs, then the latches, then the LUTs in topological order. Nothing is
/// complemented but by a LUT. A constant is a LUT without inputs.
struct LutNetwork {
  unsigned k = 6;
  std::uint32_t input_count = 0;
  std::vector<Reset> resets;

  /// Inputs of LUT i: from `starts[i]` to `starts[i + 1]` in `fanins`; variable j is the j-th of them.
  std::vector<std::uint32_t> starts = {0};
  std::vector<std::uint32_t> fanins;
  std::vector<LutFunction> functions;
  /// The literal of the AIG that a LUT is; of the constant where it is none of its nodes.
  std::vector<Lit> origins;

  std::vector<std::uint32_t> outputs, next_states, bad, constraints, fairness;
  std::vector<std::vector<std::uint32_t>> justice;
  AigStore::Names names;
  /// Names of LUTs that are nodes with a name in the AIG; by number of the LUT.
  std::vector<std::pair<std::uint32_t, std::string>> lut_names;
  std::vector<std::string> comments;
  std::string name;

  std::uint32_t lut_count() const { return static_cast<std::uint32_t>(functions.size()); }
  std::uint32_t first_lut() const { return input_count + static_cast<std::uint32_t>(resets.size()); }
  bool is_lut(std::uint32_t signal) const { return signal >= first_lut(); }
  std::span<const std::uint32_t> inputs_of(std::uint32_t lut) const {
    return {fanins.data() + starts[lut], fanins.data() + starts[lut + 1]};
  }

  /// Level of every LUT: one more than its highest input, 0 for a constant. Linear.
  std::vector<std::uint32_t> levels() const;
  /// Highest level of a LUT that a root reads.
  std::uint32_t depth() const;

  /// The same circuit as an AIG, each LUT by its irredundant sum of products or that of its complement,
  /// whichever has fewer literals. Linear. Throws LimitError when `stop` ends it.
  AigStore to_aig(dynomite::Stop& stop) const;
};

/// Calls `visit` for the signal of every root, in the order of `for_each_root`; a reference, when not const.
template <typename Network, typename Visit>
void for_each_lut_root(Network& network, Visit&& visit) {
  for (auto& signal : network.outputs) visit(signal);
  for (auto& signal : network.next_states) visit(signal);
  for (auto& signal : network.bad) visit(signal);
  for (auto& signal : network.constraints) visit(signal);
  for (auto& group : network.justice) {
    for (auto& signal : group) visit(signal);
  }
  for (auto& signal : network.fairness) visit(signal);
}

}  // namespace dmt
