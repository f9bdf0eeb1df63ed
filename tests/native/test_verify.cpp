#include <string>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/tokens.hpp"
#include "dynomite/native/passes/verify.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_ir.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::test::fill_randomly;
using dynomite::test::IrMaker;

namespace {

using Values = std::vector<ValueId>;

std::vector<Violation> violations(const IrMaker& maker) {
  std::vector<Violation> found;
  dynomite::Stop stop;
  const VerifyStats stats = find_violations(const_cast<IrMaker&>(maker).module(), {}, stop, found);
  CHECK_EQ(stats.violations, found.size());
  return found;
}

/// Exactly one violation, with this text in it.
void check_one(const IrMaker& maker, const std::string& text, InstrId instr) {
  const auto found = violations(maker);
  CHECK_EQ(found.size(), 1U);
  for (const auto& violation : found) {
    if (violation.message.find(text) == std::string::npos) CHECK_EQ(violation.message, text);
    CHECK(violation.instr == instr);
  }
}

}  // namespace

TEST(random_modules_are_valid) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    IrMaker maker;
    fill_randomly(maker, seed, 150);
    std::string all;
    for (const auto& violation : violations(maker)) {
      if (violation.message.find("several blocks") == std::string::npos) all.append(violation.message);
    }
    CHECK_EQ(all, std::string());
  }
}

TEST(all_errors_are_collected_with_their_places) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const auto at = [&](std::uint32_t line) {
    maker.location =
        maker.module().locations().single({maker.module().attributes().string("x.dyn"), line, 3});
  };
  at(1);
  const ValueId a = maker.value(d.in, Values{});
  at(2);
  const InstrId early = maker.use(d.use, {IrMaker::ref(a)});
  at(3);
  const ValueId late = maker.value(d.in, Values{});
  maker.mutator.set_operand(early, 0, IrMaker::ref(late));
  at(4);
  maker.use(d.use, {maker.symbol({"nowhere", "f"})});
  dynomite::Stop stop;
  std::string message;
  try {
    verify(maker.module(), {}, stop);
  } catch (const dynomite::VerifyError& error) {
    message = error.what();
  }
  CHECK_EQ(message,
           std::string("x.dyn:2:3: error: t.USE: %1 is used where its definition is not seen: it must come "
                       "before, in a block that dominates\n"
                       "  x.dyn:3:3: note: defined here\n"
                       "x.dyn:4:3: error: t.USE: unknown symbol @nowhere"));
}

TEST(many_errors_are_counted_but_not_kept) {
  IrMaker maker;
  for (int i = 0; i < 10; ++i) maker.use(maker.dialect.use, {maker.symbol({"x"})});
  dynomite::Stop stop;
  std::vector<Violation> found;
  const VerifyStats stats = find_violations(maker.module(), {.limit = 3}, stop, found);
  CHECK_EQ(found.size(), 3U);
  CHECK_EQ(stats.violations, 10U);
  CHECK(render(maker.module(), found, stats.violations).ends_with("7 more errors"));
}

TEST(numbers_of_operands_are_checked) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, Values{});
  const ValueId sum = maker.value(d.add, Values{a});
  check_one(maker, "has 1 operand, declared with 2", maker.defining(sum));
}

TEST(numbers_of_definitions_are_checked) {
  IrMaker maker;
  const InstrId in = maker.emit(maker.dialect.in, {});
  check_one(maker, "defines 0 values, declared with 1", in);
}

TEST(a_dictionary_is_no_declared_operand) {
  IrMaker maker;
  const ValueId a = maker.value(maker.dialect.in, Values{});
  maker.value(maker.dialect.add,
              {IrMaker::ref(a), IrMaker::ref(a), maker.dict({{"k", maker.constant(1, 1)}})});
  CHECK(violations(maker).empty());
}

TEST(types_must_agree_where_the_operation_says_so) {
  IrMaker maker;
  const ValueId a = maker.value(maker.dialect.in, Values{});
  maker.type = maker.module().attributes().type(maker.dialect.word, std::vector{maker.constant(32, 16)});
  const ValueId b = maker.value(maker.dialect.in, Values{});
  const ValueId sum = maker.value(maker.dialect.same, Values{a, b});
  check_one(maker, "%0 has another type than %2", maker.defining(sum));
}

