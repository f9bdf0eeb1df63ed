#include "dynomite/native/ir/text_pattern_printer.hpp"

#include <algorithm>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/text_quoting.hpp"

namespace dynomite::ir {

namespace {

constexpr std::size_t kMaxIndent = 80;

}  // namespace

std::string PatternPrinter::print(InstrId pattern_instr, std::size_t indent, std::uint32_t& count) {
  out_.clear();
  bound_.clear();
  op_names_.clear();
  first_def_ = {};
  bound_order_.clear();
  height_ = nested_ = 0;
  try {
    pattern(pattern_instr, std::min(indent, kMaxIndent));
  } catch (const NotShort&) {
    return {};
  }
  count += instructions_inside(pattern_instr);
  return std::move(out_);
}

// Instructions as nodes.

rewrite_op::Number PatternPrinter::op(InstrId instr) const {
  const Opcode opcode = module_.instrs().opcode(instr);
  require(opcode.dialect() == kRewriteDialect && opcode.number() < rewrite_op::kEnd);
  return static_cast<rewrite_op::Number>(opcode.number());
}

PatternPrinter::Uses PatternPrinter::uses(InstrId instr) const {
  Uses result;
  const InstrStore& instrs = module_.instrs();
  for (std::uint32_t i = 0; i < instrs.operand_count(instr); ++i) {
    const Operand operand = instrs.operand(instr, i);
    if (!operand.is_def) result.push_back(operand.ref);
  }
  return result;
}

/// The instructions in its region; it must be as the reader makes it.
std::vector<InstrId> PatternPrinter::parts(InstrId instr) const {
  const InstrStore& instrs = module_.instrs();
  const CfgStore& cfg = module_.cfg();
  std::vector<InstrId> result;
  const std::uint32_t count = instrs.operand_count(instr);
  const std::uint32_t behind = op(instr) == rewrite_op::kPattern ? 1 : 0;  // its dictionary
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand operand = instrs.operand(instr, i);
    if (!operand.is_def) continue;
    require(operand.ref.kind == kind::kRegion && i + 1 + behind == count);
    const RegionId region(operand.ref.id);
    require(cfg.is_live(region) && cfg.owner(region) == instr &&
            !instrs.is_used({region.index(), kind::kRegion}));
    const BlockId block = cfg.first_block(region);
    require(block && !cfg.next_block(block) && !instrs.is_used({block.index(), kind::kBlock}));
    for (InstrId inner = cfg.first(block); inner; inner = cfg.next(block, inner)) {
      require(!cfg.is_shared(inner) && !instrs.is_used({inner.index(), kind::kInstr}));
      result.push_back(inner);
    }
    require(!result.empty());
  }
  return result;
}

std::uint32_t PatternPrinter::instructions_inside(InstrId pattern) const {
  std::vector<InstrId> left = {pattern};
  std::uint32_t count = 0;
  while (!left.empty()) {
    const std::vector<InstrId> inside = parts(left.back());
    left.pop_back();
    count += static_cast<std::uint32_t>(inside.size());
    left.insert(left.end(), inside.begin(), inside.end());
  }
  return count;
}

InstrId PatternPrinter::only(InstrId instr) const {
  const std::vector<InstrId> inside = parts(instr);
  require(inside.size() == 1);
  return inside.front();
}

std::string_view PatternPrinter::text(const FatDynObjRef& ref) const {
  require(ref.kind == kind::kAttr && module_.attributes().kind(AttrId(ref.id)) == AttrKind::kString);
  return module_.attributes().text_view(AttrId(ref.id));
}

/// Its only use, a text.
std::string_view PatternPrinter::own_name(InstrId instr) const {
  const Uses own = uses(instr);
  require(own.size() == 1);
  return text(own.front());
}

void PatternPrinter::name(std::string_view name, char sigil) {
  require(!name.empty());
  out_ += sigil;
  append_name(out_, name);
}

