#include "hw_dialect/native/blif/flattening.hpp"

#include <algorithm>
#include <functional>

#include "dynomite/native/base/error.hpp"
#include "hw_dialect/native/blif/line_lexer.hpp"
#include "hw_dialect/native/blif/port_names.hpp"

namespace hw {

using dynomite::LimitError;

namespace {
/// Where sizes saturate.
constexpr std::uint64_t kMuch = std::uint64_t{1} << 62;
}  // namespace

Flattening::Flattening(const Netlist& netlist, const Resolution& resolution, std::uint64_t limit,
                       dynomite::Stop& stop)
    : netlist_(netlist), resolution_(resolution) {
  const std::uint64_t size = flattened_size();
  if (size > limit || size >= UINT32_MAX) {
    throw LimitError("flattening model " + quoted(netlist_.model_name(netlist_.models[resolution_.top])) +
                     " would make " + (size >= kMuch ? std::string("more than 4e18") : std::to_string(size)) +
                     " nets and instances; the limit is " + std::to_string(limit));
  }
  instances_.push_back({resolution_.top, 0, 0, 0, 0});
  net_count_ = model(0).nets.size();
  for (std::uint32_t i = 0; resolution_.has_instances && i < instances_.size(); ++i) {
    if (stop.poll()) throw LimitError("reading was stopped");
    instances_[i].first_child = static_cast<std::uint32_t>(instances_.size());
    const Model& parent = model(i);
    for (std::uint32_t c = parent.cells.begin; c < parent.cells.end; ++c) {
      if (!is_instance(netlist_.cells[c].kind)) continue;
      if (!has_logic(c)) {
        boxes_.push_back({i, c});
        continue;
      }
      instances_.push_back({resolution_.child[c], i, c, 0, net_count_});
      net_count_ += netlist_.models[resolution_.child[c]].nets.size();
    }
  }
}

bool Flattening::has_logic(std::uint32_t cell) const {
  const std::uint32_t child = resolution_.child[cell];
  return child != Resolution::kBlackBox && !netlist_.models[child].black_box;
}

/// Nets and instances of the top with all below it, children first; saturates.
std::uint64_t Flattening::flattened_size() const {
  std::vector<std::uint64_t> size(netlist_.models.size(), 0);
  for (const std::uint32_t m : resolution_.order) {
    const Model& model = netlist_.models[m];
    std::uint64_t sum = 1 + model.nets.size();
    for (std::uint32_t c = model.cells.begin; resolution_.has_instances && c < model.cells.end; ++c) {
      if (!is_instance(netlist_.cells[c].kind)) continue;
      sum = std::min(kMuch, sum + (has_logic(c) ? size[resolution_.child[c]] : 1));
    }
    size[m] = sum;
  }
  return size[resolution_.top];
}

NetId Flattening::outer_net(std::uint32_t instance, NetId net) const {
  const std::span<const BoundPin> pins = resolution_.cell_pins(netlist_.cells[instances_[instance].cell]);
  const auto found =
      std::lower_bound(pins.begin(), pins.end(), net.index(),
                       [](const BoundPin& pin, std::uint32_t n) { return pin.inner.index() < n; });
  return found != pins.end() && found->inner == net ? found->outer : NetId();
}

std::uint32_t Flattening::fanin_count(const Driver& driver) const {
  if (driver.cell == Driver::kNone) return 0;
  if (driver.cell == Driver::kPort) return 1;
  const Cell& cell = netlist_.cells[driver.cell];
  return cell.kind == CellKind::kNames || cell.kind == CellKind::kFunction ? cell.pin_count - 1 : 1;
}

std::pair<std::uint32_t, NetId> Flattening::fanin(std::uint32_t instance, NetId net, const Driver& driver,
                                                  std::uint32_t k) const {
  if (driver.cell == Driver::kPort) {
    // A clock of the top that no logic reads has no literal; only the search for loops comes here.
    if (instance == 0) return {0, NetId()};
    return {instances_[instance].parent, outer_net(instance, net)};
  }
  const Cell& cell = netlist_.cells[driver.cell];
  if (is_instance(cell.kind)) {
    return {instances_[instance].first_child + resolution_.slot[driver.cell],
            resolution_.pins[driver.pin].inner};
  }
  return {instance, netlist_.cell_pins(cell)[k]};
}

std::string Flattening::path_name(std::uint32_t instance, std::string_view name) const {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t i = instance; i != 0; i = instances_[i].parent) chain.push_back(i);
  std::string path;
  for (std::size_t k = chain.size(); k-- > 0;) {
    const Instance& step = instances_[chain[k]];
    path += instance_name(netlist_, resolution_, model(step.parent), step.cell);
    path += kHierarchySeparator;
  }
  path += name;
  return path;
}

std::string Flattening::kept_name(std::uint32_t instance, std::string_view name) {
  return instance == 0 ? unescape_name(name) : unique(path_name(instance, name));
}

std::string Flattening::box_pin_name(const CellRef& box, const BoundPin& pin) {
  const NameId formal = netlist_.bindings[pin.binding].formal;
  std::string name = instance_name(netlist_, resolution_, model(box.instance), box.cell);
  name += kHierarchySeparator;
  name += formal.none() ? std::string_view("control") : netlist_.names.text(formal);
  return unique(path_name(box.instance, name));
}

/// `path`, or with a suffix if something else is called so: a name of the top keeps it. Hashes decide, so
/// that a collision costs no more than a suffix.
std::string Flattening::unique(std::string path) {
  name_bytes_ += path.size();
  if (name_bytes_ > kMaxNameBytes) {
    throw LimitError("the hierarchical names of latches and black boxes exceed " +
                     std::to_string(kMaxNameBytes >> 20) + " MiB");
  }
  const std::hash<std::string_view> hash;
  if (taken_.empty()) {
    const Model& top = model(0);
    for (std::uint32_t n = top.nets.begin; n < top.nets.end; ++n) {
      const std::string_view name = netlist_.net_name(NetId(n));
      if (name.find(kHierarchySeparator) != std::string_view::npos) taken_.insert(hash(name));
    }
    taken_.insert(hash({}));
  }
  const std::size_t size = path.size();
  for (std::uint32_t k = 1; !taken_.insert(hash(path)).second; ++k) {
    path.resize(size);
    path += '~';
    path += std::to_string(k);
  }
  return path;
}

}  // namespace hw
