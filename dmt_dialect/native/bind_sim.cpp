#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/simulation.hpp"
#include "dmt_dialect/native/py_lit.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

using dmt::AigSnapshot;
using dmt::AigStore;
using dmt::Lit;
using dmt::PatternSource;
using dmt::SimRun;
using dmt::SimSchedule;
using dynomite::LimitError;
using dynomite::Stop;
using dynomite::UsageError;

using Literals = nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<1>, nb::c_contig>;
using Words2 = nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<2>, nb::c_contig>;
using Words3 = nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<3>, nb::c_contig>;
using State = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>, nb::c_contig>;
using Result2 = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>, nb::c_contig>;
using Result3 = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<3>, nb::c_contig>;

namespace {

std::size_t product(std::size_t a, std::size_t b, std::size_t c) {
  std::size_t size = 0;
  if (__builtin_mul_overflow(a, b, &size) || __builtin_mul_overflow(size, c, &size) ||
      size > (std::size_t{1} << 56)) {
    throw LimitError("simulation: the result would not fit into memory");
  }
  return size;
}

/// A fresh array of words, uninitialised.
template <typename Array, typename... Shape>
Array make_words(Shape... shape) {
  std::size_t size = 1;
  ((size = product(size, static_cast<std::size_t>(shape), 1)), ...);
  auto* data = new std::uint64_t[size];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint64_t*>(p); });
  return Array(data, {static_cast<std::size_t>(shape)...}, owner);
}

std::unique_ptr<SimSchedule> compile(const AigStore& aig, const std::optional<Literals>& roots,
                                     dynomite::Stop* stop) {
  aig.access().check_read();
  std::vector<Lit> lits;
  if (roots.has_value()) {
    lits.reserve(roots->shape(0));
    for (std::size_t i = 0; i < roots->shape(0); ++i) {
      const Lit lit = Lit::from_raw(roots->data()[i]);
      if (!aig.contains(lit)) {
        throw UsageError("Schedule: root " + std::to_string(i) + " is no literal of the AIG");
      }
      lits.push_back(lit);
    }
  } else {
    lits = aig.outputs();
  }
  const AigSnapshot snapshot(aig);
  std::unique_ptr<SimSchedule> schedule;
  dynomite::run_long(stop, [&](dynomite::Stop& polled) {
    schedule = std::make_unique<SimSchedule>(snapshot, lits, polled);
  });
  return schedule;
}

void check_shape(const char* what, std::size_t found, std::size_t wanted) {
  if (found != wanted) {
    throw UsageError("Schedule.run: " + std::string(what) + " must be " + std::to_string(wanted) + ", is " +
                     std::to_string(found));
  }
}

void check_words(const char* name, const Words3& array, std::size_t cycles, std::size_t rows,
                 std::size_t words) {
  const std::string text(name);
  check_shape((text + ".shape[0] (cycles)").c_str(), array.shape(0), cycles);
  check_shape((text + ".shape[1] (inputs)").c_str(), array.shape(1), rows);
  check_shape((text + ".shape[2] (words)").c_str(), array.shape(2), words);
}

void check_state(const char* name, const State& array, std::size_t rows, std::size_t words) {
  const std::string text(name);
  check_shape((text + ".shape[0] (latches)").c_str(), array.shape(0), rows);
  check_shape((text + ".shape[1] (words)").c_str(), array.shape(1), words);
}

PatternSource source_of(const std::optional<Words3>& values, const std::optional<Words3>& unknown,
                        std::optional<std::uint64_t> seed) {
  if (values.has_value()) {
    return PatternSource::given(values->data(), unknown.has_value() ? unknown->data() : nullptr,
                                values->shape(1), values->shape(2));
  }
  return seed.has_value() ? PatternSource::random(*seed) : PatternSource::exhaustive();
}

using Values = std::pair<Result3, std::optional<Result3>>;

