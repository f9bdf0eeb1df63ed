#include "dmt_dialect/native/opt/cuts4.hpp"

#include <algorithm>

#include "dmt_dialect/native/opt/bits.hpp"

namespace dmt::opt {

namespace {

/// Exchanges variables `low` < `high`.
Table4 swap_variables(Table4 table, unsigned low, unsigned high) {
  const Table4 up = kVariables4[low] & static_cast<Table4>(~kVariables4[high]);  // low = 1, high = 0
  const unsigned shift = (1U << high) - (1U << low);
  const auto down = static_cast<Table4>(up << shift);
  return static_cast<Table4>((table & ~(up | down)) | ((table & up) << shift) | ((table & down) >> shift));
}

/// The table of `cut` over the leaves of `wide`, which include its own.
Table4 stretched(const Cut4& cut, const Cut4& wide) {
  Table4 table = cut.table;
  unsigned place = wide.size;
  for (unsigned i = cut.size; i-- > 0;) {
    do --place;
    while (wide.leaves[place] != cut.leaves[i]);
    if (place != i) table = swap_variables(table, i, place);
  }
  return table;
}

bool depends(Table4 table, unsigned variable) {
  const Table4 low = static_cast<Table4>(~kVariables4[variable]);
  return ((table >> (1U << variable)) & low) != (table & low);
}

/// Drops leaves that the table does not depend on.
void minimize(Cut4& cut) {
  for (unsigned i = cut.size; i-- > 0;) {
    if (depends(cut.table, i)) continue;
    for (unsigned j = i; j + 1 < cut.size; ++j) {
      cut.table = swap_variables(cut.table, j, j + 1);
      cut.leaves[j] = cut.leaves[j + 1];
    }
    --cut.size;
  }
}

std::uint32_t signature_of(const Cut4& cut) {
  std::uint32_t signature = 0;
  for (unsigned i = 0; i < cut.size; ++i) signature |= 1U << (cut.leaves[i] % 32);
  return signature;
}

Cut4 trivial(std::uint32_t id) { return {{id, 0, 0, 0}, 1U << (id % 32), kVariables4[0], 1}; }

/// Whether all leaves of `small` are leaves of `large`.
bool dominates(const Cut4& small, const Cut4& large) {
  if (small.size > large.size || (small.signature & ~large.signature) != 0) return false;
  unsigned j = 0;
  for (unsigned i = 0; i < small.size; ++i) {
    while (j < large.size && large.leaves[j] < small.leaves[i]) ++j;
    if (j == large.size || large.leaves[j] != small.leaves[i]) return false;
  }
  return true;
}

}  // namespace

void CutSets4::compute(std::uint32_t id) {
  if (id >= begin_.size()) {
    begin_.resize(network_.size(), 0);
    count_.resize(network_.size(), 0);
  }
  const Lit fanin0 = network_.fanin0(id), fanin1 = network_.fanin1(id);
  const std::uint32_t a = fanin0.node().index(), b = fanin1.node().index();
  found_.clear();
  const Cut4 own_a = trivial(a), own_b = trivial(b);
  merge(own_a, own_b, fanin0, fanin1);
  for (const Cut4& cut : cuts(b)) merge(own_a, cut, fanin0, fanin1);
  for (const Cut4& cut : cuts(a)) merge(cut, own_b, fanin0, fanin1);
  for (const Cut4& left : cuts(a)) {
    for (const Cut4& right : cuts(b)) merge(left, right, fanin0, fanin1);
  }
  if (found_.size() > most_) {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Cut4& x, const Cut4& y) { return x.size < y.size; });
    found_.resize(most_);
  }
  begin_[id] = pool_.size();
  count_[id] = static_cast<std::uint8_t>(found_.size());
  pool_.insert(pool_.end(), found_.begin(), found_.end());
}

bool CutSets4::merge(const Cut4& a, const Cut4& b, Lit fanin0, Lit fanin1) {
  if (!at_most_four(a.signature | b.signature)) return false;
  Cut4 cut{};
  unsigned i = 0, j = 0;
  while (i < a.size || j < b.size) {
    if (cut.size == 4) return false;
    std::uint32_t leaf = 0;
    if (j == b.size || (i < a.size && a.leaves[i] <= b.leaves[j])) {
      leaf = a.leaves[i];
      if (j < b.size && b.leaves[j] == leaf) ++j;
      ++i;
    } else {
      leaf = b.leaves[j++];
    }
    cut.leaves[cut.size++] = leaf;
  }
  const auto left = static_cast<Table4>(stretched(a, cut) ^ (fanin0.complemented() ? 0xFFFF : 0));
  const auto right = static_cast<Table4>(stretched(b, cut) ^ (fanin1.complemented() ? 0xFFFF : 0));
  cut.table = left & right;
  minimize(cut);
  cut.signature = signature_of(cut);
  add(cut);
  return true;
}

void CutSets4::add(const Cut4& cut) {
  for (const Cut4& have : found_) {
    if (dominates(have, cut)) return;
  }
  std::erase_if(found_, [&](const Cut4& have) { return dominates(cut, have); });
  found_.push_back(cut);
}

}  // namespace dmt::opt
