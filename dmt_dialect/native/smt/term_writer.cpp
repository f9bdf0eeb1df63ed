#include "dmt_dialect/native/smt/term_writer.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "dmt_dialect/native/smt/lexer.hpp"
#include "dmt_dialect/native/smt/operators.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::smt {

namespace {

constexpr std::uint32_t kMaxDepth = 40;
constexpr std::size_t kMaxText = 2000;

void poll(dynomite::Stop& stop) {
  if (stop.poll()) throw dynomite::LimitError("writing was stopped");
}

}  // namespace

std::string value_text(Sort sort, const BitVec& value) {
  if (sort.is_bool()) return value.is_zero() ? "false" : "true";
  if (value.width() % 4 == 0) return "#x" + value.hex();
  std::string text = "#b";
  for (std::uint32_t bit = value.width(); bit-- > 0;) text += value.bit(bit) ? '1' : '0';
  return text;
}

TermWriter::TermWriter(const TermStore& terms, dynomite::ByteSink& sink, dynomite::Stop& stop)
    : terms_(terms),
      sink_(sink),
      stop_(stop),
      texts_(terms.size()),
      depths_(terms.size(), 0),
      used_once_(terms.size(), false),
      done_(terms.size(), false) {}

void TermWriter::write(std::string_view text) { sink_.write(text.data(), text.size()); }

std::vector<TermId> TermWriter::declare(std::span<const TermId> roots, Naming naming) {
  std::vector<TermId> variables;
  std::vector<std::uint8_t> uses(terms_.size(), 0);
  std::vector<bool> seen(terms_.size(), false);
  visit_below(
      terms_, roots, [&](TermId id) { return !seen[id.index()]; },
      [&](TermId id) {
        poll(stop_);
        seen[id.index()] = true;
        if (terms_.kind(id) == TermKind::kVariable) variables.push_back(id);
        for (const TermId operand : terms_.operands(id)) {
          uses[operand.index()] = static_cast<std::uint8_t>(std::min(uses[operand.index()] + 1, 2));
        }
      });
  for (const TermId root : roots)
    uses[root.index()] = static_cast<std::uint8_t>(std::min(uses[root.index()] + 1, 2));
  for (std::size_t i = 0; i < uses.size(); ++i) used_once_[i] = uses[i] < 2;
  std::sort(variables.begin(), variables.end(), [](TermId a, TermId b) { return a.index() < b.index(); });
  std::unordered_set<std::string> names;
  for (const TermId id : variables) names.emplace(terms_.name(id));
  std::unordered_set<std::string> taken;
  for (const TermId id : variables) {
    std::string name =
        naming == Naming::kOwn ? std::string(terms_.name(id)) : "v!" + std::to_string(id.index());
    const bool theory = name == "true" || name == "false" || find_operator(name) != nullptr;
    for (std::uint32_t i = 1; theory || !taken.insert(name).second; ++i) {
      name = std::string(terms_.name(id)) + "!" + std::to_string(i);
      if (!names.contains(name) && taken.insert(name).second) break;
    }
    texts_[id.index()] = symbol_text(name);
    done_[id.index()] = true;
    write("(declare-const " + texts_[id.index()] + ' ' + terms_.sort(id).text() + ")\n");
  }
  prefix_ = "t!";
  const auto clashes = [&](const std::string& name) { return name.compare(0, prefix_.size(), prefix_) == 0; };
  while (std::any_of(taken.begin(), taken.end(), clashes)) prefix_ += '!';
  return variables;
}

std::string TermWriter::define(TermId root) {
  visit_below(
      terms_, std::array{root}, [&](TermId id) { return !done_[id.index()]; },
      [&](TermId id) {
        poll(stop_);
        done_[id.index()] = true;
        std::string text = this->text(id);
        if (terms_.kind(id) != TermKind::kOp) {
          texts_[id.index()] = std::move(text);
          return;
        }
        std::uint32_t depth = 0;
        for (const TermId operand : terms_.operands(id)) depth = std::max(depth, depths_[operand.index()]);
        depths_[id.index()] = depth + 1;
        if (id != root && (!used_once_[id.index()] || depth >= kMaxDepth || text.size() > kMaxText)) {
          const std::string name = prefix_ + std::to_string(++defined_);
          write("(define-fun " + name + " () " + terms_.sort(id).text() + ' ' + text + ")\n");
          text = name;
          depths_[id.index()] = 0;
        }
        texts_[id.index()] = std::move(text);
        // Nobody asks for the texts of operands used once any more.
        for (const TermId operand : terms_.operands(id)) {
          if (used_once_[operand.index()] && terms_.kind(operand) == TermKind::kOp) {
            texts_[operand.index()] = std::string();
          }
        }
      });
  return texts_[root.index()];
}

