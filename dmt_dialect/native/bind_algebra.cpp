#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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
                         std::size_t most_monomials, dynomite::Stop* stop) {
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
    result = dmt::algebra::compare_words(store, left, right, {most_terms, most_monomials}, polled);
  });
  return result;
}

std::size_t count_adders(const AigStore& store, dynomite::Stop* stop) {
  std::size_t count = 0;
  const dmt::ReadLease reading(store.access());
  dynomite::run_long(stop, [&](dynomite::Stop& polled) {
    const dmt::AdderCells found = dmt::find_adder_cells(store, polled);
    for (const dmt::AdderCell& cell : found.cells) count += cell.is_half() ? 0 : 1;
  });
  return count;
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
          "stats",
          [](const WordResult& self) {
            nb::typed<nb::dict, nb::str, std::uint64_t> dict;
            add_stats(dict, "left_", self.left);
            add_stats(dict, "right_", self.right);
            return dict;
          },
          "Counts of both sides: 'left_cells', 'right_terms' ...");
  m.def("count_adders", &count_adders, nb::arg("aig"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
        "Number of full adders by their gates (`dmt_dialect.arith`); 0 if `stop` ended it. Cost: linear.");
  m.def("compare_words", &compare_words, nb::arg("aig"), nb::arg("pairs"), nb::kw_only(),
        nb::arg("most_terms") = 200'000, nb::arg("most_monomials") = 3'000'000,
        nb::arg("stop").none() = nb::none(),
        R"(Compares two words of one AIG as polynomials in the inputs, modulo 2^n for n bits.

Args:
    aig: Holds both words; latches count as inputs.
    pairs: uint32 of shape (n, 2): literals of bit i of the one word and of the other.
    most_terms: Terms a polynomial may have at a time; undecided beyond.
    most_monomials: Monomials one may have over all; undecided beyond.
    stop: Ends the call early: undecided.

Raises:
    UsageError: No bits or more than 1024, or a literal that is not in the AIG.

Cost: near-linear where the words are sums of adder cells; else up to the limits.)");
}
