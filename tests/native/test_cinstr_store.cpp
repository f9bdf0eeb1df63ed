#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/ir/cinstr_store.hpp"
#include "dynomite/native/ir/value_links.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_ir.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::LimitError;
using dynomite::Random;
using dynomite::StaleRefError;
using dynomite::UsageError;
using dynomite::test::IrMaker;

namespace {

FatDynObjRef of(CInstrId instr) { return {kind::kValue, instr.index()}; }

/// Two inputs and `count` additions of earlier values, in the body.
void additions(IrMaker& maker, std::uint32_t count) {
  std::vector<ValueId> values = {maker.value(maker.dialect.in, std::vector<ValueId>{}),
                                 maker.value(maker.dialect.in, std::vector<ValueId>{})};
  for (std::uint32_t i = 0; i < count; ++i) {
    values.push_back(maker.value(maker.dialect.add, std::vector{values[i], values[i / 2 + 1]}));
  }
}

}  // namespace

TEST(a_compressed_binary_operation_takes_20_bytes_and_24_while_growing) {
  constexpr std::uint32_t kCount = 20000;
  IrMaker maker(StoreKind::kArena, Tracking::kNone);
  additions(maker, kCount);
  CInstrStore whole(maker.module());
  whole.compress_block(maker.module().body());
  CHECK(whole.memory() <= kCount * CInstrStore::bytes_of(2) + 2000);
  CInstrStore growing(maker.module());
  std::vector<CInstrId> made = {growing.create(maker.dialect.in, true, maker.type, {})};
  for (std::uint32_t i = 1; i < kCount; ++i) {
    const FatDynObjRef uses[] = {of(made.back()), of(made[i / 2])};
    made.push_back(growing.create(maker.dialect.add, true, maker.type, uses));
    // Small stores have a table or two more than instructions.
    if (i > 500) CHECK(growing.memory() <= i * 24 + 2000);
  }
}

TEST(many_small_blocks_are_compressed_in_linear_time) {
  IrMaker maker(StoreKind::kArena, Tracking::kNone);
  CInstrStore store(maker.module());
  for (int i = 0; i < 20000; ++i) {
    maker.open(maker.dialect.scope);
    maker.value(maker.dialect.in, std::vector<ValueId>{});
    CHECK_EQ(store.compress_block(maker.block).size(), 1U);
    maker.close();
  }
  CHECK_EQ(store.live_count(), 20000U);
  CHECK(store.memory() < 20000 * 20);
}

TEST(compressed_instructions_read_as_they_were_made) {
  IrMaker maker;
  CInstrStore store(maker.module());
  const auto& d = maker.dialect;
  const CInstrId in = store.create(d.in, true, maker.type, {});
  const FatDynObjRef five = maker.constant(8, 5);
  const FatDynObjRef uses[] = {of(in), five, maker.string("s"), of(in)};
  const CInstrId any = store.create(d.any, true, {}, uses);
  const CInstrId use = store.create(d.use, false, {}, {});
  CHECK(store.opcode(in) == d.in && store.opcode(any) == d.any && store.opcode(use) == d.use);
  CHECK(store.has_value(any) && !store.has_value(use));
  CHECK(store.type(in) == maker.type && !store.type(any) && !store.type(use));
  CHECK_EQ(store.use_operand_count(any), 4U);
  CHECK_EQ(store.use_operand_count(use), 0U);
  CHECK_EQ(store.use_count(in), 2U);
  for (std::uint32_t i = 0; i < 4; ++i) CHECK(store.use(any, i) == uses[i]);
  CHECK_THROWS(store.erase(in), UsageError);
  store.erase(any);
  CHECK_EQ(store.use_count(in), 0U);
  CHECK_EQ(store.live_count(), 2U);
  CHECK_THROWS(store.erase(any), StaleRefError);
  const FatDynObjRef dead[] = {of(any)};
  CHECK_THROWS(store.create(d.use, false, {}, dead), StaleRefError);
  const FatDynObjRef valueless[] = {of(use)};
  CHECK_THROWS(store.create(d.use, false, {}, valueless), UsageError);
  const FatDynObjRef block[] = {{kind::kBlock, 0}};
  CHECK_THROWS(store.create(d.use, false, {}, block), UsageError);
  const std::vector<FatDynObjRef> most(0x7FFF, five), too_many(0x8000, five);
  CHECK_EQ(store.use_operand_count(store.create(d.use, false, {}, most)), 0x7FFFU);
  CHECK_THROWS(store.create(d.use, false, {}, too_many), LimitError);
}

