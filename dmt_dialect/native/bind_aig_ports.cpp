#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "dmt_dialect/native/py_aig.hpp"

namespace dmt {

namespace {

using dynomite::UsageError;

Reset reset_of(const std::optional<int>& reset, const char* call) {
  if (!reset.has_value()) return Reset::kUninitialised;
  if (*reset == 0) return Reset::kZero;
  if (*reset == 1) return Reset::kOne;
  throw UsageError(std::string(call) + ": reset must be 0, 1 or None (uninitialised)");
}

/// The bytes of an optional name; empty for none.
std::string optional_name(const OptionalName& name, const char* call) {
  return name.has_value() ? name_to_bytes(*name, call) : std::string();
}

/// Adds a literal with an optional name to a section.
void add_property(AigStore& store, std::vector<Lit>& lits, NameTable& names, const LitRef& lit,
                  const OptionalName& name, const char* call) {
  const Lit checked = checked_lit(&store, lit, call);
  names.set(lits.size(), optional_name(name, call));
  lits.push_back(checked);
}

std::uint32_t latch_of(const AigStore& store, const LitRef& latch, const char* call) {
  const Lit lit = checked_lit(&store, latch, call);
  if (lit.complemented() || !store.is_latch(lit.node())) {
    throw UsageError(std::string(call) + ": the literal is no latch (one of `Aig.latches`)");
  }
  return store.ci_index(lit.node());
}

/// Literals of `count` inputs that were added together.
LitTuple input_row(Self self, Lit first, std::size_t count) {
  std::vector<Lit> lits;
  lits.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    lits.emplace_back(NodeId(first.node().index() + static_cast<std::uint32_t>(i)), false);
  }
  return lit_tuple(self, lits);
}

void bind_building(nb::class_<AigStore>& aig) {
  aig.def(
         "add_input",
         [](Self self, const OptionalName& name) {
           AigStore& store = writable(self);
           const std::string bytes = optional_name(name, "add_input");
           const Lit lit = store.add_input();
           store.names().inputs.set(store.inputs().size() - 1, bytes);
           return make_lit_ref(self, store, lit);
         },
         nb::arg("name") = nb::none(), "Adds a primary input and returns its literal.")
      .def(
          "add_inputs",
          [](Self self, std::uint32_t count) {
            return input_row(self, writable(self).add_inputs(count), count);
          },
          nb::arg("count"), "Adds `count` unnamed primary inputs and returns their literals.")
      .def(
          "add_inputs",
          [](Self self, const std::vector<nb::str>& names) {
            AigStore& store = writable(self);
            std::vector<std::string> bytes;
            for (const nb::str& name : names) bytes.push_back(name_to_bytes(name, "add_inputs"));
            const std::size_t index = store.inputs().size();
            const Lit first = store.add_inputs(static_cast<std::uint32_t>(names.size()));
            for (std::size_t i = 0; i < bytes.size(); ++i) store.names().inputs.set(index + i, bytes[i]);
            return input_row(self, first, names.size());
          },
          nb::arg("names"), "Adds one primary input a name and returns their literals.")
      .def(
          "add_latch",
          [](Self self, std::optional<int> reset, const OptionalName& name) {
            AigStore& store = writable(self);
            const Reset value = reset_of(reset, "add_latch");
            const std::string bytes = optional_name(name, "add_latch");
            const Lit lit = store.add_latch(value);
            store.names().latches.set(store.latches().size() - 1, bytes);
            return make_lit_ref(self, store, lit);
          },
          nb::arg("reset").none() = 0, nb::arg("name") = nb::none(),
          "Adds a latch and returns the literal of its output.\n\n"
          "The next state is constant 0 until `set_next`.\n\n"
          "Args:\n    reset: Value in the first cycle: 0, 1 or None (uninitialised).\n    name: Name, or "
          "None.")
      .def(
          "set_next",
          [](Self self, const LitRef& latch, const LitRef& next) {
            AigStore& store = writable(self);
            const std::uint32_t index = latch_of(store, latch, "set_next");
            store.set_next(index, checked_lit(&store, next, "set_next"));
          },
          nb::arg("latch"), nb::arg("next"), "Sets the next-state literal of a latch.")
      .def(
          "set_reset",
          [](Self self, const LitRef& latch, std::optional<int> reset) {
            AigStore& store = writable(self);
            store.set_reset(latch_of(store, latch, "set_reset"), reset_of(reset, "set_reset"));
          },
          nb::arg("latch"), nb::arg("reset").none(), "Sets the reset value of a latch: 0, 1 or None.")
      .def(
          "add_output",
          [](Self self, const LitRef& lit, const OptionalName& name) {
            AigStore& store = writable(self);
            add_property(store, store.outputs(), store.names().outputs, lit, name, "add_output");
          },
          nb::arg("lit"), nb::arg("name") = nb::none(), "Adds an output.")
      .def(
          "set_output",
          [](Self self, std::size_t index, const LitRef& lit) {
            AigStore& store = writable(self);
            if (index >= store.outputs().size()) throw nb::index_error("set_output: no such output");
            store.outputs()[index] = checked_lit(&store, lit, "set_output");
          },
          nb::arg("index"), nb::arg("lit"), "Replaces the literal of an output; its name stays.")
      .def(
          "add_bad",
          [](Self self, const LitRef& lit, const OptionalName& name) {
            AigStore& store = writable(self);
            add_property(store, store.bad(), store.names().bad, lit, name, "add_bad");
          },
          nb::arg("lit"), nb::arg("name") = nb::none(), "Adds a bad-state property: `lit` must never be 1.")
      .def(
          "add_constraint",
          [](Self self, const LitRef& lit, const OptionalName& name) {
            AigStore& store = writable(self);
            add_property(store, store.constraints(), store.names().constraints, lit, name, "add_constraint");
          },
          nb::arg("lit"), nb::arg("name") = nb::none(), "Adds an invariant constraint: `lit` is always 1.")
      .def(
          "add_fairness",
          [](Self self, const LitRef& lit, const OptionalName& name) {
            AigStore& store = writable(self);
            add_property(store, store.fairness(), store.names().fairness, lit, name, "add_fairness");
          },
          nb::arg("lit"), nb::arg("name") = nb::none(),
          "Adds a fairness constraint: `lit` is 1 infinitely often.")
      .def(
          "add_justice",
          [](Self self, const std::vector<LitRef>& lits, const OptionalName& name) {
            AigStore& store = writable(self);
            std::vector<Lit> checked = checked_lits(store, lits, "add_justice");
            store.names().justice.set(store.justice().size(), optional_name(name, "add_justice"));
            store.justice().push_back(std::move(checked));
          },
          nb::arg("lits"), nb::arg("name") = nb::none(),
          "Adds a justice property: each of the literals is 1 infinitely often.");
}

void bind_reading(nb::class_<AigStore>& aig) {
  aig.def_prop_ro(
         "num_inputs", [](Self self) { return store_of(self).inputs().size(); }, "Number of inputs.")
      .def_prop_ro(
          "num_latches", [](Self self) { return store_of(self).latches().size(); }, "Number of latches.")
      .def_prop_ro(
          "num_outputs", [](Self self) { return store_of(self).outputs().size(); }, "Number of outputs.")
      .def_prop_ro(
          "num_ands", [](Self self) { return store_of(self).and_count(); }, "Number of ANDs.")
      .def_prop_ro(
          "num_nodes", [](Self self) { return store_of(self).node_count(); },
          "Number of nodes: the constant, inputs, latches and ANDs.")
      .def_prop_ro(
          "inputs",
          [](Self self) {
            std::vector<Lit> lits;
            for (const NodeId id : store_of(self).inputs()) lits.emplace_back(id, false);
            return lit_tuple(self, lits);
          },
          "Literals of the inputs, in order. A new tuple at each call, as all properties of this kind.")
      .def_prop_ro(
          "latches",
          [](Self self) {
            std::vector<Lit> lits;
            for (const Latch& latch : store_of(self).latches()) lits.emplace_back(latch.node, false);
            return lit_tuple(self, lits);
          },
          "Literals of the latches' outputs, in order.")
      .def_prop_ro(
          "next_states",
          [](Self self) {
            std::vector<Lit> lits;
            for (const Latch& latch : store_of(self).latches()) lits.push_back(latch.next);
            return lit_tuple(self, lits);
          },
          "Next-state literals of the latches, in order.")
      .def_prop_ro(
          "resets",
          [](Self self) {
            std::vector<std::optional<int>> resets;
            for (const Latch& latch : store_of(self).latches()) {
              if (latch.reset == Reset::kUninitialised) {
                resets.emplace_back();
              } else {
                resets.emplace_back(latch.reset == Reset::kOne ? 1 : 0);
              }
            }
            return resets;
          },
          "Reset values of the latches: 0, 1 or None (uninitialised).")
      .def_prop_ro(
          "outputs", [](Self self) { return lit_tuple(self, store_of(self).outputs()); },
          "Literals of the outputs, in order.")
      .def_prop_ro(
          "bad", [](Self self) { return lit_tuple(self, store_of(self).bad()); },
          "Literals of the bad-state properties.")
      .def_prop_ro(
          "constraints", [](Self self) { return lit_tuple(self, store_of(self).constraints()); },
          "Literals of the invariant constraints.")
      .def_prop_ro(
          "fairness", [](Self self) { return lit_tuple(self, store_of(self).fairness()); },
          "Literals of the fairness constraints.")
      .def_prop_ro(
          "justice",
          [](Self self) {
            nb::list groups;
            for (const auto& group : store_of(self).justice()) groups.append(lit_tuple(self, group));
            return nb::typed<nb::tuple, LitTuple, nb::ellipsis>(nb::tuple(groups));
          },
          "The justice properties, each a tuple of literals.");
}

}  // namespace

void bind_aig_ports(nb::class_<AigStore>& aig) {
  bind_building(aig);
  bind_reading(aig);
}

}  // namespace dmt
