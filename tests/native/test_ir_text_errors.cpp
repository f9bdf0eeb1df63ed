#include <algorithm>
#include <string>

#include "tests/native/check.hpp"
#include "tests/native/ir_text_support.hpp"

using namespace dynomite::ir;        // NOLINT: one file of tests
using namespace dynomite::ir::test;  // NOLINT

namespace {

/// First lines only: `LINE:COLUMN: severity: message` of every error and note, without the source lines.
std::string brief(const std::string& text, const ParseOptions& options = {}) {
  std::string out;
  const std::string all = errors_of(text, options);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const std::string line = all.substr(at, end - at);
    if (line.starts_with("<text>:")) out += line.substr(7) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace

TEST(an_error_shows_line_and_caret) {
  CHECK_EQ(errors_of("demo.IN %a:def(demo.word(8))\n  demo.ADDD %b:def %a %a\n"),
           std::string("<text>:2:3: error: unknown operation 'demo.ADDD'; did you mean 'demo.ADD'?\n"
                       "      demo.ADDD %b:def %a %a\n"
                       "      ^\n"));
}

TEST(one_test_for_every_message) {
  struct Case {
    const char* text;
    const char* wanted;
  };
  const Case cases[] = {
      // Names.
      {"demo.IN %a:def(demo.wrod(8))", "1:16: error: unknown type 'demo.wrod'; did you mean 'demo.word'?\n"},
      {"using demo\nADDD", "2:1: error: unknown operation 'ADDD'; did you mean 'ADD'?\n"},
      {"using dmeo", "1:7: error: unknown dialect 'dmeo'; did you mean 'demo'?\n"},
      {"demo.USE %x", "1:10: error: unknown value %x\n"},
      {"demo.BR ^x", "1:9: error: unknown block ^x\n"},
      {"demo.USE &x", "1:10: error: unknown region &x\n"},
      {"demo.USE $x", "1:10: error: unknown instruction $x\n"},
      {"demo.IN %a:def\n demo.IN %a:def",
       "2:10: error: the value %a is defined twice\n1:9: note: first defined here: 1:9\n"},
      {"demo.IF 1 {\n^x:\n^x:\n}",
       "3:1: error: the block ^x is defined twice\n2:1: note: first defined here: 2:1\n"},
      {"demo.USE %007",
       "1:10: error: a name that starts with a digit is a number without leading zeros, or stands in "
       "quotes\n"},
      {"demo.USE % 1", "1:10: error: expected a name behind the sign\n"},
      {"demo.IN %a#:def", "1:9: error: expected a number behind '#'\n"},
      // Order.
      {"demo.ADD %b:def %a %a\ndemo.IN %a:def",
       "1:17: error: the value %a is used before its definition; only graph regions allow that\n"
       "2:9: note: defined here: 2:9\n"
       "1:20: error: the value %a is used before its definition; only graph regions allow that\n"
       "2:9: note: defined here: 2:9\n"},
      {"demo.OP %b:def %b",
       "1:16: error: the value %b is used by the instruction that defines it; only graph regions allow that\n"
       "1:9: note: defined here: 1:9\n"},
      {"demo.OP %b:def {\n demo.USE %b\n}",
       "2:11: error: the value %b is used by the instruction that defines it; only graph regions allow that\n"
       "1:9: note: defined here: 1:9\n"},
      // Operands.
      {"demo.IN %a:def(demo.word(8))\ndemo.ADD %b:def %a",
       "2:1: error: 'demo.ADD' takes 2 operands, not 1\n"},
      {"demo.IN %a:def(demo.word(8))\ndemo.ADD %b:def %a %a %a",
       "2:23: error: 'demo.ADD' takes 2 operands, not 3\n"},
      {"demo.CALL", "1:1: error: 'demo.CALL' takes at least 1 operand, not 0\n"},
      {"demo.IN 1", "1:9: error: operand 1 of 'demo.IN' must define a value, as in %a:def(type)\n"},
      {"demo.IN", "1:1: error: 'demo.IN' defines 1 value, not 0\n"},
      {"demo.IN %a:def %b:def", "1:16: error: 'demo.IN' defines 1 value, not 2\n"},
      {"demo.ADD %a:def(demo.word(8)) \"a\" 1",
       "1:31: error: operand 2 of 'demo.ADD' must be a value or a constant\n"},
      {"demo.IN %a:def(demo.word(8))\ndemo.IN %b:def(demo.word(16))\ndemo.ADD %c:def(demo.word(8)) %a %b",
       "3:34: error: operand 3 of 'demo.ADD' has the type demo.word(16), the ones before have demo.word(8)\n"
       "2:9: note: %b is defined here: 2:9\n"},
      {"demo.IN %b:def(demo.word(16))\ndemo.USE %b:use(demo.word(8))",
       "2:10: error: the value %b has the type demo.word(16), not demo.word(8)\n1:9: note: defined here: "
       "1:9\n"},
      {"let g = GRAPH {\ndemo.ADD %c:def(demo.word(8)) %b %b\ndemo.IN %b:def(demo.word(16))\n}",
       "2:1: error: operand 2 of 'demo.ADD' has the type demo.word(16), the ones before have demo.word(8)\n"},
      {"demo.IN %a:dfe", "1:12: error: expected 'def' or 'use' behind %a:\n"},
      {"demo.USE def(1)", "1:14: error: expected a value, as in def(%a)\n"},
      {"demo.IN def %a", "1:13: error: expected '(' behind 'def' or 'use'\n"},
      {"demo.USE loc(\"f\":1:2) 1", "1:23: error: loc(...) is the last part of an instruction\n"},
      {"demo.USE loc(f:1:2)", "1:14: error: expected a file name in quotes\n"},
      {"demo.USE loc(\"f\":-1:2)", "1:18: error: a line number is a number below 2^32\n"},
      // Symbols.
      {"demo.FUNC {\n}", "1:1: error: 'demo.FUNC' needs a name, as in demo.FUNC @name\n"},
      {"demo.FUNC @ {\n}", "1:11: error: expected a name behind '@'\n"},
      {"let f = demo.FUNC {}\nlet m = MODULE {\ndemo.FUNC @f {}\n}\ndemo.FUNC @f {}",
       "5:11: error: the symbol @f exists already\n1:5: note: first defined here: 1:5\n"},
      {"let main = CFG { }\ndemo.USE @mian", "2:10: error: unknown symbol @mian; did you mean @main?\n"},
      {"let m = MODULE { demo.FUNC @f private {} }\ndemo.USE @m::@f",
       "2:10: error: the symbol @f is private to @m\n1:28: note: defined here: 1:28\n"},
      {"let m = MODULE { demo.FUNC @f {} }\ndemo.USE {uses = [@m::@g]}",
       "2:19: error: unknown symbol @g in @m; did you mean @f?\n1:5: note: @m is defined here: 1:5\n"},
      {"let m = CFG { }\ndemo.USE @m::@g",
       "2:10: error: the symbol @m is no symbol table\n1:5: note: defined here: 1:5\n"},
      {"demo.FUNC @f {}\nlet m = MODULE { demo.USE @f }",
       "2:27: error: unknown symbol @f\n"
       "1:11: note: a symbol of this name is outside of the nearest symbol table: 1:11\n"},
      {"demo.USE @a::b", "1:14: error: expected '@' behind '::'\n"},
      {"let x = demo.USE 1", "1:9: error: 'let' names symbols, and 'demo.USE' is none\n"},
      {"demo.FUNC @f {} {sym_name = \"g\"}",
       "1:17: error: 'sym_name' is written behind the operation, as in demo.FUNC @name private\n"},
      // Values.
      {"demo.USE \"abc\ndemo.USE", "1:10: error: the string that starts here has no end\n"},
      {"demo.USE \"a\\q\"", "1:12: error: unknown escape; there are \\\" \\\\ \\n \\t \\r and \\xHH\n"},
      {"demo.USE \"\\x1\"", "1:11: error: expected two hexadecimal digits behind '\\x'\n"},
      {"demo.USE constant(256, 8)", "1:19: error: the constant does not fit into 8 bits\n"},
      {"demo.USE constant(-129, 8)", "1:19: error: the constant does not fit into 8 bits\n"},
      {"demo.USE constant(0, 0)", "1:22: error: a constant has at least one bit\n"},
      {"demo.USE constant(0, 4294967295)",
       "1:22: error: the constants of this text are too wide: more than 65552 words of 64 bits\n"},
      {"demo.USE 18446744073709551616",
       "1:10: error: the number does not fit into 64 bits; write constant(NUMBER, WIDTH)\n"},
      {"demo.USE 1.5", "1:11: error: a number ends here, and there are no other numbers than integers\n"},
      {"demo.USE 0x", "1:10: error: expected digits behind '0x'\n"},
      {"demo.USE -", "1:10: error: expected a number\n"},
      {"demo.USE [1 2]", "1:13: error: expected ',' or ']'\n1:10: note: opened here: 1:10\n"},
      {"demo.USE [%a]", "1:11: error: '%' is an operand of its own and cannot be a part of a value\n"},
      {"demo.USE {a = 1, a = 2}",
       "1:18: error: the attribute 'a' comes twice\n1:11: note: first given here: 1:11\n"},
      {"demo.USE {a = 1, 2}", "1:18: error: expected the name of an attribute\n"},
      {"demo.USE {a = 1, b}", "1:19: error: expected '=' behind the name of an attribute\n"},
      {"demo.USE {a = }", "1:15: error: expected a value\n"},
      {"demo.USE ?", "1:10: error: expected a value\n"},
      {"demo.USE \x01", "1:10: error: expected a value, not byte 1\n"},
      {"demo.IN %a:def(demo.word)", "1:16: error: the type 'demo.word' takes 1 parameter, not 0\n"},
      {"demo.IN %a:def(demo.pair(demo.word(1), 2))",
       "1:16: error: parameter %second of the type 'demo.pair' must be a type\n"},
      {"demo.IN %a:def(demo.word(-1))",
       "1:16: error: parameter %width of the type 'demo.word' must be a number from 0 up\n"},
      {"demo.IN %a:def(1)", "1:16: error: expected a type\n"},
      {"demo.USE object(core.instr, 1, 2)",
       "1:17: error: objects of the core dialect have a form of their own\n"},
      // Structure.
      {"demo.IF 1 {\n", "2:1: error: the text ends inside of a region\n1:11: note: opened here: 1:11\n"},
      {"}", "1:1: error: '}' closes nothing\n"},
      {"?", "1:1: error: expected an instruction, not '?'\n"},
      {"demo.IF 1 block {\n^x:\n}", "2:1: error: there are no labels in a single block\n"},
      {"detached {\n^x:\n}", "2:1: error: detached instructions are in no block\n"},
      {"demo.IF 1 block 5", "1:17: error: expected '{' behind 'block'\n"},
      {"$a: demo.USE $a\n$a",
       "2:1: error: the instruction $a is in this region already\n1:1: note: defined here: 1:1\n"},
      {"$a", "1:1: error: the instruction $a is not complete before this line\n"},
      {"$a: 5", "1:5: error: expected an instruction behind its label\n"},
      {"let", "1:4: error: expected a name behind 'let'\n"},
      {"let x CFG {}", "1:7: error: expected '=' behind the name of 'let'\n"},
      {"let x = {}", "1:9: error: expected an operation behind 'let x ='\n"},
      // Declarations.
      {"dialect", "1:8: error: expected a name behind 'dialect'\n"},
      {"dialect d {\nlet",
       "2:4: error: expected a name behind 'let'\n2:4: error: the text ends inside of a dialect\n1:11: note: "
       "opened here: 1:11\n"},
      {"dialect d { let A = thing {} }", "1:21: error: expected 'type' or 'core.instr'\n"},
      {"dialect d { let A = core.instr { let prue = true } }",
       "1:38: error: an operation has no property 'prue'; did you mean 'pure'?\n"},
      {"dialect d { let A = core.instr { let pure = 1 } }", "1:45: error: expected 'true' or 'false'\n"},
      {"dialect d { let t = type { let size = 1 } }",
       "1:32: error: a type has no property 'size'; there are params, token and doc\n"},
      {"dialect d { let t = type { let params = list { %a:int } } }",
       "1:51: error: a parameter is core.unsigned, core.type, core.string or core.any\n"},
      {"dialect demo { let ADD = core.instr { } }",
       "1:20: error: the operation 'demo.ADD' exists already and is different\n"},
      {"dialect demo { let word = type { } }",
       "1:20: error: the type 'demo.word' exists already and is different\n"},
      {"let ADD = core.instr { }",
       "1:5: error: a declaration outside of 'dialect' needs the dialect in its name, as in hw.ADD\n"},
      {"dialect e { let ADD = core.instr { } }\nusing demo\nusing e\nADD",
       "4:1: error: 'ADD' may be 'demo.ADD' or 'e.ADD'\n"},
  };
  for (const Case& one : cases) CHECK_EQ(brief(one.text), std::string(one.wanted));
}

TEST(several_errors_are_collected) {
  CHECK_EQ(brief("demo.ADDD %a:def 1 2\n"
                 "demo.USE %a [1, ,] {\n"
                 "  demo.USE constant(9, 2)\n"
                 "}\n"
                 "demo.USE \"x\n"
                 "demo.IF 1 {\n"
                 "  demo.USE constant(4, 2)\n"
                 "  demo.USE %a\n"
                 "}\n"
                 "demo.USE 1.5 [2,\n"
                 "  3]\n"
                 "demo.FUNC @f {}\n"
                 "demo.FUNC @f {}\n"
                 "demo.USE @g"),
           std::string("1:1: error: unknown operation 'demo.ADDD'; did you mean 'demo.ADD'?\n"
                       "2:17: error: expected a value\n"
                       "3:21: error: the constant does not fit into 2 bits\n"
                       "5:10: error: the string that starts here has no end\n"
                       "7:21: error: the constant does not fit into 2 bits\n"
                       "10:11: error: a number ends here, and there are no other numbers than integers\n"
                       "13:11: error: the symbol @f exists already\n12:11: note: first defined here: 12:11\n"
                       "14:10: error: unknown symbol @g; did you mean @f?\n"));
}

TEST(errors_are_counted_up_to_the_limit) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "demo.NOTHING\n";
  ParseOptions options;
  options.max_errors = 3;
  const std::string found = brief(text, options);
  CHECK_EQ(std::count(found.begin(), found.end(), '\n'), 3);
}

TEST(a_failed_parse_leaves_the_registry_alone) {
  const auto registry = demo_registry();
  try {
    parse("dialect fresh { let A = core.instr { } }\nlet demo.B = core.instr { }\nfresh.B", registry);
    CHECK(false);
  } catch (const SourceErrors&) {
  }
  CHECK(!registry->find_dialect("fresh"));
  CHECK(!registry->find_op("demo.B"));
}

TEST(names_can_be_reused_in_isolated_regions_only) {
  CHECK_EQ(brief("demo.FUNC @f { demo.IN %a:def }\ndemo.FUNC @g { demo.IN %a:def\n demo.USE %a }"),
           std::string());
  CHECK_EQ(brief("demo.FUNC @f { demo.IN %a:def }\ndemo.USE %a"),
           std::string("2:10: error: unknown value %a\n"));
}
