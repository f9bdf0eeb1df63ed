#include <bit>
#include <optional>
#include <vector>

#include "dmt_dialect/native/cnf/cut_mapping.hpp"
#include "dmt_dialect/native/cnf/dimacs.hpp"
#include "dmt_dialect/native/cnf/encode.hpp"
#include "dmt_dialect/native/cnf/small_cover.hpp"
#include "dynomite/native/base/error.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

// Clauses against truth tables: with the inputs fixed, the clauses of a circuit hold for the true values of
// its nodes, and for no others of those that have a variable.

using dmt::AigStore;
using dmt::Cnf;
using dmt::Lit;
using dmt::SmallCube;
using dmt::Truth4;

namespace {

/// Values of the variables under input number `row`.
std::vector<std::uint8_t> values_of(const std::vector<std::uint32_t>& nodes,
                                    const std::vector<std::uint64_t>& tables, unsigned row) {
  std::vector<std::uint8_t> values;
  for (const std::uint32_t node : nodes) values.push_back(tables[node] >> row & 1U);
  return values;
}

/// True values satisfy all clauses; a wrong value of any gate breaks one.
void check_both_ways(const Cnf& cnf, const std::vector<std::uint32_t>& nodes, const AigStore& aig,
                     bool both) {
  const std::vector<std::uint64_t> tables = random_aig::truth_tables(aig);
  for (unsigned row = 0; row < 1U << aig.inputs().size(); ++row) {
    std::vector<std::uint8_t> values = values_of(nodes, tables, row);
    CHECK(!cnf.first_falsified(values).has_value());
    if (!both) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!aig.is_and(dmt::NodeId(nodes[i])) && nodes[i] != 0) continue;
      values[i] ^= 1;
      CHECK(cnf.first_falsified(values).has_value());
      values[i] ^= 1;
    }
  }
}

}  // namespace

TEST(covers_of_all_functions) {
  std::vector<SmallCube> cubes;
  for (unsigned f = 0; f < 65536; ++f) {
    cubes.clear();
    dmt::small_cover(static_cast<Truth4>(f), cubes);
    unsigned covered = 0;
    for (unsigned row = 0; row < 16; ++row) {
      for (const SmallCube& cube : cubes) {
        if ((row & cube.positive) == cube.positive && (~row & cube.negative) == cube.negative) {
          covered |= 1U << row;
        }
      }
    }
    if (covered != f) CHECK_EQ(covered, f);
  }
}

TEST(clauses_of_random_circuits) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const random_aig::Circuit circuit =
        seed % 2 == 0 ? random_aig::make(seed, 5, 60) : random_aig::make_plain(seed, 5, 40);
    const std::vector<Lit> roots = {circuit.lits.back(), ~circuit.lits[circuit.lits.size() / 2], dmt::kTrue};
    dynomite::Stop stop;
    dmt::CnfEncoder tseitin(circuit.aig, dmt::Encoding::kTseitin);
    CHECK(tseitin.encode(roots, stop));
    check_both_ways(tseitin.cnf(), tseitin.nodes(), circuit.aig, true);
    dmt::CnfEncoder half(circuit.aig, dmt::Encoding::kPlaistedGreenbaum);
    CHECK(half.encode(roots, stop));
    check_both_ways(half.cnf(), half.nodes(), circuit.aig, false);
    CHECK(half.cnf().clause_count() <= tseitin.cnf().clause_count());
    const dmt::MappedCnf mapped = dmt::map_to_cnf(circuit.aig, roots, stop);
    check_both_ways(mapped.cnf, mapped.nodes, circuit.aig, true);
    for (const Lit root : roots) CHECK(mapped.variables[root.node().index()] != 0);
    CHECK(mapped.nodes.size() <= tseitin.nodes().size() + 1);
  }
}

TEST(encoding_goes_on) {
  const random_aig::Circuit circuit = random_aig::make(7, 5, 80);
  dynomite::Stop stop;
  dmt::CnfEncoder encoder(circuit.aig, dmt::Encoding::kPlaistedGreenbaum);
  Cnf all;
  for (const Lit root : circuit.lits) {
    CHECK(encoder.encode(std::vector<Lit>{root, ~root}, stop));
    for (const std::int32_t lit : encoder.cnf().data()) {
      if (lit == 0) {
        all.end_clause();
      } else {
        all.literal(lit);
      }
    }
    encoder.cnf().clear_clauses();
  }
  check_both_ways(all, encoder.nodes(), circuit.aig, true);
}

TEST(formula_as_circuit_and_back_as_text) {
  dynomite::Stop stop;
  const std::string text = "c x\np cnf 3 3\n1 -3 0 2\n 3 0\n0\n";
  const Cnf cnf = dmt::read_dimacs(text, "x.cnf", stop);
  CHECK_EQ(cnf.clause_count(), std::uint64_t{3});
  dynomite::StringSink sink;
  dmt::write_dimacs(cnf, "", sink, stop);
  CHECK_EQ(sink.bytes(), std::string("p cnf 3 3\n1 -3 0\n2 3 0\n0\n"));
  const AigStore aig = dmt::cnf_to_aig(cnf, stop);
  CHECK(aig.outputs()[0] == dmt::kFalse);
  bool refused = false;
  try {
    static_cast<void>(dmt::read_dimacs("p cnf 3 1\n1 4 0\n", "x.cnf", stop));
  } catch (const dynomite::ParseError& error) {
    refused = error.place().line == 2 && error.place().column == 3;
  }
  CHECK(refused);
}
