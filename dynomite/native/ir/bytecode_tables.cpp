#include "dynomite/native/ir/bytecode_tables.hpp"

#include <string>
#include <utility>

#include "dynomite/native/ir/bytecode_format.hpp"
#include "dynomite/native/ir/declarations.hpp"

namespace dynomite::ir::bytecode {

namespace {

constexpr std::uint32_t kAllTraits = 2 * kSameType - 1;

}  // namespace

void Tables::read() {
  read_ops();
  read_kinds();
  read_objects();
  read_locations();
}

void Tables::restore() {
  if (before_) registry_ = std::move(*before_);
  before_.reset();
}

void Tables::read_ops() {
  const std::uint64_t ops = in_.count();
  for (std::uint64_t i = 0; i < ops; ++i) {
    const std::size_t offset = in_.offset();
    const std::string_view dialect = in_.text();
    OpInfo info;
    info.name = in_.text();
    const bool dynamic = in_.flag();
    const std::string full = std::string(dialect) + "." + info.name;
    const auto known = registry_.find_op(full);
    if (dynamic) {
      info.traits = in_.small();
      info.defs = in_.small();
      info.uses = in_.small();
      info.doc = in_.text();
      if ((info.traits & kDynamic) == 0 || info.traits > kAllTraits) in_.fail_at(offset, "unknown traits");
    }
    if (known) {
      const OpInfo& other = registry_.op(*known);
      if (dynamic &&
          ((other.traits | kDynamic) != info.traits || other.defs != info.defs || other.uses != info.uses)) {
        in_.fail_at(offset, "the operation '" + full + "' exists already and is different");
      }
      ops_.push_back(*known);
      continue;
    }
    if (!dynamic) {
      const std::string near = registry_.nearest_op(full);
      in_.fail_at(offset, "unknown operation '" + full + "'" +
                              (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    ops_.push_back(registry_.add_op(dialect_of(dialect), std::move(info)));
  }
}

void Tables::read_kinds() {
  const std::uint64_t kinds = in_.count();
  for (std::uint64_t i = 0; i < kinds; ++i) {
    const std::size_t offset = in_.offset();
    const std::string_view dialect = in_.text();
    TypeInfo info;
    info.name = in_.text();
    info.is_dynamic = in_.flag();
    if (info.is_dynamic) {
      info.is_token = in_.flag();
      info.doc = in_.text();
      info.params = static_cast<std::uint32_t>(in_.count());
      for (std::uint32_t p = 0; p < info.params; ++p) {
        ParamInfo param;
        param.name = in_.text();
        param.kind = static_cast<ParamKind>(in_.below(4, "a kind of parameter"));
        info.param_info.push_back(std::move(param));
      }
    }
    const std::string full = std::string(dialect) + "." + info.name;
    const auto known = registry_.find_type(full);
    if (known) {
      const TypeInfo& other = registry_.type(*known);
      if (info.is_dynamic && (other.params != info.params || other.is_token != info.is_token ||
                              (!other.param_info.empty() && other.param_info != info.param_info))) {
        in_.fail_at(offset, "the type '" + full + "' exists already and is different");
      }
      kinds_.push_back(*known);
      continue;
    }
    if (!info.is_dynamic) {
      const std::string near = registry_.nearest_type(full);
      in_.fail_at(offset,
                  "unknown type '" + full + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    kinds_.push_back(registry_.add_type(dialect_of(dialect), std::move(info)));
  }
}

/// What the module declares, used or not.
void Tables::declare_all() {
  const CfgStore& cfg = module_.cfg();
  const RegionId outermost = cfg.region(module_.body());
  for (BlockId block = cfg.first_block(outermost); block; block = cfg.next_block(block)) {
    for (InstrId instr = cfg.first(block); instr; instr = cfg.next(block, instr)) {
      if (module_.instrs().opcode(instr) != dsl_op::kDialect) continue;
      if (!before_) before_ = registry_;
      declare(registry_, read_declarations(module_, instr));
    }
  }
}

DialectId Tables::dialect_of(std::string_view name) {
  if (!before_) before_ = registry_;
  const auto known = registry_.find_dialect(name);
  return known ? *known : registry_.add_dialect(name);
}

ObjKind Tables::kind() {
  const std::uint64_t index = in_.below(kinds_.size() + 1, "a kind");
  if (index == 0) in_.fail("the kind 0");
  return kinds_[static_cast<std::size_t>(index - 1)];
}

FatDynObjRef Tables::ref() {
  switch (static_cast<Ref>(in_.below(4, "a form of reference"))) {
    case Ref::kNone: return {};
    case Ref::kConstant: {
      const std::uint64_t width = in_.below(65, "a width");
      const std::uint64_t bits = in_.number();
      if (width == 0 || (width < 64 && bits >> width != 0))
        in_.fail("a constant that does not fit its width");
      return {kind::kConstant, static_cast<std::uint32_t>(width), bits};
    }
    case Ref::kObject: return objects_[static_cast<std::size_t>(in_.below(objects_.size(), "an object"))];
    case Ref::kForeign: {
      const ObjKind foreign = kind();
      if (foreign.dialect == kCoreDialect) in_.fail("an object of the core dialect as one of another");
      const std::uint32_t id = in_.small();
      return {foreign, id, in_.number()};
    }
  }
  in_.fail("a form of reference");
}

AttrId Tables::string_object(std::uint64_t index) const {
  const FatDynObjRef& object = objects_[static_cast<std::size_t>(index)];
  if (object.kind != kind::kAttr || module_.attributes().kind(AttrId(object.id)) != AttrKind::kString) {
    in_.fail("expected a string");
  }
  return AttrId(object.id);
}
void Tables::read_objects() {
  Attributes& attributes = module_.attributes();
  const std::uint64_t objects = in_.count();
  std::vector<FatDynObjRef> items;
  std::vector<AttrId> path;
  for (std::uint64_t i = 0; i < objects; ++i) {
    in_.poll();
    items.clear();
    switch (static_cast<Object>(in_.below(6, "a kind of object"))) {
      case Object::kString: objects_.emplace_back(kind::kAttr, attributes.string(in_.text()).index()); break;
      case Object::kList: {
        const std::uint64_t size = in_.count();
        for (std::uint64_t k = 0; k < size; ++k) items.push_back(ref());
        objects_.emplace_back(kind::kAttr, attributes.list(items).index());
        break;
      }
      case Object::kDict: {
        const std::uint64_t size = in_.count();
        std::vector<std::pair<AttrId, FatDynObjRef>> entries;
        for (std::uint64_t k = 0; k < size; ++k) {
          const AttrId key = string_object();
          entries.emplace_back(key, ref());
        }
        objects_.emplace_back(kind::kAttr, attributes.dict(std::move(entries)).index());
        break;
      }
      case Object::kSymbolRef: {
        const std::uint64_t size = in_.count();
        path.clear();
        for (std::uint64_t k = 0; k < size; ++k) path.push_back(string_object());
        objects_.emplace_back(kind::kAttr, attributes.symbol_ref(path).index());
        break;
      }
      case Object::kType: {
        const ObjKind type = kind();
        const std::uint64_t size = in_.count();
        for (std::uint64_t k = 0; k < size; ++k) items.push_back(ref());
        if (size != registry_.type(type).params) in_.fail("a wrong number of parameters of a type");
        objects_.emplace_back(kind::kType, attributes.type(type, items).index());
        break;
      }
      case Object::kWide: {
        const std::uint32_t width = in_.small();
        const std::uint64_t words = (std::uint64_t{width} + 63) / 64;
        if (width <= 64 || words > in_.bytes_left() / 8) in_.fail("a constant goes beyond the end");
        std::vector<std::uint64_t> content(static_cast<std::size_t>(words), 0);
        for (std::uint64_t& word : content) word = in_.word();
        objects_.push_back(attributes.constant(width, content));
        break;
      }
    }
  }
}

void Tables::read_locations() {
  Locations& locations = module_.locations();
  const std::uint64_t sets = in_.count();
  std::vector<Origin> places;
  for (std::uint64_t i = 0; i < sets; ++i) {
    in_.poll();
    const std::uint64_t size = in_.count();
    if (size == 0) in_.fail("an empty set of locations");
    places.clear();
    for (std::uint64_t k = 0; k < size; ++k) {
      Origin origin;
      origin.file = string_object();
      origin.line = in_.small();
      origin.column = in_.small();
      places.push_back(origin);
    }
    locations_.push_back(locations.several(places));
  }
}

}  // namespace dynomite::ir::bytecode
