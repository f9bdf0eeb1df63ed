#include "dmt_dialect/native/opt/five_input_library.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "dmt_dialect/native/opt/bits.hpp"
#include "dmt_dialect/native/opt/small_tables.hpp"

namespace dmt::opt {

namespace {

constexpr std::size_t kMostStructures = 10;  // kept for a function
constexpr std::size_t kBest4 = 4;            // structures of a function of four variables that are tried
constexpr std::uint16_t kZero = kStructureFalse, kOne = kStructureFalse + 1;

std::uint16_t inverted(std::uint16_t lit) { return static_cast<std::uint16_t>(lit ^ 1U); }

/// Collects structures of one function; gates are shared between them.
class StructureMaker {
 public:
  explicit StructureMaker(Table5 table) : table_(table) { made_.inputs = 5; }

  ClassStructures make() {
    for (unsigned v = 0; v < 5; ++v) around_variable(v);
    for (unsigned bound = 1; bound < 32; ++bound) {
      const std::uint32_t size = count_ones(bound);
      if (size == 2 || size == 3) through_one_bit(bound);
    }
    keep_best();
    return std::move(made_);
  }

 private:
  using Lits4 = std::array<std::uint16_t, 4>;

  std::uint16_t and_(std::uint16_t a, std::uint16_t b) {
    if (a == kZero || b == kZero || a == inverted(b)) return kZero;
    if (a == kOne || a == b) return b;
    if (b == kOne) return a;
    if (a > b) std::swap(a, b);
    for (std::size_t i = 0; i < made_.gates.size(); ++i) {
      if (made_.gates[i].fanin0 == a && made_.gates[i].fanin1 == b)
        return static_cast<std::uint16_t>(2 * (i + 5));
    }
    made_.gates.push_back({a, b});
    return static_cast<std::uint16_t>(2 * (made_.gates.size() + 4));
  }
  std::uint16_t or_(std::uint16_t a, std::uint16_t b) { return inverted(and_(inverted(a), inverted(b))); }
  std::uint16_t mux(std::uint16_t s, std::uint16_t t, std::uint16_t e) {
    return or_(and_(s, t), and_(inverted(s), e));
  }

  /// A function of four literals, by the structure with this number of its class; none if there is no such.
  std::optional<std::uint16_t> four(Table4 table, const Lits4& lits, std::size_t number) {
    const NpnTransform& transform = NpnClasses::get().transform(table);
    const ClassStructures& all = NpnLibrary::get().of(transform.npn_class);
    if (number >= all.structures.size()) return std::nullopt;
    const Structure& structure = all.structures[number];
    const auto flipped = static_cast<std::uint16_t>((transform.phase >> 4) & 1U);
    if (structure.output == kStructureFalse) return static_cast<std::uint16_t>(kZero ^ flipped);
    std::vector<std::uint16_t> lit(all.gates.size() + 4);
    for (unsigned i = 0; i < 4; ++i)
      lit[i] = static_cast<std::uint16_t>(lits[transform.variable[i]] ^ ((transform.phase >> i) & 1U));
    const auto literal = [&](std::uint16_t local) {
      return static_cast<std::uint16_t>(lit[local >> 1] ^ (local & 1U));
    };
    for (const std::uint16_t gate : structure.gates)
      lit[gate] = and_(literal(all.gates[gate - 4U].fanin0), literal(all.gates[gate - 4U].fanin1));
    return static_cast<std::uint16_t>(literal(structure.output) ^ flipped);
  }

  /// The function of the variables other than v, in their order.
  static Table4 without(Table5 table, unsigned v) {
    for (unsigned i = v; i < 4; ++i) table = swap_variables(table, i, i + 1);
    return static_cast<Table4>(table);
  }
  static Lits4 others(unsigned v) {
    Lits4 lits{};
    for (unsigned i = 0, at = 0; i < 5; ++i) {
      if (i != v) lits[at++] = static_cast<std::uint16_t>(2 * i);
    }
    return lits;
  }

