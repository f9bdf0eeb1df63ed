#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/dominance.hpp"
#include "dynomite/native/ir/walk.hpp"
#include "dynomite/native/passes/clone.hpp"
#include "dynomite/native/passes/cse.hpp"
#include "dynomite/native/passes/dce.hpp"
#include "dynomite/native/passes/instr_view.hpp"
#include "dynomite/native/passes/statistics.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_ir.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::test::fill_randomly;
using dynomite::test::IrMaker;

namespace {

using Values = std::vector<ValueId>;

/// The whole module as text, without ids of what was deleted.
std::string show(const Module& module) {
  std::ostringstream text;
  std::map<std::uint32_t, std::size_t> numbers, blocks;
  walk(module, [&](InstrId instr, BlockId block) {
    text << 'b' << blocks.emplace(block.index(), blocks.size()).first->second << ':'
         << module.registry()->name(module.instrs().opcode(instr));
    for (std::uint32_t i = 0; i < module.instrs().operand_count(instr); ++i) {
      const Operand operand = module.instrs().operand(instr, i);
      text << (operand.is_def ? " def " : " ");
      if (operand.ref.kind == kind::kValue) {
        text << '%' << numbers.emplace(operand.ref.id, numbers.size()).first->second;
        if (operand.is_def) text << ':' << module.instrs().type(ValueId(operand.ref.id)).index();
      } else if (operand.ref.kind == kind::kRegion) {
        text << "region";
      } else if (operand.ref.kind == kind::kBlock) {
        text << '^' << blocks.emplace(operand.ref.id, blocks.size()).first->second;
      } else {
        text << int{operand.ref.kind.type} << '/' << operand.ref.id << '/' << operand.ref.payload;
      }
    }
    text << '\n';
  });
  return text.str();
}

std::string key_of(const Module& module, InstrId instr) {
  std::string fixed;
  std::vector<std::string> values;
  const bool commutative = (module.traits(instr) & kCommutative) != 0;
  for (std::uint32_t i = 0; i < module.instrs().operand_count(instr); ++i) {
    const Operand operand = module.instrs().operand(instr, i);
    if (operand.is_def) {
      fixed += std::string(" d") += std::to_string(module.instrs().type(ValueId(operand.ref.id)).index());
      continue;
    }
    std::ostringstream word;
    word << ' ' << int{operand.ref.kind.type} << '/' << operand.ref.id << '/' << operand.ref.payload;
    const std::string text = word.str();
    if (commutative && operand.ref.kind != kind::kAttr) {
      values.push_back(text);
    } else {
      fixed += text;
    }
  }
  std::sort(values.begin(), values.end());
  for (const auto& value : values) fixed += value;
  return module.registry()->name(module.instrs().opcode(instr)) + fixed;
}

bool mergeable(const Module& module, InstrId instr) {
  if ((module.traits(instr) & kPure) == 0) return false;
  bool defines = false;
  for (std::uint32_t i = 0; i < module.instrs().operand_count(instr); ++i) {
    const Operand operand = module.instrs().operand(instr, i);
    if (operand.is_def && operand.ref.kind != kind::kValue) return false;
    defines = defines || operand.is_def;
  }
  return defines;
}

/// Isolation between the two: whether `inner` stands below an isolated operation that does not hold `outer`.
bool crosses_isolation(const Module& module, InstrId outer, InstrId inner) {
  std::set<std::uint32_t> around;
  for (InstrId at = module.parent(outer); at; at = module.parent(at)) around.insert(at.index());
  for (InstrId at = module.parent(inner); at && !around.contains(at.index()); at = module.parent(at)) {
    if ((module.traits(at) & kIsolated) != 0) return true;
  }
  return false;
}

/// The naive twin: looks at all pairs, merges one, and starts again.
std::uint64_t naive_cse(Mutator& mutator) {
  Module& module = mutator.module();
  std::uint64_t merged = 0;
  for (bool again = true; again;) {
    again = false;
    std::vector<std::pair<InstrId, BlockId>> all;
    walk(module, [&](InstrId instr, BlockId block) {
      if (mergeable(module, instr)) all.emplace_back(instr, block);
    });
    const Dominance dominance(module);
    std::map<std::string, std::vector<std::pair<InstrId, BlockId>>> by_key;
    for (const auto& entry : all) by_key[key_of(module, entry.first)].push_back(entry);
    for (const auto& [key, members] : by_key) {
      for (const auto& a : members) {
        for (const auto& b : members) {
          if (again || a.first == b.first) continue;
          const ValueId to(module.instrs().operand(a.first, 0).ref.id);
          const ValueId from(module.instrs().operand(b.first, 0).ref.id);
          if (!dominance.is_visible(to, b.first, b.second)) continue;
          if (crosses_isolation(module, a.first, b.first)) continue;
          const LocationId all_origins =
              module.locations().unite(module.locations().of(a.first), module.locations().of(b.first));
          mutator.set_location(a.first, all_origins);
          mutator.replace_all_uses(from, to);
          mutator.erase(b.first);
          ++merged;
          again = true;
        }
      }
    }
  }
  return merged;
}

/// Every use is visible where it stands.
bool is_valid(const Module& module) {
  const Dominance dominance(module);
  bool valid = true;
  walk(module, [&](InstrId instr, BlockId block) {
    for (std::uint32_t i = 0; i < module.instrs().operand_count(instr); ++i) {
      const Operand operand = module.instrs().operand(instr, i);
      if (operand.is_def || operand.ref.kind != kind::kValue) continue;
      valid = valid && dominance.is_visible(ValueId(operand.ref.id), instr, block);
    }
  });
  return valid;
}

std::multiset<std::string> keys(const Module& module) {
  std::multiset<std::string> result;
  walk(module, [&](InstrId instr, BlockId) {
    result.insert(module.registry()->name(module.instrs().opcode(instr)) + "/" +
                  std::to_string(module.locations().origins(module.locations().of(instr)).size()));
  });
  return result;
}

}  // namespace

