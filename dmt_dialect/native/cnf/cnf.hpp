#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace dmt {

/// A formula in conjunctive normal form. Variables count from 1; literals are signed, as in DIMACS. Clauses
/// lie one after another in one array, each ended by a 0: 4 bytes a literal.
class Cnf {
 public:
  static constexpr std::uint32_t kMaxVariable = 0x7FFFFFFEU;

  std::uint32_t variables() const { return variables_; }
  std::uint64_t clause_count() const { return clauses_; }
  /// All clauses, each ended by a 0.
  std::span<const std::int32_t> data() const { return literals_; }

  /// One more variable. Throws LimitError past `kMaxVariable`.
  std::int32_t add_variable();
  /// At least so many variables.
  void grow_variables(std::uint32_t count) { variables_ = count > variables_ ? count : variables_; }
  /// Adds a literal to the clause that is being written; not 0. Its variable need not be known before.
  void literal(std::int32_t lit) {
    literals_.push_back(lit);
    grow_variables(static_cast<std::uint32_t>(lit < 0 ? -lit : lit));
  }
  void end_clause() {
    literals_.push_back(0);
    ++clauses_;
  }
  void clause(std::initializer_list<std::int32_t> lits) {
    for (const std::int32_t lit : lits) literal(lit);
    end_clause();
  }
  /// Forgets the clauses, keeps the variables.
  void clear_clauses() {
    literals_.clear();
    clauses_ = 0;
  }

  /// Number, from 0, of the first clause that `values` (entry v - 1 for variable v; missing ones are false)
  /// does not satisfy; nothing if all are satisfied. Linear.
  std::optional<std::uint64_t> first_falsified(std::span<const std::uint8_t> values) const;

 private:
  std::uint32_t variables_ = 0;
  std::uint64_t clauses_ = 0;
  std::vector<std::int32_t> literals_;
};

}  // namespace dmt
