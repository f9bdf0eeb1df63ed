#include <array>
#include <string>
#include <vector>

#include "dmt_dialect/native/word/blast.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"

// Every operator and architecture, gates against values: all operands when they have at most 12 bits
// together, random ones above. The values themselves are checked in Python against integers and z3.

using dmt::Adder;
using dmt::AigStore;
using dmt::Architecture;
using dmt::BitVec;
using dmt::Divider;
using dmt::Lit;
using dmt::Multiplier;
using dmt::WordLits;
using dmt::WordOp;
using dmt::WordOpInfo;
using dmt::WordParams;
using dmt::WordShape;

namespace {

/// One operator with operand widths and attributes.
struct Form {
  WordOp op;
  std::vector<std::uint32_t> widths;
  WordParams params;
};

std::string describe(const Form& form, const Architecture& architecture) {
  std::string text(dmt::info(form.op).name);
  for (const std::uint32_t width : form.widths) text += " " + std::to_string(width);
  return text + " hi=" + std::to_string(form.params.hi) + " lo=" + std::to_string(form.params.lo) +
         " number=" + std::to_string(form.params.number) + " " + to_string(architecture);
}

std::vector<Architecture> architectures() {
  std::vector<Architecture> all;
  for (const Adder adder : {Adder::kRipple, Adder::kKoggeStone, Adder::kBrentKung}) {
    for (const Multiplier multiplier :
         {Multiplier::kArray, Multiplier::kWallace, Multiplier::kDadda, Multiplier::kBooth}) {
      for (const Divider divider : {Divider::kRestoring, Divider::kNonRestoring}) {
        all.push_back({adder, multiplier, divider, dmt::Shifter::kLogarithmic});
      }
    }
  }
  return all;
}

/// Widths to try for operands of `total` bits at most; `most` for one word.
std::vector<Form> forms_of(const WordOpInfo& op, std::uint32_t most, std::uint32_t total,
                           std::vector<BitVec>& tables) {
  std::vector<Form> forms;
  for (std::uint32_t n = 1; n <= most; ++n) {
    switch (op.shape) {
      case WordShape::kUnary:
      case WordShape::kReduce: forms.push_back({op.op, {n}, {}}); break;
      case WordShape::kBinary:
      case WordShape::kCompare:
        if (2 * n <= total) forms.push_back({op.op, {n, n}, {}});
        break;
      case WordShape::kMux:
        if (2 * n + 1 <= total) forms.push_back({op.op, {1, n, n}, {}});
        break;
      case WordShape::kWiden:
      case WordShape::kShift:
      case WordShape::kIndex:
        for (std::uint32_t m = 1; m <= most && n + m <= total; ++m) forms.push_back({op.op, {n, m}, {}});
        break;
      case WordShape::kConcat:
        forms.push_back({op.op, {n}, {}});
        for (std::uint32_t m = 1; m <= most && n + m + 1 <= total; ++m) {
          forms.push_back({op.op, {n, m, 1}, {}});
        }
        break;
      case WordShape::kAttribute:
        if (op.attr == dmt::WordAttr::kRange) {
          for (std::uint32_t lo = 0; lo < n; ++lo) {
            for (std::uint32_t hi = lo; hi < n; ++hi) forms.push_back({op.op, {n}, {hi, lo, 0, nullptr}});
          }
        } else if (op.attr == dmt::WordAttr::kTable) {
          if (n > 7) break;
          for (std::uint32_t width = 1; width <= 3; ++width) {
            dynomite::Random random(n * 10 + width);
            BitVec table(width << n);
            for (std::uint32_t i = 0; i < table.width(); ++i) table.set_bit(i, (random.next() & 1U) != 0);
            tables.push_back(table);
            forms.push_back({op.op, {n}, {0, 0, 0, nullptr}});
          }
        } else {
          const std::uint32_t least = op.attr == dmt::WordAttr::kWidth ? n : 1;
          for (std::uint32_t k = least; k < least + 4; ++k) {
            forms.push_back({op.op, {n}, {0, 0, k, nullptr}});
          }
        }
        break;
    }
  }
  return forms;
}

/// 64 patterns at a time through all nodes.
void simulate(const AigStore& aig, std::vector<std::uint64_t>& values) {
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    const dmt::NodeId id(i);
    if (!aig.is_and(id)) continue;
    const auto value = [&](Lit lit) {
      return values[lit.node().index()] ^ (lit.complemented() ? ~std::uint64_t{0} : 0);
    };
    values[i] = value(aig.fanin0(id)) & value(aig.fanin1(id));
  }
}

