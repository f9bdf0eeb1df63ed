#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/word/word_op.hpp"
#include "dynomite/native/base/access.hpp"

namespace dmt::smt {

/// Bool, or bit-vectors of one width.
class Sort {
 public:
  static constexpr Sort boolean() { return Sort(0); }
  static constexpr Sort bits(std::uint32_t width) { return Sort(width); }
  constexpr bool is_bool() const { return width_ == 0; }
  /// Bits of a value: 1 for Bool.
  constexpr std::uint32_t width() const { return width_ == 0 ? 1 : width_; }
  constexpr bool operator==(const Sort&) const = default;
  /// As SMT-LIB writes it.
  std::string text() const;

 private:
  constexpr explicit Sort(std::uint32_t width) : width_(width) {}
  std::uint32_t width_;
};

/// A term of one store. Dense; operands come before their term. Equal terms have one id.
class TermId {
 public:
  constexpr TermId() = default;
  constexpr explicit TermId(std::uint32_t index) : index_(index) {}
  constexpr std::uint32_t index() const { return index_; }
  constexpr bool is_none() const { return index_ == UINT32_MAX; }
  constexpr bool operator==(const TermId&) const = default;

 private:
  std::uint32_t index_ = UINT32_MAX;
};

enum class TermKind : std::uint8_t {
  kConstant,
  kVariable,
  kParameter,  ///< of a defined function; stands in its body only
  kOp,
};

/// Bit-vector and Boolean terms with the operators of `word_op.hpp`: a Boolean is a word of one bit with a
/// sort of its own. Nothing is folded or reordered: a term is printed as it was read.
class TermStore {
 public:
  /// A documented limit: about 30 bytes a term.
  static constexpr std::uint32_t kMaxTerms = 1U << 28;

  TermStore();

  // Making terms. Each may throw LimitError at `kMaxTerms`.
  TermId constant(Sort sort, const BitVec& value);
  /// The same from limbs, the least significant first, that have no bit above the sort's width. Costs what
  /// the limbs are, however wide the sort is.
  TermId constant(Sort sort, std::span<const std::uint64_t> limbs);
  TermId boolean(bool value);
  /// A new variable, different from all others, whatever its name.
  TermId variable(std::string_view name, Sort sort);
  TermId parameter(std::string_view name, Sort sort);
  /// `sort` is the result's: comparisons may be of sort Bool or one bit wide. Throws UsageError if sorts or
  /// attributes do not fit. LUT is not a term's operator.
  TermId op(WordOp op, std::span<const TermId> operands, Sort sort, std::uint32_t hi = 0,
            std::uint32_t lo = 0);
  /// The sort an operator gives unless another is asked for.
  Sort default_sort(WordOp op, std::span<const TermId> operands, std::uint32_t hi = 0,
                    std::uint32_t lo = 0) const;

  // Looking at them.
  std::uint32_t size() const { return static_cast<std::uint32_t>(terms_.size()); }
  bool contains(TermId id) const { return id.index() < terms_.size(); }
  TermKind kind(TermId id) const { return at(id).kind; }
  Sort sort(TermId id) const { return at(id).sort; }
  bool has_parameter(TermId id) const { return at(id).has_parameter; }
  /// Of an operation.
  WordOp word_op(TermId id) const { return at(id).op; }
  std::span<const TermId> operands(TermId id) const {
    const Term& term = at(id);
    if (term.kind != TermKind::kOp) return {};
    return {operands_.data() + term.first, term.count};
  }
  std::uint32_t hi(TermId id) const { return at(id).hi; }
  std::uint32_t lo(TermId id) const { return at(id).lo; }
  WordParams params(TermId id) const { return {at(id).hi, at(id).lo, at(id).hi, nullptr}; }
  /// Of a constant.
  BitVec value(TermId id) const;
  bool is_constant(TermId id) const { return at(id).kind == TermKind::kConstant; }
  /// Of a variable or parameter.
  std::string_view name(TermId id) const { return names_[at(id).first]; }
  /// Who uses the store from threads without the GIL; see access.hpp.
  dynomite::AccessState& access() const { return access_; }

 private:
  struct Term {
    TermKind kind;
    WordOp op;
    bool has_parameter;
    Sort sort;
    // Operands; limbs of a constant without leading zeros; place of the name.
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t hi;
    std::uint32_t lo;
  };
  const Term& at(TermId id) const { return terms_[id.index()]; }
  TermId add(const Term& term);
  /// Place in the table of an equal term, or the free one where it belongs.
  template <typename Equal>
  std::size_t place(std::uint64_t hash, Equal equal) const;
  std::uint64_t hash_of(const Term& term) const;
  void grow_table();

  std::vector<Term> terms_;
  std::vector<TermId> operands_;
  std::vector<TermId> scratch_;
  std::vector<std::uint64_t> limbs_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> table_;
  std::uint32_t hashed_ = 0;
  mutable dynomite::AccessState access_{"term store"};
};

/// Visits the terms below `roots` for which `enter` says true, operands first. `enter` is asked once or more
/// for a term and must say false once it has been visited. No recursion.
template <typename Enter, typename Visit>
void visit_below(const TermStore& store, std::span<const TermId> roots, Enter enter, Visit visit) {
  std::vector<TermId> stack;
  for (std::size_t i = roots.size(); i-- > 0;) stack.push_back(roots[i]);
  while (!stack.empty()) {
    const TermId id = stack.back();
    if (!enter(id)) {
      stack.pop_back();
      continue;
    }
    const std::size_t before = stack.size();
    const std::span<const TermId> operands = store.operands(id);
    for (std::size_t i = operands.size(); i-- > 0;) {
      if (enter(operands[i])) stack.push_back(operands[i]);
    }
    if (stack.size() != before) continue;
    stack.pop_back();
    visit(id);
  }
}

}  // namespace dmt::smt
