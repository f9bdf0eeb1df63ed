// Rewrite rules: exact integers, expressions, the matcher in both its forms, drivers.

#include <algorithm>
#include <string>
#include <vector>

#include "dynomite/native/base/random.hpp"
#include "dynomite/native/rewrite/driver.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_ir.hpp"

using namespace dynomite;
using namespace dynomite::rewrite;
using dynomite::test::IrMaker;

namespace {

/// Makes rules as text would.
struct RuleMaker {
  Rule rule;

  std::uint32_t any() { return rule.add(PatternNode()); }
  std::uint32_t parts(PatternKind kind, std::vector<std::uint32_t> children) {
    PatternNode node;
    node.kind = kind;
    node.children = std::move(children);
    return rule.add(std::move(node));
  }
  std::uint32_t named(const std::string& name, std::uint32_t part) {
    PatternNode node;
    node.kind = PatternKind::kNamed;
    node.slot = rule.slot(name);
    node.children = {part};
    return rule.add(std::move(node));
  }
  std::uint32_t same(const std::string& name) {
    PatternNode node;
    node.kind = PatternKind::kSame;
    node.slot = rule.slot(name);
    return rule.add(std::move(node));
  }
  std::uint32_t constant(std::int64_t value) {
    PatternNode node;
    node.kind = PatternKind::kConst;
    node.params.resize(2);
    node.params[0].kind = Param::Kind::kLiteral;
    node.params[0].literal = Integer(value);
    return rule.add(std::move(node));
  }
  std::uint32_t instr(std::vector<ir::Opcode> ops, std::uint32_t operands) {
    PatternNode node;
    node.kind = PatternKind::kInstr;
    for (const ir::Opcode op : ops) node.opcodes.push_back(op.raw());
    node.children = {operands};
    return rule.add(std::move(node));
  }
  std::uint32_t repeat(std::uint32_t part, bool at_least_one) {
    PatternNode node;
    node.kind = PatternKind::kRepeat;
    node.children = {part};
    node.at_least_one = at_least_one;
    return rule.add(std::move(node));
  }
  std::uint32_t definition(const std::string& name) { return named(name, parts(PatternKind::kDef, {any()})); }
  void replace(const std::string& name, const std::string& by) {
    EmitStep step;
    step.kind = EmitKind::kReplaceUses;
    step.slot = rule.slot(name);
    step.operands.resize(1);
    step.operands[0].slot = rule.slot(by);
    rule.emits.push_back(std::move(step));
  }
};

/// `x + 0 = x`.
Rule add_zero(const test::TestDialect& dialect) {
  RuleMaker make;
  make.rule.name = "add_zero";
  const std::uint32_t front =
      make.parts(PatternKind::kSequence, {make.definition("d"), make.named("x", make.any())});
  const std::uint32_t row = make.parts(PatternKind::kUnordered, {front, make.constant(0)});
  make.rule.root = make.instr({dialect.add}, row);
  make.replace("d", "x");
  return make.rule;
}

struct NoCallbacks : Callbacks {
  bool condition(std::uint32_t, const CompiledRule&, const InstrMatcher&) override { return true; }
  void act(std::uint32_t, const CompiledRule&, const InstrMatcher&) override {}
};

Integer random_integer(Random& random, int most_words) {
  std::vector<std::uint64_t> words;
  for (int i = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(most_words))); i > 0; --i) {
    const std::uint64_t bits = std::uint64_t{random.below(0xFFFFFFFFU)} << 32 | random.below(0xFFFFFFFFU);
    const std::uint32_t shape = random.below(4);
    words.push_back(shape == 0   ? 0
                    : shape == 1 ? ~std::uint64_t{0}
                    : shape == 2 ? bits >> random.below(63)
                                 : bits);
  }
  return Integer::from_words(std::move(words));
}

}  // namespace

