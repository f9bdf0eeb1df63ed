#include "hw_dialect/native/blif/blif_reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "hw_dialect/native/blif/line_lexer.hpp"
#include "hw_dialect/native/blif/netlist_builder.hpp"

namespace hw {

namespace {

// Lines that carry no logic: delays, areas and loads of the BLIF report, and initial values of mapped cells.
constexpr std::array<std::string_view, 20> kSkipped = {".area",
                                                       ".delay",
                                                       ".wire_load_slope",
                                                       ".wire",
                                                       ".input_arrival",
                                                       ".default_input_arrival",
                                                       ".output_required",
                                                       ".default_output_required",
                                                       ".input_drive",
                                                       ".default_input_drive",
                                                       ".output_load",
                                                       ".default_output_load",
                                                       ".max_input_load",
                                                       ".default_max_input_load",
                                                       ".input_required",
                                                       ".default_input_required",
                                                       ".cycle",
                                                       ".clock_event",
                                                       ".gateinit",
                                                       ".wire_load"};

std::string model_name_of(const std::string& path) {
  if (path.empty() || path.front() == '<') return "top";
  std::string name = path.substr(path.find_last_of('/') + 1);
  for (const char* suffix : {".gz", ".xz", ".zst", ".blif", ".eblif"}) {
    if (name.size() > std::string_view(suffix).size() && name.ends_with(suffix)) {
      name.resize(name.size() - std::string_view(suffix).size());
    }
  }
  for (char& c : name) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '#' || c == '\\') c = '_';
  }
  return name.empty() ? "top" : name;
}