void PatternPrinter::number(const FatDynObjRef& ref) {
  require(ref.kind == kind::kConstant || ref.kind == kind::kWide);
  Constant content = module_.attributes().constant(ref);
  require(content.width % 64 == 0);
  const bool negative = content.words.back() >> 63 != 0;
  if (negative) {
    bool carry = true;
    for (std::uint64_t& word : content.words) {
      word = ~word + (carry ? 1 : 0);
      carry = carry && word == 0;
    }
    out_ += '-';
  }
  std::size_t size = content.words.size();
  // As narrow as the reader makes it.
  if (size > 1) {
    const std::uint64_t top = content.words[size - 1];
    const std::uint64_t below = content.words[size - 2];
    const bool edge =
        negative && below == std::uint64_t{1} << 63 &&
        std::all_of(content.words.begin(), content.words.end() - 2, [](auto w) { return w == 0; });
    require(top != 0 || (below >> 63 != 0 && !edge));
  }
  while (size > 1 && content.words[size - 1] == 0) --size;
  if (size == 1) {
    out_ += std::to_string(content.words[0]);
    return;
  }
  static constexpr char kHex[] = "0123456789abcdef";
  out_ += "0x";
  bool started = false;
  for (std::size_t i = size * 16; i-- > 0;) {
    const auto digit = static_cast<std::size_t>(content.words[i / 16] >> (4 * (i % 16)) & 15);
    started = started || digit != 0;
    if (started) out_ += kHex[digit];
  }
}

void PatternPrinter::parameter(const FatDynObjRef& ref) {
  if (ref.is_none()) {
    out_ += '_';
  } else if (ref.kind == kind::kAttr) {
    const std::string_view own = text(ref);
    name(own);
    bind(own);
  } else {
    number(ref);
  }
}

void PatternPrinter::operation(std::string_view full) {
  const auto known = module_.registry()->find_op(full);
  require(known.has_value());
  need_op_(*known);
  out_ += full;
}

void PatternPrinter::type(std::string_view full, std::size_t params, bool all) {
  const auto known = module_.registry()->find_type(full);
  require(known.has_value());
  require(module_.registry()->type(*known).params == params || (all && params == 0));
  need_type_(*known);
  out_ += full;
}

void PatternPrinter::bind(std::string_view name, bool is_def) {
  const auto [entry, is_new] = bound_.emplace(name, is_def);
  if (is_new) bound_order_.push_back(name);
  entry->second = entry->second || is_def;
  if (is_def && first_def_.empty()) first_def_ = name;
}

// What is matched.

void PatternPrinter::pattern(InstrId instr, std::size_t indent) {
  using namespace rewrite_op;
  const std::string margin(indent, ' ');
  out_ += "{\n";
  int last = -1;
  for (const InstrId part : parts(instr)) {
    const Number kind = op(part);
    static constexpr Number kOrder[] = {kDoc, kMatch, kIf, kEmit, kDo};
    const auto* found = std::find(std::begin(kOrder), std::end(kOrder), kind);
    require(found != std::end(kOrder));
    const auto place = static_cast<int>(found - std::begin(kOrder));
    require(place > last || (place == last && kind == kIf));
    require(place < 2 || last > 0);
    last = place;
    height_ = 0;
    out_ += margin;
    if (kind == kDoc) {
      out_ += "  let doc = ";
      append_quoted(out_, own_name(part));
      require(parts(part).empty());
    } else if (kind == kMatch || kind == kIf) {
      require(uses(part).empty());
      out_ += kind == kMatch ? "  match { " : "  if { ";
      kind == kMatch ? instruction(only(part)) : condition(only(part), false);
      out_ += " }";
    } else if (kind == kEmit) {
      require(uses(part).empty());
      const std::vector<InstrId> statements = parts(part);
      out_ += "  emit {";
      for (const InstrId one : statements) {
        out_ += statements.size() == 1 ? " " : "\n" + margin + "    ";
        statement(one);
      }
      out_ += statements.size() == 1 ? " }" : "\n" + margin + "  }";
    } else {
      require(parts(part).empty());
      out_ += "  do { ";
      call(part);
      out_ += " }";
    }
    out_ += '\n';
  }
  require(last > 0);
  out_ += margin;
  out_ += '}';
}

/// Names and operations of an instruction.
void PatternPrinter::head(InstrId instr) {
  require(op(instr) == rewrite_op::kInstr);
  const Uses own = uses(instr);
  require(own.size() == 3 && own[0].kind == kind::kAttr);
  const Attributes& attributes = module_.attributes();
  require(attributes.kind(AttrId(own[0].id)) == AttrKind::kList);
  if (!own[2].is_none()) {
    name(text(own[2]), '$');
    bind(text(own[2]));
    out_ += ": ";
  }
  if (!own[1].is_none()) {
    name(text(own[1]));
    bind(text(own[1]));
    out_ += ':';
  }
  std::vector<Opcode> ops;
  const std::vector<FatDynObjRef> names = attributes.items(AttrId(own[0].id));
  if (names.empty()) out_ += '_';
  if (names.size() > 1) out_ += '(';
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out_ += " | ";
    operation(text(names[i]));
    ops.push_back(*module_.registry()->find_op(text(names[i])));
  }
  if (names.size() > 1) out_ += ')';
  if (!own[1].is_none()) op_names_.push_back({text(own[1]), ops});
}