std::string TermWriter::text(TermId id) const {
  switch (terms_.kind(id)) {
    case TermKind::kConstant: return value_text(terms_.sort(id), terms_.value(id));
    case TermKind::kVariable: return symbol_text(terms_.name(id));
    case TermKind::kParameter: throw dynomite::UsageError("a term with parameters cannot be written");
    case TermKind::kOp: break;
  }
  return application(id);
}

std::string TermWriter::application(TermId id) const {
  const std::span<const TermId> operands = terms_.operands(id);
  const WordOp op = terms_.word_op(id);
  const bool boolean = terms_.sort(id).is_bool();
  const bool on_booleans = terms_.sort(operands.back()).is_bool();
  std::string arguments;
  for (const TermId operand : operands) arguments += ' ' + texts_[operand.index()];
  const auto indexed = [&](const std::string& head) { return "((_ " + head + ')' + arguments + ')'; };
  switch (op) {
    case WordOp::kSlice:
      return indexed("extract " + std::to_string(terms_.hi(id)) + ' ' + std::to_string(terms_.lo(id)));
    case WordOp::kRepeat: return indexed("repeat " + std::to_string(terms_.hi(id)));
    case WordOp::kZext:
    case WordOp::kSext:
      return indexed((op == WordOp::kZext ? "zero_extend " : "sign_extend ") +
                     std::to_string(terms_.hi(id) - terms_.sort(operands[0]).width()));
    case WordOp::kRol:
    case WordOp::kRor: {
      if (!terms_.is_constant(operands[1])) break;
      const std::uint64_t amount = terms_.value(operands[1]).saturated() % terms_.sort(id).width();
      return std::string("((_ ") + (op == WordOp::kRol ? "rotate_left " : "rotate_right ") +
             std::to_string(amount) + ") " + texts_[operands[0].index()] + ')';
    }
    case WordOp::kNand:
    case WordOp::kNor:
      if (on_booleans) return std::string(op == WordOp::kNand ? "(not (and" : "(not (or") + arguments + "))";
      break;
    case WordOp::kXnor:
      if (on_booleans) return "(=" + arguments + ')';
      break;
    case WordOp::kConcat:
      if (operands.size() == 1) return texts_[operands[0].index()];
      break;
    default: break;
  }
  std::string_view name = operator_name(op, boolean, on_booleans);
  std::string_view close = ")";
  std::string open;
  if (name.empty() && boolean != on_booleans) {
    // A comparison as a bit, or a reduction as a truth.
    name = operator_name(op, !boolean, on_booleans);
    open = boolean ? "(= #b1 " : "(ite ";
    close = boolean ? "))" : ") #b1 #b0)";
  } else if (name.empty() && !boolean) {
    name = operator_name(op, true, false);
    open = "(ite ";
    close = ") #b1 #b0)";
  }
  if (name.empty()) {
    throw dynomite::UsageError("SMT-LIB has no function for " + std::string(info(op).name) +
                               " of these sorts");
  }
  return open + '(' + std::string(name) + arguments + std::string(close);
}

void write_terms(const TermStore& terms, std::span<const TermId> assertions,
                 std::span<const std::string> names, dynomite::ByteSink& sink, dynomite::Stop& stop) {
  TermWriter writer(terms, sink, stop);
  writer.write("(set-logic QF_BV)\n");
  writer.declare(assertions);
  for (std::size_t i = 0; i < assertions.size(); ++i) {
    const std::string text = writer.define(assertions[i]);
    const bool named = i < names.size() && !names[i].empty();
    writer.write(named ? "(assert (! " + text + " :named " + symbol_text(names[i]) + "))\n"
                       : "(assert " + text + ")\n");
  }
  writer.write("(check-sat)\n");
}

std::vector<TermId> write_for_z3(const TermStore& terms, std::span<const TermId> plain,
                                 std::span<const TermId> guarded, dynomite::ByteSink& sink,
                                 dynomite::Stop& stop) {
  TermWriter writer(terms, sink, stop);
  std::vector<TermId> all(plain.begin(), plain.end());
  all.insert(all.end(), guarded.begin(), guarded.end());
  std::vector<TermId> variables = writer.declare(all, TermWriter::Naming::kNumbered);
  for (const TermId term : plain) {
    const std::string text = writer.define(term);
    writer.write("(assert " + text + ")\n");
  }
  for (std::size_t i = 0; i < guarded.size(); ++i) {
    const std::string guard = "guard!" + std::to_string(i);
    const std::string text = writer.define(guarded[i]);
    writer.write("(declare-const " + guard + " Bool)\n(assert (or (not " + guard + ") " + text + "))\n");
  }
  return variables;
}

}  // namespace dmt::smt
