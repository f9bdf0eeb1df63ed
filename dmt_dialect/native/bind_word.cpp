#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "dmt_dialect/native/py_aig.hpp"
#include "dmt_dialect/native/py_bit_vec.hpp"
#include "dmt_dialect/native/word/blast.hpp"
#include "dynomite/native/base/python_stop.hpp"
#include "dynomite/native/module.hpp"

namespace dmt {

namespace {

using Table = const BitVec*;
using Words = nb::typed<nb::sequence, nb::object>;

struct Operands {
  std::vector<std::vector<Lit>> lits;
  std::vector<WordLits> words;
};

/// A word as Python gives it: a constant, an array of AIGER numbers, a sequence of literals.
std::vector<Lit> word_of(const AigStore& store, nb::handle word) {
  std::vector<Lit> lits;
  if (nb::isinstance<BitVec>(word)) {
    append_constant(nb::cast<const BitVec&>(word), lits);
    return lits;
  }
  WordView array;
  if (nb::try_cast(word, array, false)) {
    for (std::size_t i = 0; i < array.shape(0); ++i) {
      const Lit lit = Lit::from_raw(array.data()[i]);
      if (!store.contains(lit)) {
        throw dynomite::UsageError("blast: this AIG has no literal " + std::to_string(lit.raw()));
      }
      lits.push_back(lit);
    }
    return lits;
  }
  std::vector<LitRef> refs;
  if (!nb::try_cast(word, refs)) {
    throw nb::type_error("blast: a word is a BitVec, a sequence of Lit or an array of uint32");
  }
  return checked_lits(store, refs, "blast");
}

/// Builds the gates without the GIL.
std::vector<Lit> run(Self self, WordOp op, const Words& words, std::uint32_t hi, std::uint32_t lo,
                     std::uint32_t number, Table table, std::string_view architecture, dynomite::Stop* stop) {
  AigStore& store = writable(self);
  Operands operands;
  for (const nb::handle word : words) operands.lits.push_back(word_of(store, word));
  for (const auto& lits : operands.lits) operands.words.emplace_back(lits);
  const Architecture chosen = parse_architecture(architecture);
  dynomite::Stop own;
  dynomite::Stop& active = stop != nullptr ? *stop : own;
  std::vector<Lit> result;
  dynomite::PythonStop guard(active);
  bool finished = false;
  {
    const WriteLease writing(store.access());
    nb::gil_scoped_release release;
    finished = blast(store, op, operands.words, {hi, lo, number, table}, chosen, active, result);
  }
  guard.rethrow();
  if (!finished) result.clear();
  return result;
}

}  // namespace

}  // namespace dmt

