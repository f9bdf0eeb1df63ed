#include "dmt_dialect/native/opt/small_cuts.hpp"

#include <algorithm>

#include "dmt_dialect/native/opt/bits.hpp"
#include "dmt_dialect/native/opt/small_tables.hpp"

namespace dmt::opt {

namespace {

/// The table of `cut` over the leaves of `wide`, which include its own.
template <unsigned K>
SmallTable<K> stretched(const SmallCut<K>& cut, const SmallCut<K>& wide) {
  SmallTable<K> table = cut.table;
  unsigned place = wide.size;
  for (unsigned i = cut.size; i-- > 0;) {
    do --place;
    while (wide.leaves[place] != cut.leaves[i]);
    if (place != i) table = swap_variables(table, i, place);
  }
  return table;
}

/// Drops leaves that the table does not depend on.
template <unsigned K>
void minimize(SmallCut<K>& cut) {
  for (unsigned i = cut.size; i-- > 0;) {
    if (depends_on(cut.table, i)) continue;
    for (unsigned j = i; j + 1 < cut.size; ++j) {
      cut.table = swap_variables(cut.table, j, j + 1);
      cut.leaves[j] = cut.leaves[j + 1];
    }
    --cut.size;
  }
}

template <unsigned K>
std::uint32_t signature_of(const SmallCut<K>& cut) {
  std::uint32_t signature = 0;
  for (unsigned i = 0; i < cut.size; ++i) signature |= 1U << (cut.leaves[i] % 32);
  return signature;
}

template <unsigned K>
SmallCut<K> trivial(std::uint32_t id) {
  return {{id}, 1U << (id % 32), static_cast<SmallTable<K>>(kVariables5[0]), 1};
}

/// Whether all leaves of `small` are leaves of `large`.
template <unsigned K>
bool dominates(const SmallCut<K>& small, const SmallCut<K>& large) {
  if (small.size > large.size || (small.signature & ~large.signature) != 0) return false;
  unsigned j = 0;
  for (unsigned i = 0; i < small.size; ++i) {
    while (j < large.size && large.leaves[j] < small.leaves[i]) ++j;
    if (j == large.size || large.leaves[j] != small.leaves[i]) return false;
  }
  return true;
}

}  // namespace

template <unsigned K, typename Graph>
void SmallCuts<K, Graph>::compute(std::uint32_t id) {
  if (id >= begin_.size()) {
    begin_.resize(network_.size(), 0);
    count_.resize(network_.size(), 0);
  }
  const Lit fanin0 = network_.fanin0(id), fanin1 = network_.fanin1(id);
  const std::uint32_t a = fanin0.node().index(), b = fanin1.node().index();
  found_.clear();
  const SmallCut<K> own_a = trivial<K>(a), own_b = trivial<K>(b);
  merge(own_a, own_b, fanin0, fanin1);
  for (const SmallCut<K>& cut : cuts(b)) merge(own_a, cut, fanin0, fanin1);
  for (const SmallCut<K>& cut : cuts(a)) merge(cut, own_b, fanin0, fanin1);
  for (const SmallCut<K>& left : cuts(a)) {
    for (const SmallCut<K>& right : cuts(b)) merge(left, right, fanin0, fanin1);
  }
  if (found_.size() > most_) {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const SmallCut<K>& x, const SmallCut<K>& y) { return x.size < y.size; });
    found_.resize(most_);
  }
  begin_[id] = pool_.size();
  count_[id] = static_cast<std::uint8_t>(found_.size());
  pool_.insert(pool_.end(), found_.begin(), found_.end());
}

template <unsigned K, typename Graph>
bool SmallCuts<K, Graph>::merge(const SmallCut<K>& a, const SmallCut<K>& b, Lit fanin0, Lit fanin1) {
  if (!at_most<K>(a.signature | b.signature)) return false;
  SmallCut<K> cut{};
  unsigned i = 0, j = 0;
  while (i < a.size || j < b.size) {
    if (cut.size == K) return false;
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
  const SmallTable<K> left = stretched(a, cut), right = stretched(b, cut);
  cut.table = static_cast<SmallTable<K>>((fanin0.complemented() ? ~left : left) &
                                         (fanin1.complemented() ? ~right : right));
  minimize(cut);
  cut.signature = signature_of(cut);
  add(cut);
  return true;
}

template <unsigned K, typename Graph>
void SmallCuts<K, Graph>::add(const SmallCut<K>& cut) {
  for (const SmallCut<K>& have : found_) {
    if (dominates(have, cut)) return;
  }
  std::erase_if(found_, [&](const SmallCut<K>& have) { return dominates(cut, have); });
  found_.push_back(cut);
}

template class SmallCuts<4>;
template class SmallCuts<5>;
template class SmallCuts<4, MapGraph>;

}  // namespace dmt::opt
