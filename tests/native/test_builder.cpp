#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dynomite/native/base/access.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/ir/builder.hpp"
#include "dynomite/native/ir/bulk_build.hpp"
#include "dynomite/native/ir/text_printer.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_ir.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::AccessState;
using dynomite::CallingWriteLease;
using dynomite::Random;
using dynomite::ReadLease;
using dynomite::StaleRefError;
using dynomite::UsageError;
using dynomite::WriteLease;
using dynomite::test::IrMaker;

namespace {

std::string text_of(const Module& module) {
  dynomite::Stop stop;
  return print_text(module, {}, stop);
}

/// A builder at the end of the body of a maker's module.
struct Merging {
  explicit Merging(IrMaker& of) : maker(of), builder(of.module(), Tracking::kLazyTracking) {
    builder.set_place(of.module().body());
    builder.set_merging(true);
  }
  InstrId build(Opcode opcode, const std::vector<ValueId>& uses, LocationId location = {}) {
    std::vector<OperandSpec> operands = {OperandSpec::def(maker.type)};
    for (const ValueId value : uses) operands.push_back(OperandSpec::use(IrMaker::ref(value)));
    return builder.build(opcode, operands, location);
  }
  ValueId value(InstrId instr) { return ValueId(maker.module().instrs().operand(instr, 0).ref.id); }

  IrMaker& maker;
  Builder builder;
};

}  // namespace

TEST(equal_pure_instructions_are_built_once) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, std::vector<ValueId>{}), b = maker.value(d.in, std::vector<ValueId>{});
  Merging m(maker);
  const InstrId sum = m.build(d.add, {a, b});
  CHECK(m.build(d.add, {a, b}) == sum);
  CHECK(m.build(d.add, {b, a}) == sum);
  CHECK(m.build(d.add, {a, a}) != sum);
  const InstrId difference = m.build(d.sub, {a, b});
  CHECK(m.build(d.sub, {a, b}) == difference && m.build(d.sub, {b, a}) != difference);
  CHECK(m.build(d.in, {}) != m.build(d.in, {}));
  CHECK_EQ(m.builder.merged_count(), 3U);
  // Another type is another value.
  const OperandSpec untyped[] = {OperandSpec::def({}), OperandSpec::use(IrMaker::ref(a)),
                                 OperandSpec::use(IrMaker::ref(b))};
  CHECK(m.builder.build(d.add, untyped) != sum);
}

TEST(what_changed_or_died_is_not_found_again) {
  for (const StoreKind kind : {StoreKind::kArena, StoreKind::kPool, StoreKind::kChecked}) {
    IrMaker maker(kind);
    const auto& d = maker.dialect;
    const ValueId a = maker.value(d.in, std::vector<ValueId>{});
    const ValueId b = maker.value(d.in, std::vector<ValueId>{});
    Merging m(maker);
    const InstrId sum = m.build(d.add, {a, b});
    m.builder.set_operand(sum, 1, IrMaker::ref(b));
    const InstrId again = m.build(d.add, {a, b});
    CHECK(again != sum);
    m.builder.erase(again);
    const InstrId third = m.build(d.add, {a, b});
    CHECK(maker.module().instrs().is_live(third));
    CHECK(maker.module().instrs().operand(third, 1).ref == IrMaker::ref(a));
  }
}

TEST(an_instruction_is_found_only_where_it_is_visible) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, std::vector<ValueId>{});
  Merging m(maker);
  const InstrId outer = m.build(d.add, {a, a});
  const InstrId scope = maker.open(d.scope);
  const BlockId inner = maker.block;
  maker.close();
  m.builder.set_place(inner);
  CHECK(m.build(d.add, {a, a}) == outer);
  const InstrId hidden = m.build(d.sub, {a, a});
  // Not behind the region, nor in front of itself.
  m.builder.set_place(maker.module().body());
  const InstrId own = m.build(d.sub, {a, a});
  CHECK(own != hidden);
  m.builder.set_place(maker.module().body(), scope);
  CHECK(m.build(d.sub, {a, a}) != own);
  m.builder.set_place(maker.module().body(), outer);
  CHECK(m.build(d.add, {a, a}) != outer);
  maker.block = maker.module().body();
  maker.open(d.isolated);
  m.builder.set_place(maker.block);
  CHECK(m.build(d.add, {a, a}) != outer);
}

