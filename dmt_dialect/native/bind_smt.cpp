#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/cnf/encode.hpp"
#include "dmt_dialect/native/py_aig.hpp"
#include "dmt_dialect/native/py_bit_vec.hpp"
#include "dmt_dialect/native/sat/circuit_solver.hpp"
#include "dmt_dialect/native/smt/lexer.hpp"
#include "dmt_dialect/native/smt/script.hpp"
#include "dmt_dialect/native/smt/term_blaster.hpp"
#include "dmt_dialect/native/smt/term_writer.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dmt::BitVec;
using dmt::Lit;
using dmt::WordOp;
using dmt::smt::Command;
using dmt::smt::CommandKind;
using dmt::smt::Model;
using dmt::smt::Sort;
using dmt::smt::TermId;
using dmt::smt::TermStore;
using dynomite::run_long;
using dynomite::Stop;
using dynomite::UsageError;

using Raws = dmt::WordView;
using IntArray = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>, nb::c_contig>;
using ByteView = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;

/// A term as Python holds it: it keeps its store.
struct Term {
  nb::object owner;
  TermId id;
  TermStore& store() const { return *nb::inst_ptr<TermStore>(owner); }
};

nb::object store_object(nb::handle store) { return nb::borrow(store); }

std::vector<TermId> ids_of(nb::handle store, const std::vector<Term>& terms, const char* call) {
  std::vector<TermId> ids;
  ids.reserve(terms.size());
  for (const Term& term : terms) {
    if (term.owner.ptr() != store.ptr()) throw UsageError(std::string(call) + ": a term of another store");
    ids.push_back(term.id);
  }
  return ids;
}

std::vector<Term> terms_of(const nb::object& owner, const std::vector<TermId>& ids) {
  std::vector<Term> terms;
  terms.reserve(ids.size());
  for (const TermId id : ids) terms.push_back({owner, id});
  return terms;
}

TermStore& writable_store(nb::handle self) {
  TermStore& store = *nb::inst_ptr<TermStore>(self);
  store.access().check_write();
  return store;
}

Term make_op(nb::handle_t<TermStore> self, WordOp op, const std::vector<Term>& operands,
             const std::optional<Sort>& sort, std::uint32_t hi, std::uint32_t lo, std::uint32_t number) {
  TermStore& store = writable_store(self);
  const std::vector<TermId> ids = ids_of(self, operands, "Terms.op");
  if (dmt::info(op).attr == dmt::WordAttr::kCount || dmt::info(op).attr == dmt::WordAttr::kWidth) hi = number;
  const Sort result = sort.has_value() ? *sort : store.default_sort(op, ids, hi, lo);
  return {store_object(self), store.op(op, ids, result, hi, lo)};
}

nb::str text_of(std::string_view text) { return dmt::name_to_python(text); }

nb::list texts_of(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(text_of(text));
  return list;
}

struct PyCommand {
  nb::object owner;
  Command command;
};

struct PyModel {
  nb::object owner;
  Model model;

