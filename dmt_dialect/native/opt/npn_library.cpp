#include "dmt_dialect/native/opt/npn_library.hpp"

#include <cstddef>

namespace dmt::opt {

namespace {

// Per structure: class, number of gates, output, then two literals a gate.
constexpr std::uint8_t kStructures[] = {
#include "npn_structures.inc"
};

}  // namespace

Table4 structure_table(const Structure& structure, const std::array<Table4, 4>& inputs) {
  if (structure.output >= kStructureFalse) return structure.output == kStructureFalse ? 0 : 0xFFFF;
  std::vector<Table4> values(inputs.begin(), inputs.end());
  const auto value = [&](std::uint8_t literal) {
    return static_cast<Table4>((literal & 1) != 0 ? ~values[literal >> 1] : values[literal >> 1]);
  };
  for (const StructureGate gate : structure.gates)
    values.push_back(static_cast<Table4>(value(gate.fanin0) & value(gate.fanin1)));
  return value(structure.output);
}

NpnLibrary::NpnLibrary() : structures_(NpnClasses::get().count()) {
  static_assert(sizeof(StructureGate) == 2 && alignof(StructureGate) == 1);
  std::size_t at = 0;
  while (at < sizeof(kStructures)) {
    const std::uint8_t* head = kStructures + at;
    const std::span<const StructureGate> gates(reinterpret_cast<const StructureGate*>(head + 3), head[1]);
    structures_[head[0]].push_back({gates, head[2]});
    at += 3 + 2 * gates.size();
  }
}

const NpnLibrary& NpnLibrary::get() {
  static const NpnLibrary library;
  return library;
}

}  // namespace dmt::opt