  void around_variable(unsigned v) {
    const Table4 low = without(cofactor(table_, v, false), v), high = without(cofactor(table_, v, true), v);
    const Lits4 lits = others(v);
    const auto own = static_cast<std::uint16_t>(2 * v);
    for (std::size_t i = 0; i < kBest4; ++i) {
      const auto x = four(low, lits, i);
      if (!x) break;
      if (high == static_cast<Table4>(~low)) {
        add(mux(own, inverted(*x), *x));
        continue;
      }
      for (std::size_t j = 0; j < kBest4; ++j) {
        const auto y = four(high, lits, j);
        if (!y) break;
        add(mux(own, *y, *x));
        // One cofactor implies the other: an OR or AND is enough in place of a multiplexer.
        if ((low & static_cast<Table4>(~high)) == 0) add(or_(*x, and_(own, *y)));
        if ((high & static_cast<Table4>(~low)) == 0) add(or_(*y, and_(inverted(own), *x)));
      }
      const auto change = four(static_cast<Table4>(low ^ high), lits, i);
      if (change) {
        const std::uint16_t term = and_(own, *change);
        add(mux(term, inverted(*x), *x));
      }
    }
  }

  /// f(bound, rest) = h(g(bound), rest), if there are such.
  void through_one_bit(unsigned bound) {
    std::array<unsigned, 5> order{};
    unsigned inner = 0;
    for (unsigned v = 0; v < 5; ++v) {
      if (((bound >> v) & 1U) != 0) order[inner++] = v;
    }
    const unsigned bits = inner;
    for (unsigned v = 0, at = bits; v < 5; ++v) {
      if (((bound >> v) & 1U) == 0) order[at++] = v;
    }
    // Columns: the function of the rest for each value of the bound variables.
    std::array<std::uint32_t, 8> columns{};
    for (unsigned assignment = 0; assignment < 32; ++assignment) {
      unsigned column = 0, row = 0;
      for (unsigned i = 0; i < 5; ++i) {
        const unsigned value = (assignment >> order[i]) & 1U;
        if (i < bits) {
          column |= value << i;
        } else {
          row |= value << (i - bits);
        }
      }
      columns[column] |= ((table_ >> assignment) & 1U) << row;
    }
    const std::uint32_t zero = columns[0];
    std::uint32_t one = zero;
    Table4 choice = 0;
    for (unsigned c = 1; c < (1U << bits); ++c) {
      if (columns[c] == zero) continue;
      if (one != zero && columns[c] != one) return;
      one = columns[c];
      choice = static_cast<Table4>(choice | (1U << c));
    }
    // g as a table of four variables, h with g as its lowest.
    for (unsigned c = 1U << bits; c < 16; ++c)
      choice = static_cast<Table4>(choice | (((choice >> (c & ((1U << bits) - 1))) & 1U) << c));
    Table4 outer = 0;
    const unsigned rest = 5 - bits;
    for (unsigned m = 0; m < 16; ++m) {
      const unsigned row = (m >> 1) & ((1U << rest) - 1);
      outer = static_cast<Table4>(outer | ((((m & 1U) != 0 ? one : zero) >> row & 1U) << m));
    }
    Lits4 below = {kZero, kZero, kZero, kZero}, above = below;
    for (unsigned i = 0; i < bits; ++i) below[i] = static_cast<std::uint16_t>(2 * order[i]);
    for (unsigned i = 0; i < rest; ++i) above[i + 1] = static_cast<std::uint16_t>(2 * order[bits + i]);
    for (std::size_t i = 0; i < kBest4; ++i) {
      const auto g = four(choice, below, i);
      if (!g) break;
      above[0] = *g;
      for (std::size_t j = 0; j < kBest4; ++j) {
        const auto h = four(outer, above, j);
        if (!h) break;
        add(*h);
      }
    }
  }

  void add(std::uint16_t output) {
    const bool is_known = std::any_of(made_.structures.begin(), made_.structures.end(),
                                      [&](const Structure& have) { return have.output == output; });
    if (is_known) return;
    Structure structure;
    structure.output = output;
    std::vector<bool> needed(made_.gates.size() + 5, false);
    needed[output >> 1] = true;
    for (std::size_t i = made_.gates.size(); i-- > 0;) {
      if (!needed[i + 5]) continue;
      structure.gates.push_back(static_cast<std::uint16_t>(i + 5));
      needed[made_.gates[i].fanin0 >> 1] = true;
      needed[made_.gates[i].fanin1 >> 1] = true;
    }
    std::reverse(structure.gates.begin(), structure.gates.end());
    made_.structures.push_back(std::move(structure));
  }

