#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynomite/native/ir/rewrite_ops.hpp"
#include "dynomite/native/ir/text_reader.hpp"

namespace dynomite::ir {

/// Reads the body of an `InstrPat` (docs/rewriting.md) for a TextReader. The syntax tree is built first, then
/// made into instructions of the dialect `rewrite`. Recursive descent, at most `rewrite_op::kMaxHeight` deep.
class PatternReader {
 public:
  explicit PatternReader(TextReader& reader) : reader_(reader), cursor_(reader.cursor_) {}

  /// From '{' to '}'; the region it returns has no owner yet. Linear in the text.
  RegionId read();

 private:
  using Node = std::uint32_t;  // index into nodes_
  struct NodeData {
    rewrite_op::Number op;
    std::uint32_t offset;
    std::uint32_t height;
    std::vector<FatDynObjRef> uses;
    std::vector<Node> parts;
  };
  /// One level of recursion.
  class Level {
   public:
    explicit Level(PatternReader& reader) : reader_(reader) { reader_.enter(); }
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    PatternReader& reader_;
  };
  using Parse = Node (PatternReader::*)();

  // text_pattern_reader.cpp: parts, and what is matched.
  Node part(std::string_view word, std::uint32_t offset);
  Node root();
  Node instruction(bool nested);
  void head_names(std::string& op_name, std::string& instr_name);
  FatDynObjRef head_operations(std::vector<Opcode>& ops);
  Node expression();
  Node unordered();
  Node sequence();
  Node item();
  Node repeated(Node inner, std::uint32_t offset);
  Node atom();
  Node word_atom();
  Node definition_or_use(rewrite_op::Number op, std::uint32_t offset);
  FatDynObjRef parameter();
  bool at_head();
  bool at_operation();

  // text_pattern_actions.cpp: integers, conditions, what is emitted.
  Node integer();
  Node binary(std::size_t level);
  Node unary();
  Node function(std::string_view word, std::uint32_t offset);
  std::string_view take_operator(std::size_t level);
  bool at_integer_function();
  Node condition();
  Node any_of();
  Node literal();
  Node comparison();
  Node simple_condition(std::string_view word, std::uint32_t offset);
  bool group_is_integer();
  void call(std::vector<FatDynObjRef>& uses);
  Node statement();
  Node build(std::uint32_t offset, bool nested);
  void build_operands(Node built, std::uint32_t definitions, bool counted, bool nested);
  Node emitted(bool is_def);
  Node emitted_name(bool is_def);
  Node emitted_constant(std::uint32_t offset);
  Node new_definition(std::string_view name, std::uint32_t offset);
  Node definition_type();
  Node default_type(std::uint32_t offset);

  Node node(rewrite_op::Number op, std::uint32_t offset, std::vector<FatDynObjRef> uses = {},
            std::vector<Node> parts = {});
  void add_part(Node whole, Node inner);
  Node chain(rewrite_op::Number op, char sign, Parse read_part);
  void make_instructions(const std::vector<Node>& parts, BlockId block);
  void make(Node whole, BlockId block);
  void set_locations();

  std::uint32_t next();  // skips to the next token; its offset
  bool take(char c);
  void open(char c, const char* where);
  void close(char c, const char* where);
  bool take_text(std::string_view text);
  std::string name(const char* where, char sigil = '%');
  bool name_ahead();
  FatDynObjRef text(std::string_view value);
  FatDynObjRef number();
  const Opcode* known_operation(std::string_view word);
  bool knows_type(std::string_view word) const;
  std::string operation(std::string_view word, std::uint32_t offset, Opcode& opcode);
  void bind(const std::string& name);
  bool is_bound(const std::string& name) const { return bound_.contains(name); }
  void enter();
  [[noreturn]] void fail(std::uint32_t offset, std::string message) {
    reader_.fail(offset, std::move(message));
  }

  TextReader& reader_;
  TextCursor& cursor_;
  std::vector<NodeData> nodes_;
  std::vector<std::pair<InstrId, std::uint32_t>> made_;  // with the offset of its node
  std::unordered_map<std::string, bool> bound_;          // true: a definition of the root
  std::vector<std::string> bound_order_;
  std::unordered_map<std::string, std::vector<Opcode>> op_names_;
  std::string first_def_;  // the first name of a definition of the root
  Opcode found_;
  std::uint32_t depth_ = 0;
  std::uint32_t nested_ = 0;
};

}  // namespace dynomite::ir
