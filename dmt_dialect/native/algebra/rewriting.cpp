#include "dmt_dialect/native/algebra/rewriting.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

namespace dmt::algebra {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

enum class Kind : std::uint8_t { kLeaf, kAnd, kXor, kCell };

/// What is rewritten at once: a node, or both outputs of a cell. Its variables follow each other: the node's,
/// or that of the sum and then that of the carry.
struct Unit {
  Kind kind;
  std::uint32_t node;  // or the index of the cell or exclusive or
};

/// The coefficients of one monomial at a cell, in terms of its sum and carry literals.
struct AtCell {
  Coefficient sum;
  Coefficient carry;
};

/// Units below the word in an order in which each comes behind those it is made of.
class Order {
 public:
  Order(const AigStore& store, const Facts& facts) : store_(store), facts_(facts) {
    own_.assign(store.node_count(), Unit{Kind::kLeaf, 0});
    for (std::uint32_t i = 0; i < store.node_count(); ++i) {
      own_[i] = {store.is_and(NodeId(i)) ? Kind::kAnd : Kind::kLeaf, i};
    }
    for (std::uint32_t i = 0; i < facts.xors.size(); ++i) own_[facts.xors[i].node.index()] = {Kind::kXor, i};
    plain_ = own_;
    for (std::uint32_t i = 0; i < facts.cells.size(); ++i) claim(i);
  }

  /// Numbers the variables. A cell that would depend on itself (its carry is proved, but made of other logic
  /// than its inputs) is given up.
  void run(std::span<const Lit> word) {
    while (!try_to_number(word)) {
    }
  }

  std::uint32_t variable(NodeId node) const { return variable_[node.index()]; }
  std::uint32_t variable_count() const { return count_; }
  const std::vector<Unit>& units() const { return units_; }
  std::uint32_t first_variable(std::size_t unit) const { return first_[unit]; }
  /// For the first variable of a half adder: true.
  bool is_half_sum(std::uint32_t variable) const { return half_sum_[variable]; }

 private:
  void claim(std::uint32_t index) {
    const AdderCell& cell = facts_.cells[index];
    Unit& sum = own_[cell.sum.node().index()];
    Unit& carry = own_[cell.carry.node().index()];
    if (cell.sum.node() == cell.carry.node()) return;
    if (sum.kind == Kind::kCell || carry.kind == Kind::kCell) return;
    if (sum.kind == Kind::kLeaf || carry.kind == Kind::kLeaf) return;
    sum = carry = {Kind::kCell, index};
  }

  bool try_to_number(std::span<const Lit> word) {
    variable_.assign(store_.node_count(), kNone);
    count_ = 0;
    units_.clear();
    first_.clear();
    half_sum_.clear();
    std::vector<bool> open(store_.node_count(), false);
    std::vector<std::uint32_t> stack;
    // Leaves first: the highest variable of a monomial is a leaf only if all are.
    for (std::uint32_t i = 0; i < store_.node_count(); ++i) {
      if (own_[i].kind == Kind::kLeaf) number(own_[i], i);
    }
    for (const Lit bit : word) {
      stack.assign(1, bit.node().index());
      while (!stack.empty()) {
        const std::uint32_t node = stack.back();
        if (variable_[node] != kNone) {
          stack.pop_back();
          continue;
        }
        const std::uint32_t first = representative(own_[node], node);
        const std::size_t known = stack.size();
        for_each_fanin(own_[node], [&](Lit fanin) {
          if (variable_[fanin.node().index()] == kNone) stack.push_back(fanin.node().index());
        });
        if (stack.size() == known) {
          stack.pop_back();
          number(own_[node], node);
        } else if (open[first]) {
          stack.resize(known);
          break_cycle(stack, open);
          return false;
        } else {
          open[first] = true;
        }
      }
    }
    return true;
  }

