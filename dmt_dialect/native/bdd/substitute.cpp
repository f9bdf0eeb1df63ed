#include "dmt_dialect/native/bdd/substitute.hpp"

#include <algorithm>
#include <vector>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/bdd/run.hpp"

namespace dmt::bdd {

namespace {

struct ComposeOp {
  using Call = BddEdge;
  struct Frame {
    BddEdge f, f0;
    std::uint32_t level;
    BddEdge then;
    std::uint64_t flip;
  };
  BddStore& store;
  /// What stands at each level, down to the last one that changes.
  const std::vector<BddEdge>& at_level;
  std::uint32_t serial;

  bool enter(Call& call, Frame& frame, BddEdge& result) {
    BddEdge f = call;
    std::uint32_t level = store.level(f);
    while (level < at_level.size() && at_level[level].is_constant()) {
      f = at_level[level] == kBddTrue ? store.high(f) : store.low(f);
      level = store.level(f);
    }
    if (level >= at_level.size()) {
      result = f;
      return true;
    }
    const bool flip = f.complemented();
    f = f.regular();
    result = store.cache().find(f.raw(), serial, kComposeTag);
    if (result != kBddNone) {
      result = result ^ flip;
      return true;
    }
    frame = {f, store.low(f), level, kBddNone, flip};
    call = store.high(f);
    return false;
  }

  bool resume(Frame& frame, BddEdge& result, Call& call) {
    if (frame.then == kBddNone) {
      frame.then = result;
      call = frame.f0;
      return true;
    }
    result = ite(store, at_level[frame.level], frame.then, result);
    store.cache().insert(frame.f.raw(), serial, kComposeTag, result);
    result = result ^ (frame.flip != 0);
    return false;
  }
};

/// Both of Coudert and Madre's operators.
template <bool kRestrict>
struct CareOp {
  static constexpr Tag kTag = kRestrict ? kRestrictTag : kConstrainTag;
  struct Call {
    BddEdge f, care;
  };
  struct Frame {
    BddEdge f, care, f0, care0;
    std::uint32_t level;
    BddEdge then;
    /// Whether the result is complemented; bit 1: whether the one branch done is the result.
    std::uint64_t flip;
  };
  BddStore& store;

  bool enter(Call& call, Frame& frame, BddEdge& result) {
    const bool flip = call.f.complemented();
    const BddEdge f = call.f.regular();
    BddEdge care = call.care;
    if (kRestrict) {
      // Variables f does not depend on at its top are taken out of the care set.
      while (store.level(care) < store.level(f)) care = or_(store, store.high(care), store.low(care));
    }
    if (f.is_constant() || care == kBddTrue) {
      result = f ^ flip;
      return true;
    }
    if (f.node() == care.node()) {
      result = kBddTrue ^ ((f != care) != flip);
      return true;
    }
    result = store.cache().find(f.raw(), care.raw(), kTag);
    if (result != kBddNone) {
      result = result ^ flip;
      return true;
    }
    const BddNode& f_node = store.node(f);
    const BddNode& care_node = store.node(care);
    const std::uint32_t level = std::min(f_node.level, care_node.level);
    const Branches fs = split(f, f_node, level);
    const Branches cares = split(care, care_node, level);
    frame = {f, care, fs.low, cares.low, level, kBddNone, flip};
    if (cares.low == kBddFalse || cares.high == kBddFalse) frame.flip |= 2U;
    call = cares.high == kBddFalse ? Call{fs.low, cares.low} : Call{fs.high, cares.high};
    return false;
  }

  bool resume(Frame& frame, BddEdge& result, Call& call) {
    if ((frame.flip & 2U) == 0) {
      if (frame.then == kBddNone) {
        frame.then = result;
        call = {frame.f0, frame.care0};
        return true;
      }
      result = store.make(frame.level, frame.then, result);
    }
    store.cache().insert(frame.f.raw(), frame.care.raw(), kTag, result);
    result = result ^ ((frame.flip & 1U) != 0);
    return false;
  }
};

}  // namespace

BddEdge compose(BddStore& store, BddEdge f, std::span<const std::pair<std::uint32_t, BddEdge>> substitution) {
  std::uint32_t levels = 0;
  for (const auto& [var, edge] : substitution) levels = std::max(levels, store.level_of(var) + 1);
  std::vector<BddEdge> at_level;
  for (std::uint32_t level = 0; level < levels; ++level) at_level.push_back(store.var(store.var_at(level)));
  for (const auto& [var, edge] : substitution) at_level[store.level_of(var)] = edge;
  return run(store, ComposeOp{store, at_level, store.next_serial()}, f);
}

BddEdge constrain(BddStore& store, BddEdge f, BddEdge care) {
  return run(store, CareOp<false>{store}, {f, care});
}

BddEdge restrict_(BddStore& store, BddEdge f, BddEdge care) {
  return run(store, CareOp<true>{store}, {f, care});
}

}  // namespace dmt::bdd
