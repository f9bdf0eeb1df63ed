#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/cnf/encode.hpp"
#include "dmt_dialect/native/py_aig.hpp"
#include "dmt_dialect/native/py_bit_vec.hpp"
#include "dmt_dialect/native/py_terms.hpp"
#include "dmt_dialect/native/sat/circuit_solver.hpp"
#include "dmt_dialect/native/smt/term_blaster.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"

namespace dmt::smt {

using dynomite::run_long;
using dynomite::Stop;
using dynomite::UsageError;

namespace {

using Raws = dmt::WordView;
using IntArray = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>, nb::c_contig>;
using ByteView = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;

struct PyModel {
  nb::object owner;
  Model model;

  std::vector<nb::object> values(const std::vector<PyTerm>& terms, Stop* given) const {
    const TermStore& store = *nb::inst_ptr<TermStore>(owner);
    const std::vector<TermId> ids = ids_of(owner, terms, "Model.values");
    std::optional<std::vector<BitVec>> values;
    const dynomite::ReadLease reading(store.access());
    run_long(given, [&](Stop& stop) { values = evaluate_terms(store, ids, model, stop); });
    if (!values) throw dynomite::LimitError("the evaluation was stopped");
    std::vector<nb::object> objects;
    for (const BitVec& value : *values) objects.push_back(nb::cast(value));
    return objects;
  }
};

/// The gates of terms, their clauses, and the solver that works on the gates themselves.
class Circuit {
 public:
  Circuit(nb::object owner, std::string_view architecture)
      : owner_(std::move(owner)),
        terms_(*nb::inst_ptr<TermStore>(owner_)),
        blaster_(terms_, aig_, dmt::parse_architecture(architecture)),
        encoder_(aig_, dmt::Encoding::kPlaistedGreenbaum),
        solver_(aig_) {}

  std::optional<dmt::WordArray> literals(const std::vector<PyTerm>& terms, Stop* given) {
    const std::vector<TermId> ids = ids_of(owner_, terms, "Circuit.literals");
    std::vector<Lit> lits;
    bool done = true;
    {
      const dynomite::WriteLease writing(terms_.access());
      const dmt::WriteLease building(aig_.access());
      run_long(given, [&](Stop& stop) {
        for (const TermId id : ids) done = done && blaster_.blast(id, stop, lits);
      });
    }
    if (!done) return std::nullopt;
    return dmt::word_array(lits);
  }

  const char* solve(const Raws& raws, std::uint64_t conflict_limit, Stop* given) {
    const std::vector<Lit> lits = checked(raws, "Circuit.solve");
    dmt::Answer answer = dmt::Answer::kUnknown;
    const dmt::WriteLease solving(aig_.access());
    run_long(given, [&](Stop& stop) { answer = solver_.solve(lits, conflict_limit, stop); });
    switch (answer) {
      case dmt::Answer::kSat: return "sat";
      case dmt::Answer::kUnsat: return "unsat";
      default: return "unknown";
    }
  }

  PyModel solver_model() const {
    std::vector<std::uint8_t> inputs(aig_.inputs().size(), 0);
    for (const Lit lit : solver_.model()) {
      if (aig_.is_input(lit.node())) inputs[aig_.ci_index(lit.node())] = lit.complemented() ? 0 : 1;
    }
    return {owner_, blaster_.model(inputs)};
  }

  /// The clauses that were not asked for before.
  dmt::Cnf encode(const Raws& raws, Stop* given) {
    const std::vector<Lit> lits = checked(raws, "Circuit.encode");
    bool done = false;
    {
      const dmt::ReadLease reading(aig_.access());
      run_long(given, [&](Stop& stop) { done = encoder_.encode(lits, stop); });
    }
    if (!done) throw dynomite::LimitError("the conversion was stopped");
    dmt::Cnf fresh = encoder_.cnf();
    encoder_.cnf().clear_clauses();
    return fresh;
  }

  IntArray cnf_literals(const Raws& raws) const {
    const std::vector<Lit> lits = checked(raws, "Circuit.cnf_literals");
    auto* values = new std::vector<std::int32_t>();
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
    for (const Lit lit : lits) {
      const std::vector<std::uint32_t>& variables = encoder_.variables();
      if (lit.node().index() >= variables.size() || variables[lit.node().index()] == 0) {
        throw UsageError("Circuit.cnf_literals: this literal has not been encoded");
      }
      values->push_back(encoder_.literal(lit));
    }
    return IntArray(values->data(), {values->size()}, owner);
  }

  /// From the values of the clauses' variables.
  PyModel model_of(const ByteView& values) const {
    std::vector<std::uint8_t> inputs(aig_.inputs().size(), 0);
    const std::vector<std::uint32_t>& variables = encoder_.variables();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::uint32_t node = aig_.inputs()[i].index();
      const std::uint32_t variable = node < variables.size() ? variables[node] : 0;
      if (variable != 0 && variable <= values.shape(0)) inputs[i] = values.data()[variable - 1];
    }
    return {owner_, blaster_.model(inputs)};
  }

