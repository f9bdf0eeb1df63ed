#include "hw_dialect/native/blif/netlist_builder.hpp"

#include <algorithm>
#include <array>

#include "dynomite/native/base/error.hpp"

namespace hw {

namespace {

constexpr std::size_t kMaxElements = UINT32_MAX - 1;

std::uint32_t index_of(std::size_t size) {
  if (size > kMaxElements) throw dynomite::LimitError("a netlist holds at most 2^32 - 2 elements of a kind");
  return static_cast<std::uint32_t>(size);
}

}  // namespace

std::uint32_t NetlistBuilder::begin_model(NameId name, std::uint32_t line) {
  const std::uint32_t index = index_of(netlist_.models.size());
  Model model;
  model.name = name;
  model.line = line;
  model.nets.begin = index_of(netlist_.nets.size());
  model.ports.begin = index_of(netlist_.ports.size());
  model.cells.begin = index_of(netlist_.cells.size());
  model.attributes.begin = index_of(netlist_.attributes.size());
  netlist_.models.push_back(model);
  last_element_ = Attribute::kOfModel;
  open_ = true;
  return index;
}

void NetlistBuilder::end_model() {
  Model& model = netlist_.models.back();
  model.nets.end = index_of(netlist_.nets.size());
  model.ports.end = index_of(netlist_.ports.size());
  model.cells.end = index_of(netlist_.cells.size());
  model.attributes.end = index_of(netlist_.attributes.size());
  open_ = false;
}

NetId NetlistBuilder::net_of(NameId id) {
  // Grows with the pool's own capacity, not name by name.
  if (id.index() >= local_.size()) local_.resize(id.index() + id.index() / 2 + 16);
  Local& local = local_[id.index()];
  const auto model = static_cast<std::uint32_t>(netlist_.models.size() - 1);
  if (local.model != model) {
    local.model = model;
    local.net = NetId(index_of(netlist_.nets.size()));
    netlist_.nets.push_back(id);
  }
  return local.net;
}

void NetlistBuilder::add_port(PortKind kind, std::string_view name, std::uint32_t line) {
  netlist_.ports.push_back({net(name), line, kind});
}

Cell& NetlistBuilder::begin_cell(CellKind kind, std::uint32_t line) {
  Cell cell;
  cell.kind = kind;
  cell.line = line;
  cell.pin_begin = index_of(is_instance(kind) ? netlist_.bindings.size() : netlist_.pins.size());
  cell.text_begin = netlist_.text.size();
  if (kind != CellKind::kDirective) last_element_ = index_of(netlist_.cells.size());
  netlist_.cells.push_back(cell);
  return netlist_.cells.back();
}

void NetlistBuilder::add_pin(std::string_view name) {
  netlist_.pins.push_back(net(name));
  ++netlist_.cells.back().pin_count;
}

void NetlistBuilder::add_pins(std::span<const std::string_view> names) {
  constexpr std::size_t kBatch = 16;
  while (!names.empty()) {
    const auto batch = names.first(std::min(kBatch, names.size()));
    std::array<std::uint32_t, kBatch> hashes;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      hashes[i] = NamePool::hash_of(batch[i]);
      netlist_.names.prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      netlist_.pins.push_back(net_of(netlist_.names.intern(batch[i], hashes[i])));
    }
    netlist_.cells.back().pin_count += static_cast<std::uint32_t>(batch.size());
    names = names.subspan(batch.size());
  }
}

void NetlistBuilder::add_binding(NameId formal, NetId bound) {
  netlist_.bindings.push_back({formal, bound});
  ++netlist_.cells.back().pin_count;
}

}  // namespace hw
