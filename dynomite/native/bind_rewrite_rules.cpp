#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dynomite/native/py_rewrite.hpp"

// What rules are made of: one call a node of the syntax tree.

namespace dynomite::rewrite {

namespace {

Integer to_integer(nb::handle given) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(given.ptr(), &overflow);
  if (overflow == 0) {
    if (small == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return {static_cast<std::int64_t>(small)};
  }
  const auto bits = nb::cast<std::size_t>(given.attr("bit_length")());
  if (bits > std::size_t{1} << 24) throw LimitError("a number of a rule has more than 2^24 bits");
  const std::size_t words = bits / 64 + 1;
  const nb::object bytes = given.attr("to_bytes")(nb::arg("length") = words * 8,
                                                  nb::arg("byteorder") = "little", nb::arg("signed") = true);
  std::vector<std::uint64_t> content(words);
  std::memcpy(content.data(), nb::cast<nb::bytes>(bytes).data(), words * 8);
  return Integer::from_words(std::move(content));
}

struct NamedKind {
  std::string_view name;
  ExpressionKind kind;
};
constexpr NamedKind kExpressionKinds[] = {
    {"literal", ExpressionKind::kLiteral},
    {"capture", ExpressionKind::kCapture},
    {"width", ExpressionKind::kWidth},
    {"count", ExpressionKind::kCount},
    {"+", ExpressionKind::kAdd},
    {"-", ExpressionKind::kSubtract},
    {"*", ExpressionKind::kMultiply},
    {"/", ExpressionKind::kDivide},
    {"%", ExpressionKind::kModulo},
    {"<<", ExpressionKind::kShiftLeft},
    {">>", ExpressionKind::kShiftRight},
    {"&", ExpressionKind::kAnd},
    {"|", ExpressionKind::kOr},
    {"^", ExpressionKind::kXor},
    {"~", ExpressionKind::kNot},
    {"neg", ExpressionKind::kNegate},
    {"log2", ExpressionKind::kLog2},
    {"min", ExpressionKind::kMin},
    {"max", ExpressionKind::kMax},
    {"signed", ExpressionKind::kSigned},
};

ExpressionKind expression_kind(std::string_view name) {
  for (const NamedKind& entry : kExpressionKinds) {
    if (entry.name == name) return entry.kind;
  }
  throw UsageError("a rule uses an unknown operator '" + std::string(name) + "'");
}

Relation relation_of(std::string_view text) {
  constexpr std::string_view kNames[] = {"==", "!=", "<", "<=", ">", ">="};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == text) return static_cast<Relation>(i);
  }
  throw UsageError("a rule uses an unknown relation '" + std::string(text) + "'");
}

std::uint32_t optional_slot(Rule& rule, const std::optional<std::string>& name) {
  return name ? rule.slot(*name) : kNoSlot;
}

/// A number, a name that captures one, or None.
Param to_param(Rule& rule, nb::handle given) {
  Param param;
  if (nb::isinstance<nb::str>(given)) {
    param.kind = Param::Kind::kCapture;
    param.slot = rule.slot(nb::cast<std::string>(given));
  } else if (!given.is_none()) {
    param.kind = Param::Kind::kLiteral;
    param.literal = to_integer(given);
  }
  return param;
}

/// A list of (kind, argument): reverse Polish notation.
Expression to_expression(Rule& rule, nb::handle given) {
  std::vector<ExpressionOp> ops;
  for (const nb::handle step : nb::cast<nb::list>(given)) {
    const auto pair = nb::cast<nb::tuple>(step);
    ExpressionOp op;
    op.kind = expression_kind(nb::cast<std::string>(pair[0]));
    if (op.kind == ExpressionKind::kLiteral) {
      op.literal = to_integer(pair[1]);
    } else if (op.kind == ExpressionKind::kCapture || op.kind == ExpressionKind::kWidth ||
               op.kind == ExpressionKind::kCount) {
      op.slot = rule.slot(nb::cast<std::string>(pair[1]));
    } else {
      op.args = nb::cast<std::uint32_t>(pair[1]);
    }
    ops.push_back(std::move(op));
  }
  return rule.add(ops);
}

