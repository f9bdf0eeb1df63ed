// Ends of instructions and scopes: what is checked once all operands or all names are known.
// False alarms of GCC 12 on sums of strings (its bug 105651).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wrestrict"
#endif

#include <algorithm>

#include "dynomite/native/ir/text_printer.hpp"
#include "dynomite/native/ir/text_reader.hpp"

namespace dynomite::ir {

namespace {

std::string count_text(std::uint32_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string in_quotes(const std::string& name) {
  std::string text;
  text.append(1, '\'').append(name).append(1, '\'');
  return text;
}

bool is_data(ObjKind kind) {
  return kind == kind::kValue || kind == kind::kConstant || kind == kind::kWide || kind == kind::kNone;
}

}  // namespace

void TextReader::finish() {
  if (now_.known) {
    if (now_.name) merge_symbol(now_);
    check_operands(now_);
    create(now_);
  }
  operands_.resize(now_.first_operand);
  places_.resize(now_.first_operand, OperandPlace{0, kNone});
  defined_.resize(defined_.size() - now_.definitions);
  pending_.resize(now_.first_pending);
  in_statement_ = false;
}

/// Puts name and visibility into the dictionary.
void TextReader::merge_symbol(const Statement& now) {
  Attributes& attributes = module_->attributes();
  std::vector<std::pair<AttrId, FatDynObjRef>> entries;
  const bool has_dictionary = operands_.size() > now.first_operand && !operands_.back().is_def &&
                              operands_.back().ref.kind == kind::kAttr &&
                              attributes.kind(AttrId(operands_.back().ref.id)) == AttrKind::kDict;
  if (has_dictionary) {
    entries = attributes.entries(AttrId(operands_.back().ref.id));
    for (const auto& [name, value] : entries) {
      if (name != sym_name_ && name != sym_visibility_) continue;
      fail(places_.back().offset, "'" + attributes.text(name) + "' is written behind the operation, as in " +
                                      registry_->name(now.opcode) + " @name private");
    }
  }
  const auto text_ref = [](AttrId text) { return FatDynObjRef(kind::kAttr, text.index()); };
  entries.emplace_back(sym_name_, text_ref(now.name));
  if (now.visibility) entries.emplace_back(sym_visibility_, text_ref(now.visibility));
  const FatDynObjRef dictionary(kind::kAttr, attributes.dict(std::move(entries)).index());
  if (has_dictionary) {
    operands_.back().ref = dictionary;
  } else {
    add_operand(OperandSpec::use(dictionary), now.offset);
  }
}

void TextReader::check_operands(const Statement& now) {
  const OpInfo& info = registry_->op(now.opcode);
  const std::uint32_t count = static_cast<std::uint32_t>(operands_.size()) - now.first_operand;
  const OperandSpec* operands = operands_.data() + now.first_operand;
  const OperandPlace* places = places_.data() + now.first_operand;
  const auto op = [&] { return in_quotes(registry_->name(now.opcode)); };
  if ((info.traits & (kSymbol | kSymbolTable)) == kSymbol && !now.name) {
    fail(now.offset, op() + " needs a name, as in " + registry_->name(now.opcode) + " @name");
  }
  for (std::uint32_t i = 0; i < info.defs; ++i) {
    if (i >= count) break;
    if (!operands[i].is_def || !operands[i].ref.is_none()) {
      fail(places[i].offset,
           "operand " + std::to_string(i + 1) + " of " + op() + " must define a value, as in %a:def(type)");
    }
  }
  const bool variadic = (info.traits & kVariadic) != 0;
  if (now.definitions < info.defs || (now.definitions > info.defs && !variadic)) {
    std::uint32_t at = now.offset;
    std::uint32_t seen = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (operands[i].is_def && operands[i].ref.is_none() && seen++ == info.defs) at = places[i].offset;
    }
    fail(at,
         op() + " defines " + count_text(info.defs, "value") + ", not " + std::to_string(now.definitions));
  }
  std::uint32_t uses = 0;
  std::uint32_t first_extra = now.offset;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (operands[i].is_def) continue;
    const FatDynObjRef& ref = operands[i].ref;
    if (i + 1 == count && ref.kind == kind::kAttr &&
        module_->attributes().kind(AttrId(ref.id)) == AttrKind::kDict) {
      continue;
    }
    if (uses == info.uses) first_extra = places[i].offset;
    ++uses;
    if ((info.traits & kSameType) != 0 && !is_data(ref.kind)) {
      fail(places[i].offset,
           "operand " + std::to_string(i + 1) + " of " + op() + " must be a value or a constant");
    }
  }
  if (uses < info.uses || (uses > info.uses && !variadic)) {
    fail(uses < info.uses ? now.offset : first_extra, op() + " takes " + (variadic ? "at least " : "") +
                                                          count_text(info.uses, "operand") + ", not " +
                                                          std::to_string(uses));
  }
}

