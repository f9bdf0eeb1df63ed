#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynomite/native/ir/declarations.hpp"
#include "dynomite/native/ir/text_cursor.hpp"
#include "dynomite/native/ir/text_names.hpp"
#include "dynomite/native/ir/text_parser.hpp"
#include "dynomite/native/ir/text_symbols.hpp"

namespace dynomite::ir {

/// The parser behind `parse_text`. One pass; nested regions and nested lists are kept on explicit stacks.
/// An instruction is made when its last operand has been read, hence after the instructions in its regions;
/// references to what is not made yet are put in later (`Fixup`).
class TextReader {
 public:
  TextReader(std::string_view text, const std::shared_ptr<Registry>& registry, const ParseOptions& options,
             Stop& stop);
  std::unique_ptr<Module> read();

 private:
  friend class PatternReader;

  // Thrown after an error was recorded; caught by the statement loop, which goes on behind the statement.
  struct Recover {};

  enum Sigil : std::uint8_t { kValues, kBlocks, kRegions, kInstrs };
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  /// What a name stands for; `id` is none until the object is made.
  struct Definition {
    std::uint32_t id = kNone;
    std::uint32_t offset = 0;
    std::uint32_t entry = kNone;    // of its name
    std::uint32_t block_start = 0;  // where the text of its block begins
    TypeId type;
    bool ordered = false;  // uses in the same block must come behind it
  };
  /// A use read before its object was made.
  struct Fixup {
    Sigil sigil = kValues;
    std::uint32_t entry = kNone;       // name that had no definition, or
    std::uint32_t definition = kNone;  // definition that had no object
    std::uint32_t offset = 0;
    InstrId instr;
    std::uint32_t operand = 0;
    TypeId expected;  // by `use(type)`
  };
  /// The instruction that is being read.
  struct Statement {
    Opcode opcode;
    bool known = true;  // its operation exists
    bool has_location = false;
    LocationId location;
    SourcePlace place;  // only if locations are wanted
    std::uint32_t offset = 0;
    std::uint32_t first_operand = 0;  // in operands_
    std::uint32_t first_pending = 0;  // in pending_
    std::uint32_t definitions = 0;    // value definitions so far
    std::uint32_t label = kNone;      // definition of `$name:` or `let name`
    std::uint32_t let_label = kNone;
    AttrId name, visibility;       // of a symbol
    std::uint32_t symbol = kNone;  // in symbols_
    std::uint32_t inner_table = kNone;
  };
  /// An open region or single block; `outer` waits for its end.
  struct Frame {
    Statement outer;
    RegionId region;
    BlockId block;
    std::uint32_t block_start = 0;
    std::uint32_t open = 0;  // offset of the brace
    std::uint32_t table = 0;
    std::uint32_t scope = 0;
    bool ordered = true;
    bool new_scope = false;
    bool single_block = false;  // core.block
    bool detached = false;
    bool labelled = false;  // holds a block label already
    bool is_table = false;  // the symbols directly in it belong to `table`
    std::size_t fixups = 0;
    std::array<std::size_t, 4> marks{};
  };
  /// An open list, dictionary or parameter list inside a value.
  struct OpenValue {
    char close;
    std::uint32_t offset;
    std::size_t first_item;
    std::size_t first_key;
    ObjKind type;
  };

  /// A name behind its sigil.
  struct Name {
    std::uint32_t entry = kNone;
    bool has_text = false;  // no bare number
    std::string_view text;  // without a suffix #n
  };
  struct OperandPlace {
    std::uint32_t offset;
    std::uint32_t definition;  // of the value used, if it is known
  };