TEST(unknown_operations_are_reported) {
  IrMaker maker;
  const InstrId made = maker.emit(Opcode(77, 3), {});
  check_one(maker, "operation 77.3: unknown operation", made);
}

TEST(isolation_is_checked) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, Values{});
  maker.open(d.isolated);
  maker.open(d.scope);
  const InstrId use = maker.use(d.use, {IrMaker::ref(a)});
  maker.close();
  const ValueId inside = maker.value(d.in, Values{});
  maker.open(d.scope);
  maker.use(d.use, {IrMaker::ref(inside)});
  maker.close();
  maker.close();
  check_one(maker, "%0 comes from outside of an isolated operation", use);
}

TEST(cycles_are_allowed_in_graph_regions_only) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, Values{});
  maker.open(d.graph);
  const ValueId x = maker.value(d.add, Values{a, a});
  maker.mutator.set_operand(maker.defining(x), 1, IrMaker::ref(x));
  maker.close();
  CHECK(violations(maker).empty());
  const ValueId y = maker.value(d.add, Values{a, a});
  maker.mutator.set_operand(maker.defining(y), 1, IrMaker::ref(y));
  check_one(maker, "is used by the operation that defines it", maker.defining(y));
}

TEST(cycles_outside_of_blocks_are_reported) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, Values{});
  const ValueId p = maker.value(d.add, Values{a, a});
  const ValueId q = maker.value(d.add, Values{p, a});
  for (const ValueId value : {p, q}) maker.mutator.remove(maker.module().body(), maker.defining(value));
  CHECK(violations(maker).empty());
  maker.mutator.set_operand(maker.defining(p), 1, IrMaker::ref(q));
  CHECK_EQ(violations(maker).size(), 1U);
}

TEST(terminators_end_blocks_and_stay_in_their_region) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const InstrId early = maker.use(d.branch, {});
  maker.use(d.use, {});
  check_one(maker, "a terminator must be the last operation", early);
  maker.mutator.erase(early);
  maker.open(d.scope);
  const BlockId inner = maker.block;
  maker.close();
  const InstrId jump = maker.use(d.branch, {FatDynObjRef(kind::kBlock, inner.index())});
  check_one(maker, "goes to a block of another region", jump);
}

TEST(several_blocks_need_terminators) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const InstrId scope = maker.open(d.scope);
  const RegionId region = maker.module().cfg().region(maker.block);
  const InstrId last = maker.use(d.use, {});
  maker.mutator.create_block(region);
  maker.close();
  const auto found = violations(maker);
  CHECK_EQ(found.size(), 2U);
  CHECK(found[0].instr == last);
  CHECK(found[1].instr == scope);
}

TEST(symbols_are_checked) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const auto named = [&](const std::string& name, const std::string& visibility = "") {
    std::vector<std::pair<std::string, FatDynObjRef>> entries = {{"sym_name", maker.string(name)}};
    if (!visibility.empty()) entries.emplace_back("sym_visibility", maker.string(visibility));
    return maker.dict(entries);
  };
  const InstrId f = maker.use(d.func, {named("f")});
  const InstrId again = maker.use(d.func, {named("f")});
  check_one(maker, "the symbol @f is defined twice", again);
  CHECK(violations(maker).front().notes.front().instr == f);
  maker.mutator.erase(again);
  const InstrId nameless = maker.use(d.func, {});
  check_one(maker, "a symbol needs the string attribute sym_name", nameless);
  maker.mutator.erase(nameless);
  const InstrId odd = maker.use(d.func, {named("odd", "secret")});
  check_one(maker, "the visibility of @odd must be", odd);
  maker.mutator.erase(odd);
  const InstrId defines = maker.emit(d.func, {OperandSpec::def(maker.type), OperandSpec::use(named("v"))});
  check_one(maker, "the symbol @v must not define values", defines);
  maker.mutator.erase(defines);
  maker.open(d.scope);
  const InstrId lost = maker.use(d.func, {named("lost")});
  maker.close();
  check_one(maker, "stands in a region that is no symbol table", lost);
  maker.mutator.erase(lost);
  const InstrId empty_table = maker.use(d.table, {named("t")});
  check_one(maker, "a symbol table needs a region", empty_table);
}

