#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/smt/term_store.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::smt {

enum class CommandKind : std::uint8_t {
  kSetLogic,             ///< texts: the logic
  kSetInfo,              ///< texts: keyword, value
  kSetOption,            ///< texts: keyword, value
  kDeclare,              ///< terms: the variable; texts: its name
  kDefine,               ///< a function or a sort; nothing is left to do
  kAssert,               ///< terms: it; texts: its text, and its name if it has one
  kCheckSat,             //
  kCheckSatAssuming,     ///< terms; texts: their texts
  kPush,                 ///< number of levels
  kPop,                  ///< number of levels
  kGetModel,             //
  kGetValue,             ///< terms; texts: their texts
  kGetUnsatCore,         //
  kGetUnsatAssumptions,  //
  kGetAssertions,        //
  kGetAssignment,        //
  kGetInfo,              ///< texts: the keyword
  kGetOption,            ///< texts: the keyword
  kGetProof,             //
  kEcho,                 ///< texts: the string with its quotes
  kReset,                //
  kResetAssertions,      //
  kExit,
};

struct Command {
  CommandKind kind = CommandKind::kExit;
  dynomite::SourcePlace place;
  std::uint32_t number = 0;
  std::vector<TermId> terms;
  std::vector<std::string> texts;
  /// Every `(! t :named n)` in its terms: names and what they name.
  std::vector<std::string> named;
  std::vector<TermId> named_terms;
};

/// A whole script, its names resolved and its sorts checked.
struct Script {
  TermStore terms;
  std::vector<Command> commands;
};

/// Limits that keep small files from becoming large terms.
struct ScriptLimits {
  /// Terms made by putting arguments into bodies of defined functions, and by `distinct`.
  std::uint64_t expansion = 2'000'000;
  std::uint32_t levels = 100'000;
};

/// Reads SMT-LIB 2.6 text of the logic QF_BV (with the overflow predicates of 2.7), to its end or to
/// `(exit)`.
///
/// Defined functions are expanded, `let` is resolved; nothing else is changed. The reader keeps track of push
/// and pop, so every name is what it is at that point of the script. Throws ParseError with line and column
/// at the first fault; LimitError for `limits`, or when `stop` ends it. No recursion; linear, but for
/// expansion.
Script read_script(std::string_view data, const std::string& name, dynomite::Stop& stop,
                   ScriptLimits limits = {});

}  // namespace dmt::smt
