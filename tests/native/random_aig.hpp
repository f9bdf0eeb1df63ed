#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/random.hpp"

namespace random_aig {

/// A hashed AIG of random gates; the last literals are in `lits`, later ones deeper.
struct Circuit {
  dmt::AigStore aig;
  std::vector<dmt::Lit> lits;
};

inline Circuit make(std::uint64_t seed, std::uint32_t inputs, std::uint32_t gates) {
  dynomite::Random random(seed);
  Circuit circuit;
  for (std::uint32_t i = 0; i < inputs; ++i) circuit.lits.push_back(circuit.aig.add_input());
  for (std::uint32_t i = 0; i < gates; ++i) {
    const auto pick = [&] {
      const auto n = static_cast<std::uint32_t>(circuit.lits.size());
      // Recent literals are preferred, so that circuits get deep.
      const std::uint32_t back = random.below(4) != 0 ? random.below(n < 8 ? n : 8) : random.below(n);
      return circuit.lits[n - 1 - back] ^ ((random.next() & 1U) != 0);
    };
    const dmt::Lit a = pick();
    const dmt::Lit b = pick();
    circuit.lits.push_back(random.below(3) == 0 ? circuit.aig.xor_(a, b) : circuit.aig.and_(a, b));
  }
  return circuit;
}

/// Gates as files have them: not hashed, with equal, opposite and constant fanins and copies of gates.
inline Circuit make_plain(std::uint64_t seed, std::uint32_t inputs, std::uint32_t gates) {
  dynomite::Random random(seed);
  Circuit circuit;
  circuit.lits.push_back(dmt::kFalse);
  for (std::uint32_t i = 0; i < inputs; ++i) circuit.lits.push_back(circuit.aig.add_input());
  for (std::uint32_t i = 0; i < gates; ++i) {
    const auto pick = [&] {
      const auto n = static_cast<std::uint32_t>(circuit.lits.size());
      return circuit.lits[n - 1 - random.below(n < 12 ? n : 12)] ^ ((random.next() & 1U) != 0);
    };
    const dmt::Lit a = pick();
    const dmt::Lit b = pick();
    circuit.lits.push_back(circuit.aig.append_and(a, b));
    if (random.below(3) == 0) circuit.lits.push_back(circuit.aig.append_and(b, a));
  }
  return circuit;
}

/// Truth tables of all nodes of an AIG with at most 6 inputs and latches, an independent model: bit k is the
/// value under input number k.
inline std::vector<std::uint64_t> truth_tables(const dmt::AigStore& aig) {
  static constexpr std::array<std::uint64_t, 6> kInputs = {0xAAAAAAAAAAAAAAAAULL, 0xCCCCCCCCCCCCCCCCULL,
                                                           0xF0F0F0F0F0F0F0F0ULL, 0xFF00FF00FF00FF00ULL,
                                                           0xFFFF0000FFFF0000ULL, 0xFFFFFFFF00000000ULL};
  std::vector<std::uint64_t> tables(aig.node_count(), 0);
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    const dmt::NodeId id(i);
    if (aig.is_input(id)) {
      tables[i] = kInputs[aig.ci_index(id)];
    } else if (aig.is_latch(id)) {
      tables[i] = kInputs[aig.inputs().size() + aig.ci_index(id)];
    } else {
      const auto value = [&](dmt::Lit lit) {
        return lit.complemented() ? ~tables[lit.node().index()] : tables[lit.node().index()];
      };
      tables[i] = value(aig.fanin0(id)) & value(aig.fanin1(id));
    }
  }
  return tables;
}

inline std::uint64_t table_of(const std::vector<std::uint64_t>& tables, dmt::Lit lit) {
  return lit.complemented() ? ~tables[lit.node().index()] : tables[lit.node().index()];
}

}  // namespace random_aig
