#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// The nodes of an AIG at one moment. Stays valid and unchanged while the AIG grows (also in another thread).
struct AigSnapshot {
  explicit AigSnapshot(const AigStore& aig)
      : nodes(aig.nodes()),
        input_count(static_cast<std::uint32_t>(aig.inputs().size())),
        latch_count(static_cast<std::uint32_t>(aig.latches().size())),
        keep_(aig.node_array().share()) {}

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes.size()); }
  bool is_and(std::uint32_t id) const { return nodes[id].fanin0 != AigStore::kNotAnd; }
  /// Number among inputs, then latches, of a node that is neither AND nor constant.
  std::uint32_t source(std::uint32_t id) const {
    const std::uint32_t mark = nodes[id].fanin1.raw();
    const bool latch = (mark & AigStore::kLatchBit) != 0;
    return (mark & ~AigStore::kLatchBit) + (latch ? input_count : 0);
  }

  std::span<const Node> nodes;
  std::uint32_t input_count;
  std::uint32_t latch_count;

 private:
  std::shared_ptr<const void> keep_;
};

/// One AND of a schedule. `a` and `b` are 2 * slot + complement, `out` is a slot. `out` may be the slot of an
/// operand: kernels read a word of both operands before they write that word.
struct SimOp {
  std::uint32_t a;
  std::uint32_t b;
  std::uint32_t out;
};

/// What happens before the op number `position`: a source is put into a slot or a root's value is taken.
struct SimEvent {
  enum class Kind : std::uint8_t { kLoad, kZero, kStore };
  Kind kind;
  std::uint32_t position;
  /// kLoad, kZero: slot. kStore: 2 * slot + complement.
  std::uint32_t slot;
  /// kLoad: source number (inputs, then latches). kStore: number of the root.
  std::uint32_t index;
};

/// An AIG compiled for simulation of chosen literals, the roots: only their cones, in topological order, with
/// values in slots that are used again once the last reader is done, so that the working set of one pass is
/// the largest number of values alive at one time rather than all nodes. Sources get their slot at their
/// first use, roots are handed out where they are computed. 12 bytes an AND; does not refer to the AIG any
/// more.
class SimSchedule {
 public:
  /// Linear in the nodes of `aig`: about 30 ns each. `roots` must be literals of `aig`. Throws LimitError
  /// when `stop` ends it.
  SimSchedule(const AigSnapshot& aig, std::span<const Lit> roots, dynomite::Stop& stop);
  SimSchedule(const AigStore& aig, std::span<const Lit> roots, dynomite::Stop& stop)
      : SimSchedule(AigSnapshot(aig), roots, stop) {}

  std::span<const SimOp> ops() const { return ops_; }
  std::span<const SimEvent> events() const { return events_; }
  /// Slots needed at one time.
  std::uint32_t slot_count() const { return slot_count_; }
  /// Inputs plus latches of the AIG.
  std::uint32_t source_count() const { return source_count_; }
  std::uint32_t root_count() const { return root_count_; }

 private:
  std::vector<SimOp> ops_;
  std::vector<SimEvent> events_;
  std::uint32_t slot_count_ = 0;
  std::uint32_t source_count_ = 0;
  std::uint32_t root_count_ = 0;
};

}  // namespace dmt
