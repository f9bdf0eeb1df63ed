#include <string>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/ir/bytecode.hpp"
#include "dynomite/native/ir/bytecode_format.hpp"
#include "tests/native/check.hpp"
#include "tests/native/ir_text_support.hpp"

using namespace dynomite::ir;        // NOLINT: one file of tests
using namespace dynomite::ir::test;  // NOLINT
using dynomite::ParseError;
using dynomite::Stop;

namespace {

const char* const kEverything = R"($0: let prog = CFG {
  demo.IN %a:def(demo.word(32)) loc("a.c":1:2, "x.c":3:4)
  demo.IN %0:def(core.none)
  demo.ADD %d:def(demo.word(32)) %a %e {k = 7, note = "hello"}
  demo.ADD %e:def(demo.word(32)) %a %a
  demo.USE %d constant(5, 32) constant(0x1ffffffffffffffff, 65) @lib::@f "t\"\n" [1, 2, [], {}] demo.pair(demo.word(1), demo.word(2)) _ -1 true
  demo.IF %d {
    demo.USE %a ^0
  ^1:
    demo.BR ^1 ^0
  ^0:
  } core.region empty
}
let lib = MODULE private {
  demo.FUNC @f nested {
    demo.OP %a:def(core.token) core.region &0 {
    } &0
  } {z = {a = [], b = "c"}}
  demo.FUNC @"a b" private core.block ^2 {
    demo.USE @"a b" ^2
  }
}
demo.USE $0
detached {
  demo.OP %1:def(core.none) {
    $1: demo.IN %2:def(core.none)
  }
  demo.USE $1
}
)";

std::string write(const Module& module) {
  Stop stop;
  return write_bytecode(module, stop);
}

std::unique_ptr<Module> read(const std::string& bytes, const std::shared_ptr<Registry>& registry) {
  Stop stop;
  return read_bytecode(bytes, registry, {}, stop);
}

/// A graph region lets `%d` come before `%e`.
std::string everything() {
  std::string text = kEverything;
  text.replace(text.find("CFG"), 3, "GRAPH");
  return text;
}

/// The bytes with a right length and checksum.
std::string sealed(std::string bytes) {
  const std::size_t payload = bytes.size() - bytecode::kHeader - bytecode::kTrailer;
  for (std::size_t i = 0; i < 8; ++i) bytes[8 + i] = static_cast<char>(payload >> (8 * i) & 0xFF);
  const std::size_t end = bytes.size() - bytecode::kTrailer;
  const std::uint32_t crc = bytecode::Crc32c::of(std::string_view(bytes).substr(0, end));
  for (std::size_t i = 0; i < 4; ++i) bytes[end + i] = static_cast<char>(crc >> (8 * i) & 0xFF);
  return bytes;
}

}  // namespace

TEST(crc_of_the_check_string) { CHECK_EQ(bytecode::Crc32c::of("123456789"), 0xE3069283U); }

TEST(bytecode_gives_the_same_module) {
  const auto registry = demo_registry();
  const auto module = parse(everything(), registry);
  CHECK_EQ(print(*module, true), everything());
  const std::string bytes = write(*module);
  const auto again = read(bytes, registry);
  CHECK_EQ(print(*again, true), everything());
  CHECK(write(*again) == bytes);
  CHECK(same_module(*module, *again));
}

TEST(bytecode_carries_declared_dialects) {
  const auto module = parse(everything());
  const auto empty = std::make_shared<Registry>();
  const auto again = read(write(*module), empty);
  CHECK(same_module(*module, *again));
  Stop stop;
  CHECK_EQ(print_text(*module, {true, true}, stop).substr(0, 20), std::string("extern dialect demo "));
  // The text as well.
  const auto other = std::make_shared<Registry>();
  const auto third = parse(print_text(*module, {true, true}, stop), other);
  CHECK(same_module(*module, *third));
}

TEST(modules_that_differ_have_different_bytes) {
  const auto registry = demo_registry();
  const auto a = parse("demo.IN %a:def(demo.word(3))\n", registry);
  for (const char* text :
       {"demo.IN %b:def(demo.word(3))\n", "demo.IN %a:def(demo.word(4))\n", "",
        "demo.IN %a:def(demo.word(3)) {k = 1}\n", "demo.IN %a:def(demo.word(3)) loc(\"f\":1:1)\n"}) {
    CHECK(!same_module(*a, *parse(text, registry)));
  }
  CHECK(same_module(*a, *parse("  demo.IN   def(%a : demo.word( 3 ))", registry)));
}

TEST(every_corrupted_byte_is_noticed) {
  const auto registry = demo_registry();
  const std::string bytes = write(*parse(everything(), registry));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 1; bit < 256; ++bit) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ bit);
      CHECK_THROWS(read(bad, registry), ParseError);
    }
  }
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CHECK_THROWS(read(bytes.substr(0, length), registry), ParseError);
  }
  CHECK_THROWS(read(bytes + '\0', registry), ParseError);
}

