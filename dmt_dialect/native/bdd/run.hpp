#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "dmt_dialect/native/bdd/bdd_store.hpp"

namespace dmt::bdd {

/// Operands of a binary operation.
struct Pair {
  BddEdge f, g;
};

/// Both branches of an edge at `level`; the edge itself where its variable comes later.
struct Branches {
  BddEdge high, low;
};
inline Branches split(BddEdge edge, const BddNode& node, std::uint32_t level) {
  if (node.level != level) return {edge, edge};
  return {node.high ^ edge.complemented(), node.low ^ edge.complemented()};
}

/// For operations whose operands may change places.
inline void sort(BddEdge& f, BddEdge& g) {
  if (f.raw() > g.raw()) std::swap(f, g);
}

/// The one loop behind all operations: depth first over pairs (or triples...) of nodes, on the store's own
/// stack, as deep as there are variables.
///
/// An operation `Op` has a `Call` (its operands), a `Frame` (what it remembers while it waits) and
///   bool enter(Call& call, Frame& frame, BddEdge& result): true with the result where it is known at once;
///       else fills the frame and makes `call` the call for the then-branch;
///   bool resume(Frame& frame, BddEdge& result, Call& call): given the result of a branch, true with `call`
///       where another branch is to be done, else false with the frame's result.
/// `enter` and `resume` may run further operations; these stack up to a fixed number only.
template <typename Op>
BddEdge run(BddStore& store, Op op, typename Op::Call call) {
  using Frame = typename Op::Frame;
  WorkStack& stack = store.stack();
  const WorkStackMark mark(stack);
  BddEdge result;
  for (;;) {
    Frame frame;
    if (!op.enter(call, frame, result)) {
      stack.push<Frame>() = frame;
      store.tick();
      continue;
    }
    for (;;) {
      if (stack.height() == mark.height()) return result;
      frame = stack.top<Frame>();
      if (op.resume(frame, result, call)) {
        stack.top<Frame>() = frame;
        break;
      }
      stack.pop<Frame>();
    }
  }
}

}  // namespace dmt::bdd
