#include "dynomite/native/rewrite/part_automaton.hpp"

namespace dynomite::rewrite {

namespace {

constexpr std::size_t kMostLeaves = 63;

struct Ends {
  std::uint64_t first = 0, last = 0;
  bool is_nullable = true;
};

class Builder {
 public:
  Builder(const Rule& rule, const std::vector<bool>& single, PartAutomaton& out)
      : rule_(rule), single_(single), out_(out) {}

  Ends build(std::uint32_t index, std::uint8_t sides) {
    const PatternNode& node = rule_.nodes[index];
    switch (node.kind) {
      case PatternKind::kAny:
      case PatternKind::kType: return leaf(index, sides);
      case PatternKind::kConst:
      case PatternKind::kInstr: return leaf(index, sides | kMustUse);
      case PatternKind::kSame: {
        Ends ends = leaf(index, sides);
        if (!single_[node.slot]) ends = repeated(ends, false);
        return ends;
      }
      case PatternKind::kNamed: return build(node.children[0], sides);
      case PatternKind::kDef: return build(node.children[0], sides | kMustDefine);
      case PatternKind::kUse: return build(node.children[0], sides | kMustUse);
      case PatternKind::kRepeat: return repeated(build(node.children[0], sides), node.at_least_one);
      case PatternKind::kSequence: {
        Ends all;
        for (const std::uint32_t part : node.children) all = joined(all, build(part, sides));
        return all;
      }
      case PatternKind::kAlternatives: {
        Ends all{0, 0, false};
        for (const std::uint32_t part : node.children) all = either(all, build(part, sides));
        return all;
      }
      case PatternKind::kUnordered: {
        // In any order: as if each operand was one of some part.
        Ends all{0, 0, false};
        bool is_nullable = true;
        for (const std::uint32_t part : node.children) {
          const Ends ends = build(part, sides);
          is_nullable = is_nullable && ends.is_nullable;
          all = either(all, ends);
        }
        loosen(all);
        all.is_nullable = is_nullable;
        return all;
      }
    }
    return {};
  }

 private:
  Ends leaf(std::uint32_t index, std::uint8_t sides) {
    if (out_.leaves.size() == kMostLeaves) {
      out_.is_exact = false;
      return {};
    }
    const std::uint64_t bit = std::uint64_t{1} << out_.leaves.size();
    out_.leaves.push_back({index, sides, 0});
    return {bit, bit, false};
  }
  void link(std::uint64_t from, std::uint64_t to) {
    for (std::size_t i = 0; i < out_.leaves.size(); ++i) {
      if ((from >> i & 1) != 0) out_.leaves[i].follow |= to;
    }
  }
  Ends repeated(Ends ends, bool at_least_one) {
    link(ends.last, ends.first);
    ends.is_nullable = ends.is_nullable || !at_least_one;
    return ends;
  }
  Ends joined(const Ends& a, const Ends& b) {
    link(a.last, b.first);
    return {a.is_nullable ? a.first | b.first : a.first, b.is_nullable ? a.last | b.last : b.last,
            a.is_nullable && b.is_nullable};
  }
  static Ends either(const Ends& a, const Ends& b) {
    return {a.first | b.first, a.last | b.last, a.is_nullable || b.is_nullable};
  }
  /// Every leaf of these parts may come behind every other one: parts are interleaved.
  void loosen(Ends& ends) {
    std::uint64_t reached = ends.first | ends.last;
    for (std::uint64_t before = 0; before != reached;) {
      before = reached;
      for (std::size_t i = 0; i < out_.leaves.size(); ++i) {
        if ((reached >> i & 1) != 0) reached |= out_.leaves[i].follow;
      }
    }
    link(reached, reached);
    ends.first = ends.last = reached;
  }

  const Rule& rule_;
  const std::vector<bool>& single_;
  PartAutomaton& out_;
};

}  // namespace

PartAutomaton part_automaton(const Rule& rule, std::uint32_t node, std::uint8_t sides,
                             const std::vector<bool>& single_slots) {
  PartAutomaton result;
  const Ends ends = Builder(rule, single_slots, result).build(node, sides);
  result.first = ends.first;
  result.last = ends.last;
  result.is_nullable = ends.is_nullable;
  return result;
}

}  // namespace dynomite::rewrite
