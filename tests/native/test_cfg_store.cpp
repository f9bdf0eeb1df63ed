#include <algorithm>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/ir/cfg_store.hpp"
#include "tests/native/check.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::Random;
using dynomite::StaleRefError;
using dynomite::UsageError;

namespace {

std::vector<std::uint32_t> instrs_of(const CfgStore& cfg, BlockId block) {
  std::vector<std::uint32_t> all;
  for (InstrId instr = cfg.first(block); instr; instr = cfg.next(block, instr)) all.push_back(instr.index());
  std::vector<std::uint32_t> backwards;
  for (InstrId instr = cfg.last(block); instr; instr = cfg.previous(block, instr))
    backwards.push_back(instr.index());
  std::reverse(backwards.begin(), backwards.end());
  CHECK(all == backwards);
  CHECK_EQ(all.size(), cfg.instr_count(block));
  return all;
}

std::vector<std::uint32_t> blocks_of(const CfgStore& cfg, RegionId region) {
  std::vector<std::uint32_t> all;
  for (BlockId block = cfg.first_block(region); block; block = cfg.next_block(block))
    all.push_back(block.index());
  return all;
}

}  // namespace

TEST(blocks_agree_with_lists) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    CfgStore cfg;
    const RegionId regions[] = {cfg.create_region(), cfg.create_region()};
    // Blocks 0 and 1 are in the one region, 2 in the other.
    const BlockId blocks[] = {cfg.create_block(regions[0]), cfg.create_block(regions[0]),
                              cfg.create_block(regions[1])};
    std::vector<std::vector<std::uint32_t>> model(3);
    const auto has = [&](std::size_t block, std::uint32_t instr) {
      return std::find(model[block].begin(), model[block].end(), instr) != model[block].end();
    };
    for (int step = 0; step < 300; ++step) {
      const std::size_t b = random.below(3);
      auto& list = model[b];
      const std::uint32_t instr = random.below(12);
      const std::size_t place = list.empty() ? 0 : random.below(static_cast<std::uint32_t>(list.size() + 1));
      const InstrId previous = place == 0 ? InstrId() : InstrId(list[place - 1]);
      const bool in_region = b == 2 ? has(2, instr) : has(0, instr) || has(1, instr);
      switch (random.below(4)) {
        case 0:
        case 1:
          if (in_region) {
            CHECK_THROWS(cfg.insert(blocks[b], previous, InstrId(instr)), UsageError);
          } else {
            cfg.insert(blocks[b], previous, InstrId(instr));
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), instr);
          }
          break;
        case 2:
          if (has(b, instr)) {
            cfg.remove(blocks[b], InstrId(instr));
            list.erase(std::find(list.begin(), list.end(), instr));
          } else {
            CHECK_THROWS(cfg.remove(blocks[b], InstrId(instr)), UsageError);
          }
          break;
        default: {
          if (list.empty()) break;
          const std::size_t first = random.below(static_cast<std::uint32_t>(list.size()));
          const std::size_t last = first + random.below(static_cast<std::uint32_t>(list.size() - first));
          const std::size_t to = random.below(3);
          const std::vector<std::uint32_t> range(list.begin() + static_cast<std::ptrdiff_t>(first),
                                                 list.begin() + static_cast<std::ptrdiff_t>(last) + 1);
          auto& target = model[to];
          const std::size_t at =
              target.empty() ? 0 : random.below(static_cast<std::uint32_t>(target.size() + 1));
          const InstrId behind = at == 0 ? InstrId() : InstrId(target[at - 1]);
          const bool inside = to == b && at > first && at <= last + 1;
          const bool doubled = (to == 2) != (b == 2) && std::any_of(range.begin(), range.end(), [&](auto i) {
                                 return to == 2 ? has(2, i) : has(0, i) || has(1, i);
                               });
          if (inside || doubled) {
            CHECK_THROWS(
                cfg.splice(blocks[to], behind, blocks[b], InstrId(range.front()), InstrId(range.back())),
                UsageError);
            break;
          }
          cfg.splice(blocks[to], behind, blocks[b], InstrId(range.front()), InstrId(range.back()));
          for (const std::uint32_t moved : range) list.erase(std::find(list.begin(), list.end(), moved));
          const auto place_now =
              at == 0 ? target.begin() : std::find(target.begin(), target.end(), behind.index()) + 1;
          target.insert(place_now, range.begin(), range.end());
        }
      }
      for (std::size_t i = 0; i < 3; ++i) CHECK(instrs_of(cfg, blocks[i]) == model[i]);
      for (std::uint32_t i = 0; i < 12; ++i) {
        std::size_t homes = 0;
        for (std::size_t k = 0; k < 3; ++k) homes += has(k, i) ? 1 : 0;
        CHECK_EQ(cfg.blocks_of(InstrId(i)).size(), homes);
        CHECK_EQ(cfg.is_shared(InstrId(i)), homes > 1);
        CHECK_EQ(static_cast<bool>(cfg.block_of(InstrId(i))), homes > 0);
      }
      const auto& asked = model[random.below(3)];
      const std::size_t which = static_cast<std::size_t>(&asked - model.data());
      for (std::size_t i = 1; i < asked.size(); ++i) {
        CHECK(cfg.comes_before(blocks[which], InstrId(asked[i - 1]), InstrId(asked[i])));
        CHECK(!cfg.comes_before(blocks[which], InstrId(asked[i]), InstrId(asked[i - 1])));
      }
    }
  }
}

