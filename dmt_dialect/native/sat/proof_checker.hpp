#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// What became of a proof check.
struct ProofCheck {
  enum class Result : std::uint8_t { kVerified, kRejected, kStopped };
  Result result = Result::kRejected;
  /// Why a proof was rejected, with the line of the step.
  std::string reason;
  std::uint64_t clauses = 0;
  std::uint64_t steps = 0;
};

/// Checks a clausal refutation: every added clause must follow from those before it by unit propagation
/// (RUP), and the empty clause must be among them. `cnf` is DIMACS, `proof` DRAT text; deletions are obeyed
/// (unit clauses stay, as in the usual checkers). Steps that need RAT are rejected.
///
/// Written to be read and trusted on its own: it shares no code with the solver. Forward checking; memory
/// is linear in the two files. (Goldberg and Novikov, DATE 2003; Heule, Hunt, Wetzler, "Trimming while
/// checking clausal proofs", FMCAD 2013.)
///
/// Throws ParseError for malformed files.
ProofCheck check_proof(std::string_view cnf, const std::string& cnf_name, std::string_view proof,
                       const std::string& proof_name, dynomite::Stop& stop);

}  // namespace dmt
