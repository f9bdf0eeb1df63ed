#include "dmt_dialect/native/algebra/rebuild.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "dmt_dialect/native/aig/sweep.hpp"
#include "dmt_dialect/native/algebra/value_table.hpp"

namespace dmt::algebra {

namespace {

constexpr std::array<std::uint64_t, 3> kConflictLimits = {100, 1'000, 10'000};
/// Columns with more bits than this are not searched for triples by value.
constexpr std::size_t kMostBitsSearched = 40;
/// More bits than a product of two words has are no sum that somebody built.
constexpr std::size_t most_leaves(std::size_t width) { return width * width; }

class Rebuilder {
 public:
  Rebuilder(AigStore& store, const AdderCells& found, std::span<const Lit> word, dynomite::Stop& stop)
      : store_(store),
        found_(found),
        word_(word.begin(), word.end()),
        stop_(stop),
        values_(store),
        columns_(word.size()),
        searched_(word.size(), false),
        used_(found.cells.size(), false) {
    for (std::uint32_t i = 0; i < found.cells.size(); ++i) {
      for (const Lit in : found.cells[i].in) {
        if (in.node() != kConstNode) cells_with_[key(in)].push_back(i);
      }
    }
  }

  Rebuilt run(const std::vector<Term>& terms) {
    if (!add_terms(terms)) return result_;
    while (!stop_.poll()) {
      if (take_cells() || take_by_values()) continue;
      const std::optional<std::size_t> column = first_open();
      if (!column.has_value()) {
        prove();
        break;
      }
      invent(*column);
    }
    return result_;
  }

 private:
  using Column = std::vector<Lit>;

  /// Name of the function of a literal: the node of the circuit with these values, if there is one.
  Lit canonical(Lit lit) const {
    const auto known = values_.find(values_.value(lit));
    return known.value_or(lit);
  }
  std::uint32_t key(Lit lit) const { return canonical(lit).node().index(); }

  /// The terms as bits of their columns; false if there are too many.
  bool add_terms(const std::vector<Term>& terms) {
    const Ring ring(static_cast<std::uint32_t>(word_.size()));
    Coefficient constant;
    std::size_t count = 0;
    if (terms.size() > most_leaves(word_.size())) return false;
    for (const Term& term : terms) {
      if (term.variables.empty()) {
        constant = ring.sum(constant, term.coefficient);
        continue;
      }
      Lit product = kTrue;
      for (const std::uint32_t variable : term.variables) product = store_.and_(product, input(variable));
      Coefficient coefficient = term.coefficient;
      const Coefficient minus = ring.negated(coefficient);
      if (bit_count(minus) < bit_count(coefficient)) {
        // -k x = k (1 - x) - k
        constant = ring.sum(constant, coefficient);
        coefficient = minus;
        product = ~product;
      }
      count += bit_count(coefficient);
      if (count > most_leaves(word_.size())) return false;
      add_bits(coefficient, product);
    }
    add_bits(constant, kTrue);
    values_.extend();
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      for (const Lit bit : columns_[column]) fresh_.emplace_back(column, bit);
    }
    return true;
  }

  static std::size_t bit_count(const Coefficient& coefficient) {
    std::size_t count = 0;
    for (const std::uint64_t word : coefficient.words) {
      count += static_cast<std::size_t>(__builtin_popcountll(word));
    }
    return count;
  }

  void add_bits(const Coefficient& coefficient, Lit lit) {
    for (std::size_t bit = 0; bit < columns_.size(); ++bit) {
      if (((coefficient.words[bit / 64] >> (bit % 64)) & 1U) != 0) columns_[bit].push_back(lit);
    }
  }

  Lit input(std::uint32_t variable) const {
    const std::size_t inputs = store_.inputs().size();
    return variable < inputs ? Lit(store_.inputs()[variable], false)
                             : Lit(store_.latches()[variable - inputs].node, false);
  }

  void add(std::size_t column, Lit lit) {
    if (column >= columns_.size() || lit == kFalse) return;
    columns_[column].push_back(lit);
    searched_[column] = false;
    fresh_.emplace_back(column, lit);
  }

  /// Adds bits of a column; they are among its bits.
  void combine(std::size_t column, std::array<Lit, 3> in) {
    Column& bits = columns_[column];
    for (const Lit lit : in) {
      if (lit != kFalse) bits.erase(std::find(bits.begin(), bits.end(), lit));
    }
    const Lit half = store_.xor_(in[0], in[1]);
    const Lit sum = store_.xor_(half, in[2]);
    const Lit carry = store_.or_(store_.and_(in[0], in[1]), store_.and_(half, in[2]));
    values_.extend();
    add(column, sum);
    add(column + 1, carry);
    searched_[column] = false;
  }

  /// A bit of the column that has the values of `wanted` and is none of `taken`.
  std::optional<Lit> in_column(const Column& bits, Lit wanted, std::span<const Lit> taken) const {
    const Values values = values_.value(wanted);
    for (const Lit bit : bits) {
      if (std::find(taken.begin(), taken.end(), bit) != taken.end()) continue;
      if (values_.value(bit) == values) return bit;
    }
    return std::nullopt;
  }

