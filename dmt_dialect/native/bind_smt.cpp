#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/py_aig.hpp"
#include "dmt_dialect/native/py_bit_vec.hpp"
#include "dmt_dialect/native/py_terms.hpp"
#include "dmt_dialect/native/smt/lexer.hpp"
#include "dmt_dialect/native/smt/script.hpp"
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
using dmt::smt::Sort;
using dmt::smt::TermId;
using dmt::smt::TermStore;
using dynomite::run_long;
using dynomite::Stop;
using dynomite::UsageError;

using dmt::smt::ids_of;
using dmt::smt::PyTerm;
using dmt::smt::terms_of;

nb::object store_object(nb::handle store) { return nb::borrow(store); }

TermStore& writable_store(nb::handle self) {
  TermStore& store = *nb::inst_ptr<TermStore>(self);
  store.access().check_write();
  return store;
}

PyTerm make_op(nb::handle_t<TermStore> self, WordOp op, const std::vector<PyTerm>& operands,
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

nb::bytes terms_bytes(nb::handle_t<TermStore> self, const std::vector<PyTerm>& assertions,
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

nb::tuple z3_bytes(nb::handle_t<TermStore> self, const std::vector<PyTerm>& plain,
                   const std::vector<PyTerm>& guarded, Stop* given) {
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
  nb::class_<PyTerm>(m, "Term", nb::is_final(), "A term of a store, which it keeps. Equal terms are one.")
      .def_prop_ro(
          "store", [](const PyTerm& t) { return nb::typed<nb::object, TermStore>(t.owner); }, "Its store.")
      .def_prop_ro(
          "index", [](const PyTerm& t) { return t.id.index(); }, "Its number in the store.")
      .def_prop_ro(
          "kind", [](const PyTerm& t) { return t.store().kind(t.id); }, "What it is.")
      .def_prop_ro(
          "sort", [](const PyTerm& t) { return t.store().sort(t.id); }, "Its sort.")
      .def_prop_ro(
          "op",
          [](const PyTerm& t) -> std::optional<WordOp> {
            if (t.store().kind(t.id) != dmt::smt::TermKind::kOp) return std::nullopt;
            return t.store().word_op(t.id);
          },
          "The operator of an operation, else None.")
      .def_prop_ro(
          "operands",
          [](const PyTerm& t) {
            const auto ids = t.store().operands(t.id);
            return terms_of(t.owner, {ids.begin(), ids.end()});
          },
          "Its operands.")
      .def_prop_ro(
          "hi", [](const PyTerm& t) { return t.store().hi(t.id); },
          "Upper bit of a SLICE; number of a REPEAT; width of a ZEXT or SEXT.")
      .def_prop_ro(
          "lo", [](const PyTerm& t) { return t.store().lo(t.id); }, "Lower bit of a SLICE.")
      .def_prop_ro(
          "name",
          [](const PyTerm& t) -> nb::object {
            const auto kind = t.store().kind(t.id);
            if (kind != dmt::smt::TermKind::kVariable && kind != dmt::smt::TermKind::kParameter)
              return nb::none();
            return text_of(t.store().name(t.id));
          },
          nb::sig("def name(self) -> str | None"), "The name of a variable, else None.")
      .def_prop_ro(
          "value",
          [](const PyTerm& t) -> std::optional<BitVec> {
            if (!t.store().is_constant(t.id)) return std::nullopt;
            return t.store().value(t.id);
          },
          "The value of a constant, else None.")
      .def(
          "__eq__",
          [](const PyTerm& a, nb::handle b) {
            if (!nb::isinstance<PyTerm>(b)) return false;
            const auto& other = nb::cast<const PyTerm&>(b);
            return a.owner.ptr() == other.owner.ptr() && a.id == other.id;
          },
          nb::arg("other").none())
      .def("__hash__", [](const PyTerm& t) { return t.id.index(); })
      .def("__repr__", [](const PyTerm& t) {
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
            return PyTerm{store_object(self), store.variable(bytes, sort)};
          },
          nb::arg("name"), nb::arg("sort"), "A new variable, different from all others.")
      .def(
          "constant",
          [](nb::handle_t<TermStore> self, const BitVec& value) {
            return PyTerm{store_object(self),
                          writable_store(self).constant(Sort::bits(value.width()), value)};
          },
          nb::arg("value"), "A bit-vector constant.")
      .def(
          "boolean",
          [](nb::handle_t<TermStore> self, bool value) {
            return PyTerm{store_object(self), writable_store(self).boolean(value)};
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

}  // namespace

void bind_smt(nb::module_& m) {
  bind_terms(m);
  bind_commands(m);
  dmt::smt::bind_solving(m);
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
