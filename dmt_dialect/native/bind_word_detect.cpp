#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "dmt_dialect/native/arith/adder_trees.hpp"
#include "dmt_dialect/native/py_aig.hpp"
#include "dmt_dialect/native/py_bit_vec.hpp"
#include "dynomite/native/base/python_stop.hpp"
#include "dynomite/native/module.hpp"

namespace dmt {

namespace {

using Rows = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>, nb::c_contig>;

Rows rows_of(std::vector<std::uint32_t> values, std::size_t columns) {
  auto* data = new std::vector<std::uint32_t>(std::move(values));
  nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<std::uint32_t>*>(p); });
  return Rows(data->data(), {data->size() / columns, columns}, owner);
}

Rows weighted(const std::vector<WeightedLit>& lits) {
  std::vector<std::uint32_t> values;
  for (const WeightedLit& each : lits) {
    values.push_back(each.weight);
    values.push_back(each.lit.raw());
  }
  return rows_of(std::move(values), 2);
}

const AdderTree& tree_at(const ArithReport& report, std::size_t index) {
  if (index >= report.trees.size()) throw dynomite::UsageError("no tree " + std::to_string(index));
  return report.trees[index];
}

const ProductTree& multiplier_at(const ArithReport& report, std::size_t index) {
  if (index >= report.multipliers.size()) {
    throw dynomite::UsageError("no multiplier " + std::to_string(index));
  }
  return report.multipliers[index];
}

std::unique_ptr<ArithReport> find(Self self, dynomite::Stop* stop) {
  AigStore& store = store_of(self);
  dynomite::Stop own;
  dynomite::Stop& active = stop != nullptr ? *stop : own;
  dynomite::PythonStop guard(active);
  std::unique_ptr<ArithReport> report;
  {
    const ReadLease reading(store.access());
    nb::gil_scoped_release release;
    report = std::make_unique<ArithReport>(find_arithmetic(store, active));
  }
  guard.rethrow();
  return report;
}

}  // namespace

