#include "dynomite/native/ir/dominance.hpp"

#include <algorithm>
#include <utility>

#include "dynomite/native/ir/walk.hpp"

namespace dynomite::ir {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

/// Lengauer and Tarjan's link-eval forest with path compression; vertices are depth-first numbers.
class Forest {
 public:
  explicit Forest(std::uint32_t n) : ancestor_(n, kNone), label_(n), semi_(n) {
    for (std::uint32_t i = 0; i < n; ++i) label_[i] = semi_[i] = i;
  }
  std::uint32_t& semi(std::uint32_t v) { return semi_[v]; }
  void link(std::uint32_t parent, std::uint32_t v) { ancestor_[v] = parent; }
  /// The vertex of least semidominator on the path from `v` up to, but without, its root.
  std::uint32_t eval(std::uint32_t v) {
    if (ancestor_[v] == kNone) return v;
    path_.clear();
    for (std::uint32_t u = v; ancestor_[ancestor_[u]] != kNone; u = ancestor_[u]) path_.push_back(u);
    for (std::size_t i = path_.size(); i-- > 0;) {
      const std::uint32_t u = path_[i];
      const std::uint32_t up = ancestor_[u];
      if (semi_[label_[up]] < semi_[label_[u]]) label_[u] = label_[up];
      ancestor_[u] = ancestor_[up];
    }
    return label_[v];
  }

 private:
  std::vector<std::uint32_t> ancestor_, label_, semi_, path_;
};

}  // namespace

Dominance::Dominance(const Module& module)
    : module_(module), nodes_(module.cfg().block_bound()), number_(module.cfg().block_bound(), kNone) {
  collect_edges();
  for (std::uint32_t i = 0; i < module.cfg().region_bound(); ++i) {
    if (module.cfg().is_live(RegionId(i))) build_tree(RegionId(i));
  }
}

void Dominance::collect_edges() {
  const CfgStore& cfg = module_.cfg();
  const InstrStore& instrs = module_.instrs();
  const std::uint32_t bound = cfg.block_bound();
  std::vector<std::uint32_t> incoming(bound, 0);
  successors_.first.assign(bound + std::size_t{1}, 0);
  for (std::uint32_t i = 0; i < bound; ++i) {
    const BlockId block(i);
    const InstrId last = cfg.is_live(block) ? cfg.last(block) : InstrId();
    if (last && (module_.traits(last) & kTerminator) != 0) {
      const std::uint32_t count = instrs.operand_count(last);
      for (std::uint32_t k = 0; k < count; ++k) {
        const Operand operand = instrs.operand(last, k);
        if (operand.is_def || operand.ref.kind != kind::kBlock) continue;
        const BlockId target(operand.ref.id);
        if (!cfg.is_live(target) || cfg.region(target) != cfg.region(block)) continue;
        successors_.blocks.push_back(target);
        ++incoming[target.index()];
      }
    }
    successors_.first[i + 1] = static_cast<std::uint32_t>(successors_.blocks.size());
  }
  predecessors_.first.assign(bound + std::size_t{1}, 0);
  for (std::uint32_t i = 0; i < bound; ++i) {
    predecessors_.first[i + 1] = predecessors_.first[i] + incoming[i];
    incoming[i] = predecessors_.first[i];
  }
  predecessors_.blocks.resize(successors_.blocks.size());
  for (std::uint32_t i = 0; i < bound; ++i) {
    for (const BlockId target : successors(BlockId(i))) {
      predecessors_.blocks[incoming[target.index()]++] = BlockId(i);
    }
  }
}