TEST(cse_agrees_with_its_naive_twin) {
  for (const StoreKind kind : {StoreKind::kArena, StoreKind::kChecked}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      IrMaker fast(kind), slow(kind);
      fill_randomly(fast, seed, 120);
      fill_randomly(slow, seed, 120);
      CHECK_EQ(show(fast.module()), show(slow.module()));
      CHECK(is_valid(fast.module()));
      const std::string before = show(fast.module());
      const std::size_t mark = fast.mutator.mark();
      dynomite::Stop stop;
      const CseStats stats = cse(fast.mutator, {}, stop);
      const std::uint64_t expected = naive_cse(slow.mutator);
      CHECK_EQ(stats.merged, expected);
      CHECK(keys(fast.module()) == keys(slow.module()));
      CHECK(is_valid(fast.module()));
      CHECK_EQ(stats.changed(), before != show(fast.module()));
      // A second run finds nothing, and the log takes everything back.
      CHECK(!cse(fast.mutator, {}, stop).changed());
      fast.mutator.rollback(mark);
      CHECK_EQ(show(fast.module()), before);
    }
  }
}

TEST(cse_compares_operands_attributes_and_types) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, Values{});
  const ValueId b = maker.value(d.in, Values{});
  const auto ra = IrMaker::ref(a);
  const auto rb = IrMaker::ref(b);
  const auto count = [&](const std::vector<FatDynObjRef>& first, const std::vector<FatDynObjRef>& second,
                         Opcode opcode) {
    maker.value(opcode, first);
    const ValueId later = maker.value(opcode, second);
    maker.use(d.use, {IrMaker::ref(later)});
    dynomite::Stop stop;
    return cse(maker.mutator, {}, stop).merged;
  };
  CHECK_EQ(count({ra, rb}, {ra, rb}, d.sub), 1U);
  CHECK_EQ(count({ra, ra}, {rb, rb}, d.sub), 0U);
  CHECK_EQ(count({ra, rb}, {rb, ra}, d.add), 1U);
  CHECK_EQ(count({rb, ra}, {rb, maker.constant(8, 0)}, d.sub), 0U);
  const auto k1 = maker.dict({{"k", maker.constant(8, 1)}});
  const auto k2 = maker.dict({{"k", maker.constant(8, 2)}});
  const auto k1_wider = maker.dict({{"k", maker.constant(9, 1)}});
  CHECK_EQ(count({ra, k1}, {ra, k1}, d.any), 1U);
  CHECK_EQ(count({rb, k1}, {rb, k2}, d.any), 0U);
  CHECK_EQ(count({rb, rb, k1}, {rb, rb, k1_wider}, d.any), 0U);
  // Effects unknown: two stay two.
  CHECK_EQ(count({ra, k1}, {ra, k1}, d.unknown), 0U);
  // The same operands with another type of result.
  maker.value(d.any, {ra, ra, ra});
  maker.type = maker.module().attributes().type(maker.dialect.word, std::vector{maker.constant(32, 8)});
  maker.value(d.any, {ra, ra, ra});
  dynomite::Stop stop;
  CHECK_EQ(cse(maker.mutator, {}, stop).merged, 0U);
}

TEST(cse_unites_origins_in_linear_time) {
  IrMaker maker(StoreKind::kArena, Tracking::kNone);
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, Values{});
  constexpr std::uint32_t kCopies = 50000;
  ValueId first;
  for (std::uint32_t i = 0; i < kCopies; ++i) {
    maker.location = maker.module().locations().single({maker.module().attributes().string("f.v"), i + 1, 1});
    const ValueId made = maker.value(d.add, {a, a});
    if (i == 0) first = made;
  }
  dynomite::Stop stop;
  CHECK_EQ(cse(maker.mutator, {}, stop).merged, kCopies - 1);
  const Locations& locations = maker.module().locations();
  CHECK_EQ(locations.origins(locations.of(maker.defining(first))).size(), kCopies);
}

