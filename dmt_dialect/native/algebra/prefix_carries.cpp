#include "dmt_dialect/native/algebra/prefix_carries.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "dmt_dialect/native/aig/levels.hpp"
#include "dmt_dialect/native/aig/sweep.hpp"
#include "dynomite/native/base/random.hpp"

namespace dmt::algebra {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;
constexpr std::size_t kWords = 32;
constexpr std::array<std::uint64_t, 3> kConflictLimits = {100, 1'000, 20'000};

using Row = std::array<std::uint64_t, kWords>;

/// sum = x ^ y ^ carry_in, over nodes; `half` is x ^ y.
struct Bit {
  Lit sum, half, x, y, carry_in;
};

Row majority(const Row& x, const Row& y, const Row& z) {
  Row out;
  for (std::size_t w = 0; w < kWords; ++w) out[w] = (x[w] & y[w]) | (z[w] & (x[w] | y[w]));
  return out;
}

Row inverted(Row row) {
  for (std::uint64_t& word : row) word = ~word;
  return row;
}

std::uint64_t hash(const Row& row) {
  std::uint64_t mixed = 0;
  for (const std::uint64_t word : row) {
    mixed = (mixed ^ word) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
  }
  return mixed;
}

/// Ways to take what gates alone leave open; none fits all circuits.
struct Reading {
  /// A half adder in a carry chain adds an operand and a carry, which is followed on; else two operands,
  /// where the adder begins.
  bool follows_carries;
  /// The sum of a half adder is never that of an operand and a carry.
  bool skips_half_sums;
};

class CarryFinder {
 public:
  CarryFinder(const AigStore& store, const AdderCells& found, Reading reading, dynomite::Stop& stop)
      : store_(store),
        found_(found),
        reading_(reading),
        stop_(stop),
        levels_(levels(store)),
        is_cut_(store.node_count(), false) {}

  CarryCells run() {
    find_bits();
    if (bits_.empty()) return {};
    follow_chains();
    choose_cut();
    copy_region();
    simulate();
    index_values();
    propose();
    prove();
    result_.cuts.push_back(std::move(origin_));
    return std::move(result_);
  }

 private:
  /// A full adder's carry of these literals, to be proved: `ours` is the majority in `region_`.
  struct Proposal {
    AdderCell cell;
    Lit ours, theirs;
  };

  void find_bits() {
    is_full_sum_.assign(store_.node_count(), false);
    xor_of_.assign(store_.node_count(), kNone);
    for (std::uint32_t i = 0; i < found_.xors.size(); ++i) xor_of_[found_.xors[i].node.index()] = i;
    is_made_by_cell_.assign(store_.node_count(), false);
    for (const AdderCell& cell : found_.cells) {
      is_made_by_cell_[cell.sum.node().index()] = is_made_by_cell_[cell.carry.node().index()] = true;
      if (!cell.is_half()) is_full_sum_[cell.sum.node().index()] = true;
    }
    for (const XorNode& top : found_.xors) {
      if (is_full_sum_[top.node.index()] || found_.inside_cell[top.node.index()]) continue;
      if (reading_.skips_half_sums && is_made_by_cell_[top.node.index()]) continue;
      for (const Bit& bit : readings(top)) bits_.push_back(bit);
    }
  }

  /// The ways to take an exclusive or as a sum bit.
  std::vector<Bit> readings(const XorNode& top) const {
    std::vector<Bit> result;
    for (const auto& [half, carry] : {std::pair{top.first, top.second}, std::pair{top.second, top.first}}) {
      const std::uint32_t inner = xor_of_[half.node().index()];
      if (inner == kNone) continue;
      if (is_full_sum_[half.node().index()]) {
        result.push_back({Lit(top.node, false), half, half, kFalse, carry});
        continue;
      }
      const XorNode& both = found_.xors[inner];
      // `half` is x ^ y with the complement of `half` in x.
      result.push_back({Lit(top.node, false), half, both.first ^ half.complemented(), both.second, carry});
    }
    if (!result.empty()) return result;
    const bool swapped = is_carry_rather(top.first, top.second);
    const Lit x = swapped ? top.second : top.first;
    return {{Lit(top.node, false), x, x, kFalse, swapped ? top.first : top.second}};
  }

