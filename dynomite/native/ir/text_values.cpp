// Constants, strings, lists, dictionaries, symbol references and types in the text form.
#include <algorithm>
#include <unordered_map>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/text_reader.hpp"

namespace dynomite::ir {

using text_class::is;

namespace {

// More digits would cost quadratic time; hexadecimal has no such limit.
constexpr std::size_t kMaxDecimalDigits = 20000;
// 64-bit words that wide constants of a text may take beyond a share of its size.
constexpr std::size_t kWideWords = std::size_t{1} << 16;
constexpr std::size_t kLongestCachedType = 40;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::uint32_t bit_length(const std::vector<std::uint64_t>& words) {
  for (std::size_t i = words.size(); i-- > 0;) {
    if (words[i] != 0)
      return static_cast<std::uint32_t>(64 * (i + 1)) - static_cast<std::uint32_t>(__builtin_clzll(words[i]));
  }
  return 0;
}

/// words = words * 10^digits + summand, for at most 9 digits a step: products of halves stay in 64 bits.
void multiply_add(std::vector<std::uint64_t>& words, std::uint64_t factor, std::uint64_t summand) {
  std::uint64_t carry = summand;
  for (std::uint64_t& word : words) {
    const std::uint64_t low = (word & 0xFFFFFFFFU) * factor + carry;
    const std::uint64_t high = (word >> 32) * factor + (low >> 32);
    word = high << 32 | (low & 0xFFFFFFFFU);
    carry = high >> 32;
  }
  if (carry != 0) words.push_back(carry);
}

}  // namespace

/// Reads `-`? digits. True if negative. Words have no leading zeros; at least one.
bool TextReader::read_integer(std::vector<std::uint64_t>& words) {
  const std::uint32_t offset = cursor_.offset();
  const bool negative = cursor_.take('-');
  const char* start = cursor_.at();
  words.assign(1, 0);
  if (cursor_.peek() == '0' && (cursor_.peek(1) == 'x' || cursor_.peek(1) == 'X')) {
    cursor_.advance(2);
    start = cursor_.at();
    while (hex_digit(cursor_.peek()) >= 0) cursor_.advance();
    const auto digits = static_cast<std::size_t>(cursor_.at() - start);
    if (digits == 0) fail(offset, "expected digits behind '0x'");
    words.assign((digits + 15) / 16, 0);
    for (std::size_t i = 0; i < digits; ++i) {
      words[i / 16] |= static_cast<std::uint64_t>(hex_digit(start[digits - 1 - i])) << (4 * (i % 16));
    }
  } else {
    while (is(cursor_.peek(), text_class::kDigit)) cursor_.advance();
    const auto digits = static_cast<std::size_t>(cursor_.at() - start);
    if (digits == 0) fail(offset, "expected a number");
    if (digits > kMaxDecimalDigits) {
      fail(offset, "a decimal number has at most " + std::to_string(kMaxDecimalDigits) +
                       " digits; hexadecimal has no limit");
    }
    for (std::size_t i = 0; i < digits;) {
      std::uint64_t chunk = 0, scale = 1;
      for (; i < digits && scale < 1000000000ULL; ++i, scale *= 10) {
        chunk = chunk * 10 + static_cast<std::uint64_t>(start[i] - '0');
      }
      multiply_add(words, scale, chunk);
    }
  }
  if (is(cursor_.peek(), text_class::kStart | text_class::kDot | text_class::kDollar)) {
    fail(cursor_.offset(), "a number ends here, and there are no other numbers than integers");
  }
  while (words.size() > 1 && words.back() == 0) words.pop_back();
  return negative;
}

std::uint32_t TextReader::small_number(const char* what) {
  cursor_.skip_lines();
  const std::uint32_t offset = cursor_.offset();
  std::vector<std::uint64_t> words;
  const bool negative = read_integer(words);
  if (negative || words.size() > 1 || words[0] > 0xFFFFFFFFU) {
    fail(offset, std::string(what) + " is a number below 2^32");
  }
  return static_cast<std::uint32_t>(words[0]);
}

/// An integer without a width: 64 bits.
FatDynObjRef TextReader::number() {
  const std::uint32_t offset = cursor_.offset();
  std::vector<std::uint64_t> words;
  const bool negative = read_integer(words);
  if (words.size() > 1 || (negative && words[0] > std::uint64_t{1} << 63)) {
    fail(offset, "the number does not fit into 64 bits; write constant(NUMBER, WIDTH)");
  }
  return {kind::kConstant, 64, negative ? ~words[0] + 1 : words[0]};
}

/// Behind the word 'constant'.
FatDynObjRef TextReader::constant() {
  expect('(', "behind 'constant'");
  cursor_.skip_lines();
  const std::uint32_t offset = cursor_.offset();
  std::vector<std::uint64_t> words;
  const bool negative = read_integer(words);
  expect(',', "between a constant and its width");
  cursor_.skip_lines();
  const std::uint32_t width_offset = cursor_.offset();
  const std::uint32_t width = small_number("a width");
  expect(')', "behind the width");
  if (width == 0) fail(width_offset, "a constant has at least one bit");
  const std::uint32_t length = bit_length(words);
  bool fits = length <= width;
  if (negative && length == width) {
    // Only -2^(width - 1) itself.
    fits = words[(width - 1) / 64] == std::uint64_t{1} << ((width - 1) % 64);
    for (std::size_t i = 0; i < (width - 1) / 64; ++i) fits = fits && words[i] == 0;
  }
  if (!fits) fail(offset, "the constant does not fit into " + std::to_string(width) + " bits");
  const std::size_t needed = (std::size_t{width} + 63) / 64;
  if (width > 64) {
    wide_words_ += needed;
    if (wide_words_ > kWideWords + text_.size() / 2) {
      fail(width_offset, "the constants of this text are too wide: more than " +
                             std::to_string(kWideWords + text_.size() / 2) + " words of 64 bits");
    }
  }
  words.resize(needed, 0);
  if (negative) {
    bool carry = true;
    for (std::uint64_t& word : words) {
      word = ~word + (carry ? 1 : 0);
      carry = carry && word == 0;
    }
    if (width % 64 != 0) words.back() &= (std::uint64_t{1} << (width % 64)) - 1;
  }
  return module_->attributes().constant(width, words);
}

/// Behind the word 'object': a reference to an object that only its dialect knows.
FatDynObjRef TextReader::object() {
  expect('(', "behind 'object'");
  cursor_.skip_lines();
  const std::uint32_t offset = cursor_.offset();
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word.empty()) fail(offset, "expected the kind of an object");
  const ObjKind kind = find_type(word, offset);
  if (kind.dialect == kCoreDialect) fail(offset, "objects of the core dialect have a form of their own");
  expect(',', "behind the kind of an object");
  const std::uint32_t id = small_number("the number of an object");
  expect(',', "behind the number of an object");
  cursor_.skip_lines();
  const FatDynObjRef payload = number();
  expect(')', "at the end of 'object'");
  return {kind, id, payload.payload};
}