TEST(integers_divide_exactly) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const Integer a = random_integer(random, 6);
    const Integer b = random_integer(random, 3);
    CHECK(a - b + b == a);
    CHECK((a ^ b) == ((a | b) - (a & b)));
    CHECK(a.shifted_left(i % 200).shifted_right(i % 200) == a);
    if (b.is_zero()) continue;
    Integer quotient, remainder;
    a.divide(b, quotient, remainder);
    CHECK(quotient * b + remainder == a);
    CHECK(remainder.is_zero() || remainder.is_negative() == b.is_negative());
    CHECK(b.is_negative() ? remainder > b : remainder < b);
  }
}

TEST(small_and_exact_expressions_agree) {
  struct NoNames : NumberSource {
    std::optional<Integer> number(ExpressionKind, std::uint32_t) const override { return std::nullopt; }
    bool small_number(ExpressionKind, std::uint32_t, std::int64_t&) const override { return false; }
  };
  const NoNames names;
  Random random(2);
  Evaluator evaluator;
  int compared = 0;
  for (int i = 0; i < 50000; ++i) {
    std::vector<ExpressionOp> ops;
    for (int k = 0; k < 2; ++k) {
      ExpressionOp literal;
      const auto bits =
          static_cast<std::int64_t>(std::uint64_t{random.below(0xFFFFFFFFU)} << random.below(31));
      literal.literal =
          Integer(random.below(2) == 0 ? bits - 100 : static_cast<std::int64_t>(random.below(70)) - 5);
      ops.push_back(literal);
    }
    ExpressionOp op;
    op.kind =
        static_cast<ExpressionKind>(static_cast<std::uint32_t>(ExpressionKind::kAdd) + random.below(16));
    op.args = 2;
    ops.push_back(op);
    if (argument_count(op) == 1) ops.erase(ops.begin());
    check_expression(ops);
    std::int64_t small = 0;
    const bool is_small = evaluator.small(ops, names, small);
    const auto exact = evaluator.exact(ops, names);
    if (!is_small) continue;
    CHECK(exact.has_value());
    CHECK(*exact == Integer(small));
    ++compared;
  }
  CHECK(compared > 20000);
}

TEST(forms_and_backtracking_find_the_same) {
  Random random(3);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    IrMaker maker;
    test::fill_randomly(maker, static_cast<std::uint64_t>(round), 40);
    const test::TestDialect& d = maker.dialect;
    RuleMaker make;
    make.rule.name = "r";
    const auto leaf = [&]() -> std::uint32_t {
      switch (random.below(4)) {
        case 0: return make.constant(random.below(3));
        case 1:
          return make.instr({random.below(2) == 0 ? d.add : d.sub},
                            make.parts(PatternKind::kUnordered, {make.any(), make.constant(1)}));
        case 2: return make.parts(PatternKind::kUse, {make.any()});
        default: return make.any();
      }
    };
    const std::uint32_t x = make.named("x", leaf());
    const std::uint32_t second = random.below(3) == 0 ? make.same("x") : make.named("y", leaf());
    const std::uint32_t either =
        make.parts(random.below(2) == 0 ? PatternKind::kUnordered : PatternKind::kSequence, {x, second});
    const std::uint32_t row = make.parts(PatternKind::kSequence, {make.definition("d"), either});
    make.rule.root = make.instr({d.add, d.sub}, row);
    const RuleSet rules({make.rule});
    const InstrMatchStore store(maker.module());
    InstrMatcher line(store), search(store);
    std::vector<KnownInstr> known;
    const CompiledRule& rule = rules.rules()[0];
    for (std::uint32_t node = 0; node < maker.module().instrs().instr_bound(); ++node) {
      if (!maker.module().instrs().is_live(ir::InstrId(node))) continue;
      const std::uint16_t opcode = store.opcode(node);
      bool more = (opcode == d.add.raw() || opcode == d.sub.raw()) && search.first(rule, node);
      const Shape shape = store.shape(node);
      for (const Candidate& candidate : rules.tree().candidates(store, node, shape, known)) {
        CHECK(candidate.variant != kNoSlot);
        if (!line.match_line(rule, rules.tree().variant(candidate.variant), node, shape)) continue;
        CHECK(more);
        for (std::uint32_t slot = 0; slot < rule.rule.slots.size(); ++slot) {
          CHECK(line.slot(slot).kind == search.slot(slot).kind);
          CHECK(line.slot(slot).ref() == search.slot(slot).ref());
        }
        more = search.next();
        ++found;
      }
      CHECK(!more);
    }
  }
  CHECK(found > 300);
}