TEST(corruption_with_a_right_checksum_never_crashes) {
  const auto registry = demo_registry();
  const std::string bytes = write(*parse(everything(), registry));
  dynomite::Random random(11);
  int accepted = 0;
  const auto attempt = [&](const std::string& bad) {
    try {
      const auto module = read(bad, std::make_shared<Registry>(*registry));
      ++accepted;
      // What is accepted can be written and read again.
      const std::string again = write(*module);
      CHECK(same_module(*module, *read(again, module->registry())));
      print(*module, true);
    } catch (const ParseError&) {
    } catch (const dynomite::UsageError&) {  // such a module cannot be printed
    }
  };
  for (std::size_t i = bytecode::kHeader; i + bytecode::kTrailer < bytes.size(); ++i) {
    for (const int change : {1, 2, 3, 4, 8, 0x7F, 0x80, 0xFF}) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ change);
      attempt(sealed(bad));
    }
  }
  for (int round = 0; round < 3000; ++round) {
    std::string bad = bytes;
    for (std::uint32_t k = 1 + random.below(4); k > 0; --k) {
      const std::size_t at =
          bytecode::kHeader +
          random.below(static_cast<std::uint32_t>(bad.size() - bytecode::kHeader - bytecode::kTrailer));
      switch (random.below(3)) {
        case 0: bad[at] = static_cast<char>(random.below(256)); break;
        case 1: bad.erase(at, 1); break;
        default: bad.insert(at, 1, static_cast<char>(random.below(256)));
      }
    }
    attempt(sealed(bad));
  }
  CHECK(accepted > 0);
}

TEST(a_number_of_a_version_to_come) {
  std::string bytes = write(*parse(""));
  bytes[4] = 2;
  try {
    read(sealed(bytes), demo_registry());
    CHECK(false);
  } catch (const ParseError& error) {
    CHECK_EQ(std::string(error.what()), std::string("bytecode of version 2; this program reads version 1"));
    CHECK_EQ(error.place().offset, 4U);
  }
}

TEST(unknown_names_in_bytecode) {
  // An operation declared elsewhere by a program.
  const auto there = std::make_shared<Registry>();
  there->add_op(there->add_dialect("hw"), {"ADDER", 0, 0, 0, ""});
  const auto here = std::make_shared<Registry>();
  here->add_op(here->add_dialect("hw"), {"ADDERS", 0, 0, 0, ""});
  try {
    read(write(*parse("hw.ADDER", there)), here);
    CHECK(false);
  } catch (const ParseError& error) {
    CHECK_EQ(std::string(error.what()),
             std::string("unknown operation 'hw.ADDER'; did you mean 'hw.ADDERS'?"));
  }
}

TEST(deep_nesting_in_bytecode) {
  std::string text;
  constexpr int kDepth = 100000;
  for (int i = 0; i < kDepth; ++i) text += "demo.IF 1 {\n";
  for (int i = 0; i < kDepth; ++i) text += "}\n";
  text += "demo.USE " + std::string(kDepth, '[') + std::string(kDepth, ']') + "\n";
  const auto registry = demo_registry();
  const auto module = parse(text, registry);
  CHECK_EQ(module->instrs().live_count(), static_cast<std::uint32_t>(kDepth) + 1);
  const auto again = read(write(*module), registry);
  CHECK(print(*again) == print(*module));
  CHECK(same_module(*parse(print(*module), registry), *again));
}

TEST(many_origins_take_linear_memory) {
  std::string text = "demo.IN %a:def loc(\"f\":1:1";
  for (int i = 2; i < 20000; ++i) text += ", \"f\":" + std::to_string(i) + ":1";
  const auto registry = demo_registry();
  const auto module = parse(text + ")", registry);
  CHECK(module->memory() < std::size_t{1} << 23);
  CHECK(read(write(*module), registry)->memory() < std::size_t{1} << 23);
}

TEST(shared_parts_are_written_once_and_refused_as_endless_text) {
  const auto registry = demo_registry();
  const auto module = parse("demo.USE [1]\n", registry);
  FatDynObjRef list = module->instrs().operand(InstrId(0), 0).ref;
  for (int i = 0; i < 60; ++i) {
    const FatDynObjRef twice[2] = {list, list};
    list = {kind::kAttr, module->attributes().list(twice).index()};
  }
  module->instrs().set_operand(InstrId(0), 0, list);
  const std::string bytes = write(*module);
  CHECK(bytes.size() < 1000);
  CHECK(same_module(*module, *read(bytes, registry)));
  CHECK_THROWS(print(*module), dynomite::LimitError);
}
