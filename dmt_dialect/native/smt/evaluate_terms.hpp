#pragma once

#include <optional>
#include <unordered_map>

#include "dmt_dialect/native/smt/term_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::smt {

/// Values of variables. Variables that were not given one are zero.
class Model {
 public:
  void set(TermId variable, BitVec value) { values_.insert_or_assign(variable.index(), std::move(value)); }
  const BitVec* find(TermId variable) const {
    const auto at = values_.find(variable.index());
    return at == values_.end() ? nullptr : &at->second;
  }

 private:
  std::unordered_map<std::uint32_t, BitVec> values_;
};

/// Values of `roots` under `model`, by the operators' own definitions: independent of simplification and
/// bit-blasting. Nothing when `stop` ended it. Linear in the terms below, and in their bits.
std::optional<std::vector<BitVec>> evaluate_terms(const TermStore& terms, std::span<const TermId> roots,
                                                  const Model& model, dynomite::Stop& stop);

}  // namespace dmt::smt
