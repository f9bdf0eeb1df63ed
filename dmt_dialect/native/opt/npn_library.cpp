#include "dmt_dialect/native/opt/npn_library.hpp"

#include <algorithm>
#include <cstddef>

namespace dmt::opt {

namespace {

// Per structure: class, number of gates, output, then two literals a gate, numbered within the structure.
constexpr std::uint8_t kStructures[] = {
#include "npn_structures.inc"
};
constexpr std::uint8_t kConstantOutput = 0xFE;

std::uint16_t shared_gate(ClassStructures& all, std::uint16_t fanin0, std::uint16_t fanin1) {
  const auto found = std::find_if(all.gates.begin(), all.gates.end(), [&](StructureGate gate) {
    return gate.fanin0 == fanin0 && gate.fanin1 == fanin1;
  });
  if (found == all.gates.end()) {
    all.gates.push_back({fanin0, fanin1});
    return static_cast<std::uint16_t>(all.gates.size() + 3);
  }
  return static_cast<std::uint16_t>(found - all.gates.begin() + 4);
}

void add_structure(ClassStructures& all, const std::uint8_t* gates, std::size_t count, std::uint8_t output) {
  Structure structure;
  std::vector<std::uint16_t> numbers = {0, 1, 2, 3};
  const auto literal = [&](std::uint8_t local) {
    return static_cast<std::uint16_t>(2 * numbers[local >> 1] + (local & 1));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto [low, high] = std::minmax({literal(gates[2 * i]), literal(gates[2 * i + 1])});
    numbers.push_back(shared_gate(all, low, high));
    structure.gates.push_back(numbers.back());
  }
  structure.output = output == kConstantOutput ? kStructureFalse : literal(output);
  all.structures.push_back(std::move(structure));
}

}  // namespace

Table4 structure_table(const ClassStructures& all, const Structure& structure,
                       const std::array<Table4, 4>& inputs) {
  if (structure.output == kStructureFalse) return 0;
  std::vector<Table4> values(all.gates.size() + 4);
  std::copy(inputs.begin(), inputs.end(), values.begin());
  const auto value = [&](std::uint16_t literal) {
    return static_cast<Table4>((literal & 1) != 0 ? ~values[literal >> 1] : values[literal >> 1]);
  };
  for (const std::uint16_t number : structure.gates) {
    const StructureGate gate = all.gates[number - 4U];
    values[number] = static_cast<Table4>(value(gate.fanin0) & value(gate.fanin1));
  }
  return value(structure.output);
}

NpnLibrary::NpnLibrary() : classes_(NpnClasses::get().count()) {
  std::size_t at = 0;
  while (at < sizeof(kStructures)) {
    const std::uint8_t* head = kStructures + at;
    add_structure(classes_[head[0]], head + 3, head[1], head[2]);
    at += 3 + 2 * std::size_t{head[1]};
  }
}

const NpnLibrary& NpnLibrary::get() {
  static const NpnLibrary library;
  return library;
}

}  // namespace dmt::opt
