#include "dmt_dialect/native/smt/evaluate_terms.hpp"

#include "dynomite/native/base/error.hpp"

namespace dmt::smt {

std::optional<std::vector<BitVec>> evaluate_terms(const TermStore& terms, std::span<const TermId> roots,
                                                  const Model& model, dynomite::Stop& stop) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> places(terms.size(), kNone);
  std::vector<BitVec> values;
  std::vector<const BitVec*> operands;
  bool stopped = false;
  visit_below(
      terms, roots, [&](TermId id) { return !stopped && places[id.index()] == kNone; },
      [&](TermId id) {
        stopped = stop.poll();
        if (stopped) return;
        places[id.index()] = static_cast<std::uint32_t>(values.size());
        switch (terms.kind(id)) {
          case TermKind::kConstant: values.push_back(terms.value(id)); return;
          case TermKind::kParameter: throw dynomite::UsageError("a term with parameters has no value");
          case TermKind::kVariable: {
            const BitVec* value = model.find(id);
            if (value != nullptr) {
              values.push_back(*value);
            } else {
              values.emplace_back(terms.sort(id).width());
            }
            return;
          }
          case TermKind::kOp: break;
        }
        operands.clear();
        for (const TermId operand : terms.operands(id)) operands.push_back(&values[places[operand.index()]]);
        values.push_back(evaluate(terms.word_op(id), operands, terms.params(id)));
      });
  if (stopped) return std::nullopt;
  std::vector<BitVec> result;
  result.reserve(roots.size());
  for (const TermId root : roots) result.push_back(values[places[root.index()]]);
  return result;
}

}  // namespace dmt::smt
