#include "dmt_dialect/native/smt/term_store.hpp"

#include <algorithm>

#include "dynomite/native/base/error.hpp"

namespace dmt::smt {

namespace {

constexpr std::uint32_t kFree = UINT32_MAX;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29);
}

[[noreturn]] void reject(WordOp op, const std::string& why) {
  throw dynomite::UsageError(std::string(info(op).name) + ": " + why);
}

/// Operators that may stand between Booleans.
bool takes_booleans(WordOp op) {
  switch (op) {
    case WordOp::kAnd:
    case WordOp::kOr:
    case WordOp::kXor:
    case WordOp::kNand:
    case WordOp::kNor:
    case WordOp::kXnor:
    case WordOp::kNot:
    case WordOp::kEq:
    case WordOp::kNe:
    case WordOp::kMux: return true;
    default: return false;
  }
}

bool gives_truth(WordOp op) { return info(op).shape == WordShape::kCompare || op == WordOp::kNego; }

}  // namespace

std::string Sort::text() const { return is_bool() ? "Bool" : "(_ BitVec " + std::to_string(width_) + ")"; }

TermStore::TermStore() : table_(64, kFree) {}

TermId TermStore::add(const Term& term) {
  if (terms_.size() >= kMaxTerms) throw dynomite::LimitError("more than 2^28 terms");
  terms_.push_back(term);
  return TermId(static_cast<std::uint32_t>(terms_.size() - 1));
}

std::uint64_t TermStore::hash_of(const Term& term) const {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(term.kind) << 8 | static_cast<std::uint64_t>(term.op),
                             std::uint64_t{term.sort.is_bool() ? 0 : term.sort.width()} << 32 | term.count);
  hash = mixed(hash, std::uint64_t{term.hi} << 32 | term.lo);
  for (std::uint32_t i = 0; i < term.count; ++i) {
    hash =
        mixed(hash, term.kind == TermKind::kOp ? operands_[term.first + i].index() : limbs_[term.first + i]);
  }
  return hash;
}

template <typename Equal>
std::size_t TermStore::place(std::uint64_t hash, Equal equal) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = static_cast<std::size_t>(hash) & mask;
  while (table_[i] != kFree && !equal(terms_[table_[i]])) i = (i + 1) & mask;
  return i;
}

void TermStore::grow_table() {
  if (std::size_t{hashed_} * 2 < table_.size()) return;
  std::vector<std::uint32_t> old(table_.size() * 2, kFree);
  old.swap(table_);
  for (const std::uint32_t index : old) {
    if (index == kFree) continue;
    table_[place(hash_of(terms_[index]), [](const Term&) { return false; })] = index;
  }
}

TermId TermStore::constant(Sort sort, const BitVec& value) {
  if (value.width() != sort.width()) throw dynomite::UsageError("a constant is as wide as its sort");
  return constant(sort, value.limbs());
}

TermId TermStore::constant(Sort sort, std::span<const std::uint64_t> limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs = limbs.first(limbs.size() - 1);
  Term term{TermKind::kConstant,
            WordOp::kAdd,
            false,
            sort,
            static_cast<std::uint32_t>(limbs_.size()),
            static_cast<std::uint32_t>(limbs.size()),
            0,
            0};
  if (limbs_.size() + limbs.size() > UINT32_MAX) throw dynomite::LimitError("too many bits in constants");
  limbs_.insert(limbs_.end(), limbs.begin(), limbs.end());
  const std::size_t at = place(hash_of(term), [&](const Term& other) {
    return other.kind == TermKind::kConstant && other.sort == sort && other.count == term.count &&
           std::equal(limbs_.begin() + other.first, limbs_.begin() + other.first + other.count,
                      limbs.begin());
  });
  if (table_[at] != kFree) {
    limbs_.resize(term.first);
    return TermId(table_[at]);
  }
  const TermId id = add(term);
  table_[at] = id.index();
  ++hashed_;
  grow_table();
  return id;
}

TermId TermStore::boolean(bool value) { return constant(Sort::boolean(), BitVec(1, value ? 1 : 0)); }

TermId TermStore::variable(std::string_view name, Sort sort) {
  names_.emplace_back(name);
  return add({TermKind::kVariable, WordOp::kAdd, false, sort, static_cast<std::uint32_t>(names_.size() - 1),
              0, 0, 0});
}

TermId TermStore::parameter(std::string_view name, Sort sort) {
  names_.emplace_back(name);
  return add({TermKind::kParameter, WordOp::kAdd, true, sort, static_cast<std::uint32_t>(names_.size() - 1),
              0, 0, 0});
}

Sort TermStore::default_sort(WordOp op, std::span<const TermId> operands, std::uint32_t hi,
                             std::uint32_t lo) const {
  if (op == WordOp::kLut) reject(op, "no operator of terms; write it as MUX");
  std::vector<std::uint32_t> widths;
  widths.reserve(operands.size());
  std::size_t booleans = 0;
  for (const TermId operand : operands) {
    widths.push_back(sort(operand).width());
    booleans += sort(operand).is_bool() ? 1U : 0U;
  }
  const std::uint32_t width = result_width(op, widths, {hi, lo, hi, nullptr});
  const bool select = op == WordOp::kMux;
  if (booleans != 0 && !takes_booleans(op)) reject(op, "takes no operand of sort Bool");
  if (select && !sort(operands[0]).is_bool()) reject(op, "the select must have the sort Bool");
  const std::size_t compared = operands.size() - (select ? 1 : 0);
  const std::size_t boolean = booleans - (select ? 1 : 0);
  if (boolean != 0 && boolean != compared) reject(op, "operands of the sorts Bool and (_ BitVec 1)");
  if (gives_truth(op) || boolean != 0) return Sort::boolean();
  return Sort::bits(width);
}

TermId TermStore::op(WordOp op, std::span<const TermId> operands, Sort sort, std::uint32_t hi,
                     std::uint32_t lo) {
  const Sort usual = default_sort(op, operands, hi, lo);
  const bool either = info(op).shape == WordShape::kCompare || info(op).shape == WordShape::kReduce;
  if (sort != usual && !(either && sort.width() == 1)) {
    reject(op, "its sort is " + usual.text() + ", not " + sort.text());
  }
  Term term{TermKind::kOp,
            op,
            false,
            sort,
            static_cast<std::uint32_t>(operands_.size()),
            static_cast<std::uint32_t>(operands.size()),
            hi,
            lo};
  if (operands_.size() + operands.size() > UINT32_MAX) throw dynomite::LimitError("too many operands");
  scratch_.assign(operands.begin(), operands.end());  // the span may lie in the pool that grows
  for (const TermId operand : scratch_) term.has_parameter = term.has_parameter || has_parameter(operand);
  operands_.insert(operands_.end(), scratch_.begin(), scratch_.end());
  const std::size_t at = place(hash_of(term), [&](const Term& other) {
    return other.kind == TermKind::kOp && other.op == op && other.sort == sort && other.count == term.count &&
           other.hi == hi && other.lo == lo &&
           std::equal(operands_.begin() + other.first, operands_.begin() + other.first + other.count,
                      operands_.begin() + term.first);
  });
  if (table_[at] != kFree) {
    operands_.resize(term.first);
    return TermId(table_[at]);
  }
  const TermId id = add(term);
  table_[at] = id.index();
  ++hashed_;
  grow_table();
  return id;
}

BitVec TermStore::value(TermId id) const {
  const Term& term = at(id);
  return BitVec::from_limbs(term.sort.width(), {limbs_.data() + term.first, term.count});
}

}  // namespace dmt::smt
