#pragma once

#include <cstdint>
#include <vector>

#include "dynomite/native/rewrite/code.hpp"
#include "dynomite/native/rewrite/operand_tests.hpp"

namespace dynomite::rewrite {

/// The ways to deal operands out to the parts of an unordered expression, one after the other: longer
/// segments first, and of one length those first that give earlier operands to earlier parts. Ways that a
/// part cannot take are left out early, by the automata of the parts.
class Deal {
 public:
  /// Operands at `cursor` and behind.
  template <MatchStore S>
  void start(const S& store, const Rule& rule, const DealPlan& plan, const Cursor& cursor,
             const std::vector<std::uint32_t>& places) {
    plan_ = &plan;
    cursor_ = cursor;
    parts_ = static_cast<std::uint32_t>(plan.parts.size());
    const std::uint32_t left = cursor.end - cursor.at;
    possible_ = plan.least <= left;
    length_ = std::min(left, plan.most);
    fits_.assign(std::size_t{length_} * parts_, 0);
    for (std::uint32_t i = 0; i < length_; ++i) {
      const std::uint32_t at = cursor.at + i;
      const ir::Operand operand =
          store.operand(cursor.node, cursor.list == kInOrder ? at : places[cursor.list + at]);
      for (std::uint32_t p = 0; p < parts_; ++p) {
        const std::vector<PartAutomaton::Leaf>& leaves = plan.parts[p].leaves;
        std::uint64_t& mask = fits_[std::size_t{i} * parts_ + p];
        for (std::size_t k = 0; k < leaves.size(); ++k) {
          if (fits_leaf(store, operand, rule.nodes[leaves[k].node], leaves[k].sides))
            mask |= std::uint64_t{1} << k;
        }
      }
    }
    begin_length();
  }

  /// The next way; false if there is none. Adds the steps it takes to `steps` and gives up beyond `most`.
  bool next(std::uint64_t& steps, std::uint64_t most) {
    while (possible_) {
      if (step(steps, most)) return true;
      if (steps > most || length_ == plan_->least) {
        possible_ = false;
      } else {
        --length_;
        begin_length();
      }
    }
    return false;
  }

  std::uint32_t length() const { return length_; }
  std::uint32_t part_of(std::uint32_t operand) const { return part_[operand]; }
  const Cursor& cursor() const { return cursor_; }

 private:
  static constexpr std::uint64_t kNothingYet = std::uint64_t{1} << 63;

  void begin_length() {
    part_.assign(length_, 0);
    depth_ = 0;
    is_resumed_ = false;
    states_.assign(parts_, kNothingYet);
  }

  std::uint64_t after(std::uint32_t part, std::uint64_t state, std::uint32_t operand) const {
    const PartAutomaton& automaton = plan_->parts[part];
    if (!automaton.is_exact) return kNothingYet;
    std::uint64_t reachable = 0;
    if (state == kNothingYet) {
      reachable = automaton.first;
    } else {
      for (std::uint64_t left = state; left != 0; left &= left - 1) {
        reachable |= automaton.leaves[static_cast<std::size_t>(__builtin_ctzll(left))].follow;
      }
    }
    return reachable & fits_[std::size_t{operand} * parts_ + part];
  }
  bool is_accepting(std::uint32_t part, std::uint64_t state) const {
    const PartAutomaton& automaton = plan_->parts[part];
    if (!automaton.is_exact) return true;
    return state == kNothingYet ? automaton.is_nullable : (state & automaton.last) != 0;
  }

  /// Goes on with the search for a way of the present length.
  bool step(std::uint64_t& steps, std::uint64_t most) {
    // part_[i] is the part tried for operand i; states_ has parts_ entries for each depth.
    bool backs = is_resumed_;
    is_resumed_ = true;
    for (;;) {
      if (++steps > most) return false;
      if (backs) {
        if (depth_ == 0) return false;
        --depth_;
        states_.resize(std::size_t{depth_ + 1} * parts_);
        ++part_[depth_];
        backs = false;
      } else if (depth_ == length_) {
        backs = true;
        const std::uint64_t* state = &states_[std::size_t{depth_} * parts_];
        bool accepts = true;
        for (std::uint32_t p = 0; p < parts_ && accepts; ++p) accepts = is_accepting(p, state[p]);
        if (accepts) return true;
        continue;
      }
      if (!place()) backs = true;
    }
  }

  /// Gives operand `depth_` to the first part from part_[depth_] on that can take it.
  bool place() {
    if (depth_ == length_) return true;
    const std::size_t base = std::size_t{depth_} * parts_;
    for (std::uint32_t p = part_[depth_]; p < parts_; ++p) {
      const std::uint64_t state = after(p, states_[base + p], depth_);
      if (state == 0) continue;
      part_[depth_] = p;
      states_.resize(base + 2 * std::size_t{parts_});
      std::copy_n(states_.begin() + static_cast<std::ptrdiff_t>(base), parts_,
                  states_.begin() + static_cast<std::ptrdiff_t>(base + parts_));
      states_[base + parts_ + p] = state;
      ++depth_;
      if (depth_ < length_) part_[depth_] = 0;
      return true;
    }
    return false;
  }

  const DealPlan* plan_ = nullptr;
  Cursor cursor_;
  std::uint32_t parts_ = 0, length_ = 0, depth_ = 0;
  bool possible_ = false;
  bool is_resumed_ = false;
  std::vector<std::uint64_t> fits_;    // leaves of each part that an operand fits
  std::vector<std::uint32_t> part_;    // of each operand
  std::vector<std::uint64_t> states_;  // of the parts, in front of each operand
};

}  // namespace dynomite::rewrite
