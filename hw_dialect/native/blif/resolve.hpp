#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw_dialect/native/blif/netlist.hpp"

namespace hw {

/// What elaboration takes for granted where a netlist leaves freedom.
struct ElaborateParams {
  /// Models without logic (missing, or `.blackbox`): outputs become inputs of the AIG and inputs outputs.
  bool black_boxes = false;
  /// Signals without a driver become inputs of the AIG instead of an error.
  bool free_undriven = false;
  /// Keep the names of internal nets, at most one a node.
  bool net_names = false;
  /// Flattening may make this many nets and instances, or four times what the file has, whichever is more.
  std::uint64_t max_flattened = std::uint64_t{1} << 24;
  /// The model to elaborate; empty: the first of the file.
  std::string top;
};

/// A pin of an instance, resolved: the net inside the instantiated model (none for a black box without a
/// model) and the net outside.
struct BoundPin {
  NetId inner;
  NetId outer;
  std::uint32_t binding = 0;
  bool is_output = false;
};

/// What drives a net inside its model.
struct Driver {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kPort = UINT32_MAX - 1;
  std::uint32_t cell = kNone;  // a cell, kPort (input or clock of the model) or kNone
  std::uint32_t pin = 0;       // instance: index into `Resolution::pins`; kPort: index of the port
};

/// Connections of a netlist below one top model, each model looked at once however often it is instantiated.
struct Resolution {
  static constexpr std::uint32_t kBlackBox = UINT32_MAX;  // as `child`
  std::uint32_t top = 0;
  bool has_instances = false;
  /// Models below the top that have logic, each after all the models it instantiates. The top is last.
  std::vector<std::uint32_t> order;
  // By cell, empty when there are no instances at all:
  std::vector<std::uint32_t> child;    // model of an instance, or kBlackBox
  std::vector<std::uint32_t> ordinal;  // how many instances of the same model stand before it in its model
  std::vector<std::uint32_t> slot;     // how many instances with logic stand before it in its model
  /// By binding; the pins of one cell are sorted by inner net.
  std::vector<BoundPin> pins;
  /// Pins of missing models for which nothing in the file says whether they are inputs or outputs.
  std::size_t chosen_directions = 0;
  std::vector<Driver> drivers;     // by net
  std::vector<std::uint8_t> uses;  // by net: kDataUse, kControlUse
  static constexpr std::uint8_t kDataUse = 1;
  static constexpr std::uint8_t kControlUse = 2;

  std::span<const BoundPin> cell_pins(const Cell& cell) const {
    return std::span(pins).subspan(cell.pin_begin, cell.pin_count);
  }
};

/// Finds the models, pins and drivers below the top. Throws ParseError (missing and recursive models, pins
/// that do not fit, several drivers, no driver); `source` is the text of the file for the message, or empty.
Resolution resolve(const Netlist& netlist, const ElaborateParams& params, std::string_view source);

/// The name of instance `cell` of `model`: its `.cname`, or the model's name, a colon and the ordinal.
std::string instance_name(const Netlist& netlist, const Resolution& resolution, const Model& model,
                          std::uint32_t cell);

}  // namespace hw