  /// Whether of two literals the first looks like the carry of an adder and the second like an operand: what
  /// cells make is an operand, or else what has less logic below.
  bool is_carry_rather(Lit first, Lit second) const {
    const bool made = is_made_by_cell_[first.node().index()];
    if (made != is_made_by_cell_[second.node().index()]) return !made;
    return levels_[first.node().index()] > levels_[second.node().index()];
  }

  /// Full adders further down the carry chain are bits of the same adder.
  void follow_chains() {
    std::vector<std::uint32_t> cell_of(store_.node_count(), kNone);
    for (std::uint32_t i = 0; i < found_.cells.size(); ++i) cell_of[found_.cells[i].carry.node().index()] = i;
    std::vector<bool> met(found_.cells.size(), false);
    chain_ = bits_;
    for (std::size_t at = 0; at < chain_.size(); ++at) {
      const std::uint32_t index = cell_of[chain_[at].carry_in.node().index()];
      if (index == kNone || met[index]) continue;
      met[index] = true;
      const AdderCell& cell = found_.cells[index];
      const std::uint32_t top = xor_of_[cell.sum.node().index()];
      if (cell.is_half()) {
        if (top == kNone) continue;
        const bool swapped = is_carry_rather(cell.in[0], cell.in[1]);
        const Lit low = cell.in[swapped ? 1 : 0];
        const Lit high = cell.in[swapped ? 0 : 1];
        chain_.push_back(reading_.follows_carries ? Bit{cell.sum, low, low, kFalse, high}
                                                  : Bit{cell.sum, cell.sum, cell.in[0], cell.in[1], kFalse});
        continue;
      }
      if (top == kNone) continue;
      for (const Bit& bit : readings(found_.xors[top])) {
        const auto is_input = [&](Lit lit) {
          return std::any_of(cell.in.begin(), cell.in.end(), [&](Lit in) { return in.node() == lit.node(); });
        };
        if (is_input(bit.x) && is_input(bit.y) && is_input(bit.carry_in)) {
          chain_.push_back(bit);
          break;
        }
      }
    }
  }

  /// Operands of the adders, and sums and carries of all cells that are not part of them.
  void choose_cut() {
    std::vector<bool> inside(store_.node_count(), false);
    for (const Bit& bit : chain_) {
      inside[bit.half.node().index()] = inside[bit.sum.node().index()] = true;
      is_cut_[bit.x.node().index()] = true;
      if (bit.y != kFalse) is_cut_[bit.y.node().index()] = true;
    }
    for (const AdderCell& cell : found_.cells) {
      if (inside[cell.sum.node().index()]) continue;
      is_cut_[cell.sum.node().index()] = is_cut_[cell.carry.node().index()] = true;
    }
  }

  /// The logic between the cut and the sums and outputs, with the cut as inputs.
  void copy_region() {
    std::vector<bool> wanted(store_.node_count(), false);
    for (const Bit& bit : chain_) {
      wanted[bit.sum.node().index()] = wanted[bit.carry_in.node().index()] = true;
      wanted[bit.half.node().index()] = true;
      wanted[bit.x.node().index()] = wanted[bit.y.node().index()] = true;
    }
    for (const Lit root : store_.outputs()) wanted[root.node().index()] = true;
    for (const AdderCell& cell : found_.cells) {
      for (const Lit in : cell.in) wanted[in.node().index()] = true;
    }
    map_.assign(store_.node_count(), kFalse);
    for (std::uint32_t i = store_.node_count(); i-- > 1;) {
      if (!wanted[i] || is_input(i)) continue;
      wanted[store_.fanin0(NodeId(i)).node().index()] = true;
      wanted[store_.fanin1(NodeId(i)).node().index()] = true;
    }
    for (std::uint32_t i = 1; i < store_.node_count(); ++i) {
      if (!wanted[i] || !is_input(i)) continue;
      map_[i] = region_.add_input();
      origin_.push_back(i);
    }
    for (std::uint32_t i = 1; i < store_.node_count(); ++i) {
      if (!wanted[i] || is_input(i)) continue;
      map_[i] = region_.and_(at(store_.fanin0(NodeId(i))), at(store_.fanin1(NodeId(i))));
    }
  }