  /// The units that wait for others on the stack, down to the first one again, are a cycle; gates alone have
  /// none, so that there is a proved cell among them.
  void break_cycle(const std::vector<std::uint32_t>& stack, const std::vector<bool>& open) {
    const std::uint32_t end = representative(own_[stack.back()], stack.back());
    for (std::size_t at = stack.size(); at-- > 0;) {
      const std::uint32_t node = stack[at];
      const std::uint32_t first = representative(own_[node], node);
      if (!open[first]) continue;
      if (own_[node].kind == Kind::kCell && own_[node].node < facts_.proved) {
        give_up(own_[node].node);
        return;
      }
      if (first == end && at + 1 != stack.size()) break;
    }
    // Not reached by cells that are exact; a unit is given up all the same, so that this ends.
    for (const std::uint32_t node : stack) {
      if (own_[node].kind == Kind::kCell) give_up(own_[node].node);
    }
  }

  void give_up(std::uint32_t cell) {
    for (const Lit out : {facts_.cells[cell].sum, facts_.cells[cell].carry}) {
      const std::uint32_t node = out.node().index();
      own_[node] = plain_[node];
    }
  }

  std::uint32_t representative(const Unit& unit, std::uint32_t node) const {
    return unit.kind == Kind::kCell ? facts_.cells[unit.node].sum.node().index() : node;
  }

  template <typename Visit>
  void for_each_fanin(const Unit& unit, Visit&& visit) const {
    switch (unit.kind) {
      case Kind::kLeaf: return;
      case Kind::kAnd:
        visit(store_.fanin0(NodeId(unit.node)));
        visit(store_.fanin1(NodeId(unit.node)));
        return;
      case Kind::kXor:
        visit(facts_.xors[unit.node].first);
        visit(facts_.xors[unit.node].second);
        return;
      case Kind::kCell:
        for (const Lit in : facts_.cells[unit.node].in) visit(in);
        return;
    }
  }

  void number(const Unit& unit, std::uint32_t node) {
    units_.push_back(unit);
    first_.push_back(count_);
    if (unit.kind != Kind::kCell) {
      variable_[node] = count_++;
      half_sum_.push_back(false);
      return;
    }
    const AdderCell& cell = facts_.cells[unit.node];
    variable_[cell.sum.node().index()] = count_++;
    variable_[cell.carry.node().index()] = count_++;
    // Only plain literals: with complements the product does not vanish but becomes simpler, at the cell.
    half_sum_.push_back(cell.is_half() && cell.in[2] == kFalse && !cell.sum.complemented() &&
                        !cell.carry.complemented());
    half_sum_.push_back(false);
  }

  const AigStore& store_;
  const Facts& facts_;
  std::vector<Unit> own_, plain_;
  std::vector<std::uint32_t> variable_;
  std::uint32_t count_ = 0;
  std::vector<Unit> units_;
  std::vector<std::uint32_t> first_;
  std::vector<bool> half_sum_;
};

class Rewriter {
 public:
  Rewriter(const AigStore& store, const Facts& facts, const Order& order, const Ring& ring,
           const RewriteLimits& limits, dynomite::Stop& stop)
      : limits_(limits),
        stop_(stop),
        store_(store),
        facts_(facts),
        order_(order),
        ring_(ring),
        polynomial_(ring, order.variable_count()) {}

  Rewritten run(std::span<const Lit> word) {
    for (std::uint32_t i = 0; i < word.size(); ++i) {
      const Lit bit[1] = {word[i]};
      emit({}, bit, ring_.power_of_two(i));
    }
    for (std::size_t unit = order_.units().size(); unit-- > 0;) {
      rewrite(order_.units()[unit], order_.first_variable(unit));
      result_.most_terms = std::max(result_.most_terms, polynomial_.size());
      if (is_over()) {
        if (!stop_.poll()) result_.outcome = RewriteOutcome::kLimit;
        return std::move(result_);
      }
    }
    collect();
    return std::move(result_);
  }

 private:
  /// Asked between terms too, as a unit may have many.
  bool is_over() {
    return polynomial_.size() > limits_.terms || polynomial_.met() > limits_.monomials || stop_.poll();
  }