  /// The smallest structures and their gates, numbered anew.
  void keep_best() {
    std::vector<Structure>& all = made_.structures;
    std::stable_sort(all.begin(), all.end(),
                     [](const Structure& x, const Structure& y) { return x.gates.size() < y.gates.size(); });
    if (all.size() > kMostStructures) all.resize(kMostStructures);
    std::vector<std::uint16_t> number(made_.gates.size() + 5, 0);
    for (const Structure& structure : all) {
      for (const std::uint16_t gate : structure.gates) number[gate] = 1;
    }
    std::vector<StructureGate> gates;
    for (std::uint16_t i = 0; i < 5; ++i) number[i] = i;
    const auto moved = [&](std::uint16_t lit) {
      return static_cast<std::uint16_t>(2 * number[lit >> 1] + (lit & 1U));
    };
    for (std::size_t i = 0; i < made_.gates.size(); ++i) {
      if (number[i + 5] == 0) continue;
      number[i + 5] = static_cast<std::uint16_t>(gates.size() + 5);
      gates.push_back({moved(made_.gates[i].fanin0), moved(made_.gates[i].fanin1)});
    }
    for (Structure& structure : all) {
      for (std::uint16_t& gate : structure.gates) gate = number[gate];
      structure.output = moved(structure.output);
    }
    made_.gates = std::move(gates);
  }

  const Table5 table_;
  ClassStructures made_;
};

}  // namespace

FiveInputStructures FiveInputLibrary::of(Table5 table) {
  FiveInputStructures found;
  for (unsigned v = 0; v < 5; ++v)
    assert(depends_on(table, v) && "smaller functions have a library of their own");
  const auto ones = [](Table5 word) { return count_ones(word); };
  found.complement = ones(table) > 16 || (ones(table) == 16 && (table & 1U) != 0);
  if (found.complement) table = ~table;
  // Each variable so that its negative cofactor has no fewer ones, then by the ones of the positive one.
  std::array<std::uint32_t, 5> weight{};
  for (unsigned v = 0; v < 5; ++v) {
    const std::uint32_t high = ones(table & kVariables5[v]), low = ones(table & ~kVariables5[v]);
    if (high > low) {
      table = flip_variable(table, v);
      found.phase = static_cast<std::uint8_t>(found.phase | (1U << v));
    }
    weight[v] = std::min(high, low);
  }
  for (unsigned i = 1; i < 5; ++i) {
    for (unsigned j = i; j > 0 && weight[j - 1] > weight[j]; --j) {
      table = swap_variables(table, j - 1, j);
      std::swap(weight[j - 1], weight[j]);
      std::swap(found.variable[j - 1], found.variable[j]);
      const unsigned low = (found.phase >> (j - 1)) & 1U, high = (found.phase >> j) & 1U;
      if (low != high) found.phase = static_cast<std::uint8_t>(found.phase ^ (3U << (j - 1)));
    }
  }
  auto entry = entries_.find(table);
  if (entry == entries_.end()) entry = entries_.emplace(table, StructureMaker(table).make()).first;
  found.all = &entry->second;
  return found;
}

Table5 structure_table5(const ClassStructures& all, const Structure& structure,
                        const std::array<Table5, 5>& inputs) {
  std::vector<Table5> values(inputs.begin(), inputs.end());
  const auto value = [&](std::uint16_t literal) {
    return (literal & 1U) != 0 ? ~values[literal >> 1] : values[literal >> 1];
  };
  values.resize(all.gates.size() + 5);
  for (const std::uint16_t number : structure.gates) {
    const StructureGate gate = all.gates[number - 5U];
    values[number] = value(gate.fanin0) & value(gate.fanin1);
  }
  return value(structure.output);
}

}  // namespace dmt::opt
