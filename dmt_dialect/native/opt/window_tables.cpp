#include "dmt_dialect/native/opt/window_tables.hpp"

#include <array>

#include "dmt_dialect/native/opt/bits.hpp"

namespace dmt::opt {

namespace {

constexpr std::array<std::uint64_t, 6> kVariables = {0xAAAAAAAAAAAAAAAAULL, 0xCCCCCCCCCCCCCCCCULL,
                                                     0xF0F0F0F0F0F0F0F0ULL, 0xFF00FF00FF00FF00ULL,
                                                     0xFFFF0000FFFF0000ULL, 0xFFFFFFFF00000000ULL};

}  // namespace

void variable_row(unsigned variable, std::uint64_t* row, unsigned words) {
  for (unsigned w = 0; w < words; ++w)
    row[w] = variable < 6 ? kVariables[variable] : 0 - static_cast<std::uint64_t>((w >> (variable - 6)) & 1U);
}

void WindowTables::compute(const Network& network, const Window& window) {
  const auto leaves = static_cast<unsigned>(window.leaves().size());
  words_ = leaves <= 6 ? 1 : 1U << (leaves - 6);
  used_ = 0;
  ++stamp_;
  slot_.resize(network.size());
  const std::size_t rows = leaves + window.cone().size() + window.divisors().size();
  if (values_.size() < rows * words_) values_.resize(rows * words_);
  for (unsigned i = 0; i < leaves; ++i) variable_row(i, next_row(window.leaves()[i]), words_);
  for (const std::uint32_t id : window.cone()) set_gate(network, id);
  for (const std::uint32_t id : window.divisors()) {
    if (slot_[id].stamp != stamp_) set_gate(network, id);
  }
}

std::uint64_t* WindowTables::next_row(std::uint32_t id) {
  slot_[id] = {stamp_, used_};
  return values_.data() + std::size_t{used_++} * words_;
}

void WindowTables::set_gate(const Network& network, std::uint32_t id) {
  const Node& gate = network.nodes()[id];
  const std::uint64_t* x = row(gate.fanin0.node().index());
  const std::uint64_t* y = row(gate.fanin1.node().index());
  and_words(gate, x, y, next_row(id), words_);
}

}  // namespace dmt::opt
