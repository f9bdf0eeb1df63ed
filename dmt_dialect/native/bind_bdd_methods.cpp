#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/bdd/measure.hpp"
#include "dmt_dialect/native/bdd/quantify.hpp"
#include "dmt_dialect/native/bdd/substitute.hpp"
#include "dmt_dialect/native/py_bdd.hpp"
#include "dynomite/native/module.hpp"

// Methods of `BddRef` that need no speed of their own.

namespace dmt {

namespace {

using NameTuple = nb::typed<nb::tuple, nb::str, nb::ellipsis>;
using RefTuple = nb::typed<nb::tuple, BddRef, nb::ellipsis>;
using Assignment = nb::typed<nb::dict, nb::str, nb::bool_>;

/// An edge from a reference of `manager` or a bool.
BddEdge edge_from(const BddManager& manager, nb::handle object, const char* call) {
  if (nb::isinstance<nb::bool_>(object)) return object.is(Py_True) ? kBddTrue : kBddFalse;
  BddRef ref;
  if (!nb::try_cast(object, ref)) {
    throw dynomite::UsageError(std::string(call) + ": functions are BddRef or bool");
  }
  return checked_edge(manager, ref, call);
}

/// The edge of `self`, for calls that only read.
BddEdge self_edge(const BddRef& self, const char* call) {
  self.manager->store.access().check_read();
  return checked_edge(*self.manager, self, call);
}

BddRef same_owner(const BddRef& self, BddEdge edge) { return make_bdd_ref(self.owner, *self.manager, edge); }

/// A method whose result is a function.
template <typename Body>
BddRef build(const BddRef& self, const char* call, Body body) {
  const BddEdge f = checked_edge(*self.manager, self, call);
  BddStore& store = self.manager->store;
  return same_owner(self, run_bdd(*self.manager, nullptr, [&] { return body(store, f); }));
}

BddRef ite(const BddRef& self, nb::handle then, nb::handle otherwise) {
  self_edge(self, "operation");
  const BddEdge g = edge_from(*self.manager, then, "ite");
  const BddEdge h = edge_from(*self.manager, otherwise, "ite");
  return build(self, "ite", [&](BddStore& store, BddEdge f) { return bdd::ite(store, f, g, h); });
}

BddRef implies(const BddRef& self, nb::handle other) {
  self_edge(self, "operation");
  const BddEdge g = edge_from(*self.manager, other, "implies");
  return build(self, "implies", [&](BddStore& store, BddEdge f) { return bdd::or_(store, ~f, g); });
}

BddRef equiv(const BddRef& self, nb::handle other) {
  self_edge(self, "operation");
  const BddEdge g = edge_from(*self.manager, other, "equiv");
  return build(self, "equiv", [&](BddStore& store, BddEdge f) { return ~bdd::xor_(store, f, g); });
}

/// The two kinds of quantifiers.
template <BddEdge (*kQuantify)(BddStore&, BddEdge, BddEdge)>
BddRef quantify(const BddRef& self, const nb::args& given) {
  self_edge(self, "operation");
  const std::vector<std::uint32_t> vars = vars_of(*self.manager, given);
  return build(self, "exist",
               [&](BddStore& store, BddEdge f) { return kQuantify(store, f, bdd::cube(store, vars)); });
}
BddEdge quantify_exists(BddStore& store, BddEdge f, BddEdge cube) { return bdd::exists(store, f, cube); }
BddEdge quantify_forall(BddStore& store, BddEdge f, BddEdge cube) { return bdd::forall(store, f, cube); }

BddRef and_exists(const BddRef& self, nb::handle other, nb::handle given) {
  self_edge(self, "operation");
  const BddEdge g = edge_from(*self.manager, other, "and_exists");
  const std::vector<std::uint32_t> vars = vars_of(*self.manager, given);
  return build(self, "and_exists", [&](BddStore& store, BddEdge f) {
    return bdd::and_exists(store, f, g, bdd::cube(store, vars));
  });
}

BddRef let(const BddRef& self, const nb::object& mapping) {
  self_edge(self, "operation");
  const nb::dict given = to_dict(mapping);
  std::vector<std::pair<std::uint32_t, BddEdge>> substitution;
  std::vector<BddHold> holds;
  for (const auto& [key, value] : given) {
    const std::uint32_t var = var_of(*self.manager, key);
    BddEdge edge;
    if (nb::isinstance<nb::str>(value)) {
      const std::uint32_t other = var_of(*self.manager, value);
      edge = run_bdd(*self.manager, nullptr, [&] { return self.manager->store.var(other); });
    } else {
      edge = edge_from(*self.manager, value, "let");
    }
    substitution.emplace_back(var, edge);
    // Variables made above are held while garbage may be collected.
    holds.emplace_back(self.manager->store, edge);
  }
  return build(self, "let", [&](BddStore& store, BddEdge f) { return bdd::compose(store, f, substitution); });
}

template <BddEdge (*kOperation)(BddStore&, BddEdge, BddEdge)>
BddRef simplify(const BddRef& self, nb::handle given) {
  const BddEdge care = edge_from(*self.manager, given, "restrict");
  if (care == kBddFalse) throw dynomite::UsageError("restrict: the care set is empty");
  return build(self, "restrict", [&](BddStore& store, BddEdge f) { return kOperation(store, f, care); });
}
BddEdge simplify_restrict(BddStore& store, BddEdge f, BddEdge care) { return bdd::restrict_(store, f, care); }
BddEdge simplify_constrain(BddStore& store, BddEdge f, BddEdge care) {
  return bdd::constrain(store, f, care);
}

/// Runs a question without the GIL.
template <typename Body>
auto ask(const BddRef& self, const char* call, Body body) {
  const BddEdge edge = self_edge(self, call);
  const BddStore& store = self.manager->store;
  const dynomite::ReadLease lease(store.access());
  const nb::gil_scoped_release release;
  return body(store, edge);
}

nb::int_ count(const BddRef& self, std::optional<std::uint32_t> nvars) {
  const BddEdge edge = self_edge(self, "count");
  const std::size_t depends = bdd::support(self.manager->store, {&edge, 1}).size();
  const std::size_t vars = nvars.value_or(self.manager->store.var_count());
  if (vars < depends) {
    throw dynomite::UsageError("count: the function depends on " + std::to_string(depends) + " variables");
  }
  const std::vector<std::uint64_t> words =
      ask(self, "count", [&](const BddStore& store, BddEdge f) { return bdd::model_count(store, f, vars); });
  std::string bytes;
  for (const std::uint64_t word : words) {
    for (unsigned i = 0; i < 64; i += 8) bytes.push_back(static_cast<char>(word >> i & 0xFFU));
  }
  const nb::object int_type = nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type));
  return nb::cast<nb::int_>(int_type.attr("from_bytes")(nb::bytes(bytes.data(), bytes.size()), "little"));
}

