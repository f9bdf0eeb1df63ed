// `using`, `dialect` and declarations of types and operations in the text form.
#include <algorithm>

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

void TextReader::dialect_statement() {
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
  const auto known = registry_->find_type(registry_->dialect(dialect).name + "." + info.name);
  if (!known) {
    registry_->add_type(dialect, std::move(info));
    return;
  }
  const TypeInfo& other = registry_->type(*known);
  if (other.params != info.params || other.is_token != info.is_token ||
      (!other.param_info.empty() && other.param_info != info.param_info)) {
    errors_.error(offset, "the type '" + registry_->name(*known) + "' exists already and is different");
  }
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
  const auto known = registry_->find_op(registry_->dialect(dialect).name + "." + info.name);
  if (!known) {
    registry_->add_op(dialect, std::move(info));
    return;
  }
  const OpInfo& other = registry_->op(*known);
  if ((other.traits | kDynamic) != info.traits || other.defs != info.defs || other.uses != info.uses) {
    errors_.error(offset, "the operation '" + registry_->name(*known) + "' exists already and is different");
  }
}

}  // namespace dynomite::ir
