#include "dmt_dialect/native/aig/witness.hpp"

#include <algorithm>
#include <cassert>

namespace dmt {

namespace {

Ternary flip(Ternary value, bool complemented) {
  if (!complemented || value == Ternary::kUnknown) return value;
  return value == Ternary::kZero ? Ternary::kOne : Ternary::kZero;
}

Ternary both(Ternary a, Ternary b) {
  if (a == Ternary::kZero || b == Ternary::kZero) return Ternary::kZero;
  return a == Ternary::kOne && b == Ternary::kOne ? Ternary::kOne : Ternary::kUnknown;
}

/// The cone of one literal with a value a node; nodes are numbered densely in topological order.
class Cone {
 public:
  Cone(const WitnessSide& side, std::span<const std::uint8_t> values) : side_(side) {
    const AigStore& aig = *side.aig;
    std::vector<bool> marked(aig.node_count(), false);
    const std::uint32_t root = side.lit.node().index();
    marked[root] = true;
    for (std::uint32_t id = root; id > 0; --id) {
      if (!marked[id] || !aig.is_and(NodeId(id))) continue;
      marked[aig.fanin0(NodeId(id)).node().index()] = true;
      marked[aig.fanin1(NodeId(id)).node().index()] = true;
    }
    std::vector<std::uint32_t> place(std::size_t{root} + 1, 0);
    for (std::uint32_t id = 0; id <= root; ++id) {
      if (!marked[id]) continue;
      place[id] = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back(row_of(NodeId(id), place));
    }
    values_.resize(rows_.size());
    evaluate([&](std::uint32_t v) { return values[v] != 0 ? Ternary::kOne : Ternary::kZero; });
  }

  std::size_t size() const { return rows_.size(); }
  Ternary root() const { return flip(values_.back(), side_.lit.complemented()); }

  /// Sets `needed` for a small set of variables that keeps the root at its value; those set already are free.
  void justify(std::vector<bool>& needed) const {
    constexpr std::uint32_t kMany = 1U << 30;
    std::vector<std::uint32_t> cost(rows_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      if (row.kind == Kind::kVariable) {
        cost[i] = needed[row.a.raw()] ? 0 : 1;
      } else if (row.kind == Kind::kAnd) {
        const std::uint32_t a = cost[row.a.node().index()];
        const std::uint32_t b = cost[row.b.node().index()];
        if (values_[i] == Ternary::kOne) {
          cost[i] = std::min(kMany, a + b);
        } else {
          cost[i] = std::min(fanin_value(row.a) == Ternary::kZero ? a : kMany,
                             fanin_value(row.b) == Ternary::kZero ? b : kMany);
        }
      }
    }
    std::vector<bool> wanted(rows_.size(), false);
    wanted.back() = true;
    for (std::size_t i = rows_.size(); i-- > 0;) {
      if (!wanted[i]) continue;
      const Row& row = rows_[i];
      if (row.kind == Kind::kVariable) needed[row.a.raw()] = true;
      if (row.kind != Kind::kAnd) continue;
      const std::size_t a = row.a.node().index();
      const std::size_t b = row.b.node().index();
      if (values_[i] == Ternary::kOne) {
        wanted[a] = wanted[b] = true;
        continue;
      }
      const bool zero_a = fanin_value(row.a) == Ternary::kZero;
      const bool zero_b = fanin_value(row.b) == Ternary::kZero;
      if (zero_a && (wanted[a] || !zero_b || (!wanted[b] && cost[a] <= cost[b]))) {
        wanted[a] = true;
      } else {
        wanted[b] = true;
      }
    }
  }

  /// Recomputes all values from those of the variables.
  template <typename Value>
  void evaluate(Value&& value_of) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      switch (row.kind) {
        case Kind::kConstant: values_[i] = Ternary::kZero; break;
        case Kind::kVariable: values_[i] = value_of(row.a.raw()); break;
        case Kind::kAnd: values_[i] = both(fanin_value(row.a), fanin_value(row.b)); break;
      }
    }
  }

 private:
  enum class Kind : std::uint8_t { kConstant, kVariable, kAnd };
  /// An AND has literals of rows; a variable has its number in `a`.
  struct Row {
    Lit a, b;
    Kind kind = Kind::kConstant;
  };

  Row row_of(NodeId id, const std::vector<std::uint32_t>& place) const {
    const AigStore& aig = *side_.aig;
    if (aig.is_const(id)) return {};
    if (aig.is_and(id)) {
      const auto moved = [&](Lit lit) { return Lit(NodeId(place[lit.node().index()]), lit.complemented()); };
      return {moved(aig.fanin0(id)), moved(aig.fanin1(id)), Kind::kAnd};
    }
    const std::size_t index = aig.ci_index(id) + (aig.is_latch(id) ? aig.inputs().size() : 0);
    return {Lit::from_raw(side_.variables[index]), kFalse, Kind::kVariable};
  }
  Ternary fanin_value(Lit row) const { return flip(values_[row.node().index()], row.complemented()); }

  const WitnessSide& side_;
  std::vector<Row> rows_;
  std::vector<Ternary> values_;
};

}  // namespace

std::vector<Ternary> evaluate(const AigStore& aig, std::span<const Ternary> cis, std::span<const Lit> lits) {
  assert(cis.size() == aig.inputs().size() + aig.latches().size());
  std::vector<Ternary> values(aig.node_count(), Ternary::kZero);
  for (std::size_t i = 0; i < aig.inputs().size(); ++i) values[aig.inputs()[i].index()] = cis[i];
  for (std::size_t i = 0; i < aig.latches().size(); ++i) {
    values[aig.latches()[i].node.index()] = cis[aig.inputs().size() + i];
  }
  const auto value_of = [&](Lit lit) { return flip(values[lit.node().index()], lit.complemented()); };
  for (std::uint32_t id = 1; id < aig.node_count(); ++id) {
    const NodeId node(id);
    if (aig.is_and(node)) values[id] = both(value_of(aig.fanin0(node)), value_of(aig.fanin1(node)));
  }
  std::vector<Ternary> result;
  result.reserve(lits.size());
  for (const Lit lit : lits) result.push_back(value_of(lit));
  return result;
}

std::vector<bool> needed_variables(const WitnessSide& left, const WitnessSide& right,
                                   std::span<const std::uint8_t> values, std::uint64_t budget,
                                   dynomite::Stop& stop) {
  Cone cones[] = {Cone(left, values), Cone(right, values)};
  const Ternary wanted[] = {cones[0].root(), cones[1].root()};
  std::vector<bool> needed(values.size(), false);
  for (const Cone& cone : cones) cone.justify(needed);

  const auto known = [&](std::uint32_t v) {
    if (!needed[v]) return Ternary::kUnknown;
    return values[v] != 0 ? Ternary::kOne : Ternary::kZero;
  };
  const std::uint64_t step = cones[0].size() + cones[1].size();
  for (std::size_t v = 0; v < values.size() && step <= budget; ++v) {
    if (!needed[v]) continue;
    if (stop.poll_clock()) break;
    budget -= step;
    needed[v] = false;
    for (std::size_t side = 0; side < 2 && !needed[v]; ++side) {
      cones[side].evaluate(known);
      if (cones[side].root() != wanted[side]) needed[v] = true;
    }
  }
  return needed;
}

}  // namespace dmt
