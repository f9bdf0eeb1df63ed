#include "dmt_dialect/native/smt/term_blaster.hpp"

#include <array>

#include "dynomite/native/base/error.hpp"

namespace dmt::smt {

bool TermBlaster::blast(TermId root, dynomite::Stop& stop, std::vector<Lit>& result) {
  const TermId simple = simplifier_.simplify(root, stop);
  if (simple.is_none()) return false;
  first_.resize(terms_.size(), kNone);
  bool going = true;
  visit_below(
      terms_, std::array{simple}, [&](TermId id) { return going && !known(id); },
      [&](TermId id) { going = !stop.poll() && blast_one(id, stop); });
  if (!going) return false;
  const WordLits word = lits(simple);
  result.insert(result.end(), word.begin(), word.end());
  return true;
}

bool TermBlaster::blast_one(TermId id, dynomite::Stop& stop) {
  const std::uint32_t width = terms_.sort(id).width();
  if (lits_.size() + width > kMaxBits) throw dynomite::LimitError("terms of more than 2^28 bits in all");
  const auto start = static_cast<std::uint32_t>(lits_.size());
  switch (terms_.kind(id)) {
    case TermKind::kConstant: append_constant(terms_.value(id), lits_); break;
    case TermKind::kParameter: throw dynomite::UsageError("a term with parameters cannot be bit-blasted");
    case TermKind::kVariable: {
      variables_.push_back({id, static_cast<std::uint32_t>(aig_.inputs().size())});
      const std::uint32_t node = aig_.add_inputs(width).node().index();
      for (std::uint32_t bit = 0; bit < width; ++bit) lits_.emplace_back(NodeId(node + bit), false);
      break;
    }
    case TermKind::kOp: {
      std::vector<WordLits> operands;
      for (const TermId operand : terms_.operands(id)) operands.push_back(lits(operand));
      check_size(aig_.and_count() + square_ands(terms_.word_op(id), operands));
      // Appended at the end only, when all is done: the operands stay where they are until then.
      if (!dmt::blast(aig_, terms_.word_op(id), operands, terms_.params(id), architecture_, stop, lits_)) {
        return false;
      }
      break;
    }
  }
  check_size(aig_.and_count());
  first_[id.index()] = start;
  return true;
}

void TermBlaster::check_size(std::uint64_t ands) {
  if (ands > kMaxAnds) throw dynomite::LimitError("the terms have more than 2^26 gates");
}

Model TermBlaster::model(std::span<const std::uint8_t> inputs) const {
  Model model;
  for (const Variable& variable : variables_) {
    BitVec value(terms_.sort(variable.term).width());
    for (std::uint32_t bit = 0; bit < value.width(); ++bit) {
      const std::size_t input = std::size_t{variable.first_input} + bit;
      if (input < inputs.size() && inputs[input] != 0) value.set_bit(bit, true);
    }
    model.set(variable.term, std::move(value));
  }
  return model;
}

}  // namespace dmt::smt