std::string TextReader::quoted() {
  const std::uint32_t open = cursor_.offset();
  cursor_.advance();
  std::string text;
  for (;;) {
    const char* start = cursor_.at();
    while (cursor_.peek() != '"' && cursor_.peek() != '\\' && cursor_.peek() != '\n' && !cursor_.at_end()) {
      cursor_.advance();
    }
    text.append(start, cursor_.at());
    if (cursor_.at_end() || cursor_.peek() == '\n') fail(open, "the string that starts here has no end");
    if (cursor_.take('"')) return text;
    const std::uint32_t escape = cursor_.offset();
    const char c = cursor_.peek(1);
    cursor_.advance(c == '\0' ? 1 : 2);
    switch (c) {
      case '"':
      case '\\': text += c; break;
      case 'n': text += '\n'; break;
      case 't': text += '\t'; break;
      case 'r': text += '\r'; break;
      case 'x': {
        const int high = hex_digit(cursor_.peek());
        const int low = high < 0 ? -1 : hex_digit(cursor_.peek(1));
        if (low < 0) fail(escape, "expected two hexadecimal digits behind '\\x'");
        cursor_.advance(2);
        text += static_cast<char>(high * 16 + low);
        break;
      }
      default: fail(escape, "unknown escape; there are \\\" \\\\ \\n \\t \\r and \\xHH");
    }
  }
}