TEST(merged_instructions_unite_their_origins) {
  IrMaker maker;
  Locations& locations = maker.module().locations();
  const AttrId file = maker.module().attributes().string("f");
  const LocationId one = locations.single({file, 1, 1}), two = locations.single({file, 2, 1});
  const ValueId a = maker.value(maker.dialect.in, std::vector<ValueId>{});
  Merging m(maker);
  const InstrId sum = m.build(maker.dialect.add, {a, a}, one);
  CHECK(m.build(maker.dialect.add, {a, a}, two) == sum);
  CHECK(locations.of(sum) == locations.unite(one, two));
  CHECK(m.build(maker.dialect.add, {a, a}) == sum);
  CHECK(locations.of(sum) == locations.unite(one, two));
}

TEST(replacing_keeps_place_names_uses_and_origins) {
  IrMaker maker;
  const auto& d = maker.dialect;
  Module& module = maker.module();
  const AttrId file = module.attributes().string("f"), name = module.attributes().string("sum");
  const LocationId one = module.locations().single({file, 1, 1}),
                   two = module.locations().single({file, 2, 1});
  const ValueId a = maker.value(d.in, std::vector<ValueId>{});
  maker.location = one;
  const ValueId sum = maker.value(d.add, std::vector{a, a});
  maker.location = {};
  const InstrId old = maker.defining(sum);
  const InstrId user = maker.use(d.use, {IrMaker::ref(sum), IrMaker::ref(sum)});
  maker.mutator.set_value_name(sum, name);
  Builder builder(module, Tracking::kLazyTracking);
  builder.set_place(module.body());
  const std::string before = text_of(module);
  const OperandSpec none[] = {OperandSpec::use(IrMaker::ref(a))};
  CHECK_THROWS(builder.replace(old, d.use, none), UsageError);
  const OperandSpec itself[] = {OperandSpec::def(maker.type), OperandSpec::use(IrMaker::ref(sum)),
                                OperandSpec::use(IrMaker::ref(a))};
  CHECK_THROWS(builder.replace(old, d.sub, itself), UsageError);
  CHECK_EQ(text_of(module), before);
  const OperandSpec good[] = {OperandSpec::def(maker.type), OperandSpec::use(IrMaker::ref(a)),
                              OperandSpec::use(IrMaker::ref(a))};
  const InstrId made = builder.replace(old, d.sub, good, two);
  const ValueId difference(module.instrs().operand(made, 0).ref.id);
  CHECK(!module.instrs().is_live(old));
  CHECK(module.cfg().next(module.body(), made) == user);
  CHECK(module.instrs().operand(user, 1).ref == IrMaker::ref(difference));
  CHECK_EQ(module.instrs().use_count(difference), 2U);
  CHECK(module.value_name(difference) == name);
  CHECK(module.locations().of(made) == module.locations().unite(one, two));
  builder.rollback();
  CHECK_EQ(text_of(module), before);
}

TEST(updating_changes_in_place_where_it_can) {
  IrMaker maker;
  const auto& d = maker.dialect;
  Module& module = maker.module();
  const ValueId a = maker.value(d.in, std::vector<ValueId>{}), b = maker.value(d.in, std::vector<ValueId>{});
  const InstrId sum = maker.defining(maker.value(d.add, std::vector{a, a}));
  Builder builder(module, Tracking::kLazyTracking);
  builder.set_place(module.body());
  const OperandSpec same_form[] = {OperandSpec::def({}), OperandSpec::use(IrMaker::ref(b)),
                                   OperandSpec::use(maker.constant(8, 3))};
  CHECK(builder.update(sum, d.sub, same_form) == sum);
  CHECK(module.instrs().opcode(sum) == d.sub);
  CHECK(!module.instrs().type(ValueId(module.instrs().operand(sum, 0).ref.id)));
  CHECK(module.instrs().operand(sum, 2).ref == maker.constant(8, 3));
  CHECK(!module.instrs().has_uses(a));
  const OperandSpec longer[] = {OperandSpec::def(maker.type), OperandSpec::use(IrMaker::ref(a))};
  const InstrId other = builder.update(sum, d.any, longer);
  CHECK(other != sum && !module.instrs().is_live(sum));
}

