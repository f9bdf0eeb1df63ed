#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/algebra/word_check.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dmt::Lit;
using dmt::algebra::SideStats;
using dmt::algebra::WordResult;
using dynomite::UsageError;

using PairArray = nb::ndarray<const std::uint32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

void add_stats(nb::typed<nb::dict, nb::str, std::uint64_t>& dict, const std::string& side,
               const SideStats& stats) {
  const auto set = [&](const char* what, std::uint64_t value) {
    dict[nb::str((side + what).c_str())] = value;
  };
  set("ands", stats.nodes);
  set("cells", stats.cells);
  set("carries_proved", stats.carries_proved);
  set("carries_expanded", stats.carries_expanded);
  set("terms", stats.terms);
  set("most_terms", stats.most_terms);
  set("monomials", stats.monomials);
  set("rebuilt_by_gates", stats.rebuilt_by_gates);
  set("rebuilt_by_values", stats.rebuilt_by_values);
  set("rebuilt_invented", stats.rebuilt_invented);
}

WordResult compare_words(const AigStore& store, const PairArray& pairs, std::size_t most_terms,
                         std::size_t most_monomials, bool explain, dynomite::Stop* stop) {
  const std::size_t count = pairs.shape(0);
  if (count == 0 || count > dmt::algebra::kMostBits) {
    throw UsageError("compare_words: words have 1 to " + std::to_string(dmt::algebra::kMostBits) +
                     " bits, not " + std::to_string(count));
  }
  std::vector<Lit> left(count);
  std::vector<Lit> right(count);
  WordResult result;
  const dmt::ReadLease reading(store.access());
  for (std::size_t i = 0; i < count; ++i) {
    left[i] = Lit::from_raw(pairs.data()[2 * i]);
    right[i] = Lit::from_raw(pairs.data()[2 * i + 1]);
    if (!store.contains(left[i]) || !store.contains(right[i])) {
      throw UsageError("compare_words: bit " + std::to_string(i) + " is not in the AIG");
    }
  }
  dynomite::run_long(stop, [&](dynomite::Stop& polled) {
    result = dmt::algebra::compare_words(store, left, right, {most_terms, most_monomials}, explain, polled);
  });
  return result;
}

using Rows = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>, nb::c_contig>;

template <typename Row, typename Write>
Rows to_rows(const std::vector<Row>& rows, std::size_t columns, Write&& write) {
  auto* data = new std::uint32_t[rows.size() * columns + 1];
  for (std::size_t i = 0; i < rows.size(); ++i) write(rows[i], data + i * columns);
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint32_t*>(p); });
  return Rows(data, {rows.size(), columns}, owner);
}

Rows pairs_to_rows(const std::vector<std::pair<Lit, Lit>>& pairs) {
  return to_rows(pairs, 2, [](const std::pair<Lit, Lit>& pair, std::uint32_t* out) {
    out[0] = pair.first.raw();
    out[1] = pair.second.raw();
  });
}

nb::tuple explanation(const WordResult& result, std::size_t side) {
  if (side >= result.explained.size()) throw UsageError("WordComparison.explanation: there is none");
  const dmt::algebra::Explanation& own = result.explained[side];
  std::vector<std::uint32_t> word;
  for (const Lit bit : own.word) word.push_back(bit.raw());
  const auto copy = [](const auto& row, std::uint32_t* out) { std::copy(row.begin(), row.end(), out); };
  return nb::make_tuple(pairs_to_rows(own.gates), to_rows(own.equalities, 3, copy), own.cuts, word,
                        to_rows(own.steps, 8, copy));
}

nb::tuple count_cells(const AigStore& store, dynomite::Stop* stop) {
  std::size_t adders = 0;
  std::size_t xors = 0;
  {
    const dmt::ReadLease reading(store.access());
    dynomite::run_long(stop, [&](dynomite::Stop& polled) {
      const dmt::AdderCells found = dmt::find_adder_cells(store, polled);
      for (const dmt::AdderCell& cell : found.cells) adders += cell.is_half() ? 0 : 1;
      xors = found.xors.size();
    });
  }
  return nb::make_tuple(adders, xors);
}

}  // namespace

void bind_algebra(nb::module_& m) {
  nb::class_<WordResult>(m, "WordComparison", "What `compare_words` found.")
      .def_prop_ro(
          "status",
          [](const WordResult& self) {
            static constexpr const char* kNames[] = {"undecided", "equal", "different"};
            return kNames[static_cast<int>(self.status)];
          },
          "'equal', 'different' or 'undecided'.")
      .def_prop_ro(
          "counterexample",
          [](const WordResult& self) {
            return nb::bytes(reinterpret_cast<const char*>(self.counterexample.data()),
                             self.counterexample.size());
          },
          "If different: a byte (0 or 1) for each input, then each latch, for which the words differ.")
      .def_prop_ro(
          "differing", [](const WordResult& self) { return self.differing; },
          "If different: the bits that differ there, by simulation.")
      .def(
          "explanation", &explanation, nb::arg("side"),
          nb::sig("def explanation(self, side: int) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32], list[list[int]], list[int], "
                  "numpy.typing.NDArray[numpy.uint32]]"),
          R"(If equal and explained: how a side (0 left, 1 right) became its polynomial, in literals of the AIG.

Returns:
    Gates to be added to the AIG, those of the right side behind those of the left one; pairs of literals whose
    equality is to be proved, each with the number of a set of nodes that may be inputs for that; these sets;
    the word that was rewritten; and the steps, rows of a kind, six literals and the number of a set (see
    `dmt_dialect.algebra_checker`).)")
      .def(
          "stats",
          [](const WordResult& self) {
            nb::typed<nb::dict, nb::str, std::uint64_t> dict;
            add_stats(dict, "left_", self.left);
            add_stats(dict, "right_", self.right);
            return dict;
          },
          "Counts of both sides: 'left_cells', 'right_terms' ...");
  m.def(
      "count_cells", &count_cells, nb::arg("aig"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
      nb::sig("def count_cells(aig: dynomite._native.aig.Aig, *, stop: dynomite._native.base.Stop | None = "
              "None) -> tuple[int, int]"),
      "Numbers of full adders and of exclusive ors, by their gates (`dmt_dialect.arith`); 0 if `stop` ended "
      "it. Cost: linear.");
  m.def("compare_words", &compare_words, nb::arg("aig"), nb::arg("pairs"), nb::kw_only(),
        nb::arg("most_terms") = 200'000, nb::arg("most_monomials") = 3'000'000, nb::arg("explain") = false,
        nb::arg("stop").none() = nb::none(),
        R"(Compares two words of one AIG as polynomials in the inputs, modulo 2^n for n bits.

Args:
    aig: Holds both words; latches count as inputs.
    pairs: uint32 of shape (n, 2): literals of bit i of the one word and of the other.
    most_terms: Terms a polynomial may have at a time; undecided beyond.
    most_monomials: Monomials one may have over all; undecided beyond.
    explain: Keep for `WordComparison.explanation` how it was done.
    stop: Ends the call early: undecided.

Raises:
    UsageError: No bits or more than 1024, or a literal that is not in the AIG.

Cost: near-linear where the words are sums of adder cells; else up to the limits.)");
}
