#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/opt/npn_classes.hpp"

namespace dmt::opt {

/// A gate of a structure. Literals are twice the number plus complement; numbers 0 to 3 are the inputs, 4 and up
/// the gates in their order.
struct StructureGate {
  std::uint8_t fanin0, fanin1;
};

/// A good structure of a class representative. `output` is a literal, or `kStructureFalse` for the constant.
struct Structure {
  std::span<const StructureGate> gates;
  std::uint8_t output;
};

inline constexpr std::uint8_t kStructureFalse = 0xFE;

/// The value of a structure when its inputs have these tables.
Table4 structure_table(const Structure& structure, const std::array<Table4, 4>& inputs);

/// For each NPN class, several AND structures, least first: the smallest ones found, and some with a gate more, which
/// may share more with what surrounds them. Made when the project is built; see generator/make_npn_library.cpp.
class NpnLibrary {
 public:
  static const NpnLibrary& get();

  NpnLibrary();
  std::span<const Structure> structures(std::uint8_t npn_class) const { return structures_[npn_class]; }

 private:
  std::vector<std::vector<Structure>> structures_;
};

}  // namespace dmt::opt
