#include <string>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/symbols.hpp"
#include "dynomite/native/ir/walk.hpp"
#include "dynomite/native/passes/symbol_dce.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_ir.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::test::IrMaker;

namespace {

/// A function or table that stays open until `close`.
InstrId open_symbol(IrMaker& maker, Opcode opcode, const std::string& name,
                    const std::string& visibility = "",
                    std::vector<std::pair<std::string, FatDynObjRef>> more = {}) {
  more.emplace_back("sym_name", maker.string(name));
  if (!visibility.empty()) more.emplace_back("sym_visibility", maker.string(visibility));
  return maker.open(opcode, {maker.dict(more)});
}

InstrId symbol(IrMaker& maker, const std::string& name, const std::string& visibility = "",
               const std::vector<FatDynObjRef>& uses = {}) {
  const InstrId made = open_symbol(maker, maker.dialect.func, name, visibility);
  if (!uses.empty()) maker.use(maker.dialect.use, uses);
  maker.close();
  return made;
}

std::string text_of(IrMaker& maker, AttrId reference) {
  std::string text;
  for (const AttrId name : maker.module().attributes().path(reference)) {
    text.push_back('@');
    text.append(maker.module().attributes().text(name));
  }
  return text;
}

bool alive(IrMaker& maker, InstrId instr) { return maker.module().instrs().is_live(instr); }

SymbolDceStats run_dce(IrMaker& maker) {
  dynomite::Stop stop;
  return symbol_dce(maker.mutator, {}, stop);
}

}  // namespace

TEST(references_resolve_in_the_nearest_table) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const InstrId outer_f = symbol(maker, "f");
  const InstrId lib = open_symbol(maker, d.table, "lib");
  const InstrId inner_f = symbol(maker, "f");
  const InstrId inner_use = maker.use(d.use, {maker.symbol({"f"})});
  maker.close();
  maker.open(d.scope);
  const InstrId use = maker.use(d.use, {maker.symbol({"f"}), maker.symbol({"lib", "f"}), maker.symbol({"g"}),
                                        maker.symbol({"f", "x"})});
  maker.close();
  const SymbolTables tables(maker.module());
  CHECK(tables.nearest_table(use).is_none());
  CHECK(tables.nearest_table(inner_use) == lib);
  CHECK(tables.find({}, "f") == outer_f);
  CHECK(tables.find(lib, "f") == inner_f);
  CHECK_EQ(tables.symbols({}).size(), 2U);
  const auto uses = tables.uses_in(use);
  CHECK_EQ(uses.size(), 4U);
  CHECK((tables.lookup_nearest(use, uses[0].reference) == SymbolPath{{outer_f}, true}));
  CHECK((tables.lookup_nearest(use, uses[1].reference) == SymbolPath{{lib, inner_f}, true}));
  CHECK((tables.lookup_nearest(use, uses[2].reference) == SymbolPath{{}, false}));
  CHECK((tables.lookup_nearest(use, uses[3].reference) == SymbolPath{{outer_f}, false}));
  CHECK((tables.lookup_nearest(inner_use, uses[0].reference) == SymbolPath{{inner_f}, true}));
  CHECK_EQ(tables.suggestion({}, "libs"), std::string("lib"));
  CHECK_EQ(tables.uses_of(inner_f).size(), 2U);
  CHECK_EQ(tables.uses_of(lib).size(), 1U);
}

TEST(uses_are_found_and_replaced_at_any_depth) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const InstrId lib = open_symbol(maker, d.table, "lib");
  const InstrId f = symbol(maker, "f", "nested");
  maker.close();
  const auto ref = maker.symbol({"lib", "f"});
  const auto deep = maker.list(
      {maker.list({maker.dict({{"a", ref}, {"b", maker.constant(8, 3)}})}), ref, maker.symbol({"lib"})});
  const InstrId holder = maker.use(d.unknown, {maker.dict({{"deep", deep}, {"other", maker.string("lib")}})});
  const SymbolTables before(maker.module());
  CHECK_EQ(before.uses_of(f).size(), 1U);
  CHECK_EQ(before.uses_of(lib).size(), 2U);
  const std::size_t mark = maker.mutator.mark();
  CHECK_EQ(before.rename(maker.mutator, lib, maker.module().attributes().string("core")), 2U);
  const SymbolTables tables(maker.module());
  CHECK(tables.find({}, "core") == lib);
  const auto uses = tables.uses_in(holder);
  CHECK_EQ(uses.size(), 2U);
  std::string all;
  for (const auto& use : uses) all.append(text_of(maker, use.reference)).push_back(' ');
  CHECK(all == "@core@f @core " || all == "@core @core@f ");
  CHECK(tables.lookup_nearest(holder, uses[0].reference).complete);
  maker.mutator.rollback(mark);
  CHECK(SymbolTables(maker.module()).find({}, "lib") == lib);
}

TEST(rename_refuses_names_that_are_taken) {
  IrMaker maker;
  const InstrId f = symbol(maker, "f");
  symbol(maker, "g");
  const SymbolTables tables(maker.module());
  CHECK_THROWS(tables.rename(maker.mutator, f, maker.module().attributes().string("g")),
               dynomite::UsageError);
  CHECK_EQ(tables.rename(maker.mutator, f, maker.module().attributes().string("f")), 0U);
}

