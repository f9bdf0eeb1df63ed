#include "dmt_dialect/native/opt/latch_constants.hpp"

#include <cassert>

namespace dmt::opt {

namespace {

Trit negated(Trit value, bool complemented) {
  if (!complemented || value == Trit::kUnknown) return value;
  return value == Trit::kZero ? Trit::kOne : Trit::kZero;
}

Trit conjunction(Trit a, Trit b) {
  if (a == Trit::kZero || b == Trit::kZero) return Trit::kZero;
  return a == Trit::kOne && b == Trit::kOne ? Trit::kOne : Trit::kUnknown;
}

/// The least fixpoint above the resets: values only ever go from known to unknown, so any order will do.
class Fixpoint {
 public:
  explicit Fixpoint(const AigStore& aig) : aig_(aig), values_(aig.node_count(), Trit::kUnknown) {
    values_[0] = Trit::kZero;
    for (const Latch& latch : aig.latches()) {
      if (latch.reset == Reset::kUninitialised) continue;
      values_[latch.node.index()] = latch.reset == Reset::kOne ? Trit::kOne : Trit::kZero;
    }
    for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
      if (aig.is_and(NodeId(i))) values_[i] = of_and(NodeId(i));
    }
    make_readers();
  }

  /// False when `stop` ended it.
  bool run(dynomite::Stop& stop) {
    for (const Latch& latch : aig_.latches()) settle(latch.node);
    while (!changed_.empty()) {
      if (stop.poll()) return false;
      const std::uint32_t node = changed_.back();
      changed_.pop_back();
      for (std::uint32_t k = first_[node]; k < first_[node + 1]; ++k) settle(NodeId(readers_[k]));
    }
    return true;
  }

  Trit value(NodeId id) const { return values_[id.index()]; }

 private:
  Trit of(Lit lit) const { return negated(values_[lit.node().index()], lit.complemented()); }
  Trit of_and(NodeId id) const { return conjunction(of(aig_.fanin0(id)), of(aig_.fanin1(id))); }

  /// Looks at an AND or a latch again after something it reads has changed.
  void settle(NodeId id) {
    Trit& value = values_[id.index()];
    if (value == Trit::kUnknown) return;
    const Trit now = aig_.is_and(id) ? of_and(id) : of(aig_.latches()[aig_.ci_index(id)].next);
    if (now == value) return;
    value = Trit::kUnknown;
    changed_.push_back(id.index());
  }

  /// For each node the ANDs and latches that read it.
  void make_readers() {
    first_.assign(aig_.node_count() + 1, 0);
    each_read([&](NodeId from, NodeId) { ++first_[from.index() + 1]; });
    for (std::uint32_t i = 0; i < aig_.node_count(); ++i) first_[i + 1] += first_[i];
    readers_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    each_read([&](NodeId from, NodeId to) { readers_[next[from.index()]++] = to.index(); });
  }

  template <typename Call>
  void each_read(Call call) const {
    for (std::uint32_t i = 1; i < aig_.node_count(); ++i) {
      const NodeId id(i);
      if (!aig_.is_and(id)) continue;
      call(aig_.fanin0(id).node(), id);
      call(aig_.fanin1(id).node(), id);
    }
    for (const Latch& latch : aig_.latches()) call(latch.next.node(), latch.node);
  }

  const AigStore& aig_;
  std::vector<Trit> values_;
  std::vector<std::uint32_t> first_, readers_, changed_;
};

}  // namespace

std::vector<Trit> stuck_latches(const AigStore& aig, dynomite::Stop& stop) {
  std::vector<Trit> stuck(aig.latches().size(), Trit::kUnknown);
  Fixpoint fixpoint(aig);
  if (!fixpoint.run(stop)) return stuck;
  for (std::size_t i = 0; i < stuck.size(); ++i) stuck[i] = fixpoint.value(aig.latches()[i].node);
  return stuck;
}

}  // namespace dmt::opt
