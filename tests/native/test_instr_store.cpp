#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/ir/instr_store.hpp"
#include "dynomite/native/ir/update_log.hpp"
#include "tests/native/check.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests

namespace {

const Opcode kOp(1, 2);
const TypeId kType(0);

FatDynObjRef value_ref(ValueId value) { return {kind::kValue, value.index()}; }

ValueId first_def(const InstrStore& store, InstrId instr) { return ValueId(store.operand(instr, 0).ref.id); }

InstrId make(InstrStore& store, const std::vector<ValueId>& uses) {
  std::vector<OperandSpec> operands = {OperandSpec::def(kType)};
  for (const ValueId value : uses) operands.push_back(OperandSpec::use(value_ref(value)));
  return store.create(kOp, operands);
}

/// Everything that can be read, use lists in their order included.
std::vector<std::uint64_t> snapshot(const InstrStore& store) {
  std::vector<std::uint64_t> words;
  for (std::uint32_t i = 0; i < store.instr_bound(); ++i) {
    const InstrId instr(i);
    words.push_back(store.is_live(instr) ? 1 : 0);
    if (!store.is_live(instr)) continue;
    words.push_back(store.opcode(instr).raw());
    for (std::uint32_t k = 0; k < store.operand_count(instr); ++k) {
      const Operand operand = store.operand(instr, k);
      words.push_back(hash_of(operand.ref));
      words.push_back(operand.is_def ? 1 : 0);
    }
  }
  for (std::uint32_t v = 0; v < store.value_bound(); ++v) {
    if (!store.is_live(ValueId(v))) continue;
    words.push_back(store.type(ValueId(v)).index());
    for (const Use& use : store.uses(ValueId(v))) {
      words.push_back(use.instr.index());
      words.push_back(use.operand);
    }
  }
  return words;
}

}  // namespace

TEST(a_binary_operation_takes_64_bytes) {
  InstrStore store;
  const ValueId a = first_def(store, make(store, {}));
  constexpr std::size_t kCount = 100000;
  store.reserve(kCount, 3 * kCount);
  const std::size_t before = store.memory();
  for (std::size_t i = 0; i < kCount; ++i) make(store, {a, a});
  // Vectors of ids grow by doubling; counted by what is in use.
  CHECK_EQ(InstrStore::bytes_of(3, 1), 64U);
  CHECK(store.memory() - before < kCount * 70);
}

TEST(use_lists_agree_with_a_naive_model) {
  for (const StoreKind kind : {StoreKind::kArena, StoreKind::kPool, StoreKind::kChecked}) {
    dynomite::Random random(5);
    InstrStore store(kind);
    std::vector<InstrId> live;
    for (int i = 0; i < 4; ++i) live.push_back(make(store, {}));
    std::map<std::uint32_t, std::vector<std::uint32_t>> uses_of;  // instruction -> values it uses
    for (int step = 0; step < 3000; ++step) {
      const auto pick = [&] { return live[random.below(static_cast<std::uint32_t>(live.size()))]; };
      const std::uint32_t action = random.below(10);
      if (action < 5) {
        std::vector<ValueId> uses;
        for (std::uint32_t k = random.below(4); k > 0; --k) uses.push_back(first_def(store, pick()));
        const InstrId instr = make(store, uses);
        live.push_back(instr);
        uses_of[instr.index()].clear();
        for (const ValueId value : uses) uses_of[instr.index()].push_back(value.index());
      } else if (action < 7) {
        const InstrId instr = pick();
        auto& own = uses_of[instr.index()];
        if (own.empty()) continue;
        const auto at = random.below(static_cast<std::uint32_t>(own.size()));
        const ValueId value = first_def(store, pick());
        store.set_operand(instr, at + 1, value_ref(value));
        own[at] = value.index();
      } else if (action < 8) {
        const ValueId from = first_def(store, pick());
        const ValueId to = first_def(store, pick());
        store.replace_all_uses(from, to);
        for (auto& [instr, own] : uses_of) std::replace(own.begin(), own.end(), from.index(), to.index());
      } else {
        const std::uint32_t at = random.below(static_cast<std::uint32_t>(live.size()));
        const InstrId instr = live[at];
        const ValueId value = first_def(store, instr);
        bool others = false;
        for (const auto& [other, own] : uses_of) {
          others =
              others || (other != instr.index() && std::count(own.begin(), own.end(), value.index()) != 0);
        }
        if (others || live.size() < 3) {
          if (others) CHECK_THROWS(store.erase(instr), dynomite::UsageError);
          continue;
        }
        store.erase(instr);
        uses_of.erase(instr.index());
        live.erase(live.begin() + at);
        CHECK(!store.is_live(instr));
        CHECK_THROWS(store.erase(instr), dynomite::StaleRefError);
      }
      if (step % 50 != 0) continue;
      for (const InstrId instr : live) {
        const ValueId value = first_def(store, instr);
        std::size_t count = 0;
        for (const auto& [other, own] : uses_of) {
          count += static_cast<std::size_t>(std::count(own.begin(), own.end(), value.index()));
        }
        CHECK_EQ(store.uses(value).size(), count);
        CHECK(store.definition(value) == (Use{instr, 0}));
        for (const Use& use : store.uses(value))
          CHECK(store.operand(use.instr, use.operand).ref == value_ref(value));
      }
    }
    CHECK_EQ(store.live_count(), live.size());
  }
}