void bind_arith(nb::module_& m) {
  nb::class_<ArithReport>(m, "ArithReport", nb::is_final(),
                          "Adder cells, adder trees and multipliers found in an AIG.\n\n"
                          "Arrays hold AIGER numbers of literals. Independent of the AIG once made.")
      .def_prop_ro(
          "complete", [](const ArithReport& r) { return r.complete; }, "False if `stop` ended the search.")
      .def_prop_ro(
          "xor3s", [](const ArithReport& r) { return r.found.xor3s; },
          "Nodes that are the parity of three others.")
      .def_prop_ro(
          "majorities", [](const ArithReport& r) { return r.found.majorities; },
          "Nodes that are the majority of three others.")
      .def_prop_ro(
          "conflicts", [](const ArithReport& r) { return r.conflicts; },
          "Sums and carries that fit no tree twice.")
      .def_prop_ro(
          "cells",
          [](const ArithReport& r) {
            std::vector<std::uint32_t> values;
            values.reserve(r.found.cells.size() * 7);
            for (std::uint32_t i = 0; i < r.found.cells.size(); ++i) {
              const AdderCell cell = r.cell(i);
              for (const Lit lit : cell.in) values.push_back(lit.raw());
              values.insert(values.end(), {cell.sum.raw(), cell.carry.raw(), r.tree_of[i], r.weight_of[i]});
            }
            return rows_of(std::move(values), 7);
          },
          nb::rv_policy::move,
          "One row a cell: three inputs (the last of a half adder is constant), sum, carry, tree, weight.")
      .def_prop_ro(
          "tree_count", [](const ArithReport& r) { return r.trees.size(); }, "Number of trees.")
      .def_prop_ro(
          "multiplier_count", [](const ArithReport& r) { return r.multipliers.size(); },
          "Number of multipliers.")
      .def(
          "tree_sizes",
          [](const ArithReport& r) {
            std::vector<std::uint32_t> values;
            for (const AdderTree& tree : r.trees) {
              values.insert(values.end(),
                            {static_cast<std::uint32_t>(tree.cells.size()),
                             static_cast<std::uint32_t>(tree.tops.size()), tree.width,
                             static_cast<std::uint32_t>(tree.leaves.size()), tree.is_adder ? 1U : 0U});
            }
            return rows_of(std::move(values), 5);
          },
          "One row a tree: cells, parities on top, columns, leaves, whether it adds two words.")
      .def(
          "leaves", [](const ArithReport& r, std::size_t i) { return weighted(tree_at(r, i).leaves); },
          nb::arg("tree"), "Rows of weight and literal: what a tree adds up.")
      .def(
          "outputs", [](const ArithReport& r, std::size_t i) { return weighted(tree_at(r, i).outputs); },
          nb::arg("tree"), "Rows of weight and literal: what comes out of a tree.")
      .def(
          "constants",
          [](const ArithReport& r, std::size_t i) { return word_array(tree_at(r, i).constants); },
          nb::arg("tree"), "Weights of constant ones a tree adds.")
      .def(
          "tops",
          [](const ArithReport& r, std::size_t i) {
            nb::list result;
            for (const TopParity& top : tree_at(r, i).tops) {
              result.append(nb::make_tuple(top.weight, top.sum.raw(), word_array(top.in)));
            }
            return nb::typed<nb::list, nb::tuple>(result);
          },
          nb::arg("tree"),
          nb::sig("def tops(self, tree: int) -> list[tuple[int, int, NDArray[numpy.uint32]]]"),
          "Parities whose carry nobody needs: weight, sum, inputs.")
      .def(
          "product",
          [](const ArithReport& r, std::size_t i) { return word_array(multiplier_at(r, i).outputs); },
          nb::arg("multiplier"),
          "Literals of the product from bit 0 on, found by their values; empty if it is not there as a "
          "whole.")
      .def_prop_ro(
          "prefix_adder_count", [](const ArithReport& r) { return r.prefix_adders.size(); },
          "Number of adders whose carries are not those of cells.")
      .def(
          "prefix_adder",
          [](const ArithReport& r, std::size_t i) {
            if (i >= r.prefix_adders.size()) {
              throw dynomite::UsageError("no prefix adder " + std::to_string(i));
            }
            const PrefixAdder& adder = r.prefix_adders[i];
            return nb::make_tuple(word_array(adder.a), word_array(adder.b), adder.carry_in.raw(),
                                  word_array(adder.sum), adder.carry_out.raw());
          },
          nb::arg("index"),
          nb::sig("def prefix_adder(self, index: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32], "
                  "int, NDArray[numpy.uint32], int]"),
          "Literals of both operands, carry in, sum, carry out; 0 for a carry that is not there.")
      .def(
          "operand_a", [](const ArithReport& r, std::size_t i) { return word_array(multiplier_at(r, i).a); },
          nb::arg("multiplier"), "Literals of the first operand, bit 0 first.")
      .def(
          "operand_b", [](const ArithReport& r, std::size_t i) { return word_array(multiplier_at(r, i).b); },
          nb::arg("multiplier"), "Literals of the second operand, bit 0 first.")
      .def(
          "multiplier",
          [](const ArithReport& r, std::size_t i) {
            const ProductTree& found = multiplier_at(r, i);
            return nb::make_tuple(found.tree, found.offset, found.is_signed, found.is_square, found.is_booth,
                                  found.is_inverted);
          },
          nb::arg("multiplier"),
          nb::sig("def multiplier(self, multiplier: int) -> tuple[int, int, bool, bool, bool, bool]"),
          "Tree, weight in the product of the tree's weight 0, signed, square, Booth, inverted.");
  m.def("find_arithmetic", &find, nb::arg("aig"), nb::kw_only(), nb::arg("stop") = nb::none(),
        "Finds adders and multipliers in an AIG.");
}

}  // namespace dmt