void PatternPrinter::instruction(InstrId instr) {
  head(instr);
  const InstrId operands = only(instr);
  if (op(operands) == rewrite_op::kSeq && parts(operands).empty()) {
    require(uses(operands).empty());
  } else {
    out_ += ' ';
    expression(operands, kAlternatives);
  }
}

void PatternPrinter::expression(InstrId instr, Level level) {
  using namespace rewrite_op;
  enter();
  const Number kind = op(instr);
  switch (kind) {
    case kAny:
      require(uses(instr).empty() && parts(instr).empty());
      out_ += '.';
      break;
    case rewrite_op::kType: {
      const Uses own = uses(instr);
      require(!own.empty() && parts(instr).empty());
      type(text(own[0]), own.size() - 1, true);
      for (std::size_t i = 1; i < own.size(); ++i) {
        out_ += i == 1 ? "(" : ", ";
        parameter(own[i]);
      }
      if (own.size() > 1) out_ += ')';
      break;
    }
    case kConst: {
      const Uses own = uses(instr);
      require(own.size() == 2 && parts(instr).empty());
      out_ += "constant(";
      parameter(own[0]);
      if (!own[1].is_none()) {
        out_ += ", ";
        parameter(own[1]);
      }
      out_ += ')';
      break;
    }
    case rewrite_op::kInstr:
      out_ += '(';
      ++nested_;
      instruction(instr);
      --nested_;
      out_ += ')';
      break;
    case kSame:
      require(parts(instr).empty() && is_bound(own_name(instr)));
      name(own_name(instr));
      break;
    case kNamed: {
      const bool group = level >= kRepeated;
      if (group) out_ += '(';
      named(instr);
      if (group) out_ += ')';
      break;
    }
    case kStar:
    case kPlus:
      require(uses(instr).empty());
      if (level >= kAtom) out_ += '(';
      expression(only(instr), kRepeated);
      out_ += kind == kStar ? '*' : '+';
      if (level >= kAtom) out_ += ')';
      break;
    case kDef:
    case kUse: {
      require(uses(instr).empty());
      const InstrId inner = only(instr);
      out_ += kind == kDef ? "def" : "use";
      if (op(inner) == kAny) {
        require(uses(inner).empty() && parts(inner).empty());
        break;
      }
      out_ += '(';
      expression(inner, kAlternatives);
      out_ += ')';
      break;
    }
    default: chain(instr, level);
  }
  --height_;
}

/// X, Y and X / Y and X | Y.
void PatternPrinter::chain(InstrId instr, Level level) {
  const rewrite_op::Number kind = op(instr);
  require(uses(instr).empty());
  const std::vector<InstrId> inside = parts(instr);
  if (kind == rewrite_op::kSeq && inside.empty()) {
    out_ += "()";
    return;
  }
  require(inside.size() > 1);
  const Level own = kind == rewrite_op::kAlt         ? kAlternatives
                    : kind == rewrite_op::kUnordered ? kUnordered
                                                     : kSequence;
  require(kind == rewrite_op::kAlt || kind == rewrite_op::kUnordered || kind == rewrite_op::kSeq);
  if (own < level) out_ += '(';
  if (kind == rewrite_op::kAlt) {
    alternatives(inside);
  } else {
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (i > 0) out_ += kind == rewrite_op::kSeq ? ", " : " / ";
      expression(inside[i], static_cast<Level>(own + 1));
    }
  }
  if (own < level) out_ += ')';
}

void PatternPrinter::alternatives(const std::vector<InstrId>& inside) {
  const std::size_t before = bound_order_.size();
  std::vector<std::pair<std::string_view, bool>> found;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (i > 0) out_ += " | ";
    expression(inside[i], kUnordered);
    for (; bound_order_.size() > before; bound_order_.pop_back()) {
      found.emplace_back(bound_order_.back(), bound_.at(bound_order_.back()));
      bound_.erase(bound_order_.back());
    }
  }
  for (const auto& [name, is_def] : found) bind(name, is_def);
}

void PatternPrinter::named(InstrId instr) {
  const std::string_view own = own_name(instr);
  const InstrId inner = only(instr);
  name(own);
  if (op(inner) == rewrite_op::kAny && !is_bound(own)) {
    require(uses(inner).empty() && parts(inner).empty());
    bind(own);
    return;
  }
  out_ += ':';
  expression(inner, kItem);
  bind(own, nested_ == 0 && op(inner) == rewrite_op::kDef);
}

}  // namespace dynomite::ir