TEST(duplicates_are_found_in_their_own_table_only) {
  IrMaker maker;
  const InstrId first = symbol(maker, "f");
  open_symbol(maker, maker.dialect.table, "inner");
  symbol(maker, "f");
  maker.close();
  const InstrId second = symbol(maker, "f");
  const SymbolTables tables(maker.module());
  CHECK_EQ(tables.duplicates().size(), 1U);
  CHECK(tables.duplicates().front() == std::pair(second, first));
}

TEST(visibility_is_read_and_set) {
  IrMaker maker;
  const InstrId f = symbol(maker, "f");
  CHECK(SymbolTables::visibility(maker.module(), f) == Visibility::kPublic);
  for (const Visibility v : {Visibility::kPrivate, Visibility::kNested, Visibility::kPublic}) {
    SymbolTables::set_visibility(maker.mutator, f, v);
    CHECK(SymbolTables::visibility(maker.module(), f) == v);
  }
}

// Rows r-ir-dce-* of the shared cases, in our terms.
TEST(symbols_that_only_use_each_other_go_together) {
  IrMaker maker;
  const InstrId main = symbol(maker, "main");
  const InstrId p = symbol(maker, "p", "private", {maker.symbol({"q"})});
  const InstrId q = symbol(maker, "q", "private", {maker.symbol({"p"})});
  const SymbolDceStats stats = run_dce(maker);
  CHECK_EQ(stats.erased, 2U);
  CHECK_EQ(stats.erased_instrs, 4U);
  CHECK(alive(maker, main) && !alive(maker, p) && !alive(maker, q));
  CHECK(!run_dce(maker).changed());
}

TEST(nested_references_in_attributes_keep_symbols) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const InstrId lib = open_symbol(maker, d.table, "lib", "private");
  const InstrId used = symbol(maker, "used", "nested");
  const InstrId unused = symbol(maker, "unused", "private");
  const InstrId shown = symbol(maker, "shown");
  maker.close();
  const InstrId main = open_symbol(maker, d.func, "main", "", {{"keep", maker.symbol({"lib", "used"})}});
  maker.close();
  CHECK_EQ(run_dce(maker).erased, 2U);
  CHECK(alive(maker, lib) && alive(maker, used) && alive(maker, main));
  // Public, but its table cannot be seen.
  CHECK(!alive(maker, unused) && !alive(maker, shown));
}

TEST(references_below_unknown_operations_count) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const InstrId live = symbol(maker, "live", "private");
  maker.open(d.unknown);
  maker.use(d.use, {maker.dict({{"callee", maker.symbol({"live"})}})});
  maker.close();
  CHECK(!run_dce(maker).changed());
  CHECK(alive(maker, live));
}

TEST(references_that_do_not_resolve_keep_what_is_further_out) {
  IrMaker maker;
  const auto& d = maker.dialect;
  const InstrId live = symbol(maker, "live", "private");
  maker.open(d.unknown);
  maker.open(d.table);
  const InstrId user = maker.use(d.unknown, {maker.dict({{"callee", maker.symbol({"live"})}})});
  maker.close();
  maker.close();
  const SymbolDceStats stats = run_dce(maker);
  CHECK_EQ(stats.erased, 0U);
  CHECK(alive(maker, live));
  CHECK_EQ(stats.unresolved.size(), 1U);
  CHECK(stats.unresolved.front().instr == user);
}

TEST(symbol_dce_agrees_with_a_naive_closure) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    IrMaker maker;
    dynomite::Random random(seed);
    const std::uint32_t n = 1 + random.below(12);
    const char* words[] = {"private", "nested", "", "private"};
    std::vector<InstrId> symbols;
    std::vector<std::vector<std::uint32_t>> refers(n);
    std::vector<bool> expected(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::vector<FatDynObjRef> uses;
      for (std::uint32_t k = random.below(3); k > 0; --k) {
        refers[i].push_back(random.below(n));
        uses.push_back(maker.symbol({std::to_string(refers[i].back())}));
      }
      const char* word = words[random.below(4)];
      expected[i] = *word == '\0';
      symbols.push_back(symbol(maker, std::to_string(i), word, uses));
    }
    for (std::uint32_t round = 0; round < n; ++round) {
      for (std::uint32_t i = 0; i < n; ++i) {
        for (const std::uint32_t to : refers[i]) expected[to] = expected[to] || expected[i];
      }
    }
    run_dce(maker);
    for (std::uint32_t i = 0; i < n; ++i) CHECK_EQ(alive(maker, symbols[i]), static_cast<bool>(expected[i]));
  }
}

TEST(deep_nesting_of_tables_needs_no_stack) {
  IrMaker maker(StoreKind::kArena, Tracking::kNone);
  constexpr int kDepth = 50000;
  const InstrId top = open_symbol(maker, maker.dialect.table, "t", "private");
  for (int i = 1; i < kDepth; ++i) open_symbol(maker, maker.dialect.table, "t", "private");
  const SymbolDceStats stats = run_dce(maker);
  CHECK_EQ(stats.erased, 1U);
  CHECK_EQ(stats.erased_instrs, static_cast<std::uint64_t>(kDepth));
  CHECK(!alive(maker, top));
}
