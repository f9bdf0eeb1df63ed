#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/bdd/measure.hpp"
#include "dmt_dialect/native/bdd/reorder.hpp"
#include "dmt_dialect/native/py_aig.hpp"
#include "dmt_dialect/native/py_bdd.hpp"
#include "dynomite/native/module.hpp"

namespace dmt {

std::uint32_t var_of(const BddManager& manager, nb::handle object) {
  if (nb::isinstance<nb::str>(object)) {
    const std::string name = name_to_bytes(nb::cast<nb::str>(object), "variable");
    if (const auto found = manager.find(name)) return *found;
    throw dynomite::UsageError("there is no variable '" + name + "'");
  }
  BddRef ref;
  if (nb::try_cast(object, ref)) {
    const BddEdge edge = checked_edge(manager, ref, "variable");
    const BddStore& store = manager.store;
    if (!edge.is_constant() && store.high(edge) == kBddTrue && store.low(edge) == kBddFalse) {
      return store.top_var(edge);
    }
    throw dynomite::UsageError("this function is no variable");
  }
  std::uint32_t var = 0;
  if (!nb::isinstance<nb::bool_>(object) && nb::try_cast(object, var)) {
    if (var < manager.store.var_count()) return var;
    throw dynomite::UsageError("there is no variable number " + std::to_string(var));
  }
  throw dynomite::UsageError("a variable is given by its name, its number or as a BddRef");
}

std::vector<std::uint32_t> vars_of(const BddManager& manager, nb::handle object) {
  if (nb::isinstance<nb::str>(object) || nb::isinstance<nb::int_>(object) ||
      Py_TYPE(object.ptr()) == py_bdd_ref_type) {
    return {var_of(manager, object)};
  }
  std::vector<std::uint32_t> vars;
  for (const nb::handle item : nb::iter(object)) {
    if (nb::isinstance<nb::str>(item) || Py_TYPE(item.ptr()) == py_bdd_ref_type ||
        nb::isinstance<nb::int_>(item)) {
      vars.push_back(var_of(manager, item));
      continue;
    }
    for (const nb::handle inner : nb::iter(item)) vars.push_back(var_of(manager, inner));
  }
  return vars;
}

nb::dict to_dict(const nb::object& mapping) {
  const nb::object make = nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type));
  return nb::cast<nb::dict>(make(mapping));
}

nb::str var_name(const BddManager& manager, std::uint32_t var) {
  return name_to_python(manager.name_of(var));
}

