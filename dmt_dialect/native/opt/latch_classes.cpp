#include "dmt_dialect/native/opt/latch_classes.hpp"

#include <algorithm>
#include <unordered_map>

#include "dmt_dialect/native/aig/cones.hpp"
#include "dynomite/native/base/random.hpp"

namespace dmt::opt {

namespace {

/// Node evaluations of simulation, and cycles without a split after which it ends.
constexpr std::uint64_t kSimulationBudget = 100'000'000;
constexpr unsigned kPatience = 32;
/// Gates hashed by refinement: this many, or so many times the circuit.
constexpr std::uint64_t kRefinementBudget = 5'000'000;
constexpr std::uint64_t kRefinementTimes = 16;
/// The class of the constant.
constexpr std::uint32_t kConstClass = 0;

struct KeyHash {
  std::size_t operator()(const std::pair<std::uint32_t, std::uint64_t>& key) const {
    std::uint64_t hash = (key.second ^ key.first) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
    return static_cast<std::size_t>((hash + key.first) * 0xBF58476D1CE4E5B9ULL);
  }
};

/// A partition of the latches that may have twins. Values are taken relative to the reset value, so that
/// those of one class are equal, and in the class of the constant false.
class Partition {
 public:
  Partition(const AigStore& aig, const std::vector<Trit>& stuck)
      : aig_(aig), class_of_(aig.latches().size(), kConstClass) {
    for (std::uint32_t i = 0; i < aig.latches().size(); ++i) {
      const bool candidate = stuck[i] == Trit::kUnknown && aig.latches()[i].reset != Reset::kUninitialised;
      if (candidate) members_.push_back(i);
    }
  }

  bool flipped(std::uint32_t latch) const { return aig_.latches()[latch].reset == Reset::kOne; }
  const std::vector<std::uint32_t>& members() const { return members_; }
  std::uint32_t class_of(std::uint32_t latch) const { return class_of_[latch]; }
  std::uint32_t class_count() const { return class_count_; }

  /// Splits classes by `key(latch)`, which is 0 for latches that stay in the class of the constant. Members
  /// that are left alone are members no more. True if some class split; `split` tells which.
  template <typename Key>
  bool refine(Key key, std::vector<bool>* split = nullptr) {
    std::unordered_map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t, KeyHash> ids;
    std::vector<bool> seen(class_count_, false);
    seen[kConstClass] = true;
    ids[{kConstClass, 0}] = kConstClass;
    const std::uint32_t before = class_count_;
    if (split != nullptr) split->assign(before, false);
    for (const std::uint32_t latch : members_) {
      const std::uint32_t old = class_of_[latch];
      const auto [place, fresh] = ids.try_emplace({old, key(latch)}, old);
      if (fresh && seen[old]) {
        place->second = class_count_++;
        if (split != nullptr) (*split)[old] = true;
      }
      seen[old] = true;
      class_of_[latch] = place->second;
    }
    if (class_count_ == before) return false;
    drop_singles();
    return true;
  }

  /// Takes the members of some classes out, each on its own.
  void dissolve(const std::vector<bool>& classes) {
    std::erase_if(members_, [&](std::uint32_t latch) {
      return class_of_[latch] < classes.size() && classes[class_of_[latch]];
    });
  }
  void dissolve_all() { members_.clear(); }

  /// Writes the leader of every member.
  void lead(std::vector<Lit>& leaders) const {
    constexpr std::uint32_t kNone = 0xFFFFFFFFU;
    std::vector<std::uint32_t> first(class_count_, kNone);
    for (const std::uint32_t latch : members_) {
      if (class_of_[latch] == kConstClass) {
        leaders[latch] = kFalse ^ flipped(latch);
        continue;
      }
      std::uint32_t& leader = first[class_of_[latch]];
      if (leader == kNone) leader = latch;
      leaders[latch] = Lit(aig_.latches()[leader].node, flipped(latch) != flipped(leader));
    }
  }

 private:
  void drop_singles() {
    std::vector<std::uint32_t> sizes(class_count_, 0);
    for (const std::uint32_t latch : members_) ++sizes[class_of_[latch]];
    std::erase_if(members_, [&](std::uint32_t latch) {
      return class_of_[latch] != kConstClass && sizes[class_of_[latch]] == 1;
    });
  }