  // text_reader.cpp: statements and regions.
  bool statement();
  void start(std::uint32_t offset);
  void instruction(std::string_view name, std::uint32_t offset);
  void let_statement(std::uint32_t offset);
  void block_label();
  void instruction_label();
  void symbol_name();
  void add_symbol(AttrId name, std::uint32_t offset);
  void open_region(bool single_block, std::uint32_t open);
  void close_region();
  void skip_statement();
  // text_operands.cpp: what stands behind an operation.
  void operands();
  bool operand();
  bool word_operand();
  bool brace_operand();
  void value_operand();
  void add_operand(const OperandSpec& spec, std::uint32_t offset, std::uint32_t definition = kNone);
  void definition_of(const Name& name, std::uint32_t offset, TypeId type);
  void use_of(Sigil sigil, std::uint32_t entry, std::uint32_t offset, TypeId expected);
  void location();
  // text_finish.cpp: checks and references.
  void finish();
  void wrong_type(std::uint32_t offset, TypeId expected, const Definition& definition);
  void check_operands(const Statement& now);
  void check_same_type(InstrId instr, std::uint32_t offset);
  void merge_symbol(const Statement& now);
  void create(const Statement& now);
  void leave_scope(Frame& frame);
  void resolve(Fixup fixup);
  void patch(const Fixup& fixup, const Definition& definition);
  TypeId inferred_type(const Statement& now) const;
  // text_values.cpp.
  FatDynObjRef value();
  bool start_value(FatDynObjRef& result);
  bool end_of_item();
  FatDynObjRef close_value(const OpenValue& open);
  FatDynObjRef number();
  FatDynObjRef constant();
  FatDynObjRef object();
  std::string quoted();
  void key();
  FatDynObjRef symbol_reference();
  TypeId type();
  bool read_integer(std::vector<std::uint64_t>& words);
  std::uint32_t small_number(const char* what);
  // text_declarations.cpp.
  void using_statement();
  void dialect_statement(std::uint32_t offset, bool is_extern);
  void open_declarations(std::uint32_t offset);
  void close_declarations(const std::string& dialect);
  void add_declaration(Opcode opcode, std::string_view name, AttrId dictionary);
  void declare_item(DialectId dialect, Declared declared, std::uint32_t offset);
  void declare_from(InstrId instr, std::uint32_t offset);
  bool top_declaration(std::string_view name, std::uint32_t offset);
  void declaration(DialectId dialect, std::string_view name, std::uint32_t offset, std::string_view kind);
  void type_declaration(DialectId dialect, TypeInfo info, std::uint32_t offset);
  void op_declaration(DialectId dialect, OpInfo info, std::uint32_t offset);
  std::vector<ParamInfo> parameter_list();
  DialectId declared_dialect(std::string_view name);
  Opcode find_op(std::string_view name, std::uint32_t offset, bool& known);
  ObjKind find_type(std::string_view name, std::uint32_t offset);
  bool next_field(std::string_view& name, std::uint32_t& offset);
  bool flag();
  void forget_cached_names();
  // text_rules.cpp.
  bool rule_statement(std::string_view kind, std::uint32_t offset, std::string_view name,
                      std::uint32_t name_offset);
  bool inside_rules() const;
  void include_statement(std::uint32_t offset);
  // Names.
  Name name(Sigil sigil);
  std::string name_at(std::uint32_t offset) const;
  std::uint32_t new_definition(std::uint32_t offset);
  void define(Sigil sigil, std::uint32_t entry, std::uint32_t definition, const char* what);

  [[noreturn]] void fail(std::size_t offset, std::string message,
                         const std::vector<Diagnostics::At>& notes = {});
  void expect(char c, const char* where);
  Frame& frame() { return frames_.back(); }

  std::string text_;  // a copy that ends in a zero byte
  TextCursor cursor_;
  std::shared_ptr<Registry> registry_;
  const ParseOptions& options_;
  Stop& stop_;
  Diagnostics errors_;
  std::unique_ptr<Module> module_;
  std::optional<Registry> before_;  // the registry before the first declaration
  RegionId declaring_;              // of the dsl.DIALECT being read; none outside of one, and in `extern`
  LocationId declaring_at_;         // its place

  std::vector<Frame> frames_;
  Statement now_;
  bool in_statement_ = false;
  std::uint32_t waiting_label_ = kNone;                    // of the instruction that comes next
  std::uint32_t line_ = 1, line_start_ = 0, counted_ = 0;  // lines before `counted_`, if wanted
  std::uint32_t polls_ = 0;
  std::vector<OperandSpec> operands_;
  std::vector<OperandPlace> places_;  // of operands_
  std::vector<std::pair<std::uint32_t, AttrId>>
      defined_;  // definition and name, of value definitions waiting
  std::vector<Fixup> pending_;
  std::vector<Fixup> fixups_;
  std::vector<Fixup> late_;
  std::vector<std::pair<InstrId, std::uint32_t>> recheck_;  // same-type operations with fixups
  std::vector<Definition> definitions_;
  std::vector<std::uint32_t> definition_of_value_;  // by value id: the store of a new module counts from 0
  std::array<TextNames, 4> names_;
  std::uint32_t scopes_ = 0;

  std::vector<OpenValue> open_values_;
  std::vector<FatDynObjRef> items_;
  std::vector<std::pair<AttrId, std::uint32_t>> keys_;
  std::size_t wide_words_ = 0;
  std::size_t open_braces_ = 0;  // of a declaration

  TextSymbols symbols_;
  std::vector<DialectId> used_;
  TypeId no_type_;
  AttrId file_name_, sym_name_, sym_visibility_;

  template <typename T>
  struct Cached {
    std::string_view text;
    T value{};
  };
  std::array<Cached<Opcode>, 256> op_cache_{};
  std::array<Cached<TypeId>, 64> type_cache_{};
};

}  // namespace dynomite::ir