/// Type for definitions that name none.
TypeId TextReader::inferred_type(const Statement& now) const {
  if (!registry_->has_trait(now.opcode, kSameType)) return no_type_;
  for (std::size_t i = now.first_operand; i < operands_.size(); ++i) {
    if (operands_[i].is_def && operands_[i].type) return operands_[i].type;
    if (!operands_[i].is_def && places_[i].definition != kNone && definitions_[places_[i].definition].type) {
      return definitions_[places_[i].definition].type;
    }
  }
  return no_type_;
}

void TextReader::create(const Statement& now) {
  InstrStore& store = module_->instrs();
  const std::span<OperandSpec> operands(operands_.data() + now.first_operand,
                                        operands_.size() - now.first_operand);
  if (now.definitions != 0) {
    const std::size_t first = defined_.size() - now.definitions;
    TypeId inferred;
    for (OperandSpec& operand : operands) {
      if (!operand.is_def || !operand.ref.is_none() || operand.type) continue;
      if (!inferred) inferred = inferred_type(now);
      operand.type = inferred;
    }
    std::uint32_t value = store.value_bound();
    std::size_t next = first;
    for (const OperandSpec& operand : operands) {
      if (!operand.is_def || !operand.ref.is_none()) continue;
      Definition& definition = definitions_[defined_[next].first];
      definition.id = value;
      definition_of_value_.push_back(defined_[next].first);
      definition.type = operand.type;
      if (defined_[next].second) module_->set_value_name(ValueId(value), defined_[next].second);
      ++value;
      ++next;
    }
  }
  const InstrId instr = store.create(now.opcode, operands);
  const std::uint32_t traits = registry_->op(now.opcode).traits;
  if ((traits & kSameType) != 0) {
    if (pending_.size() > now.first_pending) {
      recheck_.emplace_back(instr, now.offset);
    } else {
      TypeId wanted;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        const OperandPlace& place = places_[now.first_operand + i];
        TypeId type = operands[i].is_def && operands[i].ref.is_none() ? operands[i].type : TypeId();
        if (place.definition != kNone) type = definitions_[place.definition].type;
        if (!type) continue;
        if (!wanted) wanted = type;
        if (type == wanted) continue;
        std::vector<Diagnostics::At> notes;
        if (place.definition != kNone) {
          const std::uint32_t defined_at = definitions_[place.definition].offset;
          notes.push_back({defined_at, name_at(defined_at) + " is defined here"});
        }
        errors_.error(place.offset,
                      "operand " + std::to_string(i + 1) + " of '" + registry_->name(now.opcode) +
                          "' has the type " + type_text(*module_, type) + ", the ones before have " +
                          type_text(*module_, wanted),
                      notes);
        break;
      }
    }
  }
  for (const OperandSpec& operand : operands) {
    if (!operand.is_def || operand.ref.is_none()) continue;
    CfgStore& cfg = module_->cfg();
    cfg.set_owner(
        operand.ref.kind == kind::kRegion ? RegionId(operand.ref.id) : cfg.region(BlockId(operand.ref.id)),
        instr);
  }
  for (std::size_t i = now.first_pending; i < pending_.size(); ++i) {
    Fixup& fixup = pending_[i];
    fixup.instr = instr;
    (fixup.definition == kNone ? fixups_ : late_).push_back(fixup);
  }
  const Frame& inside = frame();
  if (!inside.detached) module_->cfg().insert(inside.block, module_->cfg().last(inside.block), instr);
  for (const std::uint32_t label : {now.label, now.let_label}) {
    if (label != kNone) definitions_[label].id = instr.index();
  }
  if (now.has_location) {
    module_->locations().set(instr, now.location);
  } else if (options_.locations) {
    module_->locations().set(
        instr, module_->locations().single({file_name_, static_cast<std::uint32_t>(now.place.line),
                                            static_cast<std::uint32_t>(now.place.column)}));
  }
  if (now.opcode == dsl_op::kDialect && frames_.size() == 1) declare_from(instr, now.offset);
}

