#include "hw_dialect/native/blif/resolve.hpp"

#include <algorithm>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "hw_dialect/native/blif/directions.hpp"
#include "hw_dialect/native/blif/line_lexer.hpp"

namespace hw {

namespace {

/// How many names a message lists before it counts the rest.
constexpr std::size_t kShownModels = 20;

class Resolver {
 public:
  Resolver(const Netlist& netlist, const ElaborateParams& params, std::string_view source)
      : netlist_(netlist), params_(params), source_(source) {}

  Resolution run() {
    find_top();
    for (const Model& model : netlist_.models) {
      for (std::uint32_t c = model.cells.begin; c < model.cells.end && !out_.has_instances; ++c) {
        out_.has_instances = is_instance(netlist_.cells[c].kind);
      }
    }
    if (out_.has_instances) {
      out_.child.assign(netlist_.cells.size(), Resolution::kBlackBox);
      out_.ordinal.assign(netlist_.cells.size(), 0);
      out_.slot.assign(netlist_.cells.size(), 0);
      out_.pins.resize(netlist_.bindings.size());
      counted_.resize(netlist_.names.size());
      sort_ports();
    }
    order_models();
    out_.drivers.resize(netlist_.nets.size());
    out_.uses.assign(netlist_.nets.size(), 0);
    for (const std::uint32_t m : out_.order) {
      bind_pins(m);
      find_drivers(netlist_.models[m]);
    }
    find_open_pins();
    for (const std::uint32_t m : out_.order) check_driven(netlist_.models[m]);
    check_unused_models();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::uint32_t line, std::string_view word, const std::string& message) const {
    fail_at_line(source_, netlist_.path, line, word, message);
  }
  std::string_view name_of(const Model& model) const { return netlist_.model_name(model); }

  // Models.

  void find_top() {
    if (params_.top.empty()) {
      out_.top = 0;
    } else {
      const NameId name = netlist_.names.find(params_.top);
      const auto found =
          name.none() ? netlist_.model_by_name.end() : netlist_.model_by_name.find(name.index());
      if (found == netlist_.model_by_name.end()) {
        throw dynomite::UsageError("top: the file has no model \"" + params_.top + "\"");
      }
      out_.top = found->second;
    }
    const Model& model = netlist_.models[out_.top];
    if (model.black_box) {
      fail(model.line, name_of(model), "the top model " + quoted(name_of(model)) + " is a black box");
    }
  }

  /// The model a cell instantiates, kBlackBox if it has none and black boxes are allowed.
  std::uint32_t child_of(const Cell& cell) const {
    const std::string_view name = netlist_.names.text(cell.name);
    const auto found = netlist_.model_by_name.find(cell.name.index());
    if (cell.kind != CellKind::kMlatch && found != netlist_.model_by_name.end()) {
      if (!netlist_.models[found->second].black_box || params_.black_boxes) return found->second;
      fail(cell.line, name,
           "model " + quoted(name) + " has no logic (.blackbox on line " +
               std::to_string(netlist_.models[found->second].line) +
               " ff.); ask for black boxes to cut the circuit there");
    }
    if (params_.black_boxes) return Resolution::kBlackBox;
    if (cell.kind == CellKind::kSubckt) {
      fail(cell.line, name, "no model " + quoted(name) + " in the file; add it, or ask for black boxes");
    }
    fail(cell.line, name,
         "cell " + quoted(name) +
             " needs a cell library: give it with --library (a .genlib or .lib file), add the cell as a "
             "model of this " +
             "file, or ask for black boxes");
  }

