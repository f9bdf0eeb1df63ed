#include "dynomite/native/ir/bytecode_cursor.hpp"

#include "dynomite/native/ir/bytecode_format.hpp"

namespace dynomite::ir::bytecode {

Cursor::Cursor(std::string_view bytes, const BytecodeOptions& options, Stop& stop)
    : bytes_(bytes), options_(options), stop_(stop) {
  check_envelope();
}

void Cursor::check_envelope() {
  end_ = bytes_.size();
  if (bytes_.size() < kHeader + kTrailer) fail_at(bytes_.size(), "the bytecode is cut off");
  if (bytes_.substr(0, 4) != kMagic) fail_at(0, "no bytecode: it does not start with DYNB");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes_[i]); };
  if (byte(4) != kBytecodeVersion) {
    fail_at(4, "bytecode of version " + std::to_string(byte(4)) + "; this program reads version " +
                   std::to_string(kBytecodeVersion));
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < 8; ++i) length |= std::uint64_t{byte(8 + i)} << (8 * i);
  const std::uint64_t given = bytes_.size() - kHeader - kTrailer;
  if (length != given) {
    fail_at(8, "the header speaks of " + std::to_string(length) + " bytes, there are " +
                   std::to_string(given) +
                   (length > given ? ": the bytecode is cut off" : ": there are bytes behind the end"));
  }
  std::uint32_t crc = 0;
  end_ = bytes_.size() - kTrailer;
  for (std::size_t i = 0; i < 4; ++i) crc |= std::uint32_t{byte(end_ + i)} << (8 * i);
  if (crc != Crc32c::of(bytes_.substr(0, end_)))
    fail_at(end_, "the checksum is wrong: the bytecode is damaged");
  if (byte(5) != 0 || byte(6) != 0 || byte(7) != 0)
    fail_at(5, "bytes of the header that must be zero are not");
  at_ = kHeader;
}

std::uint64_t Cursor::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (at_ == end_) fail("the bytecode ends inside of a number");
    const auto byte = static_cast<unsigned char>(bytes_[at_]);
    if (shift == 63 && byte > 1) fail("a number above 64 bits");
    ++at_;
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      if (byte == 0 && shift != 0) fail("a number that is not in its shortest form");
      return value;
    }
  }
}
std::uint64_t Cursor::below(std::uint64_t bound, const char* what) {
  const std::size_t offset = at_;
  const std::uint64_t value = number();
  if (value >= bound)
    fail_at(offset, std::string(what) + " " + std::to_string(value) + " of " + std::to_string(bound));
  return value;
}
std::string_view Cursor::text() {
  const std::uint64_t size = count();
  if (size > end_ - at_) fail("a text goes beyond the end");
  const std::string_view result = bytes_.substr(at_, static_cast<std::size_t>(size));
  at_ += static_cast<std::size_t>(size);
  return result;
}
std::uint64_t Cursor::word() {
  std::uint64_t value = 0;
  for (int b = 0; b < 8; ++b, ++at_) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes_[at_])} << (8 * b);
  }
  return value;
}

}  // namespace dynomite::ir::bytecode