TEST(rows_are_built_as_one_by_one) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    IrMaker bulk, single;
    Random random(seed);
    for (int i = 0; i < 3; ++i) {
      bulk.value(bulk.dialect.in, std::vector<ValueId>{});
      single.value(single.dialect.in, std::vector<ValueId>{});
    }
    std::vector<std::uint16_t> opcodes;
    std::vector<std::uint32_t> types, operands;
    std::vector<std::uint64_t> starts = {0};
    for (std::uint32_t row = 0; row < 100; ++row) {
      opcodes.push_back(bulk.dialect.any.raw());
      types.push_back(random.below(3) == 0 ? TypeId::kNone : bulk.type.index());
      std::vector<OperandSpec> specs = {OperandSpec::def(TypeId(types.back()))};
      for (std::uint32_t k = random.below(4); k > 0; --k) {
        operands.push_back(random.below(row + 3));
        specs.push_back(OperandSpec::use({kind::kValue, operands.back()}));
      }
      starts.push_back(operands.size());
      single.emit(single.dialect.any, specs);
    }
    Builder builder(bulk.module());
    builder.set_place(bulk.module().body());
    const auto values = build_rows(builder, {opcodes, types, starts, operands, 3});
    for (std::uint32_t i = 0; i < values.size(); ++i) CHECK_EQ(values[i], i + 3);
    CHECK_EQ(text_of(bulk.module()), text_of(single.module()));
  }
}

TEST(bad_rows_build_nothing) {
  IrMaker maker;
  maker.value(maker.dialect.in, std::vector<ValueId>{});
  Builder builder(maker.module());
  builder.set_place(maker.module().body());
  const std::uint16_t any = maker.dialect.any.raw();
  const std::vector<std::uint16_t> opcodes = {any, any}, unknown = {any, 0xEEEE};
  const std::vector<std::uint32_t> types(2, TypeId::kNone), bad_types = {TypeId::kNone, 77};
  const std::vector<std::uint64_t> starts = {0, 1, 2};
  const std::vector<std::uint32_t> uses = {0, 1};
  const auto refuse = [&](const BulkRows& rows) {
    CHECK_THROWS(build_rows(builder, rows), UsageError);
    CHECK_EQ(maker.module().instrs().live_count(), 1U);
  };
  refuse({unknown, types, starts, uses, 1});
  refuse({opcodes, bad_types, starts, uses, 1});
  refuse({opcodes, types, std::vector<std::uint64_t>{0, 1}, uses, 1});
  refuse({opcodes, types, std::vector<std::uint64_t>{0, 2, 1}, uses, 1});
  refuse({opcodes, types, std::vector<std::uint64_t>{0, 3, 2}, uses, 1});
  refuse({opcodes, types, starts, std::vector<std::uint32_t>{1, 0}, 1});  // itself
  refuse({opcodes, types, starts, std::vector<std::uint32_t>{0, 2}, 1});  // a later row
  refuse({opcodes, types, starts, std::vector<std::uint32_t>{0, 1}, 5});  // a value that is not there
  CHECK_EQ(build_rows(builder, {opcodes, types, starts, uses, 1}).size(), 2U);
}