void bind_word(nb::module_& m) {
  using dmt::BitVec;
  using dmt::WordOp;
  namespace word = dmt;

  dmt::bind_bit_vec(m);
  dmt::bind_arith(m);
  nb::enum_<word::WordShape>(m, "WordShape", "Rules for the widths of operands and result.")
      .value("UNARY", word::WordShape::kUnary, "One operand; the result is as wide.")
      .value("BINARY", word::WordShape::kBinary, "Two operands of one width; the result is as wide.")
      .value("COMPARE", word::WordShape::kCompare, "Two operands of one width; one bit.")
      .value("REDUCE", word::WordShape::kReduce, "One operand; one bit.")
      .value("WIDEN", word::WordShape::kWiden, "Two operands; the result is as wide as both together.")
      .value("SHIFT", word::WordShape::kShift, "A word and an amount of any width; as wide as the word.")
      .value("INDEX", word::WordShape::kIndex, "A word and an index of any width; one bit.")
      .value("CONCAT", word::WordShape::kConcat, "One or more operands, the first the high part.")
      .value("ATTRIBUTE", word::WordShape::kAttribute, "One operand; the attribute gives the width.")
      .value("MUX", word::WordShape::kMux, "One bit, then two operands of the result's width.");
  nb::enum_<word::WordAttr>(m, "WordAttr", "What an operator needs beside its operands.")
      .value("NONE", word::WordAttr::kNone, "Nothing.")
      .value("RANGE", word::WordAttr::kRange, "`hi` and `lo`, both included.")
      .value("COUNT", word::WordAttr::kCount, "`number` copies.")
      .value("WIDTH", word::WordAttr::kWidth, "`number` bits in the result.")
      .value("TABLE", word::WordAttr::kTable, "`table`, one entry for each value of the operand.");
  nb::enum_<WordOp> ops(m, "WordOp", "An operator on words, with the meaning SMT-LIB's QF_BV gives it.");
  for (const word::WordOpInfo& op : word::word_ops()) ops.value(op.name.data(), op.op, op.summary.data());

  nb::class_<word::WordOpInfo>(m, "WordOpInfo", nb::is_final(), "What the table of operators says of one.")
      .def_prop_ro(
          "op", [](const word::WordOpInfo& op) { return op.op; }, "The operator.")
      .def_prop_ro(
          "name", [](const word::WordOpInfo& op) { return op.name; }, "Its name, upper case.")
      .def_prop_ro(
          "shape", [](const word::WordOpInfo& op) { return op.shape; }, "The rule for widths.")
      .def_prop_ro(
          "attr", [](const word::WordOpInfo& op) { return op.attr; }, "The attribute it needs.")
      .def_prop_ro(
          "arity", [](const word::WordOpInfo& op) { return word::arity(op.shape); },
          "Number of operands; None for one or more.")
      .def_prop_ro(
          "commutative", [](const word::WordOpInfo& op) { return op.commutative; },
          "Operands may be exchanged.")
      .def_prop_ro("summary", [](const word::WordOpInfo& op) { return op.summary; }, "One line for people.");
  m.def("info", [](WordOp op) { return word::info(op); }, nb::arg("op"), "The table's row of an operator.");
  m.def("find_word_op", &word::find_word_op, nb::arg("name"),
        "The operator of this name, in upper or lower case; None if there is none.");
  m.def(
      "result_width",
      [](WordOp op, const std::vector<std::uint32_t>& widths, std::uint32_t hi, std::uint32_t lo,
         std::uint32_t number,
         const BitVec* table) { return word::result_width(op, widths, {hi, lo, number, table}); },
      nb::arg("op"), nb::arg("widths"), nb::kw_only(), nb::arg("hi") = 0, nb::arg("lo") = 0,
      nb::arg("number") = 0, nb::arg("table") = nb::none(),
      "Checks operand widths and attributes, and gives the width of the result.");
  m.def(
      "evaluate",
      [](WordOp op, const std::vector<const BitVec*>& operands, std::uint32_t hi, std::uint32_t lo,
         std::uint32_t number,
         const BitVec* table) { return word::evaluate(op, operands, {hi, lo, number, table}); },
      nb::arg("op"), nb::arg("operands"), nb::kw_only(), nb::arg("hi") = 0, nb::arg("lo") = 0,
      nb::arg("number") = 0, nb::arg("table") = nb::none(), "The value of an operator.");
  m.def(
      "blast",
      [](word::Self aig, WordOp op, const word::Words& operands, std::uint32_t hi, std::uint32_t lo,
         std::uint32_t number, const BitVec* table, std::string_view architecture, dynomite::Stop* stop) {
        return word::lit_tuple(aig, word::run(aig, op, operands, hi, lo, number, table, architecture, stop));
      },
      nb::arg("aig"), nb::arg("op"), nb::arg("operands"), nb::kw_only(), nb::arg("hi") = 0, nb::arg("lo") = 0,
      nb::arg("number") = 0, nb::arg("table") = nb::none(), nb::arg("architecture") = "",
      nb::arg("stop") = nb::none(),
      "Builds the gates of an operator; the literals of the result, bit 0 first; none if `stop` ended it.");
  m.def(
      "blast_array",
      [](word::Self aig, WordOp op, const word::Words& operands, std::uint32_t hi, std::uint32_t lo,
         std::uint32_t number, const BitVec* table, std::string_view architecture, dynomite::Stop* stop) {
        return word::word_array(word::run(aig, op, operands, hi, lo, number, table, architecture, stop));
      },
      nb::arg("aig"), nb::arg("op"), nb::arg("operands"), nb::kw_only(), nb::arg("hi") = 0, nb::arg("lo") = 0,
      nb::arg("number") = 0, nb::arg("table") = nb::none(), nb::arg("architecture") = "",
      nb::arg("stop") = nb::none(), "As `blast`, as an array of AIGER numbers.");
  m.def(
      "architecture_text", [](std::string_view text) { return to_string(word::parse_architecture(text)); },
      nb::arg("text"), "Checks the text of an architecture and gives it in full.");
}
