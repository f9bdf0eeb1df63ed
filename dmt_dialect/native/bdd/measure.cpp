#include "dmt_dialect/native/bdd/measure.hpp"

#include <algorithm>

#include "dmt_dialect/native/bdd/cone.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::bdd {

namespace {

__extension__ using Wide = unsigned __int128;

/// Model counts of up to 2^127.
struct SmallCount {
  Wide value = 0;

  static SmallCount one() { return {1}; }
  SmallCount shifted(std::size_t by) const { return {value << by}; }
  /// 2^power less this.
  SmallCount complement(std::size_t power) const { return {(Wide{1} << power) - value}; }
  void add(const SmallCount& other) { value += other.value; }
  std::vector<std::uint64_t> words() const {
    return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
  }
};

/// Model counts of any size; no zero words at the top.
struct LargeCount {
  std::vector<std::uint64_t> value;

  static LargeCount one() { return {{1}}; }
  LargeCount shifted(std::size_t by) const {
    if (value.empty()) return {};
    std::vector<std::uint64_t> result(by / 64, 0);
    const unsigned bits = by % 64;
    std::uint64_t carry = 0;
    for (const std::uint64_t word : value) {
      result.push_back(bits == 0 ? word : (word << bits) | carry);
      if (bits != 0) carry = word >> (64 - bits);
    }
    if (carry != 0) result.push_back(carry);
    return {std::move(result)};
  }
  LargeCount complement(std::size_t power) const {
    std::vector<std::uint64_t> result(power / 64 + 1, 0);
    result[power / 64] = std::uint64_t{1} << (power % 64);
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::uint64_t taken = i < value.size() ? value[i] : 0;
      const std::uint64_t before = result[i];
      result[i] = before - taken - borrow;
      borrow = before < taken || (before == taken && borrow != 0) ? 1 : 0;
    }
    while (!result.empty() && result.back() == 0) result.pop_back();
    return {std::move(result)};
  }
  void add(const LargeCount& other) {
    if (value.size() < other.value.size()) value.resize(other.value.size(), 0);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < value.size() && (carry != 0 || i < other.value.size()); ++i) {
      const std::uint64_t more = i < other.value.size() ? other.value[i] : 0;
      const std::uint64_t sum = value[i] + more;
      const std::uint64_t total = sum + carry;
      carry = (sum < more || total < sum) ? 1 : 0;
      value[i] = total;
    }
    if (carry != 0) value.push_back(1);
  }
  std::vector<std::uint64_t> words() const { return value; }
};

/// Counts from the terminal upwards; a count is let go with the last node that reads it.
template <typename Count>
std::vector<std::uint64_t> count_models(const BddStore& store, BddEdge root, const Cone& cone,
                                        std::size_t vars) {
  // Ranks of levels among those of the support.
  std::vector<std::size_t> rank(cone.ids.size());
  std::size_t ranks = 0;
  for (std::size_t i = 0; i < cone.ids.size(); ++i) {
    const bool same = i != 0 && store.node_at(cone.ids[i]).level == store.node_at(cone.ids[i - 1]).level;
    rank[i] = same ? ranks - 1 : ranks++;
  }
  const std::size_t support = ranks - 1;
  std::vector<std::uint32_t> readers(cone.ids.size());
  for (const std::uint32_t id : cone.ids) {
    if (id == 0) continue;
    ++readers[cone.number[store.node_at(id).high.node()]];
    ++readers[cone.number[store.node_at(id).low.node()]];
  }
  std::vector<Count> counts(cone.ids.size());
  counts.back() = Count::one();
  const auto value = [&](BddEdge edge, std::size_t above) {
    const std::uint32_t number = cone.number[edge.node()];
    const std::size_t below = support - rank[number];
    Count count = edge.complemented() ? counts[number].complement(below) : counts[number];
    if (--readers[number] == 0) counts[number] = Count{};
    return count.shifted(rank[number] - above);
  };
  for (std::size_t i = cone.ids.size() - 1; i-- > 0;) {
    const BddNode& node = store.node_at(cone.ids[i]);
    counts[i] = value(node.high, rank[i] + 1);
    counts[i].add(value(node.low, rank[i] + 1));
  }
  const std::uint32_t top = cone.number[root.node()];
  ++readers[top];
  return value(root, 0).shifted(vars - support).words();
}

}  // namespace

std::vector<std::uint32_t> support(const BddStore& store, std::span<const BddEdge> roots) {
  std::vector<std::uint32_t> vars;
  std::uint32_t last = BddStore::kTerminalLevel;
  for (const std::uint32_t id : cone_of(store, roots).ids) {
    const std::uint32_t level = store.node_at(id).level;
    if (id != 0 && level != last) vars.push_back(store.var_at(level));
    last = level;
  }
  return vars;
}

std::size_t node_count(const BddStore& store, std::span<const BddEdge> roots) {
  return cone_of(store, roots).ids.size();
}

std::vector<std::uint64_t> model_count(const BddStore& store, BddEdge root, std::size_t vars) {
  const Cone cone = cone_of(store, {&root, 1});
  return vars < 127 ? count_models<SmallCount>(store, root, cone, vars)
                    : count_models<LargeCount>(store, root, cone, vars);
}

bool evaluate(const BddStore& store, BddEdge root, std::span<const std::uint8_t> values) {
  while (!root.is_constant()) root = values[store.top_var(root)] != 0 ? store.high(root) : store.low(root);
  return root == kBddTrue;
}

CubeWalk::CubeWalk(const BddStore& store, BddEdge root)
    : store_(store), reorderings_(store.reorderings()), root_(root) {}

void CubeWalk::descend(BddEdge edge) {
  while (!edge.is_constant()) {
    const bool value = store_.low(edge) == kBddFalse;
    path_.push_back({edge, value});
    edge = value ? store_.high(edge) : store_.low(edge);
  }
}

std::optional<BddCube> CubeWalk::next() {
  if (reorderings_ != store_.reorderings()) {
    throw dynomite::UsageError("the variables were reordered during the walk over all solutions");
  }
  if (!begun_) {
    begun_ = true;
    if (root_ == kBddFalse) return std::nullopt;
    descend(root_);
  } else {
    // The last step with a high branch still to be taken.
    for (;;) {
      if (path_.empty()) return std::nullopt;
      Step& step = path_.back();
      if (!step.value && store_.high(step.edge) != kBddFalse) break;
      path_.pop_back();
    }
    path_.back().value = true;
    descend(store_.high(path_.back().edge));
  }
  BddCube cube;
  for (const Step& step : path_) cube.emplace_back(store_.top_var(step.edge), step.value);
  return cube;
}

}  // namespace dmt::bdd