namespace {

using NameTuple = nb::typed<nb::tuple, nb::str, nb::ellipsis>;
using RefList = nb::typed<nb::list, BddRef>;

BddManager& changing(BddSelf self) {
  BddManager& manager = manager_of(self);
  manager.store.access().check_write();
  return manager;
}

std::string given_name(nb::handle name, const char* call) {
  if (!nb::isinstance<nb::str>(name)) throw dynomite::UsageError(std::string(call) + ": names are strings");
  return name_to_bytes(nb::borrow<nb::str>(name), call);
}

NameTuple names(const BddManager& manager, const std::vector<std::uint32_t>& vars) {
  nb::list list;
  for (const std::uint32_t var : vars) list.append(var_name(manager, var));
  return NameTuple(nb::tuple(list));
}

RefList add_vars(BddSelf self, nb::handle given) {
  BddManager& manager = changing(self);
  const std::uint32_t first = manager.store.var_count();
  if (nb::isinstance<nb::int_>(given)) {
    std::uint32_t count = 0;
    if (!nb::try_cast(given, count)) throw dynomite::UsageError("add_vars: no such number of variables");
    manager.add_vars(count);
  } else {
    for (const nb::handle name : nb::iter(given)) manager.add_var(given_name(name, "add_vars"));
  }
  RefList refs;
  for (std::uint32_t var = first; var < manager.store.var_count(); ++var) {
    const BddEdge edge = run_bdd(manager, nullptr, [&] { return manager.store.var(var); });
    refs.append(nb::cast(make_bdd_ref(self, manager, edge)));
  }
  return refs;
}

std::vector<BddEdge> edges_of(const BddManager& manager, nb::handle refs, const char* call) {
  std::vector<BddEdge> edges;
  for (const nb::handle item : nb::iter(refs)) {
    BddRef ref;
    if (!nb::try_cast(item, ref)) throw dynomite::UsageError(std::string(call) + ": functions are BddRef");
    edges.push_back(checked_edge(manager, ref, call));
  }
  return edges;
}

BddRef cube(BddSelf self, const nb::object& mapping) {
  const nb::dict values = to_dict(mapping);
  BddManager& manager = changing(self);
  std::vector<std::pair<std::uint32_t, bool>> literals;
  for (const auto& [key, value] : values) {
    literals.emplace_back(manager.store.level_of(var_of(manager, key)), nb::cast<bool>(value));
  }
  std::sort(literals.begin(), literals.end());
  return make_bdd_ref(self, manager, run_bdd(manager, nullptr, [&] {
                        BddEdge edge = kBddTrue;
                        for (std::size_t i = literals.size(); i-- > 0;) {
                          const auto [level, value] = literals[i];
                          edge = value ? manager.store.make(level, edge, kBddFalse)
                                       : manager.store.make(level, kBddFalse, edge);
                        }
                        return edge;
                      }));
}

nb::typed<nb::dict, nb::str, std::uint64_t> stats(BddSelf self) {
  const BddStore& store = readable_manager(self).store;
  nb::typed<nb::dict, nb::str, std::uint64_t> dict;
  dict["nodes"] = store.node_count();
  dict["peak_nodes"] = store.peak_nodes();
  dict["memory"] = store.memory();
  dict["cache_entries"] = manager_of(self).store.cache().size();
  dict["collections"] = store.collections();
  dict["reorderings"] = store.reorderings();
  return dict;
}

std::string describe(BddSelf self) {
  const BddStore& store = readable_manager(self).store;
  return "<Bdd: " + std::to_string(store.var_count()) + " variables, " + std::to_string(store.node_count()) +
         " nodes>";
}

void bind_variables(nb::class_<BddManager>& bdd) {
  bdd.def(
         "declare",
         [](BddSelf self, const nb::args& given) {
           BddManager& manager = changing(self);
           for (const nb::handle name : given) {
             const std::string text = given_name(name, "declare");
             if (!manager.find(text)) manager.add_var(text);
           }
         },
         nb::arg("names"), nb::sig("def declare(self, *names: str) -> None"),
         "Adds the variables that are not there yet, at the end of the order.")
      .def("add_vars", &add_vars, nb::arg("names"),
           nb::sig("def add_vars(self, names: int | collections.abc.Iterable[str]) -> list[BddRef]"),
           "New variables at the end of the order: of these names, or so many, named x and their number.")
      .def(
          "var",
          [](BddSelf self, nb::handle which) {
            BddManager& manager = changing(self);
            const std::uint32_t var = var_of(manager, which);
            return make_bdd_ref(self, manager,
                                run_bdd(manager, nullptr, [&] { return manager.store.var(var); }));
          },
          nb::arg("which"), nb::sig("def var(self, which: str | int | BddRef) -> BddRef"),
          "The function of a variable, by its name or number.")
      .def_prop_ro(
          "vars",
          [](BddSelf self) {
            const BddManager& manager = readable_manager(self);
            std::vector<std::uint32_t> all(manager.store.var_count());
            for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
            return names(manager, all);
          },
          "Names of all variables, by number.")
      .def_prop_ro(
          "order",
          [](BddSelf self) {
            const BddManager& manager = readable_manager(self);
            return names(manager, manager.store.order());
          },
          "Names of all variables, the top of the order first.")
      .def("cube", &cube, nb::arg("values"),
           nb::sig("def cube(self, values: collections.abc.Mapping[str, bool]) -> BddRef"),
           "The conjunction of literals.");
}

void bind_management(nb::class_<BddManager>& bdd) {
  bdd.def(
         "node_count",
         [](BddSelf self, nb::handle roots) {
           const BddManager& manager = readable_manager(self);
           return bdd::node_count(manager.store, edges_of(manager, roots, "node_count"));
         },
         nb::arg("roots"), nb::sig("def node_count(self, roots: collections.abc.Iterable[BddRef]) -> int"),
         "Nodes of the shared diagram of several functions, the constant included.")
      .def(
          "support",
          [](BddSelf self, nb::handle roots) {
            const BddManager& manager = readable_manager(self);
            return names(manager, bdd::support(manager.store, edges_of(manager, roots, "support")));
          },
          nb::arg("roots"),
          nb::sig("def support(self, roots: collections.abc.Iterable[BddRef]) -> tuple[str, ...]"),
          "Names of the variables that some of the functions depend on, in the present order.")
      .def(
          "__len__", [](BddSelf self) { return readable_manager(self).store.node_count(); },
          "Nodes in use, garbage included.")
      .def("__repr__", &describe)
      .def("stats", &stats, "Figures: nodes now and at most, bytes, garbage collections, reorderings.")
      .def(
          "collect", [](BddSelf self) { return changing(self).store.collect(); },
          "Frees the nodes of functions that nothing refers to; returns their number. Runs by itself as "
          "nodes are made.")
      .def(
          "clear", [](BddSelf self) { changing(self).clear(); },
          "Forgets all variables and nodes; references to them raise StaleRefError from now on.")
      .def(
          "reorder",
          [](BddSelf self, const nb::object& order) {
            BddManager& manager = changing(self);
            std::vector<std::uint32_t> vars;
            if (!order.is_none()) vars = vars_of(manager, order);
            run_bdd(manager, nullptr, [&] {
              if (order.is_none()) {
                sift(manager.store);
              } else {
                set_order(manager.store, vars);
              }
              return 0;
            });
          },
          nb::arg("order").none() = nb::none(),
          nb::sig("def reorder(self, order: collections.abc.Iterable[str | int | BddRef] | None = None) -> "
                  "None"),
          "Brings the variables into this order, top first, or without one sifts for a small diagram. "
          "References keep their functions.")
      .def_prop_rw(
          "auto_reorder", [](BddSelf self) { return readable_manager(self).store.auto_reorder(); },
          [](BddSelf self, std::size_t nodes) { changing(self).store.set_auto_reorder(nodes); },
          "Sift when so many nodes are in use and half of them alive, then again at twice what is left; 0, "
          "the "
          "default, for never.")
      .def(
          "check", [](BddSelf self) { readable_manager(self).store.check(); },
          "Checks the invariants of all nodes; raises RuntimeError naming the first broken one.")
      .def(
          "set_checked",
          [](BddSelf self, std::uint32_t interval) { changing(self).store.set_checked(interval); },
          nb::arg("interval"),
          "For tests: collects garbage and checks all invariants at every so many operations; 0 ends that.")
      .def(
          "set_stop", [](BddSelf self, dynomite::Stop* stop) { changing(self).stop = stop; },
          nb::arg("stop").none(), nb::keep_alive<1, 2>(),
          "What may end long operations from now on, with a LimitError; None for nothing.");
}

}  // namespace
}  // namespace dmt