  bool is_input(std::uint32_t node) const { return is_cut_[node] || !store_.is_and(NodeId(node)); }
  Lit at(Lit lit) const { return map_[lit.node().index()] ^ lit.complemented(); }

  void simulate() {
    dynomite::Random random(1);
    values_.resize(region_.node_count());
    for (std::uint32_t i = 1; i <= origin_.size(); ++i) {
      for (std::uint64_t& word : values_[i]) word = random.next();
    }
    // Carries run far: the operands of a bit differ always but for 1 in 2, 8, 32, 128; those that stand alone
    // are 1, in other patterns 0, just as often.
    for (const Bit& bit : chain_) {
      const Lit x = at(bit.x);
      const Lit y = at(bit.y);
      if (region_.is_and(x.node()) || region_.is_and(y.node()) || x.node() == y.node()) continue;
      Row& own = values_[(bit.y == kFalse ? x : y).node().index()];
      for (std::size_t w = 0; w < kWords; ++w) {
        std::uint64_t stops = random.next();
        for (std::size_t k = 0; k < 2 * (w % 4); ++k) stops &= random.next();
        const std::uint64_t other =
            bit.y == kFalse ? (w / 4 % 2 == 0 ? 0 : ~std::uint64_t{0}) : value_at(x, w);
        const bool flip = bit.y == kFalse ? x.complemented() : y.complemented();
        own[w] = other ^ ~stops ^ (flip ? ~std::uint64_t{0} : 0);
      }
    }
    for (std::uint32_t i = 1; i < region_.node_count(); ++i) {
      const NodeId id(i);
      if (!region_.is_and(id)) continue;
      const Row a = value(region_.fanin0(id));
      const Row b = value(region_.fanin1(id));
      for (std::size_t w = 0; w < kWords; ++w) values_[i][w] = a[w] & b[w];
    }
  }

  std::uint64_t value_at(Lit lit, std::size_t word) const {
    return values_[lit.node().index()][word] ^ (lit.complemented() ? ~std::uint64_t{0} : 0);
  }

  Row value(Lit lit) const {
    const Row& plain = values_[lit.node().index()];
    return lit.complemented() ? inverted(plain) : plain;
  }

  void index_values() {
    // Carries that something takes.
    std::vector<bool> taken(store_.node_count(), false);
    const auto take = [&](Lit lit) { taken[lit.node().index()] = true; };
    for (const Bit& bit : chain_) {
      for (const Lit lit : {bit.x, bit.y, bit.half, bit.carry_in}) take(lit);
    }
    for (const AdderCell& cell : found_.cells) std::for_each(cell.in.begin(), cell.in.end(), take);
    std::for_each(store_.outputs().begin(), store_.outputs().end(), take);
    for (std::uint32_t i = 1; i < store_.node_count(); ++i) {
      const Lit own = map_[i];
      if (!taken[i] || own == kFalse || !region_.is_and(own.node()) || is_input(i)) continue;
      const bool flip = (value(own)[0] & 1U) != 0;
      const Row row = value(own ^ flip);
      by_value_.emplace(hash(row), Lit(NodeId(i), flip));
    }
  }

  /// Nodes of the store with these values.
  std::vector<Lit> find(const Row& wanted) const {
    std::vector<Lit> result;
    const bool flip = (wanted[0] & 1U) != 0;
    const Row row = flip ? inverted(wanted) : wanted;
    const auto [first, last] = by_value_.equal_range(hash(row));
    for (auto it = first; it != last; ++it) {
      if (value(at(it->second)) == row) result.push_back(it->second ^ flip);
    }
    return result;
  }