NameTuple support(const BddRef& self) {
  const std::vector<std::uint32_t> vars =
      ask(self, "support", [](const BddStore& store, BddEdge f) { return bdd::support(store, {&f, 1}); });
  nb::list names;
  for (const std::uint32_t var : vars) names.append(var_name(*self.manager, var));
  return NameTuple(nb::tuple(names));
}

std::size_t node_count(const BddRef& self) {
  return ask(self, "len", [](const BddStore& store, BddEdge f) { return bdd::node_count(store, {&f, 1}); });
}

Assignment named(const BddManager& manager, const bdd::BddCube& cube) {
  Assignment result;
  for (const auto& [var, value] : cube) result[var_name(manager, var)] = nb::bool_(value);
  return result;
}

std::optional<Assignment> pick(const BddRef& self) {
  const BddEdge edge = self_edge(self, "pick");
  const std::optional<bdd::BddCube> cube = bdd::CubeWalk(self.manager->store, edge).next();
  if (!cube) return std::nullopt;
  return named(*self.manager, *cube);
}

/// The iterator behind `BddRef.cubes`.
struct CubeIterator {
  BddRef root;
  /// Keeps the function's nodes.
  nb::object handle;
  bdd::CubeWalk walk;
};

bool evaluate(const BddRef& self, const nb::object& mapping) {
  const nb::dict given = to_dict(mapping);
  const BddEdge edge = self_edge(self, "evaluate");
  BddEdge at = edge;
  const BddStore& store = self.manager->store;
  std::vector<std::uint8_t> values(store.var_count(), 2);
  for (const auto& [key, value] : given) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) throw nb::python_error();
    values[var_of(*self.manager, key)] = static_cast<std::uint8_t>(truth);
  }
  while (!at.is_constant()) {
    const std::uint8_t value = values[store.top_var(at)];
    if (value == 2) {
      throw dynomite::UsageError("evaluate: no value for variable '" +
                                 self.manager->name_of(store.top_var(at)) + "'");
    }
    at = value != 0 ? store.high(at) : store.low(at);
  }
  return at == kBddTrue;
}