  const AigStore& aig_;
  std::vector<std::uint32_t> class_of_;
  std::vector<std::uint32_t> members_;  // rising
  std::uint32_t class_count_ = 1;
};

/// Splits by 64 runs from the resets with random inputs, until some cycles in a row split nothing.
bool split_by_simulation(const AigStore& aig, Partition& partition, std::uint64_t seed, LatchClasses& found,
                         dynomite::Stop& stop) {
  dynomite::Random random(seed);
  std::vector<std::uint64_t> values(aig.node_count(), 0);
  const auto word = [&](Lit lit) { return values[lit.node().index()] ^ (lit.complemented() ? ~0ULL : 0ULL); };
  std::vector<std::uint64_t> state;
  for (const Latch& latch : aig.latches()) {
    state.push_back(latch.reset == Reset::kZero ? 0 : latch.reset == Reset::kOne ? ~0ULL : random.next());
  }
  unsigned calm = 0;
  const std::uint64_t most = std::max<std::uint64_t>(kSimulationBudget / aig.node_count(), kPatience);
  while (calm < kPatience && found.cycles < most && !partition.members().empty()) {
    for (const NodeId input : aig.inputs()) values[input.index()] = random.next();
    for (std::size_t i = 0; i < state.size(); ++i) values[aig.latches()[i].node.index()] = state[i];
    for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
      if (stop.poll()) return false;
      const NodeId id(i);
      if (aig.is_and(id)) values[i] = word(aig.fanin0(id)) & word(aig.fanin1(id));
    }
    for (std::size_t i = 0; i < state.size(); ++i) state[i] = word(aig.latches()[i].next);
    const bool split = partition.refine(
        [&](std::uint32_t latch) { return state[latch] ^ (partition.flipped(latch) ? ~0ULL : 0ULL); });
    calm = split ? 0 : calm + 1;
    ++found.cycles;
  }
  return true;
}

/// Splits by the hashed next states until nothing splits.
class Refinement {
 public:
  Refinement(const AigStore& aig, const std::vector<Lit>& known, Partition& partition)
      : aig_(aig), known_(known), partition_(partition), cone_(aig.node_count()) {
    std::vector<Lit> nexts;
    for (const std::uint32_t latch : partition.members()) nexts.push_back(aig.latches()[latch].next);
    add_fanin_cone(aig, nexts, cone_);
    for (const NodeId id : cone_.sorted()) {
      if (aig.is_and(id)) ands_.push_back(id);
    }
  }

  /// False when `stop` ended it: the partition is then no invariant.
  bool run(LatchClasses& found, dynomite::Stop& stop) {
    const std::uint64_t budget = std::max(kRefinementBudget, kRefinementTimes * ands_.size());
    std::uint64_t spent = 0;
    std::vector<bool> split;
    while (!partition_.members().empty()) {
      if (!hash_next_states(stop)) return false;
      ++found.rounds;
      spent += ands_.size() + aig_.latches().size();
      const bool changed = partition_.refine(
          [&](std::uint32_t latch) {
            const Lit next = mapped(aig_.latches()[latch].next) ^ partition_.flipped(latch);
            return std::uint64_t{next.raw()};
          },
          &split);
      if (!changed) return true;
      if (spent > 2 * budget) {
        partition_.dissolve_all();
      } else if (spent > budget) {
        partition_.dissolve(split);
      }
    }
    return true;
  }

 private:
  Lit mapped(Lit lit) const { return map_[lit.node().index()] ^ lit.complemented(); }

  bool hash_next_states(dynomite::Stop& stop) {
    std::vector<Lit> leaders = known_;
    partition_.lead(leaders);
    AigStore work;
    map_.assign(aig_.node_count(), kFalse);
    for (const NodeId input : aig_.inputs()) map_[input.index()] = work.add_input();
    for (std::size_t i = 0; i < leaders.size(); ++i) {
      // A leader precedes its class, so that it has its literal already.
      const NodeId node = aig_.latches()[i].node;
      map_[node.index()] = leaders[i] == Lit(node, false) ? work.add_latch() : mapped(leaders[i]);
    }
    for (const NodeId id : ands_) {
      if (stop.poll()) return false;
      map_[id.index()] = work.and_(mapped(aig_.fanin0(id)), mapped(aig_.fanin1(id)));
    }
    return true;
  }

  const AigStore& aig_;
  const std::vector<Lit>& known_;
  Partition& partition_;
  NodeSet cone_;
  std::vector<NodeId> ands_;
  std::vector<Lit> map_;
};

}  // namespace

LatchClasses latch_classes(const AigStore& aig, const std::vector<Trit>& stuck, std::uint64_t seed,
                           dynomite::Stop& stop) {
  LatchClasses found;
  std::vector<Lit> known;
  for (std::size_t i = 0; i < aig.latches().size(); ++i) {
    const Lit own(aig.latches()[i].node, false);
    known.push_back(stuck[i] == Trit::kUnknown ? own : kFalse ^ (stuck[i] == Trit::kOne));
  }
  found.leaders = known;
  Partition partition(aig, stuck);
  if (partition.members().empty()) return found;
  if (!split_by_simulation(aig, partition, seed, found, stop) ||
      !Refinement(aig, known, partition).run(found, stop)) {
    found.stopped = true;
    return found;
  }
  partition.lead(found.leaders);
  return found;
}

}  // namespace dmt::opt