struct Circuit {
  AigStore aig;
  std::vector<std::vector<Lit>> operands;
  std::vector<Lit> result;
};

Circuit build(const Form& form, const Architecture& architecture) {
  Circuit circuit;
  std::vector<WordLits> words;
  for (const std::uint32_t width : form.widths) {
    std::vector<Lit>& lits = circuit.operands.emplace_back();
    for (std::uint32_t i = 0; i < width; ++i) lits.push_back(circuit.aig.add_input());
  }
  for (const auto& lits : circuit.operands) words.emplace_back(lits);
  dynomite::Stop stop;
  CHECK(dmt::blast(circuit.aig, form.op, words, form.params, architecture, stop, circuit.result));
  return circuit;
}

/// Compares gates and values on 64 assignments at a time; `assignment(k)` gives the operands of pattern k.
template <typename Assignment>
void check(const Form& form, const Architecture& architecture, std::uint64_t patterns,
           Assignment&& assignment) {
  const Circuit circuit = build(form, architecture);
  CHECK_EQ(circuit.result.size(), dmt::result_width(form.op, form.widths, form.params));
  std::vector<std::uint64_t> values(circuit.aig.node_count(), 0);
  std::uint64_t wrong = 0;
  for (std::uint64_t first = 0; first < patterns && wrong == 0; first += 64) {
    std::vector<std::vector<BitVec>> batch;
    for (std::uint64_t k = 0; k < 64; ++k) {
      batch.push_back(assignment(first + k < patterns ? first + k : first));
      for (std::size_t w = 0; w < form.widths.size(); ++w) {
        for (std::uint32_t i = 0; i < form.widths[w]; ++i) {
          std::uint64_t& value = values[circuit.operands[w][i].node().index()];
          const std::uint64_t mask = std::uint64_t{1} << k;
          value = batch[k][w].bit(i) ? value | mask : value & ~mask;
        }
      }
    }
    simulate(circuit.aig, values);
    for (std::uint64_t k = 0; k < 64; ++k) {
      const BitVec expected = dmt::evaluate(form.op, batch[k], form.params);
      BitVec found(expected.width());
      for (std::uint32_t i = 0; i < expected.width(); ++i) {
        const Lit lit = circuit.result[i];
        found.set_bit(i, (((values[lit.node().index()] >> k) & 1U) != 0) != lit.complemented());
      }
      if (found == expected) continue;
      ++wrong;
      std::string text = describe(form, architecture) + ":";
      for (const BitVec& operand : batch[k]) text += " " + operand.hex();
      dynomite::test::fail(__FILE__, __LINE__, text + " gives " + found.hex() + ", not " + expected.hex());
      break;
    }
  }
}

void check_all(const Form& form, const Architecture& architecture) {
  std::uint32_t total = 0;
  for (const std::uint32_t width : form.widths) total += width;
  check(form, architecture, std::uint64_t{1} << total, [&](std::uint64_t k) {
    std::vector<BitVec> operands;
    for (const std::uint32_t width : form.widths) {
      operands.emplace_back(width, k);
      k >>= width;
    }
    return operands;
  });
}

