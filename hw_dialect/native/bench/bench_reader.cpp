#include "hw_dialect/native/bench/bench_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "hw_dialect/native/blif/line_lexer.hpp"
#include "hw_dialect/native/blif/netlist_builder.hpp"

namespace hw {

namespace {

struct Gate {
  std::string_view keyword;
  Function function;
  std::uint32_t least, most;  // number of inputs
};

constexpr std::uint32_t kAny = UINT32_MAX;
constexpr std::array<Gate, 15> kGates = {{{"AND", Function::kAnd, 1, kAny},
                                          {"NAND", Function::kNand, 1, kAny},
                                          {"OR", Function::kOr, 1, kAny},
                                          {"NOR", Function::kNor, 1, kAny},
                                          {"XOR", Function::kXor, 1, kAny},
                                          {"XNOR", Function::kXnor, 1, kAny},
                                          {"NOT", Function::kNot, 1, 1},
                                          {"INV", Function::kNot, 1, 1},
                                          {"BUFF", Function::kBuffer, 1, 1},
                                          {"BUF", Function::kBuffer, 1, 1},
                                          {"MUX", Function::kMux, 3, 3},
                                          {"GND", Function::kZero, 0, 0},
                                          {"CONST0", Function::kZero, 0, 0},
                                          {"VDD", Function::kOne, 0, 0},
                                          {"CONST1", Function::kOne, 0, 0}}};
constexpr std::uint32_t kMaxLutInputs = 16;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool ends_name(char c) {
  return is_blank(c) || c == '\n' || c == '(' || c == ')' || c == ',' || c == '=' || c == '#' || c == '\0';
}
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool same_keyword(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                    [](char a, char b) { return upper(a) == b; });
}

class Reader {
 public:
  Reader(std::string_view data, const std::string& path, dynomite::Stop& stop)
      : data_(data),
        path_(path),
        build_(netlist_),
        stop_(stop),
        cursor_(data.data()),
        end_(cursor_ + data.size()) {
    netlist_.path = path;
  }

  Netlist run() {
    open_model();
    bool any = false;
    std::uint32_t lines = 0;
    for (;; ++line_) {
      if ((++lines & 1023U) == 0 && stop_.poll_clock()) throw dynomite::LimitError("reading was stopped");
      skip_blanks();
      if (cursor_ != end_ && *cursor_ != '\n' && *cursor_ != '#') {
        statement();
        any = true;
      }
      skip_blanks();
      if (cursor_ != end_ && *cursor_ == '#') {
        any = true;  // a circuit without ports is a file of comments
        const void* newline = std::memchr(cursor_, '\n', static_cast<std::size_t>(end_ - cursor_));
        cursor_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
      }
      if (cursor_ == end_) break;
      if (*cursor_ != '\n') fail_here("unexpected " + found() + " after the end of the statement");
      ++cursor_;
    }
    if (!any) fail_here("no circuit: the file is empty");
    build_.end_model();
    return std::move(netlist_);
  }

 private:
  [[noreturn]] void fail(std::string_view where, const std::string& message) const {
    fail_at_text(data_, path_, where, message);
  }
  [[noreturn]] void fail_here(const std::string& message) const {
    fail(std::string_view(cursor_, static_cast<std::size_t>(end_ - cursor_)), message);
  }
  /// What stands at the cursor, for messages.
  std::string found() const {
    if (cursor_ == end_) return "end of the file";
    if (*cursor_ == '\n' || *cursor_ == '#') return "end of the line";
    if (*cursor_ == '\0') return "NUL byte";
    const char* p = cursor_;
    while (p != end_ && !ends_name(*p)) ++p;
    return quoted(std::string_view(cursor_, static_cast<std::size_t>(std::max(p, cursor_ + 1) - cursor_)));
  }

  void open_model() {
    std::string name = path_;
    if (name.empty() || name.front() == '<') {
      name = "top";
    } else {
      name = name.substr(name.find_last_of('/') + 1);
      name = name.substr(0, name.find(".bench"));
    }
    const NameId id = netlist_.names.intern(name);
    netlist_.model_by_name.emplace(id.index(), build_.begin_model(id, 1));
    build_.model().named_by_file = true;
  }

  void skip_blanks() {
    while (cursor_ != end_ && is_blank(*cursor_)) ++cursor_;
  }

  std::string_view name(const char* what) {
    skip_blanks();
    const char* begin = cursor_;
    while (cursor_ != end_ && !ends_name(*cursor_)) ++cursor_;
    if (cursor_ == begin) fail_here(std::string("expected ") + what + ", found " + found());
    return {begin, static_cast<std::size_t>(cursor_ - begin)};
  }

  bool accept(char c) {
    skip_blanks();
    if (cursor_ == end_ || *cursor_ != c) return false;
    ++cursor_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail_here(std::string("expected '") + c + "', found " + found());
  }

  void statement() {
    const std::string_view first = name("INPUT, OUTPUT or the name of a signal");
    if (accept('=')) return gate(first);
    const bool input = same_keyword(first, "INPUT");
    if (!input && !same_keyword(first, "OUTPUT")) {
      fail(first, "expected INPUT(signal), OUTPUT(signal) or signal = GATE(...), found " + quoted(first));
    }
    expect('(');
    build_.add_port(input ? PortKind::kInput : PortKind::kOutput, name("the name of a signal"), line_);
    expect(')');
  }

