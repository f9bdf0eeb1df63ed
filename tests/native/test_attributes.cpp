#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/ir/attributes.hpp"
#include "dynomite/native/ir/intern_pool.hpp"
#include "dynomite/native/ir/locations.hpp"
#include "dynomite/native/ir/registry.hpp"
#include "tests/native/check.hpp"

using namespace dynomite::ir;  // NOLINT: one file of tests
using dynomite::LimitError;
using dynomite::Random;
using dynomite::UsageError;

TEST(a_pool_numbers_contents_in_the_order_of_first_use) {
  Random random(3);
  InternPool pool;
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, std::uint32_t> model;
  for (int step = 0; step < 5000; ++step) {
    const std::uint32_t tag = random.below(3);
    std::vector<std::uint64_t> words(random.below(4));
    for (std::uint64_t& word : words) word = random.below(6);
    const auto [entry, is_new] = model.try_emplace({tag, words}, static_cast<std::uint32_t>(model.size()));
    CHECK_EQ(pool.add(tag, words), entry->second);
    CHECK_EQ(pool.tag(entry->second), tag);
    const auto kept = pool.words(entry->second);
    CHECK(std::vector<std::uint64_t>(kept.begin(), kept.end()) == words);
  }
  CHECK_EQ(pool.size(), model.size());
}

TEST(strings_of_all_lengths_and_bytes) {
  Attributes attributes;
  std::map<std::string, AttrId> made;
  for (std::size_t length = 0; length < 200; ++length) {
    for (const char byte : {'\0', 'a', '\xFF'}) {
      const std::string text(length, byte);
      const AttrId attr = attributes.string(text);
      CHECK(attributes.kind(attr) == AttrKind::kString);
      CHECK(attributes.text(attr) == text);
      const auto [entry, is_new] = made.try_emplace(text, attr);
      CHECK(entry->second == attr);
    }
  }
  for (const auto& [text, attr] : made) CHECK(attributes.string(text) == attr);
  CHECK_EQ(attributes.attr_count(), made.size());
}

TEST(constants_of_any_width) {
  Attributes attributes;
  for (std::uint32_t width = 1; width <= 200; ++width) {
    std::vector<std::uint64_t> ones((width + 63) / 64, ~std::uint64_t{0});
    if (width % 64 != 0) ones.back() >>= 64 - width % 64;
    const FatDynObjRef ref = attributes.constant(width, ones);
    CHECK(ref.kind == (width <= 64 ? kind::kConstant : kind::kWide));
    CHECK(attributes.constant(ref) == Constant({width, ones}));
    CHECK(attributes.constant(width, ones) == ref);
    // Zeros beyond the width are no part of the value, anything else does not fit.
    std::vector<std::uint64_t> longer = ones;
    longer.push_back(0);
    CHECK(attributes.constant(width, longer) == ref);
    longer.back() = 1;
    CHECK_THROWS(attributes.constant(width, longer), UsageError);
    if (width % 64 != 0) {
      ones.back() += 1;
      CHECK_THROWS(attributes.constant(width, ones), UsageError);
    }
    CHECK(attributes.constant(attributes.constant(width, {})).words ==
          std::vector<std::uint64_t>((width + 63) / 64, 0));
  }
  const std::uint64_t one = 1;
  CHECK(attributes.constant(65, {&one, 1}) != attributes.constant(66, {&one, 1}));
  CHECK_THROWS(attributes.constant(0, {}), UsageError);
}

TEST(lists_dictionaries_paths_and_types) {
  Attributes attributes;
  const AttrId a = attributes.string("a"), b = attributes.string("b");
  const FatDynObjRef five = attributes.constant(8, std::vector<std::uint64_t>{5});
  const FatDynObjRef name(kind::kAttr, a.index());
  const AttrId list = attributes.list(std::vector{five, name, five});
  CHECK(attributes.items(list) == (std::vector{five, name, five}));
  CHECK(attributes.items(attributes.list({})).empty());
  const AttrId dict = attributes.dict({{b, five}, {a, name}});
  CHECK(dict == attributes.dict({{a, name}, {b, five}}));
  const auto entries = attributes.entries(dict);
  CHECK(entries.size() == 2 && entries[0].first == a && entries[1].second == five);
  CHECK_THROWS(attributes.dict({{a, five}, {b, five}, {a, name}}), UsageError);
  const AttrId path = attributes.symbol_ref(std::vector{a, b});
  CHECK(attributes.path(path) == (std::vector{a, b}));
  CHECK(path != attributes.symbol_ref(std::vector{b, a}));
  CHECK_THROWS(attributes.symbol_ref({}), UsageError);
  const TypeId word = attributes.type({1, 2}, std::vector{five});
  CHECK(attributes.type_kind(word) == ObjKind({1, 2}));
  CHECK(attributes.type_params(word) == std::vector{five});
  CHECK(word == attributes.type({1, 2}, std::vector{five}));
  CHECK(word != attributes.type({1, 3}, std::vector{five}));
  CHECK(word != attributes.type({1, 2}, {}));
  CHECK_EQ(attributes.type_count(), 3U);
}

