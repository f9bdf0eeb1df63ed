#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dmt_dialect/native/map/gate_cover.hpp"
#include "dmt_dialect/native/map/lut_mapper.hpp"
#include "dmt_dialect/native/py_aig.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dmt::LutFunction;
using dmt::LutMapParams;
using dmt::LutMapStats;
using dmt::LutNetwork;
using dmt::MapEffort;
using dmt::word_array;
using dmt::WordArray;
using dynomite::run_long;
using dynomite::Stop;
using dynomite::UsageError;

using FunctionArray = nb::ndarray<nb::numpy, std::uint64_t, nb::shape<-1, 4>, nb::c_contig>;
using NameList = nb::typed<nb::list, std::optional<nb::str>>;

FunctionArray function_array(const LutNetwork& network) {
  auto* kept = new std::vector<LutFunction>(network.functions);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<LutFunction>*>(p); });
  return FunctionArray(kept->empty() ? nullptr : kept->front().data(), {kept->size(), 4}, owner);
}

void check_lut(const LutNetwork& network, std::uint32_t lut) {
  if (lut >= network.lut_count()) throw nb::index_error("LutNetwork: no such LUT");
}

std::vector<std::uint32_t> inputs_of(const LutNetwork& network, std::uint32_t lut) {
  check_lut(network, lut);
  const auto inputs = network.inputs_of(lut);
  return {inputs.begin(), inputs.end()};
}

/// The function as a number: bit i is the value under input number i.
nb::int_ function_of(const LutNetwork& network, std::uint32_t lut) {
  check_lut(network, lut);
  const LutFunction& function = network.functions[lut];
  const std::size_t inputs = network.inputs_of(lut).size();
  if (inputs < 6) return nb::int_(function[0] & ((std::uint64_t{1} << (1U << inputs)) - 1));
  nb::object value = nb::int_(0);
  for (std::size_t word = std::size_t{1} << (inputs - 6); word-- > 0;) {
    value = (value << nb::int_(64)) | nb::int_(function[word]);
  }
  return nb::int_(value);
}

NameList names_of(const dmt::NameTable& names, std::size_t count) {
  NameList list;
  for (std::size_t i = 0; i < count; ++i) {
    if (names.has(i)) {
      list.append(dmt::name_to_python(names.get(i)));
    } else {
      list.append(nb::none());
    }
  }
  return list;
}

void bind_ports(nb::class_<LutNetwork>& network) {
  network
      .def_prop_ro(
          "outputs", [](const LutNetwork& n) { return word_array(n.outputs); }, nb::rv_policy::automatic,
          "Signals of the outputs.")
      .def_prop_ro(
          "next_states", [](const LutNetwork& n) { return word_array(n.next_states); },
          nb::rv_policy::automatic, "Signals of the latches' next states.")
      .def_prop_ro(
          "bad", [](const LutNetwork& n) { return word_array(n.bad); }, nb::rv_policy::automatic,
          "Signals of the bad states.")
      .def_prop_ro(
          "constraints", [](const LutNetwork& n) { return word_array(n.constraints); },
          nb::rv_policy::automatic, "Signals of the constraints.")
      .def_prop_ro(
          "fairness", [](const LutNetwork& n) { return word_array(n.fairness); }, nb::rv_policy::automatic,
          "Signals of the fairness constraints.")
      .def_prop_ro(
          "justice", [](const LutNetwork& n) { return n.justice; }, "Signals of the justice properties.")
      .def_prop_ro(
          "name", [](const LutNetwork& n) { return dmt::name_to_python(n.name); },
          "Name of the circuit; may be empty.")
      .def_prop_ro(
          "input_names", [](const LutNetwork& n) { return names_of(n.names.inputs, n.input_count); },
          "Names of the inputs, None where there is none.")
      .def_prop_ro(
          "latch_names", [](const LutNetwork& n) { return names_of(n.names.latches, n.resets.size()); },
          "Names of the latches, None where there is none.")
      .def_prop_ro(
          "output_names", [](const LutNetwork& n) { return names_of(n.names.outputs, n.outputs.size()); },
          "Names of the outputs, None where there is none.");
}

