#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "dmt_dialect/native/smt/names.hpp"
#include "dmt_dialect/native/smt/script.hpp"
#include "dmt_dialect/native/smt/term_reader.hpp"

namespace dmt::smt {

namespace {

/// Logics whose quantifier-free bit-vector part is ours; what else they allow is refused where it occurs.
constexpr std::array<std::string_view, 8> kLogics = {"QF_BV",  "ALL",      "QF_UF", "QF_UFBV",
                                                     "QF_ABV", "QF_AUFBV", "BV",    "QF_BVFP"};

class ScriptReader {
 public:
  ScriptReader(std::string_view data, const std::string& name, dynomite::Stop& stop, ScriptLimits limits)
      : name_(name),
        limits_(limits),
        lexer_(data, name_),
        reader_(lexer_, script_.terms, names_, limits_, stop) {}

  Script read() {
    for (Token token = lexer_.next(); token.kind != TokenKind::kEnd && !exited_; token = lexer_.next()) {
      reader_.poll();
      if (token.kind != TokenKind::kOpen) {
        lexer_.fail(token.start, "'(' and a command are expected here, not " + describe(token));
      }
      command(token);
    }
    return std::move(script_);
  }

 private:
  using Kind = CommandKind;
  using Handler = void (ScriptReader::*)(Command&);
  struct Entry {
    std::string_view name;
    Kind kind;
    Handler handler;
  };
  static const Entry kCommands[];

  void command(const Token& open) {
    const Token head = lexer_.next();
    if (head.kind != TokenKind::kSymbol) {
      lexer_.fail(head.start, "a command is expected here, not " + describe(head));
    }
    const Entry* entry = find(head.text);
    if (entry == nullptr) lexer_.fail(head.start, no_command(head.text));
    Command command;
    command.kind = entry->kind;
    command.place = place(open.start);
    (this->*entry->handler)(command);
    script_.commands.push_back(std::move(command));
  }

  static const Entry* find(std::string_view name);

  static std::string no_command(std::string_view name) {
    constexpr std::array<std::string_view, 7> kBeyond = {
        "declare-sort",    "declare-datatype", "declare-datatypes", "define-fun-rec",
        "define-funs-rec", "declare-heap",     "set-model"};
    const std::string shown(name);
    if (std::find(kBeyond.begin(), kBeyond.end(), name) != kBeyond.end()) {
      return shown + " does not belong to QF_BV";
    }
    return "there is no command " + shown;
  }

  /// Line and column; counted on from the last place that was asked for.
  dynomite::SourcePlace place(std::size_t offset) {
    const std::string_view data = lexer_.data();
    for (; counted_ < offset; ++counted_) {
      if (data[counted_] != '\n') continue;
      ++line_;
      line_start_ = counted_ + 1;
    }
    return {line_, offset - line_start_ + 1, offset};
  }

  void close() { reader_.expect(TokenKind::kClose, "')'"); }
  std::string source(std::size_t start, std::size_t end) const {
    return normalised(lexer_.data(), name_, start, end);
  }

  // Handlers, each up to and including the last ')'.

  void plain(Command& command) {
    close();
    switch (command.kind) {
      case Kind::kExit: exited_ = true; break;
      case Kind::kReset:
        names_.clear();
        levels_.clear();
        global_ = false;
        break;
      case Kind::kResetAssertions:
        // What was declared at level 0 goes as well, unless declarations are global.
        if (!global_) names_.clear();
        levels_.clear();
        break;
      default: break;
    }
  }

  void set_logic(Command& command) {
    const Token logic = reader_.expect(TokenKind::kSymbol, "the name of a logic");
    if (std::find(kLogics.begin(), kLogics.end(), logic.text) == kLogics.end()) {
      lexer_.fail(logic.start, "the logic " + std::string(logic.text) + " is not supported, only QF_BV");
    }
    command.texts.emplace_back(logic.text);
    close();
  }