TEST(locations_are_sets) {
  Random random(8);
  Attributes attributes;
  Locations locations;
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  const AttrId file = attributes.string("f");
  std::vector<std::pair<LocationId, std::set<Place>>> made = {{LocationId(), {}}};
  for (int step = 0; step < 600; ++step) {
    const auto& [left, left_set] = made[random.below(static_cast<std::uint32_t>(made.size()))];
    const auto& [right, right_set] = made[random.below(static_cast<std::uint32_t>(made.size()))];
    std::set<Place> wanted = left_set;
    LocationId now;
    if (step % 3 == 0) {
      const Place place(random.below(20), 1 + random.below(2));
      wanted = {place};
      now = locations.single({file, place.first, place.second});
    } else {
      wanted.insert(right_set.begin(), right_set.end());
      now = locations.unite(left, right);
      const LocationId both[] = {right, LocationId(), left, right};
      CHECK(locations.unite(both) == now);
    }
    std::set<Place> found;
    for (const Origin& origin : locations.origins(now)) found.emplace(origin.line, origin.column);
    CHECK(found == wanted);
    CHECK_EQ(locations.origins(now).size(), wanted.size());
    std::vector<Place> in_order;
    for (const Origin& origin : locations.ordered_origins(now, attributes)) {
      in_order.emplace_back(origin.line, origin.column);
    }
    CHECK(std::equal(in_order.begin(), in_order.end(), wanted.begin(), wanted.end()));
    // Equal sets have one number, however they came to be.
    for (const auto& [other, other_set] : made) CHECK_EQ(other == now, other_set == wanted);
    if (made.size() < 60) made.emplace_back(now, wanted);
  }
}

TEST(a_context_numbers_what_is_declared) {
  Registry registry;
  const DialectId d = registry.add_dialect("d");
  const Opcode op = registry.add_op(d, {"OP", kPure | kSymbol, 1, 2, "doc"});
  const ObjKind type = registry.add_type(d, {"word", 1, false, ""});
  CHECK(registry.find_op("d.OP") == op && registry.find_type("d.word") == type);
  CHECK(registry.find_dialect("d") == d && !registry.find_dialect("e"));
  CHECK(!registry.find_op("d.op") && !registry.find_op("OP"));
  CHECK_EQ(registry.name(op), "d.OP");
  CHECK(registry.has_trait(op, kPure) && !registry.has_trait(op, kTerminator));
  CHECK(registry.knows(op) && !registry.knows(Opcode(d, 1)) && !registry.knows(Opcode(200, 0)));
  CHECK(registry.knows(type) && !registry.knows(ObjKind{d, 1}));
  CHECK_EQ(registry.nearest_op("d.OPP"), "d.OP");
  CHECK_EQ(registry.nearest_type("d.wrd"), "d.word");
  CHECK_EQ(registry.nearest_op("something.ELSE"), "");
  CHECK_THROWS(registry.add_dialect("d"), UsageError);
  CHECK_THROWS(registry.add_op(d, {"OP", 0, 0, 0, ""}), UsageError);
  CHECK_THROWS(registry.add_type(d, {"word", 0, false, ""}), UsageError);
  for (const char* bad : {"", "1a", "a b", "a-b", "\xC3\xA4"}) {
    CHECK_THROWS(registry.add_dialect(bad), UsageError);
    CHECK_THROWS(registry.add_op(d, {bad, 0, 0, 0, ""}), UsageError);
  }
}

TEST(a_context_is_full_at_its_limits_and_unchanged_then) {
  Registry registry;
  const DialectId d = registry.add_dialect("d");
  for (int i = 0; i < 256; ++i) {
    CHECK_EQ(registry.add_op(d, {"OP" + std::to_string(i), 0, 0, 0, ""}).number(), i);
    CHECK_EQ(registry.add_type(d, {"t" + std::to_string(i), 0, false, ""}).type, i);
  }
  CHECK_THROWS(registry.add_op(d, {"MORE", 0, 0, 0, ""}), LimitError);
  CHECK_THROWS(registry.add_type(d, {"more", 0, false, ""}), LimitError);
  CHECK(!registry.find_op("d.MORE") && !registry.find_type("d.more"));
  while (registry.dialect_count() < 255) registry.add_dialect("d" + std::to_string(registry.dialect_count()));
  const std::size_t before = registry.declaration_count();
  CHECK_THROWS(registry.add_dialect("more"), LimitError);
  CHECK_EQ(registry.declaration_count(), before);
  CHECK(!registry.find_dialect("more"));
}
