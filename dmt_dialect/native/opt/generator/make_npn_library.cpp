// Writes the structures of `NpnLibrary` as numbers for a C array; run when the project is built.
//
// Sizes of formulas come from dynamic programming over the classes (every function is an AND or XOR of two
// others, of which one can be a representative). Structures are built by choosing among the decompositions
// with a preference for parts that are there already, many times with different choices; the best different
// ones are kept. A second round works with the sizes that sharing gave in the first.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "dmt_dialect/native/opt/npn_classes.hpp"
#include "dynomite/native/base/random.hpp"

namespace dmt::opt {

namespace {

struct StructureGate {
  std::uint8_t fanin0, fanin1;
};

constexpr std::uint8_t kFalseOutput = 0xFE;
constexpr std::uint8_t kUnknown = 0xFD;
constexpr std::uint32_t kTables = 1U << 16;
constexpr unsigned kXorCost = 3;
constexpr unsigned kRounds = 2;
constexpr unsigned kSlack = 2;             // decompositions this much longer than the shortest are considered
constexpr std::size_t kMostChoices = 400;  // decompositions kept for a class
constexpr std::size_t kTries = 16;         // of them looked at for a choice
constexpr unsigned kSamples = 500;         // structures tried for a class
constexpr std::size_t kMostStructures = 14;  // structures kept for a class

/// `table` as a function of the representative's inputs, or the other way: f(x) with x[variable[i]] = y[i] ^
/// phase.
Table4 to_representative(Table4 table, const NpnTransform& transform) {
  Table4 result = 0;
  for (unsigned assignment = 0; assignment < 16; ++assignment) {
    unsigned source = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned value = ((assignment >> i) ^ (transform.phase >> i)) & 1U;
      source |= value << transform.variable[i];
    }
    result = static_cast<Table4>(result | (((table >> source) & 1U) << assignment));
  }
  return (transform.phase & 16) != 0 ? static_cast<Table4>(~result) : result;
}

class LibraryMaker {
 public:
  LibraryMaker() : random_(1), structures_(classes_.count()) {}

  void make() {
    find_sizes();
    for (unsigned round = 0; round < kRounds; ++round) {
      find_choices();
      for (std::size_t i = 0; i < classes_.count(); ++i) find_structures(static_cast<std::uint8_t>(i));
      // From now on with what sharing has saved.
      for (std::uint32_t t = 0; t < kTables; ++t)
        size_[t] = static_cast<std::uint8_t>(
            structures_[classes_.transform(static_cast<Table4>(t)).npn_class].front().gates.size());
    }
  }

  void write(std::FILE* file) const {
    for (std::size_t npn_class = 0; npn_class < structures_.size(); ++npn_class) {
      for (const Draft& structure : structures_[npn_class]) {
        std::fprintf(file, "%zu,%zu,%u,", npn_class, structure.gates.size(), unsigned{structure.output});
        for (const StructureGate gate : structure.gates)
          std::fprintf(file, "%u,%u,", unsigned{gate.fanin0}, unsigned{gate.fanin1});
        std::fputc('\n', file);
      }
    }
  }

 private:
  struct Choice {
    Table4 left, right;
    bool is_xor;
    std::uint8_t size;
  };

  // Least formula length of every class, by increasing length: AND costs 1, XOR 3.
  void find_sizes() {
    size_.assign(kTables, 0xFF);
    std::vector<std::vector<Table4>> orbit(classes_.count());
    for (std::uint32_t t = 0; t < kTables; ++t)
      orbit[classes_.transform(static_cast<Table4>(t)).npn_class].push_back(static_cast<Table4>(t));
    std::vector<std::vector<Table4>> by_size(1);  // all tables
    std::vector<std::vector<Table4>> heads(1);    // representatives
    std::size_t open = classes_.count();
    const auto settle = [&](Table4 table, unsigned size) {
      if (size_[table] != 0xFF) return;
      const std::uint8_t npn_class = classes_.transform(table).npn_class;
      for (const Table4 member : orbit[npn_class]) {
        size_[member] = static_cast<std::uint8_t>(size);
        by_size[size].push_back(member);
      }
      heads[size].push_back(classes_.representative(npn_class));
      --open;
    };
    settle(0, 0);
    settle(kVariables4[0], 0);
    for (unsigned size = 1; open > 0; ++size) {
      by_size.emplace_back();
      heads.emplace_back();
      for (unsigned left = 0; left < size; ++left) {
        if (left + 1 <= size) {
          for (const Table4 head : heads[left]) {
            for (const Table4 other : by_size[size - 1 - left]) {
              settle(static_cast<Table4>(head & other), size);
              settle(static_cast<Table4>(~head & other), size);
            }
          }
        }
        if (left + kXorCost <= size) {
          for (const Table4 head : heads[left]) {
            for (const Table4 other : by_size[size - kXorCost - left])
              settle(static_cast<Table4>(head ^ other), size);
          }
        }
      }
    }
  }

