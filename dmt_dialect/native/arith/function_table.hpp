#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

inline constexpr std::size_t kSignatureWords = 4;
/// Values under 256 random patterns of inputs and latches.
using Signature = std::array<std::uint64_t, kSignatureWords>;

/// Finds nodes by their values under random patterns. What it finds is no proof: nodes that differ rarely
/// look equal. 32 bytes a node for the values and about as much for the table.
class FunctionTable {
 public:
  /// Linear. Empty if `stop` ended it.
  FunctionTable(const AigStore& store, dynomite::Stop& stop);

  bool is_empty() const { return values_.empty(); }
  Signature value(Lit lit) const;
  /// A literal with these values: one that a root reads, else the last node. Of several that roots read the
  /// first one that is not in `others`, so that words whose highest bits nearly always agree stay in order.
  std::optional<Lit> find(const Signature& wanted, std::span<const Lit> others = {}) const;

 private:
  struct Hash {
    std::size_t operator()(const Signature& signature) const;
  };

  std::vector<Signature> values_;
  std::unordered_map<Signature, Lit, Hash> nodes_;              // by values whose first one is 0
  std::unordered_map<Signature, std::vector<Lit>, Hash> rest_;  // where several roots have the same
};

/// Value of pattern `at` (0 to 255) in a signature.
inline bool bit_at(const Signature& signature, std::size_t at) {
  return ((signature[at / 64] >> (at % 64)) & 1U) != 0;
}

}  // namespace dmt
