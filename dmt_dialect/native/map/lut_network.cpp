#include "dmt_dialect/native/map/lut_network.hpp"

#include <algorithm>
#include <bit>

#include "dmt_dialect/native/map/lut_function.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

std::size_t literal_count(const std::vector<LutCube>& cubes) {
  std::size_t count = 0;
  for (const LutCube& cube : cubes) {
    count += static_cast<std::size_t>(std::popcount(cube.positive) + std::popcount(cube.negative));
  }
  return count;
}

/// AND or, with `complement`, OR of literals, as a balanced tree.
Lit combine(AigStore& aig, std::vector<Lit>& lits, bool complement) {
  if (lits.empty()) return kTrue ^ complement;
  for (std::size_t step = 1; step < lits.size(); step *= 2) {
    for (std::size_t i = 0; i + step < lits.size(); i += 2 * step) {
      lits[i] = aig.and_(lits[i] ^ complement, lits[i + step] ^ complement) ^ complement;
    }
  }
  return lits[0];
}

Lit sum_of_products(AigStore& aig, const std::vector<LutCube>& cubes, const std::vector<Lit>& inputs) {
  std::vector<Lit> products;
  std::vector<Lit> factors;
  for (const LutCube& cube : cubes) {
    factors.clear();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if ((cube.positive >> k & 1U) != 0) factors.push_back(inputs[k]);
      if ((cube.negative >> k & 1U) != 0) factors.push_back(~inputs[k]);
    }
    products.push_back(combine(aig, factors, false));
  }
  return combine(aig, products, true);
}

}  // namespace

std::vector<std::uint32_t> LutNetwork::levels() const {
  std::vector<std::uint32_t> level(lut_count(), 0);
  for (std::uint32_t lut = 0; lut < lut_count(); ++lut) {
    for (const std::uint32_t input : inputs_of(lut)) {
      const std::uint32_t before = is_lut(input) ? level[input - first_lut()] : 0;
      level[lut] = std::max(level[lut], before + 1);
    }
  }
  return level;
}

std::uint32_t LutNetwork::depth() const {
  const std::vector<std::uint32_t> level = levels();
  std::uint32_t most = 0;
  for_each_lut_root(*this, [&](std::uint32_t signal) {
    if (is_lut(signal)) most = std::max(most, level[signal - first_lut()]);
  });
  return most;
}

AigStore LutNetwork::to_aig(dynomite::Stop& stop) const {
  AigStore aig;
  std::vector<Lit> lits;
  lits.reserve(first_lut() + functions.size());
  for (std::uint32_t i = 0; i < input_count; ++i) lits.push_back(aig.add_input());
  for (const Reset reset : resets) lits.push_back(aig.add_latch(reset));
  std::vector<Lit> inputs;
  for (std::uint32_t lut = 0; lut < lut_count(); ++lut) {
    if (stop.poll()) throw dynomite::LimitError("the conversion was stopped");
    inputs.clear();
    for (const std::uint32_t input : inputs_of(lut)) inputs.push_back(lits[input]);
    const auto variables = static_cast<unsigned>(inputs.size());
    const std::vector<LutCube> on = irredundant_cover(functions[lut], variables);
    const std::vector<LutCube> off = irredundant_cover(~functions[lut], variables);
    const bool complement = literal_count(off) < literal_count(on);
    lits.push_back(sum_of_products(aig, complement ? off : on, inputs) ^ complement);
  }
  const auto all = [&](const std::vector<std::uint32_t>& signals, std::vector<Lit>& into) {
    for (const std::uint32_t signal : signals) into.push_back(lits[signal]);
  };
  all(outputs, aig.outputs());
  all(bad, aig.bad());
  all(constraints, aig.constraints());
  all(fairness, aig.fairness());
  for (const auto& group : justice) {
    aig.justice().emplace_back();
    all(group, aig.justice().back());
  }
  for (std::uint32_t i = 0; i < next_states.size(); ++i) aig.set_next(i, lits[next_states[i]]);
  aig.names() = names;
  for (const auto& [lut, text] : lut_names) {
    const Lit lit = lits[first_lut() + lut];
    if (aig.is_and(lit.node())) aig.net_names().push_back({lit, text});
  }
  aig.comments() = comments;
  aig.name() = name;
  return aig;
}

}  // namespace dmt