  void find_choices() {
    choices_.assign(classes_.count(), {});
    seen_.assign(classes_.count(), 0);
    for (const Table4 head : classes_.representatives()) {
      for (std::uint32_t other = 0; other < kTables; ++other) {
        const auto right = static_cast<Table4>(other);
        add_choice(head, right, static_cast<Table4>(head & right), false);
        add_choice(static_cast<Table4>(~head), right, static_cast<Table4>(~head & right), false);
        if ((other & 1U) == 0) add_choice(head, right, static_cast<Table4>(head ^ right), true);
      }
    }
  }

  void add_choice(Table4 left, Table4 right, Table4 result, bool is_xor) {
    if (result == left || result == right || result == 0 || result == 0xFFFF) return;
    const unsigned size = size_[left] + size_[right] + (is_xor ? kXorCost : 1U);
    if (size > size_[result] + kSlack) return;
    const NpnTransform& transform = classes_.transform(result);
    std::vector<Choice>& list = choices_[transform.npn_class];
    // A sample of all, each as likely as any other.
    const std::uint32_t number = seen_[transform.npn_class]++;
    std::size_t place = list.size();
    if (place >= kMostChoices) {
      place = random_.below(number + 1);
      if (place >= kMostChoices) return;
    } else {
      list.emplace_back();
    }
    NpnTransform inputs = transform;
    inputs.phase &= 15;
    Choice choice = {to_representative(left, inputs), to_representative(right, inputs), is_xor,
                     static_cast<std::uint8_t>(size)};
    list[place] = choice;
    complemented_.resize(classes_.count());
    complemented_[transform.npn_class].resize(std::max(complemented_[transform.npn_class].size(), place + 1));
    complemented_[transform.npn_class][place] = (transform.phase & 16) != 0;
  }

  // One structure under construction.
  struct Draft {
    std::vector<StructureGate> gates;
    std::uint8_t output = 0;
    std::uint8_t depth = 0;
    std::vector<std::pair<Table4, std::uint8_t>> known;  // table with value 0 at 0 → literal
  };

  std::uint8_t known_literal(const Draft& draft, Table4 table) const {
    const bool flip = (table & 1U) != 0;
    const auto normal = static_cast<Table4>(flip ? ~table : table);
    for (const auto& [have, literal] : draft.known) {
      if (have == normal) return static_cast<std::uint8_t>(literal ^ static_cast<std::uint8_t>(flip));
    }
    return kUnknown;
  }

  std::uint8_t gate(Draft& draft, std::uint8_t a, std::uint8_t b) {
    if (a > b) std::swap(a, b);
    for (std::size_t i = 0; i < draft.gates.size(); ++i) {
      if (draft.gates[i].fanin0 == a && draft.gates[i].fanin1 == b)
        return static_cast<std::uint8_t>(2 * (i + 4));
    }
    draft.gates.push_back({a, b});
    return static_cast<std::uint8_t>(2 * (draft.gates.size() + 3));
  }

  // A literal for `table`, by choices that look cheap, or at random now and then. The depth of the recursion
  // is at most the length of the shortest formula plus slack.
  std::uint8_t build(Draft& draft, Table4 table, unsigned wildness) {
    const std::uint8_t have = known_literal(draft, table);
    if (have != kUnknown) return have;
    const NpnTransform& transform = classes_.transform(table);
    const std::vector<Choice>& list = choices_[transform.npn_class];
    const std::vector<bool>& flips = complemented_[transform.npn_class];
    std::size_t best = 0;
    unsigned best_cost = 0xFFFF;
    const bool wild = random_.below(100) < wildness;
    const std::size_t tries = std::min<std::size_t>(list.size(), kTries);
    const std::size_t start = random_.below(static_cast<std::uint32_t>(list.size()));
    for (std::size_t i = 0; i < tries; ++i) {
      const std::size_t k = list.size() <= kTries ? (start + i) % list.size()
                                                  : random_.below(static_cast<std::uint32_t>(list.size()));
      const Choice& choice = list[k];
      unsigned cost = wild ? random_.below(1000) : 0;
      if (!wild) {
        const unsigned left =
            known_literal(draft, from(choice.left, transform)) != kUnknown ? 0 : size_[choice.left];
        const unsigned right =
            known_literal(draft, from(choice.right, transform)) != kUnknown ? 0 : size_[choice.right];
        cost = 8 * (left + right + (choice.is_xor ? kXorCost : 1U)) + random_.below(8);
      } else if (choice.size > size_[table]) {
        cost += 300;
      }
      if (cost < best_cost) {
        best_cost = cost;
        best = k;
      }
    }
    const Choice choice = list[best];
    const bool flip = flips[best] != ((transform.phase & 16) != 0);
    const std::uint8_t left = build(draft, from(choice.left, transform), wildness);
    const std::uint8_t right = build(draft, from(choice.right, transform), wildness);
    std::uint8_t result = 0;
    if (choice.is_xor) {
      const std::uint8_t both = gate(draft, left, right);
      const std::uint8_t none = gate(draft, left ^ 1, right ^ 1);
      result = gate(draft, both ^ 1, none ^ 1);
    } else {
      result = gate(draft, left, right);
    }
    result = static_cast<std::uint8_t>(result ^ static_cast<std::uint8_t>(flip));
    const auto normal_flip = static_cast<std::uint8_t>(table & 1U);
    draft.known.emplace_back(normal_flip != 0 ? static_cast<Table4>(~table) : table, result ^ normal_flip);
    return result;
  }