  /// Reads `( a, b, ... )` into `operands_`. `optional`: it may be missing altogether.
  void read_operands(bool optional) {
    operands_.clear();
    skip_blanks();
    if (optional && (cursor_ == end_ || *cursor_ != '(')) return;
    expect('(');
    if (accept(')')) return;
    do {
      operands_.push_back(name("the name of a signal"));
    } while (accept(','));
    expect(')');
  }

  void check_count(std::string_view keyword, std::uint32_t least, std::uint32_t most) const {
    if (operands_.size() >= least && operands_.size() <= most) return;
    std::string wanted = std::to_string(least);
    if (most == kAny) wanted += " or more";
    fail(keyword,
         quoted(keyword) + " has " + std::to_string(operands_.size()) + " operands, it takes " + wanted);
  }

  void gate(std::string_view output) {
    const std::string_view keyword = name("a gate");
    if (keyword.size() >= 3 && same_keyword(keyword.substr(0, 3), "DFF")) return flip_flop(output, keyword);
    if (same_keyword(keyword, "LUT")) return look_up_table(output, keyword);
    for (const Gate& entry : kGates) {
      if (!same_keyword(keyword, entry.keyword)) continue;
      read_operands(entry.most == 0);
      check_count(keyword, entry.least, entry.most);
      add_gate(output, entry.function);
      return;
    }
    fail(keyword, "unknown gate " + quoted(keyword) +
                      "; known are AND NAND OR NOR XOR XNOR NOT BUFF MUX DFF DFF0 DFF1 DFFRSE LUT gnd vdd");
  }

  void add_gate(std::string_view output, Function function) {
    build_.begin_cell(CellKind::kFunction, line_);
    build_.cell().detail = static_cast<std::uint8_t>(function);
    for (const std::string_view operand : operands_) build_.add_pin(operand);
    build_.add_pin(output);
  }

  void flip_flop(std::string_view output, std::string_view keyword) {
    std::uint8_t init = 3;
    read_operands(false);
    if (same_keyword(keyword, "DFFRSE")) {
      check_count(keyword, 5, 5);
      for (std::size_t k = 1; k < operands_.size(); ++k) {
        if (!same_keyword(operands_[k], "GND")) {
          fail(operands_[k],
               "a flip-flop with reset, set or enable is not supported: these operands must be gnd");
        }
      }
    } else {
      if (same_keyword(keyword, "DFF0")) {
        init = 0;
      } else if (same_keyword(keyword, "DFF1")) {
        init = 1;
      } else if (!same_keyword(keyword, "DFF")) {
        fail(keyword, "unknown flip-flop " + quoted(keyword) + "; known are DFF, DFF0, DFF1 and DFFRSE");
      }
      check_count(keyword, 1, 1);
    }
    build_.begin_cell(CellKind::kLatch, line_);
    build_.cell().detail = static_cast<std::uint8_t>(LatchType::kAbsent);
    build_.cell().init = init;
    build_.add_pin(operands_[0]);
    build_.add_pin(output);
  }

  void look_up_table(std::string_view output, std::string_view keyword) {
    std::string_view digits = name("the table as 0x and hexadecimal digits");
    const std::string_view where = digits;
    if (digits.size() < 3 || digits[0] != '0' || upper(digits[1]) != 'X') {
      fail(where, "the table of a LUT is written 0x and hexadecimal digits, not " + quoted(digits));
    }
    digits.remove_prefix(2);
    for (const char& c : digits) {
      const char u = upper(c);
      if (!((u >= '0' && u <= '9') || (u >= 'A' && u <= 'F'))) {
        fail(std::string_view(&c, 1), "the table of a LUT has a character that is no hexadecimal digit");
      }
    }
    read_operands(false);
    check_count(keyword, 0, kAny);
    if (operands_.size() > kMaxLutInputs) {
      fail(keyword, "a LUT has at most " + std::to_string(kMaxLutInputs) + " inputs, this one " +
                        std::to_string(operands_.size()));
    }
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    const std::size_t bits = std::size_t{1} << operands_.size();
    const std::string_view fits = bits == 1 ? "01" : bits == 2 ? "0123" : "";
    const bool too_large = bits < 4 ? digits.size() > 1 || fits.find(digits[0]) == std::string_view::npos
                                    : digits.size() * 4 > bits;
    if (too_large) {
      fail(where, "the table of a LUT with " + std::to_string(operands_.size()) + " inputs has " +
                      std::to_string(bits) + " bits; this one is larger");
    }
    add_gate(output, Function::kLut);
    build_.cell().text_count = static_cast<std::uint32_t>(digits.size());
    build_.add_text(digits);
  }

  std::string_view data_;
  const std::string& path_;
  Netlist netlist_;
  NetlistBuilder build_;
  dynomite::Stop& stop_;
  const char* cursor_;
  const char* end_;
  std::uint32_t line_ = 1;
  std::vector<std::string_view> operands_;
};

}  // namespace

Netlist read_bench_netlist(std::string_view data, const std::string& path, dynomite::Stop& stop) {
  return Reader(data, path, stop).run();
}

}  // namespace hw
