#include <iostream>
#include <string>

#include "tests/native/check.hpp"
#include "tests/native/ir_text_support.hpp"

using namespace dynomite::ir;        // NOLINT: one file of tests
using namespace dynomite::ir::test;  // NOLINT

TEST(smoke) {
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
    std::cout << printed;
    auto again = parse(printed, registry);
    CHECK_EQ(print(*again), printed);
  } catch (const SourceErrors& e) {
    std::cout << e.render();
    CHECK(false);
  }
}