TEST(owners_are_found_in_very_long_instructions) {
  InstrStore store;
  const ValueId a = first_def(store, make(store, {}));
  std::vector<ValueId> uses(200000, a);
  const InstrId wide = make(store, uses);
  CHECK_EQ(store.operand_count(wide), 200001U);
  const auto found = store.uses(a);
  CHECK_EQ(found.size(), 200000U);
  CHECK(found.front() == (Use{wide, 200000}));
  CHECK(found.back() == (Use{wide, 1}));
}

TEST(rollback_to_any_mark_restores_everything) {
  auto registry = std::make_shared<Registry>();
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    dynomite::Random random(seed);
    Module module(registry);
    Mutator mutator(module);
    std::vector<InstrId> instrs;
    std::vector<std::pair<std::size_t, std::vector<std::uint64_t>>> marks;
    for (int step = 0; step < 200; ++step) {
      if (random.below(8) == 0) marks.emplace_back(mutator.mark(), snapshot(module.instrs()));
      const auto pick = [&]() -> InstrId {
        for (int tries = 0; tries < 50; ++tries) {
          const InstrId instr = instrs[random.below(static_cast<std::uint32_t>(instrs.size()))];
          if (module.instrs().is_live(instr)) return instr;
        }
        return {};
      };
      if (instrs.size() < 3 || random.below(3) == 0) {
        std::vector<OperandSpec> operands = {OperandSpec::def(kType)};
        for (std::uint32_t k = random.below(3); k > 0 && !instrs.empty(); --k) {
          const InstrId used = pick();
          if (used) operands.push_back(OperandSpec::use(value_ref(first_def(module.instrs(), used))));
        }
        instrs.push_back(mutator.create(kOp, operands));
        mutator.append(module.body(), instrs.back());
        continue;
      }
      const InstrId instr = pick();
      const InstrId other = pick();
      if (!instr || !other) continue;
      const ValueId value = first_def(module.instrs(), instr);
      switch (random.below(5)) {
        case 0:
          if (module.instrs().operand_count(instr) > 1) {
            mutator.set_operand(instr, 1, value_ref(first_def(module.instrs(), other)));
          }
          break;
        case 1: mutator.replace_all_uses(value, first_def(module.instrs(), other)); break;
        case 2: mutator.set_opcode(instr, Opcode(1, static_cast<std::uint8_t>(random.below(9)))); break;
        case 3: mutator.set_type(value, TypeId(random.below(5))); break;
        default:
          if (!module.instrs().has_uses(value)) mutator.erase(instr);
      }
    }
    while (!marks.empty()) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(marks.size()));
      mutator.rollback(marks[at].first);
      // Instructions made since are dead; what remains reads as it did.
      auto now = snapshot(module.instrs());
      auto then = marks[at].second;
      const auto trim = [&](std::vector<std::uint64_t>& words) {
        words.erase(std::remove(words.begin(), words.end(), 0), words.end());
      };
      trim(now);
      trim(then);
      CHECK(now == then);
      marks.resize(at);
    }
  }
}
