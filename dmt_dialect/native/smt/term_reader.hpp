#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dmt_dialect/native/smt/lexer.hpp"
#include "dmt_dialect/native/smt/names.hpp"
#include "dmt_dialect/native/smt/operators.hpp"
#include "dmt_dialect/native/smt/script.hpp"

namespace dmt::smt {

/// Reads terms and sorts. One explicit stack holds everything that is open.
class TermReader {
 public:
  TermReader(Lexer& lexer, TermStore& terms, Names& names, const ScriptLimits& limits, dynomite::Stop& stop)
      : lexer_(lexer), terms_(terms), names_(names), limits_(limits), stop_(stop) {}

  /// `(! term :named name)`.
  struct Named {
    std::string name;
    TermId term;
    std::size_t start;
    /// It is the whole term that was read.
    bool outermost;
  };

  /// The term that begins with `token`. Names given with `:named` are added to `named`, not yet bound beyond
  /// this term.
  TermId read(Token token, std::vector<Named>& named);
  /// The sort that begins with `token`.
  Sort read_sort(Token token);
  Token expect(TokenKind kind, const char* what);
  /// A name that may be declared: no reserved word, no function of the theory.
  std::string_view declarable(const Token& token, Names::Space space);
  void poll() const;

 private:
  enum class FrameKind : std::uint8_t { kApply, kLetBinding, kLetBody, kAnnotation };
  struct Frame {
    FrameKind kind = FrameKind::kApply;
    std::size_t start = 0;
    // Application: what, its indices, and where its arguments begin.
    const Operator* op = nullptr;
    const Function* function = nullptr;
    std::string_view name;
    std::uint32_t index[2] = {0, 0};
    std::size_t first_value = 0;
    // Let: where its bindings begin; how to leave it.
    std::size_t first_binding = 0;
    std::size_t mark = 0;
  };
  struct Pending {
    std::string_view name;
    std::size_t start;
    TermId term;
  };

  /// Goes on with what the token begins; true when a value has been pushed.
  bool begin(const Token& token);
  bool begin_list(const Token& open);
  void begin_indexed_application(const Token& open);
  void begin_application(const Token& open, const Token& head);
  void begin_let(const Token& open);
  void push_value(TermId term, std::size_t start) {
    values_.push_back(term);
    value_starts_.push_back(start);
  }
  /// Ends the application on top; its value is pushed.
  void close_application();
  /// After a value, for the frame on top: true if the frame is over and its value is the one on top now.
  bool after_value();
  void next_binding();
  void read_attributes();
  void skip_value(Token token);

  TermId atom(const Token& token);
  TermId indexed_constant(const Token& open);
  TermId decimal_constant(const Token& token, std::string_view digits, std::uint32_t width);
  TermId digits_constant(const Token& token);
  std::uint32_t index(const Token& token, const char* what);

  TermId apply(const Frame& frame);
  TermId apply_operator(const Frame& frame, std::vector<TermId>& arguments);
  TermId expand(const Frame& frame, std::span<const TermId> arguments);
  TermId distinct(const Frame& frame, std::span<const TermId> arguments);
  void count_expansion(std::size_t at, std::uint64_t terms);
  void need_count(const Frame& frame, std::size_t count, std::size_t least, std::size_t most) const;
  void need_bool(const Frame& frame, std::span<const TermId> arguments, std::size_t from = 0,
                 std::size_t count = SIZE_MAX) const;
  void need_words(const Frame& frame, std::span<const TermId> arguments, bool equal) const;
  void need_equal_sorts(const Frame& frame, std::span<const TermId> arguments, std::size_t from = 0) const;
  TermId make(const Frame& frame, WordOp op, std::span<const TermId> operands, Sort sort,
              std::uint32_t hi = 0, std::uint32_t lo = 0);

  Lexer& lexer_;
  TermStore& terms_;
  Names& names_;
  const ScriptLimits& limits_;
  dynomite::Stop& stop_;
  std::vector<Frame> frames_;
  std::vector<TermId> values_;
  std::vector<std::size_t> value_starts_;
  std::vector<Pending> bindings_;
  std::vector<Named>* named_ = nullptr;
  std::uint64_t expanded_ = 0;
  // For expansion: of each term below a body, what it has become, valid where the stamp is the current one.
  std::vector<std::uint32_t> stamps_;
  std::vector<TermId> images_;
  std::uint32_t stamp_ = 0;
};

}  // namespace dmt::smt
