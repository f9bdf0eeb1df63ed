#pragma once

#include <cstdint>
#include <vector>

#include "dynomite/native/ir/builder.hpp"
#include "dynomite/native/rewrite/conditions.hpp"

namespace dynomite::rewrite {

using InstrMatcher = Matcher<InstrMatchStore>;
using InstrChecker = Checker<InstrMatchStore>;

/// What a change leaves to look at.
struct Touched {
  std::vector<std::uint32_t> changed;  // new instructions, and those that use something else now
  std::vector<ir::ValueId> released;   // values that lost uses
  void clear() {
    changed.clear();
    released.clear();
  }
};

/// Does what a rule emits: all of it is worked out by `plan`, then `commit` changes the module.
class Emitter {
 public:
  Emitter(ir::Mutator& mutator, const InstrMatcher& matcher, InstrChecker& checker)
      : mutator_(mutator), module_(mutator.module()), matcher_(matcher), checker_(checker) {}

  /// `shape` is that of the root. False if the match does not count: an expression has no value, or the root
  /// cannot be replaced (it is referred to, or would use itself). Throws UsageError where types do not agree.
  bool plan(const CompiledRule& rule, const Shape& shape);
  /// Does what was planned. Linear in what is emitted and in the uses of what is replaced.
  void commit(Touched& touched);
  /// The planned rule deletes the root.
  bool deletes_root() const { return deletes_root_ || deletes_root_explicitly_; }
  /// The planned rule deletes, which may turn out to be impossible half way.
  bool may_fail() const { return may_fail_; }
  /// Puts the values that an instruction uses on a list.
  void list_operands(ir::InstrId instr, std::vector<ir::ValueId>& list) const;
  /// Instructions the last `commit` made.
  const std::vector<ir::InstrId>& made() const { return made_; }

 private:
  struct Step {
    EmitKind kind;
    std::uint16_t opcode;
    std::uint32_t instr;            // kReplaceAll, kDelete: the instruction
    std::uint32_t operands, uses;   // range of operands_
    std::uint32_t defs, def_count;  // range of defs_
  };
  struct Def {
    ir::ValueId replaces;  // none: new
    ir::TypeId type;
    std::uint32_t number;  // of a new value
  };

  bool plan_simple(const CompiledRule& rule, const Shape& shape);
  bool plan_instr(const Rule& rule, const EmitStep& step, Step& planned);
  void check_counts(const Rule& rule, const Step& planned) const;
  bool plan_replacements(const Rule& rule, const EmitStep& step, Step& planned);
  bool plan_operand(const Rule& rule, const EmitOperand& operand);
  bool plan_constant(const Rule& rule, const Expression& value, std::uint32_t width);
  bool plan_def(const Rule& rule, const EmitDef& def);
  bool type_of(const Rule& rule, const TypeSource& source, ir::TypeId& type);
  bool computed_type(const Rule& rule, const TypeSource& source, ir::TypeId& type);
  bool with_width(const Rule& rule, ir::TypeId base, const Expression& width, ir::TypeId& type);
  void check_replacement(const Rule& rule, ir::ValueId value, const ir::FatDynObjRef& by) const;
  bool overwrites_root() const;
  void list_root_values();
  bool is_own(const ir::FatDynObjRef& ref) const;
  ir::TypeId root_type() const;

  void make_instr(const Step& step, Touched& touched);
  void replace(ir::ValueId value, const ir::FatDynObjRef& by, Touched& touched);
  void move_name(ir::ValueId from, ir::ValueId to);
  void erase(ir::InstrId instr, Touched& touched);
  ir::FatDynObjRef resolved(const ir::FatDynObjRef& ref) const;
  ir::LocationId united_location();

  ir::Mutator& mutator_;
  ir::Module& module_;
  const InstrMatcher& matcher_;
  InstrChecker& checker_;
  ir::ValueId simple_;  // replaces the only value of the root; none: the steps are done
  std::vector<Step> steps_;
  std::vector<ir::FatDynObjRef> operands_;
  std::vector<Def> defs_;
  std::vector<ir::TypeId> new_types_;
  std::vector<ir::ValueId> new_values_;
  std::vector<ir::ValueId> root_values_;  // defined by the root
  std::vector<ir::ValueId> overwritten_;
  std::vector<ir::ValueId> replaced_;  // by the present step
  std::vector<ir::OperandSpec> specs_;
  std::vector<ir::InstrId> made_;
  bool may_fail_ = false;
  bool deletes_root_ = false;  // as all of it is overwritten
  bool deletes_root_explicitly_ = false;
};

}  // namespace dynomite::rewrite
