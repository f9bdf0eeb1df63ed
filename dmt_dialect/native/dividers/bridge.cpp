#include "dmt_dialect/native/dividers/bridge.hpp"

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/dividers/stage_proof.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::dividers {

namespace {

void check(const AigStore& aig, const Operands& operands) {
  const std::size_t bits = operands.dividend.size();
  if (!aig.latches().empty()) throw dynomite::UsageError("build_bridge: the AIG has latches");
  const bool fits = operands.kind == Kind::kQuotient ? operands.divisor.size() == bits
                                                     : operands.divisor.empty() && bits % 2 == 0;
  if (bits == 0 || !fits) throw dynomite::UsageError("build_bridge: the widths of the operands do not fit");
  for (const std::vector<Lit>* word : {&operands.dividend, &operands.divisor}) {
    for (const Lit lit : *word) {
      if (!aig.contains(lit) || !aig.is_input(lit.node()))
        throw dynomite::UsageError("build_bridge: an operand is no input");
    }
  }
}

void keep(Bridge& bridge, const Bits& word) {
  bridge.words.insert(bridge.words.end(), word.begin(), word.end());
}

/// Bits beyond `right` are copies of `beyond`.
void equate(Bridge& bridge, const Bits& left, const Bits& right, Lit beyond) {
  for (std::size_t i = 0; i < left.size(); ++i)
    bridge.facts.emplace_back(left[i], i < right.size() ? right[i] : beyond);
  keep(bridge, left);
}

/// All functions of the top bit of the minuend and the carry into it, which are never both 1.
void narrow(Gates& g, Bridge& bridge, const Stage& stage) {
  const Lit top = stage.minuend.back();
  bridge.facts.emplace_back(g.aig.and_(top, stage.carry), kFalse);
  bridge.facts.emplace_back(g.aig.and_(top, ~stage.carry), top);
  bridge.facts.emplace_back(g.aig.and_(~top, stage.carry), stage.carry);
}

/// False if a stage could not be proved.
bool add_stages(Gates& g, const Operands& operands, Bridge& bridge) {
  const Kind kind = operands.kind;
  const std::size_t step = digits_of(kind);
  const std::size_t stages = operands.dividend.size() / step;
  StageProver prover(kind, operands.dividend.size() + 2, g.stop);
  const auto moved = [&](const std::vector<Lit>& word) {
    Bits lits;
    for (const Lit lit : word) lits.push_back(mapped(bridge.map, lit));
    return lits;
  };
  const Bits dividend = moved(operands.dividend);
  Stage last = start_stage(kind, moved(operands.divisor));
  for (std::size_t k = 1; k <= stages; ++k) {
    if (!prover.prove(last.remainder.size(), last.result.size(), operands.divisor.size(), k < stages))
      return false;
    const WordLits incoming = WordLits(dividend).subspan(dividend.size() - step * k, step);
    Stage stage = next_stage(g, kind, last, incoming);
    keep(bridge, stage.difference);
    if (narrows(stage)) narrow(g, bridge, stage);
    if (k > 1) {
      equate(bridge, difference_of_difference(g, kind, last, incoming, last.digit), stage.difference,
             stage.difference.back());
    }
    Bits whole = whole_remainder(g, stage, stage.digit);
    equate(bridge, whole, stage.remainder, kFalse);
    keep(bridge, stage.remainder);
    last = std::move(stage);
  }
  equate(bridge, corrected(g, last, last.digit), last.remainder, kFalse);
  return true;
}

}  // namespace

std::optional<Bridge> build_bridge(const AigStore& aig, const Operands& operands, dynomite::Stop& stop) {
  check(aig, operands);
  Bridge bridge;
  bridge.aig.add_inputs(static_cast<std::uint32_t>(aig.inputs().size()));
  std::vector<Lit> inputs;
  for (const NodeId id : bridge.aig.inputs()) inputs.emplace_back(id, false);
  bridge.map.assign(aig.node_count(), kFalse);
  for (std::size_t i = 0; i < inputs.size(); ++i) bridge.map[aig.inputs()[i].index()] = inputs[i];
  const Architecture architecture;
  Gates g{bridge.aig, architecture, stop};
  try {
    if (!add_stages(g, operands, bridge)) return std::nullopt;
    bridge.map = append(bridge.aig, aig, inputs, AppendMode::kHashed, stop);
  } catch (const word::Interrupted&) {
    return std::nullopt;
  } catch (const dynomite::LimitError&) {
    return std::nullopt;
  }
  return bridge;
}

}  // namespace dmt::dividers
