#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "dmt_dialect/native/aig/circuit_stats.hpp"
#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/aig/evaluate.hpp"
#include "dmt_dialect/native/aig/levels.hpp"
#include "dmt_dialect/native/aig/same_circuit.hpp"
#include "dmt_dialect/native/py_aig.hpp"

// Levels, cones, clean-up, comparison, statistics: native work on whole graphs.

namespace dmt {

namespace {

using dynomite::UsageError;

/// Runs `work` on the store without the GIL.
auto reading(Self self, auto&& work) {
  const AigStore& store = store_of(self);
  const ReadLease lease(store.access());
  const nb::gil_scoped_release release;
  return work(store);
}

std::vector<NodeId> fanin_cone(const AigStore& store, const std::vector<Lit>& lits) {
  NodeSet cone(store.node_count());
  add_fanin_cone(store, lits, cone);
  return cone.sorted();
}

nb::list evaluate_lits(Self self, const std::vector<LitRef>& lits, const nb::dict& assignment) {
  const AigStore& store = store_of(self);
  const std::vector<Lit> wanted = checked_lits(store, lits, "evaluate");
  std::vector<Ternary> ci_values(store.inputs().size() + store.latches().size(), Ternary::kUnknown);
  for (const auto& [key, value] : assignment) {
    LitRef ref;
    if (!nb::try_cast(key, ref, false)) throw UsageError("evaluate: the keys of `assignment` are literals");
    const Lit lit = checked_lit(&store, ref, "evaluate");
    if (store.is_and(lit.node()) || store.is_const(lit.node())) {
      throw UsageError("evaluate: only inputs and latches can be assigned");
    }
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) throw nb::python_error();
    const std::size_t offset = store.is_latch(lit.node()) ? store.inputs().size() : 0;
    ci_values[offset + store.ci_index(lit.node())] =
        (truth != 0) != lit.complemented() ? Ternary::kOne : Ternary::kZero;
  }
  nb::list result;
  const std::vector<Ternary> values = evaluate(store, wanted, ci_values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == Ternary::kUnknown) {
      throw UsageError("evaluate: literal " + std::to_string(i) +
                       " depends on inputs or latches without a value");
    }
    result.append(values[i] == Ternary::kOne);
  }
  return result;
}

nb::typed<nb::dict, nb::str, std::uint64_t> stats(Self self) {
  const CircuitStats s = reading(self, circuit_stats);
  nb::typed<nb::dict, nb::str, std::uint64_t> result;
  const auto put = [&](const char* key, std::uint64_t value) { result[key] = value; };
  put("inputs", s.inputs);
  put("outputs", s.outputs);
  put("latches", s.latches);
  put("ands", s.ands);
  put("levels", s.levels);
  put("bad", s.bad);
  put("constraints", s.constraints);
  put("justice", s.justice);
  put("fairness", s.fairness);
  put("xors", s.xors);
  put("muxes", s.muxes);
  put("max_fanout", s.max_fanout);
  put("dangling_ands", s.dangling_ands);
  put("duplicate_ands", s.duplicate_ands);
  put("trivial_ands", s.trivial_ands);
  put("unused_inputs", s.unused_inputs);
  put("unused_latches", s.unused_latches);
  put("constant_outputs", s.constant_outputs);
  put("direct_outputs", s.direct_outputs);
  put("latches_reset_1", s.one_latches);
  put("latches_uninitialised", s.uninitialised_latches);
  put("input_names", s.input_names);
  put("output_names", s.output_names);
  put("latch_names", s.latch_names);
  put("net_names", s.net_names);
  put("comment_lines", s.comment_lines);
  return result;
}

std::string difference(Self a, Self b, bool names) {
  const AigStore& left = store_of(a);
  const AigStore& right = store_of(b);
  const ReadLease left_lease(left.access());
  const ReadLease right_lease(right.access());
  const nb::gil_scoped_release release;
  return first_difference(left, right, names);
}

/// A method written in Python: `function` of the module, imported at the call.
nb::object in_python(const char* module, const char* function, nb::handle self) {
  return nb::module_::import_(module).attr(function)(self);
}

