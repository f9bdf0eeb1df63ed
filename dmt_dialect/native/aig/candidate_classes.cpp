#include "dmt_dialect/native/aig/candidate_classes.hpp"

#include <algorithm>

namespace dmt {

namespace {

struct Keyed {
  std::uint64_t key;
  std::uint32_t node;
};

}  // namespace

void CandidateClasses::start(std::uint32_t node_count, std::vector<std::uint32_t> members) {
  representative_.resize(node_count);
  next_.assign(node_count, 0);
  phase_.assign(node_count, 0);
  for (std::uint32_t i = 0; i < node_count; ++i) representative_[i] = i;
  heads_.clear();
  started_ = false;
  if (members.size() < 2) return;
  for (std::size_t i = 0; i < members.size(); ++i) {
    representative_[members[i]] = members[0];
    next_[members[i]] = i + 1 < members.size() ? members[i + 1] : 0;
  }
  heads_.push_back(members[0]);
}

std::uint64_t CandidateClasses::signature(std::span<const std::uint64_t> values, std::size_t words,
                                          std::uint32_t node) const {
  const std::uint64_t flip = phase_[node] != 0 ? ~std::uint64_t{0} : 0;
  const std::uint64_t* row = values.data() + std::size_t{node} * words;
  std::uint64_t hash = 0x243F6A8885A308D3ULL;
  for (std::size_t w = 0; w < words; ++w) {
    hash ^= row[w] ^ flip;
    hash *= 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

void CandidateClasses::relink(std::vector<std::uint32_t>& members, std::vector<std::uint32_t>& heads) {
  if (members.size() > 1) heads.push_back(members[0]);
  for (std::size_t i = 0; i < members.size(); ++i) {
    representative_[members[i]] = members[0];
    next_[members[i]] = i + 1 < members.size() ? members[i + 1] : 0;
  }
}

std::size_t CandidateClasses::refine(std::span<const std::uint64_t> values, std::size_t words) {
  if (!started_ && !heads_.empty()) {
    for (std::uint32_t node = heads_[0];; node = next_[node]) {
      phase_[node] = static_cast<std::uint8_t>(values[std::size_t{node} * words] & 1U);
      if (next_[node] == 0) break;
    }
    started_ = true;
  }
  std::size_t split = 0;
  std::vector<std::uint32_t> heads;
  std::vector<Keyed> keyed;
  std::vector<std::uint32_t> members;
  for (const std::uint32_t head : heads_) {
    const std::uint64_t* first = values.data() + std::size_t{head} * words;
    bool uniform = true;
    for (std::uint32_t node = next_[head]; node != 0 && uniform; node = next_[node]) {
      const std::uint64_t flip = phase_[node] != phase_[head] ? ~std::uint64_t{0} : 0;
      const std::uint64_t* row = values.data() + std::size_t{node} * words;
      for (std::size_t w = 0; w < words; ++w) uniform = uniform && (row[w] ^ flip) == first[w];
    }
    if (uniform) {
      heads.push_back(head);
      continue;
    }
    keyed.clear();
    for (std::uint32_t node = head;; node = next_[node]) {
      keyed.push_back({signature(values, words, node), node});
      if (next_[node] == 0) break;
    }
    const std::uint64_t head_key = keyed[0].key;
    std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
      return a.key != b.key ? a.key < b.key : a.node < b.node;
    });
    for (std::size_t i = 0; i < keyed.size();) {
      members.clear();
      const std::uint64_t key = keyed[i].key;
      for (; i < keyed.size() && keyed[i].key == key; ++i) members.push_back(keyed[i].node);
      if (key != head_key) split += members.size();
      relink(members, heads);
    }
  }
  heads_ = std::move(heads);
  return split;
}

std::size_t CandidateClasses::candidates() const {
  std::size_t count = 0;
  for (const std::uint32_t head : heads_) {
    for (std::uint32_t node = next_[head]; node != 0; node = next_[node]) ++count;
  }
  return count;
}

std::size_t CandidateClasses::memory() const {
  return (representative_.capacity() + next_.capacity() + heads_.capacity()) * sizeof(std::uint32_t) +
         phase_.capacity();
}

}  // namespace dmt
