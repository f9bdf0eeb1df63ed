#include "dmt_dialect/native/bdd/cone.hpp"

namespace dmt::bdd {

namespace {

std::vector<std::uint32_t> reach(const BddStore& store, std::span<const BddEdge> roots) {
  IdIndex seen;
  std::vector<std::uint32_t> ids;
  const auto visit = [&](std::uint32_t id) {
    if (seen.add(id) == ids.size()) ids.push_back(id);
  };
  for (const BddEdge root : roots) visit(root.node());
  for (std::size_t next = 0; next < ids.size(); ++next) {
    if (ids[next] == 0) continue;
    const BddNode& node = store.node_at(ids[next]);
    visit(node.high.node());
    visit(node.low.node());
  }
  return ids;
}

}  // namespace

Cone cone_of(const BddStore& store, std::span<const BddEdge> roots) {
  const std::vector<std::uint32_t> found = reach(store, roots);
  const auto bucket = [&](std::uint32_t id) { return id == 0 ? store.var_count() : store.node_at(id).level; };
  std::vector<std::size_t> start(store.var_count() + 2);
  for (const std::uint32_t id : found) ++start[bucket(id) + 1];
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  Cone cone;
  cone.ids.resize(found.size());
  for (const std::uint32_t id : found) cone.ids[start[bucket(id)]++] = id;
  for (const std::uint32_t id : cone.ids) cone.number.add(id);
  return cone;
}

}  // namespace dmt::bdd