  AigStore aig(const std::vector<PyTerm>& outputs, Stop* given) {
    const std::vector<TermId> ids = ids_of(owner_, outputs, "Circuit.aig");
    std::vector<std::vector<Lit>> words(ids.size());
    bool done = true;
    {
      const dynomite::WriteLease writing(terms_.access());
      const dmt::WriteLease building(aig_.access());
      run_long(given, [&](Stop& stop) {
        for (std::size_t i = 0; i < ids.size(); ++i) done = done && blaster_.blast(ids[i], stop, words[i]);
      });
    }
    if (!done) throw dynomite::LimitError("bit-blasting was stopped");
    AigStore copy = aig_;
    copy.outputs().clear();
    const auto bit_name = [](const std::string& name, std::size_t width, std::size_t bit) {
      return width == 1 ? name : name + "[" + std::to_string(bit) + "]";
    };
    for (const auto& variable : blaster_.variables()) {
      const std::string name(terms_.name(variable.term));
      const std::uint32_t width = terms_.sort(variable.term).width();
      for (std::uint32_t bit = 0; bit < width; ++bit) {
        if (name.empty() || name.find_first_of(std::string_view("\n\0", 2)) != std::string::npos) continue;
        copy.names().inputs.set(variable.first_input + bit, bit_name(name, width, bit));
      }
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::size_t bit = 0; bit < words[i].size(); ++bit) {
        copy.names().outputs.set(copy.outputs().size(),
                                 bit_name("t" + std::to_string(i), words[i].size(), bit));
        copy.outputs().push_back(words[i][bit]);
      }
    }
    return copy;
  }

  nb::dict stats() const {
    nb::dict result;
    result["ands"] = aig_.and_count();
    result["inputs"] = aig_.inputs().size();
    result["variables"] = encoder_.cnf().variables();
    result["conflicts"] = solver_.stats().conflicts;
    return result;
  }

 private:
  std::vector<Lit> checked(const Raws& raws, const char* call) const {
    std::vector<Lit> lits;
    lits.reserve(raws.shape(0));
    for (std::size_t i = 0; i < raws.shape(0); ++i) {
      lits.push_back(Lit::from_raw(raws.data()[i]));
      if (!aig_.contains(lits.back())) throw UsageError(std::string(call) + ": no such literal");
    }
    return lits;
  }

  nb::object owner_;
  TermStore& terms_;
  AigStore aig_;
  TermBlaster blaster_;
  dmt::CnfEncoder encoder_;
  dmt::CircuitSolver solver_;
};

}  // namespace

void bind_solving(nb::module_& m) {
  nb::class_<PyModel>(m, "Model", nb::is_final(), "Values of variables; those that have none are zero.")
      .def(
          "__init__",
          [](PyModel* self, nb::handle_t<TermStore> terms) { new (self) PyModel{nb::borrow(terms), {}}; },
          nb::arg("terms"))
      .def(
          "set",
          [](PyModel& self, const PyTerm& variable, const BitVec& value) {
            if (variable.owner.ptr() != self.owner.ptr() ||
                variable.store().kind(variable.id) != TermKind::kVariable ||
                variable.store().sort(variable.id).width() != value.width()) {
              throw UsageError("Model.set: a variable of its store and a value of its width are needed");
            }
            self.model.set(variable.id, value);
          },
          nb::arg("variable"), nb::arg("value"), "Gives a variable a value.")
      .def("values", &PyModel::values,
           nb::sig("def values(self, terms: collections.abc.Sequence[Term], *, stop: "
                   "dynomite._native.base.Stop | None = None) -> "
                   "list[dynomite._native.word.BitVec]"),
           nb::arg("terms"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
           "The values of terms, by the operators' definitions alone. Linear.");
  nb::class_<Circuit>(m, "Circuit", nb::is_final(),
                      "Terms as gates, as clauses (Plaisted and Greenbaum's), and a solver on the gates.\n\n"
                      "Literals are AIGER numbers of its own AIG. All grows with what is asked for.")
      .def(
          "__init__",
          [](Circuit* self, nb::handle_t<TermStore> terms, std::string_view architecture) {
            new (self) Circuit(nb::borrow(terms), architecture);
          },
          nb::arg("terms"), nb::kw_only(), nb::arg("architecture") = "")
      .def("literals", &Circuit::literals, nb::arg("terms"), nb::kw_only(),
           nb::arg("stop").none() = nb::none(),
           "Simplifies and bit-blasts terms: the literals of all their bits, bit 0 first; None if stopped.")
      .def("solve", &Circuit::solve, nb::arg("literals"), nb::arg("conflict_limit"), nb::kw_only(),
           nb::arg("stop").none() = nb::none(),
           "Looks for inputs that make all literals true: \"sat\", \"unsat\", or \"unknown\" at a limit.")
      .def("model", &Circuit::solver_model, "What `solve` found: values of the variables.")
      .def("encode", &Circuit::encode, nb::arg("literals"), nb::kw_only(),
           nb::arg("stop").none() = nb::none(),
           "The clauses below these literals that no call has given before.")
      .def("cnf_literals", &Circuit::cnf_literals, nb::arg("literals"),
           "The literals of the clauses for encoded literals.")
      .def("model_of", &Circuit::model_of, nb::arg("values"),
           "Values of the variables from those of the clauses' variables (`values[v - 1]`, 0 or 1).")
      .def("aig", &Circuit::aig, nb::arg("outputs"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
           "A copy of the circuit whose outputs are the bits of these terms.")
      .def_prop_ro("stats", &Circuit::stats, nb::sig("def stats(self) -> dict[str, int]"), "Sizes.");
}

}  // namespace dmt::smt
