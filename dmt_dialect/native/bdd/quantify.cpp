#include "dmt_dialect/native/bdd/quantify.hpp"

#include <algorithm>
#include <vector>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/bdd/run.hpp"

namespace dmt::bdd {

namespace {

/// The part of a cube at `level` and below.
BddEdge skip_above(const BddStore& store, BddEdge cube, std::uint32_t level) {
  while (store.level(cube) < level) cube = store.node(cube).high;
  return cube;
}

struct ExistsOp {
  struct Call {
    BddEdge f, cube;
  };
  struct Frame {
    BddEdge f, cube, f0, cube_below;
    std::uint32_t level;
    BddEdge then;
    std::uint64_t quantified;
  };
  BddStore& store;

  bool enter(Call& call, Frame& frame, BddEdge& result) {
    const BddEdge f = call.f;
    const std::uint32_t level = store.level(f);
    const BddEdge cube = skip_above(store, call.cube, level);
    if (f.is_constant() || cube == kBddTrue) {
      result = f;
      return true;
    }
    result = store.cache().find(f.raw(), cube.raw(), kExistsTag);
    if (result != kBddNone) return true;
    const bool quantified = store.level(cube) == level;
    const BddEdge below = quantified ? store.node(cube).high : cube;
    frame = {f, cube, store.low(f), below, level, kBddNone, quantified};
    call = {store.high(f), below};
    return false;
  }

  bool resume(Frame& frame, BddEdge& result, Call& call) {
    const bool quantified = frame.quantified != 0;
    if (frame.then == kBddNone && !(quantified && result == kBddTrue)) {
      frame.then = result;
      call = {frame.f0, frame.cube_below};
      return true;
    }
    if (frame.then != kBddNone) {
      result = quantified ? or_(store, frame.then, result) : store.make(frame.level, frame.then, result);
    }
    store.cache().insert(frame.f.raw(), frame.cube.raw(), kExistsTag, result);
    return false;
  }
};

struct AndExistsOp {
  struct Call {
    BddEdge f, g, cube;
  };
  struct Frame {
    BddEdge f, g, cube, f0, g0, cube_below;
    std::uint32_t level;
    BddEdge then;
    std::uint64_t quantified;
  };
  BddStore& store;

  bool enter(Call& call, Frame& frame, BddEdge& result) {
    BddEdge f = call.f;
    BddEdge g = call.g;
    sort(f, g);
    if (f == kBddFalse || g == kBddFalse || f == ~g) {
      result = kBddFalse;
      return true;
    }
    if (f == kBddTrue || f == g) {
      result = exists(store, g, call.cube);
      return true;
    }
    const BddNode& f_node = store.node(f);
    const BddNode& g_node = store.node(g);
    const std::uint32_t level = std::min(f_node.level, g_node.level);
    const BddEdge cube = skip_above(store, call.cube, level);
    if (cube == kBddTrue) {
      result = and_(store, f, g);
      return true;
    }
    result = store.cache().find(f.raw(), g.raw(), cube.raw() | OpCache::kTernary);
    if (result != kBddNone) return true;
    const bool quantified = store.level(cube) == level;
    const BddEdge below = quantified ? store.node(cube).high : cube;
    const Branches fs = split(f, f_node, level);
    const Branches gs = split(g, g_node, level);
    frame = {f, g, cube, fs.low, gs.low, below, level, kBddNone, quantified};
    call = {fs.high, gs.high, below};
    return false;
  }

  bool resume(Frame& frame, BddEdge& result, Call& call) {
    const bool quantified = frame.quantified != 0;
    if (frame.then == kBddNone && !(quantified && result == kBddTrue)) {
      frame.then = result;
      call = {frame.f0, frame.g0, frame.cube_below};
      return true;
    }
    if (frame.then != kBddNone) {
      result = quantified ? or_(store, frame.then, result) : store.make(frame.level, frame.then, result);
    }
    store.cache().insert(frame.f.raw(), frame.g.raw(), frame.cube.raw() | OpCache::kTernary, result);
    return false;
  }
};

}  // namespace

BddEdge cube(BddStore& store, std::span<const std::uint32_t> vars) {
  std::vector<std::uint32_t> levels;
  for (const std::uint32_t var : vars) levels.push_back(store.level_of(var));
  std::sort(levels.begin(), levels.end(), std::greater<>());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  BddEdge result = kBddTrue;
  for (const std::uint32_t level : levels) result = store.make(level, result, kBddFalse);
  return result;
}

BddEdge exists(BddStore& store, BddEdge f, BddEdge cube) { return run(store, ExistsOp{store}, {f, cube}); }

BddEdge and_exists(BddStore& store, BddEdge f, BddEdge g, BddEdge cube) {
  return run(store, AndExistsOp{store}, {f, g, cube});
}

}  // namespace dmt::bdd
