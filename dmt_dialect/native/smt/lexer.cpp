#include "dmt_dialect/native/smt/lexer.hpp"

#include <algorithm>
#include <array>

namespace dmt::smt {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_symbol_char(char c) {
  constexpr std::string_view kOthers = "~!@$%^&*_-+=<>.?/";
  return is_letter(c) || is_digit(c) || kOthers.find(c) != std::string_view::npos;
}
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

constexpr std::array<std::string_view, 11> kReserved = {
    "!", "_", "as", "BINARY", "DECIMAL", "exists", "HEXADECIMAL", "forall", "let", "match", "par"};

}  // namespace

void Lexer::skip() {
  while (at_ < data_.size()) {
    if (is_space(data_[at_])) {
      ++at_;
    } else if (data_[at_] == ';') {
      at_ = std::min(data_.find('\n', at_), data_.size());
    } else {
      return;
    }
  }
}

Token Lexer::quoted(char quote) {
  const std::size_t start = at_;
  for (;;) {
    const std::size_t end = data_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      fail(start, quote == '|' ? "this symbol has no '|' at its end" : "this string has no '\"' at its end");
    }
    at_ = end + 1;
    // Two quotes in a string are one of its characters.
    if (quote == '"' && at_ < data_.size() && data_[at_] == '"') continue;
    break;
  }
  if (quote == '"') return {TokenKind::kString, true, start, at_, data_.substr(start, at_ - start)};
  const std::string_view text = data_.substr(start + 1, at_ - start - 2);
  if (const std::size_t bad = text.find('\\'); bad != std::string_view::npos) {
    fail(start + 1 + bad, "'\\' cannot be in a symbol");
  }
  return {TokenKind::kSymbol, true, start, at_, text};
}

Token Lexer::number() {
  const std::size_t start = at_;
  const auto digits = [&] {
    while (at_ < data_.size() && is_digit(data_[at_])) ++at_;
  };
  digits();
  if (data_[start] == '0' && at_ - start > 1) fail(start, "a numeral has no 0 in front");
  TokenKind kind = TokenKind::kNumeral;
  if (at_ < data_.size() && data_[at_] == '.') {
    ++at_;
    if (at_ == data_.size() || !is_digit(data_[at_])) {
      fail(at_, "a digit is expected behind '.', not " + describe_char(data_, at_));
    }
    digits();
    kind = TokenKind::kDecimal;
  }
  return {kind, false, start, at_, data_.substr(start, at_ - start)};
}

Token Lexer::hash() {
  const std::size_t start = at_;
  const char base = start + 1 < data_.size() ? data_[start + 1] : '\0';
  if (base != 'x' && base != 'b') fail(start, "'#' is followed by x or b");
  at_ += 2;
  while (at_ < data_.size() && (base == 'x' ? is_hex(data_[at_]) : data_[at_] == '0' || data_[at_] == '1')) {
    ++at_;
  }
  if (at_ == start + 2) {
    fail(at_, std::string(base == 'x' ? "a hexadecimal" : "a binary") + " digit is expected, not " +
                  describe_char(data_, at_));
  }
  return {base == 'x' ? TokenKind::kHex : TokenKind::kBinary, false, start, at_,
          data_.substr(start + 2, at_ - start - 2)};
}

Token Lexer::next() {
  skip();
  const std::size_t start = at_;
  if (at_ == data_.size()) return {TokenKind::kEnd, false, start, start, {}};
  const char c = data_[at_];
  if (c == '(' || c == ')') {
    ++at_;
    return {c == '(' ? TokenKind::kOpen : TokenKind::kClose, false, start, at_, data_.substr(start, 1)};
  }
  Token token;
  if (c == '|' || c == '"') {
    token = quoted(c);
  } else if (is_digit(c)) {
    token = number();
  } else if (c == '#') {
    token = hash();
  } else if (c == ':' || is_symbol_char(c)) {
    ++at_;
    while (at_ < data_.size() && is_symbol_char(data_[at_])) ++at_;
    if (c == ':' && at_ == start + 1) fail(start, "':' without a keyword");
    token = {c == ':' ? TokenKind::kKeyword : TokenKind::kSymbol, false, start, at_,
             data_.substr(start, at_ - start)};
  } else {
    fail(start, describe_char(data_, start) + " cannot stand here");
  }
  constexpr std::string_view kEnders = "();";
  if (at_ < data_.size() && !is_space(data_[at_]) && kEnders.find(data_[at_]) == std::string_view::npos) {
    fail(at_, "a blank or a parenthesis is expected here, not " + describe_char(data_, at_));
  }
  return token;
}

std::string describe(const Token& token) {
  constexpr std::size_t kShown = 60;
  std::string text(token.text.substr(0, kShown));
  if (token.text.size() > kShown) text += "...";
  switch (token.kind) {
    case TokenKind::kOpen: return "'('";
    case TokenKind::kClose: return "')'";
    case TokenKind::kSymbol: return token.quoted ? "the symbol |" + text + "|" : "the symbol " + text;
    case TokenKind::kKeyword: return "the keyword " + text;
    case TokenKind::kNumeral: return "the numeral " + text;
    case TokenKind::kDecimal: return "the decimal " + text;
    case TokenKind::kHex: return "the constant #x" + text;
    case TokenKind::kBinary: return "the constant #b" + text;
    case TokenKind::kString: return "a string";
    case TokenKind::kEnd: break;
  }
  return "the end of the file";
}

bool is_simple_symbol(std::string_view name) {
  if (name.empty() || is_digit(name.front())) return false;
  if (!std::all_of(name.begin(), name.end(), is_symbol_char)) return false;
  return std::find(kReserved.begin(), kReserved.end(), name) == kReserved.end() && name != "NUMERAL" &&
         name != "STRING";
}

std::string symbol_text(std::string_view name) {
  return is_simple_symbol(name) ? std::string(name) : "|" + std::string(name) + "|";
}

std::string normalised(std::string_view data, const std::string& name, std::size_t start, std::size_t end) {
  Lexer lexer(data.substr(start, end - start), name);
  std::string text;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (!text.empty() && text.back() != '(' && token.kind != TokenKind::kClose) text += ' ';
    text += data.substr(start + token.start, token.end - token.start);
  }
  return text;
}

}  // namespace dmt::smt
