#include <nanobind/stl/string.h>

#include <string_view>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/aig/sweep.hpp"
#include "dmt_dialect/native/opt/ports.hpp"
#include "dmt_dialect/native/py_lit_arrays.hpp"
#include "dmt_dialect/native/sat/proof_checker.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dmt::Lit;
using dmt::LitArray;
using dmt::NumpyPairs;
using dmt::NumpyVector;
using dmt::Sweeper;
using dynomite::UsageError;

using PairArray = nb::ndarray<const std::uint32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using WordRows = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

NumpyVector<std::uint32_t> append_aig(AigStore& target, const AigStore& source, const LitArray& ci_map,
                                      bool hashed, dynomite::Stop* stop) {
  const std::vector<Lit> lits = dmt::to_lits(ci_map);
  std::vector<Lit> map;
  {
    const dmt::WriteLease writing(target.access());
    const dmt::ReadLease reading(source.access());
    const auto mode = hashed ? dmt::AppendMode::kHashed : dmt::AppendMode::kPlain;
    dynomite::run_long(
        stop, [&](dynomite::Stop& polled) { map = dmt::append(target, source, lits, mode, polled); });
  }
  return dmt::to_numpy(dmt::to_raw(map));
}

/// Inputs, latches and the gates that `ends` depend on; these become literals of it.
AigStore cone_below(const AigStore& aig, std::vector<Lit>& ends) {
  const std::vector<bool> live = dmt::mark_cone(aig, ends);
  AigStore cone;
  cone.add_inputs(static_cast<std::uint32_t>(aig.inputs().size()));
  for (const dmt::Latch& latch : aig.latches()) cone.add_latch(latch.reset);
  std::vector<Lit> map(aig.node_count(), dmt::kFalse);
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    const dmt::NodeId id(i);
    if (!aig.is_and(id)) {
      map[i] = Lit(id, false);  // swept AIGs have inputs, then latches, in front
    } else if (live[i]) {
      map[i] = cone.append_and(dmt::mapped(map, aig.fanin0(id)), dmt::mapped(map, aig.fanin1(id)));
    }
  }
  for (Lit& end : ends) end = dmt::mapped(map, end);
  return cone;
}

class PySweeper {
 public:
  PySweeper(const AigStore& aig, const PairArray& pairs, std::uint64_t seed)
      : sweeper_(readable(aig), make_pairs(pairs),
                 pairs.shape(0) == 0 ? dmt::opt::root_literals(readable(aig)) : std::vector<Lit>(), seed) {}

  void help(const PairArray& known, const LitArray& kept, const WordRows& patterns) {
    dmt::SweepHelp given{make_pairs(known), dmt::to_lits(kept), {}};
    for (std::size_t i = 0; i < patterns.shape(0); ++i) {
      const std::uint64_t* row = patterns.data() + i * patterns.shape(1);
      given.patterns.emplace_back(row, row + patterns.shape(1));
    }
    sweeper_.help(std::move(given));
  }

  std::string run(std::uint64_t conflict_limit, dynomite::Stop& stop, std::uint64_t most_unknown) {
    dynomite::PythonStop guard(stop);
    Sweeper::Outcome outcome;
    {
      nb::gil_scoped_release release;
      outcome = sweeper_.run(conflict_limit, stop, most_unknown);
    }
    guard.rethrow();
    if (outcome == Sweeper::Outcome::kDone) return "done";
    return outcome == Sweeper::Outcome::kLimit ? "limit" : "stopped";
  }

  NumpyVector<std::uint8_t> statuses() const {
    std::vector<std::uint8_t> values;
    for (const dmt::PairStatus status : sweeper_.statuses())
      values.push_back(static_cast<std::uint8_t>(status));
    return dmt::to_numpy(values);
  }

  nb::list engines() const {
    static constexpr const char* kNames[] = {"none", "hashing", "simulation", "sat", "exhaustive"};
    nb::list names;
    for (const dmt::PairEngine engine : sweeper_.engines()) names.append(kNames[static_cast<int>(engine)]);
    return names;
  }

  double progress() const { return sweeper_.progress(); }

  NumpyVector<std::uint8_t> counterexample(std::size_t pair) const {
    if (pair >= sweeper_.pairs().size()) throw UsageError("Sweeper.counterexample: no such pair");
    if (sweeper_.statuses()[pair] != dmt::PairStatus::kDifferent) {
      throw UsageError("Sweeper.counterexample: this pair was not found different");
    }
    return dmt::to_numpy(sweeper_.counterexample(pair));
  }

