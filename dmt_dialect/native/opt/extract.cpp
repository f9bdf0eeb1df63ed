#include "dmt_dialect/native/opt/extract.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "dmt_dialect/native/opt/extract_collapse.hpp"
#include "dmt_dialect/native/opt/extract_divisors.hpp"
#include "dmt_dialect/native/opt/sop_network.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

class Extractor {
 public:
  Extractor(SopNetwork& network, const ExtractParams& params, ExtractStats& stats, dynomite::Stop& stop)
      : network_(network), params_(params), stats_(stats), stop_(stop) {}

  void run() {
    own_divisor_.assign(network_.signal_count(), DivisorTable::kNone);
    for (std::uint32_t signal = 0; signal < network_.signal_count(); ++signal) claim(signal);
    for (std::uint32_t signal = 0; signal < network_.signal_count(); ++signal) {
      if (2 * table_.place_count() < params_.pairs) enter(signal);
    }
    while (table_.place_count() < params_.pairs) {
      const std::uint32_t number = table_.pop();
      if (number == DivisorTable::kNone) break;
      if (stop_.poll()) throw dynomite::LimitError("extraction was stopped");
      take_out(number);
    }
    stats_.divisors = table_.size();
  }

 private:
  /// If the signal is nothing but a divisor, it serves for the other uses of it.
  void claim(std::uint32_t signal) {
    const auto cubes = network_.cubes_of(signal);
    std::optional<Division> division;
    if (cubes.size() == 1 && network_.literals(cubes[0]).size() == 2) {
      const auto literals = network_.literals(cubes[0]);
      division = Division{divisor_of_literals(literals[0], literals[1]), false, 0};
    } else if (cubes.size() == 2) {
      division = divide_products(network_.literals(cubes[0]), network_.literals(cubes[1]), params_.literals);
    }
    if (!division || division->base != 0) return;
    const std::uint32_t number = number_of(division->divisor);
    if (table_.literal(number) != DivisorTable::kNone) return;
    table_.set_literal(number, 2 * signal + static_cast<std::uint32_t>(division->complemented));
    own_divisor_[signal] = number;
  }