void bind_bdd(nb::module_& m) {
  using dmt::BddManager;
  using dmt::BddSelf;
  dmt::bind_bdd_ref(m);
  nb::class_<BddManager> bdd(m, "Bdd", nb::is_final(),
                             R"(A manager of reduced ordered binary decision diagrams with complement arcs.

All functions of a manager share nodes; equal functions are the same node. An operation costs at most the
product of its operands' sizes. Operations that take long let other threads run, end at Ctrl-C, and while
they last refuse other use of the manager with a UsageError.

Args:
    max_nodes: Operations that need more nodes at a time raise LimitError.
    max_cache: Entries of the operation cache at most (16 bytes each); it grows with the diagrams.)");
  bdd.def(
      "__init__",
      [](BddManager* self, std::size_t max_nodes, std::size_t max_cache) {
        dmt::BddLimits limits;
        limits.max_nodes = std::min(limits.max_nodes, max_nodes);
        limits.max_cache_entries = std::max<std::size_t>(max_cache, 1U << 12);
        new (self) BddManager(limits);
      },
      nb::kw_only(), nb::arg("max_nodes") = dmt::BddLimits{}.max_nodes,
      nb::arg("max_cache") = dmt::BddLimits{}.max_cache_entries);
  bdd.def_prop_ro(
         "true",
         [](BddSelf self) { return dmt::make_bdd_ref(self, dmt::readable_manager(self), dmt::kBddTrue); },
         "The constant true.")
      .def_prop_ro(
          "false",
          [](BddSelf self) { return dmt::make_bdd_ref(self, dmt::readable_manager(self), dmt::kBddFalse); },
          "The constant false.");
  dmt::bind_variables(bdd);
  dmt::bind_management(bdd);
  dmt::bind_bdd_methods(m);
  dmt::bind_bdd_io(m, bdd);
}
