#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dmt_dialect/native/bdd/bdd_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// What Python calls a `Bdd`: a store, names of its variables, and what handles need.
class BddManager {
 public:
  explicit BddManager(const BddLimits& limits) : store(limits) {}

  /// A new variable at the end of the order. Throws UsageError for a name that is taken.
  std::uint32_t add_var(const std::string& name);
  /// New variables, named x and their number; returns the first.
  std::uint32_t add_vars(std::uint32_t count);
  const std::string& name_of(std::uint32_t var) const { return names_[var]; }
  std::optional<std::uint32_t> find(const std::string& name) const;
  /// Forgets all nodes and variables; handles to them become stale.
  void clear();

  BddStore store;
  /// Counts `clear`; a handle of another generation is stale.
  std::uint32_t generation = 1;
  /// Edges of handles that died while another thread was at work in the store.
  std::vector<BddEdge> dead;
  /// Ends the operations of operators, which take no argument for it.
  dynomite::Stop* stop = nullptr;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> vars_;
};

}  // namespace dmt
