#include "dmt_dialect/native/cnf/dimacs.hpp"

#include <algorithm>
#include <charconv>

#include "dmt_dialect/native/cnf/text_place.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  Reader(std::string_view data, const std::string& name, dynomite::Stop& stop)
      : data_(data), name_(name), stop_(stop) {}

  Cnf read() {
    header();
    std::size_t clause_start = data_.size();
    bool open = false;
    for (skip(); at_ < data_.size() && data_[at_] != '%'; skip()) {
      if (stop_.poll()) throw dynomite::LimitError("reading was stopped");
      const std::size_t start = at_;
      if (!open) {
        if (cnf_.clause_count() == clauses_) {
          fail(start,
               "clause " + std::to_string(clauses_ + 1) + ", but the header says " + counted(clauses_));
        }
        clause_start = start;
        open = true;
      }
      const std::int32_t lit = literal();
      if (lit == 0) {
        cnf_.end_clause();
        open = false;
      } else {
        cnf_.literal(lit);
      }
    }
    if (open) fail(clause_start, "this clause has no 0 at its end");
    if (cnf_.clause_count() != clauses_) {
      fail(at_, counted(cnf_.clause_count()) + ", but the header says " + std::to_string(clauses_));
    }
    if (at_ < data_.size()) tail();
    cnf_.grow_variables(variables_);
    return std::move(cnf_);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    fail_at(data_, name_, at, message);
  }

  static std::string counted(std::uint64_t n) {
    return std::to_string(n) + (n == 1 ? " clause" : " clauses");
  }

  bool at_line_start() const { return at_ == 0 || data_[at_ - 1] == '\n'; }

  /// Past blanks and comment lines.
  void skip() {
    while (at_ < data_.size()) {
      if (is_space(data_[at_])) {
        ++at_;
      } else if (data_[at_] == 'c' && at_line_start()) {
        if (stop_.poll()) throw dynomite::LimitError("reading was stopped");
        at_ = std::min(data_.find('\n', at_), data_.size());
      } else {
        return;
      }
    }
  }

  void header() {
    skip();
    if (at_ == data_.size()) fail(at_, data_.empty() ? "the file is empty" : "no header \"p cnf V C\"");
    const std::size_t start = at_;
    if (data_[at_] != 'p' || !at_line_start()) fail(at_, "the header \"p cnf V C\" is expected here");
    ++at_;
    blanks();
    if (data_.substr(at_, 3) != "cnf") fail(at_, "the format is not \"cnf\"");
    at_ += 3;
    const std::uint64_t variables = header_number("number of variables");
    if (variables > Cnf::kMaxVariable) fail(start, "more than 2^31 - 2 variables");
    variables_ = static_cast<std::uint32_t>(variables);
    clauses_ = header_number("number of clauses");
    while (at_ < data_.size() && data_[at_] != '\n' && is_space(data_[at_])) ++at_;
    if (at_ < data_.size() && data_[at_] != '\n') fail(at_, "more than two numbers in the header");
  }

  void blanks() {
    const std::size_t start = at_;
    while (at_ < data_.size() && (data_[at_] == ' ' || data_[at_] == '\t')) ++at_;
    if (at_ == start) fail(at_, "a blank is expected here, not " + describe_char(data_, at_));
  }

  std::uint64_t header_number(const char* what) {
    blanks();
    std::uint64_t value = 0;
    const char* first = data_.data() + at_;
    const auto [end, error] = std::from_chars(first, data_.data() + data_.size(), value);
    if (error == std::errc::result_out_of_range) fail(at_, std::string("the ") + what + " is too large");
    if (error != std::errc() || !is_digit(*first)) {
      fail(at_, std::string("the ") + what + " is expected here, not " + describe_char(data_, at_));
    }
    at_ += static_cast<std::size_t>(end - first);
    return value;
  }

  std::int32_t literal() {
    const std::size_t start = at_;
    const bool negative = data_[at_] == '-';
    if (negative) ++at_;
    if (at_ == data_.size() || !is_digit(data_[at_])) {
      if (!negative && data_[at_] == 'p' && at_line_start()) fail(at_, "a second header");
      fail(at_, "a literal is expected here, not " + describe_char(data_, at_));
    }
    std::uint64_t value = 0;
    for (; at_ < data_.size() && is_digit(data_[at_]); ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(data_[at_] - '0');
      if (value > variables_) {
        fail(start, "this literal is outside of the header's " + std::to_string(variables_) +
                        (variables_ == 1 ? " variable" : " variables"));
      }
    }
    if (at_ < data_.size() && !is_space(data_[at_])) {
      fail(at_, "a blank is expected behind a literal, not " + describe_char(data_, at_));
    }
    if (negative && value == 0) fail(start, "-0 is no literal");
    const auto lit = static_cast<std::int32_t>(value);
    return negative ? -lit : lit;
  }

  /// SATLIB's end: "%", "0", blank lines.
  void tail() {
    if (!at_line_start()) fail(at_, "a literal is expected here, not '%'");
    ++at_;
    const auto blank = [&] {
      while (at_ < data_.size() && is_space(data_[at_])) ++at_;
    };
    blank();
    if (at_ < data_.size() && data_[at_] == '0') ++at_;
    blank();
    if (at_ < data_.size()) fail(at_, "nothing may follow '%' but a 0");
  }

  std::string_view data_;
  const std::string& name_;
  dynomite::Stop& stop_;
  std::size_t at_ = 0;
  std::uint32_t variables_ = 0;
  std::uint64_t clauses_ = 0;
  Cnf cnf_;
};

}  // namespace

Cnf read_dimacs(std::string_view data, const std::string& name, dynomite::Stop& stop) {
  return Reader(data, name, stop).read();
}

void write_dimacs(const Cnf& cnf, std::string_view comment, dynomite::ByteSink& sink, dynomite::Stop& stop) {
  std::string buffer;
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    buffer += "c ";
    buffer += comment.substr(0, end);
    buffer += '\n';
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  buffer += "p cnf " + std::to_string(cnf.variables()) + ' ' + std::to_string(cnf.clause_count()) + '\n';
  char digits[16];
  for (const std::int32_t lit : cnf.data()) {
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, lit);
    buffer.append(digits, end);
    buffer += lit == 0 ? '\n' : ' ';
    if (buffer.size() > (std::size_t{1} << 16)) {
      if (stop.poll_clock()) throw dynomite::LimitError("writing was stopped");
      sink.write(buffer.data(), buffer.size());
      buffer.clear();
    }
  }
  sink.write(buffer.data(), buffer.size());
}

}  // namespace dmt