TEST(cse_in_graph_regions_ignores_order_and_keeps_cycles) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, Values{});
  maker.open(d.graph);
  // Users stand before what they use.
  const InstrId user1 = maker.emit(d.sub, {OperandSpec::def(maker.type), OperandSpec::use(IrMaker::ref(a)),
                                           OperandSpec::use(IrMaker::ref(a))});
  const InstrId user2 = maker.emit(d.sub, {OperandSpec::def(maker.type), OperandSpec::use(IrMaker::ref(a)),
                                           OperandSpec::use(IrMaker::ref(a))});
  const ValueId x = maker.value(d.add, {a, a});
  const ValueId y = maker.value(d.add, {a, a});
  maker.mutator.set_operand(user1, 1, IrMaker::ref(x));
  maker.mutator.set_operand(user2, 1, IrMaker::ref(y));
  // A ring of two.
  const ValueId p = maker.value(d.sub, {a, a});
  const ValueId q = maker.value(d.sub, {p, a});
  maker.mutator.set_operand(maker.defining(p), 1, IrMaker::ref(q));
  maker.close();
  dynomite::Stop stop;
  CHECK_EQ(cse(maker.mutator, {}, stop).merged, 2U);
  CHECK(is_valid(maker.module()));
}

TEST(cse_refuses_a_mutator_that_only_records) {
  IrMaker maker(StoreKind::kArena, Tracking::kLazyUpdate);
  dynomite::Stop stop;
  CHECK_THROWS(cse(maker.mutator, {}, stop), dynomite::UsageError);
  CHECK_THROWS(dce(maker.mutator, {}, stop), dynomite::UsageError);
}

TEST(dce_agrees_with_its_naive_twin) {
  for (const StoreKind kind : {StoreKind::kArena, StoreKind::kPool, StoreKind::kChecked}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      IrMaker fast(kind), slow(kind);
      fill_randomly(fast, seed, 150);
      fill_randomly(slow, seed, 150);
      const std::string before = show(fast.module());
      dynomite::Stop stop;
      const DceStats stats = dce(fast.mutator, {}, stop);
      // The twin removes one unused instruction after the other; holders with nothing inside that counts
      // are pure_scope only, whose content goes with them.
      Module& module = slow.module();
      for (bool again = true; again;) {
        again = false;
        std::vector<InstrId> all;
        walk(module, [&](InstrId instr, BlockId) { all.push_back(instr); });
        for (const InstrId instr : all) {
          if (again || (module.traits(instr) & kPure) == 0) continue;
          bool used = false;
          for (std::uint32_t i = 0; i < module.instrs().operand_count(instr); ++i) {
            const Operand operand = module.instrs().operand(instr, i);
            if (operand.is_def && operand.ref.kind == kind::kValue) {
              used = used || module.instrs().has_uses(ValueId(operand.ref.id));
            }
          }
          if (used) continue;
          erase_instrs(slow.mutator, {instr});
          again = true;
        }
      }
      CHECK_EQ(show(fast.module()), show(module));
      CHECK_EQ(stats.changed(), before != show(fast.module()));
      CHECK(is_valid(fast.module()));
      if (kind != StoreKind::kPool) {
        fast.mutator.rollback(0);
        CHECK_EQ(fast.module().instrs().live_count(), 0U);
      }
    }
  }
}

TEST(dce_removes_dead_cycles_and_keeps_what_is_referred_to) {
  IrMaker maker;
  const auto& d = maker.dialect;
  maker.open(d.graph);
  const ValueId p = maker.value(d.add, std::vector{maker.constant(8, 1), maker.constant(8, 1)});
  const ValueId q = maker.value(d.add, {p, p});
  maker.mutator.set_operand(maker.defining(p), 1, IrMaker::ref(q));
  const ValueId seen = maker.value(d.any, Values{});
  maker.use(d.use, {FatDynObjRef(kind::kInstr, maker.defining(seen).index())});
  maker.close();
  dynomite::Stop stop;
  CHECK_EQ(dce(maker.mutator, {}, stop).erased, 2U);
  CHECK(maker.module().instrs().is_live(maker.defining(seen)));
}

