#pragma once

#include <cstdint>
#include <vector>

#include "dynomite/native/rewrite/code.hpp"

namespace dynomite::rewrite {

/// One step of a pattern without choices: a test of operand `at` of a list of operands, or a name for it.
/// Lists are named by the nodes of the pattern whose operands they are.
struct LineOp {
  MatchOp op = MatchOp::kAny;
  std::uint8_t sides = 0;
  std::uint32_t list = 0, at = 0;
  std::uint32_t a = 0;      // as in MatchInstr
  std::uint32_t count = 0;  // kEnter: number of operands there
};

/// One of the forms that what a rule matches can take.
struct Variant {
  std::uint32_t rule = 0;
  std::uint32_t length = 0;  // operands of the root
  std::vector<LineOp> ops;
  /// The steps are the whole pattern; else they are what is certain about it.
  bool is_whole = true;
};

/// All forms of a rule in the order of search, together what it matches, or at least that. One form without
/// steps where there would be too many.
std::vector<Variant> variants_of(const Rule& rule, std::uint32_t number);

}  // namespace dynomite::rewrite
