#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dmt_dialect/native/opt/npn_classes.hpp"

namespace dmt::opt {

/// A gate of a structure. Literals are twice the number plus complement; the inputs come first (four, or
/// `ClassStructures::inputs`), then the gates of the class.
struct StructureGate {
  std::uint16_t fanin0, fanin1;
};

/// A good structure of a class representative. `output` is a literal, or `kStructureFalse` for the constant.
struct Structure {
  /// Numbers of its gates, fanins first.
  std::vector<std::uint16_t> gates;
  std::uint16_t output;
};

inline constexpr std::uint16_t kStructureFalse = 0xFFFE;

/// The structures of one class, least first, over gates that they share.
struct ClassStructures {
  unsigned inputs = 4;
  std::vector<StructureGate> gates;
  std::vector<Structure> structures;
};

/// The value of a structure when its inputs have these tables.
Table4 structure_table(const ClassStructures& all, const Structure& structure,
                       const std::array<Table4, 4>& inputs);

/// For each NPN class, several AND structures: the smallest ones found, and some with a gate more, which may
/// share more with what surrounds them. Made when the project is built; see generator/make_npn_library.cpp.
class NpnLibrary {
 public:
  static const NpnLibrary& get();

  NpnLibrary();
  const ClassStructures& of(std::uint8_t npn_class) const { return classes_[npn_class]; }

 private:
  std::vector<ClassStructures> classes_;
};

}  // namespace dmt::opt
