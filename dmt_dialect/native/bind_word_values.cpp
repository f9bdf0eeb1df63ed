#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dmt_dialect/native/py_bit_vec.hpp"
#include "dmt_dialect/native/word/word_op.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace nb = nanobind;

namespace {

std::uint32_t checked_width(std::uint64_t width) {
  check_width(width, "BitVec");
  return static_cast<std::uint32_t>(width);
}

/// Two's complement of `value` in `bytes` bytes, cut.
BitVec from_big_int(nb::handle value, std::uint32_t width, std::size_t bytes) {
  const nb::object data = value.attr("to_bytes")(bytes, "little", nb::arg("signed") = true);
  std::vector<std::uint64_t> limbs(bytes / 8);
  std::memcpy(limbs.data(), nb::cast<nb::bytes>(data).data(), bytes);
  return BitVec::from_limbs(width, limbs);
}

std::uint64_t bit_length(nb::handle value) { return nb::cast<std::uint64_t>(value.attr("bit_length")()); }

/// The other operand of an operator: a word, or an integer that takes the width of `word`.
std::optional<BitVec> operand(const BitVec& word, nb::handle other) {
  if (nb::isinstance<BitVec>(other)) return nb::cast<const BitVec&>(other);
  if (PyLong_Check(other.ptr())) return word_from_int(nb::borrow<nb::int_>(other), word.width());
  return std::nullopt;
}

std::optional<BitVec> amount(nb::handle other) {
  if (nb::isinstance<BitVec>(other)) return nb::cast<const BitVec&>(other);
  if (PyLong_Check(other.ptr())) return amount_from_int(nb::borrow<nb::int_>(other));
  return std::nullopt;
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

nb::object apply(WordOp op, const BitVec& a, const BitVec& b) {
  const std::array<const BitVec*, 2> operands = {&a, &b};
  return nb::cast(evaluate(op, operands));
}

template <WordOp kOp>
nb::object binary(const BitVec& word, nb::handle other) {
  const auto value = operand(word, other);
  return value ? apply(kOp, word, *value) : not_implemented();
}

template <WordOp kOp>
nb::object reflected(const BitVec& word, nb::handle other) {
  const auto value = operand(word, other);
  return value ? apply(kOp, *value, word) : not_implemented();
}

template <WordOp kOp>
nb::object shifted(const BitVec& word, nb::handle other) {
  const auto value = amount(other);
  return value ? apply(kOp, word, *value) : not_implemented();
}

template <WordOp kOp>
nb::object compared(const BitVec& word, nb::handle other) {
  const auto value = operand(word, other);
  if (!value) return not_implemented();
  const std::array<const BitVec*, 2> operands = {&word, &*value};
  return nb::bool_(!evaluate(kOp, operands).is_zero());
}

std::uint32_t position(nb::handle value, const BitVec& word) {
  const auto index = nb::cast<std::int64_t>(value);
  const std::int64_t at = index < 0 ? index + word.width() : index;
  if (at < 0 || at >= word.width()) {
    throw dynomite::UsageError("BitVec: no bit " + std::to_string(index) + " in " +
                               std::to_string(word.width()) + " bits");
  }
  return static_cast<std::uint32_t>(at);
}

/// `word[3]`, `word[7:4]`: high bit first, both included, as in hardware languages.
BitVec get_item(const BitVec& word, nb::handle key) {
  if (PySlice_Check(key.ptr()) == 0) {
    if (!nb::hasattr(key, "__index__")) throw nb::type_error("BitVec: an index is an integer or a slice");
    if (nb::isinstance<BitVec>(key)) throw nb::type_error("BitVec: for a word as index use INDEX");
    const std::uint32_t at = position(key, word);
    return word.slice(at, 1);
  }
  if (!nb::handle(key.attr("step")).is_none()) {
    throw dynomite::UsageError("BitVec: a slice of bits has no step");
  }
  const nb::object high = key.attr("start");
  const nb::object low = key.attr("stop");
  const std::uint32_t hi = high.is_none() ? word.width() - 1 : position(high, word);
  const std::uint32_t lo = low.is_none() ? 0 : position(low, word);
  if (hi < lo) {
    throw dynomite::UsageError("BitVec: the high bit comes first: [" + std::to_string(lo) + ":" +
                               std::to_string(hi) + "]");
  }
  return word.slice(lo, hi - lo + 1);
}

nb::int_ signed_value(const BitVec& word) {
  const nb::int_ value = word_to_int(word);
  if (!word.sign()) return value;
  return nb::int_(value - (nb::int_(1) << nb::int_(word.width())));
}

}  // namespace

BitVec word_from_int(nb::int_ value, std::uint32_t width) {
  const std::uint32_t checked = checked_width(width);
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  const bool negative = overflow < 0 || (overflow == 0 && small < 0);
  const std::uint64_t needed =
      negative ? bit_length(nb::object(~value)) + 1 : std::max<std::uint64_t>(1, bit_length(value));
  if (needed > checked) {
    std::string text = "a number of " + std::to_string(needed) + " bits";
    if (overflow == 0) text = std::to_string(small);
    throw dynomite::UsageError("BitVec: " + text + " does not fit into " + std::to_string(checked) + " bit" +
                               (checked == 1 ? "" : "s"));
  }
  if (overflow == 0 && checked <= BitVec::kLimbBits) {
    return BitVec(checked, static_cast<std::uint64_t>(small));
  }
  return from_big_int(value, checked, (checked / 64 + 1) * 8);
}

BitVec amount_from_int(nb::int_ value) {
  if (value < nb::int_(0)) {
    throw dynomite::UsageError("BitVec: an amount must not be negative");
  }
  const std::uint64_t bits = std::max<std::uint64_t>(1, bit_length(value));
  return word_from_int(value, checked_width(bits));
}

nb::int_ word_to_int(const BitVec& word) {
  if (word.width() <= BitVec::kLimbBits) return nb::int_(word.limbs()[0]);
  const nb::bytes data(reinterpret_cast<const char*>(word.limbs().data()), word.limbs().size_bytes());
  return nb::cast<nb::int_>(
      nb::handle(reinterpret_cast<PyObject*>(&PyLong_Type)).attr("from_bytes")(data, "little"));
}

void bind_bit_vec(nb::module_& m) {
  const char* unsigned_note = "Unsigned; an integer takes the width of the word.";
  nb::class_<BitVec> word(
      m, "BitVec", nb::is_final(),
      "A constant word: a number of bits of fixed width.\n\n"
      "Immutable. Words know no sign: operators are modulo 2^width and, where it matters, unsigned; "
      "`evaluate` has all others. Both operands have one width; an integer takes the word's. Equal words "
      "have "
      "equal width and bits. `word[3]` is a bit, `word[7:4]` are bits 7 to 4, both as words.\n\n"
      ">>> BitVec(-3, 8)\nBitVec(0xfd, width=8)");
  word.def(
          "__init__",
          [](BitVec* self, nb::int_ value, std::uint64_t width) {
            new (self) BitVec(word_from_int(value, checked_width(width)));
          },
          nb::arg("value"), nb::arg("width"),
          "Args:\n    value: Its value, signed or unsigned.\n    width: The number of bits, at least 1.\n\n"
          "Raises:\n    UsageError: The value needs more bits, or the width is 0.\n"
          "    LimitError: More than 2^24 bits.")
      .def_prop_ro("width", &BitVec::width, "Number of bits.")
      .def_prop_ro("unsigned", &word_to_int, "The value, 0 to 2^width - 1.")
      .def_prop_ro("signed", &signed_value, "The value, -2^(width - 1) to 2^(width - 1) - 1.")
      .def_prop_ro(
          "hex", [](const BitVec& a) { return "0x" + a.hex(); }, "All hexadecimal digits, with 0x in front.")
      .def_prop_ro(
          "binary",
          [](const BitVec& a) {
            std::string text(a.width(), '0');
            for (std::uint32_t i = 0; i < a.width(); ++i) text[a.width() - 1 - i] = a.bit(i) ? '1' : '0';
            return text;
          },
          "All bits, the top one first, without a prefix.")
      .def("__int__", &word_to_int, "The unsigned value.")
      .def("__index__", &word_to_int, "The unsigned value.")
      .def("__len__", &BitVec::width, "Number of bits.")
      .def(
          "__bool__", [](const BitVec& a) { return !a.is_zero(); }, "Some bit is set.")
      .def("__repr__",
           [](const BitVec& a) {
             return "BitVec(0x" + a.hex() + ", width=" + std::to_string(a.width()) + ")";
           })
      .def("__str__", [](const BitVec& a) { return "0x" + a.hex(); })
      .def(
          "__eq__", [](const BitVec& a, const BitVec& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const BitVec& a) {
             std::uint64_t hash = a.width();
             for (const std::uint64_t limb : a.limbs()) {
               hash = (hash ^ limb) * 0x9E3779B97F4A7C15ULL;
               hash ^= hash >> 29;
             }
             return static_cast<std::int64_t>(hash >> 2);
           })
      .def("__getitem__", &get_item, nb::arg("key"),
           nb::sig("def __getitem__(self, key: int | slice) -> BitVec"),
           "A bit, or bits [high:low], both included; negative numbers count from the top.")
      .def("__getstate__",
           [](const BitVec& a) { return std::tuple<nb::int_, std::uint32_t>(word_to_int(a), a.width()); })
      .def("__setstate__", [](BitVec& a, const std::tuple<nb::int_, std::uint32_t>& state) {
        new (&a) BitVec(word_from_int(std::get<0>(state), std::get<1>(state)));
      });

#define OPERATOR(name, function)                                 \
  word.def(name, &function, nb::arg("other"), nb::is_operator(), \
           nb::sig("def " name "(self, other: BitVec | int) -> BitVec"), unsigned_note)
  OPERATOR("__add__", binary<WordOp::kAdd>);
  OPERATOR("__radd__", reflected<WordOp::kAdd>);
  OPERATOR("__sub__", binary<WordOp::kSub>);
  OPERATOR("__rsub__", reflected<WordOp::kSub>);
  OPERATOR("__mul__", binary<WordOp::kMul>);
  OPERATOR("__rmul__", reflected<WordOp::kMul>);
  OPERATOR("__floordiv__", binary<WordOp::kUdiv>);
  OPERATOR("__rfloordiv__", reflected<WordOp::kUdiv>);
  OPERATOR("__mod__", binary<WordOp::kUrem>);
  OPERATOR("__rmod__", reflected<WordOp::kUrem>);
  OPERATOR("__and__", binary<WordOp::kAnd>);
  OPERATOR("__rand__", reflected<WordOp::kAnd>);
  OPERATOR("__or__", binary<WordOp::kOr>);
  OPERATOR("__ror__", reflected<WordOp::kOr>);
  OPERATOR("__xor__", binary<WordOp::kXor>);
  OPERATOR("__rxor__", reflected<WordOp::kXor>);
  OPERATOR("__lshift__", shifted<WordOp::kShl>);
  OPERATOR("__rshift__", shifted<WordOp::kLshr>);
#undef OPERATOR
#define COMPARISON(name, function)                               \
  word.def(name, &function, nb::arg("other"), nb::is_operator(), \
           nb::sig("def " name "(self, other: BitVec | int) -> bool"), unsigned_note)
  COMPARISON("__lt__", compared<WordOp::kUlt>);
  COMPARISON("__le__", compared<WordOp::kUle>);
  COMPARISON("__gt__", compared<WordOp::kUgt>);
  COMPARISON("__ge__", compared<WordOp::kUge>);
#undef COMPARISON
  word.def("__neg__", [](const BitVec& a) { return WordArithmetic::neg(a); })
      .def("__invert__", [](const BitVec& a) { return WordArithmetic::bit_not(a); });
}

}  // namespace dmt
