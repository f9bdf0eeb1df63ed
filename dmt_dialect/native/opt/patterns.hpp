#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/opt/network.hpp"
#include "dynomite/native/base/random.hpp"

namespace dmt::opt {

/// Values of all nodes of a network under some input patterns, 64 a word: random ones, and counterexamples
/// that take the place of the oldest.
class Patterns {
 public:
  Patterns(const Network& network, unsigned words, std::uint64_t seed);

  unsigned words() const { return words_; }
  const std::uint64_t* row(std::uint32_t id) const { return values_.data() + std::size_t{id} * words_; }
  /// Brings nodes that were made since the last call up to date.
  void extend();
  /// Simulates a node anew whose function, or whose fanins' functions, have changed.
  void renew(std::uint32_t id) { simulate(id, 0, words_); }
  /// Keeps an input pattern given by the literals that are true; other inputs are drawn.
  void add(std::span<const Lit> model);
  unsigned pending() const { return pending_; }
  /// Simulates the kept patterns on all nodes: linear in the network. The word goes on taking patterns until
  /// it is full.
  void flush();

 private:
  void simulate(std::uint32_t id, unsigned first, unsigned last);

  const Network& network_;
  unsigned words_;
  dynomite::Random random_;
  std::uint32_t known_ = 0;
  unsigned next_ = 0;
  unsigned pending_ = 0;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> fresh_;  // the word in preparation, by input
};

}  // namespace dmt::opt
