#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

/// A remark on a violation, at another instruction.
struct ViolationNote {
  std::string message;
  InstrId instr;
};

/// One broken invariant.
struct Violation {
  std::string message;  // names the operation
  InstrId instr;
  std::vector<ViolationNote> notes = {};
};

struct VerifyParams {
  std::size_t limit = 1000;  // violations kept; the rest is counted
};

struct VerifyStats {
  std::uint64_t visited = 0;
  std::uint64_t violations = 0;
};

/// Collects all violations of what every module must obey:
/// * operations are declared, have the definitions and uses they declare, and values of one type where the
///   operation says so;
/// * values are used where their definition is visible (see Dominance), not across isolated operations, and
///   what stands in no block makes no cycle;
/// * a terminator ends its block and goes to blocks of its region; where a region has several blocks, each
///   ends with one; regions are defined once and do not contain themselves;
/// * symbols have a name of their own in the table they stand in, define no values and have a known
///   visibility; references resolve and do not reach private symbols from outside of their table;
/// * tokens do not pass through operations that hand values on;
/// * dsl.DIALECT holds declarations and stands in the outermost region.
/// Linear expected time but for nesting between definition and use; no recursion.
VerifyStats find_violations(const Module& module, const VerifyParams& params, Stop& stop,
                            std::vector<Violation>& violations);

/// "FILE:LINE:COL: error: ..." for each violation and its notes; places as far as locations are known.
std::string render(const Module& module, const std::vector<Violation>& violations, std::uint64_t total);

/// Throws VerifyError with all violations if there are any.
VerifyStats verify(const Module& module, const VerifyParams& params, Stop& stop);

}  // namespace dynomite::ir
