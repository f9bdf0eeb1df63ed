#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/aig_match_store.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"
#include "dynomite/native/py_rewrite.hpp"
#include "dynomite/native/rewrite/conditions.hpp"

namespace dmt {

namespace {

namespace rw = dynomite::rewrite;

/// A name and the literals it is bound to.
using Binding = std::pair<std::string, std::vector<std::uint32_t>>;
struct Found {
  std::uint32_t literal;
  std::string rule;
  std::vector<Binding> bindings;
};

std::vector<Binding> bindings_of(const rw::CompiledRule& rule, const rw::Matcher<AigMatchStore>& matcher) {
  std::vector<Binding> result;
  for (std::uint32_t i = 0; i < rule.rule.slots.size(); ++i) {
    const rw::Slot& slot = matcher.slot(i);
    std::vector<std::uint32_t> literals;
    if (slot.kind == rw::SlotKind::kInstr) {
      literals.push_back(slot.node);
    } else if ((slot.kind == rw::SlotKind::kOperand && !slot.is_number) || slot.kind == rw::SlotKind::kList) {
      for (std::uint32_t k = 0; k < matcher.count(slot); ++k) {
        const auto ref = matcher.operand(slot, k).ref;
        literals.push_back(ref.kind == dynomite::ir::kind::kConstant ? static_cast<std::uint32_t>(ref.payload)
                                                                     : ref.id);
      }
    } else {
      continue;
    }
    result.emplace_back(rule.rule.slots[i], std::move(literals));
  }
  return result;
}

/// The first match of each rule at each literal.
std::vector<Found> find(const AigStore& aig, const rw::PyRuleSet& rules, dynomite::Stop& stop) {
  const AigMatchStore store(aig, *rules.registry);
  rw::Matcher<AigMatchStore> matcher(store);
  rw::Checker<AigMatchStore> checker(matcher);
  std::vector<rw::KnownInstr> known;
  std::vector<Found> result;
  const rw::DecisionTree& tree = rules.set->tree();
  for (std::uint32_t literal = 2; literal < store.size(); ++literal) {
    if (literal % 1024 == 0 && stop.poll_clock()) throw dynomite::LimitError("matching was stopped");
    const rw::Shape shape = store.shape(literal);
    if (shape.count == 1) continue;
    for (const rw::Candidate& candidate : tree.candidates(store, literal, shape, known)) {
      const rw::CompiledRule& rule = rules.set->rules()[candidate.rule];
      bool is_match = false;
      if (candidate.variant != rw::kNoSlot) {
        is_match = matcher.match_line(rule, tree.variant(candidate.variant), literal, shape) &&
                   checker.native_hold(rule.rule);
      } else {
        for (bool more = matcher.first(rule, literal); more && !is_match; more = !is_match && matcher.next())
          is_match = checker.native_hold(rule.rule);
      }
      const bool is_known =
          !result.empty() && result.back().literal == literal && result.back().rule == rule.rule.name;
      if (is_match && !is_known) result.push_back({literal, rule.rule.name, bindings_of(rule, matcher)});
    }
  }
  return result;
}

nb::list aig_matches(const rw::PyRuleSet& rules, const AigStore& aig, dynomite::Stop* given) {
  if (rules.set->has_callbacks()) {
    throw dynomite::UsageError("aig_matches: rules with Python conditions or actions do not match in AIGs");
  }
  std::vector<Found> found;
  {
    const ReadLease reading(aig.access());
    dynomite::run_long(given, [&](dynomite::Stop& stop) { found = find(aig, rules, stop); });
  }
  nb::list result;
  for (const Found& match : found) {
    nb::dict names;
    for (const auto& [name, literals] : match.bindings) names[name.c_str()] = nb::cast(literals);
    result.append(nb::make_tuple(match.literal, match.rule, names));
  }
  return result;
}

}  // namespace

}  // namespace dmt

void bind_rewrite_aig(nb::module_& m) {
  m.def("aig_matches", &dmt::aig_matches, nb::arg("rules"), nb::arg("aig"), nb::kw_only(),
        nb::arg("stop").none() = nb::none(),
        nb::sig("def aig_matches(rules: NativeRuleSet, aig: dynomite._native.aig.Aig, *, stop: "
                "dynomite._native.base.Stop | None = None) -> list[tuple[int, str, dict[str, list[int]]]]"),
        "The first match of each rule at each literal of an AIG: the literal, the rule, the literals that "
        "names "
        "are bound to; see `dmt_dialect.rewriting.aig_matching`. Without the GIL.");
}