/// The text from the first word's begin to the last word's end.
std::string_view between(std::string_view first, std::string_view last) {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

class Reader {
 public:
  Reader(std::string_view data, const std::string& path, dynomite::Stop& stop)
      : lexer_(data, path), build_(netlist_), stop_(stop) {
    netlist_.path = path;
  }

  Netlist run() {
    std::uint32_t lines = 0;
    while (lexer_.next_line()) {
      if ((++lines & 1023U) == 0 && stop_.poll_clock()) throw dynomite::LimitError("reading was stopped");
      const std::string_view first = lexer_.word();
      if (first.front() == '.') {
        cover_ = kNoCell;
        directive(first);
      } else {
        row(first);
      }
    }
    close_model();
    if (netlist_.models.empty())
      lexer_.fail_here("no circuit: the file has no .model, .inputs or .names line");
    collect_notes();
    return std::move(netlist_);
  }

 private:
  static constexpr std::uint32_t kNoCell = UINT32_MAX;

  void directive(std::string_view keyword) {
    // The common ones first.
    if (keyword == ".names") return names(keyword);
    if (keyword == ".latch") return latch(keyword);
    if (keyword == ".subckt") return instance(CellKind::kSubckt, keyword);
    if (keyword == ".gate") return instance(CellKind::kGate, keyword);
    if (keyword == ".cname") return attribute(AttributeKind::kCellName, keyword);
    if (keyword == ".attr") return attribute(AttributeKind::kAttribute, keyword);
    if (keyword == ".param") return attribute(AttributeKind::kParameter, keyword);
    if (keyword == ".conn" || keyword == ".barbuf" || keyword == ".short") return connection(keyword);
    if (keyword == ".inputs" || keyword == ".input") return ports(PortKind::kInput, keyword);
    if (keyword == ".outputs" || keyword == ".output") return ports(PortKind::kOutput, keyword);
    if (keyword == ".clock") return ports(PortKind::kClock, keyword);
    if (keyword == ".model") return model(keyword);
    if (keyword == ".end") return end();
    if (keyword == ".exdc") return exdc(keyword);
    if (keyword == ".blackbox") return black_box(keyword);
    if (keyword == ".mlatch") return instance(CellKind::kMlatch, keyword);
    if (keyword == ".start_kiss") return kiss(keyword);
    if (keyword == ".latch_order" || keyword == ".code") return skip(keyword);
    if (keyword == ".search") {
      lexer_.fail(keyword, ".search names another file, which is not read: inline that file's models here");
    }
    if (std::find(kSkipped.begin(), kSkipped.end(), keyword) != kSkipped.end()) return skip(keyword);
    lexer_.fail(keyword, "unknown directive " + quoted(keyword));
  }

  // Models.

  void model(std::string_view keyword) {
    close_model();
    std::string_view word = lexer_.word();
    const std::string_view where = word.empty() ? keyword : word;
    if (!word.empty()) lexer_.expect_end("the model's name");
    open_model(word, where);
  }

  void open_model(std::string_view word, std::string_view where) {
    std::string by_file;
    if (word.empty()) {
      by_file = model_name_of(netlist_.path);
      word = by_file;
    }
    const NameId name = netlist_.names.intern(word);
    const auto known = netlist_.model_by_name.find(name.index());
    if (known != netlist_.model_by_name.end()) {
      lexer_.fail(where, "model " + quoted(word) + " is defined twice, first on line " +
                             std::to_string(netlist_.models[known->second].line));
    }
    netlist_.model_by_name.emplace(name.index(), build_.begin_model(name, lexer_.line()));
    build_.model().named_by_file = !by_file.empty();
    ended_ = false;
  }

  /// A line that belongs into a model: opens one named after the file if none was.
  void need_model(std::string_view keyword) {
    if (build_.in_model()) return;
    if (ended_) {
      lexer_.fail(keyword, quoted(keyword) + " after .end: a .model line must come first");
    }
    open_model({}, keyword);
  }

  void close_model() {
    if (!build_.in_model()) return;
    build_.end_model();
    cover_ = kNoCell;
  }

  void end() {
    lexer_.expect_end(".end");
    if (!build_.in_model()) {
      // Twice in a row is harmless, and found after .exdc sections that close themselves.
      if (netlist_.models.empty()) lexer_.fail_here(".end without a model");
      return;
    }
    close_model();
    ended_ = true;
  }

  void exdc(std::string_view keyword) {
    need_model(keyword);
    lexer_.expect_end(".exdc");
    if (build_.model().is_exdc) lexer_.fail(keyword, "a second .exdc section in one model");
    const auto owner = static_cast<std::uint32_t>(netlist_.models.size() - 1);
    const NameId name = build_.model().name;
    close_model();
    const std::uint32_t index = build_.begin_model(name, lexer_.line());
    build_.model().is_exdc = true;
    netlist_.models[owner].exdc = index;
    note(".exdc", lexer_.line());
  }

  void black_box(std::string_view keyword) {
    need_model(keyword);
    lexer_.expect_end(".blackbox");
    if (build_.last_element() != Attribute::kOfModel) {
      lexer_.fail(keyword, "model " + quoted(netlist_.model_name(build_.model())) +
                               " is called a black box and has logic");
    }
    build_.model().black_box = true;
  }

  // Lines of a model.

  void ports(PortKind kind, std::string_view keyword) {
    need_model(keyword);
    for (;;) {
      const std::string_view word = lexer_.word();
      if (word.empty()) return;
      build_.add_port(kind, word, lexer_.line());
    }
  }

  void begin_cell(CellKind kind, std::string_view keyword) {
    need_model(keyword);
    if (build_.model().black_box && kind != CellKind::kDirective) {
      lexer_.fail(keyword, "model " + quoted(netlist_.model_name(build_.model())) +
                               " is called a black box and has logic");
    }
    build_.begin_cell(kind, lexer_.line());
  }

  void names(std::string_view keyword) {
    begin_cell(CellKind::kNames, keyword);
    std::array<std::string_view, 16> words;
    std::size_t count = 0;
    for (;;) {
      const std::string_view word = lexer_.word();
      if (!word.empty()) words[count++] = word;
      if (word.empty() || count == words.size()) {
        build_.add_pins(std::span(words).first(count));
        count = 0;
      }
      if (word.empty()) break;
    }
    if (build_.cell().pin_count == 0)
      lexer_.fail(keyword, ".names without a signal: its last name is the output");
    cover_ = static_cast<std::uint32_t>(netlist_.cells.size() - 1);
  }

  void row(std::string_view first) {
    if (cover_ == kNoCell) {
      lexer_.fail(first,
                  "expected a directive (a word with a leading dot): a cover row must follow its .names");
    }
    Cell& cell = netlist_.cells[cover_];
    const std::uint32_t width = cell.pin_count - 1;
    std::string_view inputs = first;
    std::string_view output;
    if (width == 0) {
      inputs = {};
      output = first;
    } else {
      output = lexer_.word();
      if (output.empty()) {
        lexer_.fail(first, "row has 1 column group; expected " + std::to_string(width) +
                               " input columns, a blank and the output value");
      }
    }
    if (inputs.size() != width) {
      lexer_.fail(first, "row has " + std::to_string(inputs.size()) +
                             (inputs.size() == 1 ? " column" : " columns") + ", .names has " +
                             std::to_string(width) + (width == 1 ? " input" : " inputs"));
    }
    for (const char& c : inputs) {
      if (c != '0' && c != '1' && c != '-') {
        lexer_.fail(std::string_view(&c, 1), "a cover column is 0, 1 or -, not '" + std::string(1, c) + "'");
      }
    }
    if (output != "0" && output != "1") {
      lexer_.fail(output, "the output value of a row is 0 or 1, not " + quoted(output) +
                              (width == 0 ? "; .names has 0 inputs" : ""));
    }
    const std::string_view extra = lexer_.word();
    if (!extra.empty()) {
      lexer_.fail(extra, "unexpected " + quoted(extra) + " after the row's output value; .names has " +
                             std::to_string(width) + (width == 1 ? " input" : " inputs"));
    }
    const auto phase = static_cast<std::uint8_t>(output.front() - '0');
    if (cell.text_count == 0) {
      cell.detail = phase;
    } else if (cell.detail != phase) {
      lexer_.fail(output, "the cover mixes on-set and off-set rows: the rows before say " +
                              std::to_string(cell.detail) + ", the one on line " +
                              std::to_string(lexer_.line()) + " says " + std::to_string(phase));
    }
    if (cell.text_count == UINT32_MAX) throw dynomite::LimitError("a cover has at most 2^32 - 1 rows");
    ++cell.text_count;
    build_.add_text(inputs);
  }

  void latch(std::string_view keyword) {
    begin_cell(CellKind::kLatch, keyword);
    std::array<std::string_view, 5> fields;
    std::size_t count = 0;
    for (;;) {
      const std::string_view word = lexer_.word();
      if (word.empty()) break;
      if (count == fields.size())
        lexer_.fail(word, "unexpected " + quoted(word) + " after the latch's initial value");
      fields[count++] = word;
    }
    if (count < 2)
      lexer_.fail(keyword, ".latch needs an input and an output: .latch input output [type control] [init]");
    Cell& cell = build_.cell();
    build_.add_pin(fields[0]);
    build_.add_pin(fields[1]);
    cell.detail = static_cast<std::uint8_t>(LatchType::kAbsent);
    if (count == 3 || count == 5) {
      const std::string_view init = fields[count - 1];
      if (init.size() != 1 || init[0] < '0' || init[0] > '3') {
        lexer_.fail(
            init, "the initial value of a latch is 0, 1, 2 (don't care) or 3 (unknown), not " + quoted(init));
      }
      cell.init = static_cast<std::uint8_t>(init[0] - '0');
    }
    if (count >= 4) {
      cell.detail = static_cast<std::uint8_t>(latch_type(fields[2]));
      build_.add_pin(fields[3]);
    }
  }

  LatchType latch_type(std::string_view word) {
    if (word == "re") return LatchType::kRisingEdge;
    if (word == "fe") return LatchType::kFallingEdge;
    if (word == "ah") return LatchType::kActiveHigh;
    if (word == "al") return LatchType::kActiveLow;
    if (word == "as") return LatchType::kAsynchronous;
    lexer_.fail(word, "the type of a latch is fe, re, ah, al or as, not " + quoted(word));
  }

  void instance(CellKind kind, std::string_view keyword) {
    begin_cell(kind, keyword);
    const std::string_view model = lexer_.word();
    if (model.empty()) lexer_.fail(keyword, std::string(keyword) + " without a model name");
    build_.cell().name = netlist_.names.intern(model);
    std::string_view word = lexer_.word();
    for (; !word.empty(); word = lexer_.word()) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos && kind == CellKind::kMlatch) break;
      if (equals == std::string_view::npos || equals == 0 || equals + 1 == word.size()) {
        lexer_.fail(word, "a connection is written formal=signal, not " + quoted(word));
      }
      const NameId formal = netlist_.names.intern(word.substr(0, equals));
      build_.add_binding(formal, build_.net(word.substr(equals + 1)));
    }
    if (word.empty()) return;
    // .mlatch: [control] [init]
    const bool is_init = word.size() == 1 && word[0] >= '0' && word[0] <= '3';
    const std::string_view next = lexer_.word();
    std::string_view init = next.empty() && is_init ? word : next;
    if (!(next.empty() && is_init)) build_.add_binding(NameId(), build_.net(word));
    if (!init.empty()) {
      if (init.size() != 1 || init[0] < '0' || init[0] > '3') {
        lexer_.fail(
            init, "the initial value of a latch is 0, 1, 2 (don't care) or 3 (unknown), not " + quoted(init));
      }
      build_.cell().init = static_cast<std::uint8_t>(init[0] - '0');
    }
    if (!next.empty()) lexer_.expect_end("the latch's initial value");
  }

  void connection(std::string_view keyword) {
    begin_cell(CellKind::kConnection, keyword);
    build_.cell().name = netlist_.names.intern(keyword);
    for (int i = 0; i < 2; ++i) {
      const std::string_view word = lexer_.word();
      if (word.empty()) lexer_.fail(keyword, std::string(keyword) + " needs two signals: source and sink");
      build_.add_pin(word);
    }
    lexer_.expect_end("the sink");
  }

  void attribute(AttributeKind kind, std::string_view keyword) {
    need_model(keyword);
    const std::string_view key = lexer_.word();
    if (key.empty()) lexer_.fail(keyword, std::string(keyword) + " without a name");
    Attribute attribute;
    attribute.kind = kind;
    attribute.line = lexer_.line();
    attribute.key = netlist_.names.intern(key);
    attribute.value_begin = netlist_.text.size();
    if (kind != AttributeKind::kCellName) {
      const std::string_view value = lexer_.raw_rest();
      if (value.size() > UINT32_MAX) throw dynomite::LimitError("the value of an attribute exceeds 4 GiB");
      attribute.value_size = static_cast<std::uint32_t>(value.size());
      build_.add_text(value);
    }
    lexer_.expect_end("the value");
    attribute.cell = build_.last_element();
    if (kind == AttributeKind::kCellName) {
      if (attribute.cell == Attribute::kOfModel)
        lexer_.fail(keyword, ".cname before any element it could name");
      if (attribute.cell == named_cell_) lexer_.fail(keyword, "a second .cname for one element");
      named_cell_ = attribute.cell;
    }
    if (netlist_.attributes.size() >= UINT32_MAX - 1) throw dynomite::LimitError("too many attributes");
    netlist_.attributes.push_back(attribute);
  }

  // What carries no logic: kept as raw text, so that a netlist is written as it was read.

  void directive_cell(std::string_view keyword, std::string_view text) {
    if (text.size() > UINT32_MAX) throw dynomite::LimitError("a skipped section exceeds 4 GiB");
    if (!build_.in_model()) return;  // between models: nothing it could belong to
    begin_cell(CellKind::kDirective, keyword);
    build_.cell().text_count = static_cast<std::uint32_t>(text.size());
    build_.add_text(text);
  }

  void skip(std::string_view keyword) {
    const std::uint32_t line = lexer_.line();
    std::string_view last = keyword;
    for (std::string_view word = lexer_.word(); !word.empty(); word = lexer_.word()) last = word;
    directive_cell(keyword, between(keyword, last));
    if (build_.in_model()) netlist_.cells.back().line = line;
    note(std::string(keyword), line);
  }

  void kiss(std::string_view keyword) {
    const std::uint32_t line = lexer_.line();
    lexer_.raw_line();
    std::string_view last;
    while (last != ".end_kiss") {
      if (!lexer_.next_line()) lexer_.fail(keyword, ".start_kiss without .end_kiss");
      last = lexer_.word();
      if (last != ".end_kiss") lexer_.raw_line();
    }
    directive_cell(keyword, between(keyword, last));
    if (build_.in_model()) netlist_.cells.back().line = line;
    lexer_.expect_end(".end_kiss");
    note(".start_kiss", line);
  }

  void note(const std::string& keyword, std::uint32_t line) {
    auto [entry, fresh] = skipped_.try_emplace(keyword, std::pair{line, 0U});
    ++entry->second.second;
  }

  void collect_notes() {
    if (lexer_.loose_continuations() != 0) {
      netlist_.notes.push_back(
          {lexer_.first_loose_continuation(),
           "blanks or a comment after a continuation backslash: taken as a continuation"});
    }
    for (const auto& [keyword, where] : skipped_) {
      const auto [line, count] = where;
      const std::string times = count == 1 ? "" : " (" + std::to_string(count) + " of them)";
      std::string text;
      if (keyword == ".exdc") {
        text = "external don't-cares (.exdc) are kept in the netlist and not used in the AIG" + times;
      } else if (keyword == ".start_kiss") {
        text = "the state table (.start_kiss) is skipped: the logic of the same model is taken" + times;
      } else {
        text = keyword + " carries no logic: skipped" + times;
      }
      netlist_.notes.push_back({line, std::move(text)});
    }
    std::stable_sort(netlist_.notes.begin(), netlist_.notes.end(),
                     [](const Note& a, const Note& b) { return a.line < b.line; });
  }

  Netlist netlist_;
  LineLexer lexer_;
  NetlistBuilder build_;
  dynomite::Stop& stop_;
  std::uint32_t cover_ = kNoCell;       // the .names whose rows may follow
  std::uint32_t named_cell_ = kNoCell;  // the last cell that got a .cname
  bool ended_ = false;                  // the last line was .end
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> skipped_;  // keyword: first line, count
};

}  // namespace

Netlist read_blif_netlist(std::string_view data, const std::string& path, dynomite::Stop& stop) {
  return Reader(data, path, stop).run();
}

}  // namespace hw
