#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "dynomite/native/base/byte_sink.hpp"

namespace hw {

/// Collects text and hands it to a sink in pieces of about 256 KiB.
class TextBuffer {
 public:
  explicit TextBuffer(dynomite::ByteSink& sink)
      : sink_(sink), buffer_(kSize, '\0'), cursor_(buffer_.data()) {}

  void put(char c) {
    need(1);
    *cursor_++ = c;
  }
  void put(std::string_view text) {
    if (text.size() > kSize / 2) {
      flush();
      sink_.write(text.data(), text.size());
      return;
    }
    need(text.size());
    std::memcpy(cursor_, text.data(), text.size());
    cursor_ += text.size();
  }
  void put_number(std::uint32_t value) {
    need(kMaxDigits);
    char digits[kMaxDigits];
    char* p = digits + kMaxDigits;
    while (value >= 100) {
      p -= 2;
      std::memcpy(p, &kPairs[value % 100 * 2], 2);
      value /= 100;
    }
    if (value >= 10) {
      p -= 2;
      std::memcpy(p, &kPairs[value * 2], 2);
    } else {
      *--p = static_cast<char>('0' + value);
    }
    const auto size = static_cast<std::size_t>(digits + kMaxDigits - p);
    std::memcpy(cursor_, p, size);
    cursor_ += size;
  }
  void flush() {
    sink_.write(buffer_.data(), static_cast<std::size_t>(cursor_ - buffer_.data()));
    cursor_ = buffer_.data();
  }

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 18;
  static constexpr std::size_t kMaxDigits = 10;
  static constexpr char kPairs[] =
      "000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344454647484950"
      "51525354"
      "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

  void need(std::size_t size) {
    if (static_cast<std::size_t>(buffer_.data() + kSize - cursor_) < size) flush();
  }

  dynomite::ByteSink& sink_;
  std::string buffer_;
  char* cursor_;
};

/// Writes words separated by blanks, going on in a next line (backslash) when one gets long.
class WordWrapper {
 public:
  explicit WordWrapper(TextBuffer& out) : out_(out) {}
  void first(std::string_view keyword) {
    out_.put(keyword);
    column_ = keyword.size();
    last_ = 0;
  }
  void word(std::string_view text) {
    if (column_ + 1 + text.size() > kWidth) {
      out_.put(" \\\n ");
      column_ = 1;
    } else {
      out_.put(' ');
      ++column_;
    }
    out_.put(text);
    column_ += text.size();
    last_ = text.empty() ? '\0' : text.back();
  }
  void end() {
    // A name may end in a backslash; followed by the line end it would be a continuation.
    out_.put(last_ == '\\' ? std::string_view(" \n") : std::string_view("\n"));
  }

 private:
  static constexpr std::size_t kWidth = 100;
  TextBuffer& out_;
  std::size_t column_ = 0;
  char last_ = '\0';
};

}  // namespace hw
