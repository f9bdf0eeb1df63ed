#include "dmt_dialect/native/word/word_gates.hpp"

namespace dmt::word {

namespace {

/// Generate and propagate of a group of bits: it makes a carry; it passes a carry on.
struct Group {
  Lit generate;
  Lit propagate;
};

/// The group of `high` above `low`; for a low group that reaches bit 0 nothing can be passed on.
Group join(Gates& g, const Group& high, const Group& low, bool low_reaches_bottom) {
  const Lit generate = g.aig.or_(high.generate, g.aig.and_(high.propagate, low.generate));
  return {generate, low_reaches_bottom ? kFalse : g.aig.and_(high.propagate, low.propagate)};
}

/// Kogge and Stone 1973: after round k, group i covers bits i - 2^k + 1 to i.
void kogge_stone(Gates& g, std::vector<Group>& groups) {
  std::vector<Group> next(groups.size());
  for (std::size_t distance = 1; distance < groups.size(); distance *= 2) {
    g.poll();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      next[i] = i < distance ? groups[i] : join(g, groups[i], groups[i - distance], i - distance < distance);
    }
    groups.swap(next);
  }
}

/// Brent and Kung 1982: a tree up over the bits 2^k - 1 apart, and a tree down to the bits between.
void brent_kung(Gates& g, std::vector<Group>& groups) {
  const std::size_t n = groups.size();
  std::size_t distance = 1;
  for (; distance < n; distance *= 2) {
    g.poll();
    for (std::size_t i = 2 * distance - 1; i < n; i += 2 * distance) {
      groups[i] = join(g, groups[i], groups[i - distance], i + 1 == 2 * distance);
    }
  }
  for (distance /= 2; distance >= 1; distance /= 2) {
    g.poll();
    for (std::size_t i = 3 * distance - 1; i < n; i += 2 * distance) {
      groups[i] = join(g, groups[i], groups[i - distance], true);
    }
  }
}

/// Carries into bits 1 to n, where `propagate` gets a XOR b of each bit.
Bits prefix_carries(Gates& g, WordLits a, WordLits b, Lit carry_in, Bits& propagate) {
  std::vector<Group> groups(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Lit both = g.aig.and_(a[i], b[i]);
    const Lit one = g.aig.and_(~both, ~g.aig.and_(~a[i], ~b[i]));
    propagate.push_back(one);
    groups[i] = {both, one};
  }
  groups[0] = {g.aig.or_(groups[0].generate, g.aig.and_(groups[0].propagate, carry_in)), kFalse};
  if (g.architecture.adder == Adder::kKoggeStone) {
    kogge_stone(g, groups);
  } else {
    brent_kung(g, groups);
  }
  Bits carries;
  carries.reserve(a.size());
  for (const Group& group : groups) carries.push_back(group.generate);
  return carries;
}

/// The carry of a full adder without its sum: four gates.
Lit majority(Gates& g, Lit a, Lit b, Lit c) {
  const Lit none = g.aig.and_(~a, ~b);
  return g.aig.or_(g.aig.and_(a, b), g.aig.and_(~none, c));
}

}  // namespace

Lit odd(Gates& g, Lit a, Lit b, Lit c) {
  const Lit one = g.aig.and_(~g.aig.and_(a, b), ~g.aig.and_(~a, ~b));
  return g.aig.and_(~g.aig.and_(one, c), ~g.aig.and_(~one, ~c));
}

SumCarry full_add(Gates& g, Lit a, Lit b, Lit c) {
  AigStore& aig = g.aig;
  const Lit both = aig.and_(a, b);
  const Lit one = aig.and_(~both, ~aig.and_(~a, ~b));
  const Lit passed = aig.and_(one, c);
  return {aig.and_(~passed, ~aig.and_(~one, ~c)), aig.or_(both, passed)};
}

Addition add(Gates& g, WordLits a, WordLits b, Lit carry_in, Carry carry) {
  Addition result;
  const std::size_t n = a.size();
  result.sum.reserve(n);
  if (g.architecture.adder == Adder::kRipple) {
    Lit running = carry_in;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      if (i % 1024 == 0) g.poll();
      const SumCarry bit = full_add(g, a[i], b[i], running);
      result.sum.push_back(bit.sum);
      running = bit.carry;
    }
    result.top_carry = running;
    if (carry == Carry::kKeep) {
      const SumCarry top = full_add(g, a[n - 1], b[n - 1], running);
      result.sum.push_back(top.sum);
      result.carry = top.carry;
    } else {
      result.sum.push_back(odd(g, a[n - 1], b[n - 1], running));
    }
    return result;
  }
  Bits propagate;
  // Without the carry out, the top bit has no part in the prefix network.
  const std::size_t used = carry == Carry::kKeep ? n : n - 1;
  const Bits carries =
      used == 0 ? Bits() : prefix_carries(g, a.first(used), b.first(used), carry_in, propagate);
  if (used < n) propagate.push_back(g.aig.xor_(a[n - 1], b[n - 1]));
  for (std::size_t i = 0; i < n; ++i) {
    result.sum.push_back(g.aig.xor_(propagate[i], i == 0 ? carry_in : carries[i - 1]));
  }
  result.top_carry = n == 1 ? carry_in : carries[n - 2];
  if (carry == Carry::kKeep) result.carry = carries[n - 1];
  return result;
}

Lit carry_of(Gates& g, WordLits a, WordLits b, Lit carry_in) {
  if (g.architecture.adder == Adder::kRipple) {
    Lit running = carry_in;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i % 1024 == 0) g.poll();
      running = majority(g, a[i], b[i], running);
    }
    return running;
  }
  // A balanced tree: only one carry is asked for.
  std::vector<Group> groups;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Lit none = g.aig.and_(~a[i], ~b[i]);
    groups.push_back({g.aig.and_(a[i], b[i]), ~none});
  }
  groups[0] = {g.aig.or_(groups[0].generate, g.aig.and_(groups[0].propagate, carry_in)), kFalse};
  while (groups.size() > 1) {
    g.poll();
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < groups.size(); i += 2) {
      groups[kept++] = join(g, groups[i + 1], groups[i], i == 0);
    }
    if (groups.size() % 2 != 0) groups[kept++] = groups.back();
    groups.resize(kept);
  }
  return groups[0].generate;
}

Bits negated(Gates& g, WordLits a) { return negated_if(g, a, kTrue); }

Bits negated_if(Gates& g, WordLits a, Lit condition) {
  Bits flipped;
  flipped.reserve(a.size());
  for (const Lit lit : a) flipped.push_back(g.aig.xor_(lit, condition));
  const Bits zeros(a.size(), kFalse);
  return add(g, flipped, zeros, condition).sum;
}

Lit unsigned_less(Gates& g, WordLits a, WordLits b) { return ~carry_of(g, a, inverted(b), kTrue); }

Lit signed_less(Gates& g, WordLits a, WordLits b) {
  // Signed order is unsigned order with the sign bits inverted.
  Bits x(a.begin(), a.end());
  Bits y(b.begin(), b.end());
  x.back() = ~x.back();
  y.back() = ~y.back();
  return unsigned_less(g, x, y);
}

}  // namespace dmt::word
