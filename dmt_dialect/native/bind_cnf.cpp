#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/cnf/cut_mapping.hpp"
#include "dmt_dialect/native/cnf/dimacs.hpp"
#include "dmt_dialect/native/cnf/encode.hpp"
#include "dmt_dialect/native/py_aig.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dmt::Cnf;
using dmt::Lit;
using dmt::MappedCnf;
using dmt::WordArray;
using dmt::WordView;
using dynomite::run_long;
using dynomite::Stop;
using dynomite::UsageError;

using IntView = nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<1>, nb::c_contig>;
using IntArray = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>, nb::c_contig>;
using ByteView = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;

IntArray int_array(std::vector<std::int32_t> values) {
  auto* kept = new std::vector<std::int32_t>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
  return IntArray(kept->data(), {kept->size()}, owner);
}

/// Appends clauses from one array in which each ends with a 0.
void append(Cnf& cnf, const IntView& data) {
  const std::size_t count = data.shape(0);
  if (count != 0 && data.data()[count - 1] != 0) throw UsageError("Cnf.append: the last clause has no 0");
  for (std::size_t i = 0; i < count; ++i) {
    if (data.data()[i] == INT32_MIN || data.data()[i] == INT32_MAX) {
      throw UsageError("Cnf.append: variables go up to 2^31 - 2");
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (data.data()[i] == 0) {
      cnf.end_clause();
    } else {
      cnf.literal(data.data()[i]);
    }
  }
}

Cnf read_dimacs(nb::bytes data, const std::string& name, Stop* given) {
  const std::string_view view(data.c_str(), data.size());
  Cnf cnf;
  run_long(given, [&](Stop& stop) { cnf = dmt::read_dimacs(view, name, stop); });
  return cnf;
}

nb::bytes dimacs_bytes(const Cnf& cnf, std::string_view comment, Stop* given) {
  dynomite::StringSink sink;
  run_long(given, [&](Stop& stop) { dmt::write_dimacs(cnf, comment, sink, stop); });
  return nb::bytes(sink.bytes().data(), sink.bytes().size());
}

MappedCnf encode(const AigStore& aig, const WordView& roots, std::string_view method, Stop* given) {
  std::vector<Lit> lits;
  for (std::size_t i = 0; i < roots.shape(0); ++i) {
    lits.push_back(Lit::from_raw(roots.data()[i]));
    if (!aig.contains(lits.back())) throw UsageError("encode: no such literal in the AIG");
  }
  if (method != "tseitin" && method != "plaisted-greenbaum" && method != "cuts") {
    throw UsageError("encode: the methods are tseitin, plaisted-greenbaum and cuts, not " +
                     std::string(method));
  }
  const dmt::ReadLease reading(aig.access());
  MappedCnf mapped;
  run_long(given, [&](Stop& stop) {
    if (method == "cuts") {
      mapped = dmt::map_to_cnf(aig, lits, stop);
      return;
    }
    dmt::CnfEncoder encoder(
        aig, method == "tseitin" ? dmt::Encoding::kTseitin : dmt::Encoding::kPlaistedGreenbaum);
    if (!encoder.encode(lits, stop)) throw dynomite::LimitError("the conversion was stopped");
    mapped = {std::move(encoder.cnf()), encoder.variables(), encoder.nodes()};
  });
  return mapped;
}

AigStore to_aig(const Cnf& cnf, Stop* given) {
  std::optional<AigStore> aig;
  run_long(given, [&](Stop& stop) { aig.emplace(dmt::cnf_to_aig(cnf, stop)); });
  return std::move(*aig);
}

}  // namespace

void bind_cnf(nb::module_& m) {
  nb::class_<Cnf>(m, "Cnf", nb::is_final(),
                  "A formula in conjunctive normal form: variables from 1, signed literals as in DIMACS.\n\n"
                  "All clauses lie in one array, each ended by a 0.")
      .def(nb::init<>())
      .def_prop_ro("num_variables", &Cnf::variables, "Number of variables.")
      .def_prop_ro("num_clauses", &Cnf::clause_count, "Number of clauses.")
      .def_prop_ro(
          "data", [](const Cnf& cnf) { return int_array({cnf.data().begin(), cnf.data().end()}); },
          nb::rv_policy::automatic, "All clauses as one new array, each ended by a 0. Linear.")
      .def("append", append, nb::arg("clauses"),
           "Adds clauses given as one array of int32, each ended by a 0.")
      .def(
          "grow_variables",
          [](Cnf& cnf, std::uint32_t count) {
            if (count > Cnf::kMaxVariable) throw UsageError("Cnf: variables go up to 2^31 - 2");
            cnf.grow_variables(count);
          },
          nb::arg("count"), "At least so many variables.")
      .def(
          "first_falsified",
          [](const Cnf& cnf, const ByteView& values) {
            return cnf.first_falsified({values.data(), values.shape(0)});
          },
          nb::arg("values"),
          "Number, from 0, of the first clause that `values` does not satisfy; None if all are satisfied.\n\n"
          "`values[v - 1]` is variable v's, as uint8; missing ones are 0. Linear.");
  nb::class_<MappedCnf>(m, "MappedCnf", nb::is_final(),
                        "A formula made from an AIG, and which variables stand for which nodes.")
      .def_ro("cnf", &MappedCnf::cnf, nb::rv_policy::reference_internal, "The formula.")
      .def_prop_ro(
          "variables", [](const MappedCnf& mapped) { return dmt::word_array(mapped.variables); },
          nb::rv_policy::automatic, "Of each node of the AIG: its variable, 0 for none.")
      .def_prop_ro(
          "nodes", [](const MappedCnf& mapped) { return dmt::word_array(mapped.nodes); },
          nb::rv_policy::automatic, "Of variable v, at v - 1: its node.");
  m.def(
      "read_dimacs", read_dimacs, nb::arg("data"), nb::arg("name") = "<bytes>", nb::kw_only(),
      nb::arg("stop").none() = nb::none(),
      "Reads DIMACS CNF from bytes. Raises ParseError with line and column; LimitError when `stop` ends it.");
  m.def("dimacs_bytes", dimacs_bytes, nb::arg("cnf"), nb::kw_only(), nb::arg("comment") = "",
        nb::arg("stop").none() = nb::none(), "The formula as the bytes of a DIMACS file.");
  m.def("encode", encode, nb::arg("aig"), nb::arg("roots"), nb::arg("method"), nb::kw_only(),
        nb::arg("stop").none() = nb::none(),
        "Clauses for the gates below `roots` (AIGER numbers): \"tseitin\", \"plaisted-greenbaum\", "
        "\"cuts\".\n\n"
        "The roots are not asserted. Linear, without the GIL.");
  m.def("to_aig", to_aig, nb::arg("cnf"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
        "The formula as a circuit: an input a variable, one output that is true where all clauses are.");
}
