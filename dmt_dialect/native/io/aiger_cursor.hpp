#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dynomite/native/base/error.hpp"

namespace dmt::aiger {

/// What a line of the file is about, for messages: "input 2 of 3". Costs nothing until a message is made.
struct Item {
  const char* noun;
  std::uint64_t index;  // from 0
  std::uint64_t count;
  std::string text() const;
};

/// Reading position in the bytes of one AIGER file, and the maker of located errors. Text parts have
/// line, column and offset; from the start of binary delta codes on only the offset is known.
class Cursor {
 public:
  Cursor(std::string_view data, std::string name)
      : begin_(data.data()), at_(begin_), end_(begin_ + data.size()), name_(std::move(name)) {}

  const char* begin() const { return begin_; }
  const char* at() const { return at_; }
  const char* end() const { return end_; }
  bool at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  void move_to(const char* at) { at_ = at; }
  bool at_digit() const { return at_ != end_ && is_digit(*at_); }
  static bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

  /// Delta codes are between `from` and `to`: no lines there, and none can be counted after.
  void set_binary_part(const char* from, const char* to) {
    binary_from_ = from;
    binary_to_ = to;
  }

  /// A decimal number of at most 32 bits; `what` is its role on the line of `item`.
  std::uint32_t number(const char* what, const Item& item) {
    if (!at_digit()) fail_number(what, item);
    const char* start = at_;
    std::uint64_t value = 0;
    do {
      value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
      if (value > UINT32_MAX) fail_overflow(start);
      ++at_;
    } while (at_digit());
    return static_cast<std::uint32_t>(value);
  }
  void blank(const Item& item) {
    if (at_ == end_ || *at_ != ' ') fail_separator("one blank", item);
    ++at_;
  }
  void line_end(const Item& item) {
    if (at_ == end_ || *at_ != '\n') fail_separator("the end of the line", item);
    ++at_;
  }

  [[noreturn]] void fail(const char* at, const std::string& message) const;
  /// Error at number `field` (from 0) of line `line` (from 1) of the text part.
  [[noreturn]] void fail_at_field(std::uint64_t line, unsigned field, const std::string& message) const;
  /// The byte at `at` as a message shows it: 'x', a blank, the end of the file...
  std::string describe(const char* at) const;
  static const char* carriage_return_message();

 private:
  [[noreturn]] void fail_number(const char* what, const Item& item) const;
  [[noreturn]] void fail_overflow(const char* start) const;
  [[noreturn]] void fail_separator(const char* wanted, const Item& item) const;

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* binary_from_ = nullptr;
  const char* binary_to_ = nullptr;
  std::string name_;
};

/// `n` things, in words: "1 input", "2 inputs".
std::string counted(std::uint64_t n, const std::string& noun);

}  // namespace dmt::aiger