  void order_models() {
    enum : std::uint8_t { kUnseen, kOpen, kDone };
    std::vector<std::uint8_t> state(netlist_.models.size(), kUnseen);
    struct Frame {
      std::uint32_t model, cell, slots;
    };
    std::vector<Frame> stack{{out_.top, netlist_.models[out_.top].cells.begin, 0}};
    state[out_.top] = kOpen;
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const Model& model = netlist_.models[frame.model];
      if (!out_.has_instances) frame.cell = model.cells.end;
      if (frame.cell == model.cells.end) {
        state[frame.model] = kDone;
        out_.order.push_back(frame.model);
        stack.pop_back();
        continue;
      }
      const std::uint32_t c = frame.cell++;
      const Cell& cell = netlist_.cells[c];
      if (!is_instance(cell.kind)) continue;
      const std::uint32_t child = child_of(cell);
      out_.child[c] = child;
      if (child == Resolution::kBlackBox || netlist_.models[child].black_box) continue;
      out_.slot[c] = frame.slots++;
      if (state[child] == kDone) continue;
      if (state[child] == kOpen) {
        std::vector<std::uint32_t> cycle;
        for (std::size_t i = stack.size(); i-- > 0;) {
          cycle.push_back(stack[i].model);
          if (stack[i].model == child) break;
        }
        fail_recursive(cell, cycle);
      }
      state[child] = kOpen;
      stack.push_back({child, netlist_.models[child].cells.begin, 0});
    }
  }

  [[noreturn]] void fail_recursive(const Cell& cell, const std::vector<std::uint32_t>& cycle) const {
    const std::string_view name = netlist_.names.text(cell.name);
    if (cycle.size() == 1) fail(cell.line, name, "model " + quoted(name) + " instantiates itself");
    std::string path(name);
    std::size_t listed = 0;
    for (std::size_t i = cycle.size(); i-- > 0;) {
      if (i + 1 == cycle.size()) continue;  // the first is `name` itself
      if (++listed > kShownModels) {
        path += " -> ... (" + std::to_string(i + 1) + " more)";
        break;
      }
      path += " -> " + shown(name_of(netlist_.models[cycle[i]]));
    }
    fail(cell.line, name, "model " + quoted(name) + " instantiates itself: " + path + " -> " + shown(name));
  }

  // Pins.

  void sort_ports() {
    sorted_ports_.resize(netlist_.ports.size());
    for (std::uint32_t i = 0; i < sorted_ports_.size(); ++i) sorted_ports_[i] = i;
    for (const Model& model : netlist_.models) {
      std::sort(sorted_ports_.begin() + model.ports.begin, sorted_ports_.begin() + model.ports.end,
                [this](std::uint32_t a, std::uint32_t b) {
                  const std::uint32_t x = port_name(a).index();
                  const std::uint32_t y = port_name(b).index();
                  return x != y ? x < y : a < b;
                });
    }
  }
  NameId port_name(std::uint32_t port) const { return netlist_.nets[netlist_.ports[port].net.index()]; }

  void bind_pins(std::uint32_t m) {
    if (!out_.has_instances) return;
    const Model& model = netlist_.models[m];
    for (std::uint32_t c = model.cells.begin; c < model.cells.end; ++c) {
      const Cell& cell = netlist_.cells[c];
      if (!is_instance(cell.kind)) continue;
      Count& count = counted_[cell.name.index()];
      if (count.model != m) count = {m, 0};
      out_.ordinal[c] = count.instances++;
      const std::span<BoundPin> pins = std::span(out_.pins).subspan(cell.pin_begin, cell.pin_count);
      const std::uint32_t child = out_.child[c];
      for (std::uint32_t k = 0; k < cell.pin_count; ++k) {
        const Binding& binding = netlist_.bindings[cell.pin_begin + k];
        pins[k] = {NetId(), binding.net, cell.pin_begin + k, false};
        if (child != Resolution::kBlackBox) find_port(cell, netlist_.models[child], binding, pins[k]);
      }
      std::sort(pins.begin(), pins.end(), [this](const BoundPin& a, const BoundPin& b) {
        return formal_of(a).index() < formal_of(b).index();
      });
      for (std::uint32_t k = 1; k < cell.pin_count; ++k) {
        if (formal_of(pins[k]) != formal_of(pins[k - 1])) continue;
        const std::string_view name = netlist_.names.text(formal_of(pins[k]));
        fail(cell.line, name, "pin " + quoted(name) + " is connected twice");
      }
      // By inner net from here on: elaboration looks pins up by it.
      std::sort(pins.begin(), pins.end(),
                [](const BoundPin& a, const BoundPin& b) { return a.inner.index() < b.inner.index(); });
      if (child != Resolution::kBlackBox && !netlist_.models[child].black_box && !params_.free_undriven) {
        check_inputs_connected(cell, netlist_.models[child], pins);
      }
    }
  }
  NameId formal_of(const BoundPin& pin) const { return netlist_.bindings[pin.binding].formal; }

