#include "dmt_dialect/native/bdd/apply.hpp"

#include <algorithm>
#include <utility>

#include "dmt_dialect/native/bdd/run.hpp"

namespace dmt::bdd {

namespace {

/// Both operands split at the level of the higher one.
struct SplitPair {
  std::uint32_t level;
  Branches f, g;
};
SplitPair split_both(const BddStore& store, BddEdge f, BddEdge g) {
  const BddNode& f_node = store.node(f);
  const BddNode& g_node = store.node(g);
  const std::uint32_t level = std::min(f_node.level, g_node.level);
  return {level, split(f, f_node, level), split(g, g_node, level)};
}

/// An operation on two functions whose then-branch is on the way, or known.
struct PairFrame {
  BddEdge f, g, f0, g0;
  std::uint32_t level;
  BddEdge then;

  /// Keeps the then-branch and goes on with the else-branch; false once both are known.
  bool goes_on(BddEdge result, Pair& call) {
    if (then != kBddNone) return false;
    then = result;
    call = {f0, g0};
    return true;
  }
  /// The node of both branches, kept in the cache.
  BddEdge finish(BddStore& store, std::uint32_t tag, BddEdge other) const {
    const BddEdge made = store.make(level, then, other);
    store.cache().insert(f.raw(), g.raw(), tag, made);
    return made;
  }
};

struct AndOp {
  using Call = Pair;
  using Frame = PairFrame;
  BddStore& store;

  bool enter(Call& call, Frame& frame, BddEdge& result) {
    BddEdge f = call.f;
    BddEdge g = call.g;
    sort(f, g);
    if (const std::uint32_t both = f.raw() ^ g.raw(); both <= 1) {
      result = both == 0 ? f : kBddFalse;
      return true;
    }
    if (f.is_constant()) {
      result = f == kBddTrue ? g : f;
      return true;
    }
    result = store.cache().find(f.raw(), g.raw(), kAndTag);
    if (result != kBddNone) return true;
    const auto [level, fs, gs] = split_both(store, f, g);
    frame = {f, g, fs.low, gs.low, level, kBddNone};
    sort(frame.f0, frame.g0);
    store.cache().prefetch(frame.f0.raw(), frame.g0.raw(), kAndTag);
    call = {fs.high, gs.high};
    return false;
  }

  bool resume(Frame& frame, BddEdge& result, Call& call) {
    if (frame.goes_on(result, call)) return true;
    result = frame.finish(store, kAndTag, result);
    return false;
  }
};

struct XorOp {
  using Call = Pair;
  struct Frame : PairFrame {
    std::uint64_t flip;
  };
  BddStore& store;

  bool enter(Call& call, Frame& frame, BddEdge& result) {
    const bool flip = call.f.complemented() != call.g.complemented();
    BddEdge f = call.f.regular();
    BddEdge g = call.g.regular();
    sort(f, g);
    if (f == g) {
      result = kBddFalse ^ flip;
      return true;
    }
    if (f == kBddTrue) {
      result = ~g ^ flip;
      return true;
    }
    result = store.cache().find(f.raw(), g.raw(), kXorTag);
    if (result != kBddNone) {
      result = result ^ flip;
      return true;
    }
    const auto [level, fs, gs] = split_both(store, f, g);
    frame = {{f, g, fs.low, gs.low, level, kBddNone}, flip};
    call = {fs.high, gs.high};
    return false;
  }

  bool resume(Frame& frame, BddEdge& result, Call& call) {
    if (frame.goes_on(result, call)) return true;
    result = frame.finish(store, kXorTag, result) ^ (frame.flip != 0);
    return false;
  }
};

struct IteOp {
  struct Call {
    BddEdge f, g, h;
  };
  struct Frame {
    BddEdge f, g, h, f0, g0, h0;
    std::uint32_t level;
    BddEdge then;
    std::uint64_t flip;
  };
  BddStore& store;