void bind_network(nb::module_& m) {
  nb::class_<LutNetwork> network(
      m, "LutNetwork", nb::is_final(),
      "A circuit of look-up tables, read-only, with the ports of the AIG it was made from.\n\n"
      "A signal is a number: first the inputs, then the latches, then the LUTs in topological order. A\n"
      "constant is a LUT without inputs. Arrays are copies.");
  network.def_ro("k", &LutNetwork::k, "Most inputs a LUT may have.")
      .def_ro("num_inputs", &LutNetwork::input_count, "Number of inputs of the circuit.")
      .def_prop_ro(
          "num_latches", [](const LutNetwork& n) { return n.resets.size(); }, "Number of latches.")
      .def_prop_ro("num_luts", &LutNetwork::lut_count, "Number of LUTs.")
      .def_prop_ro("first_lut", &LutNetwork::first_lut, "Signal of LUT 0; the others follow.")
      .def_prop_ro(
          "num_pins", [](const LutNetwork& n) { return n.fanins.size(); }, "Inputs of all LUTs together.")
      .def_prop_ro("num_levels", &LutNetwork::depth, "LUTs on the longest path to a root. Linear.")
      .def_prop_ro(
          "levels", [](const LutNetwork& n) { return word_array(n.levels()); }, nb::rv_policy::automatic,
          "Level of every LUT: one more than that of its highest input; 0 for a constant. Linear.")
      .def_prop_ro(
          "starts", [](const LutNetwork& n) { return word_array(n.starts); }, nb::rv_policy::automatic,
          "Where in `fanins` the inputs of LUT i begin; one row more than LUTs.")
      .def_prop_ro(
          "fanins", [](const LutNetwork& n) { return word_array(n.fanins); }, nb::rv_policy::automatic,
          "Signals that the LUTs read, one LUT after the other.")
      .def_prop_ro("functions", function_array, nb::rv_policy::automatic,
                   "Functions, a row of four words a LUT: bit i is the value under input number i. Functions "
                   "of few inputs repeat.")
      .def_prop_ro(
          "origins", [](const LutNetwork& n) { return word_array(n.origins); }, nb::rv_policy::automatic,
          "Literal (AIGER's number) of the mapped AIG that each LUT is; that of a constant where it is none.")
      .def("inputs_of", inputs_of, nb::arg("lut"), "Signals that LUT number `lut` reads.")
      .def("function_of", function_of, nb::arg("lut"),
           "Function of LUT number `lut` as a number: bit i is the value where input k has bit k of i.")
      .def(
          "to_aig",
          [](const LutNetwork& n, Stop* given) {
            std::optional<AigStore> aig;
            run_long(given, [&](Stop& stop) { aig.emplace(n.to_aig(stop)); });
            return std::move(*aig);
          },
          nb::kw_only(), nb::arg("stop").none() = nb::none(),
          "The same circuit as an AIG, each LUT by an irredundant sum of products. Linear, without the GIL.");
  network.def("__repr__", [](const LutNetwork& n) {
    return "<LutNetwork: " + std::to_string(n.lut_count()) + " LUTs of " + std::to_string(n.k) + " inputs, " +
           std::to_string(n.depth()) + " levels>";
  });
  bind_ports(network);
}

MapEffort effort_of(std::string_view name) {
  if (name == "fast") return MapEffort::kFast;
  if (name == "normal") return MapEffort::kNormal;
  if (name == "high") return MapEffort::kHigh;
  throw UsageError("map_luts: effort is fast, normal or high, not " + std::string(name));
}

LutNetwork map_luts(const AigStore& aig, const std::vector<const AigStore*>& versions, unsigned k,
                    std::string_view effort, unsigned cuts, bool area_only,
                    std::optional<std::uint32_t> max_levels, std::uint32_t extra_levels, LutMapStats* stats,
                    Stop* given) {
  LutMapParams params;
  params.k = k;
  params.cuts = cuts;
  params.effort = effort_of(effort);
  params.area_only = area_only;
  params.max_levels = max_levels;
  params.extra_levels = extra_levels;
  const dmt::ReadLease reading(aig.access());
  std::vector<std::unique_ptr<dmt::ReadLease>> leases;
  for (const AigStore* version : versions) {
    leases.push_back(std::make_unique<dmt::ReadLease>(version->access()));
  }
  LutNetwork network;
  run_long(given, [&](Stop& stop) { network = dmt::map_luts(aig, versions, params, stats, stop); });
  return network;
}

}  // namespace

void bind_map(nb::module_& m) {
  bind_network(m);
  nb::class_<LutMapStats>(m, "LutMapStats", nb::is_final(), "What a mapping did.")
      .def(nb::init<>())
      .def_ro("fewest_levels", &LutMapStats::fewest_levels, "Levels of the mapping with the fewest.")
      .def_ro("choices", &LutMapStats::choices, "Further structures of nodes, from other versions.")
      .def_ro("luts_by_round", &LutMapStats::luts_by_round, "LUTs after each round.");
  m.def(
      "cover_by_gates",
      [](const AigStore& aig, bool xor2, bool mux, bool majority, bool xor3, Stop* given) {
        const dmt::ReadLease reading(aig.access());
        LutNetwork network;
        run_long(given,
                 [&](Stop& stop) { network = dmt::cover_by_gates(aig, {xor2, mux, majority, xor3}, stop); });
        return network;
      },
      nb::arg("aig"), nb::kw_only(), nb::arg("xor2") = false, nb::arg("mux") = false,
      nb::arg("majority") = false, nb::arg("xor3") = false, nb::arg("stop").none() = nb::none(),
      "Covers an AIG by gates; see `dmt_dialect.synthesis.gate_views`. Without the GIL.");
  m.def(
      "gate_kinds",
      [](const LutNetwork& network) {
        std::vector<std::uint32_t> kinds;
        for (std::uint32_t lut = 0; lut < network.lut_count(); ++lut)
          kinds.push_back(static_cast<std::uint32_t>(dmt::gate_kind(network, lut)));
        return word_array(kinds);
      },
      nb::arg("network"),
      "What each LUT is: 0 constant, 1 buffer or inverter, 2 AND, 3 XOR, 4 multiplexer, 5 majority, 6 XOR of "
      "three, 7 something else. Linear.");
  const LutMapParams defaults;
  m.def("map_luts", map_luts, nb::arg("aig"), nb::arg("versions"), nb::kw_only(), nb::arg("k") = defaults.k,
        nb::arg("effort") = "normal", nb::arg("cuts") = defaults.cuts,
        nb::arg("area_only") = defaults.area_only, nb::arg("max_levels").none() = nb::none(),
        nb::arg("extra_levels") = defaults.extra_levels, nb::arg("stats").none() = nb::none(),
        nb::arg("stop").none() = nb::none(),
        "Covers an AIG by LUTs; see `dmt_dialect.synthesis.lut_mapping.map_luts`. Without the GIL.");
}
