#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynomite/native/ir/module.hpp"
#include "dynomite/native/ir/rewrite_ops.hpp"

namespace dynomite::ir {

/// Prints a rewrite.PATTERN in its short form, `InstrPat { ... }`, if that says all there is.
class PatternPrinter {
 public:
  /// `need` is told of the names of operations and types in it.
  PatternPrinter(const Module& module, std::function<void(Opcode)> need_op,
                 std::function<void(ObjKind)> need_type)
      : module_(module), need_op_(std::move(need_op)), need_type_(std::move(need_type)) {}

  /// The text from '{' to '}', lines behind the first indented by `indent` blanks; empty if it is written
  /// out. Adds the number of instructions in it to `count`. Linear in the rule.
  std::string print(InstrId pattern, std::size_t indent, std::uint32_t& count);

 private:
  struct NotShort {};  // thrown where the short form does not say all
  /// How an expression has to stand to need no parentheses.
  enum Level : std::uint8_t { kAlternatives, kUnordered, kSequence, kItem, kRepeated, kAtom };
  using Uses = std::vector<FatDynObjRef>;

  rewrite_op::Number op(InstrId instr) const;
  Uses uses(InstrId instr) const;
  std::vector<InstrId> parts(InstrId instr) const;
  InstrId only(InstrId instr) const;
  void require(bool good) const {
    if (!good) throw NotShort();
  }
  void enter() { require(++height_ <= rewrite_op::kMaxHeight + 4); }
  std::string_view text(const FatDynObjRef& ref) const;
  std::string_view own_name(InstrId instr) const;
  void name(std::string_view name, char sigil = '%');
  void number(const FatDynObjRef& ref);
  void parameter(const FatDynObjRef& ref);
  void operation(std::string_view name);
  /// `all`: without parameters it stands for any.
  void type(std::string_view name, std::size_t params, bool all);
  bool is_bound(std::string_view name) const { return bound_.contains(name); }
  bool is_root_def(std::string_view name) const {
    const auto found = bound_.find(name);
    return found != bound_.end() && found->second;
  }
  std::uint32_t instructions_inside(InstrId pattern) const;
  void bind(std::string_view name, bool is_def = false);

  void pattern(InstrId instr, std::size_t indent);
  void head(InstrId instr);
  void instruction(InstrId instr);
  void expression(InstrId instr, Level level);
  void chain(InstrId instr, Level level);
  void named(InstrId instr);
  void alternatives(const std::vector<InstrId>& parts);
  void integer(InstrId instr, bool group);
  void arith(InstrId instr, bool group);
  void condition(InstrId instr, bool group);
  void statement(InstrId instr);
  void build(InstrId instr, bool nested);
  void definition(InstrId instr, bool by_place);
  void operand(InstrId instr);
  void definition_type(InstrId instr);
  void call(InstrId instr);
  void list(const std::vector<InstrId>& parts);

  struct OpName {
    std::string_view name;
    std::vector<Opcode> ops;
  };

  const Module& module_;
  std::function<void(Opcode)> need_op_;
  std::function<void(ObjKind)> need_type_;
  std::string out_;
  std::unordered_map<std::string_view, bool> bound_;  // true: a definition of the root
  std::vector<std::string_view> bound_order_;
  std::vector<OpName> op_names_;
  std::string_view first_def_;
  std::uint32_t height_ = 0;
  std::uint32_t nested_ = 0;
};

}  // namespace dynomite::ir
