// `using`, `dialect` and declarations of types and operations in the text form.
#include <algorithm>
#include <array>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/nearest_name.hpp"
#include "dynomite/native/ir/op_traits.hpp"
#include "dynomite/native/ir/text_reader.hpp"

namespace dynomite::ir {

void TextReader::forget_cached_names() {
  op_cache_.fill({});
  type_cache_.fill({});
}

Opcode TextReader::find_op(std::string_view name, std::uint32_t offset, bool& known) {
  std::uint64_t hash = name.size();
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x9E3779B97F4A7C15ULL;
  Cached<Opcode>& cached = op_cache_[(hash >> 32) % op_cache_.size()];
  known = true;
  if (cached.text == name) return cached.value;
  std::optional<Opcode> found = registry_->find_op(name);
  const auto try_dialect = [&](DialectId dialect) {
    const auto other = registry_->find_op(registry_->dialect(dialect).name + "." + std::string(name));
    if (!other) return;
    if (found && *found != *other) {
      fail(offset, "'" + std::string(name) + "' may be '" + registry_->name(*found) + "' or '" +
                       registry_->name(*other) + "'");
    }
    found = other;
  };
  if (!found) {
    for (const DialectId dialect : used_) try_dialect(dialect);
    if (!found) try_dialect(kCoreDialect);
  }
  if (found) {
    cached = {name, *found};
    return *found;
  }
  NearestName nearest(name);
  for (std::uint32_t d = 0; d < registry_->dialect_count(); ++d) {
    const DialectInfo& dialect = registry_->dialect(static_cast<DialectId>(d));
    const bool is_used = d == kCoreDialect || std::find(used_.begin(), used_.end(), d) != used_.end();
    for (const OpInfo& op : dialect.ops) {
      nearest.offer(dialect.name + "." + op.name);
      if (is_used) nearest.offer(op.name);
    }
  }
  errors_.error(offset, "unknown operation '" + std::string(name) + "'" +
                            (nearest.best().empty() ? "" : "; did you mean '" + nearest.best() + "'?"));
  known = false;
  return {};
}

ObjKind TextReader::find_type(std::string_view name, std::uint32_t offset) {
  std::optional<ObjKind> found = registry_->find_type(name);
  if (!found) {
    for (const DialectId dialect : used_) {
      const auto other = registry_->find_type(registry_->dialect(dialect).name + "." + std::string(name));
      if (found && other && *found != *other) {
        fail(offset, "'" + std::string(name) + "' may be '" + registry_->name(*found) + "' or '" +
                         registry_->name(*other) + "'");
      }
      if (other) found = other;
    }
  }
  if (!found) found = registry_->find_type("core." + std::string(name));
  if (found) return *found;
  NearestName nearest(name);
  for (std::uint32_t d = 0; d < registry_->dialect_count(); ++d) {
    const DialectInfo& dialect = registry_->dialect(static_cast<DialectId>(d));
    const bool is_used = std::find(used_.begin(), used_.end(), d) != used_.end();
    for (const TypeInfo& type : dialect.types) {
      nearest.offer(dialect.name + "." + type.name);
      if (is_used) nearest.offer(type.name);
    }
  }
  fail(offset, "unknown type '" + std::string(name) + "'" +
                   (nearest.best().empty() ? "" : "; did you mean '" + nearest.best() + "'?"));
}

void TextReader::using_statement() {
  cursor_.skip_blanks();
  const std::uint32_t offset = cursor_.offset();
  const std::string_view name = cursor_.word(0);
  if (name.empty()) fail(offset, "expected the name of a dialect behind 'using'");
  const auto dialect = registry_->find_dialect(name);
  if (!dialect) {
    NearestName nearest(name);
    for (std::uint32_t d = 0; d < registry_->dialect_count(); ++d) {
      nearest.offer(registry_->dialect(static_cast<DialectId>(d)).name);
    }
    fail(offset, "unknown dialect '" + std::string(name) + "'" +
                     (nearest.best().empty() ? "" : "; did you mean '" + nearest.best() + "'?"));
  }
  if (std::find(used_.begin(), used_.end(), *dialect) == used_.end()) used_.push_back(*dialect);
  forget_cached_names();
}

DialectId TextReader::declared_dialect(std::string_view name) {
  if (!before_) before_ = *registry_;
  const auto known = registry_->find_dialect(name);
  return known ? *known : registry_->add_dialect(name);
}

/// What is declared until `close_declarations` goes into a dsl.DIALECT.
void TextReader::open_declarations(std::uint32_t offset) {
  start(offset);
  in_statement_ = false;
  CfgStore& cfg = module_->cfg();
  declaring_ = cfg.create_region();
  cfg.create_block(declaring_);
  declaring_at_ = options_.locations
                      ? module_->locations().single({file_name_, static_cast<std::uint32_t>(now_.place.line),
                                                     static_cast<std::uint32_t>(now_.place.column)})
                      : LocationId();
}

void TextReader::close_declarations(const std::string& dialect) {
  const FatDynObjRef name(kind::kAttr, module_->attributes().string(dialect).index());
  const std::array<OperandSpec, 2> operands = {OperandSpec::use(name),
                                               OperandSpec::def_object({kind::kRegion, declaring_.index()})};
  CfgStore& cfg = module_->cfg();
  const InstrId instr = module_->instrs().create(dsl_op::kDialect, operands);
  cfg.set_owner(declaring_, instr);
  cfg.insert(frame().block, cfg.last(frame().block), instr);
  if (declaring_at_) module_->locations().set(instr, declaring_at_);
  declaring_ = {};
}

void TextReader::add_declaration(Opcode opcode, std::string_view name, AttrId dictionary) {
  const auto attribute = [](AttrId id) { return OperandSpec::use({kind::kAttr, id.index()}); };
  std::vector<OperandSpec> operands = {attribute(module_->attributes().string(name))};
  if (dictionary) operands.push_back(attribute(dictionary));
  CfgStore& cfg = module_->cfg();
  const BlockId block = cfg.first_block(declaring_);
  const InstrId instr = module_->instrs().create(opcode, operands);
  cfg.insert(block, cfg.last(block), instr);
  if (declaring_at_) module_->locations().set(instr, declaring_at_);
}

void TextReader::declare_item(DialectId dialect, Declared declared, std::uint32_t offset) {
  try {
    declare(*registry_, dialect, declared);
  } catch (const UsageError& error) {
    errors_.error(offset, error.what());
    return;
  }
  if (!declaring_) return;
  const AttrId dictionary = declaration_dictionary(module_->attributes(), declared);
  if (const auto* op = std::get_if<OpInfo>(&declared)) {
    add_declaration(dsl_op::kOp, op->name, dictionary);
  } else {
    add_declaration(dsl_op::kType, std::get<TypeInfo>(declared).name, dictionary);
  }
}

/// A dsl.DIALECT that was written out declares as the short form does.
void TextReader::declare_from(InstrId instr, std::uint32_t offset) {
  if (!before_) before_ = *registry_;
  try {
    declare(*registry_, read_declarations(*module_, instr));
  } catch (const UsageError& error) {
    errors_.error(offset, error.what());
  } catch (const LimitError& error) {
    errors_.error(offset, error.what());
  }
  forget_cached_names();
}

/// Behind the word `dialect`; a dialect that is `extern` is no part of the module.
void TextReader::dialect_statement(std::uint32_t statement_offset, bool is_extern) {
  cursor_.skip_blanks();
  const std::uint32_t offset = cursor_.offset();
  const std::string_view name = cursor_.word(0);
  if (name.empty()) fail(offset, "expected a name behind 'dialect'");
  DialectId dialect = 0;
  try {
    dialect = declared_dialect(name);
  } catch (const LimitError& error) {
    fail(offset, error.what());
  }
  cursor_.skip_lines();
  const std::uint32_t open = cursor_.offset();
  expect('{', "behind the name of the dialect");
  if (is_extern) {
    declaring_ = {};
  } else {
    open_declarations(statement_offset);
  }
  const std::vector<DialectId> used_outside = used_;
  if (std::find(used_.begin(), used_.end(), dialect) == used_.end()) used_.push_back(dialect);
  for (;;) {
    do cursor_.skip_lines();
    while (cursor_.take(';'));
    const std::uint32_t at = cursor_.offset();
    if (cursor_.at_end()) fail(at, "the text ends inside of a dialect", {{open, "opened here"}});
    if (cursor_.take('}')) break;
    const std::string_view word = cursor_.word(0);
    try {
      if (word == "using") {
        using_statement();
        continue;
      }
      if (word != "let") fail(at, "expected 'let', 'using' or '}' in a dialect");
      cursor_.skip_blanks();
      const std::uint32_t name_offset = cursor_.offset();
      const std::string_view declared = cursor_.word(text_class::kDot);
      if (declared.empty()) fail(name_offset, "expected a name behind 'let'");
      expect('=', "behind the name of a declaration");
      cursor_.skip_lines();
      const std::uint32_t kind_offset = cursor_.offset();
      const std::string_view kind = cursor_.word(text_class::kDot);
      if (kind != "type" && kind != "instr" && kind != "core.instr" && kind != "Instr") {
        fail(kind_offset, "expected 'type' or 'core.instr'");
      }
      declaration(dialect, declared, name_offset, kind);
    } catch (const Recover&) {
      if (errors_.full()) throw;
      skip_statement();
    }
  }
  if (!is_extern) close_declarations(std::string(name));
  used_ = used_outside;
  forget_cached_names();
}

/// The next `let NAME =` of a declaration's body; false at its end.
bool TextReader::next_field(std::string_view& name, std::uint32_t& offset) {
  do cursor_.skip_lines();
  while (cursor_.take(';') || cursor_.take(','));
  if (cursor_.take('}')) return false;
  offset = cursor_.offset();
  if (cursor_.at_end()) fail(offset, "the text ends inside of a declaration");
  if (cursor_.word(0) != "let") fail(offset, "expected 'let' or '}' in a declaration");
  cursor_.skip_blanks();
  offset = cursor_.offset();
  name = cursor_.word(0);
  if (name.empty()) fail(offset, "expected the name of a property");
  expect('=', "behind the name of a property");
  cursor_.skip_lines();
  return true;
}

bool TextReader::flag() {
  const std::uint32_t offset = cursor_.offset();
  const std::string_view word = cursor_.word(0);
  if (word != "true" && word != "false") fail(offset, "expected 'true' or 'false'");
  return word == "true";
}

void TextReader::declaration(DialectId dialect, std::string_view name, std::uint32_t offset,
                             std::string_view kind) {
  expect('{', "behind the kind of a declaration");
  open_braces_ = 1;
  if (!before_) before_ = *registry_;
  try {
    if (kind == "type") {
      TypeInfo info;
      info.name = name;
      info.is_dynamic = true;
      type_declaration(dialect, std::move(info), offset);
    } else {
      OpInfo info;
      info.name = name;
      info.traits = kDynamic;
      op_declaration(dialect, std::move(info), offset);
    }
  } catch (const UsageError& error) {
    errors_.error(offset, error.what());
  } catch (const LimitError& error) {
    errors_.error(offset, error.what());
  }
  open_braces_ = 0;
  forget_cached_names();
}

void TextReader::type_declaration(DialectId dialect, TypeInfo info, std::uint32_t offset) {
  std::string_view field;
  std::uint32_t at = 0;
  while (next_field(field, at)) {
    if (field == "params") {
      info.param_info = parameter_list();
      info.params = static_cast<std::uint32_t>(info.param_info.size());
    } else if (field == "token") {
      info.is_token = flag();
    } else if (field == "doc") {
      if (cursor_.peek() != '"') fail(cursor_.offset(), "expected a string");
      info.doc = quoted();
    } else {
      fail(at, "a type has no property '" + std::string(field) + "'; there are params, token and doc");
    }
  }
  declare_item(dialect, std::move(info), offset);
}

std::vector<ParamInfo> TextReader::parameter_list() {
  const std::uint32_t offset = cursor_.offset();
  if (cursor_.word(0) != "list") fail(offset, "expected 'list { %name:core.unsigned, ... }'");
  expect('{', "behind 'list'");
  ++open_braces_;
  std::vector<ParamInfo> params;
  cursor_.skip_lines();
  while (!cursor_.take('}')) {
    const std::uint32_t at = cursor_.offset();
    ParamInfo param;
    if (!cursor_.take('%')) fail(at, "expected a parameter, as in %width:core.unsigned");
    param.name = cursor_.word(0);
    if (param.name.empty()) fail(at, "expected a name behind '%'");
    expect(':', "behind the name of a parameter");
    cursor_.skip_blanks();
    const std::uint32_t kind_at = cursor_.offset();
    const std::string_view kind = cursor_.word(text_class::kDot);
    if (kind == "core.unsigned" || kind == "cpp.unsigned" || kind == "unsigned") {
      param.kind = ParamKind::kUnsigned;
    } else if (kind == "core.type" || kind == "type") {
      param.kind = ParamKind::kType;
    } else if (kind == "core.string" || kind == "string") {
      param.kind = ParamKind::kString;
    } else if (kind != "core.any" && kind != "any") {
      fail(kind_at, "a parameter is core.unsigned, core.type, core.string or core.any");
    }
    params.push_back(std::move(param));
    cursor_.skip_lines();
    if (cursor_.take(',')) cursor_.skip_lines();
    if (cursor_.at_end()) fail(cursor_.offset(), "the text ends inside of a list of parameters");
  }
  --open_braces_;
  return params;
}

void TextReader::op_declaration(DialectId dialect, OpInfo info, std::uint32_t offset) {
  std::string_view field;
  std::uint32_t at = 0;
  while (next_field(field, at)) {
    if (field == "defs") {
      info.defs = small_number("a number of definitions");
    } else if (field == "uses") {
      info.uses = small_number("a number of uses");
    } else if (field == "doc") {
      if (cursor_.peek() != '"') fail(cursor_.offset(), "expected a string");
      info.doc = quoted();
    } else {
      const auto trait = std::find_if(kNamedTraits.begin(), kNamedTraits.end(),
                                      [&](const NamedTrait& named) { return named.name == field; });
      if (trait == kNamedTraits.end()) {
        NearestName nearest(field);
        for (const NamedTrait& named : kNamedTraits) nearest.offer(named.name);
        for (const char* other : {"defs", "uses", "doc"}) nearest.offer(other);
        fail(at, "an operation has no property '" + std::string(field) + "'" +
                     (nearest.best().empty() ? "" : "; did you mean '" + nearest.best() + "'?"));
      }
      info.traits = flag() ? info.traits | trait->trait : info.traits & ~std::uint32_t{trait->trait};
    }
  }
  declare_item(dialect, std::move(info), offset);
}

}  // namespace dynomite::ir