/// Node-wise view.

const BddNode& inner(const BddRef& self, const char* call) {
  const BddEdge edge = self_edge(self, call);
  if (edge.is_constant()) throw dynomite::UsageError(std::string(call) + ": a constant has no variable");
  return self.manager->store.node(edge);
}

nb::str var(const BddRef& self) {
  return var_name(*self.manager, self.manager->store.var_at(inner(self, "var").level));
}

std::string opcode(const BddRef& self) {
  const BddEdge edge = self_edge(self, "opcode");
  if (edge.is_constant()) return edge == kBddTrue ? "TRUE" : "FALSE";
  return "ITE";
}

/// Variable, then-branch, else-branch; none for constants.
std::vector<BddRef> operand_list(const BddRef& self) {
  const BddEdge edge = self_edge(self, "operands");
  if (edge.is_constant()) return {};
  BddStore& store = self.manager->store;
  store.access().check_write();
  return {same_owner(self, store.operation([&] { return store.var(store.top_var(edge)); })),
          same_owner(self, store.high(edge)), same_owner(self, store.low(edge))};
}

RefTuple operands(const BddRef& self) {
  nb::list list;
  for (const BddRef& ref : operand_list(self)) list.append(nb::cast(ref));
  return RefTuple(nb::tuple(list));
}

BddRef operand_def(const BddRef& self, std::size_t index) {
  const std::vector<BddRef> all = operand_list(self);
  if (index >= all.size()) throw nb::index_error("a node has operands 0 to 2, a constant none");
  return all[index];
}

template <typename Function, typename... Extra>
void method(const char* name, Function function, const Extra&... extra) {
  nb::handle type(reinterpret_cast<PyObject*>(py_bdd_ref_type));
  nb::cpp_function_def(function, nb::scope(type), nb::name(name), nb::is_method(), extra...);
}

template <typename Function, typename... Extra>
void property(const char* name, Function function, const char* doc, const Extra&... extra) {
  nb::handle type(reinterpret_cast<PyObject*>(py_bdd_ref_type));
  const nb::object getter =
      nb::cpp_function(function, nb::name(name), nb::scope(type), nb::is_method(), doc, extra...);
  const nb::object make = nb::borrow(reinterpret_cast<PyObject*>(&PyProperty_Type));
  type.attr(name) = make(getter, nb::none(), nb::none(), doc);
}

void bind_building() {
  method("ite", &ite, nb::arg("then"), nb::arg("otherwise"),
         nb::sig("def ite(self, then: BddRef | bool, otherwise: BddRef | bool) -> BddRef"),
         "`then` where this is true, else `otherwise`.");
  method("implies", &implies, nb::arg("other"), nb::sig("def implies(self, other: BddRef | bool) -> BddRef"),
         "The function `~self | other`; see `<=` for the question.");
  method("equiv", &equiv, nb::arg("other"), nb::sig("def equiv(self, other: BddRef | bool) -> BddRef"),
         "The function that is true where both are equal.");
  method(
      "exist", &quantify<quantify_exists>, nb::arg("vars"),
      nb::sig("def exist(self, *vars: str | int | BddRef | collections.abc.Iterable[str | int | BddRef]) -> "
              "BddRef"),
      "True where the function is true for some value of the variables (names, numbers or functions).");
  method(
      "forall", &quantify<quantify_forall>, nb::arg("vars"),
      nb::sig("def forall(self, *vars: str | int | BddRef | collections.abc.Iterable[str | int | BddRef]) -> "
              "BddRef"),
      "True where the function is true for all values of the variables.");
  method("and_exists", &and_exists, nb::arg("other"), nb::arg("vars"),
         nb::sig("def and_exists(self, other: BddRef | bool, vars: str | int | BddRef | "
                 "collections.abc.Iterable[str | int | BddRef]) -> BddRef"),
         "`(self & other).exist(*vars)` without building the conjunction: the relational product.");
  method("let", &let, nb::arg("substitution"),
         nb::sig("def let(self, substitution: collections.abc.Mapping[str, BddRef | bool | str]) -> BddRef"),
         "Functions, constants or other variables in place of variables, all at a time.");
  method("restrict", &simplify<simplify_restrict>, nb::arg("care"),
         nb::sig("def restrict(self, care: BddRef | bool) -> BddRef"),
         "Some function equal to this one wherever `care` is true, mostly smaller; of no further variables.");
  method("constrain", &simplify<simplify_constrain>, nb::arg("care"),
         nb::sig("def constrain(self, care: BddRef | bool) -> BddRef"),
         "Coudert and Madre's generalised cofactor: equal to this function wherever `care` is true.");
}

