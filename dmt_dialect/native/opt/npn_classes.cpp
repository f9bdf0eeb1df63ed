#include "dmt_dialect/native/opt/npn_classes.hpp"

#include <algorithm>

#include "dmt_dialect/native/opt/small_tables.hpp"

namespace dmt::opt {

namespace {

constexpr std::uint32_t kTables = 1U << 16;
constexpr std::uint8_t kNoClass = 0xFF;

}  // namespace

NpnClasses::NpnClasses() : transforms_(kTables, {kNoClass, 0, {0, 1, 2, 3}}) {
  std::vector<std::array<std::uint8_t, 4>> orders;
  std::array<std::uint8_t, 4> order = {0, 1, 2, 3};
  do orders.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  for (std::uint32_t table = 0; table < kTables; ++table) {
    if (transforms_[table].npn_class != kNoClass) continue;
    const auto npn_class = static_cast<std::uint8_t>(representatives_.size());
    representatives_.push_back(static_cast<Table4>(table));
    for (const auto& variables : orders) add_orbit(npn_class, variables);
  }
}

const NpnClasses& NpnClasses::get() {
  static const NpnClasses classes;
  return classes;
}

// Functions f with f(x) = r(y), y[i] = x[variables[i]] ^ phase[i].
void NpnClasses::add_orbit(std::uint8_t npn_class, const std::array<std::uint8_t, 4>& variables) {
  Table4 permuted = 0;
  for (unsigned assignment = 0; assignment < 16; ++assignment) {
    unsigned inner = 0;
    for (unsigned i = 0; i < 4; ++i) inner |= ((assignment >> variables[i]) & 1U) << i;
    permuted = static_cast<Table4>(permuted | (((representatives_[npn_class] >> inner) & 1U) << assignment));
  }
  for (unsigned phase = 0; phase < 32; ++phase) {
    Table4 table = permuted;
    for (unsigned i = 0; i < 4; ++i) {
      if (((phase >> i) & 1U) != 0) table = flip_variable(table, variables[i]);
    }
    if ((phase & 16) != 0) table = static_cast<Table4>(~table);
    NpnTransform& transform = transforms_[table];
    if (transform.npn_class == kNoClass) transform = {npn_class, static_cast<std::uint8_t>(phase), variables};
  }
}

}  // namespace dmt::opt