FatDynObjRef TextReader::symbol_reference() {
  const std::uint32_t offset = cursor_.offset();
  Attributes& attributes = module_->attributes();
  std::vector<AttrId> path;
  for (;;) {
    const std::uint32_t part = cursor_.offset();
    cursor_.advance();
    if (cursor_.peek() == '"') {
      path.push_back(attributes.string(quoted()));
    } else {
      const std::string_view word = cursor_.word(text_class::kDot | text_class::kDollar);
      if (word.empty()) fail(part, "expected a name behind '@'");
      path.push_back(attributes.string(word));
    }
    if (cursor_.peek() != ':' || cursor_.peek(1) != ':') break;
    cursor_.advance(2);
    if (cursor_.peek() != '@') fail(cursor_.offset(), "expected '@' behind '::'");
  }
  const AttrId attr = attributes.symbol_ref(path);
  symbols_.add_use(frame().table, attr, offset);
  return {kind::kAttr, attr.index()};
}

/// The key of a dictionary's entry and '='.
void TextReader::key() {
  cursor_.skip_lines();
  const std::uint32_t offset = cursor_.offset();
  AttrId name;
  if (cursor_.peek() == '"') {
    name = module_->attributes().string(quoted());
  } else {
    const std::string_view word = cursor_.word(text_class::kDot | text_class::kDollar);
    if (word.empty()) fail(offset, "expected the name of an attribute");
    name = module_->attributes().string(word);
  }
  keys_.emplace_back(name, offset);
  expect('=', "behind the name of an attribute");
}

/// Reads a whole value, or opens a list, dictionary or type (false).
bool TextReader::start_value(FatDynObjRef& result) {
  cursor_.skip_lines();
  const std::uint32_t offset = cursor_.offset();
  const char c = cursor_.peek();
  Attributes& attributes = module_->attributes();
  const auto open = [&](char close) {
    open_values_.push_back({close, offset, items_.size(), keys_.size(), {}});
    return false;
  };
  if (c == '"') {
    result = {kind::kAttr, attributes.string(quoted()).index()};
    return true;
  }
  if (c == '@') {
    result = symbol_reference();
    return true;
  }
  if (c == '-' || is(c, text_class::kDigit)) {
    result = number();
    return true;
  }
  if (c == '[' || c == '{') {
    cursor_.advance();
    return open(c == '[' ? ']' : '}');
  }
  if (c == '%' || c == '^' || c == '&' || c == '$') {
    fail(offset, std::string("'") + c + "' is an operand of its own and cannot be a part of a value");
  }
  const std::string_view word = cursor_.word(text_class::kDot);
  if (word.empty()) fail(offset, "expected a value");
  if (word == "constant") {
    result = constant();
  } else if (word == "true" || word == "false") {
    result = {kind::kConstant, 1, word == "true" ? 1U : 0U};
  } else if (word == "_") {
    result = {};
  } else if (word == "object") {
    result = object();
  } else if (word == "dict") {
    cursor_.skip_lines();
    if (!cursor_.take('{')) fail(cursor_.offset(), "expected '{' behind 'dict'");
    return open('}');
  } else {
    const ObjKind kind = find_type(word, offset);
    if (cursor_.peek() == '(') {
      cursor_.advance();
      open(')');
      open_values_.back().type = kind;
      return false;
    }
    const OpenValue bare{')', offset, items_.size(), keys_.size(), kind};
    result = close_value(bare);
  }
  return true;
}

