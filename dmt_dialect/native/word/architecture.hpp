#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dmt {

/// How carries run. Ripple is smallest; the prefix adders have logarithmic depth, Kogge-Stone the least,
/// Brent-Kung fewer nodes.
enum class Adder : std::uint8_t { kRipple, kKoggeStone, kBrentKung };

/// How partial products are made and summed up: row by row with saved carries, by Wallace's or Dadda's tree,
/// or with Booth's radix-4 recoding and a Dadda tree. The last addition is made by `Architecture::adder`.
enum class Multiplier : std::uint8_t { kArray, kWallace, kDadda, kBooth };

enum class Divider : std::uint8_t { kRestoring, kNonRestoring };

/// One stage of multiplexers for each bit of the amount.
enum class Shifter : std::uint8_t { kLogarithmic };

/// The structure chosen for each class of operators. The default is smallest, and easiest to prove.
struct Architecture {
  Adder adder = Adder::kRipple;
  Multiplier multiplier = Multiplier::kArray;
  Divider divider = Divider::kRestoring;
  Shifter shifter = Shifter::kLogarithmic;
  bool operator==(const Architecture&) const = default;
};

/// "adder=ripple,multiplier=array,divider=restoring,shifter=logarithmic".
std::string to_string(const Architecture& architecture);

/// Reads "adder=kogge-stone,multiplier=booth": parts in any order, missing ones as in the default. Throws
/// UsageError that lists what there is.
Architecture parse_architecture(std::string_view text);

}  // namespace dmt
