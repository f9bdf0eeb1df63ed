#include "dmt_dialect/native/sat/proof_checker.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

// Literals inside: 2 * variable + sign.
using ProofLit = std::uint32_t;
constexpr std::int64_t kMaxVariable = (std::int64_t{1} << 30) - 1;

/// Tokens of a text file, with the line they stand on.
class Tokens {
 public:
  Tokens(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  /// False at the end of the file.
  bool next(std::string_view& token) {
    while (at_ < text_.size() && is_blank(text_[at_])) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
    if (at_ == text_.size()) return false;
    const std::size_t first = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    token = text_.substr(first, at_ - first);
    return true;
  }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  std::int64_t number(std::string_view token) const {
    const bool negative = !token.empty() && token[0] == '-';
    std::int64_t value = 0;
    const std::string_view digits = token.substr(negative ? 1 : 0);
    if (digits.empty()) fail("expected a number, found '" + std::string(token.substr(0, 40)) + "'");
    for (const char c : digits) {
      if (c < '0' || c > '9') fail("expected a number, found '" + std::string(token.substr(0, 40)) + "'");
      value = value * 10 + (c - '0');
      if (value > kMaxVariable) fail("a number above the limit of 2^30 - 1");
    }
    return negative ? -value : value;
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw dynomite::ParseError(name_, {line_, 0, at_}, message);
  }
  std::uint64_t line() const { return line_; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

/// Clauses and their unit propagation.
class Checker {
 public:
  /// Adds a clause; false when it makes propagation fail for good: the formula is refuted.
  bool add(std::vector<ProofLit>& lits);
  /// Does the clause follow by unit propagation?
  bool implied(const std::vector<ProofLit>& lits);
  /// Forgets one clause of these literals, if there is one.
  void remove(std::vector<ProofLit>& lits);
  bool refuted() const { return refuted_; }

 private:
  struct Watch {
    std::size_t clause;
    ProofLit blocker;
  };

  static void tidy(std::vector<ProofLit>& lits) {
    std::sort(lits.begin(), lits.end());
    lits.erase(std::unique(lits.begin(), lits.end()), lits.end());
  }
  static std::uint64_t key(const std::vector<ProofLit>& sorted) {
    std::uint64_t hash = sorted.size();
    for (const ProofLit lit : sorted) hash = (hash ^ lit) * 0x100000001B3ULL;
    return hash;
  }
  void grow(ProofLit lit) {
    const std::size_t needed = (lit | 1U) + std::size_t{1};
    if (values_.size() >= needed) return;
    values_.resize(needed, 0);
    watches_.resize(needed);
  }
  void assign(ProofLit lit) {
    values_[lit] = 1;
    values_[lit ^ 1U] = -1;
    trail_.push_back(lit);
  }
  bool propagate();

  std::vector<ProofLit> pool_;  // size, literals, ...; size 0 marks a deleted clause
  std::unordered_multimap<std::uint64_t, std::size_t> by_key_;
  std::vector<std::int8_t> values_;
  std::vector<std::vector<Watch>> watches_;  // of a literal: clauses to look at when it becomes false
  std::vector<ProofLit> trail_;
  std::size_t head_ = 0;
  bool refuted_ = false;
};

bool Checker::propagate() {
  while (head_ < trail_.size()) {
    const ProofLit falsified = trail_[head_++] ^ 1U;
    std::vector<Watch>& list = watches_[falsified];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Watch watch = list[i];
      if (values_[watch.blocker] > 0) {
        list[kept++] = watch;
        continue;
      }
      const ProofLit size = pool_[watch.clause];
      if (size == 0) continue;
      ProofLit* lits = pool_.data() + watch.clause + 1;
      if (lits[0] == falsified) std::swap(lits[0], lits[1]);
      if (values_[lits[0]] > 0) {
        list[kept++] = {watch.clause, lits[0]};
        continue;
      }
      bool moved = false;
      for (ProofLit k = 2; k < size && !moved; ++k) {
        if (values_[lits[k]] < 0) continue;
        std::swap(lits[1], lits[k]);
        watches_[lits[1]].push_back({watch.clause, lits[0]});
        moved = true;
      }
      if (moved) continue;
      list[kept++] = watch;
      if (values_[lits[0]] == 0) {
        assign(lits[0]);
        continue;
      }
      for (++i; i < list.size(); ++i) list[kept++] = list[i];
      list.resize(kept);
      return false;
    }
    list.resize(kept);
  }
  return true;
}

bool Checker::add(std::vector<ProofLit>& lits) {
  if (refuted_) return false;
  tidy(lits);
  for (const ProofLit lit : lits) grow(lit);
  const std::size_t clause = pool_.size();
  pool_.push_back(static_cast<ProofLit>(lits.size()));
  by_key_.emplace(key(lits), clause);
  // Literals that are not false come first: the watches.
  std::stable_partition(lits.begin(), lits.end(), [this](ProofLit lit) { return values_[lit] >= 0; });
  pool_.insert(pool_.end(), lits.begin(), lits.end());
  const std::size_t open = static_cast<std::size_t>(
      std::find_if(lits.begin(), lits.end(), [this](ProofLit lit) { return values_[lit] < 0; }) -
      lits.begin());
  if (open == 0) {
    refuted_ = true;
    return false;
  }
  if (lits.size() >= 2) {
    watches_[lits[0]].push_back({clause, lits[1]});
    watches_[lits[1]].push_back({clause, lits[0]});
  }
  if (open == 1 && values_[lits[0]] == 0) {
    assign(lits[0]);
    if (!propagate()) refuted_ = true;
  }
  return !refuted_;
}

bool Checker::implied(const std::vector<ProofLit>& lits) {
  if (refuted_) return true;
  const std::size_t mark = trail_.size();
  bool conflict = false;
  for (const ProofLit lit : lits) {
    grow(lit);
    if (values_[lit] > 0) conflict = true;
    if (values_[lit] == 0) assign(lit ^ 1U);
  }
  if (!conflict) conflict = !propagate();
  for (std::size_t i = mark; i < trail_.size(); ++i) {
    values_[trail_[i]] = 0;
    values_[trail_[i] ^ 1U] = 0;
  }
  trail_.resize(mark);
  head_ = mark;
  return conflict;
}

void Checker::remove(std::vector<ProofLit>& lits) {
  tidy(lits);
  if (lits.size() < 2) return;
  const auto [first, last] = by_key_.equal_range(key(lits));
  for (auto it = first; it != last; ++it) {
    const std::size_t clause = it->second;
    if (pool_[clause] != lits.size()) continue;
    const auto begin = pool_.begin() + static_cast<std::ptrdiff_t>(clause) + 1;
    std::vector<ProofLit> own(begin, begin + static_cast<std::ptrdiff_t>(lits.size()));
    std::sort(own.begin(), own.end());
    if (own != lits) continue;
    // What this clause has already implied at the top stays, as in the usual checkers.
    pool_[clause] = 0;
    by_key_.erase(it);
    return;
  }
}

/// Gives variables numbers of their own, in the order in which they are met, so that no table is larger than
/// the files, whatever numbers are in them.
class Variables {
 public:
  /// Numbers below `direct` are looked up in an array.
  explicit Variables(std::size_t direct) : most_direct_(direct) {}

  ProofLit literal(std::int64_t number) {
    const auto variable = static_cast<std::uint32_t>(number < 0 ? -number : number);
    return 2 * own_number(variable) + static_cast<ProofLit>(number < 0);
  }

 private:
  std::uint32_t own_number(std::uint32_t variable) {
    if (variable < most_direct_ && variable >= direct_.size()) {
      direct_.resize(std::min<std::size_t>(most_direct_, 2 * std::size_t{variable} + 1), 0);
    }
    std::uint32_t& own = variable < direct_.size() ? direct_[variable] : others_[variable];
    if (own == 0) own = ++count_;
    return own;
  }

  std::size_t most_direct_;
  std::vector<std::uint32_t> direct_;  // 0: not met yet
  std::unordered_map<std::uint32_t, std::uint32_t> others_;
  std::uint32_t count_ = 0;
};

void read_clause(Tokens& tokens, std::string_view token, Variables& variables, std::vector<ProofLit>& lits) {
  lits.clear();
  for (;;) {
    const std::int64_t number = tokens.number(token);
    if (number == 0) return;
    lits.push_back(variables.literal(number));
    if (!tokens.next(token)) tokens.fail("the last clause has no closing 0");
  }
}

}  // namespace

ProofCheck check_proof(std::string_view cnf, const std::string& cnf_name, std::string_view proof,
                       const std::string& proof_name, dynomite::Stop& stop) {
  ProofCheck check;
  Checker checker;
  Variables variables(cnf.size() + proof.size());
  std::vector<ProofLit> lits;
  std::string_view token;
  Tokens formula(cnf, cnf_name);
  bool header = false;
  std::int64_t promised = 0;
  while (formula.next(token)) {
    if (token[0] == 'c') {
      formula.skip_line();
    } else if (token == "p") {
      if (header) formula.fail("a second header");
      header = true;
      if (!formula.next(token) || token != "cnf") formula.fail("expected 'p cnf VARIABLES CLAUSES'");
      if (!formula.next(token)) formula.fail("the header has no number of variables");
      if (formula.number(token) < 0) formula.fail("a negative number of variables");
      if (!formula.next(token)) formula.fail("the header has no number of clauses");
      promised = formula.number(token);
    } else {
      if (!header) formula.fail("a clause before the header 'p cnf VARIABLES CLAUSES'");
      read_clause(formula, token, variables, lits);
      checker.add(lits);
      ++check.clauses;
      if ((check.clauses & 1023U) == 0 && stop.poll_clock()) {
        check.result = ProofCheck::Result::kStopped;
        return check;
      }
    }
  }
  if (!header) formula.fail("no header 'p cnf VARIABLES CLAUSES'");
  if (static_cast<std::uint64_t>(promised) != check.clauses) {
    formula.fail("the header promises " + std::to_string(promised) + " clauses, the file has " +
                 std::to_string(check.clauses));
  }
  Tokens steps(proof, proof_name);
  while (steps.next(token)) {
    if (token[0] == 'c') {
      steps.skip_line();
      continue;
    }
    if ((++check.steps & 63U) == 0 && stop.poll_clock()) {
      check.result = ProofCheck::Result::kStopped;
      return check;
    }
    const std::uint64_t line = steps.line();
    if (token == "d") {
      if (!steps.next(token)) steps.fail("'d' without a clause");
      read_clause(steps, token, variables, lits);
      checker.remove(lits);
      continue;
    }
    read_clause(steps, token, variables, lits);
    if (!checker.implied(lits)) {
      check.reason = "line " + std::to_string(line) + ": the clause does not follow by unit propagation";
      return check;
    }
    if (lits.empty()) {
      check.result = ProofCheck::Result::kVerified;
      return check;
    }
    checker.add(lits);
  }
  check.reason = "the proof ends without the empty clause";
  return check;
}

}  // namespace dmt