  /// Uses cells of the circuit whose inputs have met in a column; true if there was one.
  bool take_cells() {
    bool any = false;
    while (!fresh_.empty()) {
      const auto [column, bit] = fresh_.back();
      fresh_.pop_back();
      const auto cells = cells_with_.find(key(bit));
      if (cells == cells_with_.end()) continue;
      for (const std::uint32_t index : cells->second) {
        if (!used_[index] && take_cell(column, index)) {
          used_[index] = true;
          any = true;
          break;
        }
      }
    }
    return any;
  }

  bool take_cell(std::size_t column, std::uint32_t index) {
    const AdderCell& cell = found_.cells[index];
    for (const bool flip : {false, true}) {
      if (flip && cell.is_half()) break;  // other than a full adder it is none when complemented
      std::vector<Lit> in;
      for (const Lit lit : cell.in) {
        if (lit == kFalse) continue;
        const auto bit = in_column(columns_[column], lit ^ flip, in);
        if (!bit.has_value()) break;
        in.push_back(*bit);
      }
      if (in.size() != (cell.is_half() ? 2U : 3U)) continue;
      ++result_.by_gates;
      combine(column, {in[0], in[1], cell.is_half() ? kFalse : in[2]});
      return true;
    }
    return false;
  }

  /// Uses an adder of which sum and carry are there by values; true if there was one.
  bool take_by_values() {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      if (searched_[column] || columns_[column].size() < 2) continue;
      if (stop_.poll_clock()) return false;
      if (columns_[column].size() <= kMostBitsSearched && (take_triple(column) || take_pair(column)))
        return true;
      searched_[column] = true;
    }
    return false;
  }

  bool is_there(const Values& values) const {
    const auto lit = values_.find(values);
    return lit.has_value() && lit->node() != kConstNode;
  }

  bool take_triple(std::size_t column) {
    const Column bits = columns_[column];
    std::vector<Values> values;
    for (const Lit bit : bits) values.push_back(values_.value(bit));
    for (std::size_t i = 0; i < bits.size(); ++i) {
      for (std::size_t j = i + 1; j < bits.size(); ++j) {
        const Values half = values[i] ^ values[j];
        for (std::size_t k = j + 1; k < bits.size(); ++k) {
          if (!is_there(half ^ values[k])) continue;
          if (!is_there(majority_of(values[i], values[j], values[k]))) continue;
          ++result_.by_values;
          combine(column, {bits[i], bits[j], bits[k]});
          return true;
        }
      }
    }
    return false;
  }

  bool take_pair(std::size_t column) {
    const Column& bits = columns_[column];
    for (std::size_t i = 0; i < bits.size(); ++i) {
      for (std::size_t j = i + 1; j < bits.size(); ++j) {
        const Values a = values_.value(bits[i]);
        const Values b = values_.value(bits[j]);
        if (!is_there(a ^ b) || !is_there(majority_of(a, b, Values{}))) continue;
        ++result_.by_values;
        combine(column, {bits[i], bits[j], kFalse});
        return true;
      }
    }
    return false;
  }

  std::optional<std::size_t> first_open() const {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      if (columns_[column].size() > 1) return column;
    }
    return std::nullopt;
  }

  /// An adder of bits that only a sum or nothing at all speaks for.
  void invent(std::size_t column) {
    ++result_.invented;
    const Column& bits = columns_[column];
    for (std::size_t i = 0; i < bits.size() && bits.size() <= kMostBitsSearched; ++i) {
      for (std::size_t j = i + 1; j < bits.size(); ++j) {
        const Values half = values_.value(bits[i]) ^ values_.value(bits[j]);
        for (std::size_t k = j + 1; k < bits.size(); ++k) {
          if (!is_there(half ^ values_.value(bits[k]))) continue;
          combine(column, {bits[i], bits[j], bits[k]});
          return;
        }
      }
    }
    combine(column, {bits[0], bits[1], bits.size() > 2 ? bits[2] : kFalse});
  }

  void prove() {
    std::vector<std::pair<Lit, Lit>> pairs;
    for (std::size_t i = 0; i < word_.size(); ++i) {
      const Lit ours = columns_[i].empty() ? kFalse : columns_[i].front();
      if (values_.value(ours) != values_.value(word_[i])) return;  // a difference, or not this polynomial
      pairs.emplace_back(word_[i], ours);
      result_.word.push_back(ours);
    }
    Sweeper sweeper(store_, pairs, {}, 1);
    for (const std::uint64_t limit : kConflictLimits) {
      if (sweeper.run(limit, stop_) != Sweeper::Outcome::kLimit) break;
    }
    result_.equal = std::all_of(sweeper.statuses().begin(), sweeper.statuses().end(),
                                [](PairStatus status) { return status == PairStatus::kEqual; });
  }

  AigStore& store_;
  const AdderCells& found_;
  std::vector<Lit> word_;
  dynomite::Stop& stop_;
  ValueTable values_;
  std::vector<Column> columns_;
  std::vector<bool> searched_;  // no adder by values among the bits of the column
  std::vector<bool> used_;      // cells
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> cells_with_;
  std::vector<std::pair<std::size_t, Lit>> fresh_;
  Rebuilt result_;
};

}  // namespace

Rebuilt prove_by_rebuilding(AigStore& store, const AdderCells& found, std::span<const Lit> word,
                            const std::vector<Term>& terms, dynomite::Stop& stop) {
  return Rebuilder(store, found, word, stop).run(terms);
}

}  // namespace dmt::algebra