TEST(compressing_and_expanding_gives_the_same_instructions) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const StoreKind kind : {StoreKind::kArena, StoreKind::kPool, StoreKind::kChecked}) {
      IrMaker maker(kind);
      Random random(seed);
      const auto& d = maker.dialect;
      std::vector<ValueId> values = {maker.value(d.in, std::vector<ValueId>{})};
      std::vector<InstrId> originals = {maker.defining(values[0])};
      for (int i = 0; i < 60; ++i) {
        std::vector<FatDynObjRef> uses;
        for (std::uint32_t k = random.below(4); k > 0; --k) {
          uses.push_back(random.below(4) == 0
                             ? maker.constant(8, random.below(3))
                             : IrMaker::ref(values[random.below(static_cast<std::uint32_t>(values.size()))]));
        }
        if (random.below(3) == 0) {
          originals.push_back(maker.use(d.use, uses));
        } else {
          values.push_back(maker.value(d.any, uses));
          originals.push_back(maker.defining(values.back()));
        }
      }
      CInstrStore store(maker.module());
      const std::vector<CInstrId> packed = store.compress_block(maker.module().body());
      CHECK_EQ(packed.size(), originals.size());
      for (std::size_t i = 0; i < packed.size(); ++i) {
        const ValueId value = store.value(packed[i]);
        CHECK_EQ(static_cast<bool>(value), store.has_value(packed[i]));
        if (value) CHECK(maker.defining(value) == originals[i] && store.find(value) == packed[i]);
      }
      Builder builder(maker.module());
      builder.set_place(maker.module().body());
      std::map<std::uint32_t, std::uint32_t> copy_of;  // values
      const InstrStore& instrs = maker.module().instrs();
      for (std::size_t i = 0; i < packed.size(); ++i) {
        const InstrId made = store.expand(packed[i], builder);
        CHECK(instrs.opcode(made) == instrs.opcode(originals[i]));
        CHECK_EQ(instrs.operand_count(made), instrs.operand_count(originals[i]));
        for (std::uint32_t k = 0; k < instrs.operand_count(made); ++k) {
          const Operand was = instrs.operand(originals[i], k);
          const Operand is = instrs.operand(made, k);
          CHECK_EQ(was.is_def, is.is_def);
          if (was.is_def) {
            copy_of[was.ref.id] = is.ref.id;
            CHECK(instrs.type(ValueId(was.ref.id)) == instrs.type(ValueId(is.ref.id)));
            CHECK(store.find(ValueId(is.ref.id)) == packed[i]);
          } else if (was.ref.kind == kind::kValue) {
            CHECK_EQ(copy_of.at(was.ref.id), is.ref.id);
          } else {
            CHECK(was.ref == is.ref);
          }
        }
      }
    }
  }
}

TEST(what_does_not_fit_is_not_compressed) {
  IrMaker maker;
  CInstrStore store(maker.module());
  const InstrId scope = maker.open(maker.dialect.scope);
  maker.close();
  CHECK(!store.fits(scope));
  CHECK_THROWS(store.compress(scope), UsageError);
  const ValueId in = maker.value(maker.dialect.in, std::vector<ValueId>{});
  const InstrId user = maker.use(maker.dialect.use, {IrMaker::ref(in)});
  CHECK(store.fits(user));
  CHECK_THROWS(store.compress(user), UsageError);  // what it uses is not compressed yet
  const InstrId two = maker.emit(maker.dialect.any, {OperandSpec::def(maker.type), OperandSpec::def({})});
  CHECK(!store.fits(two));
  CHECK_EQ(store.live_count(), 0U);
}

TEST(an_id_of_a_pool_used_again_is_another_value) {
  IrMaker maker(StoreKind::kPool, Tracking::kNone);
  CInstrStore store(maker.module());
  const ValueId first = maker.value(maker.dialect.in, std::vector<ValueId>{});
  const CInstrId packed = store.compress(maker.defining(first));
  CHECK(store.find(first) == packed);
  maker.mutator.erase(maker.defining(first));
  const ValueId second = maker.value(maker.dialect.in, std::vector<ValueId>{});
  CHECK(first == second);
  CHECK(!store.find(second));
  CHECK(!store.value(packed));
}

TEST(links_agree_with_a_map) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    ValueLinks links;
    std::map<std::uint32_t, ValueLinks::Link> model;
    for (int step = 0; step < 400; ++step) {
      const std::uint32_t from = random.below(50);
      // Mostly one distance, so that runs form, join and are cut.
      const ValueLinks::Link link{from + (random.below(4) == 0 ? random.below(20) : 7),
                                  random.below(8) == 0 ? 1U : 0U};
      links.set(from, link);
      model[from] = link;
      for (std::uint32_t i = 0; i < 51; ++i) {
        const auto found = links.find(i);
        const auto wanted = model.find(i);
        CHECK_EQ(found.has_value(), wanted != model.end());
        if (found && wanted != model.end()) CHECK(*found == wanted->second);
      }
      std::size_t runs = 0;
      std::optional<std::pair<std::uint32_t, ValueLinks::Link>> last;
      for (const auto& [key, value] : model) {
        const bool goes_on = last && last->first + 1 == key && last->second.target + 1 == value.target &&
                             last->second.generation == value.generation;
        if (!goes_on) ++runs;
        last = {key, value};
      }
      CHECK_EQ(links.run_count(), runs);
    }
  }
}

TEST(links_at_the_ends_of_the_numbers) {
  ValueLinks links;
  links.set(0xFFFFFFFE, {0xFFFFFFFE, 0});
  links.set(0xFFFFFFFF, {0xFFFFFFFF, 0});
  links.set(0, {0, 0});
  CHECK_EQ(links.run_count(), 2U);
  CHECK(links.find(0xFFFFFFFF) == ValueLinks::Link({0xFFFFFFFF, 0}));
  CHECK(links.find(0) == ValueLinks::Link({0, 0}));
  CHECK(!links.find(1));
}
