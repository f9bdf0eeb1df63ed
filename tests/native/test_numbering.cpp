#include <span>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/dominance.hpp"
#include "dynomite/native/ir/numbering.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_ir.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::test::IrMaker;

namespace {

std::vector<InstrId> in_order(const Module& module, const std::vector<BlockId>& blocks) {
  std::vector<InstrId> all;
  for (const BlockId block : blocks) {
    for (InstrId at = module.cfg().first(block); at; at = module.cfg().next(block, at)) all.push_back(at);
  }
  return all;
}

}  // namespace

TEST(numbers_grow_along_the_order_whatever_happens) {
  for (const NumberOrder order : {NumberOrder::kBlocks, NumberOrder::kDominance}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      IrMaker maker;
      Module& module = maker.module();
      dynomite::Random random(seed);
      const RegionId region = module.cfg().region(module.body());
      std::vector<BlockId> blocks = {module.body()};
      for (int i = 0; i < 3; ++i) blocks.push_back(maker.mutator.create_block(region));
      InstrNumbering numbering(module, region, order);
      std::size_t seen = maker.mutator.mark();
      const auto any_block = [&] { return blocks[random.below(static_cast<std::uint32_t>(blocks.size()))]; };
      for (int step = 0; step < 200; ++step) {
        maker.block = any_block();
        std::vector<InstrId> all = in_order(module, blocks);
        const std::uint32_t action = random.below(8);
        if (action < 4 || all.empty()) {
          const InstrId last = module.cfg().last(maker.block);
          const InstrId made = maker.mutator.create(maker.dialect.use, {});
          const InstrId previous = random.below(2) == 0 ? InstrId() : last;
          maker.mutator.insert(maker.block, previous, made);
        } else if (action < 6) {
          maker.mutator.erase(all[random.below(static_cast<std::uint32_t>(all.size()))]);
        } else if (action == 6) {
          maker.use(maker.dialect.branch, {FatDynObjRef(kind::kBlock, any_block().index())});
        } else if (module.cfg().first(maker.block)) {
          const InstrId first = module.cfg().first(maker.block);
          const BlockId target = any_block();
          if (target != maker.block) {
            maker.mutator.splice(target, module.cfg().last(target), maker.block, first, first);
          }
        }
        numbering.consume(std::span(maker.mutator.log()).subspan(seen));
        seen = maker.mutator.mark();
        if (random.below(3) != 0) continue;
        std::vector<BlockId> sorted = blocks;
        if (order == NumberOrder::kDominance) sorted = Dominance(module).tree_order(region);
        all = in_order(module, sorted);
        for (std::size_t i = 1; i < all.size(); ++i) CHECK(numbering.comes_before(all[i - 1], all[i]));
        if (all.size() > 1) CHECK(numbering.unnumbered().empty());
      }
    }
  }
}

TEST(new_instructions_have_no_number_until_asked) {
  IrMaker maker;
  Module& module = maker.module();
  const InstrId a = maker.use(maker.dialect.use, {});
  const InstrId b = maker.use(maker.dialect.use, {});
  InstrNumbering numbering(module, module.cfg().region(module.body()), NumberOrder::kBlocks);
  CHECK_EQ(numbering.unnumbered().size(), 2U);
  CHECK(numbering.comes_before(a, b));
  CHECK(numbering.unnumbered().empty());
  const std::size_t mark = maker.mutator.mark();
  const InstrId middle = maker.mutator.create(maker.dialect.use, {});
  maker.mutator.insert(module.body(), a, middle);
  numbering.consume(std::span(maker.mutator.log()).subspan(mark));
  CHECK(!numbering.has_number(middle));
  CHECK_EQ(numbering.unnumbered().size(), 1U);
  CHECK(numbering.comes_before(a, middle) && numbering.comes_before(middle, b));
  CHECK_EQ(numbering.renumberings(), 1U);
  const InstrId outside = maker.mutator.create(maker.dialect.use, {});
  CHECK_THROWS(numbering.number(outside), dynomite::UsageError);
}

TEST(insertions_at_one_place_renumber_rarely) {
  IrMaker maker;
  Module& module = maker.module();
  const InstrId first = maker.use(maker.dialect.use, {});
  maker.use(maker.dialect.use, {});
  InstrNumbering numbering(module, module.cfg().region(module.body()), NumberOrder::kBlocks);
  numbering.number(first);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t mark = maker.mutator.mark();
    const InstrId made = maker.mutator.create(maker.dialect.use, {});
    maker.mutator.insert(module.body(), first, made);
    numbering.consume(std::span(maker.mutator.log()).subspan(mark));
    CHECK(numbering.comes_before(first, made));
  }
  CHECK(numbering.renumberings() < 150U);
}
