#include "dmt_dialect/native/aig/cones.hpp"

#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "dmt_dialect/native/aig/levels.hpp"

namespace dmt {

namespace {

/// The literal of the copy for every node of the original.
class NodeMap {
 public:
  explicit NodeMap(std::size_t node_count) : lits_(node_count, kFalse) {}
  void set(NodeId from, Lit to) { lits_[from.index()] = to; }
  Lit operator()(Lit lit) const { return lits_[lit.node().index()] ^ lit.complemented(); }
  std::vector<Lit> operator()(const std::vector<Lit>& lits) const {
    std::vector<Lit> result;
    result.reserve(lits.size());
    for (const Lit lit : lits) result.push_back((*this)(lit));
    return result;
  }

 private:
  std::vector<Lit> lits_;
};

NodeSet needed_by_roots(const AigStore& store) {
  std::vector<Lit> roots;
  for_each_root(store, [&](Lit lit) { roots.push_back(lit); });
  NodeSet cone(store.node_count());
  add_fanin_cone(store, roots, cone);
  return cone;
}

/// Of several names that come to one literal the first stays.
void copy_net_names(const AigStore& from, AigStore& to, const NodeMap& map, const NodeSet& kept) {
  std::unordered_set<Lit> named;
  for (const NetName& net : from.net_names()) {
    if (!kept.contains(net.lit.node())) continue;
    const Lit lit = map(net.lit);
    if (named.insert(lit).second) to.net_names().push_back({lit, net.name});
  }
}

/// Copies everything but the ANDs and their net names: all inputs, then all latches.
AigStore copy_ports(const AigStore& store, NodeMap& map) {
  AigStore copy;
  for (const NodeId id : store.inputs()) map.set(id, copy.add_input());
  for (const Latch& latch : store.latches()) map.set(latch.node, copy.add_latch(latch.reset));
  copy.names() = store.names();
  copy.comments() = store.comments();
  copy.name() = store.name();
  return copy;
}

void copy_roots(const AigStore& from, AigStore& to, const NodeMap& map) {
  to.outputs() = map(from.outputs());
  to.bad() = map(from.bad());
  to.constraints() = map(from.constraints());
  to.fairness() = map(from.fairness());
  for (const auto& group : from.justice()) to.justice().push_back(map(group));
  for (std::uint32_t i = 0; i < from.latches().size(); ++i) to.set_next(i, map(from.latches()[i].next));
}

void copy_name(const NameTable& from, std::size_t index, NameTable& to, std::size_t new_index) {
  if (from.has(index)) to.set(new_index, from.get(index));
}

}  // namespace

std::vector<NodeId> NodeSet::sorted() const {
  std::vector<NodeId> ids;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
      ids.emplace_back(static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }
  return ids;
}

void add_fanin_cone(const AigStore& store, std::span<const Lit> roots, NodeSet& cone,
                    std::vector<NodeId>* latches) {
  std::vector<NodeId> open;
  const auto reach = [&](Lit lit) {
    if (!cone.insert(lit.node())) return;
    if (store.is_and(lit.node())) {
      open.push_back(lit.node());
    } else if (latches != nullptr && store.is_latch(lit.node())) {
      latches->push_back(lit.node());
    }
  };
  for (const Lit root : roots) reach(root);
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    reach(store.fanin0(id));
    reach(store.fanin1(id));
  }
}

AigStore extract_cone(const AigStore& store, std::span<const Lit> roots, const ConeOptions& options) {
  NodeSet cone(store.node_count());
  std::vector<NodeId> latches;
  add_fanin_cone(store, roots, cone, &latches);
  while (options.follow_latches && !latches.empty()) {
    const Lit next = store.latches()[store.ci_index(latches.back())].next;
    latches.pop_back();
    add_fanin_cone(store, {&next, 1}, cone, &latches);
  }

  AigStore copy;
  copy.name() = store.name();
  NodeMap map(store.node_count());
  for (std::size_t i = 0; i < store.inputs().size(); ++i) {
    const NodeId id = store.inputs()[i];
    if (!options.keep_inputs && !cone.contains(id)) continue;
    copy_name(store.names().inputs, i, copy.names().inputs, copy.inputs().size());
    map.set(id, copy.add_input());
  }
  for (std::size_t i = 0; i < store.latches().size(); ++i) {
    const Latch& latch = store.latches()[i];
    if (!cone.contains(latch.node)) continue;
    if (options.follow_latches) {
      copy_name(store.names().latches, i, copy.names().latches, copy.latches().size());
      map.set(latch.node, copy.add_latch(latch.reset));
    } else {
      copy_name(store.names().latches, i, copy.names().inputs, copy.inputs().size());
      map.set(latch.node, copy.add_input());
    }
  }
  for (const NodeId id : cone.sorted()) {
    if (store.is_and(id)) map.set(id, copy.append_and(map(store.fanin0(id)), map(store.fanin1(id))));
  }
  if (options.follow_latches) {
    for (std::uint32_t i = 0, position = 0; i < store.latches().size(); ++i) {
      if (cone.contains(store.latches()[i].node)) copy.set_next(position++, map(store.latches()[i].next));
    }
  }

  // The first output with a literal gives its name; a name is given once.
  std::unordered_map<Lit, std::size_t> output_of;
  for (std::size_t i = store.outputs().size(); i-- > 0;) output_of[store.outputs()[i]] = i;
  std::unordered_set<std::size_t> named;
  for (const Lit root : roots) {
    const auto found = output_of.find(root);
    if (found != output_of.end() && named.insert(found->second).second) {
      copy_name(store.names().outputs, found->second, copy.names().outputs, copy.outputs().size());
    }
    copy.outputs().push_back(map(root));
  }
  copy_net_names(store, copy, map, cone);
  return copy;
}

AigStore without_dangling(const AigStore& store) {
  const NodeSet cone = needed_by_roots(store);
  NodeMap map(store.node_count());
  AigStore copy = copy_ports(store, map);
  NodeSet kept = cone;
  for (const NodeId id : store.inputs()) kept.insert(id);
  for (const Latch& latch : store.latches()) kept.insert(latch.node);
  kept.insert(kConstNode);
  const std::vector<NodeId> ids = kept.sorted();
  copy.reserve(ids.size());
  for (const NodeId id : ids) {
    if (store.is_and(id)) map.set(id, copy.append_and(map(store.fanin0(id)), map(store.fanin1(id))));
  }
  copy_roots(store, copy, map);
  copy_net_names(store, copy, map, kept);
  return copy;
}

AigStore rehashed(const AigStore& store) {
  NodeMap map(store.node_count());
  AigStore copy = copy_ports(store, map);
  copy.reserve(store.node_count());
  for (std::uint32_t i = 1; i < store.node_count(); ++i) {
    const NodeId id(i);
    if (store.is_and(id)) map.set(id, copy.and_(map(store.fanin0(id)), map(store.fanin1(id))));
  }
  copy_roots(store, copy, map);
  NodeSet all(store.node_count());
  for (std::uint32_t i = 0; i < store.node_count(); ++i) all.insert(NodeId(i));
  copy_net_names(store, copy, map, all);
  return without_dangling(copy);
}

}  // namespace dmt