void bind_cones(nb::class_<AigStore>& aig) {
  aig.def(
         "fanin_cone",
         [](Self self, const std::vector<LitRef>& lits) {
           const std::vector<Lit> roots = checked_lits(store_of(self), lits, "fanin_cone");
           nb::list nodes;
           AigStore& store = store_of(self);
           for (const NodeId id : reading(self, [&](const AigStore& s) { return fanin_cone(s, roots); })) {
             nodes.append(make_node_ref(self, store, id));
           }
           return NodeTuple(nb::tuple(nodes));
         },
         nb::arg("lits"),
         "The transitive fanin of `lits`: every node they depend on, themselves included, in topological "
         "order.\n\n"
         "Latches are leaves. Cost: linear in the cone, plus one bit a node of the AIG.")
      .def(
          "support",
          [](Self self, const std::vector<LitRef>& lits) {
            const std::vector<Lit> roots = checked_lits(store_of(self), lits, "support");
            return lit_tuple(self, reading(self, [&](const AigStore& store) {
                               std::vector<Lit> leaves;
                               for (const NodeId id : fanin_cone(store, roots)) {
                                 if (store.is_input(id) || store.is_latch(id)) leaves.emplace_back(id, false);
                               }
                               return leaves;
                             }));
          },
          nb::arg("lits"),
          "The inputs and latches that `lits` depend on by structure, in the order of their nodes.")
      .def(
          "cone",
          [](Self self, const std::vector<LitRef>& lits, bool follow_latches, bool keep_inputs) {
            const std::vector<Lit> roots = checked_lits(store_of(self), lits, "cone");
            return reading(self, [&](const AigStore& store) {
              return extract_cone(store, roots, {follow_latches, keep_inputs});
            });
          },
          nb::arg("lits"), nb::kw_only(), nb::arg("follow_latches") = true, nb::arg("keep_inputs") = false,
          "A new AIG with `lits` as its outputs and nothing that they do not need.\n\n"
          "Inputs keep their order and names; an output has the name of the first output here with the same "
          "literal. The structure is copied as it is. Properties (bad...) and comments are left out.\n\n"
          "Args:\n"
          "    lits: The literals that become outputs, in this order.\n"
          "    follow_latches: Latches that are met stay latches, and the cone goes on into their next "
          "states. "
          "Otherwise they become inputs, behind the real ones, and keep their names.\n"
          "    keep_inputs: Keep the inputs outside of the cone too.")
      .def(
          "cleanup", [](Self self) { return reading(self, without_dangling); },
          "A new AIG without the ANDs that no output, next state or property needs.\n\n"
          "All ports, names and comments stay. Inputs are numbered first, then latches, then ANDs.")
      .def(
          "strash", [](Self self) { return reading(self, rehashed); },
          "A new AIG with every AND folded, simplified and hashed anew, and dangling ones removed; see "
          "`cleanup`.");
}

}  // namespace

void bind_aig_structure(nb::module_& m, nb::class_<AigStore>& aig) {
  bind_cones(aig);
  aig.def(
         "levels", [](Self self) { return word_array(reading(self, levels)); },
         "Level of every node, an array indexed by node: inputs, latches and the constant have level 0, an "
         "AND one "
         "more than its higher fanin.")
      .def_prop_ro(
          "depth",
          [](Self self) { return reading(self, [](const AigStore& s) { return depth(s, levels(s)); }); },
          "Highest level of an output, next state or property. Cost: linear.")
      .def(
          "fanout_counts", [](Self self) { return word_array(reading(self, fanout_counts)); },
          "For every node the number of fanins, outputs, next states and properties that refer to it.")
      .def("evaluate", evaluate_lits, nb::arg("lits"), nb::arg("assignment"),
           nb::sig("def evaluate(self, lits: Sequence[Lit], assignment: dict[Lit, bool]) -> list[bool]"),
           "Values of `lits` under one assignment of inputs and latches; for many use simulation.\n\n"
           "Args:\n    lits: What to evaluate.\n    assignment: Values by literals of inputs and latches.\n\n"
           "Raises:\n    UsageError: A value hangs on an input or latch without one.")
      .def("stats", stats,
           "Counts of what the circuit consists of, by name: inputs, outputs, latches, ands, levels...\n\n"
           "Cost: linear.")
      .def(
          "to_networkx",
          [](nb::handle self) { return in_python("dmt_dialect.aig_graph", "to_networkx", self); },
          nb::sig("def to_networkx(self) -> networkx.DiGraph[int | tuple[str, int]]"),
          "The AIG as a `networkx.DiGraph`; see `dmt_dialect.aig_graph.to_networkx`.")
      .def(
          "_repr_svg_", [](nb::handle self) { return in_python("dmt_dialect.aig_drawing", "to_svg", self); },
          nb::sig("def _repr_svg_(self) -> str | None"),
          "A drawing for notebooks; None for large graphs, which are shown as text.");

  m.def(
      "first_difference",
      [](Self a, Self b, bool names) -> std::optional<std::string> {
        std::string text = difference(a, b, names);
        return text.empty() ? std::nullopt : std::optional(std::move(text));
      },
      nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("names") = true,
      "One sentence about the first place where two circuits differ in structure, or None; see "
      "`same_circuit`.");
  m.def(
      "same_circuit", [](Self a, Self b, bool names) { return difference(a, b, names).empty(); },
      nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("names") = true,
      "True if two AIGs are the same circuit.\n\n"
      "The same up to the numbering of nodes, the order of fanins, duplicate ANDs and dangling ANDs; with "
      "the same "
      "ports, reset values and properties in the same order. Comments and net names do not matter. This "
      "compares "
      "structure: circuits that compute the same in different ways are not the same. Cost: linear.\n\n"
      "Args:\n    names: Names of ports and properties must agree too.");
  m.def(
      "circuit_hash",
      [](Self aig_object, bool names) {
        return reading(aig_object, [&](const AigStore& store) { return circuit_hash(store, names); });
      },
      nb::arg("aig"), nb::kw_only(), nb::arg("names") = true,
      "64-bit hash of a circuit, equal for what `same_circuit` calls the same; stable over runs and "
      "platforms.");
}

}  // namespace dmt
