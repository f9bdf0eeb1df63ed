#include <string>
#include <utility>

#include "tests/native/check.hpp"
#include "tests/native/ir_text_support.hpp"

using namespace dynomite::ir;        // NOLINT: one file of tests
using namespace dynomite::ir::test;  // NOLINT

TEST(all_parts_survive_a_round_trip) {
  const std::string text = R"(let prog = CFG {
  demo.IN %a:def(demo.word(32))
  demo.IN %b:def(demo.word(32))
  demo.ADD %d:def(demo.word(32)) %a %b {note = "hello", k = 7}
  demo.USE %d constant(5, 32) @lib::@f "text" [1, 2, [], {}] demo.pair(demo.word(1), demo.word(2)) _ -1 true
  demo.IF %d {
    demo.USE %a
    ^x:
    demo.BR ^x ^y
    ^y:
  } {
  }
}
let lib = MODULE private {
  demo.FUNC @f {
  } {z = 1}
  demo.FUNC @"a b" private core.block { demo.USE @"a b" }
}
$i: demo.USE %prog $i
)";
  try {
    auto registry = demo_registry();
    auto module = parse(text, registry);
    const std::string printed = print(*module);
    auto again = parse(printed, registry);
    CHECK_EQ(print(*again), printed);
  } catch (const SourceErrors& e) {
    CHECK_EQ(e.render(), std::string());
  }
}

TEST(the_canonical_form_is_kept) {
  // Text and what is printed of it, where they differ.
  const std::pair<const char*, const char*> cases[] = {
      {"using demo; IN def(%a : word(8)); USE use(%a), %a:use(word(8))",
       "demo.IN %a:def(demo.word(8))\ndemo.USE %a %a\n"},
      {"demo.USE \\\n 1 // comment\n", "demo.USE 1\n"},
      {"demo.USE {\n  a = 1,\n  \"b c\" = [\n 2 ] }", "demo.USE {a = 1, \"b c\" = [2]}\n"},
      {"demo.USE 0xff -0 constant(-1, 3) constant(1, 1) constant(-1, 64)",
       "demo.USE 255 0 constant(7, 3) true -1\n"},
      {"demo.IN %7:def\ndemo.IN %3:def\ndemo.USE %7 %3",
       "demo.IN %0:def(core.none)\ndemo.IN %1:def(core.none)\ndemo.USE %0 %1\n"},
      {"demo.IN %\"7\":def\ndemo.IN %\"x\":def",
       "demo.IN %\"7\":def(core.none)\ndemo.IN %x:def(core.none)\n"},
      {"demo.IN %a:def\ndemo.IN %a#7:def\ndemo.USE %a#7 %a",
       "demo.IN %a:def(core.none)\ndemo.IN %a#1:def(core.none)\ndemo.USE %a#1 %a\n"},
      {"let f = demo.FUNC public {}", "demo.FUNC @f {\n}\n"},
      {"core.CFG @\"a b\" {}", "core.CFG @\"a b\" {\n}\n"},
      {"demo.IF 1 {^first:\n}", "demo.IF 1 {\n}\n"},
      {"demo.IF 1 {^first: demo.BR ^first}", "demo.IF 1 {\n^0:\n  demo.BR ^0\n}\n"},
      {"demo.USE region empty use(core.region)", "demo.USE core.region empty use(core.region)\n"},
      {"demo.USE dict {} {a = 1}", "demo.USE dict {} {a = 1}\n"},
      {"dialect s { let S = core.instr { let symbol = true; let variadic = true } }\ns.S @f dict {} dict {}",
       "s.S @f dict {} dict {}\n"},
      {"demo.USE object(demo.word, 3, -1)", "demo.USE object(demo.word, 3, -1)\n"},
      {"demo.USE \"\\x41\\xc3\\xa4\\xff\\t\"", "demo.USE \"A\xc3\xa4\\xFF\\t\"\n"},
      {"let a = CFG {\n demo.IN %v:def\n}\nlet b = CFG {\n demo.IN %v:def\n}",
       "let a = CFG {\n  demo.IN %v:def(core.none)\n}\nlet b = CFG {\n  demo.IN %v:def(core.none)\n}\n"},
      {"", ""},
  };
  for (const auto& [text, wanted] : cases) {
    const auto registry = demo_registry();
    try {
      const auto module = parse(text, registry);
      CHECK_EQ(print(*module), std::string(wanted));
      CHECK_EQ(print(*parse(wanted, registry)), std::string(wanted));
    } catch (const SourceErrors& errors) {
      CHECK_EQ(errors.render(), std::string());
    }
  }
}

TEST(a_value_used_inside_of_an_isolated_region_keeps_its_meaning) {
  // The verifier rejects it, the text still tells the two values apart.
  const auto registry = demo_registry();
  const auto module = parse("demo.IN %a:def\ndemo.FUNC @f {\n  demo.IN %b:def\n  demo.USE %a\n}\n", registry);
  module->set_value_name(dynomite::ir::ValueId(1), module->attributes().string("a"));
  const std::string text = print(*module);
  CHECK_EQ(text, std::string("demo.IN %a:def(core.none)\ndemo.FUNC @f {\n  demo.IN %a#1:def(core.none)\n"
                             "  demo.USE %a\n}\n"));
  CHECK_EQ(print(*parse(text, registry)), text);
}