  void find_port(const Cell& cell, const Model& child, const Binding& binding, BoundPin& pin) const {
    const auto begin = sorted_ports_.begin() + child.ports.begin;
    const auto end = sorted_ports_.begin() + child.ports.end;
    auto found = std::lower_bound(
        begin, end, binding.formal.index(),
        [this](std::uint32_t port, std::uint32_t name) { return port_name(port).index() < name; });
    bool input = false;
    bool output = false;
    for (; found != end && port_name(*found) == binding.formal; ++found) {
      const Port& port = netlist_.ports[*found];
      pin.inner = port.net;
      (port.kind == PortKind::kOutput ? output : input) = true;
    }
    const std::string_view name = netlist_.names.text(binding.formal);
    if (!input && !output) {
      fail(cell.line, name, "model " + quoted(name_of(child)) + " has no port " + quoted(name));
    }
    if (input && output) {
      fail(cell.line, name,
           "port " + quoted(name) + " of model " + quoted(name_of(child)) +
               " is both an input and an output: an instance cannot connect it");
    }
    pin.is_output = output;
  }

  void check_inputs_connected(const Cell& cell, const Model& child, std::span<const BoundPin> pins) const {
    for (std::uint32_t p = child.ports.begin; p < child.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      if (port.kind != PortKind::kInput) continue;
      const auto found =
          std::lower_bound(pins.begin(), pins.end(), port.net.index(),
                           [](const BoundPin& pin, std::uint32_t net) { return pin.inner.index() < net; });
      if (found != pins.end() && found->inner == port.net) continue;
      fail(cell.line, netlist_.names.text(cell.name),
           "input " + quoted(netlist_.net_name(port.net)) + " of model " + quoted(name_of(child)) +
               " is not connected");
    }
  }

  // Drivers.

  std::string describe(const Driver& driver) const {
    if (driver.cell == Driver::kPort) {
      const Port& port = netlist_.ports[driver.pin];
      return std::string(port.kind == PortKind::kClock ? ".clock" : ".inputs") + " on line " +
             std::to_string(port.line);
    }
    const Cell& cell = netlist_.cells[driver.cell];
    const std::string line = " on line " + std::to_string(cell.line);
    switch (cell.kind) {
      case CellKind::kNames: return ".names" + line;
      case CellKind::kLatch: return ".latch" + line;
      case CellKind::kConnection: return std::string(netlist_.names.text(cell.name)) + line;
      case CellKind::kFunction: return "the gate" + line;
      default: return "the instance of " + quoted(netlist_.names.text(cell.name)) + line;
    }
  }

  void claim(NetId net, Driver by, std::uint32_t line) {
    Driver& driver = out_.drivers[net.index()];
    if (driver.cell != Driver::kNone) {
      const std::string_view name = netlist_.net_name(net);
      fail(line, name,
           "signal " + quoted(name) + " has two drivers: " + describe(driver) + " and " + describe(by));
    }
    driver = by;
  }

  void use(NetId net, std::uint8_t how) {
    out_.uses[net.index()] = static_cast<std::uint8_t>(out_.uses[net.index()] | how);
  }