  /// Adds coefficient * monomial * product of literals.
  void emit(std::span<const std::uint32_t> monomial, std::span<const Lit> lits,
            const Coefficient& coefficient) {
    if (ring_.is_zero(coefficient)) return;
    std::array<Lit, 3> complemented;
    std::size_t count = 0;
    scratch_.assign(monomial.begin(), monomial.end());
    for (const Lit lit : lits) {
      if (lit == kFalse) return;
      if (lit == kTrue) continue;
      if (lit.complemented()) {
        complemented[count++] = lit;
      } else {
        scratch_.push_back(order_.variable(lit.node()));
      }
    }
    const std::size_t plain = scratch_.size();
    const Coefficient minus = ring_.negated(coefficient);
    // (1 - x)(1 - y) = 1 - x - y + xy.
    for (unsigned chosen = 0; chosen < (1U << count); ++chosen) {
      scratch_.resize(plain);
      bool negative = false;
      for (std::size_t i = 0; i < count; ++i) {
        if (((chosen >> i) & 1U) == 0) continue;
        negative = !negative;
        scratch_.push_back(order_.variable(complemented[i].node()));
      }
      sorted_ = scratch_;
      std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
      sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
      if (!vanishes()) polynomial_.add(sorted_, negative ? minus : coefficient);
    }
  }

  /// Whether sum and carry of a half adder meet.
  bool vanishes() const {
    for (std::size_t i = 0; i + 1 < sorted_.size(); ++i) {
      if (sorted_[i] == sorted_[i + 1] + 1 && order_.is_half_sum(sorted_[i + 1])) return true;
    }
    return false;
  }

  void note(const Unit& unit) {
    using Step = RewriteStep;
    if (unit.kind == Kind::kAnd) {
      const NodeId node(unit.node);
      const std::array<Lit, 5> lits = {Lit(node, false), store_.fanin0(node), store_.fanin1(node)};
      result_.steps.push_back({Step::Kind::kAnd, false, 0, lits});
    } else if (unit.kind == Kind::kXor) {
      const XorNode& top = facts_.xors[unit.node];
      const std::array<Lit, 5> lits = {Lit(top.node, false), top.first, top.second};
      result_.steps.push_back({Step::Kind::kXor, false, 0, lits});
    } else if (unit.kind == Kind::kCell) {
      const AdderCell& cell = facts_.cells[unit.node];
      const std::array<Lit, 5> lits = {cell.sum, cell.carry, cell.in[0], cell.in[1], cell.in[2]};
      result_.steps.push_back({Step::Kind::kCell, unit.node < facts_.proved, unit.node, lits});
    }
  }

  void rewrite(const Unit& unit, std::uint32_t variable) {
    if (polynomial_.has(variable) || (unit.kind == Kind::kCell && polynomial_.has(variable + 1))) note(unit);
    switch (unit.kind) {
      case Kind::kLeaf:
        if (unit.node == 0) rewrite_constant(variable);
        return;
      case Kind::kAnd: rewrite_and(NodeId(unit.node), variable); return;
      case Kind::kXor: rewrite_xor(facts_.xors[unit.node], variable); return;
      case Kind::kCell: rewrite_cell(facts_.cells[unit.node], variable); return;
    }
  }

  void rewrite_constant(std::uint32_t variable) { polynomial_.take(variable); }  // false is 0

  static std::span<const std::uint32_t> behind(const Term& term, std::size_t count) {
    return std::span(term.variables).subspan(count);
  }

  void rewrite_and(NodeId node, std::uint32_t variable) {
    const std::array<Lit, 2> fanins = {store_.fanin0(node), store_.fanin1(node)};
    for (const Term& term : polynomial_.take(variable)) {
      if (is_over()) return;
      emit(behind(term, 1), fanins, term.coefficient);
    }
  }

  void rewrite_xor(const XorNode& node, std::uint32_t variable) {
    const std::array<Lit, 2> both = {node.first, node.second};
    for (const Term& term : polynomial_.take(variable)) {
      if (is_over()) return;
      const auto rest = behind(term, 1);
      emit(rest, std::span(both).first(1), term.coefficient);
      emit(rest, std::span(both).last(1), term.coefficient);
      emit(rest, both, ring_.negated(ring_.doubled(term.coefficient)));
    }
  }