BitVec random_word(dynomite::Random& random, std::uint32_t width) {
  std::vector<std::uint64_t> limbs((width + 63) / 64);
  const std::uint32_t style = random.below(6);
  for (std::uint64_t& limb : limbs) {
    limb = style == 0 ? 0 : style == 1 ? ~std::uint64_t{0} : random.next();
    if (style == 2) limb &= random.next() & random.next();
  }
  BitVec word = BitVec::from_limbs(width, limbs);
  // Near the ends of the ranges, and short words.
  if (style <= 1) word.set_bit(random.below(width), random.below(2) != 0);
  if (style == 3) word = word.slice(0, 1 + random.below(width)).zero_extended(width);
  if (style == 4) word = word.slice(0, 1 + random.below(width)).sign_extended(width);
  return word;
}

void check_random(const Form& form, const Architecture& architecture, std::uint64_t patterns,
                  std::uint64_t seed) {
  dynomite::Random random(seed);
  check(form, architecture, patterns, [&](std::uint64_t) {
    std::vector<BitVec> operands;
    for (std::size_t i = 0; i < form.widths.size(); ++i) {
      // Equal operands and small amounts are rare among random words.
      if (i == 1 && form.widths[0] == form.widths[1] && random.below(8) == 0) {
        operands.push_back(operands[0]);
      } else if (i == 1 && random.below(4) == 0) {
        operands.emplace_back(form.widths[i], random.below(2 * form.widths[0]));
      } else {
        operands.push_back(random_word(random, form.widths[i]));
      }
    }
    return operands;
  });
}

void set_tables(std::vector<Form>& forms, const std::vector<BitVec>& tables) {
  if (tables.empty()) return;
  for (std::size_t i = 0; i < forms.size(); ++i) forms[i].params.table = &tables[i];
}

}  // namespace

TEST(all_values_of_all_operators_and_architectures) {
  for (const WordOpInfo& op : dmt::word_ops()) {
    std::vector<BitVec> tables;
    std::vector<Form> forms = forms_of(op, 6, 12, tables);
    set_tables(forms, tables);
    for (const Form& form : forms) {
      std::vector<std::vector<Lit>> seen;
      std::vector<std::uint32_t> counts;
      for (const Architecture& architecture : architectures()) {
        // An architecture that makes no difference is tried once.
        const Circuit circuit = build(form, architecture);
        bool known = false;
        for (std::size_t i = 0; i < seen.size(); ++i) {
          known = known || (seen[i] == circuit.result && counts[i] == circuit.aig.node_count());
        }
        if (known) continue;
        seen.push_back(circuit.result);
        counts.push_back(circuit.aig.node_count());
        check_all(form, architecture);
      }
    }
  }
}

TEST(random_words_of_7_to_64_bits) {
  std::uint64_t seed = 1;
  for (const WordOpInfo& op : dmt::word_ops()) {
    for (const std::uint32_t n : {7U, 13U, 16U, 31U, 32U, 33U, 48U, 64U}) {
      std::vector<BitVec> tables;
      std::vector<Form> forms;
      for (Form& form : forms_of(op, n, 2 * n + 1, tables)) {
        // The widest, and one with a short second operand.
        if (form.widths[0] == n && op.attr == dmt::WordAttr::kNone &&
            (form.widths.size() < 2 || form.widths[1] == n || form.widths[1] == 3)) {
          forms.push_back(form);
        }
      }
      for (const Form& form : forms) {
        const auto all = architectures();
        check_random(form, {}, 128, ++seed);
        check_random(form, all[seed % all.size()], 128, seed);
      }
    }
  }
}