  /// A keyword, and whatever stands behind it.
  void attribute(Command& command) {
    const Token keyword = reader_.expect(TokenKind::kKeyword, "a keyword");
    command.texts.emplace_back(keyword.text);
    std::size_t depth = 0;
    const std::size_t start = keyword.end;
    Token token = lexer_.next();
    for (; depth != 0 || token.kind != TokenKind::kClose; token = lexer_.next()) {
      reader_.poll();
      if (token.kind == TokenKind::kEnd)
        lexer_.fail(token.start, "')' is expected here, not the end of the file");
      if (token.kind == TokenKind::kOpen) ++depth;
      if (token.kind == TokenKind::kClose) --depth;
    }
    command.texts.push_back(source(start, token.start));
    if (command.kind != Kind::kSetOption) return;
    const std::string& value = command.texts[1];
    constexpr std::array<std::string_view, 8> kFlags = {
        ":print-success",      ":produce-models",      ":produce-unsat-cores", ":produce-unsat-assumptions",
        ":produce-assertions", ":produce-assignments", ":produce-proofs",      ":global-declarations"};
    if (std::find(kFlags.begin(), kFlags.end(), keyword.text) != kFlags.end() && value != "true" &&
        value != "false") {
      lexer_.fail(keyword.start, std::string(keyword.text) + " is true or false");
    }
    if (keyword.text == ":global-declarations") global_ = value == "true";
  }

  void keyword(Command& command) {
    command.texts.emplace_back(reader_.expect(TokenKind::kKeyword, "a keyword").text);
    close();
  }

  void echo(Command& command) {
    command.texts.emplace_back(reader_.expect(TokenKind::kString, "a string").text);
    close();
  }

  void levels(Command& command) {
    const Token token = lexer_.next();
    std::uint64_t count = 1;
    if (token.kind != TokenKind::kClose) {
      if (token.kind != TokenKind::kNumeral) {
        lexer_.fail(token.start, "a number of levels is expected here, not " + describe(token));
      }
      const char* end = token.text.data() + token.text.size();
      if (std::from_chars(token.text.data(), end, count).ec != std::errc()) count = UINT64_MAX;
      close();
    }
    if (command.kind == Kind::kPush) {
      if (count > limits_.levels - levels_.size()) {
        lexer_.fail(token.start, "more than " + std::to_string(limits_.levels) + " levels");
      }
      levels_.insert(levels_.end(), static_cast<std::size_t>(count), names_.mark());
    } else {
      if (count > levels_.size()) {
        lexer_.fail(
            token.start,
            "pop of " + token_count(token, count) + ", but there " +
                (levels_.size() == 1 ? "is 1 level" : "are " + std::to_string(levels_.size()) + " levels"));
      }
      if (count != 0) {
        const std::size_t mark = levels_[levels_.size() - static_cast<std::size_t>(count)];
        levels_.resize(levels_.size() - static_cast<std::size_t>(count));
        if (!global_) names_.leave(mark);
      }
    }
    command.number = static_cast<std::uint32_t>(count);
  }

  static std::string token_count(const Token& token, std::uint64_t count) {
    return count == 1 ? "1 level" : std::string(token.text.substr(0, 40)) + " levels";
  }

  /// A name that is new, not yet bound.
  std::string_view new_name(Names::Space space = Names::Space::kTerms) {
    const Token token = lexer_.next();
    const std::string_view name = reader_.declarable(token, space);
    if (names_.find(name, space).kind != Binding::Kind::kNone) {
      lexer_.fail(token.start, symbol_text(name) + " is declared already");
    }
    return name;
  }

  void bind(std::string_view name, TermId term) {
    Binding binding;
    binding.kind = Binding::Kind::kTerm;
    binding.term = term;
    names_.bind(name, binding);
  }