  /// Adds `coefficient` times the monomial times a product of the cell's outputs as variables, to the
  /// coefficients in terms of the sum and carry literals. The product of both is that of the inputs.
  void gather(const AdderCell& cell, std::span<const std::uint32_t> rest, bool has_sum, bool has_carry,
              const Coefficient& coefficient) {
    AtCell& own = at_cell_[std::vector<std::uint32_t>(rest.begin(), rest.end())];
    const Coefficient minus = ring_.negated(coefficient);
    const bool flip_sum = has_sum && cell.sum.complemented();
    const bool flip_carry = has_carry && cell.carry.complemented();
    const auto signed_by = [&](bool negative) { return negative ? minus : coefficient; };
    // (flip + sign * sum)(flip + sign * carry), a factor that is not there being 1.
    const bool unit_sum = !has_sum || flip_sum;
    const bool unit_carry = !has_carry || flip_carry;
    if (unit_sum && unit_carry) emit(rest, {}, coefficient);
    if (has_sum && unit_carry) own.sum = ring_.sum(own.sum, signed_by(flip_sum));
    if (has_carry && unit_sum) own.carry = ring_.sum(own.carry, signed_by(flip_carry));
    if (has_sum && has_carry) emit(rest, cell.in, signed_by(flip_sum != flip_carry));
  }

  void rewrite_cell(const AdderCell& cell, std::uint32_t variable) {
    at_cell_.clear();
    for (const Term& term : polynomial_.take(variable + 1)) {
      if (is_over()) return;
      const bool both = term.variables.size() > 1 && term.variables[1] == variable;
      gather(cell, behind(term, both ? 2 : 1), both, true, term.coefficient);
    }
    for (const Term& term : polynomial_.take(variable)) {
      gather(cell, behind(term, 1), true, false, term.coefficient);
    }
    if (!at_cell_.empty()) ++result_.cells_used;
    for (const auto& [rest, own] : at_cell_) {
      if (is_over()) return;
      // sum = in0 + in1 + in2 - 2 carry.
      for (const Lit& in : cell.in) emit(rest, {&in, 1}, own.sum);
      const Coefficient left = ring_.sum(own.carry, ring_.negated(ring_.doubled(own.sum)));
      if (ring_.is_zero(left)) continue;
      ++result_.carries_expanded;
      const auto& [a, b, c] = cell.in;
      emit(rest, std::array{a, b}, left);
      if (c == kFalse) continue;
      emit(rest, std::array{a, c}, left);
      emit(rest, std::array{b, c}, left);
      emit(rest, std::array{a, b, c}, ring_.negated(ring_.doubled(left)));
    }
  }

  void collect() {
    std::vector<std::uint32_t> name(order_.variable_count(), kNone);
    for (std::size_t unit = 0; unit < order_.units().size(); ++unit) {
      const NodeId node(order_.units()[unit].node);
      if (order_.units()[unit].kind != Kind::kLeaf || node == kConstNode) continue;
      const std::uint32_t offset =
          store_.is_latch(node) ? static_cast<std::uint32_t>(store_.inputs().size()) : 0;
      name[order_.first_variable(unit)] = store_.ci_index(node) + offset;
    }
    for (std::uint32_t variable = 0; variable < name.size(); ++variable) {
      for (Term& term : polynomial_.take(variable)) {
        for (std::uint32_t& each : term.variables) each = name[each];
        std::sort(term.variables.begin(), term.variables.end(), std::greater<>());
        result_.terms.push_back(std::move(term));
      }
    }
    const Coefficient constant = polynomial_.constant();
    if (!ring_.is_zero(constant)) result_.terms.push_back({{}, constant});
    std::sort(result_.terms.begin(), result_.terms.end(),
              [](const Term& a, const Term& b) { return a.variables < b.variables; });
    result_.monomials = polynomial_.met();
    result_.outcome = RewriteOutcome::kDone;
  }

  const RewriteLimits& limits_;
  dynomite::Stop& stop_;
  const AigStore& store_;
  const Facts& facts_;
  const Order& order_;
  const Ring& ring_;
  Polynomial polynomial_;
  Rewritten result_;
  std::map<std::vector<std::uint32_t>, AtCell> at_cell_;
  std::vector<std::uint32_t> scratch_, sorted_;
};

}  // namespace

Rewritten rewrite_word(const AigStore& store, const Facts& facts, std::span<const Lit> word,
                       const RewriteLimits& limits, dynomite::Stop& stop) {
  const Ring ring(static_cast<std::uint32_t>(word.size()));
  Order order(store, facts);
  order.run(word);
  return Rewriter(store, facts, order, ring, limits, stop).run(word);
}

}  // namespace dmt::algebra