TEST(random_words_across_limbs) {
  std::uint64_t seed = 1000;
  for (const WordOpInfo& op : dmt::word_ops()) {
    const bool quadratic = op.name.find("MUL") != std::string_view::npos ||
                           op.name.find("DIV") != std::string_view::npos ||
                           op.name.find("REM") != std::string_view::npos || op.op == WordOp::kSmod;
    for (const std::uint32_t n : {65U, 129U, 1000U}) {
      if (n == 1000 && quadratic && op.op != WordOp::kMul && op.op != WordOp::kUdiv) continue;
      Form form{op.op, {n}, {}};
      if (op.shape == WordShape::kMux) form.widths = {1, n, n};
      if (op.shape == WordShape::kConcat) form.widths = {n, 3, n, 1, 64};
      if (op.attr == dmt::WordAttr::kRange) form.params = {n - 2, 63, 0, nullptr};
      if (op.attr == dmt::WordAttr::kCount) form.params.number = 3;
      if (op.attr == dmt::WordAttr::kWidth) form.params.number = n + 70;
      if (op.attr == dmt::WordAttr::kTable) continue;
      if (dmt::arity(op.shape) == 2U) form.widths = {n, n};
      check_random(form, {}, 64, ++seed);
      if (op.shape == WordShape::kShift || op.shape == WordShape::kIndex) {
        form.widths = {n, 11};
        check_random(form, {}, 64, ++seed);
      }
    }
  }
}

TEST(constant_operands_become_few_gates) {
  AigStore aig;
  std::vector<Lit> a;
  for (int i = 0; i < 16; ++i) a.push_back(aig.add_input());
  dynomite::Stop stop;
  const auto gates = [&](WordOp op, std::uint64_t constant, bool swap = false) {
    AigStore fresh = aig;
    std::vector<Lit> b;
    dmt::append_constant(BitVec(16, constant), b);
    std::array<WordLits, 2> operands = {WordLits(a), WordLits(b)};
    if (swap) std::swap(operands[0], operands[1]);
    std::vector<Lit> result;
    CHECK(dmt::blast(fresh, op, operands, {}, {}, stop, result));
    return fresh.and_count();
  };
  for (const WordOp op : {WordOp::kShl, WordOp::kLshr, WordOp::kAshr, WordOp::kRol, WordOp::kRor}) {
    CHECK_EQ(gates(op, 5), 0U);
    CHECK_EQ(gates(op, 17), 0U);
  }
  for (const WordOp op : {WordOp::kMul, WordOp::kUdiv, WordOp::kUrem}) CHECK_EQ(gates(op, 8), 0U);
  CHECK_EQ(gates(WordOp::kMul, 8, true), 0U);
  CHECK_EQ(gates(WordOp::kMul, 0), 0U);
  CHECK_EQ(gates(WordOp::kAdd, 0), 0U);
  CHECK_EQ(gates(WordOp::kSub, 0), 0U);
  CHECK_EQ(gates(WordOp::kEq, 0), 15U);
  // 255 = 256 - 1: one subtraction; 2^15 + 1: one bit more.
  CHECK(gates(WordOp::kMul, 255) <= 16 * 7);
  CHECK(gates(WordOp::kMul, 0x8001) <= 3);
  CHECK(gates(WordOp::kAdd, 1) <= 15 * 4);
}

TEST(products_with_all_constants_at_8_bits) {
  for (const WordOp op : {WordOp::kMul, WordOp::kUmulw, WordOp::kSmulw, WordOp::kUdiv, WordOp::kSrem}) {
    for (std::uint64_t constant = 0; constant < 256; ++constant) {
      AigStore aig;
      std::vector<Lit> a;
      std::vector<Lit> b;
      for (int i = 0; i < 8; ++i) a.push_back(aig.add_input());
      const BitVec right(8, constant);
      dmt::append_constant(right, b);
      const std::array<WordLits, 2> operands = {WordLits(a), WordLits(b)};
      dynomite::Stop stop;
      std::vector<Lit> result;
      CHECK(dmt::blast(aig, op, operands, {}, {}, stop, result));
      std::vector<std::uint64_t> values(aig.node_count(), 0);
      for (std::uint64_t first = 0; first < 256; first += 64) {
        for (std::uint32_t i = 0; i < 8; ++i) {
          values[a[i].node().index()] = 0;
          for (std::uint64_t k = 0; k < 64; ++k) {
            values[a[i].node().index()] |= (((first + k) >> i) & 1U) << k;
          }
        }
        simulate(aig, values);
        for (std::uint64_t k = 0; k < 64; ++k) {
          const std::array<BitVec, 2> words = {BitVec(8, first + k), right};
          const BitVec expected = dmt::evaluate(op, words);
          for (std::uint32_t i = 0; i < expected.width(); ++i) {
            const bool value = ((values[result[i].node().index()] >> k) & 1U) != 0;
            CHECK_EQ(value != result[i].complemented(), expected.bit(i));
          }
        }
      }
    }
  }
}