std::optional<Values> run(const SimSchedule& schedule, std::size_t patterns, std::size_t cycles,
                          std::optional<std::uint64_t> seed, const std::optional<Words3>& values,
                          const std::optional<Words3>& unknown, const std::optional<State>& state,
                          const std::optional<State>& state_unknown, bool ternary, std::string_view simd,
                          std::size_t block_words, Stop* stop) {
  const std::size_t words = dmt::words_of(patterns);
  const std::size_t latches = state.has_value() ? state->shape(0) : 0;
  if (latches > schedule.source_count() || latches > schedule.root_count()) {
    throw UsageError("Schedule.run: more rows of state than sources or roots");
  }
  if (values.has_value() && seed.has_value()) {
    throw UsageError("Schedule.run: values and seed exclude each other");
  }
  if ((unknown.has_value() || state_unknown.has_value()) && !ternary) {
    throw UsageError("Schedule.run: unknown values need ternary=True");
  }
  if (unknown.has_value() && !values.has_value()) throw UsageError("Schedule.run: unknown needs values");
  if (state_unknown.has_value() != (ternary && state.has_value())) {
    throw UsageError("Schedule.run: state and state_unknown go together in ternary simulation");
  }
  if (values.has_value()) {
    check_words("values", *values, cycles, schedule.source_count() - latches, words);
  }
  if (unknown.has_value()) {
    check_words("unknown", *unknown, cycles, schedule.source_count() - latches, words);
  }
  if (state.has_value()) check_state("state", *state, latches, words);
  if (state_unknown.has_value()) check_state("state_unknown", *state_unknown, latches, words);

  SimRun job;
  job.inputs = source_of(values, unknown, seed);
  job.patterns = patterns;
  job.cycles = cycles;
  job.state_count = static_cast<std::uint32_t>(latches);
  job.state = state.has_value() ? state->data() : nullptr;
  job.state_unknown = state_unknown.has_value() ? state_unknown->data() : nullptr;
  job.ternary = ternary;
  job.simd = dmt::simd_by_name(simd);
  job.block_words = block_words;
  const std::size_t observed = schedule.root_count() - latches;
  Result3 out = make_words<Result3>(cycles, observed, words);
  job.out = out.data();
  std::optional<Result3> out_unknown;
  if (ternary) {
    out_unknown = make_words<Result3>(cycles, observed, words);
    job.out_unknown = out_unknown->data();
  }

  Stop own;
  Stop& active = stop != nullptr ? *stop : own;
  dynomite::PythonStop guard(active);
  bool finished = false;
  {
    nb::gil_scoped_release release;
    finished = dmt::simulate(schedule, job, active);
  }
  guard.rethrow();
  if (!finished) return std::nullopt;
  return Values(std::move(out), std::move(out_unknown));
}

std::optional<Result2> node_values(const AigStore& aig, std::size_t patterns,
                                   std::optional<std::uint64_t> seed, const std::optional<Words2>& values,
                                   std::string_view simd, Stop* stop) {
  aig.access().check_read();
  const std::size_t words = dmt::words_of(patterns);
  PatternSource source = seed.has_value() ? PatternSource::random(*seed) : PatternSource::exhaustive();
  if (values.has_value()) {
    if (seed.has_value()) throw UsageError("node_values: values and seed exclude each other");
    const std::size_t sources = aig.inputs().size() + aig.latches().size();
    if (values->shape(0) != sources || values->shape(1) != words) {
      throw UsageError("node_values: values must have the shape (" + std::to_string(sources) + ", " +
                       std::to_string(words) + ")");
    }
    source = PatternSource::given(values->data(), nullptr, values->shape(0), words);
  }
  const dmt::Simd variant = dmt::simd_by_name(simd);
  const AigSnapshot snapshot(aig);
  Result2 out = make_words<Result2>(snapshot.node_count(), words);
  Stop own;
  Stop& active = stop != nullptr ? *stop : own;
  dynomite::PythonStop guard(active);
  bool finished = false;
  {
    nb::gil_scoped_release release;
    finished = dmt::simulate_nodes(snapshot, source, patterns, out.data(), active, variant);
  }
  guard.rethrow();
  if (!finished) return std::nullopt;
  return out;
}