TEST(greedy_on_a_chain) {
  for (const ir::Tracking tracking : {ir::Tracking::kNone, ir::Tracking::kLazyTracking}) {
    IrMaker maker(ir::StoreKind::kArena, ir::Tracking::kNone);
    const ir::ValueId start = maker.value(maker.dialect.in, std::vector<ir::ValueId>{});
    ir::ValueId value = start;
    for (int i = 0; i < 1000; ++i)
      value = maker.value(maker.dialect.add, {IrMaker::ref(value), maker.constant(32, 0)});
    const ir::InstrId use = maker.use(maker.dialect.use, {IrMaker::ref(value)});
    const RuleSet rules({add_zero(maker.dialect)});
    ir::Builder builder(maker.module(), tracking);
    NoCallbacks callbacks;
    Stop stop;
    const RewriteReport report = apply_rules(builder, rules, {}, callbacks, stop);
    CHECK(report.applied == 1000);
    CHECK(report.end == RewriteEnd::kFixedPoint);
    CHECK(maker.module().instrs().live_count() == 2);
    CHECK(maker.module().instrs().operand(use, 0).ref == IrMaker::ref(start));
    if (tracking == ir::Tracking::kNone) continue;
    builder.rollback();
    CHECK(maker.module().instrs().live_count() == 1002);
    CHECK(maker.module().instrs().operand(use, 0).ref == IrMaker::ref(value));
  }
}

TEST(pool_stores_are_rewritten_too) {
  IrMaker maker(ir::StoreKind::kPool, ir::Tracking::kNone);
  ir::ValueId value = maker.value(maker.dialect.in, std::vector<ir::ValueId>{});
  for (int i = 0; i < 100; ++i) {
    value = maker.value(maker.dialect.add, {IrMaker::ref(value), maker.constant(32, 0)});
    value = maker.value(maker.dialect.sub, {IrMaker::ref(value), IrMaker::ref(value)});
  }
  maker.use(maker.dialect.use, {IrMaker::ref(value)});
  const RuleSet rules({add_zero(maker.dialect)});
  ir::Builder builder(maker.module(), ir::Tracking::kNone);
  NoCallbacks callbacks;
  Stop stop;
  CHECK(apply_rules(builder, rules, {}, callbacks, stop).applied == 100);
}

TEST(long_lists_and_deep_patterns) {
  IrMaker maker;
  std::vector<ir::FatDynObjRef> uses(70000, maker.constant(8, 0));
  uses.push_back(maker.constant(8, 1));
  const ir::InstrId many = maker.defining(maker.value(maker.dialect.any, uses));
  RuleMaker make;
  make.rule.name = "r";
  const std::uint32_t zeros = make.named("zeros", make.repeat(make.constant(0), true));
  const std::uint32_t others = make.named("others", make.repeat(make.any(), true));
  const std::uint32_t dealt = make.parts(PatternKind::kUnordered, {zeros, others});
  make.rule.root =
      make.instr({maker.dialect.any}, make.parts(PatternKind::kSequence, {make.definition("d"), dealt}));
  const RuleSet rules({make.rule});
  const InstrMatchStore store(maker.module());
  InstrMatcher matcher(store);
  CHECK(matcher.first(rules.rules()[0], many.index()));
  const auto bound = [&](const char* name) { return matcher.count(matcher.slot(make.rule.slot(name))); };
  CHECK(bound("zeros") == 70000);
  CHECK(bound("others") == 1);
  std::uint32_t node = make.any();
  bool refused = false;
  try {
    for (int i = 0; i < 1000; ++i) node = make.parts(PatternKind::kUse, {node});
  } catch (const LimitError&) {
    refused = true;
  }
  CHECK(refused);
}