TEST(little_dangles) {
  for (const WordOpInfo& op : dmt::word_ops()) {
    // Overflow of a product reads one bit of it: the rest is that of MUL. Rotations read the low bits of a
    // remainder.
    if (op.op == WordOp::kUmulo || op.op == WordOp::kSmulo) continue;
    if (op.op == WordOp::kRol || op.op == WordOp::kRor) continue;
    std::vector<BitVec> tables;
    std::vector<Form> forms = forms_of(op, 6, 12, tables);
    set_tables(forms, tables);
    for (const Architecture& architecture : {Architecture{}, architectures()[23], architectures()[13]}) {
      for (const Form& form : forms) {
        if (form.widths[0] != 6) continue;
        const Circuit circuit = build(form, architecture);
        std::vector<bool> needed(circuit.aig.node_count(), false);
        for (const Lit lit : circuit.result) needed[lit.node().index()] = true;
        std::uint32_t dangling = 0;
        for (std::uint32_t i = circuit.aig.node_count(); i-- > 1;) {
          const dmt::NodeId id(i);
          if (!circuit.aig.is_and(id)) continue;
          if (!needed[i]) {
            ++dangling;
            continue;
          }
          needed[circuit.aig.fanin0(id).node().index()] = true;
          needed[circuit.aig.fanin1(id).node().index()] = true;
        }
        // Simplification may leave a gate behind here and there.
        if (dangling > 5 && dangling * 20 > circuit.aig.and_count()) {
          dynomite::test::fail(__FILE__, __LINE__,
                               describe(form, architecture) + ": " + std::to_string(dangling) + " of " +
                                   std::to_string(circuit.aig.and_count()) + " ANDs dangle");
        }
      }
    }
  }
}

TEST(misuse_is_named) {
  const BitVec a(4, 3);
  const BitVec b(5, 3);
  const std::array<BitVec, 2> unequal = {a, b};
  const std::array<BitVec, 1> one = {a};
  CHECK_THROWS(dmt::evaluate(WordOp::kAdd, unequal), dynomite::UsageError);
  CHECK_THROWS(dmt::evaluate(WordOp::kAdd, one), dynomite::UsageError);
  CHECK_THROWS(dmt::evaluate(WordOp::kConcat, std::span<const BitVec>()), dynomite::UsageError);
  CHECK_THROWS(BitVec(0), dynomite::UsageError);
  CHECK_THROWS(BitVec(BitVec::kMaxWidth + 1), dynomite::LimitError);
  CHECK_THROWS(dmt::evaluate(WordOp::kSlice, one, {4, 0, 0, nullptr}), dynomite::UsageError);
  CHECK_THROWS(dmt::evaluate(WordOp::kSlice, one, {0, 1, 0, nullptr}), dynomite::UsageError);
  CHECK_THROWS(dmt::evaluate(WordOp::kRepeat, one, {0, 0, 0, nullptr}), dynomite::UsageError);
  CHECK_THROWS(dmt::evaluate(WordOp::kRepeat, one, {0, 0, 0xFFFFFFFFU, nullptr}), dynomite::LimitError);
  CHECK_THROWS(dmt::evaluate(WordOp::kZext, one, {0, 0, 3, nullptr}), dynomite::UsageError);
  CHECK_THROWS(dmt::evaluate(WordOp::kLut, one), dynomite::UsageError);
  const BitVec table(17);
  CHECK_THROWS(dmt::evaluate(WordOp::kLut, one, {0, 0, 0, &table}), dynomite::UsageError);
  CHECK_THROWS(dmt::parse_architecture("adder=fast"), dynomite::UsageError);
  CHECK_THROWS(dmt::parse_architecture("ripple"), dynomite::UsageError);
  AigStore aig;
  std::vector<Lit> result;
  dynomite::Stop stop;
  const std::array<WordLits, 2> nothing = {WordLits(), WordLits()};
  CHECK_THROWS((void)dmt::blast(aig, WordOp::kAdd, nothing, {}, {}, stop, result), dynomite::UsageError);
}