FatDynObjRef TextReader::close_value(const OpenValue& open) {
  Attributes& attributes = module_->attributes();
  const std::span<const FatDynObjRef> items(items_.data() + open.first_item, items_.size() - open.first_item);
  FatDynObjRef result;
  if (open.close == ']') {
    result = {kind::kAttr, attributes.list(items).index()};
  } else if (open.close == '}') {
    std::vector<std::pair<AttrId, FatDynObjRef>> entries;
    entries.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      entries.emplace_back(keys_[open.first_key + i].first, items[i]);
    }
    if (entries.size() > 1) {
      std::unordered_map<AttrId, std::uint32_t> seen;
      for (std::size_t i = open.first_key; i < keys_.size(); ++i) {
        const auto [it, added] = seen.emplace(keys_[i].first, keys_[i].second);
        if (added) continue;
        fail(keys_[i].second, "the attribute '" + attributes.text(keys_[i].first) + "' comes twice",
             {{it->second, "first given here"}});
      }
    }
    result = {kind::kAttr, attributes.dict(std::move(entries)).index()};
  } else {
    const std::string fault = wrong_parameters(*registry_, open.type, attributes, items);
    if (!fault.empty()) fail(open.offset, fault);
    result = {kind::kType, attributes.type(open.type, items).index()};
  }
  items_.resize(open.first_item);
  keys_.resize(open.first_key);
  return result;
}

FatDynObjRef TextReader::value() {
  const std::size_t base = open_values_.size();
  FatDynObjRef result;
  bool done = start_value(result);
  for (;;) {
    if (!done) {
      // Just opened: empty, or the first key.
      OpenValue& open = open_values_.back();
      cursor_.skip_lines();
      if (cursor_.take(open.close)) {
        result = close_value(open);
        open_values_.pop_back();
      } else {
        if (open.close == '}') key();
        done = start_value(result);
        continue;
      }
    }
    if (open_values_.size() == base) return result;
    items_.push_back(result);
    const OpenValue open = open_values_.back();
    cursor_.skip_lines();
    if (cursor_.take(',')) {
      if (open.close == '}') key();
      done = start_value(result);
    } else if (cursor_.take(open.close)) {
      result = close_value(open);
      open_values_.pop_back();
      done = true;
    } else {
      fail(cursor_.offset(), std::string("expected ',' or '") + open.close + "'",
           {{open.offset, "opened here"}});
    }
  }
}

/// The type of a value. Types that were read before are found by their text.
TypeId TextReader::type() {
  cursor_.skip_lines();
  const std::uint32_t offset = cursor_.offset();
  const char* start = cursor_.at();
  std::uint64_t hash = 0;
  std::size_t length = 0;
  constexpr auto kName =
      static_cast<std::uint8_t>(text_class::kStart | text_class::kDigit | text_class::kDot);
  while (length < kLongestCachedType && is(start[length], kName)) {
    hash = (hash ^ static_cast<unsigned char>(start[length++])) * 0x9E3779B97F4A7C15ULL;
  }
  if (start[length] == '(') {
    hash ^= 1;
    ++length;
    while (length < kLongestCachedType && is(start[length], kName)) {
      hash = (hash ^ static_cast<unsigned char>(start[length++])) * 0x9E3779B97F4A7C15ULL;
    }
    if (start[length] == ')') ++length;
  }
  Cached<TypeId>& cached = type_cache_[(hash >> 32) % type_cache_.size()];
  const std::string_view text(start, length);
  if (length != 0 && cached.text == text) {
    cursor_.advance(length);
    return cached.value;
  }
  const FatDynObjRef ref = value();
  if (ref.kind != kind::kType) fail(offset, "expected a type");
  if (cursor_.at() == start + length) cached = {text, TypeId(ref.id)};
  return TypeId(ref.id);
}

}  // namespace dynomite::ir