  nb::typed<nb::tuple, AigStore, NumpyPairs> residual() const {
    const auto& pairs = sweeper_.pairs();
    std::vector<Lit> ends;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (sweeper_.statuses()[i] != dmt::PairStatus::kUndecided) continue;
      ends.push_back(sweeper_.swept_literal(pairs[i].first));
      ends.push_back(sweeper_.swept_literal(pairs[i].second));
    }
    AigStore copy = sweeper_.helped() ? cone_below(sweeper_.swept(), ends) : sweeper_.swept();
    copy.names().inputs = sweeper_.original().names().inputs;
    copy.names().latches = sweeper_.original().names().latches;
    return nb::make_tuple(nb::cast(std::move(copy)), dmt::to_numpy_pairs(dmt::to_raw(ends)));
  }

  AigStore reduced() const {
    if (!sweeper_.pairs().empty()) throw UsageError("Sweeper.reduced: this sweeper decides pairs");
    AigStore copy = sweeper_.swept();
    if (!sweeper_.prepared()) return copy;
    const AigStore& original = sweeper_.original();
    dmt::opt::copy_ports(original, copy, [this](Lit lit) { return sweeper_.swept_literal(lit); });
    // Nodes that the swept circuit has no place for lead to the constant.
    dmt::opt::copy_net_names(original, copy, [&](Lit lit) {
      const Lit swept = sweeper_.swept_literal(lit);
      return swept.node() == dmt::kConstNode ? AigStore::kNotAnd : swept;
    });
    return copy;
  }

  /// Nodes that the swept circuit has no place for are none.
  NumpyVector<std::uint32_t> node_map() const {
    const AigStore& from = sweeper_.original();
    std::vector<std::uint32_t> map(from.node_count(), 0xFFFFFFFFU);
    map[0] = 0;
    for (std::uint32_t id = 1; id < map.size(); ++id) {
      const Lit to = sweeper_.swept_literal(Lit(dmt::NodeId(id), false));
      if (to.node() != dmt::kConstNode) map[id] = to.raw();
    }
    return dmt::to_numpy(map);
  }

  nb::typed<nb::dict, nb::str, std::uint64_t> stats() const {
    const dmt::SweepStats stats = sweeper_.stats();
    nb::typed<nb::dict, nb::str, std::uint64_t> dict;
    dict["passes"] = stats.passes;
    dict["sat_calls"] = stats.sat_calls;
    dict["proved"] = stats.proved;
    dict["structural"] = stats.structural;
    dict["disproved"] = stats.disproved;
    dict["unknown"] = stats.unknown;
    dict["simulations"] = stats.simulations;
    dict["exhaustive"] = stats.exhaustive;
    dict["rewrites"] = stats.rewrites;
    if (stats.falsified != 0) dict["falsified"] = stats.falsified;
    dict["conflicts"] = stats.conflicts;
    dict["ands_before"] = stats.nodes_before;
    dict["ands_after"] = stats.nodes_after;
    return dict;
  }

  void log_proof(const std::string& proof, const std::string& cnf) {
    sweeper_.log_proof(proof);
    sweeper_.write_cnf(cnf);
  }
  void finish_proof() { sweeper_.finish_proof(); }
  void falsify_for_tests(const std::string& answer, std::uint64_t number) {
    if (answer != "refuted" && answer != "limit")
      throw UsageError("Sweeper.falsify_for_tests: an answer is 'refuted' or 'limit'");
    sweeper_.falsify_for_tests(answer == "refuted" ? dmt::Answer::kSat : dmt::Answer::kUnknown, number);
  }

 private:
  /// `aig`, which no other thread may be writing.
  static const AigStore& readable(const AigStore& aig) {
    aig.access().check_read();
    return aig;
  }
  static std::vector<std::pair<Lit, Lit>> make_pairs(const PairArray& array) {
    std::vector<std::pair<Lit, Lit>> pairs(array.shape(0));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = {Lit::from_raw(array.data()[2 * i]), Lit::from_raw(array.data()[2 * i + 1])};
    }
    return pairs;
  }

  Sweeper sweeper_;
};

nb::dict check(const nb::bytes& cnf, const nb::bytes& proof, const std::string& cnf_name,
               const std::string& proof_name, dynomite::Stop* given) {
  dynomite::Stop own;
  dynomite::Stop& stop = given != nullptr ? *given : own;
  // The arguments keep the bytes alive, and bytes never change.
  const std::string_view cnf_text(cnf.c_str(), cnf.size());
  const std::string_view proof_text(proof.c_str(), proof.size());
  dynomite::PythonStop guard(stop);
  dmt::ProofCheck check;
  {
    nb::gil_scoped_release release;
    check = dmt::check_proof(cnf_text, cnf_name, proof_text, proof_name, stop);
  }
  guard.rethrow();
  static constexpr const char* kNames[] = {"verified", "rejected", "stopped"};
  nb::dict dict;
  dict["result"] = kNames[static_cast<int>(check.result)];
  dict["reason"] = check.reason;
  dict["clauses"] = check.clauses;
  dict["steps"] = check.steps;
  return dict;
}

}  // namespace

