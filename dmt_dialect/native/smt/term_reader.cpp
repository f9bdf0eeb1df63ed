#include "dmt_dialect/native/smt/term_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace dmt::smt {

namespace {

/// More digits would make reading quadratic in the file.
constexpr std::size_t kMaxDecimalDigits = 65536;

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void TermReader::poll() const {
  if (stop_.poll()) throw dynomite::LimitError("reading was stopped");
}

Token TermReader::expect(TokenKind kind, const char* what) {
  const Token token = lexer_.next();
  if (token.kind != kind)
    lexer_.fail(token.start, std::string(what) + " is expected here, not " + describe(token));
  return token;
}

std::string_view TermReader::declarable(const Token& token, Names::Space space) {
  if (token.kind != TokenKind::kSymbol) {
    lexer_.fail(token.start, "a symbol is expected here, not " + describe(token));
  }
  const std::string shown(token.text);
  if (!token.quoted && !is_simple_symbol(token.text)) {
    lexer_.fail(token.start, shown + " is a reserved word");
  }
  const bool theory = space == Names::Space::kSorts ? token.text == "Bool" || token.text == "BitVec"
                                                    : token.text == "true" || token.text == "false" ||
                                                          find_operator(token.text) != nullptr;
  if (theory) lexer_.fail(token.start, shown + " is a name of the theory");
  return token.text;
}

std::uint32_t TermReader::index(const Token& token, const char* what) {
  if (token.kind != TokenKind::kNumeral) {
    lexer_.fail(token.start, std::string(what) + " is expected here, not " + describe(token));
  }
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  static_cast<void>(end);
  if (error != std::errc()) lexer_.fail(token.start, std::string(what) + " is too large");
  return value;
}

Sort TermReader::read_sort(Token token) {
  if (token.kind == TokenKind::kSymbol) {
    if (token.text == "Bool") return Sort::boolean();
    const Binding& binding = names_.find(token.text, Names::Space::kSorts);
    if (binding.kind == Binding::Kind::kSort) return binding.sort;
    lexer_.fail(token.start, token.text == "BitVec" ? "a width is missing: (_ BitVec N)"
                                                    : "there is no sort " + std::string(token.text));
  }
  if (token.kind != TokenKind::kOpen) {
    lexer_.fail(token.start, "a sort is expected here, not " + describe(token));
  }
  const Token head = lexer_.next();
  if (head.kind == TokenKind::kSymbol && head.text == "_" && !head.quoted) {
    const Token name = lexer_.next();
    if (name.kind == TokenKind::kSymbol && name.text == "BitVec") {
      const Token width = lexer_.next();
      const std::uint32_t bits = index(width, "a width");
      if (bits == 0) lexer_.fail(width.start, "bit-vectors of width 0 do not exist");
      if (bits > BitVec::kMaxWidth) lexer_.fail(width.start, "bit-vectors have at most 2^24 bits");
      expect(TokenKind::kClose, "')'");
      return Sort::bits(bits);
    }
    lexer_.fail(name.start, "the sorts are Bool and (_ BitVec N); " + describe(name) + " is none of QF_BV");
  }
  lexer_.fail(head.start, "the sorts are Bool and (_ BitVec N); " + describe(head) + " is none of QF_BV");
}

TermId TermReader::read(Token token, std::vector<Named>& named) {
  frames_.clear();
  values_.clear();
  value_starts_.clear();
  bindings_.clear();
  named_ = &named;
  for (;;) {
    poll();
    bool has_value = true;
    if (!frames_.empty() && frames_.back().kind == FrameKind::kApply && token.kind == TokenKind::kClose) {
      close_application();
    } else {
      has_value = begin(token);
    }
    while (has_value && !frames_.empty()) has_value = after_value();
    if (has_value) return values_.back();
    token = lexer_.next();
  }
}

bool TermReader::begin(const Token& token) {
  if (token.kind == TokenKind::kOpen) return begin_list(token);
  push_value(atom(token), token.start);
  return true;
}

bool TermReader::begin_list(const Token& open) {
  const Token head = lexer_.next();
  if (head.kind == TokenKind::kOpen) {
    begin_indexed_application(open);
    return false;
  }
  if (head.kind != TokenKind::kSymbol) {
    lexer_.fail(head.start, "a function is expected here, not " + describe(head));
  }
  if (!head.quoted && head.text == "_") {
    push_value(indexed_constant(open), open.start);
    return true;
  }
  if (!head.quoted && head.text == "let") {
    begin_let(open);
    return false;
  }
  if (!head.quoted && head.text == "!") {
    Frame frame;
    frame.kind = FrameKind::kAnnotation;
    frame.start = open.start;
    frames_.push_back(frame);
    return false;
  }
  if (!head.quoted && (head.text == "forall" || head.text == "exists")) {
    lexer_.fail(head.start, "QF_BV has no quantifiers");
  }
  if (!head.quoted && !is_simple_symbol(head.text)) {
    lexer_.fail(head.start, std::string(head.text) + " cannot stand in a term of QF_BV");
  }
  begin_application(open, head);
  return false;
}

void TermReader::begin_indexed_application(const Token& open) {
  const Token mark = lexer_.next();
  if (mark.kind != TokenKind::kSymbol || mark.text != "_" || mark.quoted) {
    lexer_.fail(mark.start, "'_' is expected here, as in ((_ extract 7 0) x), not " + describe(mark));
  }
  const Token name = expect(TokenKind::kSymbol, "the name of a function");
  Frame frame;
  frame.start = open.start;
  frame.name = name.text;
  frame.op = find_operator(name.text);
  frame.first_value = values_.size();
  const std::uint32_t count = frame.op == nullptr ? 0 : index_count(frame.op->form);
  if (count == 0) {
    lexer_.fail(name.start, std::string(name.text) +
                                (frame.op != nullptr ? " takes no index" : " is no function with indices"));
  }
  for (std::uint32_t i = 0; i < count; ++i) frame.index[i] = index(lexer_.next(), "an index");
  expect(TokenKind::kClose, "')'");
  frames_.push_back(frame);
}

void TermReader::begin_application(const Token& open, const Token& head) {
  Frame frame;
  frame.start = open.start;
  frame.name = head.text;
  frame.first_value = values_.size();
  const Binding& binding = names_.find(head.text);
  const std::string shown = symbol_text(head.text);
  if (binding.kind == Binding::Kind::kFunction) {
    frame.function = binding.function;
  } else if (binding.kind == Binding::Kind::kTerm) {
    lexer_.fail(head.start,
                shown + " has the sort " + terms_.sort(binding.term).text() + ": it takes no argument");
  } else {
    frame.op = find_operator(head.text);
    if (frame.op == nullptr) lexer_.fail(head.start, "there is no function " + shown);
    const std::uint32_t count = index_count(frame.op->form);
    if (count != 0) {
      lexer_.fail(head.start, shown + " takes " + (count == 1 ? "an index" : "two indices") + ": ((_ " +
                                  shown + (count == 1 ? " i) x)" : " i j) x)"));
    }
  }
  frames_.push_back(frame);
}

void TermReader::begin_let(const Token& open) {
  expect(TokenKind::kOpen, "'('");
  Frame frame;
  frame.kind = FrameKind::kLetBinding;
  frame.start = open.start;
  frame.first_binding = bindings_.size();
  frames_.push_back(frame);
  next_binding();
}

void TermReader::next_binding() {
  Frame& frame = frames_.back();
  const Token token = lexer_.next();
  if (token.kind == TokenKind::kOpen) {
    const Token name = lexer_.next();
    bindings_.push_back({declarable(name, Names::Space::kTerms), name.start, TermId()});
    return;
  }
  if (token.kind != TokenKind::kClose || bindings_.size() == frame.first_binding) {
    lexer_.fail(token.start, "'(' and a name to bind are expected here, not " + describe(token));
  }
  // All at once: no binding sees another of the same `let`.
  frame.mark = names_.mark();
  for (std::size_t i = frame.first_binding; i < bindings_.size(); ++i) {
    const Pending& pending = bindings_[i];
    if (names_.find(pending.name).scope == frame.mark) {
      lexer_.fail(pending.start, symbol_text(pending.name) + " is bound twice by one let");
    }
    Binding binding;
    binding.kind = Binding::Kind::kTerm;
    binding.term = pending.term;
    binding.scope = frame.mark;
    names_.bind(pending.name, binding);
  }
  bindings_.resize(frame.first_binding);
  frame.kind = FrameKind::kLetBody;
}

void TermReader::close_application() {
  const Frame frame = frames_.back();
  const TermId term = apply(frame);
  frames_.pop_back();
  values_.resize(frame.first_value);
  value_starts_.resize(frame.first_value);
  push_value(term, frame.start);
}

bool TermReader::after_value() {
  switch (frames_.back().kind) {
    case FrameKind::kApply: return false;
    case FrameKind::kLetBinding:
      bindings_.back().term = values_.back();
      values_.pop_back();
      value_starts_.pop_back();
      expect(TokenKind::kClose, "')'");
      next_binding();
      return false;
    case FrameKind::kLetBody:
      expect(TokenKind::kClose, "')'");
      names_.leave(frames_.back().mark);
      break;
    case FrameKind::kAnnotation: read_attributes(); break;
  }
  value_starts_.back() = frames_.back().start;
  frames_.pop_back();
  return true;
}

void TermReader::read_attributes() {
  Token token = lexer_.next();
  if (token.kind == TokenKind::kClose) lexer_.fail(token.start, "an attribute is expected here, not ')'");
  while (token.kind != TokenKind::kClose) {
    if (token.kind != TokenKind::kKeyword) {
      lexer_.fail(token.start, "an attribute is expected here, not " + describe(token));
    }
    const bool is_name = token.text == ":named";
    token = lexer_.next();
    if (is_name) {
      if (terms_.has_parameter(values_.back())) {
        lexer_.fail(token.start, "a term with parameters of a function cannot be named");
      }
      const std::string_view name = declarable(token, Names::Space::kTerms);
      named_->push_back({std::string(name), values_.back(), token.start, frames_.size() == 1});
      token = lexer_.next();
    } else if (token.kind != TokenKind::kKeyword && token.kind != TokenKind::kClose) {
      skip_value(token);
      token = lexer_.next();
    }
  }
}

void TermReader::skip_value(Token token) {
  std::size_t depth = 0;
  for (;;) {
    poll();
    if (token.kind == TokenKind::kEnd)
      lexer_.fail(token.start, "')' is expected here, not the end of the file");
    if (token.kind == TokenKind::kClose && depth == 0)
      lexer_.fail(token.start, "a value is expected here, not ')'");
    if (token.kind == TokenKind::kOpen) ++depth;
    if (token.kind == TokenKind::kClose) --depth;
    if (depth == 0) return;
    token = lexer_.next();
  }
}

TermId TermReader::atom(const Token& token) {
  switch (token.kind) {
    case TokenKind::kHex:
    case TokenKind::kBinary: return digits_constant(token);
    case TokenKind::kNumeral:
    case TokenKind::kDecimal:
      lexer_.fail(token.start,
                  describe(token) + " is no term of QF_BV; bit-vectors are written (_ bvN width)");
    case TokenKind::kSymbol: break;
    default: lexer_.fail(token.start, "a term is expected here, not " + describe(token));
  }
  const Binding& binding = names_.find(token.text);
  if (binding.kind == Binding::Kind::kTerm) return binding.term;
  if (token.text == "true") return terms_.boolean(true);
  if (token.text == "false") return terms_.boolean(false);
  const std::string shown = symbol_text(token.text);
  if (binding.kind == Binding::Kind::kFunction || find_operator(token.text) != nullptr) {
    lexer_.fail(token.start, shown + " is a function and needs arguments");
  }
  lexer_.fail(token.start, "there is no " + shown);
}

TermId TermReader::digits_constant(const Token& token) {
  const std::uint32_t each = token.kind == TokenKind::kHex ? 4 : 1;
  const std::uint64_t width = std::uint64_t{each} * token.text.size();
  if (width > BitVec::kMaxWidth) lexer_.fail(token.start, "bit-vectors have at most 2^24 bits");
  std::vector<std::uint64_t> limbs((width + 63) / 64);
  std::uint64_t position = width;
  for (const char c : token.text) {
    position -= each;
    const auto digit = static_cast<std::uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    limbs[position / 64] |= digit << (position % 64);  // 64 is a multiple of a digit's bits
  }
  const auto bits = static_cast<std::uint32_t>(width);
  return terms_.constant(Sort::bits(bits), limbs);
}

TermId TermReader::indexed_constant(const Token& open) {
  const Token name = expect(TokenKind::kSymbol, "the name of a constant, as in (_ bv5 8),");
  if (name.text.substr(0, 2) != "bv" || !is_number(name.text.substr(2))) {
    const bool function =
        find_operator(name.text) != nullptr && index_count(find_operator(name.text)->form) != 0;
    lexer_.fail(open.start, function ? std::string(name.text) + " is a function and needs an argument: ((_ " +
                                           std::string(name.text) + " ...) x)"
                                     : "there is no constant " + std::string(name.text) + " with indices");
  }
  const Token width_token = lexer_.next();
  const std::uint32_t width = index(width_token, "a width");
  if (width == 0) lexer_.fail(width_token.start, "bit-vectors of width 0 do not exist");
  if (width > BitVec::kMaxWidth) lexer_.fail(width_token.start, "bit-vectors have at most 2^24 bits");
  const TermId term = decimal_constant(name, name.text.substr(2), width);
  expect(TokenKind::kClose, "')'");
  return term;
}

TermId TermReader::decimal_constant(const Token& token, std::string_view digits, std::uint32_t width) {
  if (digits.size() > kMaxDecimalDigits) {
    lexer_.fail(token.start, "a decimal constant has at most 65536 digits; write it as #x...");
  }
  std::vector<std::uint64_t> limbs;
  const auto overflow = [&] {
    lexer_.fail(token.start, "bv" + std::string(digits.substr(0, 40)) + " does not fit into " +
                                 std::to_string(width) + (width == 1 ? " bit" : " bits"));
  };
  for (const char c : digits) {
    std::uint64_t carry = static_cast<std::uint64_t>(c - '0');
    for (std::uint64_t& limb : limbs) {
      // limb * 10 + carry, in two halves
      const std::uint64_t low = (limb & 0xFFFFFFFFU) * 10 + carry;
      const std::uint64_t high = (limb >> 32) * 10 + (low >> 32);
      limb = (high << 32) | (low & 0xFFFFFFFFU);
      carry = high >> 32;
    }
    if (carry != 0) limbs.push_back(carry);
    if (limbs.size() * 64 > std::size_t{width} + 63) overflow();
  }
  if (!limbs.empty() && width % 64 != 0 && limbs.size() == width / 64 + 1 &&
      limbs.back() >> (width % 64) != 0) {
    overflow();
  }
  return terms_.constant(Sort::bits(width), limbs);
}

}  // namespace dmt::smt
