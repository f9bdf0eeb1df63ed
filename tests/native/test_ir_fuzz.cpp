// Mutated texts: the parser accepts or reports, and what it accepts survives printing and bytecode.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/ir/bytecode.hpp"
#include "tests/native/check.hpp"
#include "tests/native/ir_text_support.hpp"

using namespace dynomite::ir;        // NOLINT: one file of tests
using namespace dynomite::ir::test;  // NOLINT

namespace {

const std::vector<std::string> kSeeds = {
    kDemo,
    "$0: let prog = GRAPH {\n  demo.IN %a:def(demo.word(32)) loc(\"a.c\":1:2, \"x.c\":3:4)\n"
    "  demo.ADD %d:def %a %e {k = 7, note = \"he\\\"llo\\x80\"}\n  demo.ADD %e:def(demo.word(32)) %a %a\n"
    "  demo.USE %d constant(-5, 32) constant(0x1ffffffffffffffff, 65) [1, [], {}, dict {}] _ -1 true\n"
    "  demo.IF %d {\n    demo.USE %a ^0\n  ^1:\n    demo.BR ^1 ^0\n  ^0:\n  } core.region empty\n}\n",
    "let lib = MODULE private {\n  demo.FUNC @f nested {\n    demo.OP %a:def(core.token) core.region &0 {\n  "
    "  } &0\n"
    "  } {z = {a = [], b = \"c\"}}\n  demo.FUNC @\"a b\" private core.block ^2 { demo.USE @\"a b\" ^2; }\n}\n"
    "demo.USE $x %lib @lib::@f\ndetached {\n  demo.OP %1:def {\n    $1: demo.IN %2:def\n  }\n  $x: demo.USE "
    "$1\n}\n",
    "using demo\nlet a = CFG {\n$one: IN %v:def(pair(word(1), word(2)))\nUSE %v:use(pair(word(1),word(2))) "
    "use(%v) \\\n 5\n}\n"
    "let b = CFG { $one\n USE %v, %v }\n",
    "dialect e { using core; let t = type { let params = list { %a:core.type, %b:core.string }; let token = "
    "true }\n"
    "let O.P = core.instr { let variadic = true; let graph_region = true } }\nlet e.Q = core.instr { let "
    "symbol = true }\n"
    "e.O.P e.t(core.none, \"x\") { e.Q @m { } }\n",
};

const std::vector<std::string> kPieces = {"{",
                                          "}",
                                          "(",
                                          ")",
                                          "[",
                                          "]",
                                          ":",
                                          "::",
                                          ";",
                                          ",",
                                          "\n",
                                          "\\\n",
                                          "//",
                                          "\"",
                                          "%a",
                                          "%0",
                                          "%\"a b\"#3",
                                          "^0",
                                          "&0",
                                          "$0",
                                          "@f",
                                          "@f::@g",
                                          "def",
                                          "use",
                                          "def(",
                                          ":def",
                                          ":def(",
                                          ":use(",
                                          "let x = CFG {",
                                          "constant(",
                                          "0x",
                                          "-",
                                          "999999999999999999999",
                                          "4294967295",
                                          "core.region",
                                          "core.block",
                                          "region &r {",
                                          "empty",
                                          "dict {",
                                          "_",
                                          "true",
                                          "loc(",
                                          "detached {",
                                          "dialect d {",
                                          "using demo",
                                          "demo.ADD",
                                          "demo.word(8)",
                                          "demo.FUNC @f {",
                                          "object(demo.word, 1, 2)",
                                          "private",
                                          "= ",
                                          std::string(1, '\0'),
                                          "\xff",
                                          "{}",
                                          "$q: "};

std::string whole_text(const Module& module) {
  dynomite::Stop stop;
  return print_text(module, {.locations = true, .declarations = true}, stop);
}

void fail_with(long round, const std::string& text, const std::string& what) {
  std::string message = "round ";
  message.append(std::to_string(round)).append(":\n").append(text).append("\ngives: ").append(what);
  dynomite::test::fail(__FILE__, __LINE__, message);
}

}  // namespace

TEST(mutated_texts) {
  const char* wanted = std::getenv("DYNOMITE_FUZZ_ROUNDS");
  const long rounds = wanted != nullptr ? std::atol(wanted) : 6000;
  const char* seed = std::getenv("DYNOMITE_FUZZ_SEED");
  dynomite::Random random(seed != nullptr ? static_cast<std::uint64_t>(std::atol(seed)) : 3);
  const auto base = demo_registry();
  const auto pick = [&](const std::vector<std::string>& from) {
    return from[random.below(static_cast<std::uint32_t>(from.size()))];
  };
  int accepted = 0;
  for (long round = 0; round < rounds; ++round) {
    std::string text = pick(kSeeds);
    if (random.below(2) == 0) text += pick(kSeeds);
    for (std::uint32_t k = random.below(4); k > 0; --k) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size() + 1));
      const std::size_t length =
          random.below(static_cast<std::uint32_t>(std::min<std::size_t>(text.size() - at, 20) + 1));
      switch (random.below(6)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, pick(kPieces)); break;
        case 2: text.replace(at, length, pick(kPieces)); break;
        case 3:
          text.insert(random.below(static_cast<std::uint32_t>(text.size() + 1)), text.substr(at, length));
          break;
        case 4:
          if (at < text.size()) text[at] = static_cast<char>(random.below(256));
          break;
        default: text.resize(at);
      }
      if (text.empty()) text = " ";
    }
    const auto registry = std::make_shared<Registry>(*base);
    ParseOptions options;
    options.locations = random.below(2) == 0;
    options.check_symbols = random.below(2) == 0;
    std::unique_ptr<Module> module;
    try {
      module = parse(text, registry, options);
    } catch (const SourceErrors& errors) {
      CHECK(!errors.render().empty());
      continue;
    }
    ++accepted;
    options.locations = false;
    options.check_symbols = false;
    try {
      const std::string printed = whole_text(*module);
      // Declarations are part of the text: they are read where they are not known yet.
      const auto again = parse(printed, std::make_shared<Registry>(*base), options);
      if (whole_text(*again) != printed || !same_module(*module, *again)) {
        fail_with(round, text, printed);
      }
      dynomite::Stop stop;
      const auto third = read_bytecode(write_bytecode(*module, stop), registry, {}, stop);
      CHECK(whole_text(*third) == printed);
    } catch (const std::exception& error) {
      // A detached user of a value that an isolated region defines; the language promises nothing there.
      const bool broken_isolation = text.find("detached") != std::string::npos &&
                                    std::string_view(error.what()).starts_with("unknown value");
      if (broken_isolation) continue;
      fail_with(round, text, error.what());
    }
  }
  CHECK(accepted > rounds / 10);
}
