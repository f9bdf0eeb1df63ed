#include "dmt_dialect/native/smt/operators.hpp"

#include <algorithm>
#include <array>

namespace dmt::smt {

namespace {

using F = Form;
using W = WordOp;

// Sorted by name.
constexpr std::array kOperators = std::to_array<Operator>({
    {"=", W::kEq, F::kEqual},
    {"=>", W::kOr, F::kImplies},
    {"and", W::kAnd, F::kBoolLeft},
    {"bvadd", W::kAdd, F::kLeft},
    {"bvand", W::kAnd, F::kLeft},
    {"bvashr", W::kAshr, F::kBinary},
    {"bvcomp", W::kEq, F::kBit},
    {"bvlshr", W::kLshr, F::kBinary},
    {"bvmul", W::kMul, F::kLeft},
    {"bvnand", W::kNand, F::kBinary},
    {"bvneg", W::kNeg, F::kUnary},
    {"bvnego", W::kNego, F::kPredicate},
    {"bvnor", W::kNor, F::kBinary},
    {"bvnot", W::kNot, F::kUnary},
    {"bvor", W::kOr, F::kLeft},
    {"bvredand", W::kRedand, F::kReduce},
    {"bvredor", W::kRedor, F::kReduce},
    {"bvsaddo", W::kSaddo, F::kCompare},
    {"bvsdiv", W::kSdiv, F::kBinary},
    {"bvsdivo", W::kSdivo, F::kCompare},
    {"bvsge", W::kSge, F::kCompare},
    {"bvsgt", W::kSgt, F::kCompare},
    {"bvshl", W::kShl, F::kBinary},
    {"bvsle", W::kSle, F::kCompare},
    {"bvslt", W::kSlt, F::kCompare},
    {"bvsmod", W::kSmod, F::kBinary},
    {"bvsmulo", W::kSmulo, F::kCompare},
    {"bvsrem", W::kSrem, F::kBinary},
    {"bvssubo", W::kSsubo, F::kCompare},
    {"bvsub", W::kSub, F::kBinary},
    {"bvuaddo", W::kUaddo, F::kCompare},
    {"bvudiv", W::kUdiv, F::kBinary},
    {"bvuge", W::kUge, F::kCompare},
    {"bvugt", W::kUgt, F::kCompare},
    {"bvule", W::kUle, F::kCompare},
    {"bvult", W::kUlt, F::kCompare},
    {"bvumulo", W::kUmulo, F::kCompare},
    {"bvurem", W::kUrem, F::kBinary},
    {"bvusubo", W::kUsubo, F::kCompare},
    {"bvxnor", W::kXnor, F::kBinary},
    {"bvxor", W::kXor, F::kLeft},
    {"concat", W::kConcat, F::kConcat},
    {"distinct", W::kNe, F::kDistinct},
    {"extract", W::kSlice, F::kExtract},
    {"ite", W::kMux, F::kIte},
    {"not", W::kNot, F::kBoolUnary},
    {"or", W::kOr, F::kBoolLeft},
    {"repeat", W::kRepeat, F::kRepeat},
    {"rotate_left", W::kRol, F::kRotate},
    {"rotate_right", W::kRor, F::kRotate},
    {"sign_extend", W::kSext, F::kSignExtend},
    {"xor", W::kXor, F::kBoolLeft},
    {"zero_extend", W::kZext, F::kZeroExtend},
});

constexpr bool by_name(const Operator& a, const Operator& b) { return a.name < b.name; }
static_assert(std::is_sorted(kOperators.begin(), kOperators.end(), by_name));

bool fits(Form form, bool bool_result, bool bool_operands) {
  switch (form) {
    case F::kBoolUnary:
    case F::kBoolLeft: return bool_operands;
    case F::kEqual:
    case F::kDistinct:
    case F::kCompare:
    case F::kPredicate: return bool_result;
    case F::kImplies: return false;
    case F::kIte: return true;
    default: return !bool_result && !bool_operands;
  }
}

}  // namespace

std::uint32_t index_count(Form form) {
  switch (form) {
    case F::kExtract: return 2;
    case F::kRepeat:
    case F::kZeroExtend:
    case F::kSignExtend:
    case F::kRotate: return 1;
    default: return 0;
  }
}

std::span<const Operator> operators() { return kOperators; }

const Operator* find_operator(std::string_view name) {
  const auto at =
      std::lower_bound(kOperators.begin(), kOperators.end(), name,
                       [](const Operator& op, std::string_view wanted) { return op.name < wanted; });
  return at != kOperators.end() && at->name == name ? &*at : nullptr;
}

std::string_view operator_name(WordOp op, bool bool_result, bool bool_operands) {
  for (const Operator& candidate : kOperators) {
    if (candidate.op == op && fits(candidate.form, bool_result, bool_operands)) return candidate.name;
  }
  return {};
}

}  // namespace dmt::smt
