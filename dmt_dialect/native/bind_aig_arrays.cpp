#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "dmt_dialect/native/aig/pack.hpp"
#include "dmt_dialect/native/py_aig.hpp"
#include "dynomite/native/base/python_stop.hpp"

// Bulk exchange with numpy and bytes.

namespace dmt {

namespace {

using dynomite::UsageError;
using ByteView = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;

static_assert(sizeof(Lit) == sizeof(std::uint32_t) && alignof(Lit) == alignof(std::uint32_t));

std::span<const Node> rows_of(const RowsView& rows) {
  return {reinterpret_cast<const Node*>(rows.data()), rows.shape(0)};
}

/// The literals of an array, each checked.
std::vector<Lit> lits_of(const AigStore& store, const WordView& array, const char* call) {
  std::vector<Lit> lits;
  lits.reserve(array.shape(0));
  for (std::size_t i = 0; i < array.shape(0); ++i) {
    lits.push_back(Lit::from_raw(array.data()[i]));
    if (!store.contains(lits.back())) {
      throw UsageError(std::string(call) + ": literal " + std::to_string(array.data()[i]) + " at position " +
                       std::to_string(i) + " has no node");
    }
  }
  return lits;
}

RowsView fanins(Self self) {
  const AigStore& store = store_of(self);
  auto* keep = new std::shared_ptr<const void>(store.node_array().share());
  const nb::capsule owner(keep,
                          [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  const std::span<const Node> nodes = store.nodes();
  return RowsView(nodes.data(), {nodes.size(), 2}, owner);
}

/// Makes an array and every array it is a view of read-only.
void freeze(nb::object array) {
  const nb::object ndarray = nb::module_::import_("numpy").attr("ndarray");
  while (nb::isinstance(array, ndarray)) {
    if (nb::cast<bool>(array.attr("flags").attr("writeable")))
      array.attr("setflags")(nb::arg("write") = false);
    array = array.attr("base");
  }
}

AigStore from_fanins(const nb::object& array, const std::optional<WordView>& outputs) {
  RowsView rows;
  if (!nb::try_cast(array, rows, false)) {
    throw UsageError("from_fanins: needs a C-contiguous numpy array of uint32 with shape (n, 2)");
  }
  freeze(array);
  dynomite::SharedArray<Node> nodes;
  // Shared memory is only ever read; the first growth moves to memory of the store's own.
  nodes.adopt(const_cast<Node*>(rows_of(rows).data()), rows.shape(0),
              std::shared_ptr<void>(array.inc_ref().ptr(), [](void* object) {
                const nb::gil_scoped_acquire gil;
                Py_DECREF(static_cast<PyObject*>(object));
              }));
  AigStore store = AigStore::from_nodes(std::move(nodes));
  if (outputs.has_value()) store.outputs() = lits_of(store, *outputs, "from_fanins");
  return store;
}

/// Bulk `and_`; interrupted by Ctrl-C.
std::vector<Lit> and_rows(AigStore& store, const RowsView& rows) {
  std::vector<Lit> results(rows.shape(0));
  dynomite::Stop stop;
  const dynomite::PythonStop guard(stop);
  bool done = false;
  {
    const WriteLease lease(store.access());
    const nb::gil_scoped_release release;
    done = store.and_rows(rows_of(rows), results.data(), stop);
  }
  if (!done) guard.rethrow();
  return results;
}

AigStore from_arrays(std::uint32_t num_inputs, const RowsView& ands, const WordView& outputs,
                     const std::optional<WordView>& next_states, const std::optional<ByteView>& resets,
                     bool strash) {
  AigStore store;
  store.add_inputs(num_inputs);
  const std::size_t latches = next_states.has_value() ? next_states->shape(0) : 0;
  if (resets.has_value() && resets->shape(0) != latches) {
    throw UsageError("from_arrays: one reset value a next state is needed");
  }
  for (std::size_t i = 0; i < latches; ++i) {
    const unsigned reset = resets.has_value() ? resets->data()[i] : 0;
    if (reset > 2) throw UsageError("from_arrays: reset values are 0, 1 and 2 (uninitialised)");
    store.add_latch(static_cast<Reset>(reset));
  }
  const std::uint32_t base = store.node_count();
  std::vector<Lit> results;
  if (strash) {
    results = and_rows(store, ands);
  } else {
    const std::span<const Node> rows = rows_of(ands);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t known = base + i;
      if (rows[i].fanin0.node().index() < known && rows[i].fanin1.node().index() < known) continue;
      throw UsageError("row " + std::to_string(i) + ": a literal that no earlier row or node defines");
    }
    std::copy(rows.begin(), rows.end(), store.append_ands_uninitialised(rows.size()));
  }
  const auto translate = [&](std::uint32_t raw, const char* what) {
    const Lit lit = Lit::from_raw(raw);
    const std::uint64_t index = lit.node().index();
    if (index >= std::uint64_t{base} + ands.shape(0)) {
      throw UsageError(std::string("from_arrays: ") + what + " literal " + std::to_string(raw) +
                       " has no node");
    }
    return strash && index >= base ? results[index - base] ^ lit.complemented() : lit;
  };
  for (std::size_t i = 0; i < outputs.shape(0); ++i) {
    store.outputs().push_back(translate(outputs.data()[i], "output"));
  }
  for (std::uint32_t i = 0; i < latches; ++i) {
    store.set_next(i, translate(next_states->data()[i], "next-state"));
  }
  return store;
}

WordArray literals(Self self, std::string_view section) {
  const AigStore& store = store_of(self);
  if (section == "outputs") return word_array(store.outputs());
  if (section == "bad") return word_array(store.bad());
  if (section == "constraints") return word_array(store.constraints());
  if (section == "fairness") return word_array(store.fairness());
  std::vector<Lit> lits;
  if (section == "inputs") {
    for (const NodeId id : store.inputs()) lits.emplace_back(id, false);
  } else if (section == "latches") {
    for (const Latch& latch : store.latches()) lits.emplace_back(latch.node, false);
  } else if (section == "next_states") {
    for (const Latch& latch : store.latches()) lits.push_back(latch.next);
  } else {
    throw UsageError("literals: no section '" + std::string(section) +
                     "'; sections are inputs, latches, next_states, outputs, bad, constraints, fairness");
  }
  return word_array(lits);
}

nb::typed<nb::dict, nb::str, std::size_t> memory(Self self) {
  const AigStore& store = store_of(self);
  nb::typed<nb::dict, nb::str, std::size_t> result;
  const std::size_t nodes = store.node_array().memory();
  const std::size_t hash = store.hash_memory();
  result["nodes"] = nodes;
  result["hash"] = hash;
  result["ports_and_names"] = store.memory() - nodes - hash;
  result["total"] = store.memory();
  return result;
}

void bind_packing(nb::class_<AigStore>& aig) {
  aig.def(
         "to_bytes",
         [](Self self) {
           const AigStore& store = store_of(self);
           std::string bytes;
           {
             const ReadLease lease(store.access());
             const nb::gil_scoped_release release;
             bytes = pack(store);
           }
           return nb::bytes(bytes.data(), bytes.size());
         },
         "The whole AIG as bytes: compact, versioned, with a checksum. Pickling uses this.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& data) {
            const std::string_view bytes(data.c_str(), data.size());
            const nb::gil_scoped_release release;
            return unpack(bytes);
          },
          nb::arg("data"),
          "The AIG that `to_bytes` made.\n\nRaises:\n    ParseError: The bytes are of another version, cut, "
          "or changed.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(nb::module_::import_("dmt_dialect.aig").attr("restore_aig"),
                                  nb::make_tuple(self.attr("to_bytes")()));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"));
}

}  // namespace

WordArray word_array(std::vector<std::uint32_t> values) {
  auto* kept = new std::vector<std::uint32_t>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<std::uint32_t>*>(p); });
  return WordArray(kept->data(), {kept->size()}, owner);
}

