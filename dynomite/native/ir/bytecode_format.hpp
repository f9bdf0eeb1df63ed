#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynomite::ir::bytecode {

// A file: magic, version, three zero bytes, length of the payload (8 bytes, low first), payload, CRC-32C of
// all before (4 bytes, low first). Numbers in the payload are LEB128 in their shortest form.
inline constexpr std::string_view kMagic = "DYNB";
inline constexpr std::size_t kHeader = 16;
inline constexpr std::size_t kTrailer = 4;

enum class Object : std::uint8_t { kString, kList, kDict, kSymbolRef, kType, kWide };
enum class Ref : std::uint8_t { kNone, kConstant, kObject, kForeign };
enum class Operand : std::uint8_t {
  kUseRef,      // a Ref follows
  kUseBack,     // a value: number of values defined since, from 0
  kUseForward,  // a value that is defined later: distance from 0
  kUseBlock,
  kUseRegion,
  kUseInstr,
  kDefValue,   // type and name follow
  kDefRegion,  // contents follow
  kDefBlock,   // contents of the block follow
};

class Crc32c {
 public:
  static std::uint32_t of(std::string_view bytes) {
    static const Tables tables = make();
    std::uint32_t crc = 0xFFFFFFFFU;
    std::size_t i = 0;
    const auto byte = [&](std::size_t at) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
    };
    for (; i + 4 <= bytes.size(); i += 4) {
      crc ^= byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24;
      crc = tables[3][crc & 0xFF] ^ tables[2][crc >> 8 & 0xFF] ^ tables[1][crc >> 16 & 0xFF] ^
            tables[0][crc >> 24];
    }
    for (; i < bytes.size(); ++i) crc = crc >> 8 ^ tables[0][(crc ^ byte(i)) & 0xFF];
    return ~crc;
  }

 private:
  using Tables = std::array<std::array<std::uint32_t, 256>, 4>;
  static Tables make() {
    Tables tables{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t crc = n;
      for (int k = 0; k < 8; ++k) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78U : crc >> 1;
      tables[0][n] = crc;
    }
    for (std::uint32_t n = 0; n < 256; ++n) {
      for (std::size_t k = 1; k < 4; ++k) {
        tables[k][n] = tables[k - 1][n] >> 8 ^ tables[0][tables[k - 1][n] & 0xFF];
      }
    }
    return tables;
  }
};

}  // namespace dynomite::ir::bytecode
