#include "dmt_dialect/native/op/op_rules.hpp"

#include <algorithm>
#include <array>

namespace dmt {

namespace ir = dynomite::ir;

namespace {

using enum OpShape;

constexpr auto kRules = std::to_array<OpRule>({
    {"ADD", kSame, 2, true}, {"SUB", kSame, 2},
    {"NEG", kSame, 1},       {"ABS", kSame, 1},
    {"MUL", kSame, 2, true}, {"UDIV", kSame, 2},
    {"UREM", kSame, 2},      {"SDIV", kSame, 2},
    {"SREM", kSame, 2},      {"SMOD", kSame, 2},
    {"SMULW", kWiden, 2},    {"UMULW", kWiden, 2},
    {"AND", kSame, 2, true}, {"OR", kSame, 2, true},
    {"XOR", kSame, 2, true}, {"NAND", kSame, 2},
    {"NOR", kSame, 2},       {"XNOR", kSame, 2},
    {"NOT", kSame, 1},       {"REDAND", kReduce, 1},
    {"REDOR", kReduce, 1},   {"REDXOR", kReduce, 1},
    {"EQ", kCompare, 2},     {"NE", kCompare, 2},
    {"ULT", kCompare, 2},    {"ULE", kCompare, 2},
    {"UGT", kCompare, 2},    {"UGE", kCompare, 2},
    {"SLT", kCompare, 2},    {"SLE", kCompare, 2},
    {"SGT", kCompare, 2},    {"SGE", kCompare, 2},
    {"UADDO", kCompare, 2},  {"SADDO", kCompare, 2},
    {"USUBO", kCompare, 2},  {"SSUBO", kCompare, 2},
    {"UMULO", kCompare, 2},  {"SMULO", kCompare, 2},
    {"SDIVO", kCompare, 2},  {"NEGO", kReduce, 1},
    {"SHL", kShift, 2},      {"LSHR", kShift, 2},
    {"ASHR", kShift, 2},     {"ROL", kShift, 2},
    {"ROR", kShift, 2},      {"CONCAT", kConcat, 1, true},
    {"SLICE", kSlice, 3},    {"INDEX", kIndex, 2},
    {"REPEAT", kRepeat, 1},  {"ZEXT", kExtend, 1},
    {"SEXT", kExtend, 1},    {"MUX", kMux, 3},
    {"LUT", kLut, 2},        {"ASSERT", kClaim, 1},
    {"ASSUME", kClaim, 1},
});

std::string bits(std::uint64_t width) { return std::to_string(width) + (width == 1 ? " bit" : " bits"); }

}  // namespace

std::span<const OpRule> op_rules() { return kRules; }

OpChecker::OpChecker(const ir::Module& module) : module_(module) {
  const auto dialect = module.registry()->find_dialect("op");
  if (!dialect) return;
  dialect_ = *dialect;
  for (const ir::OpInfo& info : module.registry()->dialect(dialect_).ops) {
    const auto found = std::ranges::find(kRules, info.name, &OpRule::name);
    rules_.push_back(found == kRules.end() ? 0xFF : static_cast<std::uint8_t>(found - kRules.begin()));
  }
}

std::optional<std::uint32_t> OpChecker::rule(ir::Opcode opcode) const {
  if (dialect_ == 0 || opcode.dialect() != dialect_ || opcode.number() >= rules_.size()) return std::nullopt;
  const std::uint8_t found = rules_[opcode.number()];
  return found == 0xFF ? std::nullopt : std::optional<std::uint32_t>(found);
}

std::uint32_t OpChecker::width(ir::TypeId type) const {
  if (!type) return 0;
  if (type.index() >= widths_.size()) widths_.resize(module_.attributes().type_count(), 0);
  std::uint32_t& known = widths_[type.index()];
  if (known != 0) return known - 1;
  known = 1;
  const ir::ObjKind kind = module_.attributes().type_kind(type);
  const ir::TypeInfo& info = module_.registry()->type(kind);
  if (info.param_info.size() != 1 || info.param_info.front().name != "width") return 0;
  const std::vector<ir::FatDynObjRef> params = module_.attributes().type_params(type);
  if (params.size() != 1 || params.front().kind != ir::kind::kConstant) return 0;
  if (params.front().payload <= kMaxWidth) known = static_cast<std::uint32_t>(params.front().payload) + 1;
  return known - 1;
}

std::string OpChecker::type_violation(ir::TypeId type) const {
  if (!type) return "a value without a type";
  if (width(type) != 0) return {};
  const ir::ObjKind kind = module_.attributes().type_kind(type);
  const std::string name = module_.registry()->name(kind);
  const ir::TypeInfo& info = module_.registry()->type(kind);
  const std::vector<ir::FatDynObjRef> params = module_.attributes().type_params(type);
  if (info.param_info.size() != 1 || info.param_info.front().name != "width" || params.size() != 1 ||
      params.front().kind != ir::kind::kConstant) {
    return name + " is no row of bits (a type with the one parameter 'width')";
  }
  if (params.front().payload == 0) return name + "(0): a value must have at least one bit";
  return name + ": more than " + std::to_string(kMaxWidth) + " bits";
}

std::uint32_t OpChecker::width(const ir::FatDynObjRef& ref) const {
  if (ref.kind == ir::kind::kValue) return width(module_.instrs().type(ir::ValueId(ref.id)));
  if (ref.kind == ir::kind::kConstant) return ref.id;
  if (ref.kind != ir::kind::kWide) return 0;
  const std::uint32_t bits = module_.attributes().constant(ref).width;
  return bits <= kMaxWidth ? bits : 0;
}

std::optional<std::uint32_t> OpChecker::small_number(const ir::FatDynObjRef& ref) const {
  if (ref.kind != ir::kind::kConstant || ref.payload > 0xFFFFFFFFU) return std::nullopt;
  return static_cast<std::uint32_t>(ref.payload);
}

std::string OpChecker::value_text(const ir::FatDynObjRef& ref) const {
  if (ref.kind != ir::kind::kValue) return "the constant";
  const ir::AttrId name = module_.value_name(ir::ValueId(ref.id));
  return "%" + (name ? module_.attributes().text(name) : std::to_string(ref.id));
}

std::string OpChecker::widths_text(ir::InstrId instr, std::uint32_t first, std::uint32_t count) const {
  std::string text;
  for (std::uint32_t i = first; i < first + count && i < first + 8; ++i) {
    const ir::Operand operand = module_.instrs().operand(instr, i);
    if (!text.empty()) text += ", ";
    text += value_text(operand.ref) + " has " + bits(width(operand.ref));
  }
  return text;
}

std::string OpChecker::violation(ir::InstrId instr, std::uint32_t rule) const {
  const OpRule& row = kRules[rule];
  const ir::InstrStore& instrs = module_.instrs();
  const std::uint32_t defs = row.shape == kClaim ? 0 : 1;
  std::uint32_t count = instrs.operand_count(instr);
  if (module_.dictionary(instr)) --count;
  if (count < defs + row.uses || (!row.variadic && count > defs + row.uses)) {
    return "takes " + std::to_string(row.uses) + (row.variadic ? " or more operands" : " operands") +
           ", not " + std::to_string(count < defs ? 0 : count - defs);
  }
  // Numbers behind the values of SLICE are no values.
  const std::uint32_t values = row.shape == kSlice ? 2 : count;
  std::optional<ir::ObjKind> family;
  for (std::uint32_t i = 0; i < values; ++i) {
    const ir::Operand operand = instrs.operand(instr, i);
    if (operand.is_def != (i < defs)) return "the result comes first, then what is used";
    if (operand.ref.kind == ir::kind::kValue) {
      const ir::TypeId type = instrs.type(ir::ValueId(operand.ref.id));
      if (width(type) == 0) return value_text(operand.ref) + ": " + type_violation(type);
      const ir::ObjKind kind = module_.attributes().type_kind(type);
      if (family && *family != kind) {
        return value_text(operand.ref) + " is of type " + module_.registry()->name(kind) + ", others of " +
               module_.registry()->name(*family);
      }
      family = kind;
    } else if (width(operand.ref) == 0) {
      return "operand " + std::to_string(i + 1 - defs) + " is neither a value nor a constant of up to " +
             std::to_string(kMaxWidth) + " bits";
    }
  }
  const auto at = [&](std::uint32_t i) { return instrs.operand(instr, i).ref; };
  const std::uint64_t result = defs == 0 ? 0 : width(at(0));
  const std::uint64_t first = width(at(defs));
  const auto mismatch = [&](std::uint32_t from) {
    return "the widths differ: " + widths_text(instr, from, values - from);
  };
  const auto result_must_have = [&](std::uint64_t wanted) {
    return result == wanted ? std::string()
                            : "the result must have " + bits(wanted) + ", not " + bits(result);
  };
  switch (row.shape) {
    case kSame:
      for (std::uint32_t i = 1; i < values; ++i) {
        if (width(at(i)) != result) return mismatch(0);
      }
      return {};
    case kWiden: return result_must_have(first + width(at(2)));
    case kReduce: return result_must_have(1);
    case kCompare:
      if (first != width(at(2))) return mismatch(1);
      return result_must_have(1);
    case kShift: return result_must_have(first);
    case kConcat: {
      std::uint64_t sum = 0;
      for (std::uint32_t i = 1; i < values; ++i) sum += width(at(i));
      return result_must_have(sum);
    }
    case kSlice: {
      const auto high = small_number(at(2)), low = small_number(at(3));
      if (!high || !low) return "the bounds must be two constants";
      if (*high < *low)
        return "the high bound " + std::to_string(*high) + " is below the low one " + std::to_string(*low);
      if (*high >= first) {
        return "bit " + std::to_string(*high) + " is beyond " + value_text(at(1)) + ", which has " +
               bits(first);
      }
      return result_must_have(std::uint64_t{*high} - *low + 1);
    }
    case kIndex: return result_must_have(1);
    case kRepeat:
      if (result % first != 0) return bits(result) + " are no copies of " + bits(first);
      return {};
    case kExtend:
      if (result < first)
        return "the result, " + bits(result) + ", is narrower than the operand, " + bits(first);
      return {};
    case kMux:
      if (first != 1) return "the select must have 1 bit, " + widths_text(instr, 1, 1);
      if (width(at(2)) != result || width(at(3)) != result) {
        return "the widths differ: " + widths_text(instr, 0, 1) + ", " + widths_text(instr, 2, 2);
      }
      return {};
    case kLut: {
      const ir::FatDynObjRef table = at(2);
      if (table.kind == ir::kind::kValue) return "the table must be a constant";
      if (first > 20 || width(table) != result << first) {
        return "the table must have 2^" + std::to_string(first) + " entries of " + bits(result) +
               ", at most " + bits(kMaxWidth) + "; it has " + bits(width(table));
      }
      return {};
    }
    case kClaim:
      return first == 1 ? std::string() : "the operand must have 1 bit, " + widths_text(instr, 0, 1);
  }
  return {};
}

}  // namespace dmt