WordArray word_array(const std::vector<Lit>& lits) {
  std::vector<std::uint32_t> values;
  values.reserve(lits.size());
  for (const Lit lit : lits) values.push_back(lit.raw());
  return word_array(std::move(values));
}

void bind_aig_arrays(nb::class_<AigStore>& aig) {
  aig.def_prop_ro(
         "fanins", fanins, nb::rv_policy::automatic,
         "AIGER literals of the fanins, one row a node, as a read-only array that shares the AIG's "
         "memory.\n\n"
         "Rows of nodes that are no AND begin with 0xFFFFFFFF. The array stays valid and as it is when "
         "the AIG grows or goes.")
      .def_static(
          "from_fanins", from_fanins, nb::arg("fanins"), nb::arg("outputs") = nb::none(),
          nb::sig("def from_fanins(fanins: NDArray[numpy.uint32], outputs: NDArray[numpy.uint32] | None "
                  "= None) -> Aig"),
          "An AIG that uses the memory of an array as its nodes, without copying, folding or hashing.\n\n"
          "The array and the arrays it is a view of become read-only; do not change their memory through "
          "other views. The first node added later moves the nodes to memory of the AIG's own.\n\n"
          "Args:\n"
          "    fanins: C-contiguous (n, 2) array of uint32 as the property `fanins` shows it: row 0 is the "
          "constant; an input has 0xFFFFFFFF and its number, a latch 0xFFFFFFFF and its number plus 2**31, "
          "an AND two AIGER literals of earlier rows.\n"
          "    outputs: AIGER literals of the outputs.\n\n"
          "Raises:\n    UsageError: The array has another form, or a row breaks these rules.")
      .def_static(
          "from_arrays", from_arrays, nb::arg("num_inputs"), nb::arg("ands"), nb::arg("outputs"),
          nb::kw_only(), nb::arg("next_states") = nb::none(), nb::arg("resets") = nb::none(),
          nb::arg("strash") = true,
          "An AIG of arrays of AIGER literals, numbered as in a binary AIGER file.\n\n"
          "Literal 2v (2v + 1 complemented) means node v: 0 the constant, 1 to `num_inputs` the inputs, then "
          "the latches, then one node a row of `ands`. A row may use earlier nodes only.\n\n"
          "Args:\n"
          "    num_inputs: Number of inputs.\n"
          "    ands: Two literals a row.\n"
          "    outputs: Literals of the outputs.\n"
          "    next_states: Next-state literals, one a latch.\n"
          "    resets: 0, 1 or 2 (uninitialised), one a latch; zero by default.\n"
          "    strash: Fold, simplify and hash the ANDs. Otherwise they are taken as they are, with the "
          "array's numbering.\n\n"
          "Raises:\n    UsageError: A literal has no node, or a row uses a later one.")
      .def(
          "add_ands",
          [](Self self, const RowsView& fanins) { return word_array(and_rows(writable(self), fanins)); },
          nb::arg("fanins"),
          "Bulk `and_`: folds, simplifies and hashes one AND a row.\n\n"
          "With N nodes in the AIG at the time of the call, literals of nodes below N mean these nodes, and "
          "literal "
          "2(N + i) (plus one if complemented) means the result of row i, whatever node that has become. So "
          "a "
          "circuit can be written down in its own numbering, without waiting for results.\n\n"
          "Args:\n    fanins: (n, 2) array of uint32; row i may use nodes below N and rows below i.\n\n"
          "Returns:\n    The AIGER literals of the rows in this AIG.\n\n"
          "Raises:\n    UsageError: A row uses a literal that is not defined before it; nothing is added "
          "then.")
      .def(
          "add_outputs",
          [](Self self, const WordView& literals) {
            AigStore& store = writable(self);
            const std::vector<Lit> lits = lits_of(store, literals, "add_outputs");
            store.outputs().insert(store.outputs().end(), lits.begin(), lits.end());
          },
          nb::arg("literals"), "Adds unnamed outputs from an array of AIGER literals.")
      .def("literals", literals, nb::arg("section"),
           "The AIGER literals of a section as a new array.\n\n"
           "Args:\n    section: inputs, latches, next_states, outputs, bad, constraints or fairness.")
      .def(
          "lits",
          [](Self self, const WordView& raws) {
            return lit_tuple(self, lits_of(store_of(self), raws, "lits"));
          },
          nb::arg("raws"), "The literals with these AIGER numbers; see `lit`.")
      .def("memory", memory, "Bytes held: nodes, hash, ports_and_names, total.")
      .def(
          "drop_hash", [](Self self) { writable(self).drop_hash(); },
          "Gives the memory of the hash table back. The next gate builds it again, in linear time.");
  bind_packing(aig);
}

}  // namespace dmt
