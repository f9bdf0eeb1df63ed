#include <string>

#include "dmt_dialect/native/sat/proof_checker.hpp"
#include "dynomite/native/base/error.hpp"
#include "tests/native/check.hpp"

namespace {

using Result = dmt::ProofCheck::Result;

dmt::ProofCheck check(const std::string& cnf, const std::string& proof) {
  dynomite::Stop stop;
  return dmt::check_proof(cnf, "f.cnf", proof, "f.drat", stop);
}

// All four clauses over two variables.
const std::string kFour = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n";

}  // namespace

TEST(a_refutation_is_verified) { CHECK(check(kFour, "2 0\n0\n").result == Result::kVerified); }

TEST(comments_and_line_breaks_mean_nothing) {
  CHECK(check("c hello\np cnf 2 4\n1 2 0 -1\n2 0\n1 -2 0\n-1 -2 0\n", "c proof\n2\n0\n0\n").result ==
        Result::kVerified);
}

TEST(a_step_that_does_not_follow_is_rejected_with_its_line) {
  const auto result = check("p cnf 3 2\n1 2 0\n-1 2 0\n", "2 0\n3 0\n0\n");
  CHECK(result.result == Result::kRejected);
  CHECK(result.reason.find("line 2") != std::string::npos);
}

TEST(a_satisfiable_formula_has_no_proof) {
  CHECK(check("p cnf 2 2\n1 2 0\n-1 2 0\n", "2 0\n0\n").result == Result::kRejected);
  CHECK(check("p cnf 2 2\n1 2 0\n-1 2 0\n", "2 0\n").result == Result::kRejected);
  CHECK(check("p cnf 2 2\n1 2 0\n-1 2 0\n", "").result == Result::kRejected);
}

TEST(deleted_clauses_may_not_be_used) {
  CHECK(check(kFour, "d 2 1 0\n2 0\n0\n").result == Result::kRejected);
  CHECK(check(kFour, "d 1 3 0\n2 0\n0\n").result == Result::kVerified);
}

TEST(the_empty_clause_must_be_written) { CHECK(check(kFour, "2 0\n").result == Result::kRejected); }

TEST(large_numbers_of_variables_cost_no_memory) {
  // Tables by these numbers would take some 50 GB.
  const std::string high = "1073741823";
  CHECK(check("p cnf " + high + " 4\n1 " + high + " 0\n-1 " + high + " 0\n1 -" + high + " 0\n-1 -" + high +
                  " 0\n",
              high + " 0\n0\n")
            .result == Result::kVerified);
  CHECK(check(kFour, high + " 2 0\n" + "1000000000 2 0\n2 0\n0\n").result == Result::kVerified);
  CHECK(check(kFour, high + " 0\n0\n").result == Result::kRejected);
}

TEST(malformed_files_are_parse_errors) {
  for (const std::string cnf :
       {"", "1 0\n", "p dnf 1 1\n1 0\n", "p cnf 1 1\n1\n", "p cnf 1 2\n1 0\n", "p cnf 1 1\nx 0\n",
        "p cnf 1 1\n99999999999999999999 0\n", "p cnf 1 1\n- 0\n", "p cnf\n", "p cnf 1 0\np cnf 1 0\n"}) {
    CHECK_THROWS(check(cnf, "0\n"), dynomite::ParseError);
  }
  CHECK_THROWS(check(kFour, "1 2"), dynomite::ParseError);
  CHECK_THROWS(check(kFour, "d"), dynomite::ParseError);
  CHECK_THROWS(check(kFour, "1 q 0\n"), dynomite::ParseError);
}
