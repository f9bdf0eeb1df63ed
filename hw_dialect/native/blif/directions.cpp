#include "hw_dialect/native/blif/directions.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace hw {

namespace {

using Index = std::uint32_t;

/// Pin numbers grouped by a key: the groups follow each other in one array.
class Groups {
 public:
  template <typename Key>
  Groups(std::size_t pins, Key key) : members_(pins), group_of_(pins) {
    for (std::size_t i = 0; i < pins; ++i) members_[i] = static_cast<Index>(i);
    // Stable: within a group, and among groups by their first pin after numbering, the order of the file.
    std::stable_sort(members_.begin(), members_.end(), [&](Index a, Index b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < pins; ++i) {
      if (i == 0 || key(members_[i]) != key(members_[i - 1])) begins_.push_back(static_cast<Index>(i));
      group_of_[members_[i]] = static_cast<Index>(begins_.size() - 1);
    }
    begins_.push_back(static_cast<Index>(pins));
  }
  std::size_t size() const { return begins_.size() - 1; }
  Index of(Index pin) const { return group_of_[pin]; }
  std::span<const Index> pins(Index group) const {
    return std::span(members_).subspan(begins_[group], begins_[group + 1] - begins_[group]);
  }

 private:
  std::vector<Index> members_, group_of_, begins_;
};

enum class Direction : std::uint8_t { kUnknown, kInput, kOutput };

class Inference {
 public:
  Inference(std::vector<OpenPin>& pins, const std::vector<bool>& driven)
      : pins_(pins),
        formals_(pins.size(),
                 [&pins](Index p) { return std::pair(pins[p].model.index(), pins[p].formal.index()); }),
        nets_(pins.size(), [&pins](Index p) { return pins[p].net.index(); }),
        cells_(pins.size(), [&pins](Index p) { return pins[p].cell; }),
        directions_(formals_.size(), Direction::kUnknown),
        driven_(nets_.size()),
        open_(nets_.size()),
        has_output_(cells_.size(), false) {
    for (Index n = 0; n < nets_.size(); ++n) {
      driven_[n] = driven[pins[nets_.pins(n)[0]].net.index()];
      open_[n] = static_cast<Index>(nets_.pins(n).size());
    }
  }

  std::size_t run() {
    for (Index p = 0; p < pins_.size(); ++p) {
      if (driven_[nets_.of(p)] || pins_[p].formal.none()) decide(p, Direction::kInput);
    }
    propagate();
    for (Index n = 0; n < nets_.size(); ++n) settle(n);
    propagate();
    std::size_t chosen = 0;
    for (const bool only_clear : {true, true, false}) {
      for (Index p = 0; p < pins_.size(); ++p) {
        const Index n = nets_.of(p);
        if (driven_[n] || direction(p) != Direction::kUnknown) continue;
        const Index driver = only_clear ? clear_driver(n) : p;
        if (driver == kNone) continue;
        decide(driver, Direction::kOutput);
        propagate();
        ++chosen;
      }
    }
    for (Index p = 0; p < pins_.size(); ++p) pins_[p].is_output = direction(p) == Direction::kOutput;
    return chosen;
  }

 private:
  static constexpr Index kNone = UINT32_MAX;

  Direction direction(Index pin) const { return directions_[formals_.of(pin)]; }

  void decide(Index pin, Direction direction) {
    const Index formal = formals_.of(pin);
    if (directions_[formal] != Direction::kUnknown) return;
    directions_[formal] = direction;
    queue_.push_back(formal);
  }

  void propagate() {
    while (!queue_.empty()) {
      const Index formal = queue_.back();
      queue_.pop_back();
      for (const Index p : formals_.pins(formal)) {
        const Index n = nets_.of(p);
        --open_[n];
        if (directions_[formal] == Direction::kOutput) {
          has_output_[cells_.of(p)] = true;
          if (driven_[n]) continue;
          driven_[n] = true;
          for (const Index other : nets_.pins(n)) decide(other, Direction::kInput);
        } else {
          settle(n);
        }
      }
    }
  }

  /// The last pin that can drive a net does.
  void settle(Index net) {
    if (driven_[net] || open_[net] != 1) return;
    for (const Index p : nets_.pins(net)) {
      if (direction(p) == Direction::kUnknown) return decide(p, Direction::kOutput);
    }
  }

  /// The only pin of an undriven net whose instance has no output yet, or kNone.
  Index clear_driver(Index net) const {
    Index found = kNone;
    for (const Index p : nets_.pins(net)) {
      if (direction(p) != Direction::kUnknown || has_output_[cells_.of(p)]) continue;
      if (found != kNone) return kNone;
      found = p;
    }
    return found;
  }

  std::vector<OpenPin>& pins_;
  Groups formals_, nets_, cells_;
  std::vector<Direction> directions_;  // by formal
  std::vector<bool> driven_;           // by net
  std::vector<Index> open_;            // by net: pins of unknown direction
  std::vector<bool> has_output_;       // by cell
  std::vector<Index> queue_;           // formals decided and not yet propagated
};

}  // namespace

std::size_t infer_directions(std::vector<OpenPin>& pins, const std::vector<bool>& driven) {
  return Inference(pins, driven).run();
}

}  // namespace hw