  /// Counts all pairs of a signal.
  void enter(std::uint32_t signal) {
    const auto cubes = network_.cubes_of(signal);
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      if (stop_.poll()) throw dynomite::LimitError("extraction was stopped");
      count_literals(cubes[i], signal, true);
      for (std::size_t j = 0; j < i; ++j) count_products(cubes[j], cubes[i], signal, true);
    }
  }

  std::uint32_t number_of(const Divisor& divisor) {
    std::uint32_t level = 0;
    for (unsigned i = 0; i < divisor.size(); ++i)
      level = std::max(level, network_.level(divisor.literals[i] >> 1));
    return table_.find_or_add(divisor, level + (divisor.second == 0 ? 1 : 2));
  }

  void count(const Division& division, DivisorTable::Place place, std::uint32_t signal, bool added) {
    const std::uint32_t number = number_of(division.divisor);
    if (own_divisor_[signal] == number) return;
    if (added) {
      table_.add(number, place, division.base);
    } else {
      table_.remove(number, division.base);
    }
  }
  void count_literals(std::uint32_t cube, std::uint32_t signal, bool added) {
    const auto literals = network_.literals(cube);
    for (std::size_t i = 0; i < literals.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        count({divisor_of_literals(literals[j], literals[i]), false, 0}, {cube, DivisorTable::kNone}, signal,
              added);
    }
  }
  void count_products(std::uint32_t a, std::uint32_t b, std::uint32_t signal, bool added) {
    const auto division = divide_products(network_.literals(a), network_.literals(b), params_.literals);
    if (division) count(*division, {a, b}, signal, added);
  }

  void attach(std::uint32_t cube, std::uint32_t signal) {
    for (const std::uint32_t other : network_.cubes_of(signal)) count_products(other, cube, signal, true);
    network_.attach(cube, signal);
    count_literals(cube, signal, true);
  }
  void detach(std::uint32_t cube) {
    const std::uint32_t signal = network_.owner(cube);
    network_.detach(cube);
    for (const std::uint32_t other : network_.cubes_of(signal)) count_products(other, cube, signal, false);
    count_literals(cube, signal, false);
  }

  void take_out(std::uint32_t number) {
    const Divisor divisor = table_.divisor(number);
    table_.take_places(number, places_);
    std::uint32_t literal = table_.literal(number);
    if (literal == DivisorTable::kNone) literal = 2 * add_node(number);
    ++stats_.extracted;
    for (const DivisorTable::Place place : places_) {
      if (place.other == DivisorTable::kNone) {
        replace_literals(place.cube, divisor, literal);
      } else {
        replace_products(place, divisor, literal);
      }
    }
  }

  std::uint32_t add_node(std::uint32_t number) {
    const Divisor divisor = table_.divisor(number);
    std::uint32_t level = 0;
    for (unsigned i = 0; i < divisor.size(); ++i)
      level = std::max(level, network_.level(divisor.literals[i] >> 1));
    const std::uint32_t signal = network_.add_signal(level + (divisor.second == 0 ? 1 : 2));
    own_divisor_.push_back(number);
    table_.set_literal(number, 2 * signal);
    for (unsigned i = 0; i < (divisor.second == 0 ? 1U : 2U); ++i)
      attach(network_.add_cube(divisor.product(i)), signal);
    return signal;
  }

  /// The place is old news if the product has changed since.
  void replace_literals(std::uint32_t cube, const Divisor& divisor, std::uint32_t literal) {
    const std::uint32_t signal = network_.owner(cube);
    if (signal == SopNetwork::kNone || signal == literal >> 1) return;
    if (!network_.has(cube, divisor.literals[0]) || !network_.has(cube, divisor.literals[1])) return;
    detach(cube);
    network_.divide(cube, divisor.product(0), literal);
    attach(cube, signal);
    ++stats_.uses;
  }
  void replace_products(DivisorTable::Place place, const Divisor& divisor, std::uint32_t literal) {
    const std::uint32_t signal = network_.owner(place.cube);
    if (signal == SopNetwork::kNone || signal != network_.owner(place.other) || signal == literal >> 1)
      return;
    const auto division =
        divide_products(network_.literals(place.cube), network_.literals(place.other), params_.literals);
    if (!division || !(division->divisor == divisor)) return;
    detach(place.other);
    detach(place.cube);
    rest_.clear();
    for (const std::uint32_t one : network_.literals(place.cube)) {
      if (!network_.has(place.other, one)) rest_.push_back(one);
    }
    network_.divide(place.cube, rest_, literal ^ static_cast<std::uint32_t>(division->complemented));
    attach(place.cube, signal);
    ++stats_.uses;
  }

  SopNetwork& network_;
  const ExtractParams& params_;
  ExtractStats& stats_;
  dynomite::Stop& stop_;
  DivisorTable table_;
  std::vector<std::uint32_t> own_divisor_;  // of signals that are divisors
  std::vector<DivisorTable::Place> places_;
  std::vector<std::uint32_t> rest_;
};

void check(const ExtractParams& params) {
  if (params.k < 2 || params.k > 8) throw dynomite::UsageError("extract: k must be from 2 to 8");
  if (params.literals < 2 || params.literals > Divisor::kMost)
    throw dynomite::UsageError("extract: literals must be from 2 to 8");
  if (params.cuts > 32) throw dynomite::UsageError("extract: cuts must be at most 32");
  if (params.pairs > DivisorTable::kMostPlaces)
    throw dynomite::UsageError("extract: pairs must be at most 2^27");
}

}  // namespace

AigStore extract(const AigStore& aig, const ExtractParams& params, ExtractStats* stats,
                 dynomite::Stop& stop) {
  check(params);
  ExtractStats unused;
  ExtractStats& counts = stats == nullptr ? unused : *stats;
  Collapsed collapsed = collapse(aig, params, counts, stop);
  counts.literals_before = collapsed.network.literal_count();
  counts.literals_after = counts.literals_before;
  if (params.density != 0 && counts.literals_before * 100 > std::uint64_t{aig.and_count()} * params.density)
    return aig;
  Extractor(collapsed.network, params, counts, stop).run();
  counts.literals_after = collapsed.network.literal_count();
  return build_factored(aig, collapsed, stop);
}

}  // namespace dmt::opt
