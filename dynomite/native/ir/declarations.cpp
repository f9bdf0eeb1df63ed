#include "dynomite/native/ir/declarations.hpp"

#include <algorithm>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/op_traits.hpp"

namespace dynomite::ir {

namespace {

constexpr std::uint64_t kLargestCount = 0xFFFFFFFFU;

[[noreturn]] void wrong(const std::string& name, const std::string& message) {
  throw UsageError("the declaration of '" + name + "' " + message);
}

class DeclarationReader {
 public:
  explicit DeclarationReader(const Module& module) : module_(module), attributes_(module.attributes()) {}

  DeclaredDialect read(InstrId instr) {
    const InstrStore& instrs = module_.instrs();
    DeclaredDialect result;
    name_ = "a dialect";
    result.name = name_of(instr);
    name_ = result.name;
    RegionId region;
    for (std::uint32_t i = 1; i < instrs.operand_count(instr); ++i) {
      const Operand operand = instrs.operand(instr, i);
      if (!operand.is_def || operand.ref.kind != kind::kRegion || region) {
        wrong(name_, "has a name and one region");
      }
      region = RegionId(operand.ref.id);
    }
    if (!region) wrong(name_, "has a name and one region");
    const CfgStore& cfg = module_.cfg();
    const BlockId block = cfg.first_block(region);
    if (!block || cfg.next_block(block)) wrong(name_, "has one block");
    if (is_named({region.index(), kind::kRegion}) || is_named({block.index(), kind::kBlock})) {
      canonical_ = false;
    }
    for (InstrId inner = cfg.first(block); inner; inner = cfg.next(block, inner)) {
      result.items.push_back(item(inner));
    }
    result.canonical = canonical_;
    return result;
  }

 private:
  bool is_named(DynObjRef ref) const { return module_.instrs().is_used(ref); }

  /// The first operand, the name; notes what the short form cannot say.
  std::string name_of(InstrId instr) {
    if (module_.cfg().is_shared(instr) || is_named({instr.index(), kind::kInstr})) canonical_ = false;
    const InstrStore& instrs = module_.instrs();
    if (instrs.operand_count(instr) == 0 || instrs.operand(instr, 0).is_def) wrong(name_, "needs a name");
    return text(instrs.operand(instr, 0).ref, "needs a name in quotes");
  }

  Declared item(InstrId instr) {
    const Opcode opcode = module_.instrs().opcode(instr);
    if (opcode != dsl_op::kType && opcode != dsl_op::kOp) {
      wrong(name_, "holds something that is neither dsl.TYPE nor dsl.OP");
    }
    const std::string dialect = name_;
    const std::string name = name_of(instr);
    name_ = dialect + "." + name;
    const AttrId dictionary = module_.dictionary(instr);
    const std::uint32_t expected = dictionary ? 2 : 1;
    if (module_.instrs().operand_count(instr) != expected) wrong(name_, "has a name and a dictionary");
    const auto entries =
        dictionary ? attributes_.entries(dictionary) : std::vector<std::pair<AttrId, FatDynObjRef>>();
    if (dictionary && entries.empty()) canonical_ = false;
    Declared result = opcode == dsl_op::kType ? Declared(type(name, entries)) : Declared(op(name, entries));
    name_ = dialect;
    return result;
  }

  using Entries = std::vector<std::pair<AttrId, FatDynObjRef>>;

  TypeInfo type(const std::string& name, const Entries& entries) {
    TypeInfo info;
    info.name = name;
    info.is_dynamic = true;
    for (const auto& [key, ref] : entries) {
      const std::string_view property = attributes_.text_view(key);
      if (property == "params") {
        info.param_info = params(ref);
        info.params = static_cast<std::uint32_t>(info.param_info.size());
      } else if (property == "token") {
        info.is_token = flag(ref);
      } else if (property == "doc") {
        info.doc = doc(ref);
      } else {
        wrong(name_, "has no property '" + std::string(property) + "'; there are params, token and doc");
      }
    }
    return info;
  }