Result3 source_words(std::size_t rows, std::size_t patterns, std::size_t cycles,
                     std::optional<std::uint64_t> seed) {
  const std::size_t words = dmt::words_of(patterns);
  const PatternSource source = seed.has_value() ? PatternSource::random(*seed) : PatternSource::exhaustive();
  if (rows > dmt::AigStore::kMaxNodes) throw LimitError("source_words: too many rows");
  Result3 out = make_words<Result3>(cycles, rows, words);
  const std::size_t tail = patterns % 64;
  nb::gil_scoped_release release;
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::uint64_t* data = out.data() + (cycle * rows + row) * words;
      source.fill(static_cast<std::uint32_t>(row), cycle, 0, words, words, data);
      if (tail != 0) data[words - 1] &= (std::uint64_t{1} << tail) - 1;
    }
  }
  return out;
}

}  // namespace

void bind_sim(nb::module_& m) {
  nb::class_<SimSchedule>(m, "Schedule",
                          "The cones of chosen literals of an AIG, compiled for simulation.\n\n"
                          "Independent of the AIG once made. Sources are its inputs, then its latches.")
      .def(
          "__init__",
          [](SimSchedule* self, const AigStore& aig, const std::optional<Literals>& roots,
             dynomite::Stop* stop) { new (self) SimSchedule(std::move(*compile(aig, roots, stop))); },
          nb::arg("aig"), nb::arg("roots") = nb::none(), nb::arg("stop").none() = nb::none(),
          "Compiles the cones of `roots` (AIGER literals; default: the outputs). Cost: linear in the AIG. "
          "Raises "
          "LimitError when `stop` ends it.")
      .def_prop_ro(
          "op_count", [](const SimSchedule& s) { return s.ops().size(); }, "ANDs in the cones.")
      .def_prop_ro("slot_count", &SimSchedule::slot_count, "Values alive at one time, at most.")
      .def_prop_ro("source_count", &SimSchedule::source_count, "Inputs plus latches of the AIG.")
      .def_prop_ro("root_count", &SimSchedule::root_count, "Number of roots.")
      .def("run", &run, nb::arg("patterns"), nb::kw_only(), nb::arg("cycles") = 1,
           nb::arg("seed") = nb::none(), nb::arg("values") = nb::none(), nb::arg("unknown") = nb::none(),
           nb::arg("state").noconvert() = nb::none(), nb::arg("state_unknown").noconvert() = nb::none(),
           nb::arg("ternary") = false, nb::arg("simd") = "auto", nb::arg("block_words") = 0,
           nb::arg("stop") = nb::none(),
           "Simulates `patterns` patterns at a time for `cycles` clock cycles.\n\n"
           "Inputs are `values`, random from `seed`, or with neither every combination. With `state` "
           "(latches x words; changed in place to the state after the last cycle) the last sources are the "
           "latches and the last roots their next states. Returns (values, unknown) of the other roots, each "
           "cycles x roots x words, unknown only in ternary simulation; None if `stop` ended it.");

  m.def("node_values", &node_values, nb::arg("aig"), nb::arg("patterns"), nb::kw_only(),
        nb::arg("seed") = nb::none(), nb::arg("values") = nb::none(), nb::arg("simd") = "auto",
        nb::arg("stop") = nb::none(),
        "Values of all nodes, nodes x words. Inputs, then latches, are random from `seed`, the rows of "
        "`values`, or with neither every combination. None if `stop` ended it.");
  m.def("source_words", &source_words, nb::arg("rows"), nb::arg("patterns"), nb::kw_only(),
        nb::arg("cycles") = 1, nb::arg("seed") = nb::none(),
        "The patterns `Schedule.run` uses for a seed, or every combination: cycles x rows x words.");
  m.def(
      "simd_variants",
      [] {
        std::vector<std::string> names;
        for (const dmt::Simd simd : dmt::available_simd()) names.emplace_back(dmt::simd_name(simd));
        return names;
      },
      "Instruction sets this machine can use, best last.");
}
