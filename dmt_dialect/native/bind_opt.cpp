#include <nanobind/nanobind.h>

#include <mutex>
#include <utility>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/opt/balance.hpp"
#include "dmt_dialect/native/opt/chunks.hpp"
#include "dmt_dialect/native/opt/extract.hpp"
#include "dmt_dialect/native/opt/refactor.hpp"
#include "dmt_dialect/native/opt/resub.hpp"
#include "dmt_dialect/native/opt/rewrite.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigStore;
using dynomite::Stop;

/// The new circuit and the counts of the pass.
using PassOutcome = nb::typed<nb::tuple, AigStore, nb::typed<nb::dict, nb::str, nb::object>>;

template <typename Stats, typename Params>
using Pass = AigStore (*)(const AigStore&, const Params&, Stats*, Stop&);

/// Runs a pass on a circuit; gives the new one and its counts.
template <typename Stats, typename Params, typename Fill>
PassOutcome run_pass(const AigStore& aig, Pass<Stats, Params> pass, const Params& params, Stop* stop,
                     Fill fill) {
  AigStore result;
  Stats counts;
  {
    const dmt::ReadLease reading(aig.access());
    dynomite::run_long(stop, [&](Stop& polled) { result = pass(aig, params, &counts, polled); });
  }
  nb::dict stats;
  fill(stats, counts);
  return PassOutcome(nb::make_tuple(std::move(result), stats));
}

/// The same in chunks of `chunk` ANDs when the circuit is larger than two of them.
template <typename Stats, typename Params, typename Fill>
PassOutcome run_in_chunks(const AigStore& aig, Pass<Stats, Params> pass, const Params& params,
                          unsigned threads, std::uint32_t chunk, Stop* stop, Fill fill) {
  if (chunk == 0 || aig.and_count() / 2 < chunk) return run_pass(aig, pass, params, stop, fill);
  AigStore result;
  Stats counts;
  std::mutex counting;
  const auto run = [&](const AigStore& part, Stop& polled) {
    Stats own;
    AigStore made = pass(part, params, &own, polled);
    const std::lock_guard<std::mutex> lock(counting);
    counts.add(own);
    return made;
  };
  {
    const dmt::ReadLease reading(aig.access());
    dynomite::run_long(stop,
                       [&](Stop& polled) { result = dmt::opt::in_chunks(aig, chunk, threads, run, polled); });
  }
  nb::dict stats;
  fill(stats, counts);
  return PassOutcome(nb::make_tuple(std::move(result), stats));
}

PassOutcome rewrite(const AigStore& aig, unsigned leaves, bool zero, bool keep_levels, unsigned cuts,
                    unsigned structures, unsigned threads, std::uint32_t chunk, Stop* stop) {
  const dmt::opt::RewriteParams params{zero, keep_levels, leaves, cuts, structures};
  return run_in_chunks<dmt::opt::RewriteStats>(aig, &dmt::opt::rewrite, params, threads,
                                               keep_levels ? 0 : chunk, stop,
                                               [](nb::dict into, const dmt::opt::RewriteStats& counts) {
                                                 into["cuts"] = counts.cuts;
                                                 into["tried"] = counts.tried;
                                                 into["replaced"] = counts.replaced;
                                               });
}

PassOutcome resub(const AigStore& aig, unsigned k, unsigned inserts, unsigned divisors, bool sat,
                  unsigned odc, unsigned words, std::uint64_t conflicts, bool zero, bool keep_levels,
                  std::uint64_t seed, unsigned threads, std::uint32_t chunk, Stop* stop) {
  const dmt::opt::ResubParams params{k,     inserts,   divisors, sat,         odc,
                                     words, conflicts, zero,     keep_levels, seed};
  return run_in_chunks<dmt::opt::ResubStats>(aig, &dmt::opt::resub, params, threads, keep_levels ? 0 : chunk,
                                             stop, [](nb::dict into, const dmt::opt::ResubStats& counts) {
                                               into["windows"] = counts.windows;
                                               into["found"] = counts.found;
                                               into["replaced"] = counts.replaced;
                                               into["unseen"] = counts.unseen;
                                               into["refuted"] = counts.refuted;
                                               into["unknown"] = counts.unknown;
                                             });
}