std::uint16_t to_op(const ir::Registry& registry, const std::string& name) {
  const auto opcode = registry.find_op(name);
  if (!opcode) {
    const std::string nearest = registry.nearest_op(name);
    throw UsageError("there is no operation '" + name + "'" +
                     (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  return opcode->raw();
}

ir::ObjKind to_kind(const ir::Registry& registry, const std::string& name) {
  const auto kind = registry.find_type(name);
  if (!kind) {
    const std::string nearest = registry.nearest_type(name);
    throw UsageError("there is no type '" + name + "'" +
                     (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  return *kind;
}

/// ("type", name, expressions) or ("same", name, expression or None).
TypeSource to_type_source(const PyRule& self, Rule& rule, nb::handle given) {
  const auto parts = nb::cast<nb::tuple>(given);
  TypeSource source;
  if (nb::cast<std::string>(parts[0]) == "same") {
    source.slot = rule.slot(nb::cast<std::string>(parts[1]));
    if (!parts[2].is_none()) source.params.push_back(to_expression(rule, parts[2]));
    return source;
  }
  source.type = to_kind(*self.registry, nb::cast<std::string>(parts[1]));
  for (const nb::handle expression : nb::cast<nb::list>(parts[2])) {
    source.params.push_back(to_expression(rule, expression));
  }
  return source;
}

/// ("capture", name), ("const", value, width), ("number", value) or ("new", number).
EmitOperand to_operand(Rule& rule, nb::handle given) {
  const auto parts = nb::cast<nb::tuple>(given);
  const auto kind = nb::cast<std::string>(parts[0]);
  EmitOperand operand;
  if (kind == "capture") {
    operand.slot = rule.slot(nb::cast<std::string>(parts[1]));
  } else if (kind == "const") {
    operand.kind = EmitOperand::Kind::kConst;
    operand.value = to_expression(rule, parts[1]);
    operand.width = to_expression(rule, parts[2]);
  } else if (kind == "number") {
    operand.kind = EmitOperand::Kind::kNumber;
    operand.value = to_expression(rule, parts[1]);
  } else {
    operand.kind = EmitOperand::Kind::kNew;
    operand.slot = nb::cast<std::uint32_t>(parts[1]);
    if (operand.slot >= rule.new_values)
      throw UsageError("an emitted operand is made by no instruction before");
  }
  return operand;
}

std::vector<EmitOperand> to_operands(Rule& rule, const nb::list& given) {
  std::vector<EmitOperand> operands;
  for (const nb::handle operand : given) operands.push_back(to_operand(rule, operand));
  return operands;
}

std::uint32_t add_parts(PyRule& self, PatternKind kind, std::vector<std::uint32_t> parts) {
  PatternNode node;
  node.kind = kind;
  node.children = std::move(parts);
  return self.rule.add(std::move(node));
}

std::uint32_t add_condition(PyRule& self, ConditionKind kind, const std::string& a) {
  Condition condition;
  condition.kind = kind;
  condition.a = self.rule.slot(a);
  return self.rule.add(std::move(condition));
}
std::uint32_t add_condition(PyRule& self, ConditionKind kind, const std::string& a, const std::string& b) {
  Condition condition;
  condition.kind = kind;
  condition.a = self.rule.slot(a);
  condition.b = self.rule.slot(b);
  return self.rule.add(std::move(condition));
}
std::uint32_t add_condition(PyRule& self, ConditionKind kind, std::vector<std::uint32_t> parts) {
  Condition condition;
  condition.kind = kind;
  condition.children = std::move(parts);
  return self.rule.add(std::move(condition));
}

void bind_patterns(nb::class_<PyRule>& c) {
  c.def(
       "any", [](PyRule& self) { return self.rule.add(PatternNode()); }, "Any operand.")
      .def(
          "type",
          [](PyRule& self, const std::string& name, const nb::list& params) {
            PatternNode node;
            node.kind = PatternKind::kType;
            node.type = to_kind(*self.registry, name);
            for (const nb::handle param : params) node.params.push_back(to_param(self.rule, param));
            return self.rule.add(std::move(node));
          },
          nb::arg("name"), nb::arg("params"),
          nb::sig("def type(self, name: str, params: list[int | str | None]) -> int"),
          "A value of a type; of each parameter a number, a name that captures it, or None.")
      .def(
          "constant",
          [](PyRule& self, nb::object value, nb::object width) {
            PatternNode node;
            node.kind = PatternKind::kConst;
            node.params = {to_param(self.rule, value), to_param(self.rule, width)};
            return self.rule.add(std::move(node));
          },
          nb::arg("value").none(), nb::arg("width").none(),
          nb::sig("def constant(self, value: int | str | None, width: int | str | None) -> int"),
          "A constant.")
      .def(
          "instr",
          [](PyRule& self, const std::vector<std::string>& ops, std::uint32_t operands,
             const std::optional<std::string>& op_name, const std::optional<std::string>& instr_name,
             const std::optional<std::string>& result) {
            PatternNode node;
            node.kind = PatternKind::kInstr;
            for (const std::string& op : ops) node.opcodes.push_back(to_op(*self.registry, op));
            node.children = {operands};
            node.op_slot = optional_slot(self.rule, op_name);
            node.instr_slot = optional_slot(self.rule, instr_name);
            node.slot = optional_slot(self.rule, result);
            return self.rule.add(std::move(node));
          },
          nb::arg("ops"), nb::arg("operands"), nb::arg("op_name").none(), nb::arg("instr_name").none(),
          nb::arg("result").none(), "An instruction, of any operation if there is none.")
      .def(
          "same",
          [](PyRule& self, const std::string& name) {
            PatternNode node;
            node.kind = PatternKind::kSame;
            node.slot = self.rule.slot(name);
            return self.rule.add(std::move(node));
          },
          nb::arg("name"), "What a name is bound to.")
      .def(
          "named",
          [](PyRule& self, const std::string& name, std::uint32_t part) {
            PatternNode node;
            node.kind = PatternKind::kNamed;
            node.slot = self.rule.slot(name);
            node.children = {part};
            return self.rule.add(std::move(node));
          },
          nb::arg("name"), nb::arg("part"), "Binds a name.")
      .def(
          "repeat",
          [](PyRule& self, std::uint32_t part, bool at_least_one) {
            PatternNode node;
            node.kind = PatternKind::kRepeat;
            node.children = {part};
            node.at_least_one = at_least_one;
            return self.rule.add(std::move(node));
          },
          nb::arg("part"), nb::arg("at_least_one"), "`X*` or `X+`.")
      .def(
          "sequence",
          [](PyRule& self, std::vector<std::uint32_t> parts) {
            return add_parts(self, PatternKind::kSequence, std::move(parts));
          },
          nb::arg("parts"), "`X, Y`.")
      .def(
          "alternatives",
          [](PyRule& self, std::vector<std::uint32_t> parts) {
            return add_parts(self, PatternKind::kAlternatives, std::move(parts));
          },
          nb::arg("parts"), "`X | Y`.")
      .def(
          "unordered",
          [](PyRule& self, std::vector<std::uint32_t> parts) {
            return add_parts(self, PatternKind::kUnordered, std::move(parts));
          },
          nb::arg("parts"), "`X / Y`.")
      .def(
          "defs", [](PyRule& self, std::uint32_t part) { return add_parts(self, PatternKind::kDef, {part}); },
          nb::arg("part"), "`def(X)`.")
      .def(
          "uses", [](PyRule& self, std::uint32_t part) { return add_parts(self, PatternKind::kUse, {part}); },
          nb::arg("part"), "`use(X)`.")
      .def(
          "set_root", [](PyRule& self, std::uint32_t node) { self.rule.root = node; }, nb::arg("node"),
          "The instruction that the pattern is tried at.");
}

void bind_conditions(nb::class_<PyRule>& c) {
  c.def(
       "one_use",
       [](PyRule& self, const std::string& a) { return add_condition(self, ConditionKind::kOneUse, a); },
       nb::arg("name"), "A condition.")
      .def(
          "power_of_two",
          [](PyRule& self, const std::string& a) {
            return add_condition(self, ConditionKind::kPowerOfTwo, a);
          },
          nb::arg("name"), "A condition.")
      .def(
          "is_constant",
          [](PyRule& self, const std::string& a) {
            return add_condition(self, ConditionKind::kIsConstant, a);
          },
          nb::arg("name"), "A condition.")
      .def(
          "compare",
          [](PyRule& self, nb::object left, const std::string& relation, nb::object right) {
            Condition condition;
            condition.kind = ConditionKind::kCompare;
            condition.relation = relation_of(relation);
            condition.left = to_expression(self.rule, left);
            condition.right = to_expression(self.rule, right);
            return self.rule.add(std::move(condition));
          },
          nb::arg("left"), nb::arg("relation"), nb::arg("right"),
          nb::sig(
              "def compare(self, left: list[tuple[str, typing.Any]], relation: str, right: list[tuple[str, "
              "typing.Any]]) -> int"),
          "A condition; expressions in reverse Polish notation.")
      .def(
          "same_operand",
          [](PyRule& self, const std::string& a, const std::string& b) {
            return add_condition(self, ConditionKind::kSame, a, b);
          },
          nb::arg("a"), nb::arg("b"), "A condition.")
      .def(
          "same_type",
          [](PyRule& self, const std::string& a, const std::string& b) {
            return add_condition(self, ConditionKind::kSameType, a, b);
          },
          nb::arg("a"), nb::arg("b"), "A condition.")
      .def(
          "negated",
          [](PyRule& self, std::uint32_t part) {
            return add_condition(self, ConditionKind::kNot, std::vector{part});
          },
          nb::arg("condition"), "The contrary of a condition.")
      .def(
          "any_of",
          [](PyRule& self, std::vector<std::uint32_t> parts) {
            return add_condition(self, ConditionKind::kAnyOf, std::move(parts));
          },
          nb::arg("conditions"), "One of several conditions.")
      .def(
          "call",
          [](PyRule& self, nb::object function, const std::vector<std::string>& names) {
            Condition condition;
            condition.kind = ConditionKind::kCallback;
            condition.a = self.add(std::move(function), names);
            return self.rule.add(std::move(condition));
          },
          nb::arg("function"), nb::arg("names"),
          nb::sig("def call(self, function: collections.abc.Callable[..., object], names: list[str]) -> int"),
          "A function's opinion of what names are bound to.")
      .def(
          "check",
          [](PyRule& self, std::uint32_t condition) {
            if (condition >= self.rule.conditions.size()) throw UsageError("there is no such condition");
            self.rule.checks.push_back(condition);
          },
          nb::arg("condition"), "Makes the rule depend on a condition.");
}

void bind_emits(nb::class_<PyRule>& c) {
  c.def(
       "emit",
       [](PyRule& self, const std::optional<std::string>& op, const std::optional<std::string>& op_name,
          const nb::list& defs, const nb::list& operands) {
         EmitStep step;
         if (op) step.opcode = to_op(*self.registry, *op);
         step.slot = optional_slot(self.rule, op_name);
         if (op.has_value() == op_name.has_value()) throw UsageError("emit: one operation is needed");
         step.operands = to_operands(self.rule, operands);
         std::uint32_t first = self.rule.new_values;
         for (const nb::handle def : defs) {
           EmitDef& own = step.defs.emplace_back();
           if (nb::isinstance<nb::str>(def)) {
             own.replaces = self.rule.slot(nb::cast<std::string>(def));
           } else {
             own.type = to_type_source(self, self.rule, def);
             own.number = self.rule.new_values++;
           }
         }
         self.rule.emits.push_back(std::move(step));
         return first;
       },
       nb::arg("op").none(), nb::arg("op_name").none(), nb::arg("defs"), nb::arg("operands"),
       nb::sig("def emit(self, op: str | None, op_name: str | None, defs: list[typing.Any], operands: "
               "list[typing.Any]) -> int"),
       "Makes an instruction; returns the number of its first new value.")
      .def(
          "replace_uses",
          [](PyRule& self, const std::string& name, nb::object operand) {
            EmitStep step;
            step.kind = EmitKind::kReplaceUses;
            step.slot = self.rule.slot(name);
            step.operands = {to_operand(self.rule, operand)};
            self.rule.emits.push_back(std::move(step));
          },
          nb::arg("name"), nb::arg("operand"),
          nb::sig("def replace_uses(self, name: str, operand: typing.Any) -> None"), "REPLACE_USES.")
      .def(
          "replace_all",
          [](PyRule& self, const std::string& name, const nb::list& operands) {
            EmitStep step;
            step.kind = EmitKind::kReplaceAll;
            step.slot = self.rule.slot(name);
            step.operands = to_operands(self.rule, operands);
            self.rule.emits.push_back(std::move(step));
          },
          nb::arg("name"), nb::arg("operands"),
          nb::sig("def replace_all(self, name: str, operands: list[typing.Any]) -> None"), "REPLACE_ALL.")
      .def(
          "delete",
          [](PyRule& self, const std::string& name) {
            EmitStep step;
            step.kind = EmitKind::kDelete;
            step.slot = self.rule.slot(name);
            self.rule.emits.push_back(std::move(step));
          },
          nb::arg("name"), "DELETE.")
      .def(
          "act",
          [](PyRule& self, nb::object function) { self.rule.action = self.add(std::move(function), {}); },
          nb::arg("function"),
          nb::sig("def act(self, function: collections.abc.Callable[..., object]) -> None"),
          "Called as `function(builder, match)` after the rest.");
}

}  // namespace

void bind_rewrite_rules(nb::module_& m) {
  nb::class_<PyRule> rule(
      m, "NativeRule", nb::is_final(),
      "A rule under construction, for the operations of one context. Parts are numbers that "
      "calls return.");
  rule.def(
      "__init__",
      [](PyRule* self, const std::shared_ptr<ir::Registry>& context, const std::string& name) {
        new (self) PyRule{context, {}, {}};
        self->rule.name = name;
      },
      nb::arg("context"), nb::arg("name"));
  bind_patterns(rule);
  bind_conditions(rule);
  bind_emits(rule);
}

}  // namespace dynomite::rewrite