TEST(a_stopped_product_leaves_the_result_alone) {
  AigStore aig;
  std::vector<Lit> a;
  for (int i = 0; i < 2000; ++i) a.push_back(aig.add_input());
  const std::array<WordLits, 2> operands = {WordLits(a), WordLits(a)};
  dynomite::Stop stop;
  stop.cancel();
  std::vector<Lit> result = {dmt::kTrue};
  CHECK(!dmt::blast(aig, WordOp::kMul, operands, {}, {}, stop, result));
  CHECK_EQ(result.size(), 1U);
}

TEST(one_row_of_a_wide_product_can_be_ended) {
  AigStore aig;
  std::vector<Lit> wide;
  for (int i = 0; i < 200'000; ++i) wide.push_back(aig.add_input());
  const std::vector<Lit> narrow = {wide[0]};
  const std::array<WordLits, 2> operands = {WordLits(wide), WordLits(narrow)};
  for (const Architecture& architecture : architectures()) {
    dynomite::Stop stop;
    stop.set_deadline(dynomite::Stop::Clock::now());
    std::vector<Lit> result;
    CHECK(!dmt::blast(aig, WordOp::kUmulw, operands, {}, architecture, stop, result));
    CHECK(aig.and_count() < 200'000U);
  }
}

TEST(operands_may_lie_in_the_result) {
  AigStore aig;
  std::vector<Lit> lits;
  for (int i = 0; i < 4; ++i) lits.push_back(aig.add_input());
  dynomite::Stop stop;
  for (int i = 0; i < 10; ++i) {
    const std::array<WordLits, 1> operands = {WordLits(lits).last(4)};
    CHECK(dmt::blast(aig, WordOp::kNot, operands, {}, {}, stop, lits));
  }
  CHECK_EQ(lits.size(), 44U);
  CHECK(lits[40] == lits[0] && lits[39] == ~lits[3]);
}

TEST(architecture_text_round_trip) {
  for (const Architecture& architecture : architectures()) {
    CHECK(dmt::parse_architecture(to_string(architecture)) == architecture);
  }
  CHECK(dmt::parse_architecture("multiplier=booth").multiplier == Multiplier::kBooth);
  CHECK(dmt::parse_architecture("") == Architecture{});
}

TEST(words_print_and_move_bits) {
  CHECK_EQ(BitVec(65, 1).hex(), std::string("00000000000000001"));
  CHECK_EQ(BitVec::ones(3).hex(), std::string("7"));
  CHECK_EQ(BitVec(7, 0x41).sign_extended(130).hex(), "3" + std::string(30, 'f') + "c1");
  BitVec word(200);
  word.place(BitVec::ones(70), 60);
  CHECK_EQ(word.count_ones(), 70U);
  CHECK(word.bit(60) && word.bit(129) && !word.bit(59) && !word.bit(130));
  CHECK(word.slice(60, 70) == BitVec::ones(70));
}

TEST(operators_are_found_by_name) {
  CHECK(dmt::find_word_op("add") == WordOp::kAdd);
  CHECK(dmt::find_word_op("SDIVO") == WordOp::kSdivo);
  CHECK(!dmt::find_word_op("plus").has_value());
}
