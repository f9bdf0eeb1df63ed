#include "dmt_dialect/native/arith/function_table.hpp"

#include <algorithm>

#include "dmt_dialect/native/aig/levels.hpp"
#include "dynomite/native/base/random.hpp"

namespace dmt {

namespace {

Signature inverted(Signature signature) {
  for (std::uint64_t& word : signature) word = ~word;
  return signature;
}

}  // namespace

std::size_t FunctionTable::Hash::operator()(const Signature& signature) const {
  std::uint64_t mixed = 0;
  for (const std::uint64_t word : signature) {
    mixed = (mixed ^ word) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
  }
  return mixed;
}

FunctionTable::FunctionTable(const AigStore& store, dynomite::Stop& stop) {
  dynomite::Random random(1);
  values_.resize(store.node_count());
  for (std::uint32_t i = 1; i < values_.size(); ++i) {
    if (stop.poll()) {
      values_.clear();
      return;
    }
    const NodeId id(i);
    if (!store.is_and(id)) {
      for (std::uint64_t& word : values_[i]) word = random.next();
      continue;
    }
    const Signature a = value(store.fanin0(id));
    const Signature b = value(store.fanin1(id));
    for (std::size_t k = 0; k < kSignatureWords; ++k) values_[i][k] = a[k] & b[k];
  }
  nodes_.reserve(values_.size());
  for (std::uint32_t i = 0; i < values_.size(); ++i) {
    const bool flip = (values_[i][0] & 1U) != 0;
    nodes_[flip ? inverted(values_[i]) : values_[i]] = Lit(NodeId(i), flip);
  }
  std::unordered_map<Signature, bool, Hash> met;
  for_each_root(store, [&](Lit lit) {
    Signature key = values_[lit.node().index()];
    const bool flip = (key[0] & 1U) != 0;
    if (flip) key = inverted(key);
    const Lit plain(lit.node(), flip);
    if (met.try_emplace(key, true).second) {
      nodes_[key] = plain;
    } else {
      rest_[key].push_back(plain);
    }
  });
}

Signature FunctionTable::value(Lit lit) const {
  const Signature& plain = values_[lit.node().index()];
  return lit.complemented() ? inverted(plain) : plain;
}

std::optional<Lit> FunctionTable::find(const Signature& wanted, std::span<const Lit> others) const {
  const bool flip = (wanted[0] & 1U) != 0;
  const Signature key = flip ? inverted(wanted) : wanted;
  const auto found = nodes_.find(key);
  if (found == nodes_.end()) return std::nullopt;
  const auto is_free = [&](Lit lit) {
    return std::find(others.begin(), others.end(), lit ^ flip) == others.end();
  };
  if (!others.empty() && !is_free(found->second)) {
    if (const auto more = rest_.find(key); more != rest_.end()) {
      const auto next = std::find_if(more->second.begin(), more->second.end(), is_free);
      if (next != more->second.end()) return *next ^ flip;
    }
  }
  return found->second ^ flip;
}

}  // namespace dmt
