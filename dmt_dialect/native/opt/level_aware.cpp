#include "dmt_dialect/native/opt/level_aware.hpp"

#include <algorithm>

namespace dmt::opt {

namespace {

/// Pairs of so many operands are looked up.
constexpr std::size_t kLookedUp = 16;

}  // namespace

void LevelAware::extend_levels() {
  for (auto i = static_cast<std::uint32_t>(levels_.size()); i < store_.node_count(); ++i)
    levels_.push_back(1 + std::max(level(store_.fanin0(NodeId(i))), level(store_.fanin1(NodeId(i)))));
}

Lit LevelAware::and_(Lit a, Lit b) {
  const Lit result = store_.and_(a, b);
  extend_levels();
  return result;
}

Lit LevelAware::xor_(Lit a, Lit b) {
  const Lit result = store_.xor_(a, b);
  extend_levels();
  return result;
}

Lit LevelAware::mux(Lit select, Lit then, Lit otherwise) {
  const Lit result = store_.mux(select, then, otherwise);
  extend_levels();
  return result;
}

bool LevelAware::join_known(std::vector<Lit>& lits) {
  const std::size_t end = lits.size(), begin = end - std::min(end, kLookedUp);
  for (std::size_t i = end; i-- > begin;) {
    for (std::size_t j = i; j-- > begin;) {
      const auto found = store_.find_and(lits[i], lits[j]);
      if (!found) continue;
      lits.erase(lits.begin() + static_cast<std::ptrdiff_t>(i));
      lits[j] = *found;
      return true;
    }
  }
  return false;
}

Lit LevelAware::join(std::vector<Lit>& lits) {
  if (lits.empty()) return kTrue;
  while (lits.size() > 1) {
    std::stable_sort(lits.begin(), lits.end(), [&](Lit a, Lit b) { return level(a) > level(b); });
    if (join_known(lits)) continue;
    const Lit last = lits.back();
    lits.pop_back();
    lits.back() = and_(lits.back(), last);
  }
  const Lit result = lits.front();
  lits.clear();
  return result;
}

}  // namespace dmt::opt
