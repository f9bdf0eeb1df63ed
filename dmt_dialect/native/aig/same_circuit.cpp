#include "dmt_dialect/native/aig/same_circuit.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/aig/levels.hpp"

namespace dmt {

namespace {

/// Nodes of several circuits numbered together: equal structure, equal number.
class SharedNumbers {
 public:
  explicit SharedNumbers(const AigStore& ports) {
    nodes_.push_back({AigStore::kNotAnd, kFalse});
    nodes_.insert(nodes_.end(), ports.inputs().size() + ports.latches().size(), {AigStore::kNotAnd, kFalse});
    first_latch_ = static_cast<std::uint32_t>(1 + ports.inputs().size());
    hash_.build(nodes_);
  }
  /// The shared literal of each node of `store`.
  std::vector<Lit> number(const AigStore& store) {
    std::vector<Lit> numbers(store.node_count(), kFalse);
    const auto of = [&](Lit lit) { return numbers[lit.node().index()] ^ lit.complemented(); };
    for (std::uint32_t i = 1; i < store.node_count(); ++i) {
      const NodeId id(i);
      if (store.is_and(id)) {
        numbers[i] = Lit(find_or_add(of(store.fanin0(id)), of(store.fanin1(id))), false);
      } else {
        numbers[i] = Lit(NodeId((store.is_latch(id) ? first_latch_ : 1) + store.ci_index(id)), false);
      }
    }
    return numbers;
  }

