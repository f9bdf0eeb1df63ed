#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "dmt_dialect/native/arith/adder_trees.hpp"

// Bit i of a sum is p XOR c, where p is the exclusive or of the operands' bits x and y, and c the carry into
// the bit. The carry out of it is the majority of x, y and c, whatever gates make it: looked for by its
// values, and taken if it meets the exclusive or of two others in an exclusive or again.

namespace dmt {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;
/// Fewer bits than this are no find.
constexpr std::size_t kFewest = 3;

Signature majority(const Signature& x, const Signature& y, const Signature& z) {
  Signature out;
  for (std::size_t k = 0; k < kSignatureWords; ++k) out[k] = (x[k] & y[k]) | (z[k] & (x[k] | y[k]));
  return out;
}

class PrefixFinder {
 public:
  PrefixFinder(const AigStore& store, const FunctionTable& table, ArithReport& report)
      : table_(table),
        report_(report),
        xor_of_(store.node_count(), kNone),
        used_(store.node_count(), false),
        is_cell_sum_(store.node_count(), false) {
    for (const AdderCell& cell : report.found.cells) is_cell_sum_[cell.sum.node().index()] = true;
    const auto& xors = report.found.xors;
    for (std::uint32_t i = 0; i < xors.size(); ++i) {
      xor_of_[xors[i].node.index()] = i;
      xors_with_[xors[i].first.node().index()].push_back(i);
      xors_with_[xors[i].second.node().index()].push_back(i);
    }
  }

  void run() {
    // A full adder may begin a word as well, with a carry in, but only where no other cell does.
    for (const bool half : {true, false}) {
      for (std::uint32_t i = 0; i < report_.found.cells.size(); ++i) {
        const AdderCell cell = report_.cell(i);
        if (cell.is_half() == half && (half || report_.weight_of[i] == 0)) from(i);
      }
    }
  }

 private:
  struct NextBit {
    Lit x, y, sum;
  };

  /// The bit whose exclusive or of x and y meets this carry: sum = x XOR y XOR carry.
  std::optional<NextBit> next_bit(Lit carry) const {
    const auto uses = xors_with_.find(carry.node().index());
    if (uses == xors_with_.end()) return std::nullopt;
    for (const std::uint32_t number : uses->second) {
      const XorNode& top = report_.found.xors[number];
      if (used_[top.node.index()]) continue;
      const bool first = top.first.node() == carry.node();
      const Lit other = first ? top.second : top.first;
      const Lit here = first ? top.first : top.second;
      const std::uint32_t inner = xor_of_[other.node().index()];
      if (inner == kNone) continue;
      const XorNode& both = report_.found.xors[inner];
      // `top` is the exclusive or of its literals as they are written.
      const bool flip = (here != carry) != other.complemented();
      return NextBit{both.first, both.second, Lit(top.node, flip)};
    }
    return std::nullopt;
  }

  void from(std::uint32_t start) {
    AdderCell cell = report_.cell(start);
    if (cell.in[2] == kTrue) cell = cell.flipped();
    if (used_[cell.sum.node().index()]) return;
    PrefixAdder found{{cell.in[0]}, {cell.in[1]}, cell.in[2], {cell.sum}, kFalse};
    std::unordered_set<std::uint32_t> sums = {cell.sum.node().index()};
    Lit carry = cell.carry;
    while (carry.node() != kConstNode) {
      std::optional<NextBit> bit = next_bit(carry);
      if (!bit.has_value() || !sums.insert(bit->sum.node().index()).second) break;
      carry = carry_out(*bit, carry, found.a.back(), found.b.back());
      found.a.push_back(bit->x);
      found.b.push_back(bit->y);
      found.sum.push_back(bit->sum);
    }
    found.carry_out = carry;
    if (found.sum.size() < kFewest || is_known(found)) return;
    for (const std::uint32_t node : sums) used_[node] = true;
    choose_polarity(found);
    report_.prefix_adders.push_back(std::move(found));
  }

  /// The carry out of a bit. The exclusive or does not tell the signs of x, y and the sum: the carry does, or
  /// else they are as in the bit below.
  Lit carry_out(NextBit& bit, Lit carry, Lit below_x, Lit below_y) const {
    const bool flip_x = bit.x.complemented() != below_x.complemented();
    const bool flip_y = bit.y.complemented() != below_y.complemented();
    const NextBit alike{bit.x ^ flip_x, bit.y ^ flip_y, bit.sum ^ (flip_x != flip_y)};
    std::optional<Lit> ending;
    for (unsigned choice = 0; choice < 4; ++choice) {
      const bool dx = (choice & 1U) != 0;
      const bool dy = dx != (choice >= 2);
      const NextBit tried{alike.x ^ dx, alike.y ^ dy, alike.sum ^ (dx != dy)};
      const Signature wanted = majority(table_.value(tried.x), table_.value(tried.y), table_.value(carry));
      const std::optional<Lit> out = table_.find(wanted);
      if (!out.has_value() || out->node() == kConstNode) continue;
      if (next_bit(*out).has_value()) {
        bit = tried;
        return *out;
      }
      if (choice == 0) ending = out;
    }
    bit = alike;
    return ending.value_or(kFalse);
  }

  /// Whether cells make all of it but the highest bit: then their trees tell of it.
  bool is_known(const PrefixAdder& found) const {
    return std::all_of(found.sum.begin(), found.sum.end() - 1,
                       [&](Lit lit) { return is_cell_sum_[lit.node().index()]; });
  }

  /// All complemented the sum is one as well: x + y + c = s is ~x + ~y + ~c = ~s. The way with more plain
  /// literals.
  static void choose_polarity(PrefixAdder& found) {
    const std::array<std::vector<Lit>*, 3> words = {&found.a, &found.b, &found.sum};
    std::size_t complemented = 0;
    for (const auto* word : words) {
      complemented += static_cast<std::size_t>(
          std::count_if(word->begin(), word->end(), [](Lit lit) { return lit.complemented(); }));
    }
    if (2 * complemented <= 3 * found.sum.size()) return;
    for (auto* word : words) {
      for (Lit& lit : *word) lit = ~lit;
    }
    found.carry_in = ~found.carry_in;
    if (found.carry_out.node() != kConstNode) found.carry_out = ~found.carry_out;
  }

  const FunctionTable& table_;
  ArithReport& report_;
  std::vector<std::uint32_t> xor_of_;
  std::vector<bool> used_;
  std::vector<bool> is_cell_sum_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> xors_with_;
};

}  // namespace

void find_prefix_adders(const AigStore& store, const FunctionTable& table, ArithReport& report) {
  PrefixFinder(store, table, report).run();
}

}  // namespace dmt
