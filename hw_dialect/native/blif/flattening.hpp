#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dynomite/native/base/stop.hpp"
#include "hw_dialect/native/blif/netlist.hpp"
#include "hw_dialect/native/blif/resolve.hpp"

namespace hw {

/// Between the parts of a hierarchical name: `adder:0/carry`.
inline constexpr char kHierarchySeparator = '/';
/// Limit of the characters of all hierarchical names.
inline constexpr std::uint64_t kMaxNameBytes = std::uint64_t{1} << 27;

/// The instances of all models below the top, and their nets under one numbering. An instance is a number;
/// 0 is the top. Keeps references to the netlist and the resolution.
class Flattening {
 public:
  struct Instance {
    std::uint32_t model;
    std::uint32_t parent;
    std::uint32_t cell;         // in the parent's model
    std::uint32_t first_child;  // children with logic follow each other, by slot
    std::uint32_t net_base;     // flattened net of the model's first net
  };
  /// A cell of an instance.
  struct CellRef {
    std::uint32_t instance;
    std::uint32_t cell;
  };

  /// Throws LimitError if there would be more than `limit` instances and nets.
  Flattening(const Netlist& netlist, const Resolution& resolution, std::uint64_t limit, dynomite::Stop& stop);

  std::uint32_t size() const { return static_cast<std::uint32_t>(instances_.size()); }
  std::uint32_t net_count() const { return net_count_; }
  const Instance& instance(std::uint32_t i) const { return instances_[i]; }
  const Model& model(std::uint32_t i) const { return netlist_.models[instances_[i].model]; }
  /// Instances of models without logic.
  const std::vector<CellRef>& boxes() const { return boxes_; }

  std::uint32_t net(std::uint32_t instance, NetId net) const {
    return instances_[instance].net_base + (net.index() - model(instance).nets.begin);
  }
  /// The net outside `instance` that its port `net` is connected to, or none.
  NetId outer_net(std::uint32_t instance, NetId net) const;
  /// Number of nets that a driver reads.
  std::uint32_t fanin_count(const Driver& driver) const;
  /// Fanin `k` of a net with this driver, as instance and net; the net may be none.
  std::pair<std::uint32_t, NetId> fanin(std::uint32_t instance, NetId net, const Driver& driver,
                                        std::uint32_t k) const;

  /// `parent/child/name`.
  std::string path_name(std::uint32_t instance, std::string_view name) const;
  /// The name an AIG gets for a net: for the top without escapes, below it the path, made unique.
  std::string kept_name(std::uint32_t instance, std::string_view name);
  /// The same for a pin of a black box: `path/instance/formal`.
  std::string box_pin_name(const CellRef& box, const BoundPin& pin);

 private:
  bool has_logic(std::uint32_t cell) const;
  std::uint64_t flattened_size() const;
  std::string unique(std::string path);

  const Netlist& netlist_;
  const Resolution& resolution_;
  std::vector<Instance> instances_;
  std::vector<CellRef> boxes_;
  std::uint32_t net_count_ = 0;
  std::unordered_set<std::size_t> taken_;  // hashes of the names given out
  std::uint64_t name_bytes_ = 0;
};

}  // namespace hw