void bind_sweep(nb::module_& m) {
  m.def("append", &append_aig, nb::arg("target"), nb::arg("source"), nb::arg("ci_map"), nb::kw_only(),
        nb::arg("hashed") = true, nb::arg("stop").none() = nb::none(),
        R"(Copies the AND nodes of `source` into `target`; ports are not copied.

Args:
    target: AIG that grows.
    source: AIG to copy.
    ci_map: uint32 literals of `target`, one for each input, then each latch, of `source`.
    hashed: Whether gates are hashed and simplified; False keeps one node for each of the source.
    stop: Ends the call with a LimitError; what was copied until then stays in `target`.

Returns:
    uint32 array, one literal of `target` for every node of `source`.

Raises:
    UsageError: The map has the wrong length or a literal that is not in `target`.

Cost: linear.)");
  m.def("check_proof", &check, nb::arg("cnf"), nb::arg("proof"), nb::kw_only(), nb::arg("cnf_name") = "<cnf>",
        nb::arg("proof_name") = "<proof>", nb::arg("stop").none() = nb::none(),
        nb::sig("def check_proof(cnf: bytes, proof: bytes, *, cnf_name: str = '<cnf>', "
                "proof_name: str = '<proof>', stop: dynomite._native.base.Stop | None = None) -> "
                "dict[str, str | int]"),
        R"(Checks a DRAT text proof, whose steps must all be RUP, against a DIMACS formula.

Returns:
    "result": "verified", "rejected" or "stopped"; "reason" of a rejection; "clauses" and "steps" read.

Raises:
    ParseError: A file is malformed.)");
  nb::class_<PySweeper>(m, "Sweeper",
                        R"(SAT sweeping of one AIG: decides pairs of literals, or (without pairs) reduces it.

The AIG is copied. Latches are cut: their outputs count as inputs.)")
      .def(nb::init<const AigStore&, const PairArray&, std::uint64_t>(), nb::arg("aig"), nb::arg("pairs"),
           nb::kw_only(), nb::arg("seed") = 1)
      .def("help", &PySweeper::help, nb::arg("known"), nb::arg("kept"), nb::arg("patterns"),
           R"(Tells what is known of the AIG; before the first run, and without a proof to log.

Args:
    known: uint32 of shape (n, 2): literals that were proved equal. They are merged as they are: the answers rest
        on them.
    kept: uint32 literals whose gates are kept, because others may be equal to them.
    patterns: uint64, 64 patterns a row, a column for each input, then each latch; at most 64 rows.

Raises:
    UsageError: A literal is not in the AIG, or it is too late.)")
      .def("run", &PySweeper::run, nb::arg("conflict_limit"), nb::arg("stop"), nb::kw_only(),
           nb::arg("most_unknown") = ~std::uint64_t{0},
           R"(One pass with at most `conflict_limit` conflicts a query.

After `most_unknown` queries that met the limit the rest of the circuit is left as it is.

Returns:
    "done" when every pair is decided, "limit" when some are left (call again with a larger limit),
    "stopped" when `stop` ended the pass.)")
      .def("statuses", &PySweeper::statuses, "uint8 a pair: 0 undecided, 1 equal, 2 different.")
      .def("engines", &PySweeper::engines, nb::sig("def engines(self) -> list[str]"),
           "What decided each pair: 'none', 'hashing', 'simulation', 'sat' or 'exhaustive'.")
      .def("progress", &PySweeper::progress, "How far the present pass is, 0 to 1; from any thread.")
      .def("counterexample", &PySweeper::counterexample, nb::arg("pair"),
           "uint8 values of the inputs, then the latches, under which the literals of a different pair "
           "differ.")
      .def("residual", &PySweeper::residual,
           "The swept AIG (same inputs and latches) and the undecided pairs in it, uint32 of shape (n, 2).")
      .def("reduced", &PySweeper::reduced,
           "The swept AIG with all ports, names and comments of the given one.")
      .def(
          "node_map", &PySweeper::node_map,
          "uint32: the literal of the swept AIG for every node of the given one; 2^32 - 1 for a node that is "
          "not needed, or was proved constant.")
      .def("stats", &PySweeper::stats, "Counts since construction.")
      .def("log_proof", &PySweeper::log_proof, nb::arg("proof"), nb::arg("cnf"),
           "Before the first run: writes the miter as DIMACS to `cnf` and logs a DRAT proof to `proof`.")
      .def("finish_proof", &PySweeper::finish_proof,
           "Ends the refutation; only when every pair was proved equal. Raises UsageError otherwise.")
      .def("falsify_for_tests", &PySweeper::falsify_for_tests, nb::arg("answer"), nb::arg("number"),
           "For tests of the proof check: makes the sweeper unsound. Of the queries that end as `answer`, "
           "'refuted' or 'limit', the `number`th, from 0, is taken for a proof and logged as one.");
}