void TextReader::wrong_type(std::uint32_t offset, TypeId expected, const Definition& definition) {
  errors_.error(offset,
                "the value " + name_at(offset) + " has the type " + type_text(*module_, definition.type) +
                    ", not " + type_text(*module_, expected),
                {{definition.offset, "defined here"}});
}

void TextReader::check_same_type(InstrId instr, std::uint32_t offset) {
  const InstrStore& store = module_->instrs();
  TypeId wanted;
  for (std::uint32_t i = 0; i < store.operand_count(instr); ++i) {
    const Operand operand = store.operand(instr, i);
    if (operand.ref.kind != kind::kValue) continue;
    const TypeId type = store.type(ValueId(operand.ref.id));
    if (!wanted) wanted = type;
    if (type == wanted) continue;
    errors_.error(offset, "operand " + std::to_string(i + 1) + " of '" +
                              registry_->name(store.opcode(instr)) + "' has the type " +
                              type_text(*module_, type) + ", the ones before have " +
                              type_text(*module_, wanted));
    return;
  }
}

void TextReader::leave_scope(Frame& done) {
  const std::size_t first = done.fixups;
  for (std::size_t i = first; i < fixups_.size(); ++i) resolve(fixups_[i]);
  fixups_.resize(first);
  for (const Sigil sigil : {kValues, kBlocks, kRegions}) names_[sigil].leave(done.marks[sigil]);
}

void TextReader::resolve(Fixup fixup) {
  fixup.definition = names_[fixup.sigil].definition(fixup.entry);
  if (fixup.definition == kNone && fixup.sigil == kValues) {
    // `%prog` stands for `let prog`.
    const std::uint32_t entry = names_[kInstrs].find("=" + name_at(fixup.offset).substr(1));
    if (entry != kNone) {
      fixup.definition = names_[kInstrs].definition(entry);
      fixup.sigil = kInstrs;
    }
  }
  if (fixup.definition == kNone) {
    static constexpr const char* kWhat[] = {"value", "block", "region", "instruction"};
    errors_.error(fixup.offset, std::string("unknown ") + kWhat[fixup.sigil] + " " + name_at(fixup.offset));
    return;
  }
  if (definitions_[fixup.definition].id == kNone) {
    late_.push_back(fixup);
  } else {
    patch(fixup, definitions_[fixup.definition]);
  }
}

void TextReader::patch(const Fixup& fixup, const Definition& definition) {
  static constexpr ObjKind kKinds[] = {kind::kValue, kind::kBlock, kind::kRegion, kind::kInstr};
  if (definition.id == kNone) return;  // it has an error of its own
  if (fixup.sigil == kValues && definition.ordered && fixup.offset >= definition.block_start) {
    const bool inside = fixup.offset > definition.offset;
    errors_.error(
        fixup.offset,
        "the value " + name_at(fixup.offset) +
            (inside ? " is used by the instruction that defines it" : " is used before its definition") +
            "; only graph regions allow that",
        {{definition.offset, "defined here"}});
    return;
  }
  if (fixup.expected && fixup.expected != definition.type) {
    wrong_type(fixup.offset, fixup.expected, definition);
    return;
  }
  module_->instrs().set_operand(fixup.instr, fixup.operand, {kKinds[fixup.sigil], definition.id});
}

}  // namespace dynomite::ir