void Dominance::build_tree(RegionId region) {
  const BlockId entry = module_.cfg().first_block(region);
  if (!entry) return;
  struct Step {
    BlockId block;
    std::uint32_t next;
  };
  std::vector<BlockId> vertex;
  std::vector<std::uint32_t> parent;
  std::vector<Step> stack;
  const auto visit = [&](BlockId block, std::uint32_t from) {
    number_[block.index()] = static_cast<std::uint32_t>(vertex.size());
    vertex.push_back(block);
    parent.push_back(from);
    stack.push_back({block, 0});
  };
  visit(entry, kNone);
  while (!stack.empty()) {
    Step& step = stack.back();
    const auto next = successors(step.block);
    if (step.next == next.size()) {
      stack.pop_back();
      continue;
    }
    const BlockId target = next[step.next++];
    if (number_[target.index()] == kNone) visit(target, number_[step.block.index()]);
  }

  const auto n = static_cast<std::uint32_t>(vertex.size());
  Forest forest(n);
  std::vector<std::uint32_t> dom(n, kNone), bucket(n, kNone), in_bucket(n, kNone);
  for (std::uint32_t w = n; w-- > 1;) {
    for (const BlockId from : predecessors(vertex[w])) {
      const std::uint32_t v = number_[from.index()];
      if (v == kNone) continue;  // unreachable
      forest.semi(w) = std::min(forest.semi(w), forest.semi(forest.eval(v)));
    }
    in_bucket[w] = std::exchange(bucket[forest.semi(w)], w);
    forest.link(parent[w], w);
    for (std::uint32_t v = std::exchange(bucket[parent[w]], kNone); v != kNone; v = in_bucket[v]) {
      const std::uint32_t u = forest.eval(v);
      dom[v] = forest.semi(u) < forest.semi(v) ? u : parent[w];
    }
  }
  for (std::uint32_t w = 1; w < n; ++w) {
    if (dom[w] != forest.semi(w)) dom[w] = dom[dom[w]];
  }

  // A dominator has the smaller number: sizes from behind, preorder numbers from the front.
  for (std::uint32_t w = n; w-- > 0;) {
    Node& node = nodes_[vertex[w].index()];
    ++node.size;
    if (w == 0) break;
    node.idom = vertex[dom[w]];
    nodes_[node.idom.index()].size += node.size;
  }
  std::vector<std::uint32_t> cursor(n, 1);  // blocks already numbered below each vertex, itself included
  for (std::uint32_t w = 1; w < n; ++w) {
    Node& node = nodes_[vertex[w].index()];
    node.pre = nodes_[node.idom.index()].pre + cursor[dom[w]];
    cursor[dom[w]] += node.size;
  }
}

bool Dominance::dominates(BlockId a, BlockId b) const {
  if (a == b) return true;
  const Node& above = nodes_[a.index()];
  const Node& below = nodes_[b.index()];
  if (below.size == 0) return true;
  return above.size != 0 && below.pre >= above.pre && below.pre < above.pre + above.size;
}

std::vector<BlockId> Dominance::tree_order(RegionId region) const {
  std::vector<BlockId> order, unreachable;
  const CfgStore& cfg = module_.cfg();
  const BlockId entry = cfg.first_block(region);
  if (!entry) return order;
  order.resize(nodes_[entry.index()].size);
  for (BlockId block = entry; block; block = cfg.next_block(block)) {
    if (is_reachable(block)) {
      order[nodes_[block.index()].pre] = block;
    } else {
      unreachable.push_back(block);
    }
  }
  order.insert(order.end(), unreachable.begin(), unreachable.end());
  return order;
}

bool Dominance::is_visible(ValueId value, InstrId user, BlockId block) const {
  const CfgStore& cfg = module_.cfg();
  const InstrId def = module_.instrs().definition(value).instr;
  if (!cfg.block_of(def)) return true;
  // Up from the user until the region holds the definition.
  while (block) {
    const RegionId region = cfg.region(block);
    const bool graph = is_graph_region(module_, region);
    if (def == user) {
      // Its own value, or that of the operation around it.
      if (graph) return true;
    } else if (cfg.contains(block, def)) {
      if (graph || cfg.comes_before(block, def, user)) return true;
    } else {
      for (const BlockId other : cfg.blocks_of(def)) {
        if (cfg.region(other) == region && (graph || dominates(other, block))) return true;
      }
    }
    user = cfg.owner(region);
    block = user && module_.instrs().is_live(user) ? cfg.block_of(user) : BlockId();
  }
  return false;
}

}  // namespace dynomite::ir