void bind_questions() {
  method("count", &count, nb::arg("nvars").none() = nb::none(),
         "Number of models over `nvars` variables (default: all of the manager), exact.");
  property("support", &support, "Names of the variables the function depends on, in the present order.");
  method("__len__", &node_count, "Number of nodes of the diagram, the constant included.");
  method("pick", &pick,
         "One partial assignment that makes the function true; variables left out do not matter. None for "
         "the constant false.");
  method(
      "cubes",
      [](const BddRef& self) {
        const BddEdge edge = self_edge(self, "cubes");
        return CubeIterator{self, nb::cast(same_owner(self, edge)), bdd::CubeWalk(self.manager->store, edge)};
      },
      nb::sig("def cubes(self) -> CubeIterator"),
      "Partial assignments, disjoint, that together are the function; variables left out do not matter.");
  method("evaluate", &evaluate, nb::arg("values"),
         nb::sig("def evaluate(self, values: collections.abc.Mapping[str, object]) -> bool"),
         "The value for an assignment, which has to have all variables met on the way.");
}

void bind_nodes() {
  property(
      "bdd", [](const BddRef& self) { return self.owner; }, "The manager.", nb::sig("def bdd(self) -> Bdd"));
  property("var", &var, "Name of the variable on top.");
  property(
      "level", [](const BddRef& self) { return inner(self, "level").level; },
      "Place of the variable on top in the present order, from 0.");
  property(
      "high",
      [](const BddRef& self) {
        inner(self, "high");
        return same_owner(self, self.manager->store.high(self.edge));
      },
      "The function where the variable on top is true.");
  property(
      "low",
      [](const BddRef& self) {
        inner(self, "low");
        return same_owner(self, self.manager->store.low(self.edge));
      },
      "The function where the variable on top is false.");
  property(
      "is_complemented", [](const BddRef& self) { return self_edge(self, "is_complemented").complemented(); },
      "Whether the arc to the node is complemented.");
  property(
      "is_constant", [](const BddRef& self) { return self_edge(self, "is_constant").is_constant(); },
      "Whether the function is constant.");
  property(
      "is_true", [](const BddRef& self) { return self_edge(self, "is_true") == kBddTrue; },
      "Whether the function is the constant true.");
  property(
      "is_false", [](const BddRef& self) { return self_edge(self, "is_false") == kBddFalse; },
      "Whether the function is the constant false.");
  property(
      "node_id", [](const BddRef& self) { return self_edge(self, "node_id").node(); },
      "The node's number: dense, the same for a function and its complement, 0 for the constants.");
  property(
      "raw", [](const BddRef& self) { return self_edge(self, "raw").raw(); },
      "The arc: twice the node's number, plus one if complemented.");
  property("opcode", &opcode, "'ITE' for a node, 'TRUE' or 'FALSE' for the constants.");
  property("operands", &operands,
           "Variable, then-branch and else-branch of a node, as functions; empty for constants.");
  method("operand_def", &operand_def, nb::arg("index"), "Operand `index` of a node.");
}

}  // namespace

void bind_bdd_methods(nb::module_& m) {
  nb::class_<CubeIterator>(m, "CubeIterator", "Walks over partial assignments; see `BddRef.cubes`.")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> CubeIterator"))
      .def("__next__", [](CubeIterator& self) {
        self_edge(self.root, "cubes");
        const std::optional<bdd::BddCube> cube = self.walk.next();
        if (!cube) throw nb::stop_iteration();
        return named(*self.root.manager, *cube);
      });
  bind_building();
  bind_questions();
  bind_nodes();
}

}  // namespace dmt
