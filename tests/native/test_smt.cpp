#include <array>
#include <string>
#include <vector>

#include "dmt_dialect/native/smt/script.hpp"
#include "dmt_dialect/native/smt/term_blaster.hpp"
#include "dmt_dialect/native/smt/term_writer.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

// Simplified terms and their gates against the values of terms as they were made.

using dmt::BitVec;
using dmt::Lit;
using dmt::WordOp;
using dmt::smt::Model;
using dmt::smt::Sort;
using dmt::smt::TermId;
using dmt::smt::TermStore;

namespace {

constexpr std::array kBinary = {WordOp::kAdd,  WordOp::kSub,  WordOp::kMul,  WordOp::kAnd,  WordOp::kOr,
                                WordOp::kXor,  WordOp::kNand, WordOp::kNor,  WordOp::kXnor, WordOp::kUdiv,
                                WordOp::kUrem, WordOp::kSdiv, WordOp::kSrem, WordOp::kSmod, WordOp::kShl,
                                WordOp::kLshr, WordOp::kAshr, WordOp::kRol,  WordOp::kRor};
constexpr std::array kCompare = {WordOp::kEq,    WordOp::kNe,    WordOp::kUlt,   WordOp::kUle,  WordOp::kUgt,
                                 WordOp::kUge,   WordOp::kSlt,   WordOp::kSle,   WordOp::kSgt,  WordOp::kSge,
                                 WordOp::kUaddo, WordOp::kSsubo, WordOp::kUmulo, WordOp::kSdivo};

struct Maker {
  TermStore& terms;
  dynomite::Random random;
  std::vector<TermId> words;  // of three bits
  std::vector<TermId> truths;

  TermId word() { return words[random.below(static_cast<std::uint32_t>(words.size()))]; }
  TermId truth() { return truths[random.below(static_cast<std::uint32_t>(truths.size()))]; }
  TermId op(WordOp op, const std::vector<TermId>& operands, std::uint32_t hi = 0, std::uint32_t lo = 0) {
    return terms.op(op, operands, terms.default_sort(op, operands, hi, lo), hi, lo);
  }

  void step() {
    switch (random.below(9)) {
      case 0:
      case 1:
      case 2: words.push_back(op(kBinary[random.below(kBinary.size())], {word(), word()})); break;
      case 3: truths.push_back(op(kCompare[random.below(kCompare.size())], {word(), word()})); break;
      case 4: words.push_back(op(WordOp::kMux, {truth(), word(), word()})); break;
      case 5: truths.push_back(op(WordOp::kMux, {truth(), truth(), truth()})); break;
      case 6: {
        constexpr std::array kBool = {WordOp::kAnd, WordOp::kOr, WordOp::kXor, WordOp::kEq, WordOp::kXnor};
        truths.push_back(op(kBool[random.below(kBool.size())], {truth(), truth()}));
        break;
      }
      case 7: {
        const TermId wide = random.below(2) == 0
                                ? op(WordOp::kConcat, {word(), word()})
                                : op(random.below(2) == 0 ? WordOp::kZext : WordOp::kSext, {word()}, 6);
        const std::uint32_t lo = random.below(4);
        words.push_back(op(WordOp::kSlice, {wide}, lo + 2, lo));
        break;
      }
      default:
        words.push_back(op(random.below(2) == 0 ? WordOp::kNot : WordOp::kNeg, {word()}));
        truths.push_back(op(WordOp::kNot, {truth()}));
    }
  }
};

}  // namespace

TEST(gates_compute_what_terms_say) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    TermStore terms;
    Maker maker{terms, dynomite::Random(seed), {}, {}};
    const std::array variables = {terms.variable("a", Sort::bits(3)), terms.variable("b", Sort::bits(2)),
                                  terms.variable("p", Sort::boolean())};
    maker.words = {variables[0], maker.op(WordOp::kZext, {variables[1]}, 3)};
    for (std::uint64_t value = 0; value < 8; ++value) {
      if (value < 2 || value == 7 || maker.random.below(4) == 0) {
        maker.words.push_back(terms.constant(Sort::bits(3), BitVec(3, value)));
      }
    }
    maker.truths = {variables[2], terms.boolean(false), terms.boolean(true)};
    for (int i = 0; i < 40; ++i) maker.step();
    std::vector<TermId> roots = maker.words;
    roots.insert(roots.end(), maker.truths.begin(), maker.truths.end());

    dynomite::Stop stop;
    dmt::AigStore aig;
    dmt::smt::TermBlaster blaster(terms, aig);
    std::vector<std::vector<Lit>> lits(roots.size());
    for (const TermId variable : variables) {
      std::vector<Lit> bits;
      CHECK(blaster.blast(variable, stop, bits));
    }
    for (std::size_t i = 0; i < roots.size(); ++i) CHECK(blaster.blast(roots[i], stop, lits[i]));
    const std::vector<std::uint64_t> tables = random_aig::truth_tables(aig);
    for (unsigned row = 0; row < 64; ++row) {
      std::vector<std::uint8_t> inputs;
      for (unsigned bit = 0; bit < 6; ++bit) inputs.push_back(row >> bit & 1U);
      const auto values = dmt::smt::evaluate_terms(terms, roots, blaster.model(inputs), stop);
      for (std::size_t i = 0; i < roots.size(); ++i) {
        const BitVec& value = (*values)[i];
        for (std::uint32_t bit = 0; bit < value.width(); ++bit) {
          const Lit lit = lits[i][bit];
          const bool gate = ((tables[lit.node().index()] >> row & 1U) != 0) != lit.complemented();
          if (gate != value.bit(bit)) CHECK_EQ(gate, value.bit(bit));
        }
      }
    }
  }
}

TEST(written_scripts_are_read_as_the_same_terms) {
  dynomite::Stop stop;
  const std::string text =
      "(declare-const a (_ BitVec 8))(declare-const p Bool)"
      "(assert (let ((x (bvadd a #x01))) (ite p (= x (bvmul x x)) (bvult x ((_ rotate_left 3) a)))))";
  const dmt::smt::Script script = dmt::smt::read_script(text, "x", stop);
  std::string before = text;
  for (int round = 0; round < 2; ++round) {
    const dmt::smt::Script read = dmt::smt::read_script(before, "x", stop);
    std::vector<TermId> asserted;
    for (const auto& command : read.commands) {
      if (command.kind == dmt::smt::CommandKind::kAssert) asserted.push_back(command.terms[0]);
    }
    CHECK_EQ(asserted.size(), std::size_t{1});
    dynomite::StringSink sink;
    dmt::smt::write_terms(read.terms, asserted, {}, sink, stop);
    if (round == 1) CHECK_EQ(sink.bytes(), before);
    before = sink.bytes();
  }
  CHECK_EQ(script.commands.size(), std::size_t{3});
}

TEST(deep_terms) {
  dynomite::Stop stop;
  constexpr int kDepth = 200000;
  std::string text = "(declare-const p Bool)(assert ";
  for (int i = 0; i < kDepth; ++i) text += "(not ";
  text += "p" + std::string(kDepth, ')') + ")";
  dmt::smt::Script script = dmt::smt::read_script(text, "x", stop);
  dmt::smt::Simplifier simplifier(script.terms);
  const TermId simple = simplifier.simplify(script.commands[1].terms[0], stop);
  CHECK(simple == script.commands[0].terms[0]);
}
