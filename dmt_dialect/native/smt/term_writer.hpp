#pragma once

#include <span>
#include <string>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/smt/term_store.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::smt {

/// A constant as SMT-LIB writes it: true, #b101, #x0f.
std::string value_text(Sort sort, const BitVec& value);

/// Writes terms so that no reader meets deep nesting: a term that is used twice, or lies at the end of a long
/// chain, is defined by `define-fun` before it is used.
class TermWriter {
 public:
  TermWriter(const TermStore& terms, dynomite::ByteSink& sink, dynomite::Stop& stop);

  enum class Naming : std::uint8_t {
    kOwn,      ///< Their names; where two are the same, with a suffix.
    kNumbered  ///< "v!" and the number of the term.
  };
  /// Declares the variables below `roots`, to be called once and first; returns them, in the order of their
  /// ids.
  std::vector<TermId> declare(std::span<const TermId> roots, Naming naming = Naming::kOwn);
  /// Defines what `root` needs; then its text, which the caller puts into a command. Throws UsageError for an
  /// operator SMT-LIB has no name for.
  std::string define(TermId root);
  void write(std::string_view text);

 private:
  std::string text(TermId id) const;
  std::string application(TermId id) const;

  const TermStore& terms_;
  dynomite::ByteSink& sink_;
  dynomite::Stop& stop_;
  /// What stands for a term: its name, or all of it.
  std::vector<std::string> texts_;
  std::vector<std::uint32_t> depths_;
  std::vector<bool> used_once_;
  std::vector<bool> done_;
  std::string prefix_;
  std::uint64_t defined_ = 0;
};

/// A script that asserts `assertions` and checks them. An entry of `names` that is not empty is the
/// assertion's.
void write_terms(const TermStore& terms, std::span<const TermId> assertions,
                 std::span<const std::string> names, dynomite::ByteSink& sink, dynomite::Stop& stop);

/// As text for z3, without a check: variables are "v!N", and guarded term k holds if the Boolean constant
/// "guard!k" does. Returns the variables.
std::vector<TermId> write_for_z3(const TermStore& terms, std::span<const TermId> plain,
                                 std::span<const TermId> guarded, dynomite::ByteSink& sink,
                                 dynomite::Stop& stop);

/// A circuit over Boolean constants, latches cut: inputs and latches are declared, ANDs, outputs, next
/// states, bad states and constraints defined, constraints asserted, and that some bad state (some output, if
/// there is none) is true; and a check of that.
void write_aig(const AigStore& aig, dynomite::ByteSink& sink, dynomite::Stop& stop);

}  // namespace dmt::smt