TEST(references_are_checked) {
  IrMaker maker;
  const auto& d = maker.dialect;
  maker.open(d.table, {maker.dict({{"sym_name", maker.string("lib")}})});
  maker.use(
      d.func,
      {maker.dict({{"sym_name", maker.string("secret")}, {"sym_visibility", maker.string("private")}})});
  maker.use(d.use, {maker.symbol({"secret"})});
  maker.close();
  CHECK(violations(maker).empty());
  const InstrId bad = maker.use(d.use, {maker.list({maker.symbol({"lib", "secret"})})});
  check_one(maker, "@lib::@secret is private to its symbol table", bad);
  maker.mutator.erase(bad);
  const InstrId missing = maker.use(d.use, {maker.symbol({"lib", "secrets"})});
  check_one(maker, "unknown symbol @secrets in @lib; did you mean @secret?", missing);
  maker.mutator.erase(missing);
  const InstrId unknown = maker.use(d.use, {maker.symbol({"libb"})});
  check_one(maker, "unknown symbol @libb; did you mean @lib?", unknown);
}

TEST(tokens_are_not_laundered) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const TypeId word = maker.type;
  maker.type = maker.module().attributes().type(kind::kToken, {});
  const ValueId token = maker.value(d.in, Values{});
  const InstrId user = maker.use(d.use, {IrMaker::ref(token)});
  CHECK(is_token(maker.module(), token));
  CHECK(token_origin(maker.module(), user, 0) == maker.defining(token));
  CHECK(violations(maker).empty());
  maker.type = word;
  const ValueId hidden = maker.value(d.select, Values{token});
  check_one(maker, "the token %0 must not pass through", maker.defining(hidden));
  maker.mutator.erase(maker.defining(hidden));
  maker.type = maker.module().attributes().type(kind::kToken, {});
  const ValueId made = maker.value(d.select, Values{});
  const InstrId far = maker.use(d.use, {IrMaker::ref(made)});
  check_one(maker, "makes the token", maker.defining(made));
  CHECK(token_origin(maker.module(), far, 0).is_none());
}

TEST(a_region_is_not_nested_in_itself) {
  IrMaker ring;
  const InstrId holder = ring.open(ring.dialect.scope);
  const BlockId inner = ring.block;
  ring.close();
  ring.mutator.remove(ring.module().body(), holder);
  ring.mutator.insert(inner, {}, holder);
  check_one(ring, "nested in itself", holder);
}

// Builders make none of the following: only native code that changes the stores behind their back could.

TEST(an_operand_that_was_deleted_behind_the_back_of_the_builder_is_reported) {
  IrMaker maker;
  const RegionId region = maker.module().cfg().create_region();
  const InstrId use = maker.use(maker.dialect.use, {{kind::kRegion, region.index()}});
  maker.module().cfg().erase_region(region);
  check_one(maker, "operand 0 refers to something deleted", use);
}

TEST(a_region_with_two_owners_is_reported) {
  IrMaker maker;
  const InstrId first = maker.open(maker.dialect.scope);
  maker.close();
  const RegionId region = maker.module().regions(first).front();
  const std::vector<OperandSpec> operands = {OperandSpec::def_object({kind::kRegion, region.index()})};
  const InstrId second = maker.module().instrs().create(maker.dialect.scope, operands);
  maker.mutator.append(maker.block, second);
  check_one(maker, "a region that belongs to another operation", second);
  CHECK(violations(maker).front().notes.front().instr == first);
}

TEST(a_region_that_holds_its_owner_is_reported) {
  IrMaker maker;
  const InstrId owner = maker.open(maker.dialect.scope);
  const BlockId inside = maker.block;
  maker.close();
  maker.module().cfg().remove(maker.block, owner);
  maker.module().cfg().insert(inside, {}, owner);
  check_one(maker, "its region is nested in itself or belongs to nothing", owner);
}