TEST(recorded_updates_are_done_later) {
  IrMaker maker;
  const auto& d = maker.dialect;
  Module& module = maker.module();
  const ValueId a = maker.value(d.in, std::vector<ValueId>{}), b = maker.value(d.in, std::vector<ValueId>{});
  const InstrId user = maker.use(d.use, {IrMaker::ref(a)});
  const std::string before = text_of(module);
  Builder builder(module, Tracking::kLazyUpdate);
  builder.set_place(module.body());
  builder.set_operand(user, 0, IrMaker::ref(b));
  const OperandSpec uses[] = {OperandSpec::use(IrMaker::ref(b))};
  const InstrId made = builder.build(d.use, uses);
  builder.erase(maker.defining(a));
  CHECK(module.instrs().is_live(made) && !module.cfg().block_of(made));
  CHECK(module.instrs().operand(user, 0).ref == IrMaker::ref(a));
  CHECK_THROWS(builder.set_tracking(Tracking::kNone), UsageError);
  builder.execute();
  CHECK(module.instrs().operand(user, 0).ref == IrMaker::ref(b));
  CHECK(module.cfg().last(module.body()) == made);
  CHECK(!module.instrs().is_live(a));
  CHECK_EQ(builder.executed(), builder.mark());
  builder.rollback();
  CHECK_EQ(text_of(module), before);
  // What cannot be done stops the execution; the rest waits.
  builder.erase(maker.defining(a));
  builder.set_opcode(user, d.any);
  CHECK_THROWS(builder.execute(), UsageError);
  CHECK(builder.executed() < builder.mark());
  builder.rollback();
  CHECK_EQ(text_of(module), before);
}

TEST(a_log_is_not_taken_back_over_the_changes_of_others) {
  IrMaker maker;
  Builder one(maker.module(), Tracking::kLazyTracking), two(maker.module(), Tracking::kLazyTracking);
  one.set_place(maker.module().body());
  two.set_place(maker.module().body());
  one.build(maker.dialect.use, {});
  two.build(maker.dialect.use, {});
  CHECK_THROWS(one.rollback(), UsageError);
  two.rollback();
  one.rollback();
  CHECK_EQ(maker.module().instrs().live_count(), 0U);
}

TEST(listeners_hear_everything_and_its_taking_back) {
  IrMaker maker;
  Builder builder(maker.module(), Tracking::kEager);
  builder.set_place(maker.module().body());
  std::vector<std::pair<UpdateKind, bool>> heard;
  builder.set_listener(
      [&](const Update& update, bool reverted) { heard.emplace_back(update.kind, reverted); });
  builder.build(maker.dialect.use, {});
  builder.rollback();
  const std::vector<std::pair<UpdateKind, bool>> wanted = {{UpdateKind::kInstrCreate, false},
                                                           {UpdateKind::kInstrInsert, false},
                                                           {UpdateKind::kInstrInsert, true},
                                                           {UpdateKind::kInstrCreate, true}};
  CHECK(heard == wanted);
}

TEST(leases_exclude_what_they_have_to) {
  AccessState access("thing");
  CHECK(!AccessState::held_by_this_thread());
  {
    const ReadLease one(access), two(access);
    CHECK(access.can_read() && !access.can_write() && AccessState::held_by_this_thread());
    CHECK_THROWS(WriteLease(access), UsageError);
    CHECK_THROWS(CallingWriteLease(access), UsageError);
  }
  CHECK(access.can_write() && !AccessState::held_by_this_thread());
  {
    const WriteLease writer(access);
    CHECK(!access.can_read() && !access.can_write());
    CHECK_THROWS(ReadLease(access), UsageError);
    CHECK_THROWS(WriteLease(access), UsageError);
  }
  {
    const CallingWriteLease caller(access);
    CHECK(access.can_read() && !access.can_write());
    CHECK_THROWS(WriteLease(access), UsageError);
    // What the pass calls may read, another thread not.
    {
      const ReadLease inner(access);
    }
    CHECK(!access.can_write());
    bool refused = false;
    std::thread([&] {
      try {
        const ReadLease other(access);
      } catch (const UsageError&) {
        refused = true;
      }
    }).join();
    CHECK(refused);
  }
  CHECK(access.can_write());
}
