#include "dmt_dialect/native/algebra/value_table.hpp"

#include "dynomite/native/base/random.hpp"

namespace dmt::algebra {

Values operator^(const Values& a, const Values& b) {
  Values out;
  for (std::size_t w = 0; w < kValueWords; ++w) out[w] = a[w] ^ b[w];
  return out;
}

Values complement(Values values) {
  for (std::uint64_t& word : values) word = ~word;
  return values;
}

Values majority_of(const Values& a, const Values& b, const Values& c) {
  Values out;
  for (std::size_t w = 0; w < kValueWords; ++w) out[w] = (a[w] & b[w]) | (c[w] & (a[w] | b[w]));
  return out;
}

std::size_t ValueTable::Hash::operator()(const Values& values) const {
  std::uint64_t mixed = 0;
  for (const std::uint64_t word : values) {
    mixed = (mixed ^ word) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
  }
  return mixed;
}

ValueTable::ValueTable(const AigStore& store) : store_(store) {
  dynomite::Random random(1);
  values_.reserve(store.node_count() + std::size_t{1024});
  values_.emplace_back();  // the constant
  for (std::uint32_t i = 1; i < store.node_count(); ++i) {
    values_.emplace_back();
    if (store.is_and(NodeId(i))) {
      const Values a = value(store.fanin0(NodeId(i)));
      const Values b = value(store.fanin1(NodeId(i)));
      for (std::size_t w = 0; w < kValueWords; ++w) values_[i][w] = a[w] & b[w];
    } else {
      for (std::uint64_t& word : values_[i]) word = random.next();
    }
  }
  nodes_.reserve(values_.size());
  for (std::uint32_t i = 0; i < values_.size(); ++i) {
    const bool flip = (values_[i][0] & 1U) != 0;
    nodes_.emplace(Hash()(flip ? complement(values_[i]) : values_[i]), i);
  }
}

void ValueTable::extend() {
  for (auto i = static_cast<std::uint32_t>(values_.size()); i < store_.node_count(); ++i) {
    const Values a = value(store_.fanin0(NodeId(i)));
    const Values b = value(store_.fanin1(NodeId(i)));
    values_.emplace_back();
    for (std::size_t w = 0; w < kValueWords; ++w) values_[i][w] = a[w] & b[w];
  }
}

Values ValueTable::value(Lit lit) const {
  const Values& plain = values_[lit.node().index()];
  return lit.complemented() ? complement(plain) : plain;
}

std::optional<Lit> ValueTable::find(const Values& wanted) const {
  const bool flip = (wanted[0] & 1U) != 0;
  const Values key = flip ? complement(wanted) : wanted;
  const auto found = nodes_.find(Hash()(key));
  if (found == nodes_.end()) return std::nullopt;
  const bool own_flip = (values_[found->second][0] & 1U) != 0;
  const Lit lit(NodeId(found->second), own_flip);
  if (value(lit) != key) return std::nullopt;
  return lit ^ flip;
}

}  // namespace dmt::algebra
