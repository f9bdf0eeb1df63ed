#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt::algebra {

inline constexpr std::size_t kValueWords = 16;
/// Values of a literal under 1024 random patterns of the inputs.
using Values = std::array<std::uint64_t, kValueWords>;

Values operator^(const Values& a, const Values& b);
Values complement(Values values);
Values majority_of(const Values& a, const Values& b, const Values& c);

/// Finds nodes by their values. What it finds is no proof. 128 bytes a node, and a table entry.
class ValueTable {
 public:
  /// Simulates all nodes. Linear.
  explicit ValueTable(const AigStore& store);

  /// Simulates nodes that were added since; they are not found by `find`.
  void extend();
  Values value(Lit lit) const;
  /// The first node with these values, complemented where needed; nothing if there is none. The constant
  /// counts.
  std::optional<Lit> find(const Values& wanted) const;

 private:
  struct Hash {
    std::size_t operator()(const Values& values) const;
  };

  const AigStore& store_;
  std::vector<Values> values_;
  std::unordered_map<std::uint64_t, std::uint32_t> nodes_;  // by the hash of values whose first one is 0
};

}  // namespace dmt::algebra
