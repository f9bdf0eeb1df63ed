#pragma once

#include <vector>

#include "dmt_dialect/native/smt/term_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::smt {

/// Rewrites terms into equal, smaller ones: constants are folded, neutral elements dropped, comparisons
/// brought to ULT, SLT and EQ, slices moved inwards, operands of commutative operators ordered. Each rule
/// carries its law. Remembers every term it has met.
class Simplifier {
 public:
  explicit Simplifier(TermStore& terms) : terms_(terms) {}

  /// The simpler equal of `root`; none if `stop` ended it. Linear in the terms below it that are new.
  TermId simplify(TermId root, dynomite::Stop& stop);

 private:
  bool known(TermId id) const { return id.index() < images_.size() && !images_[id.index()].is_none(); }
  void remember(TermId id, TermId image);
  /// The operator on simplified operands. Calls itself on terms that are smaller, a few levels deep.
  TermId build(WordOp op, std::span<const TermId> operands, Sort sort, std::uint32_t hi, std::uint32_t lo);
  TermId rewrite(WordOp op, std::span<const TermId> operands, Sort sort, std::uint32_t hi, std::uint32_t lo);
  TermId rewrite_two(WordOp op, TermId a, TermId b, Sort sort);
  TermId rewrite_mux(TermId select, TermId then, TermId otherwise, Sort sort);
  TermId rewrite_slice(TermId a, Sort sort, std::uint32_t hi, std::uint32_t lo);
  TermId fold(WordOp op, std::span<const TermId> operands, Sort sort, std::uint32_t hi, std::uint32_t lo);

  TermId inverted(TermId a);
  TermId truth(bool value, Sort sort) { return terms_.constant(sort, BitVec(1, value ? 1 : 0)); }
  TermId zero(Sort sort) { return terms_.constant(sort, std::span<const std::uint64_t>()); }
  bool is(TermId a, WordOp op) const { return terms_.kind(a) == TermKind::kOp && terms_.word_op(a) == op; }
  bool are_opposite(TermId a, TermId b) const;
  bool is_zero(TermId a) const { return terms_.is_constant(a) && terms_.value(a).is_zero(); }
  bool is_ones(TermId a) const { return terms_.is_constant(a) && terms_.value(a).is_ones(); }
  bool is_one(TermId a) const { return terms_.is_constant(a) && terms_.value(a).saturated() == 1; }

  TermStore& terms_;
  std::vector<TermId> images_;
};

}  // namespace dmt::smt