  void declare(Command& command, bool with_arguments) {
    const std::string_view name = new_name();
    if (with_arguments) {
      reader_.expect(TokenKind::kOpen, "'('");
      const Token token = lexer_.next();
      if (token.kind != TokenKind::kClose) {
        lexer_.fail(token.start, "QF_BV has no functions without a definition: ')' is expected here, not " +
                                     describe(token));
      }
    }
    const Sort sort = reader_.read_sort(lexer_.next());
    close();
    const TermId variable = script_.terms.variable(name, sort);
    bind(name, variable);
    command.terms.push_back(variable);
    command.texts.emplace_back(name);
  }
  void declare_const(Command& command) { declare(command, false); }
  void declare_fun(Command& command) { declare(command, true); }

  void define(Command& command, bool with_parameters) {
    const std::string_view name = new_name();
    command.texts.emplace_back(name);
    Function function;
    const std::size_t mark = names_.mark();
    if (with_parameters) parameters(function, mark);
    const Sort sort = reader_.read_sort(lexer_.next());
    const Token first = lexer_.next();
    std::vector<TermReader::Named> named;
    function.body = reader_.read(first, named);
    const Sort found = script_.terms.sort(function.body);
    if (found != sort) {
      lexer_.fail(first.start, symbol_text(name) + " is declared with the sort " + sort.text() +
                                   ", but its definition has " + found.text());
    }
    close();
    names_.leave(mark);
    bind_named(command, named);
    if (function.parameters.empty()) {
      command.terms.push_back(function.body);
      bind(name, function.body);
      return;
    }
    Binding binding;
    binding.kind = Binding::Kind::kFunction;
    binding.function = names_.keep(std::move(function));
    names_.bind(name, binding);
  }
  void define_const(Command& command) { define(command, false); }
  void define_fun(Command& command) { define(command, true); }

  void parameters(Function& function, std::size_t mark) {
    reader_.expect(TokenKind::kOpen, "'('");
    for (Token token = lexer_.next(); token.kind != TokenKind::kClose; token = lexer_.next()) {
      if (token.kind != TokenKind::kOpen) {
        lexer_.fail(token.start, "a parameter (NAME SORT) is expected here, not " + describe(token));
      }
      const Token symbol = lexer_.next();
      const std::string_view name = reader_.declarable(symbol, Names::Space::kTerms);
      if (names_.find(name).scope == mark) lexer_.fail(symbol.start, "two parameters " + symbol_text(name));
      const Sort sort = reader_.read_sort(lexer_.next());
      close();
      function.parameters.push_back(script_.terms.parameter(name, sort));
      Binding binding;
      binding.kind = Binding::Kind::kTerm;
      binding.term = function.parameters.back();
      binding.scope = mark;
      names_.bind(name, binding);
    }
  }

  void define_sort(Command& command) {
    const std::string_view name = new_name(Names::Space::kSorts);
    command.texts.emplace_back(name);
    reader_.expect(TokenKind::kOpen, "'('");
    const Token token = lexer_.next();
    if (token.kind != TokenKind::kClose) {
      lexer_.fail(token.start, "sorts with parameters do not belong to QF_BV: ')' is expected here, not " +
                                   describe(token));
    }
    Binding binding;
    binding.kind = Binding::Kind::kSort;
    binding.sort = reader_.read_sort(lexer_.next());
    close();
    names_.bind(name, binding, Names::Space::kSorts);
  }

  /// One term of the command; its text is kept.
  TermId term(Command& command, const Token& first, std::vector<TermReader::Named>& named) {
    const TermId id = reader_.read(first, named);
    command.terms.push_back(id);
    return id;
  }

  void need_bool(TermId id, const Token& first, const char* what) const {
    const Sort sort = script_.terms.sort(id);
    if (!sort.is_bool())
      lexer_.fail(first.start, std::string(what) + " has the sort " + sort.text() + ", not Bool");
  }

  /// From now on the names of a command's terms mean them.
  void bind_named(Command& command, const std::vector<TermReader::Named>& named) {
    for (const TermReader::Named& entry : named) {
      if (names_.find(entry.name).kind != Binding::Kind::kNone) {
        lexer_.fail(entry.start, symbol_text(entry.name) + " is declared already");
      }
      bind(entry.name, entry.term);
      command.named.push_back(entry.name);
      command.named_terms.push_back(entry.term);
    }
  }

