#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dmt_dialect/native/bdd/circuit.hpp"
#include "dmt_dialect/native/bdd/dddmp.hpp"
#include "dmt_dialect/native/py_aig.hpp"
#include "dmt_dialect/native/py_bdd.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

// Between `Bdd` and `Aig`, and diagram files.

namespace dmt {

namespace {

using RefList = nb::typed<nb::list, BddRef>;
using LitRows = std::vector<LitRef>;

RefList ref_list(BddSelf self, const std::vector<BddHold>& holds) {
  RefList refs;
  for (const BddHold& hold : holds) refs.append(nb::cast(make_bdd_ref(self, manager_of(self), hold.get())));
  return refs;
}

std::vector<BddEdge> edges(const BddManager& manager, const std::vector<BddRef>& refs, const char* call) {
  std::vector<BddEdge> result;
  for (const BddRef& ref : refs) result.push_back(checked_edge(manager, ref, call));
  return result;
}

RefList build(BddSelf self, const AigStore& aig, const LitRows& lits, const std::vector<BddRef>& inputs,
              dynomite::Stop* stop) {
  BddManager& manager = manager_of(self);
  manager.store.access().check_write();
  const std::vector<Lit> roots = checked_lits(aig, lits, "build");
  const std::vector<BddEdge> given = edges(manager, inputs, "build");
  if (given.size() != bdd::ci_count(aig)) {
    throw dynomite::UsageError("build: the circuit has " + std::to_string(bdd::ci_count(aig)) +
                               " inputs and latches, not " + std::to_string(given.size()));
  }
  const ReadLease reading(aig.access());
  std::vector<BddHold> results;
  try {
    const BddCall call(manager, stop != nullptr ? stop : manager.stop);
    results = bdd::from_aig(manager.store, aig, roots, given);
  } catch (const dynomite::LimitError&) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    throw;
  }
  return ref_list(self, results);
}

std::vector<LitRef> to_aig(BddSelf self, const nb::object& aig_object, const std::vector<BddRef>& refs,
                           const LitRows& inputs) {
  BddManager& manager = readable_manager(self);
  AigStore& aig = writable(nb::cast<Self>(aig_object));
  const std::vector<Lit> lits = checked_lits(aig, inputs, "to_aig");
  if (lits.size() != manager.store.var_count()) {
    throw dynomite::UsageError("to_aig: one literal for each of the " +
                               std::to_string(manager.store.var_count()) + " variables is needed");
  }
  const std::vector<BddEdge> roots = edges(manager, refs, "to_aig");
  std::vector<Lit> results;
  {
    const ReadLease reading(manager.store.access());
    const WriteLease writing(aig.access());
    const nb::gil_scoped_release release;
    results = bdd::to_aig(manager.store, aig, roots, lits);
  }
  std::vector<LitRef> made;
  for (const Lit lit : results) made.push_back(make_lit_ref(aig_object, aig, lit));
  return made;
}

std::vector<std::uint32_t> input_order(const AigStore& aig, const LitRows& lits, bool force,
                                       dynomite::Stop* stop) {
  const std::vector<Lit> roots = checked_lits(aig, lits, "input_order");
  const ReadLease reading(aig.access());
  std::vector<std::uint32_t> order;
  dynomite::run_long(stop, [&](dynomite::Stop& used) {
    order = force ? bdd::force_order(aig, roots, used) : bdd::depth_first_order(aig, roots);
  });
  return order;
}

nb::bytes write_dddmp(BddSelf self, const std::vector<BddRef>& refs, const std::vector<nb::str>& given,
                      bool binary) {
  const BddManager& manager = readable_manager(self);
  const std::vector<BddEdge> roots = edges(manager, refs, "write_dddmp");
  std::vector<std::string> names;
  for (const nb::str& name : given) names.push_back(dmt::name_to_bytes(name, "write_dddmp"));
  std::string text;
  {
    const ReadLease reading(manager.store.access());
    const nb::gil_scoped_release release;
    text = bdd::write_dddmp(manager, roots, names, binary);
  }
  return nb::bytes(text.data(), text.size());
}

nb::tuple read_dddmp(BddSelf self, const nb::bytes& data, const std::string& path) {
  BddManager& manager = manager_of(self);
  manager.store.access().check_write();
  // The argument keeps the bytes alive, and bytes never change.
  bdd::DddmpReader reader(std::string_view(data.c_str(), data.size()), path);
  reader.declare(manager);
  const bdd::DddmpRoots roots = run_bdd(manager, nullptr, [&] { return reader.build(manager.store); });
  RefList refs;
  for (const BddEdge edge : roots.edges) refs.append(nb::cast(make_bdd_ref(self, manager, edge)));
  nb::list names;
  for (const std::string& name : roots.names) names.append(dmt::name_to_python(name));
  return nb::make_tuple(refs, names);
}

}  // namespace

void bind_bdd_io(nb::module_& m, nb::class_<BddManager>& bdd) {
  bdd.def("build", &build, nb::arg("aig"), nb::arg("lits"), nb::arg("inputs"), nb::kw_only(),
          nb::arg("stop").none() = nb::none(),
          R"(The functions of literals of a circuit.

Args:
    aig: The circuit; latches count as inputs.
    lits: Its literals.
    inputs: A function for each input, then each latch.
    stop: What may end the call, with a LimitError.

Gates are built depth first and let go with their last reader.)")
      .def("to_aig", &to_aig, nb::arg("aig"), nb::arg("refs"), nb::arg("inputs"),
           nb::sig("def to_aig(self, aig: dynomite._native.aig.Aig, refs: "
                   "collections.abc.Sequence[BddRef], inputs: "
                   "collections.abc.Sequence[dynomite._native.aig.Lit]) -> list[dynomite._native.aig.Lit]"),
           R"(Adds multiplexers for functions to a circuit, one for each node of their shared diagram.

Args:
    aig: The circuit that grows.
    refs: The functions.
    inputs: A literal of the circuit for each variable, by number.

Returns:
    A literal for each function.)");
  bdd.def("write_dddmp", &write_dddmp, nb::arg("refs"), nb::arg("names"), nb::kw_only(), nb::arg("binary"),
          "The functions as a DDDMP file, text or binary, with these names for them or none.")
      .def("read_dddmp", &read_dddmp, nb::arg("data"), nb::arg("path") = "<bytes>",
           nb::sig("def read_dddmp(self, data: bytes, path: str = '<bytes>') -> "
                   "tuple[list[BddRef], list[str]]"),
           "The functions of a DDDMP file and their names, if any. Variables that are missing are added.");
  m.def("input_order", &input_order, nb::arg("aig"), nb::arg("lits"), nb::kw_only(), nb::arg("force") = false,
        nb::arg("stop").none() = nb::none(),
        R"(An order of a circuit's inputs (then latches, by number) for small diagrams, top first.

Depth first from the literals, the deeper fanin first; with `force` then improved by FORCE, which draws
connected gates together.)");
}

}  // namespace dmt