  void find_port_drivers(const Model& model) {
    for (std::uint32_t p = model.ports.begin; p < model.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      Driver& driver = out_.drivers[port.net.index()];
      const std::string_view name = netlist_.net_name(port.net);
      if (port.kind == PortKind::kOutput) {
        if ((out_.uses[port.net.index()] & kIsOutput) != 0) {
          fail(port.line, name, "output " + quoted(name) + " is declared twice");
        }
        use(port.net, kIsOutput | Resolution::kDataUse);
      } else if (driver.cell == Driver::kNone) {
        driver = {Driver::kPort, p};
      } else if (netlist_.ports[driver.pin].kind == port.kind) {
        fail(port.line, name,
             std::string(port.kind == PortKind::kClock ? "clock " : "input ") + quoted(name) +
                 " is declared twice, first on line " + std::to_string(netlist_.ports[driver.pin].line));
      } else if (port.kind == PortKind::kInput) {
        driver.pin = p;  // listed as a clock and as an input: an input
      }
    }
  }

  void find_drivers(const Model& model) {
    find_port_drivers(model);
    for (std::uint32_t c = model.cells.begin; c < model.cells.end; ++c) {
      const Cell& cell = netlist_.cells[c];
      switch (cell.kind) {
        case CellKind::kNames:
        case CellKind::kFunction: {
          const std::span<const NetId> pins = netlist_.cell_pins(cell);
          for (const NetId net : pins.first(pins.size() - 1)) use(net, Resolution::kDataUse);
          claim(pins.back(), {c, 0}, cell.line);
          break;
        }
        case CellKind::kLatch:
        case CellKind::kConnection: {
          const std::span<const NetId> pins = netlist_.cell_pins(cell);
          use(pins[0], Resolution::kDataUse);
          claim(pins[1], {c, 0}, cell.line);
          if (pins.size() > 2) use(pins[2], Resolution::kControlUse);
          break;
        }
        case CellKind::kDirective: break;
        default: find_instance_drivers(c, cell);
      }
    }
  }

  void find_instance_drivers(std::uint32_t c, const Cell& cell) {
    if (out_.child.empty()) return;
    if (out_.child[c] == Resolution::kBlackBox) {
      unknown_cells_.push_back(c);
      return;
    }
    for (std::uint32_t k = cell.pin_begin; k < cell.pin_begin + cell.pin_count; ++k) {
      const BoundPin& pin = out_.pins[k];
      if (pin.is_output) {
        claim(pin.outer, {c, k}, cell.line);
      } else {
        use(pin.outer,
            is_clock_only(out_.child[c], pin.inner) ? Resolution::kControlUse : Resolution::kDataUse);
      }
    }
  }

  /// True for a `.clock` port that no logic of its model reads. All pins of a black box count as read.
  bool is_clock_only(std::uint32_t child, NetId inner) const {
    if (netlist_.models[child].black_box) return false;
    const Driver& driver = out_.drivers[inner.index()];
    return driver.cell == Driver::kPort && netlist_.ports[driver.pin].kind == PortKind::kClock &&
           (out_.uses[inner.index()] & Resolution::kDataUse) == 0;
  }

  /// Pins of models that are not in the file.
  void find_open_pins() {
    if (unknown_cells_.empty()) return;
    std::vector<OpenPin> pins;
    std::vector<std::uint32_t> places;
    for (const std::uint32_t c : unknown_cells_) {
      const Cell& cell = netlist_.cells[c];
      for (std::uint32_t k = cell.pin_begin; k < cell.pin_begin + cell.pin_count; ++k) {
        pins.push_back({cell.name, formal_of(out_.pins[k]), out_.pins[k].outer, c, false});
        places.push_back(k);
      }
    }
    std::vector<bool> driven(netlist_.nets.size());
    for (std::size_t n = 0; n < driven.size(); ++n) driven[n] = out_.drivers[n].cell != Driver::kNone;
    out_.chosen_directions = infer_directions(pins, driven);
    for (std::size_t i = 0; i < pins.size(); ++i) {
      out_.pins[places[i]].is_output = pins[i].is_output;
      if (pins[i].is_output) {
        claim(pins[i].net, {pins[i].cell, places[i]}, netlist_.cells[pins[i].cell].line);
      } else {
        use(pins[i].net, Resolution::kDataUse);
      }
    }
  }