  OpInfo op(const std::string& name, const Entries& entries) {
    OpInfo info;
    info.name = name;
    info.traits = kDynamic;
    for (const auto& [key, ref] : entries) {
      const std::string_view property = attributes_.text_view(key);
      if (property == "defs") {
        info.defs = count(ref);
      } else if (property == "uses") {
        info.uses = count(ref);
      } else if (property == "doc") {
        info.doc = doc(ref);
      } else {
        const auto trait = std::find_if(kNamedTraits.begin(), kNamedTraits.end(),
                                        [&](const NamedTrait& named) { return named.name == property; });
        if (trait == kNamedTraits.end()) wrong(name_, "has no property '" + std::string(property) + "'");
        if (flag(ref)) info.traits |= trait->trait;
      }
    }
    return info;
  }

  std::string text(const FatDynObjRef& ref, const char* message) const {
    if (ref.kind != kind::kAttr || attributes_.kind(AttrId(ref.id)) != AttrKind::kString) {
      wrong(name_, message);
    }
    return attributes_.text(AttrId(ref.id));
  }
  std::string doc(const FatDynObjRef& ref) {
    std::string result = text(ref, "needs a text as doc");
    if (result.empty()) canonical_ = false;
    return result;
  }
  std::uint32_t count(const FatDynObjRef& ref) {
    if (ref.kind != kind::kConstant || ref.payload > kLargestCount) wrong(name_, "needs a small number");
    if (ref.id != 64 || ref.payload == 0) canonical_ = false;
    return static_cast<std::uint32_t>(ref.payload);
  }
  bool flag(const FatDynObjRef& ref) {
    if (ref.kind != kind::kConstant || ref.id != 1) wrong(name_, "needs true or false");
    if (ref.payload == 0) canonical_ = false;
    return ref.payload != 0;
  }
  std::vector<FatDynObjRef> list(const FatDynObjRef& ref) const {
    if (ref.kind != kind::kAttr || attributes_.kind(AttrId(ref.id)) != AttrKind::kList) {
      wrong(name_, "needs parameters as a list of [name, kind]");
    }
    return attributes_.items(AttrId(ref.id));
  }
  std::vector<ParamInfo> params(const FatDynObjRef& ref) {
    std::vector<ParamInfo> result;
    for (const FatDynObjRef& item : list(ref)) {
      const std::vector<FatDynObjRef> pair = list(item);
      if (pair.size() != 2) wrong(name_, "needs parameters as a list of [name, kind]");
      const std::string kind = text(pair[1], "needs kinds of parameters in quotes");
      const auto* known = std::find(kParamKinds.begin(), kParamKinds.end(), kind);
      if (known == kParamKinds.end()) {
        wrong(name_, "has a parameter of the kind '" + kind + "'; there are any, unsigned, type and string");
      }
      result.push_back({text(pair[0], "needs names of parameters in quotes"),
                        static_cast<ParamKind>(known - kParamKinds.begin())});
      check_declared_name(result.back().name, "parameter");
    }
    if (result.empty()) canonical_ = false;
    return result;
  }