  void assertion(Command& command) {
    std::vector<TermReader::Named> named;
    const Token first = lexer_.next();
    const TermId id = term(command, first, named);
    need_bool(id, first, "an assertion");
    const Token end = reader_.expect(TokenKind::kClose, "')'");
    command.texts.push_back(source(first.start, end.start));
    bind_named(command, named);
    for (const TermReader::Named& entry : named) {
      if (entry.outermost && command.texts.size() == 1) command.texts.push_back(entry.name);
    }
  }

  void terms_in_list(Command& command) {
    const bool boolean = command.kind == Kind::kCheckSatAssuming;
    reader_.expect(TokenKind::kOpen, "'('");
    std::vector<TermReader::Named> named;
    Token token = lexer_.next();
    while (token.kind != TokenKind::kClose) {
      const TermId id = term(command, token, named);
      if (boolean) need_bool(id, token, "an assumption");
      const Token next = lexer_.next();
      command.texts.push_back(source(token.start, next.start));
      token = next;
    }
    if (!boolean && command.terms.empty()) lexer_.fail(token.start, "get-value takes one or more terms");
    close();
    bind_named(command, named);
  }

  const std::string name_;
  const ScriptLimits limits_;
  Script script_;
  Names names_;
  Lexer lexer_;
  TermReader reader_;
  std::vector<std::size_t> levels_;
  bool global_ = false;
  bool exited_ = false;
  std::size_t counted_ = 0;
  std::uint64_t line_ = 1;
  std::size_t line_start_ = 0;
};

const ScriptReader::Entry ScriptReader::kCommands[] = {
    {"assert", Kind::kAssert, &ScriptReader::assertion},
    {"check-sat", Kind::kCheckSat, &ScriptReader::plain},
    {"check-sat-assuming", Kind::kCheckSatAssuming, &ScriptReader::terms_in_list},
    {"declare-const", Kind::kDeclare, &ScriptReader::declare_const},
    {"declare-fun", Kind::kDeclare, &ScriptReader::declare_fun},
    {"define-const", Kind::kDefine, &ScriptReader::define_const},
    {"define-fun", Kind::kDefine, &ScriptReader::define_fun},
    {"define-sort", Kind::kDefine, &ScriptReader::define_sort},
    {"echo", Kind::kEcho, &ScriptReader::echo},
    {"exit", Kind::kExit, &ScriptReader::plain},
    {"get-assertions", Kind::kGetAssertions, &ScriptReader::plain},
    {"get-assignment", Kind::kGetAssignment, &ScriptReader::plain},
    {"get-info", Kind::kGetInfo, &ScriptReader::keyword},
    {"get-model", Kind::kGetModel, &ScriptReader::plain},
    {"get-option", Kind::kGetOption, &ScriptReader::keyword},
    {"get-proof", Kind::kGetProof, &ScriptReader::plain},
    {"get-unsat-assumptions", Kind::kGetUnsatAssumptions, &ScriptReader::plain},
    {"get-unsat-core", Kind::kGetUnsatCore, &ScriptReader::plain},
    {"get-value", Kind::kGetValue, &ScriptReader::terms_in_list},
    {"pop", Kind::kPop, &ScriptReader::levels},
    {"push", Kind::kPush, &ScriptReader::levels},
    {"reset", Kind::kReset, &ScriptReader::plain},
    {"reset-assertions", Kind::kResetAssertions, &ScriptReader::plain},
    {"set-info", Kind::kSetInfo, &ScriptReader::attribute},
    {"set-logic", Kind::kSetLogic, &ScriptReader::set_logic},
    {"set-option", Kind::kSetOption, &ScriptReader::attribute},
};

const ScriptReader::Entry* ScriptReader::find(std::string_view name) {
  for (const Entry& entry : kCommands) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

Script read_script(std::string_view data, const std::string& name, dynomite::Stop& stop,
                   ScriptLimits limits) {
  return ScriptReader(data, name, stop, limits).read();
}

}  // namespace dmt::smt