 private:
  NodeId find_or_add(Lit a, Lit b) {
    const Strash::Place place = hash_.find(nodes_, a, b);
    if (place.node != kConstNode) return place.node;
    const NodeId id(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back({a, b});
    hash_.insert(nodes_, place, id);
    return id;
  }
  std::vector<Node> nodes_;
  Strash hash_;
  std::uint32_t first_latch_ = 0;
};

/// A section as the comparison sees it.
struct Section {
  const char* one;
  const NameTable* names;
  std::vector<Lit> lits;
};

std::vector<Section> sections(const AigStore& store) {
  std::vector<Lit> next_states;
  for (const Latch& latch : store.latches()) next_states.push_back(latch.next);
  const auto& names = store.names();
  return {{"output", &names.outputs, store.outputs()},
          {"latch", &names.latches, std::move(next_states)},
          {"bad property", &names.bad, store.bad()},
          {"constraint", &names.constraints, store.constraints()},
          {"fairness constraint", &names.fairness, store.fairness()}};
}

std::string counts_differ(const char* what, std::size_t a, std::size_t b) {
  if (a == b) return {};
  return std::string("number of ") + what + ": " + std::to_string(a) + " and " + std::to_string(b);
}

std::string names_differ(const char* what, const NameTable& a, const NameTable& b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (a.get(i) == b.get(i)) continue;
    return std::string("name of ") + what + " " + std::to_string(i) + ": '" + std::string(a.get(i)) +
           "' and '" + std::string(b.get(i)) + "'";
  }
  return {};
}

std::string shapes_differ(const AigStore& a, const AigStore& b) {
  const auto count_rows = [](const AigStore& store) {
    return std::array<std::size_t, 7>{
        store.inputs().size(),      store.latches().size(), store.outputs().size(), store.bad().size(),
        store.constraints().size(), store.justice().size(), store.fairness().size()};
  };
  constexpr std::array<const char*, 7> kWhat = {"inputs",
                                                "latches",
                                                "outputs",
                                                "bad properties",
                                                "constraints",
                                                "justice properties",
                                                "fairness constraints"};
  const auto in_a = count_rows(a);
  const auto in_b = count_rows(b);
  for (std::size_t i = 0; i < kWhat.size(); ++i) {
    if (std::string text = counts_differ(kWhat[i], in_a[i], in_b[i]); !text.empty()) return text;
  }
  for (std::size_t i = 0; i < a.latches().size(); ++i) {
    if (a.latches()[i].reset != b.latches()[i].reset) return "reset value of latch " + std::to_string(i);
  }
  for (std::size_t i = 0; i < a.justice().size(); ++i) {
    const std::string what = "literals of justice property " + std::to_string(i);
    if (std::string text = counts_differ(what.c_str(), a.justice()[i].size(), b.justice()[i].size());
        !text.empty()) {
      return text;
    }
  }
  return {};
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t key = a * 0x9E3779B97F4A7C15ULL + b;
  key ^= key >> 32;
  key *= 0xD6E8FEB86659FD93ULL;
  key ^= key >> 29;
  key *= 0xBF58476D1CE4E5B9ULL;
  return key ^ (key >> 32);
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

std::string first_difference(const AigStore& a, const AigStore& b, bool names) {
  if (std::string text = shapes_differ(a, b); !text.empty()) return text;
  if (names) {
    for (const auto& [what, in_a, in_b, count] :
         {std::tuple{"input", &a.names().inputs, &b.names().inputs, a.inputs().size()},
          std::tuple{"justice property", &a.names().justice, &b.names().justice, a.justice().size()}}) {
      if (std::string text = names_differ(what, *in_a, *in_b, count); !text.empty()) return text;
    }
  }
  SharedNumbers numbers(a);
  const std::vector<Lit> of_a = numbers.number(a);
  const std::vector<Lit> of_b = numbers.number(b);
  const auto differ = [&](Lit x, Lit y) {
    return (of_a[x.node().index()] ^ x.complemented()) != (of_b[y.node().index()] ^ y.complemented());
  };
  const std::vector<Section> in_a = sections(a);
  const std::vector<Section> in_b = sections(b);
  for (std::size_t s = 0; s < in_a.size(); ++s) {
    const std::size_t count = in_a[s].lits.size();
    if (names) {
      if (std::string text = names_differ(in_a[s].one, *in_a[s].names, *in_b[s].names, count);
          !text.empty()) {
        return text;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (differ(in_a[s].lits[i], in_b[s].lits[i])) {
        return std::string("logic of ") + in_a[s].one + " " + std::to_string(i);
      }
    }
  }
  for (std::size_t i = 0; i < a.justice().size(); ++i) {
    for (std::size_t j = 0; j < a.justice()[i].size(); ++j) {
      if (differ(a.justice()[i][j], b.justice()[i][j]))
        return "logic of justice property " + std::to_string(i);
    }
  }
  return {};
}

std::uint64_t circuit_hash(const AigStore& store, bool names) {
  std::vector<std::uint64_t> hashes(store.node_count(), 1);
  const auto of = [&](Lit lit) { return mix(hashes[lit.node().index()], lit.complemented() ? 3 : 2); };
  for (std::uint32_t i = 1; i < store.node_count(); ++i) {
    const NodeId id(i);
    if (store.is_and(id)) {
      const std::uint64_t x = of(store.fanin0(id));
      const std::uint64_t y = of(store.fanin1(id));
      hashes[i] = mix(std::max(x, y), std::min(x, y));
    } else {
      hashes[i] = mix(store.is_latch(id) ? 5 : 4, store.ci_index(id));
    }
  }
  std::uint64_t hash = mix(store.inputs().size(), store.latches().size());
  const auto add_names = [&](const NameTable& table, std::size_t count) {
    for (std::size_t i = 0; names && i < count; ++i) hash = mix(hash, hash_text(table.get(i)));
  };
  add_names(store.names().inputs, store.inputs().size());
  for (const Latch& latch : store.latches()) hash = mix(hash, static_cast<std::uint64_t>(latch.reset));
  for (const Section& section : sections(store)) {
    hash = mix(hash, section.lits.size());
    for (const Lit lit : section.lits) hash = mix(hash, of(lit));
    add_names(*section.names, section.lits.size());
  }
  for (const auto& group : store.justice()) {
    hash = mix(hash, group.size());
    for (const Lit lit : group) hash = mix(hash, of(lit));
  }
  add_names(store.names().justice, store.justice().size());
  return hash;
}

}  // namespace dmt
