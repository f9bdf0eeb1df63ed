#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dmt_dialect/native/cnf/text_place.hpp"

namespace dmt::smt {

enum class TokenKind : std::uint8_t {
  kOpen,
  kClose,
  kSymbol,  ///< `text` without the bars of a quoted one
  kKeyword,
  kNumeral,
  kDecimal,
  kHex,     ///< `text` without "#x"
  kBinary,  ///< `text` without "#b"
  kString,  ///< `text` as it stands, with its quotes
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool quoted = false;
  std::size_t start = 0;
  std::size_t end = 0;
  std::string_view text;
};

/// The tokens of SMT-LIB 2.6 text. Throws ParseError with line and column.
class Lexer {
 public:
  Lexer(std::string_view data, const std::string& name) : data_(data), name_(name) {}

  Token next();
  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    fail_at(data_, name_, at, message);
  }
  std::string_view data() const { return data_; }

 private:
  void skip();
  Token quoted(char quote);
  Token number();
  Token hash();

  std::string_view data_;
  const std::string& name_;
  std::size_t at_ = 0;
};

/// For messages: "')'", "the symbol x", "the end of the file".
std::string describe(const Token& token);

/// Whether a symbol can be written without bars.
bool is_simple_symbol(std::string_view name);
/// The symbol as it is written.
std::string symbol_text(std::string_view name);

/// The part of `data` between two places with comments dropped and every gap one blank.
std::string normalised(std::string_view data, const std::string& name, std::size_t start, std::size_t end);

}  // namespace dmt::smt