TEST(passes_go_deep_without_a_stack) {
  IrMaker maker(StoreKind::kArena, Tracking::kNone);
  const auto& d = maker.dialect;
  ValueId last = maker.value(d.in, Values{});
  const ValueId in = last;
  for (int i = 0; i < 100000; ++i) last = maker.value(d.add, {last, in});
  constexpr std::uint32_t kDepth = 100000;
  for (std::uint32_t i = 0; i < kDepth; ++i) {
    maker.open(d.pure_scope);
    maker.value(d.add, {last, in});
  }
  dynomite::Stop stop;
  CHECK_EQ(cse(maker.mutator, {}, stop).merged, kDepth - 1);
  CHECK_EQ(statistics(maker.module()).nesting, kDepth);
  Dominance dominance(maker.module());
  const auto copy = clone_module(maker.module());
  CHECK_EQ(show(*copy), show(maker.module()));
  CHECK_EQ(dce(maker.mutator, {}, stop).erased, 100000 + kDepth + 1);
  CHECK_EQ(maker.module().instrs().live_count(), 1U);
}

TEST(a_cloned_module_is_independent) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    IrMaker maker;
    fill_randomly(maker, seed, 150);
    const std::string before = show(maker.module());
    const auto copy = clone_module(maker.module());
    CHECK_EQ(show(*copy), before);
    Mutator other(*copy);
    dynomite::Stop stop;
    dce(other, {}, stop);
    cse(other, {}, stop);
    CHECK_EQ(show(maker.module()), before);
  }
}

TEST(a_cloned_region_uses_its_own_values) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    IrMaker maker;
    const auto& d = maker.dialect;
    const ValueId outside = maker.value(d.in, Values{});
    const InstrId holder = maker.open(d.graph);
    fill_randomly(maker, seed, 100);
    const ValueId late = maker.value(d.add, {outside, outside});
    // A use before its definition.
    const InstrId first = maker.module().cfg().first(maker.block);
    maker.mutator.insert(maker.block, {},
                         maker.mutator.create(d.use, std::vector{OperandSpec::use(IrMaker::ref(late))}));
    CHECK(first);
    maker.close();
    const RegionId region = maker.module().regions(holder).front();
    const std::size_t mark = maker.mutator.mark();
    dynomite::Stop stop;
    const CloneStats stats = clone_region(maker.mutator, region, {}, stop);
    const InstrId copy = maker.mutator.create(
        d.graph, std::vector{OperandSpec::def_object({kind::kRegion, stats.region.index()})});
    maker.mutator.append(maker.module().body(), copy);
    CHECK(is_valid(maker.module()));
    std::string old_text, new_text;
    std::set<std::uint32_t> old_instrs;
    walk(maker.module(), region, [&](InstrId instr, BlockId) { old_instrs.insert(instr.index()); });
    std::uint64_t copied = 0;
    walk(maker.module(), stats.region, [&](InstrId instr, BlockId) {
      ++copied;
      CHECK(!old_instrs.contains(instr.index()));
      for (std::uint32_t i = 0; i < maker.module().instrs().operand_count(instr); ++i) {
        const InstrId def = maker.module().instrs().operand_def(instr, i);
        CHECK(!def || !old_instrs.contains(def.index()));
      }
    });
    CHECK_EQ(copied, old_instrs.size());
    CHECK_EQ(copied, stats.instrs);
    const std::string both = show(maker.module());
    maker.mutator.rollback(mark);
    CHECK(both.size() > show(maker.module()).size());
  }
}

TEST(equal_nodes_of_the_generic_interface_agree_with_cse) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    IrMaker maker;
    const auto& d = maker.dialect;
    dynomite::Random random(seed);
    Values values;
    for (int i = 0; i < 3; ++i) values.push_back(maker.value(d.in, Values{}));
    const auto pick = [&] { return values[random.below(static_cast<std::uint32_t>(values.size()))]; };
    for (int i = 0; i < 100; ++i)
      values.push_back(maker.value(random.below(2) == 0 ? d.add : d.sub, {pick(), pick()}));
    const auto representative = equal_nodes(InstrView(maker.module()));
    std::uint64_t duplicates = 0;
    for (std::uint32_t i = 0; i < representative.size(); ++i) duplicates += representative[i] != i ? 1 : 0;
    dynomite::Stop stop;
    CHECK_EQ(cse(maker.mutator, {}, stop).merged, duplicates);
  }
}

TEST(statistics_count) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const ValueId a = maker.value(d.in, Values{});
  const ValueId b = maker.value(d.add, {a, a});
  maker.open(d.scope);
  maker.value(d.add, {b, a});
  maker.close();
  const Statistics stats = statistics(maker.module());
  CHECK_EQ(stats.instrs, 4U);
  CHECK_EQ(stats.values, 3U);
  CHECK_EQ(stats.unused_values, 1U);
  CHECK_EQ(stats.operands, 8U);
  CHECK_EQ(stats.blocks, 2U);
  CHECK_EQ(stats.regions, 2U);
  CHECK_EQ(stats.nesting, 2U);
  CHECK_EQ(stats.depth, 3U);
  CHECK_EQ(stats.by_opcode.at(d.add.raw()), 2U);
}
