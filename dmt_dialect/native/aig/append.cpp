#include "dmt_dialect/native/aig/append.hpp"

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

constexpr std::uint32_t kPollStride = 4096;

}  // namespace

std::vector<Lit> append(AigStore& target, const AigStore& source, std::span<const Lit> ci_map,
                        AppendMode mode, dynomite::Stop& stop) {
  if (ci_map.size() != source.inputs().size() + source.latches().size()) {
    throw dynomite::UsageError("append: the map needs one literal per input and latch of the source");
  }
  if (&target == &source) throw dynomite::UsageError("append: target and source are the same AIG");
  for (const Lit lit : ci_map) {
    if (!target.contains(lit))
      throw dynomite::UsageError("append: a literal of the map is not in the target");
  }
  std::vector<Lit> map(source.node_count());
  map[0] = kFalse;
  for (std::uint32_t i = 1; i < source.node_count(); ++i) {
    if (i % kPollStride == 0 && stop.poll_clock()) throw dynomite::LimitError("copying was stopped");
    const NodeId id(i);
    if (source.is_and(id)) {
      const Lit a = mapped(map, source.fanin0(id));
      const Lit b = mapped(map, source.fanin1(id));
      map[i] = mode == AppendMode::kHashed ? target.and_(a, b) : target.append_and(a, b);
    } else if (source.is_latch(id)) {
      map[i] = ci_map[source.inputs().size() + source.ci_index(id)];
    } else {
      map[i] = ci_map[source.ci_index(id)];
    }
  }
  return map;
}

std::vector<bool> mark_cone(const AigStore& aig, std::span<const Lit> roots) {
  std::vector<bool> marked(aig.node_count());
  for (const Lit root : roots) marked[root.node().index()] = true;
  for (std::uint32_t i = aig.node_count(); i-- > 1;) {
    const NodeId id(i);
    if (!marked[i] || !aig.is_and(id)) continue;
    marked[aig.fanin0(id).node().index()] = true;
    marked[aig.fanin1(id).node().index()] = true;
  }
  return marked;
}

}  // namespace dmt