  void propose() {
    for (const Bit& bit : bits_) {
      propose(bit, bit.x, bit.y);
      // The exclusive or of two bits of an operand's tree looks like that of the operands.
      if (bit.y != kFalse) propose(bit, bit.half, kFalse);
    }
    for (Proposal& each : proposals_) {
      const auto [x, y, c] = std::array{at(each.cell.in[0]), at(each.cell.in[1]), at(each.cell.in[2])};
      each.ours = region_.or_(region_.and_(x, y), region_.and_(c, region_.or_(x, y)));
    }
  }

  /// Cells whose sum is that of the bit, for all signs of its operands.
  void propose(const Bit& bit, Lit x, Lit y) {
    for (unsigned signs = 0; signs < 4; ++signs) {
      const bool flip_y = (signs & 1U) != 0;
      const bool flip_carry = (signs & 2U) != 0;
      const std::array<Lit, 3> in = {x ^ (y == kFalse && flip_y), y ^ (y != kFalse && flip_y),
                                     bit.carry_in ^ flip_carry};
      // A constant is the last input of a half adder.
      const std::array<Lit, 3> ordered = y == kFalse ? std::array{in[0], in[2], kFalse} : in;
      for (const Lit out : find(majority(value(at(in[0])), value(at(in[1])), value(at(in[2]))))) {
        proposals_.push_back({{ordered, bit.sum ^ (flip_y != flip_carry), out}, kFalse, at(out)});
      }
    }
  }

  void prove() {
    std::vector<std::pair<Lit, Lit>> pairs;
    for (const Proposal& each : proposals_) pairs.emplace_back(each.ours, each.theirs);
    Sweeper sweeper(region_, pairs, {}, 1);
    for (const std::uint64_t limit : kConflictLimits) {
      if (sweeper.run(limit, stop_) != Sweeper::Outcome::kLimit) break;
    }
    for (std::size_t i = 0; i < proposals_.size(); ++i) {
      if (sweeper.statuses()[i] == PairStatus::kEqual) {
        result_.cells.push_back(proposals_[i].cell);
      } else {
        ++result_.refused;
      }
    }
  }

  const AigStore& store_;
  const AdderCells& found_;
  Reading reading_;
  dynomite::Stop& stop_;
  std::vector<std::uint32_t> xor_of_;
  std::vector<bool> is_full_sum_, is_made_by_cell_;
  std::vector<std::uint32_t> levels_;
  std::vector<Bit> bits_;   // sums that no cell has
  std::vector<Bit> chain_;  // these and the full adders whose carries they take
  std::vector<bool> is_cut_;
  AigStore region_;
  std::vector<Lit> map_;               // node of the store -> literal of the region
  std::vector<std::uint32_t> origin_;  // input of the region -> node of the store
  std::vector<Row> values_;
  std::unordered_multimap<std::uint64_t, Lit> by_value_;
  std::vector<Proposal> proposals_;
  CarryCells result_;
};

}  // namespace

CarryCells find_carry_cells(const AigStore& store, const AdderCells& found, dynomite::Stop& stop) {
  CarryCells result;
  for (const bool follows_carries : {true, false}) {
    for (const bool skips_half_sums : {false, true}) {
      CarryCells more = CarryFinder(store, found, {follows_carries, skips_half_sums}, stop).run();
      result.cut_of.resize(result.cut_of.size() + more.cells.size(),
                           static_cast<std::uint8_t>(result.cuts.size()));
      result.cuts.push_back(more.cuts.empty() ? std::vector<std::uint32_t>() : std::move(more.cuts.front()));
      result.cells.insert(result.cells.end(), more.cells.begin(), more.cells.end());
      result.refused += more.refused;
    }
  }
  return result;
}

}  // namespace dmt::algebra
