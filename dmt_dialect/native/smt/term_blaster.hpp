#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/smt/evaluate_terms.hpp"
#include "dmt_dialect/native/smt/simplify.hpp"
#include "dmt_dialect/native/smt/term_store.hpp"
#include "dmt_dialect/native/word/blast.hpp"

namespace dmt::smt {

/// Terms as gates of one AIG, made as they are asked for: simplified, then bit-blasted by the table of word
/// operators. Each variable has as many inputs as it has bits, bit 0 first, added when it is met.
class TermBlaster {
 public:
  /// `aig` holds nothing but what this object puts there.
  TermBlaster(TermStore& terms, AigStore& aig, Architecture architecture = {})
      : terms_(terms), aig_(aig), simplifier_(terms), architecture_(architecture) {}

  static constexpr std::uint64_t kMaxAnds = std::uint64_t{1} << 26;
  static constexpr std::uint64_t kMaxBits = std::uint64_t{1} << 28;

  /// Appends the literals of `root`, bit 0 first. False when `stop` ended it: nothing was appended. Throws
  /// LimitError for more gates or bits than these: products and quotients before they are made.
  [[nodiscard]] bool blast(TermId root, dynomite::Stop& stop, std::vector<Lit>& result);

  /// The variables met so far and the number of the AIG input of their bit 0.
  struct Variable {
    TermId term;
    std::uint32_t first_input;
  };
  const std::vector<Variable>& variables() const { return variables_; }
  /// Values of the variables from those of the AIG's inputs, one byte each; missing ones are 0.
  Model model(std::span<const std::uint8_t> inputs) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  WordLits lits(TermId id) const { return {lits_.data() + first_[id.index()], terms_.sort(id).width()}; }
  bool known(TermId id) const { return id.index() < first_.size() && first_[id.index()] != kNone; }
  static void check_size(std::uint64_t ands);
  bool blast_one(TermId id, dynomite::Stop& stop);

  TermStore& terms_;
  AigStore& aig_;
  Simplifier simplifier_;
  Architecture architecture_;
  std::vector<Variable> variables_;
  std::vector<Lit> lits_;
  std::vector<std::uint32_t> first_;
};

}  // namespace dmt::smt
