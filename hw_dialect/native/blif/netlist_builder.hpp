#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hw_dialect/native/blif/netlist.hpp"

namespace hw {

/// Fills a `Netlist` model by model: keeps the ranges consecutive and maps names to the nets of the model
/// being filled. The netlist must outlive the builder.
class NetlistBuilder {
 public:
  explicit NetlistBuilder(Netlist& netlist) : netlist_(netlist) {}

  /// Begins a model; the one before must be ended. Returns its index.
  std::uint32_t begin_model(NameId name, std::uint32_t line);
  void end_model();
  bool in_model() const { return open_; }
  Model& model() { return netlist_.models.back(); }

  /// The net called `name` in the current model, made on first sight.
  NetId net(std::string_view name) { return net_of(netlist_.names.intern(name)); }
  void add_port(PortKind kind, std::string_view name, std::uint32_t line);

  /// Begins a cell; pins, bindings and text added until the next cell belong to it.
  Cell& begin_cell(CellKind kind, std::uint32_t line);
  Cell& cell() { return netlist_.cells.back(); }
  /// Index of the current model's last cell that is an element (no directive), or Attribute::kOfModel.
  std::uint32_t last_element() const { return last_element_; }
  void add_pin(std::string_view name);
  /// The same for several names, faster.
  void add_pins(std::span<const std::string_view> names);
  void add_binding(NameId formal, NetId net);
  void add_text(std::string_view text) { netlist_.text.append(text); }

 private:
  NetId net_of(NameId name);

  struct Local {
    std::uint32_t model = UINT32_MAX;
    NetId net;
  };
  Netlist& netlist_;
  std::vector<Local> local_;  // by name: its net in the model that last used it
  std::uint32_t last_element_ = Attribute::kOfModel;
  bool open_ = false;
};

}  // namespace hw
