#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/map/lut_function.hpp"
#include "dmt_dialect/native/map/lut_mapper.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

// Functions bit by bit against a naive twin; networks against truth tables.

using dmt::LutCube;
using dmt::LutFunction;
using dmt::LutNetwork;

namespace {

bool value(const LutFunction& f, unsigned row) { return (f[row / 64] >> (row % 64) & 1U) != 0; }

LutFunction random_function(dynomite::Random& random, unsigned variables) {
  LutFunction f{random.next(), random.next(), random.next(), random.next()};
  for (unsigned k = variables; k < 8; ++k) f = dmt::cofactor(f, k, false);
  return f;
}

std::uint64_t table_of(const LutNetwork& network, std::uint32_t signal,
                       const std::vector<std::uint64_t>& luts) {
  return network.is_lut(signal) ? luts[signal - network.first_lut()] : dmt::lut_variable(signal)[0];
}

std::vector<std::uint64_t> tables_of(const LutNetwork& network) {
  std::vector<std::uint64_t> tables;
  for (std::uint32_t lut = 0; lut < network.lut_count(); ++lut) {
    std::uint64_t table = 0;
    for (unsigned pattern = 0; pattern < 64; ++pattern) {
      unsigned row = 0;
      unsigned k = 0;
      for (const std::uint32_t input : network.inputs_of(lut)) {
        row |= static_cast<unsigned>(table_of(network, input, tables) >> pattern & 1U) << k++;
      }
      table |= std::uint64_t{value(network.functions[lut], row)} << pattern;
    }
    tables.push_back(table);
  }
  return tables;
}

}  // namespace

TEST(lut_functions_bit_by_bit) {
  dynomite::Random random(1);
  for (unsigned round = 0; round < 200; ++round) {
    const unsigned variables = round % 9;
    const LutFunction f = random_function(random, variables);
    for (unsigned k = 0; k < 8; ++k) {
      const LutFunction low = dmt::cofactor(f, k, false);
      const LutFunction high = dmt::cofactor(f, k, true);
      const LutFunction flip = dmt::flipped(f, k);
      const unsigned other = random.below(8);
      const LutFunction exchange = dmt::exchanged(f, k, other);
      bool depends = false;
      for (unsigned row = 0; row < 256; ++row) {
        const unsigned bit = 1U << k;
        CHECK(value(low, row) == value(f, row & ~bit));
        CHECK(value(high, row) == value(f, row | bit));
        CHECK(value(flip, row) == value(f, row ^ bit));
        depends |= value(f, row) != value(f, row ^ bit);
        const unsigned a = row >> k & 1U;
        const unsigned b = row >> other & 1U;
        const unsigned turned = (row & ~bit & ~(1U << other)) | b << k | a << other;
        CHECK(value(exchange, row) == value(f, k == other ? row : turned));
      }
      CHECK(dmt::depends_on(f, k) == depends);
    }
  }
}

TEST(covers_are_exact_and_irredundant) {
  dynomite::Random random(2);
  for (unsigned round = 0; round < 300; ++round) {
    const unsigned variables = round % 9;
    const LutFunction f = random_function(random, variables);
    const std::vector<LutCube> cubes = dmt::irredundant_cover(f, variables);
    const auto covers = [&](const LutCube& cube, unsigned row) {
      return (cube.positive & ~row) == 0 && (cube.negative & row) == 0;
    };
    std::vector<bool> needed(cubes.size(), false);
    for (unsigned row = 0; row < 256; ++row) {
      std::size_t count = 0;
      std::size_t last = 0;
      for (std::size_t i = 0; i < cubes.size(); ++i) {
        if (!covers(cubes[i], row)) continue;
        ++count;
        last = i;
      }
      CHECK((count != 0) == value(f, row));
      if (count == 1) needed[last] = true;
    }
    for (const bool one : needed) CHECK(one);
  }
}

TEST(networks_have_the_circuits_functions) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    auto circuit = seed % 2 == 0 ? random_aig::make(seed, 6, 40) : random_aig::make_plain(seed, 6, 40);
    dmt::AigStore& aig = circuit.aig;
    for (std::size_t i = 1; i < 9; ++i) aig.outputs().push_back(circuit.lits[circuit.lits.size() - i]);
    dmt::LutMapParams params;
    params.k = 2 + static_cast<unsigned>(seed % 7);
    params.area_only = seed % 3 == 0;
    dynomite::Stop stop;
    // Every other time with choices: a version with other ANDs.
    const dmt::AigStore other = dmt::rehashed(aig);
    std::vector<const dmt::AigStore*> versions;
    if (seed % 4 >= 2) versions.push_back(&other);
    const LutNetwork network = dmt::map_luts(aig, versions, params, nullptr, stop);
    const std::vector<std::uint64_t> expected = random_aig::truth_tables(aig);
    const std::vector<std::uint64_t> luts = tables_of(network);
    const dmt::AigStore back = network.to_aig(stop);
    const std::vector<std::uint64_t> returned = random_aig::truth_tables(back);
    for (std::size_t i = 0; i < aig.outputs().size(); ++i) {
      CHECK(table_of(network, network.outputs[i], luts) == random_aig::table_of(expected, aig.outputs()[i]));
      CHECK(random_aig::table_of(returned, back.outputs()[i]) ==
            random_aig::table_of(expected, aig.outputs()[i]));
    }
  }
}