  void check_driven(const Model& model) const {
    if (params_.free_undriven) return;
    for (std::uint32_t n = model.nets.begin; n < model.nets.end; ++n) {
      if (out_.drivers[n].cell == Driver::kNone && (out_.uses[n] & Resolution::kDataUse) != 0) {
        fail_undriven(model, NetId(n));
      }
    }
  }

  [[noreturn]] void fail_undriven(const Model& model, NetId net) const {
    const std::string_view name = netlist_.net_name(net);
    const auto uses_net = [net](NetId pin) { return pin == net; };
    for (std::uint32_t c = model.cells.begin; c < model.cells.end; ++c) {
      const Cell& cell = netlist_.cells[c];
      if (is_instance(cell.kind)) {
        for (const Binding& binding : netlist_.cell_bindings(cell)) {
          if (binding.net == net) fail(cell.line, name, "signal " + quoted(name) + " is never driven");
        }
      } else if (cell.kind != CellKind::kDirective) {
        const std::span<const NetId> pins = netlist_.cell_pins(cell);
        if (cell.kind == CellKind::kLatch && pins[0] == net) {
          fail(cell.line, name, "next-state signal " + quoted(name) + " of a latch is never driven");
        }
        if (cell.kind != CellKind::kLatch && std::any_of(pins.begin(), pins.end(), uses_net)) {
          fail(cell.line, name, "signal " + quoted(name) + " is never driven");
        }
      }
    }
    for (std::uint32_t p = model.ports.begin; p < model.ports.end; ++p) {
      if (netlist_.ports[p].net == net) {
        fail(netlist_.ports[p].line, name, "output " + quoted(name) + " is never driven");
      }
    }
    fail(model.line, name, "signal " + quoted(name) + " is never driven");
  }

  /// Models that the top does not use: several drivers are still an error. Undriven signals are not, since
  /// the models they instantiate may be missing.
  void check_unused_models() {
    std::vector<bool> used(netlist_.models.size(), false);
    for (const std::uint32_t m : out_.order) used[m] = true;
    // Their instances were not bound and count as absent.
    std::vector<std::uint32_t> child;
    child.swap(out_.child);
    for (std::uint32_t m = 0; m < netlist_.models.size(); ++m) {
      if (!used[m]) find_drivers(netlist_.models[m]);
    }
    child.swap(out_.child);
  }

  static constexpr std::uint8_t kIsOutput = 4;
  struct Count {
    std::uint32_t model = UINT32_MAX;
    std::uint32_t instances = 0;
  };
  const Netlist& netlist_;
  const ElaborateParams& params_;
  std::string_view source_;
  Resolution out_;
  std::vector<Count> counted_;                // by name
  std::vector<std::uint32_t> sorted_ports_;   // port indices, by name within each model
  std::vector<std::uint32_t> unknown_cells_;  // instances of models that are not in the file
};

}  // namespace

Resolution resolve(const Netlist& netlist, const ElaborateParams& params, std::string_view source) {
  return Resolver(netlist, params, source).run();
}

std::string instance_name(const Netlist& netlist, const Resolution& resolution, const Model& model,
                          std::uint32_t cell) {
  const auto begin = netlist.attributes.begin();
  // The model's own attributes come first, then those of its cells in order.
  auto found = std::lower_bound(begin + model.attributes.begin, begin + model.attributes.end, cell,
                                [](const Attribute& attribute, std::uint32_t c) {
                                  return attribute.cell == Attribute::kOfModel || attribute.cell < c;
                                });
  for (; found != begin + model.attributes.end && found->cell == cell; ++found) {
    if (found->kind == AttributeKind::kCellName) return std::string(netlist.names.text(found->key));
  }
  return std::string(netlist.names.text(netlist.cells[cell].name)) + ":" +
         std::to_string(resolution.ordinal[cell]);
}

}  // namespace hw