  const Module& module_;
  const Attributes& attributes_;
  std::string name_;
  bool canonical_ = true;
};

}  // namespace

std::string wrong_parameters(const Registry& registry, ObjKind kind, const Attributes& attributes,
                             std::span<const FatDynObjRef> params) {
  const TypeInfo& type = registry.type(kind);
  const std::string named = "the type '" + registry.name(kind) + "'";
  if (params.size() != type.params) {
    return named + " takes " + std::to_string(type.params) + " parameter" + (type.params == 1 ? "" : "s") +
           ", not " + std::to_string(params.size());
  }
  for (std::size_t i = 0; i < type.param_info.size(); ++i) {
    const ParamKind wanted = type.param_info[i].kind;
    const FatDynObjRef& param = params[i];
    const bool is_string =
        param.kind == kind::kAttr && attributes.kind(AttrId(param.id)) == AttrKind::kString;
    const bool good = wanted == ParamKind::kAny ||
                      (wanted == ParamKind::kUnsigned && param.kind == kind::kConstant &&
                       (param.id < 64 || param.payload >> 63 == 0)) ||
                      (wanted == ParamKind::kType && param.kind == kind::kType) ||
                      (wanted == ParamKind::kString && is_string);
    if (good) continue;
    static constexpr const char* kWanted[] = {"", "a number from 0 up", "a type", "a string"};
    return "parameter %" + type.param_info[i].name + " of " + named + " must be " +
           kWanted[static_cast<std::size_t>(wanted)];
  }
  return {};
}

AttrId declaration_dictionary(Attributes& attributes, const Declared& declared) {
  std::vector<std::pair<AttrId, FatDynObjRef>> entries;
  const auto text = [&](std::string_view value) {
    return FatDynObjRef(kind::kAttr, attributes.string(value).index());
  };
  const auto add = [&](std::string_view name, FatDynObjRef value) {
    entries.emplace_back(attributes.string(name), value);
  };
  const auto list = [&](const std::vector<FatDynObjRef>& items) {
    return FatDynObjRef(kind::kAttr, attributes.list(items).index());
  };
  const FatDynObjRef yes(kind::kConstant, 1, 1);
  if (const auto* type = std::get_if<TypeInfo>(&declared)) {
    std::vector<FatDynObjRef> params;
    for (const ParamInfo& param : type->param_info) {
      params.push_back(list({text(param.name), text(kParamKinds[static_cast<std::size_t>(param.kind)])}));
    }
    if (!params.empty()) add("params", list(params));
    if (type->is_token) add("token", yes);
    if (!type->doc.empty()) add("doc", text(type->doc));
  } else {
    const OpInfo& op = std::get<OpInfo>(declared);
    if (op.defs != 0) add("defs", {kind::kConstant, 64, op.defs});
    if (op.uses != 0) add("uses", {kind::kConstant, 64, op.uses});
    for (const NamedTrait& named : kNamedTraits) {
      if ((op.traits & named.trait) != 0) add(named.name, yes);
    }
    if (!op.doc.empty()) add("doc", text(op.doc));
  }
  return entries.empty() ? AttrId() : attributes.dict(std::move(entries));
}

DeclaredDialect read_declarations(const Module& module, InstrId dialect) {
  return DeclarationReader(module).read(dialect);
}

void declare(Registry& registry, DialectId dialect, Declared declared) {
  const std::string& dialect_name = registry.dialect(dialect).name;
  if (auto* type = std::get_if<TypeInfo>(&declared)) {
    const std::string full = dialect_name + "." + type->name;
    const auto known = registry.find_type(full);
    if (!known) {
      registry.add_type(dialect, std::move(*type));
      return;
    }
    const TypeInfo& other = registry.type(*known);
    if (other.params != type->params || other.is_token != type->is_token ||
        (!other.param_info.empty() && other.param_info != type->param_info)) {
      throw UsageError("the type '" + full + "' exists already and is different");
    }
    return;
  }
  auto& op = std::get<OpInfo>(declared);
  const std::string full = dialect_name + "." + op.name;
  const auto known = registry.find_op(full);
  if (!known) {
    registry.add_op(dialect, std::move(op));
    return;
  }
  const OpInfo& other = registry.op(*known);
  if ((other.traits | kDynamic) != (op.traits | kDynamic) || other.defs != op.defs || other.uses != op.uses) {
    throw UsageError("the operation '" + full + "' exists already and is different");
  }
}

void declare(Registry& registry, const DeclaredDialect& dialect) {
  const auto known = registry.find_dialect(dialect.name);
  const DialectId id = known ? *known : registry.add_dialect(dialect.name);
  for (const Declared& declared : dialect.items) declare(registry, id, declared);
}

}  // namespace dynomite::ir