TEST(blocks_move_die_and_come_back) {
  CfgStore cfg;
  const RegionId one = cfg.create_region(InstrId(7)), two = cfg.create_region();
  CHECK(cfg.owner(one) == InstrId(7));
  const BlockId a = cfg.create_block(one), b = cfg.create_block(one), c = cfg.create_block(one);
  CHECK(blocks_of(cfg, one) == (std::vector<std::uint32_t>{0, 1, 2}));
  cfg.move_block(c, one, {});
  CHECK(blocks_of(cfg, one) == (std::vector<std::uint32_t>{2, 0, 1}));
  cfg.move_block(a, two, {});
  CHECK(blocks_of(cfg, one) == (std::vector<std::uint32_t>{2, 1}));
  CHECK(cfg.region(a) == two && cfg.first_block(two) == a && cfg.last_block(two) == a);
  CHECK_THROWS(cfg.move_block(b, two, c), UsageError);
  CHECK_THROWS(cfg.move_block(b, two, b), UsageError);
  cfg.insert(b, {}, InstrId(1));
  CHECK_THROWS(cfg.erase_block(b), UsageError);
  cfg.remove(b, InstrId(1));
  cfg.erase_block(b);
  CHECK(!cfg.is_live(b));
  CHECK_THROWS(cfg.erase_block(b), StaleRefError);
  CHECK_THROWS(cfg.insert(b, {}, InstrId(1)), StaleRefError);
  cfg.restore_block(b, one, c);
  CHECK(blocks_of(cfg, one) == (std::vector<std::uint32_t>{2, 1}));
  CHECK_THROWS(cfg.erase_region(two), UsageError);
  cfg.erase_block(a);
  cfg.erase_region(two);
  CHECK(!cfg.is_live(two));
  cfg.restore_region(two);
  CHECK(cfg.is_live(two));
}

TEST(threads_may_ask_for_the_order_at_once) {
  constexpr std::uint32_t kBlocks = 8, kInstrs = 3000;
  for (int round = 0; round < 20; ++round) {
    CfgStore cfg;
    const RegionId region = cfg.create_region();
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      const BlockId block = cfg.create_block(region);
      for (std::uint32_t i = 0; i < kInstrs; ++i)
        cfg.insert(block, cfg.last(block), InstrId(b * kInstrs + i));
    }
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t t = 0; t < wrong.size(); ++t) {
      threads.emplace_back([&, t] {
        for (std::uint32_t k = 0; k < kBlocks; ++k) {
          const std::uint32_t b = (k + static_cast<std::uint32_t>(t)) % kBlocks;
          const InstrId first(b * kInstrs), last(b * kInstrs + kInstrs - 1);
          if (!cfg.comes_before(BlockId(b), first, last)) ++wrong[t];
          if (cfg.comes_before(BlockId(b), last, first)) ++wrong[t];
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const int count : wrong) CHECK_EQ(count, 0);
  }
}
