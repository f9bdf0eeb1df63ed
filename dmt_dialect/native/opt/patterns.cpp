#include "dmt_dialect/native/opt/patterns.hpp"

#include "dmt_dialect/native/opt/bits.hpp"

namespace dmt::opt {

Patterns::Patterns(const Network& network, unsigned words, std::uint64_t seed)
    : network_(network), words_(words), random_(seed), fresh_(network.ci_count() + 1) {
  values_.assign(std::size_t{network.size()} * words, 0);
  for (std::uint32_t id = 1; id <= network.ci_count(); ++id) {
    for (unsigned w = 0; w < words; ++w) {
      std::uint64_t value = random_.next();
      if (w % 4 == 2) value &= random_.next() & random_.next();  // some words with few ones, some with many
      if (w % 4 == 3) value |= random_.next() | random_.next();
      values_[std::size_t{id} * words + w] = value;
    }
  }
  known_ = network.ci_count() + 1;
  extend();
  for (std::uint64_t& value : fresh_) value = random_.next();
}

void Patterns::extend() {
  values_.resize(std::size_t{network_.size()} * words_, 0);
  for (; known_ < network_.size(); ++known_) simulate(known_, 0, words_);
}

void Patterns::add(std::span<const Lit> model) {
  const std::uint64_t bit = std::uint64_t{1} << pending_;
  for (const Lit lit : model) {
    std::uint64_t& word = fresh_[lit.node().index()];
    word = lit.complemented() ? word & ~bit : word | bit;
  }
  ++pending_;
}

void Patterns::flush() {
  for (std::uint32_t id = 1; id <= network_.ci_count(); ++id) {
    values_[std::size_t{id} * words_ + next_] = fresh_[id];
  }
  for (const std::uint32_t id : network_.order()) simulate(id, next_, next_ + 1);
  for (std::uint32_t id = network_.ci_count() + 1; id < network_.size(); ++id) {
    if (!network_.visited(id)) simulate(id, next_, next_ + 1);
  }
  if (pending_ < 64) return;
  next_ = (next_ + 1) % words_;
  pending_ = 0;
  for (std::uint64_t& value : fresh_) value = random_.next();
}

void Patterns::simulate(std::uint32_t id, unsigned first, unsigned last) {
  const Node& gate = network_.nodes()[id];
  const std::uint64_t* x = row(gate.fanin0.node().index());
  const std::uint64_t* y = row(gate.fanin1.node().index());
  std::uint64_t* z = values_.data() + std::size_t{id} * words_;
  and_words(gate, x + first, y + first, z + first, last - first);
}

}  // namespace dmt::opt