PassOutcome balance(const AigStore& aig, unsigned sharing, bool xors, bool muxes, Stop* stop) {
  const dmt::opt::BalanceParams params{sharing, xors, muxes};
  return run_pass(aig, &dmt::opt::balance, params, stop,
                  [](nb::dict into, const dmt::opt::BalanceStats& counts) {
                    into["trees"] = counts.trees;
                    into["gate_trees"] = counts.gate_trees;
                    into["shared"] = counts.shared;
                    into["levels_after"] = counts.levels_after;
                  });
}

PassOutcome refactor(const AigStore& aig, unsigned leaves, bool fanout_free, bool dont_cares,
                     unsigned care_leaves, unsigned products, bool zero, bool keep_levels, unsigned threads,
                     std::uint32_t chunk, Stop* stop) {
  const dmt::opt::RefactorParams params{leaves,   fanout_free, dont_cares, care_leaves,
                                        products, zero,        keep_levels};
  return run_in_chunks<dmt::opt::RefactorStats>(aig, &dmt::opt::refactor, params, threads,
                                                keep_levels ? 0 : chunk, stop,
                                                [](nb::dict into, const dmt::opt::RefactorStats& counts) {
                                                  into["cones"] = counts.cones;
                                                  into["replaced"] = counts.replaced;
                                                  into["with_dont_cares"] = counts.with_dont_cares;
                                                });
}

PassOutcome extract(const AigStore& aig, unsigned k, bool area, unsigned cuts, unsigned products,
                    unsigned growth, unsigned density, unsigned literals, std::uint64_t pairs, Stop* stop) {
  const dmt::opt::ExtractParams params{k, area, cuts, products, growth, density, literals, pairs};
  return run_pass(aig, &dmt::opt::extract, params, stop,
                  [](nb::dict into, const dmt::opt::ExtractStats& counts) {
                    into["nodes"] = counts.nodes;
                    into["kept"] = counts.kept;
                    into["products"] = counts.products;
                    into["divisors"] = counts.divisors;
                    into["extracted"] = counts.extracted;
                    into["uses"] = counts.uses;
                    into["literals_before"] = counts.literals_before;
                    into["literals_after"] = counts.literals_after;
                  });
}

}  // namespace

void bind_opt(nb::module_& m) {
  m.def("rewrite", &rewrite, nb::arg("aig"), nb::kw_only(), nb::arg("leaves") = 4, nb::arg("zero") = false,
        nb::arg("keep_levels") = false, nb::arg("cuts") = 24, nb::arg("structures") = 14,
        nb::arg("threads") = 1, nb::arg("chunk") = 0, nb::arg("stop") = nb::none(),
        "Rewriting of cuts of four or five leaves; see `dmt_dialect.synthesis`.");
  m.def("resub", &resub, nb::arg("aig"), nb::kw_only(), nb::arg("k") = 8, nb::arg("inserts") = 3,
        nb::arg("divisors") = 150, nb::arg("sat") = false, nb::arg("odc") = 0, nb::arg("words") = 16,
        nb::arg("conflicts") = 100, nb::arg("zero") = false, nb::arg("keep_levels") = false,
        nb::arg("seed") = 1, nb::arg("threads") = 1, nb::arg("chunk") = 0, nb::arg("stop") = nb::none(),
        "Resubstitution; see `dmt_dialect.synthesis`.");
  m.def("balance", &balance, nb::arg("aig"), nb::kw_only(), nb::arg("sharing") = 16, nb::arg("xors") = false,
        nb::arg("muxes") = false, nb::arg("stop") = nb::none(), "Balancing; see `dmt_dialect.synthesis`.");
  m.def("refactor", &refactor, nb::arg("aig"), nb::kw_only(), nb::arg("leaves") = 10,
        nb::arg("fanout_free") = true, nb::arg("dont_cares") = false, nb::arg("care_leaves") = 12,
        nb::arg("products") = 60, nb::arg("zero") = false, nb::arg("keep_levels") = false,
        nb::arg("threads") = 1, nb::arg("chunk") = 0, nb::arg("stop") = nb::none(),
        "Refactoring; see `dmt_dialect.synthesis`.");
  m.def("extract", &extract, nb::arg("aig"), nb::kw_only(), nb::arg("k") = 6, nb::arg("area") = true,
        nb::arg("cuts") = 0, nb::arg("products") = 64, nb::arg("growth") = 0, nb::arg("density") = 0,
        nb::arg("literals") = 4, nb::arg("pairs") = 40'000'000, nb::arg("stop") = nb::none(),
        "Extraction of common divisors; see `dmt_dialect.synthesis`.");
}