  /// A table over the representative's inputs, over the function's variables; output phase left alone.
  Table4 from(Table4 table, const NpnTransform& transform) const {
    Table4 result = 0;
    for (unsigned assignment = 0; assignment < 16; ++assignment) {
      unsigned inner = 0;
      for (unsigned i = 0; i < 4; ++i)
        inner |=
            (((assignment >> transform.variable[i]) ^ (static_cast<unsigned>(transform.phase) >> i)) & 1U)
            << i;
      result = static_cast<Table4>(result | (((table >> inner) & 1U) << assignment));
    }
    return result;
  }

  void find_structures(std::uint8_t npn_class) {
    const Table4 table = classes_.representative(npn_class);
    std::vector<Draft>& list = structures_[npn_class];
    if (table == 0) {
      list.resize(1);
      list[0].output = kFalseOutput;
      return;
    }
    for (unsigned sample = 0; sample < kSamples; ++sample) {
      Draft draft;
      for (std::uint8_t i = 0; i < 4; ++i)
        draft.known.emplace_back(kVariables4[i], static_cast<std::uint8_t>(2 * i));
      draft.output = build(draft, table, sample % 3 == 0 ? 0 : sample % 3 == 1 ? 15 : 50);
      draft.depth = depth(draft.gates);
      if (trimmed(draft)) keep(list, std::move(draft));
    }
    assert(!list.empty());
    std::stable_sort(list.begin(), list.end(), [](const Draft& a, const Draft& b) {
      return std::pair(a.gates.size(), a.depth) < std::pair(b.gates.size(), b.depth);
    });
    const std::size_t least = list.front().gates.size();
    std::erase_if(list, [&](const Draft& s) { return s.gates.size() > least + 1; });
    if (list.size() > kMostStructures) list.resize(kMostStructures);
  }

  static std::uint8_t depth(const std::vector<StructureGate>& gates) {
    std::vector<std::uint8_t> levels(4, 0);
    std::uint8_t most = 0;
    for (const StructureGate g : gates) {
      levels.push_back(static_cast<std::uint8_t>(1 + std::max(levels[g.fanin0 >> 1], levels[g.fanin1 >> 1])));
      most = std::max(most, levels.back());
    }
    return most;
  }

  /// Whether all gates are needed; folded gates can leave some that are not.
  static bool trimmed(const Draft& structure) {
    std::vector<bool> used(structure.gates.size() + 4, false);
    used[structure.output >> 1] = true;
    for (std::size_t i = structure.gates.size(); i-- > 0;) {
      if (!used[i + 4]) return false;
      used[structure.gates[i].fanin0 >> 1] = true;
      used[structure.gates[i].fanin1 >> 1] = true;
    }
    return true;
  }

  static void keep(std::vector<Draft>& list, Draft made) {
    const auto same = [&](const Draft& s) {
      return s.gates.size() == made.gates.size() && s.output == made.output &&
             std::equal(s.gates.begin(), s.gates.end(), made.gates.begin(),
                        [](StructureGate a, StructureGate b) {
                          return a.fanin0 == b.fanin0 && a.fanin1 == b.fanin1;
                        });
    };
    if (std::none_of(list.begin(), list.end(), same)) list.push_back(std::move(made));
  }

  const NpnClasses& classes_ = NpnClasses::get();
  dynomite::Random random_;
  std::vector<std::vector<Draft>> structures_;
  std::vector<std::uint8_t> size_;
  std::vector<std::vector<Choice>> choices_;
  std::vector<std::vector<bool>> complemented_;
  std::vector<std::uint32_t> seen_;
};

}  // namespace

}  // namespace dmt::opt

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) return 1;
  dmt::opt::LibraryMaker maker;
  maker.make();
  maker.write(file);
  return std::fclose(file) == 0 ? 0 : 1;
}
