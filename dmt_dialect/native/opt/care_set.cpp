#include "dmt_dialect/native/opt/care_set.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "dmt_dialect/native/opt/bits.hpp"
#include "dmt_dialect/native/opt/window_tables.hpp"

namespace dmt::opt {

namespace {

// Eight bytes as rows of an 8 x 8 matrix of bits: rows and columns change places (Warren, Hacker's Delight,
// section 7-3).
std::uint64_t transpose_8x8(std::uint64_t x) {
  std::uint64_t moved = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAULL;
  x ^= moved ^ (moved << 7);
  moved = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCULL;
  x ^= moved ^ (moved << 14);
  moved = (x ^ (x >> 28)) & 0x00000000F0F0F0F0ULL;
  return x ^ moved ^ (moved << 28);
}

}  // namespace

bool CareSet::compute(std::span<const std::uint32_t> nodes, unsigned leaves) {
  assert(leaves <= 14 && nodes.size() <= 16);
  if (!expand(nodes, leaves)) return false;
  simulate();
  const auto count = static_cast<unsigned>(nodes.size());
  table_.assign(count <= 6 ? 1 : std::size_t{1} << (count - 6), 0);
  const std::uint64_t all = std::uint64_t{1} << count;
  std::uint64_t seen = 0;
  for (unsigned w = 0; w < words_; ++w) {
    seen += collect(nodes, w);
    if (seen == all) return false;
  }
  // A table of fewer than six variables repeats itself, as those of functions do.
  for (unsigned i = count; i < 6; ++i) table_[0] |= table_[0] << (1U << i);
  return true;
}

// Enters the combinations of 64 rows into the table, eight rows at a time; gives how many are new. With fewer
// than six leaves the rows repeat themselves.
std::uint64_t CareSet::collect(std::span<const std::uint32_t> nodes, unsigned word) {
  std::uint64_t found = 0;
  for (unsigned rows = 0; rows < 64; rows += 8) {
    std::array<std::uint64_t, 2> bits = {};
    for (std::size_t i = 0; i < nodes.size(); ++i)
      bits[i >> 3] |= ((values_[slot_[nodes[i]] * words_ + word] >> rows) & 0xFFU) << ((i & 7U) * 8);
    bits = {transpose_8x8(bits[0]), transpose_8x8(bits[1])};
    for (unsigned row = 0; row < 64; row += 8) {
      const std::uint64_t combination = ((bits[0] >> row) & 0xFFU) | ((bits[1] >> row) & 0xFFU) << 8;
      std::uint64_t& entry = table_[combination >> 6];
      const std::uint64_t bit = std::uint64_t{1} << (combination & 63U);
      found += static_cast<std::uint64_t>((entry & bit) == 0);
      entry |= bit;
    }
  }
  return found;
}

// Expands the leaf that adds the fewest new ones, of equal ones the deepest. A leaf may stand above another
// one; then its values are not tied to it, which only makes the care set larger.
bool CareSet::expand(std::span<const std::uint32_t> nodes, unsigned leaves) {
  if (seen_.size() < network_.size()) {
    seen_.resize(network_.size(), 0);
    slot_.resize(network_.size(), 0);
  }
  ++stamp_;
  leaves_.assign(nodes.begin(), nodes.end());
  gates_.clear();
  for (const std::uint32_t id : nodes) seen_[id] = stamp_;
  while (gates_.size() < kMostGates) {
    std::size_t best = leaves_.size();
    unsigned best_cost = 3;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const std::uint32_t id = leaves_[i];
      if (!network_.is_and(id)) continue;
      const unsigned cost = static_cast<unsigned>(seen_[network_.fanin0(id).node().index()] != stamp_) +
                            static_cast<unsigned>(seen_[network_.fanin1(id).node().index()] != stamp_);
      if (cost < best_cost || (cost == best_cost && network_.level(id) > network_.level(leaves_[best]))) {
        best = i;
        best_cost = cost;
      }
    }
    if (best == leaves_.size() || leaves_.size() - 1 + best_cost > leaves) break;
    const std::uint32_t id = leaves_[best];
    leaves_[best] = leaves_.back();
    leaves_.pop_back();
    gates_.push_back(id);
    for (const Lit fanin : {network_.fanin0(id), network_.fanin1(id)}) {
      const std::uint32_t below = fanin.node().index();
      if (seen_[below] == stamp_) continue;
      seen_[below] = stamp_;
      leaves_.push_back(below);
    }
  }
  return !gates_.empty() && leaves_.size() <= leaves;
}

void CareSet::simulate() {
  const auto count = static_cast<unsigned>(leaves_.size());
  words_ = count <= 6 ? 1 : 1U << (count - 6);
  values_.resize((leaves_.size() + gates_.size()) * words_);
  std::uint32_t used = 0;
  for (unsigned i = 0; i < count; ++i) {
    slot_[leaves_[i]] = used;
    variable_row(i, values_.data() + std::size_t{used++} * words_, words_);
  }
  // Fanins first: by a walk over the gates, each behind those it needs.
  for (const std::uint32_t id : gates_) slot_[id] = Network::kNone;
  for (const std::uint32_t root : gates_) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const std::uint32_t id = stack_.back();
      const Node& gate = network_.nodes()[id];
      const std::uint32_t a = gate.fanin0.node().index(), b = gate.fanin1.node().index();
      if (slot_[id] == Network::kNone) {
        if (slot_[a] == Network::kNone) stack_.push_back(a);
        if (slot_[b] == Network::kNone) stack_.push_back(b);
        if (stack_.back() != id) continue;
        slot_[id] = used;
        and_words(gate, values_.data() + std::size_t{slot_[a]} * words_,
                  values_.data() + std::size_t{slot_[b]} * words_,
                  values_.data() + std::size_t{used++} * words_, words_);
      }
      stack_.pop_back();
    }
  }
}

}  // namespace dmt::opt
