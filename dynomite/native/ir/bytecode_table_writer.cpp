#include "dynomite/native/ir/bytecode_table_writer.hpp"

#include <algorithm>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/bytecode_format.hpp"

namespace dynomite::ir::bytecode {

std::uint32_t TableWriter::op_number(Opcode opcode) {
  std::uint32_t& number = op_numbers_[opcode.dialect()][opcode.number()];
  if (number == 0) {
    if (!registry_.knows(opcode)) throw UsageError("bytecode: an instruction has an unknown operation");
    ops_.push_back(opcode);
    number = static_cast<std::uint32_t>(ops_.size());
  }
  return number;
}
std::uint32_t TableWriter::kind_number(ObjKind kind) {
  std::uint32_t& number = kind_numbers_[kind.dialect][kind.type];
  if (number == 0) {
    if (!registry_.knows(kind)) throw UsageError("bytecode: a type is unknown");
    kinds_.push_back(kind);
    number = static_cast<std::uint32_t>(kinds_.size());
  }
  return number;
}
std::string TableWriter::registry() const {
  Sink sink;
  sink.put(ops_.size());
  for (const Opcode opcode : ops_) {
    const OpInfo& info = registry_.op(opcode);
    sink.put(registry_.dialect(opcode.dialect()).name);
    sink.put(info.name);
    const bool dynamic = (info.traits & kDynamic) != 0;
    sink.put(dynamic ? 1 : 0);
    if (!dynamic) continue;
    sink.put(info.traits);
    sink.put(info.defs);
    sink.put(info.uses);
    sink.put(info.doc);
  }
  sink.put(kinds_.size());
  for (const ObjKind kind : kinds_) {
    const TypeInfo& info = registry_.type(kind);
    sink.put(registry_.dialect(kind.dialect).name);
    sink.put(info.name);
    sink.put(info.is_dynamic ? 1 : 0);
    if (!info.is_dynamic) continue;
    sink.put(info.is_token ? 1 : 0);
    sink.put(info.doc);
    sink.put(info.param_info.size());
    for (const ParamInfo& param : info.param_info) {
      sink.put(param.name);
      sink.put(static_cast<std::uint64_t>(param.kind));
    }
  }
  return sink.take();
}

void TableWriter::collect(const Item& whole) {
  if (number_of(whole) != kNone) return;
  struct Step {
    Item item;
    bool parts_done;
  };
  std::vector<Step> left = {{whole, false}};
  const auto push = [&](const FatDynObjRef& ref) {
    if (is_object(ref)) {
      if (number_of(item_of(ref)) == kNone) left.push_back({item_of(ref), false});
    } else if (ref.kind.dialect != kCoreDialect) {
      kind_number(ref.kind);
    } else if (ref.kind != kind::kNone && ref.kind != kind::kConstant) {
      throw UsageError("bytecode: an attribute refers to an instruction, value, block or region");
    }
  };
  while (!left.empty()) {
    const Step step = left.back();
    left.pop_back();
    if (number_of(step.item) != kNone) continue;
    if (step.parts_done) {
      number_of(step.item) = static_cast<std::uint32_t>(objects_.size());
      objects_.push_back(step.item);
      continue;
    }
    left.push_back({step.item, true});
    const std::size_t first = left.size();
    if (step.item.is_type) {
      kind_number(attributes_.type_kind(TypeId(step.item.id)));
      for (const FatDynObjRef& ref : attributes_.type_params(TypeId(step.item.id))) push(ref);
    } else {
      const AttrId attr(step.item.id);
      switch (attributes_.kind(attr)) {
        case AttrKind::kString:
        case AttrKind::kWide: break;
        case AttrKind::kList:
          for (const FatDynObjRef& ref : attributes_.items(attr)) push(ref);
          break;
        case AttrKind::kDict:
          for (const auto& [key, ref] : attributes_.entries(attr)) {
            push({kind::kAttr, key.index()});
            push(ref);
          }
          break;
        case AttrKind::kSymbolRef:
          for (const AttrId name : attributes_.path(attr)) push({kind::kAttr, name.index()});
          break;
      }
    }
    // First part first.
    std::reverse(left.begin() + static_cast<std::ptrdiff_t>(first), left.end());
  }
}

void TableWriter::put_ref(Sink& sink, const FatDynObjRef& ref) {
  if (ref.kind == kind::kNone) {
    sink.put(static_cast<std::uint64_t>(Ref::kNone));
  } else if (ref.kind == kind::kConstant) {
    sink.put(static_cast<std::uint64_t>(Ref::kConstant));
    sink.put(ref.id);
    sink.put(ref.payload);
  } else if (is_object(ref)) {
    sink.put(static_cast<std::uint64_t>(Ref::kObject));
    sink.put(number(item_of(ref)));
  } else if (ref.kind.dialect != kCoreDialect) {
    sink.put(static_cast<std::uint64_t>(Ref::kForeign));
    sink.put(kind_number(ref.kind));
    sink.put(ref.id);
    sink.put(ref.payload);
  } else {
    throw UsageError("bytecode: a reference of an unknown kind");
  }
}

void TableWriter::put_attribute(Sink& sink, AttrId attr) {
  switch (attributes_.kind(attr)) {
    case AttrKind::kString:
      sink.put(static_cast<std::uint64_t>(Object::kString));
      sink.put(attributes_.text_view(attr));
      break;
    case AttrKind::kWide: {
      const Constant constant = attributes_.constant({kind::kWide, attr.index()});
      sink.put(static_cast<std::uint64_t>(Object::kWide));
      sink.put(constant.width);
      for (const std::uint64_t word : constant.words) {
        sink.put_bytes(word, 8);
      }
      break;
    }
    case AttrKind::kList: {
      sink.put(static_cast<std::uint64_t>(Object::kList));
      const auto items = attributes_.items(attr);
      sink.put(items.size());
      for (const FatDynObjRef& ref : items) put_ref(sink, ref);
      break;
    }
    case AttrKind::kDict: {
      sink.put(static_cast<std::uint64_t>(Object::kDict));
      const auto entries = attributes_.entries(attr);
      sink.put(entries.size());
      for (const auto& [key, ref] : entries) {
        sink.put(attr_numbers_[key.index()]);
        put_ref(sink, ref);
      }
      break;
    }
    case AttrKind::kSymbolRef: {
      sink.put(static_cast<std::uint64_t>(Object::kSymbolRef));
      const auto path = attributes_.path(attr);
      sink.put(path.size());
      for (const AttrId name : path) sink.put(attr_numbers_[name.index()]);
      break;
    }
  }
}

std::string TableWriter::objects_and_locations() {
  Sink sink;
  sink.put(objects_.size());
  for (const Item& item : objects_) {
    if (item.is_type) {
      sink.put(static_cast<std::uint64_t>(Object::kType));
      sink.put(kind_number(attributes_.type_kind(TypeId(item.id))));
      const auto params = attributes_.type_params(TypeId(item.id));
      sink.put(params.size());
      for (const FatDynObjRef& ref : params) put_ref(sink, ref);
      continue;
    }
    put_attribute(sink, AttrId(item.id));
  }
  sink.put(location_sets_.size());
  for (const LocationId set : location_sets_) {
    const auto origins = module_.locations().ordered_origins(set, attributes_);
    sink.put(origins.size());
    for (const Origin& origin : origins) {
      sink.put(attr_numbers_[origin.file.index()]);
      sink.put(origin.line);
      sink.put(origin.column);
    }
  }
  return sink.take();
}

std::uint32_t TableWriter::location_number(InstrId instr) {
  const LocationId set = module_.locations().of(instr);
  if (!set) return 0;
  if (set.index() >= location_numbers_.size()) {
    location_numbers_.resize(
        std::max<std::size_t>(set.index() + std::size_t{1}, location_numbers_.size() * 2), 0);
  }
  std::uint32_t& number = location_numbers_[set.index()];
  if (number == 0) {
    for (const Origin& origin : module_.locations().ordered_origins(set, attributes_))
      collect({false, origin.file.index()});
    location_sets_.push_back(set);
    number = static_cast<std::uint32_t>(location_sets_.size());
  }
  return number;
}

}  // namespace dynomite::ir::bytecode