  bool enter(Call& call, Frame& frame, BddEdge& result) {
    auto [f, g, h] = call;
    if (simple(f, g, h, result)) return true;
    // Standard triples: the first two operands are regular.
    if (f.complemented()) {
      f = ~f;
      std::swap(g, h);
    }
    const bool flip = g.complemented();
    g = g ^ flip;
    h = h ^ flip;
    result = store.cache().find(f.raw(), g.raw(), h.raw());
    if (result != kBddNone) {
      result = result ^ flip;
      return true;
    }
    const BddNode& f_node = store.node(f);
    const BddNode& g_node = store.node(g);
    const BddNode& h_node = store.node(h);
    const std::uint32_t level = std::min({f_node.level, g_node.level, h_node.level});
    const Branches fs = split(f, f_node, level);
    const Branches gs = split(g, g_node, level);
    const Branches hs = split(h, h_node, level);
    frame = {f, g, h, fs.low, gs.low, hs.low, level, kBddNone, flip};
    call = {fs.high, gs.high, hs.high};
    return false;
  }

  bool resume(Frame& frame, BddEdge& result, Call& call) {
    if (frame.then == kBddNone) {
      frame.then = result;
      call = {frame.f0, frame.g0, frame.h0};
      return true;
    }
    result = store.make(frame.level, frame.then, result);
    store.cache().insert(frame.f.raw(), frame.g.raw(), frame.h.raw(), result);
    result = result ^ (frame.flip != 0);
    return false;
  }

 private:
  /// Terminal cases, and those with an operation of two operands.
  bool simple(BddEdge f, BddEdge g, BddEdge h, BddEdge& result) {
    if (f.is_constant()) {
      result = f == kBddTrue ? g : h;
      return true;
    }
    if (f.node() == g.node()) g = kBddFalse ^ (f == g);
    if (f.node() == h.node()) h = kBddTrue ^ (f == h);
    if (g == h) {
      result = g;
    } else if (g == ~h) {
      result = g.is_constant() ? f ^ (g == kBddFalse) : xor_(store, f, h);
    } else if (g.is_constant()) {
      result = g == kBddTrue ? or_(store, f, h) : and_(store, ~f, h);
    } else if (h.is_constant()) {
      result = h == kBddTrue ? or_(store, ~f, g) : and_(store, f, g);
    } else {
      return false;
    }
    return true;
  }
};

struct ImpliesOp {
  using Call = Pair;
  struct Frame {
    BddEdge f, g, f0, g0;
    std::uint32_t waits_for_then;
    std::uint32_t unused;
  };
  BddStore& store;

  bool enter(Call& call, Frame& frame, BddEdge& result) {
    const auto [f, g] = call;
    if (f == g || f == kBddFalse || g == kBddTrue) {
      result = kBddTrue;
      return true;
    }
    if (f == kBddTrue || g == kBddFalse || f == ~g) {
      result = kBddFalse;
      return true;
    }
    result = store.cache().find(f.raw(), g.raw(), kImpliesTag);
    if (result != kBddNone) return true;
    const auto [level, fs, gs] = split_both(store, f, g);
    frame = {f, g, fs.low, gs.low, 1, 0};
    call = {fs.high, gs.high};
    return false;
  }

  bool resume(Frame& frame, BddEdge& result, Call& call) {
    if (frame.waits_for_then != 0 && result == kBddTrue) {
      frame.waits_for_then = 0;
      call = {frame.f0, frame.g0};
      return true;
    }
    store.cache().insert(frame.f.raw(), frame.g.raw(), kImpliesTag, result);
    return false;
  }
};

}  // namespace

BddEdge and_(BddStore& store, BddEdge f, BddEdge g) { return run(store, AndOp{store}, {f, g}); }
BddEdge xor_(BddStore& store, BddEdge f, BddEdge g) { return run(store, XorOp{store}, {f, g}); }
BddEdge ite(BddStore& store, BddEdge f, BddEdge g, BddEdge h) { return run(store, IteOp{store}, {f, g, h}); }
bool implies(BddStore& store, BddEdge f, BddEdge g) {
  return run(store, ImpliesOp{store}, {f, g}) == kBddTrue;
}

}  // namespace dmt::bdd