  std::vector<nb::object> values(const std::vector<Term>& terms, Stop* given) const {
    const TermStore& store = *nb::inst_ptr<TermStore>(owner);
    const std::vector<TermId> ids = ids_of(owner, terms, "Model.values");
    std::optional<std::vector<BitVec>> values;
    const dynomite::ReadLease reading(store.access());
    run_long(given, [&](Stop& stop) { values = dmt::smt::evaluate_terms(store, ids, model, stop); });
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

  std::optional<dmt::WordArray> literals(const std::vector<Term>& terms, Stop* given) {
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

  AigStore aig(const std::vector<Term>& outputs, Stop* given) {
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
  dmt::smt::TermBlaster blaster_;
  dmt::CnfEncoder encoder_;
  dmt::CircuitSolver solver_;
};

nb::tuple read_script(nb::bytes data, const std::string& name, std::uint64_t expansion, Stop* given) {
  const std::string_view view(data.c_str(), data.size());
  dmt::smt::Script script;
  run_long(given,
           [&](Stop& stop) { script = dmt::smt::read_script(view, name, stop, {expansion, 100'000}); });
  nb::object terms = nb::cast(std::move(script.terms));
  nb::list commands;
  for (Command& command : script.commands) commands.append(nb::cast(PyCommand{terms, std::move(command)}));
  return nb::make_tuple(terms, commands);
}

nb::bytes terms_bytes(nb::handle_t<TermStore> self, const std::vector<Term>& assertions,
                      const std::vector<std::string>& names, Stop* given) {
  const TermStore& store = *nb::inst_ptr<TermStore>(self);
  const std::vector<TermId> ids = ids_of(self, assertions, "Terms.to_smtlib");
  for (const TermId id : ids) {
    if (!store.sort(id).is_bool()) throw UsageError("Terms.to_smtlib: an assertion has the sort Bool");
  }
  dynomite::StringSink sink;
  const dynomite::ReadLease reading(store.access());
  run_long(given, [&](Stop& stop) { dmt::smt::write_terms(store, ids, names, sink, stop); });
  return nb::bytes(sink.bytes().data(), sink.bytes().size());
}

nb::tuple z3_bytes(nb::handle_t<TermStore> self, const std::vector<Term>& plain,
                   const std::vector<Term>& guarded, Stop* given) {
  const TermStore& store = *nb::inst_ptr<TermStore>(self);
  const std::vector<TermId> first = ids_of(self, plain, "Terms.to_z3");
  const std::vector<TermId> second = ids_of(self, guarded, "Terms.to_z3");
  dynomite::StringSink sink;
  std::vector<TermId> variables;
  {
    const dynomite::ReadLease reading(store.access());
    run_long(given,
             [&](Stop& stop) { variables = dmt::smt::write_for_z3(store, first, second, sink, stop); });
  }
  return nb::make_tuple(nb::bytes(sink.bytes().data(), sink.bytes().size()),
                        terms_of(store_object(self), variables));
}

nb::bytes aig_bytes(const AigStore& aig, Stop* given) {
  dynomite::StringSink sink;
  const dmt::ReadLease reading(aig.access());
  run_long(given, [&](Stop& stop) { dmt::smt::write_aig(aig, sink, stop); });
  return nb::bytes(sink.bytes().data(), sink.bytes().size());
}

void bind_terms(nb::module_& m) {
  nb::class_<Sort>(m, "Sort", nb::is_final(), "Bool, or bit-vectors of one width.")
      .def_static("bool", &Sort::boolean, "The sort Bool.")
      .def_static(
          "bits",
          [](std::uint64_t width) {
            dmt::check_width(width, "Sort.bits");
            return Sort::bits(static_cast<std::uint32_t>(width));
          },
          nb::arg("width"), "The sort of bit-vectors of `width` bits.")
      .def_prop_ro("is_bool", &Sort::is_bool, "Whether it is Bool.")
      .def_prop_ro("width", &Sort::width, "Bits of a value; 1 for Bool.")
      .def("__str__", &Sort::text)
      .def("__repr__", [](const Sort& sort) { return "Sort(" + sort.text() + ")"; })
      .def(
          "__eq__",
          [](const Sort& a, nb::handle b) { return nb::isinstance<Sort>(b) && a == nb::cast<Sort>(b); },
          nb::arg("other").none())
      .def("__hash__", [](const Sort& sort) { return sort.is_bool() ? 0 : sort.width(); });
  nb::enum_<dmt::smt::TermKind>(m, "TermKind", "What a term is.")
      .value("CONSTANT", dmt::smt::TermKind::kConstant)
      .value("VARIABLE", dmt::smt::TermKind::kVariable)
      .value("PARAMETER", dmt::smt::TermKind::kParameter)
      .value("OP", dmt::smt::TermKind::kOp);
  nb::class_<Term>(m, "Term", nb::is_final(), "A term of a store, which it keeps. Equal terms are one.")
      .def_prop_ro(
          "store", [](const Term& t) { return nb::typed<nb::object, TermStore>(t.owner); }, "Its store.")
      .def_prop_ro(
          "index", [](const Term& t) { return t.id.index(); }, "Its number in the store.")
      .def_prop_ro(
          "kind", [](const Term& t) { return t.store().kind(t.id); }, "What it is.")
      .def_prop_ro(
          "sort", [](const Term& t) { return t.store().sort(t.id); }, "Its sort.")
      .def_prop_ro(
          "op",
          [](const Term& t) -> std::optional<WordOp> {
            if (t.store().kind(t.id) != dmt::smt::TermKind::kOp) return std::nullopt;
            return t.store().word_op(t.id);
          },
          "The operator of an operation, else None.")
      .def_prop_ro(
          "operands",
          [](const Term& t) {
            const auto ids = t.store().operands(t.id);
            return terms_of(t.owner, {ids.begin(), ids.end()});
          },
          "Its operands.")
      .def_prop_ro(
          "hi", [](const Term& t) { return t.store().hi(t.id); },
          "Upper bit of a SLICE; number of a REPEAT; width of a ZEXT or SEXT.")
      .def_prop_ro(
          "lo", [](const Term& t) { return t.store().lo(t.id); }, "Lower bit of a SLICE.")
      .def_prop_ro(
          "name",
          [](const Term& t) -> nb::object {
            const auto kind = t.store().kind(t.id);
            if (kind != dmt::smt::TermKind::kVariable && kind != dmt::smt::TermKind::kParameter)
              return nb::none();
            return text_of(t.store().name(t.id));
          },
          nb::sig("def name(self) -> str | None"), "The name of a variable, else None.")
      .def_prop_ro(
          "value",
          [](const Term& t) -> std::optional<BitVec> {
            if (!t.store().is_constant(t.id)) return std::nullopt;
            return t.store().value(t.id);
          },
          "The value of a constant, else None.")
      .def(
          "__eq__",
          [](const Term& a, nb::handle b) {
            if (!nb::isinstance<Term>(b)) return false;
            const auto& other = nb::cast<const Term&>(b);
            return a.owner.ptr() == other.owner.ptr() && a.id == other.id;
          },
          nb::arg("other").none())
      .def("__hash__", [](const Term& t) { return t.id.index(); })
      .def("__repr__", [](const Term& t) {
        return "<term " + std::to_string(t.id.index()) + " of the sort " + t.store().sort(t.id).text() + ">";
      });
  nb::class_<TermStore>(m, "Terms", nb::is_final(),
                        "Bit-vector and Boolean terms; equal terms are one. Nothing is simplified here.")
      .def(nb::init<>())
      .def("__len__", &TermStore::size)
      .def(
          "variable",
          [](nb::handle_t<TermStore> self, nb::str name, Sort sort) {
            TermStore& store = writable_store(self);
            const std::string bytes = dmt::name_to_bytes(name, "Terms.variable");
            if (bytes.find_first_of("|\\") != std::string::npos) {
              throw UsageError("Terms.variable: a name has neither '|' nor '\\'");
            }
            return Term{store_object(self), store.variable(bytes, sort)};
          },
          nb::arg("name"), nb::arg("sort"), "A new variable, different from all others.")
      .def(
          "constant",
          [](nb::handle_t<TermStore> self, const BitVec& value) {
            return Term{store_object(self), writable_store(self).constant(Sort::bits(value.width()), value)};
          },
          nb::arg("value"), "A bit-vector constant.")
      .def(
          "boolean",
          [](nb::handle_t<TermStore> self, bool value) {
            return Term{store_object(self), writable_store(self).boolean(value)};
          },
          nb::arg("value"), "True or false.")
      .def(
          "op", make_op, nb::arg("op"), nb::arg("operands"), nb::kw_only(),
          nb::arg("sort").none() = nb::none(), nb::arg("hi") = 0, nb::arg("lo") = 0, nb::arg("number") = 0,
          "An operation, of the operator's usual sort unless `sort` is given: comparisons may be one bit.\n\n"
          "Raises UsageError if sorts or attributes do not fit.")
      .def("to_smtlib", terms_bytes, nb::arg("assertions"), nb::arg("names") = std::vector<std::string>(),
           nb::kw_only(), nb::arg("stop").none() = nb::none(),
           "An SMT-LIB script that asserts these terms, named where `names` has more than \"\", and checks "
           "them.")
      .def("to_z3", z3_bytes, nb::arg("plain"), nb::arg("guarded"), nb::kw_only(),
           nb::arg("stop").none() = nb::none(),
           nb::sig("def to_z3(self, plain: collections.abc.Sequence[Term], guarded: "
                   "collections.abc.Sequence[Term], *, stop: dynomite._native.base.Stop | None = None) -> "
                   "tuple[bytes, list[Term]]"),
           "Text for z3 and the variables in it, which are called \"v!\" and their index there.\n\n"
           "Guarded term k holds if the Boolean constant \"guard!k\" does.");
}

void bind_commands(nb::module_& m) {
  nb::enum_<CommandKind>(m, "CommandKind", "The commands of a script.")
      .value("SET_LOGIC", CommandKind::kSetLogic)
      .value("SET_INFO", CommandKind::kSetInfo)
      .value("SET_OPTION", CommandKind::kSetOption)
      .value("DECLARE", CommandKind::kDeclare)
      .value("DEFINE", CommandKind::kDefine)
      .value("ASSERT", CommandKind::kAssert)
      .value("CHECK_SAT", CommandKind::kCheckSat)
      .value("CHECK_SAT_ASSUMING", CommandKind::kCheckSatAssuming)
      .value("PUSH", CommandKind::kPush)
      .value("POP", CommandKind::kPop)
      .value("GET_MODEL", CommandKind::kGetModel)
      .value("GET_VALUE", CommandKind::kGetValue)
      .value("GET_UNSAT_CORE", CommandKind::kGetUnsatCore)
      .value("GET_UNSAT_ASSUMPTIONS", CommandKind::kGetUnsatAssumptions)
      .value("GET_ASSERTIONS", CommandKind::kGetAssertions)
      .value("GET_ASSIGNMENT", CommandKind::kGetAssignment)
      .value("GET_INFO", CommandKind::kGetInfo)
      .value("GET_OPTION", CommandKind::kGetOption)
      .value("GET_PROOF", CommandKind::kGetProof)
      .value("ECHO", CommandKind::kEcho)
      .value("RESET", CommandKind::kReset)
      .value("RESET_ASSERTIONS", CommandKind::kResetAssertions)
      .value("EXIT", CommandKind::kExit);
  nb::class_<PyCommand>(m, "Command", nb::is_final(), "A command of a script, its terms read.")
      .def_prop_ro(
          "kind", [](const PyCommand& c) { return c.command.kind; }, "Which.")
      .def_prop_ro(
          "line", [](const PyCommand& c) { return c.command.place.line; }, "Its line.")
      .def_prop_ro(
          "column", [](const PyCommand& c) { return c.command.place.column; }, "Its column.")
      .def_prop_ro(
          "levels", [](const PyCommand& c) { return c.command.number; }, "Levels of push and pop.")
      .def_prop_ro(
          "terms", [](const PyCommand& c) { return terms_of(c.owner, c.command.terms); }, "Its terms.")
      .def_prop_ro(
          "texts", [](const PyCommand& c) { return nb::typed<nb::list, nb::str>(texts_of(c.command.texts)); },
          "Names, keywords, values and the texts of terms, as the kind has them.")
      .def_prop_ro(
          "named", [](const PyCommand& c) { return nb::typed<nb::list, nb::str>(texts_of(c.command.named)); },
          "Names its terms and their parts were given.")
      .def_prop_ro(
          "named_terms", [](const PyCommand& c) { return terms_of(c.owner, c.command.named_terms); },
          "What these names mean.");
}

void bind_solving(nb::module_& m) {
  nb::class_<PyModel>(m, "Model", nb::is_final(), "Values of variables; those that have none are zero.")
      .def(
          "__init__",
          [](PyModel* self, nb::handle_t<TermStore> terms) { new (self) PyModel{nb::borrow(terms), {}}; },
          nb::arg("terms"))
      .def(
          "set",
          [](PyModel& self, const Term& variable, const BitVec& value) {
            if (variable.owner.ptr() != self.owner.ptr() ||
                variable.store().kind(variable.id) != dmt::smt::TermKind::kVariable ||
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

}  // namespace

void bind_smt(nb::module_& m) {
  bind_terms(m);
  bind_commands(m);
  bind_solving(m);
  m.def(
      "read_script", read_script, nb::arg("data"), nb::arg("name") = "<bytes>", nb::kw_only(),
      nb::arg("expansion") = 2'000'000, nb::arg("stop").none() = nb::none(),
      nb::sig("def read_script(data: bytes, name: str = '<bytes>', *, expansion: int = 2000000, "
              "stop: dynomite._native.base.Stop | None = None) -> tuple[Terms, list[Command]]"),
      "Reads a whole SMT-LIB script: its terms and its commands, every name resolved, every sort checked.\n\n"
      "Raises ParseError with line and column; LimitError when `stop` ends it. Without the GIL.");
  m.def("value_text", dmt::smt::value_text, nb::arg("sort"), nb::arg("value"),
        "A constant as SMT-LIB writes it.");
  m.def(
      "symbol_text",
      [](nb::str name) { return text_of(dmt::smt::symbol_text(dmt::name_to_bytes(name, "symbol_text"))); },
      nb::arg("name"), "A symbol as SMT-LIB writes it, with bars where it needs them.");
  m.def("aig_to_smtlib", aig_bytes, nb::arg("aig"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
        "The circuit as an SMT-LIB script over Booleans, latches cut: can some bad state (output) be true?");
}
