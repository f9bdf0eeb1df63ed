#include "dmt_dialect/native/dividers/stage_proof.hpp"

#include <utility>

#include "dmt_dialect/native/bdd/apply.hpp"
#include "dmt_dialect/native/bdd/circuit.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::dividers {

namespace {

constexpr std::size_t kWords = 3;
constexpr std::size_t kMostNodes = std::size_t{1} << 22;

class StopWatch final : public BddWatch {
 public:
  explicit StopWatch(dynomite::Stop& stop) : stop_(stop) {}
  bool keep_going() override { return !stop_.poll(); }

 private:
  dynomite::Stop& stop_;
};

/// A circuit over free words, and what is to follow from what.
struct Claims {
  AigStore aig;
  std::vector<BddEdge> variables;
  std::vector<std::pair<Lit, Lit>> implications;

  Lit input(BddEdge variable) {
    variables.push_back(variable);
    return aig.add_input();
  }
  void equal(Lit premise, Lit a, Lit b) { implications.emplace_back(premise, ~aig.xor_(a, b)); }
};

bool holds(BddStore& store, const Claims& claims) {
  std::vector<Lit> roots;
  for (const auto& [premise, conclusion] : claims.implications) {
    roots.push_back(premise);
    roots.push_back(conclusion);
  }
  const std::vector<BddHold> edges = bdd::from_aig(store, claims.aig, roots, claims.variables);
  for (std::size_t i = 0; i < edges.size(); i += 2) {
    const BddEdge premise = edges[i].get();
    const BddEdge conclusion = edges[i + 1].get();
    if (!store.operation([&] { return bdd::implies(store, premise, conclusion); })) return false;
  }
  return true;
}

void claim_stage(Gates& g, Kind kind, const Stage& last, WordLits first, WordLits second, Lit digit,
                 bool more, Claims& claims) {
  const Stage stage = next_stage(g, kind, last, first, &digit);
  const Lit own_digit = ~stage.difference.back();
  const Lit given = g.aig.and_(in_range(g, kind, last), ~g.aig.xor_(digit, own_digit));
  // The bits that are left out are 0 ...
  const Bits whole = whole_remainder(g, stage, digit);
  Lit fits = kTrue;
  for (std::size_t i = stage.remainder.size(); i < whole.size(); ++i) {
    claims.implications.emplace_back(given, ~whole[i]);
    fits = g.aig.and_(fits, ~whole[i]);
  }
  if (narrows(stage)) claims.implications.emplace_back(given, ~g.aig.and_(stage.minuend.back(), stage.carry));
  claims.implications.emplace_back(given, in_range(g, kind, stage));
  // ... and that is all that the rest needs to know.
  const Bits back = corrected(g, stage, digit);
  for (std::size_t i = 0; i < back.size(); ++i)
    claims.equal(fits, back[i], i < stage.remainder.size() ? stage.remainder[i] : kFalse);
  if (!more) return;
  const Bits expected = next_stage(g, kind, stage, second).difference;
  const Bits other = difference_of_difference(g, kind, stage, second, digit);
  for (std::size_t i = 0; i < other.size(); ++i)
    claims.equal(fits, other[i], i < expected.size() ? expected[i] : expected.back());
}

}  // namespace

StageProver::StageProver(Kind kind, std::size_t width, dynomite::Stop& stop)
    : kind_(kind), width_(width), stop_(stop), store_(BddLimits{.max_nodes = kMostNodes}) {
  const auto count = static_cast<std::uint32_t>(1 + kWords * width + 2 * digits_of(kind));
  store_.add_vars(count);
  for (std::uint32_t i = 0; i < count; ++i) variables_.emplace_back(store_, store_.var(i));
}

BddEdge StageProver::variable(std::size_t place, std::size_t word) const {
  return variables_[1 + kWords * (width_ - 1 - place) + word].get();
}

BddEdge StageProver::incoming_variable(std::size_t place) const {
  return variables_[1 + kWords * width_ + place].get();
}

bool StageProver::prove(std::size_t remainder_bits, std::size_t result_bits, std::size_t divisor_bits,
                        bool more) {
  Claims claims;
  Stage last;
  const auto word = [&](std::size_t bits, std::size_t which) {
    Bits lits;
    for (std::size_t i = 0; i < bits; ++i) lits.push_back(claims.input(variable(i, which)));
    return lits;
  };
  last.result = word(result_bits, 0);
  last.remainder = word(remainder_bits, 1);
  last.subtrahend = word(divisor_bits, 2);
  const Lit digit = claims.input(digit_variable());
  Bits incoming;
  for (std::size_t i = 0; i < 2 * digits_of(kind_); ++i)
    incoming.push_back(claims.input(incoming_variable(i)));
  const WordLits both(incoming);
  const Architecture architecture;
  Gates g{claims.aig, architecture, stop_};
  StopWatch watch(stop_);
  try {
    claim_stage(g, kind_, last, both.first(digits_of(kind_)), both.last(digits_of(kind_)), digit, more,
                claims);
    store_.set_watch(&watch);
    const bool result = holds(store_, claims);
    store_.set_watch(nullptr);
    return result;
  } catch (const word::Interrupted&) {
  } catch (const dynomite::LimitError&) {
  }
  store_.set_watch(nullptr);
  return false;
}

}  // namespace dmt::dividers
