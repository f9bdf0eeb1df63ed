#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "dynomite/native/ir/declarations.hpp"
#include "dynomite/native/ir/op_traits.hpp"
#include "dynomite/native/py_ir.hpp"

namespace dynomite::ir {

namespace {

std::uint32_t traits_of(const nb::kwargs& given) {
  std::uint32_t traits = 0;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    const auto* known = std::find_if(kNamedTraits.begin(), kNamedTraits.end(),
                                     [&](const NamedTrait& t) { return t.name == name; });
    if (known == kNamedTraits.end()) throw nb::type_error(("there is no trait '" + name + "'").c_str());
    if (nb::cast<bool>(value)) traits |= known->trait;
  }
  return traits;
}

nb::frozenset trait_names(std::uint32_t traits) {
  nb::list names;
  for (const NamedTrait& trait : kNamedTraits) {
    if ((traits & trait.trait) != 0) names.append(nb::str(trait.name.data(), trait.name.size()));
  }
  return nb::frozenset(names);
}

constexpr const char* kOpSignature =
    "def __init__(self, dialect: str, name: str, *, defs: int = 0, uses: int = 0, doc: str = '', pure: bool "
    "= "
    "False, commutative: bool = False, terminator: bool = False, symbol: bool = False, symbol_table: bool = "
    "False, isolated: bool = False, forwards: bool = False, graph_region: bool = False, variadic: bool = "
    "False, "
    "same_type: bool = False) -> None";

std::string unknown(const std::string& what, const std::string& name, const std::string& near) {
  return "unknown " + what + " '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?");
}

Opcode find_op(const Registry& registry, const std::string& name) {
  const auto found = registry.find_op(name);
  if (!found) throw UsageError(unknown("operation", name, registry.nearest_op(name)));
  return *found;
}

ObjKind find_type(const Registry& registry, const std::string& name) {
  const auto found = registry.find_type(name);
  if (!found) throw UsageError(unknown("type", name, registry.nearest_type(name)));
  return *found;
}

const OpInfo& info_of(const Registry& registry, nb::handle op) {
  return registry.op(to_opcode(registry, op));
}

}  // namespace

Opcode resolve(const Registry& registry, const OpDecl& op) {
  if (op.context != registry.serial()) {
    const std::string full = op.dialect + "." + op.info.name;
    if (!registry.find_dialect(op.dialect)) {
      throw UsageError("the dialect '" + op.dialect + "' of " + full + " is not loaded in this context");
    }
    op.opcode = find_op(registry, full);
    op.context = registry.serial();
  }
  return op.opcode;
}

ObjKind resolve(const Registry& registry, const TypeDecl& type) {
  if (type.context != registry.serial()) {
    const std::string full = type.dialect + "." + type.info.name;
    if (!registry.find_dialect(type.dialect)) {
      throw UsageError("the dialect '" + type.dialect + "' of " + full + " is not loaded in this context");
    }
    type.kind = find_type(registry, full);
    type.context = registry.serial();
  }
  return type.kind;
}

namespace {

void sleep_without_gil() {
  const nb::gil_scoped_release release;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

struct Announcement {
  explicit Announcement(AccessState& state) : access(state) { access.announce(1); }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;
  ~Announcement() { access.announce(-1); }
  AccessState& access;
};

}  // namespace

void wait_to_declare(const Registry& context) {
  AccessState& access = context.access();
  if (access.can_write()) return;
  if (AccessState::held_by_this_thread()) access.check_write();
  const Announcement announcement(access);
  while (!access.can_write()) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    sleep_without_gil();
  }
}

void let_declare(const Registry& context) {
  // Not for ever: what is waited for may be a long call of a third thread.
  constexpr int kLongest = 20;
  if (AccessState::held_by_this_thread()) return;
  for (int i = 0; i < kLongest && context.access().is_awaited(); ++i) sleep_without_gil();
}

Opcode to_opcode(const Registry& registry, nb::handle object) {
  if (const auto* op = as<OpDecl>(object)) return resolve(registry, *op);
  if (const auto* opcode = as<Opcode>(object)) {
    if (!registry.knows(*opcode)) throw UsageError("this context has no such opcode");
    return *opcode;
  }
  throw nb::type_error("an Op or an Opcode is needed");
}

void bind_ir_context(nb::module_& m) {
  nb::class_<Opcode>(m, "Opcode", nb::is_final(),
                     "An operation in a context: its dialect's id and its number there.")
      .def(nb::init<DialectId, std::uint8_t>(), nb::arg("dialect"), nb::arg("number"))
      .def_prop_ro("dialect", &Opcode::dialect, "Id of the dialect.")
      .def_prop_ro("number", &Opcode::number, "Number in the dialect.")
      .def("__index__", &Opcode::raw, "Dialect and number as one number, for tables and arrays.")
      .def("__hash__", &Opcode::raw)
      .def(
          "__eq__",
          [](const Opcode& a, const nb::object& b) {
            const auto* other = as<Opcode>(b);
            return other != nullptr && *other == a;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [](const Opcode& o) {
        return "Opcode(" + std::to_string(o.dialect()) + ", " + std::to_string(o.number()) + ")";
      });

  nb::class_<OpDecl>(m, "Op", nb::is_final(),
                     "Declaration of an operation. Contexts that load its dialect give it an opcode.")
      .def(
          "__init__",
          [](OpDecl* self, const std::string& dialect, const std::string& name, std::uint32_t defs,
             std::uint32_t uses, const std::string& doc, const nb::kwargs& traits) {
            new (self) OpDecl{dialect, OpInfo{name, traits_of(traits), defs, uses, doc}, 0, {}};
          },
          nb::arg("dialect"), nb::arg("name"), nb::kw_only(), nb::arg("defs") = 0, nb::arg("uses") = 0,
          nb::arg("doc") = "", nb::arg("traits"), nb::sig(kOpSignature), "Declares; see `Dialect.op`.")
      .def_ro("dialect", &OpDecl::dialect, "Name of the dialect.")
      .def_prop_ro(
          "name", [](const OpDecl& o) { return o.info.name; }, "Name in the dialect.")
      .def_prop_ro(
          "full_name", [](const OpDecl& o) { return o.dialect + "." + o.info.name; }, "\"dialect.NAME\".")
      .def_prop_ro(
          "defs", [](const OpDecl& o) { return o.info.defs; }, "Number of leading definitions.")
      .def_prop_ro(
          "uses", [](const OpDecl& o) { return o.info.uses; }, "Least number of uses behind them.")
      .def_prop_ro(
          "doc", [](const OpDecl& o) { return o.info.doc; }, "What it does.")
      .def_prop_ro(
          "traits", [](const OpDecl& o) { return trait_names(o.info.traits); },
          nb::sig("def traits(self) -> frozenset[str]"), "Names of what passes may rely on.")
      .def(
          "opcode", [](const OpDecl& o, const Registry& registry) { return resolve(registry, o); },
          nb::arg("context"),
          "Its opcode in a context.\n\nRaises:\n    UsageError: The dialect is not loaded there.")
      .def("__repr__", [](const OpDecl& o) { return "<Op " + o.dialect + "." + o.info.name + ">"; });

  nb::class_<TypeDecl>(m, "TypeDecl", nb::is_final(),
                       "Declaration of a type: call it with a module and parameters.")
      .def(
          "__init__",
          [](TypeDecl* self, const std::string& dialect, const std::string& name,
             const std::vector<std::string>& params, bool token, const std::string& doc,
             const std::vector<std::string>& kinds) {
            TypeInfo info{name, static_cast<std::uint32_t>(params.size()), token, doc};
            for (std::size_t i = 0; i < params.size(); ++i) {
              const std::string& kind_name = i < kinds.size() ? kinds[i] : std::string("any");
              const auto* known = std::find(kParamKinds.begin(), kParamKinds.end(), kind_name);
              if (known == kParamKinds.end()) {
                throw UsageError("a parameter is any, unsigned, type or string, not '" + kind_name + "'");
              }
              check_declared_name(params[i], "parameter");
              info.param_info.push_back({params[i], static_cast<ParamKind>(known - kParamKinds.begin())});
            }
            new (self) TypeDecl{dialect, std::move(info), 0, {}};
          },
          nb::arg("dialect"), nb::arg("name"), nb::kw_only(), nb::arg("params") = std::vector<std::string>(),
          nb::arg("token") = false, nb::arg("doc") = "", nb::arg("kinds") = std::vector<std::string>(),
          "Declares; see `Dialect.type`.")
      .def_ro("dialect", &TypeDecl::dialect, "Name of the dialect.")
      .def_prop_ro(
          "name", [](const TypeDecl& t) { return t.info.name; }, "Name in the dialect.")
      .def_prop_ro(
          "full_name", [](const TypeDecl& t) { return t.dialect + "." + t.info.name; }, "\"dialect.name\".")
      .def_prop_ro(
          "params",
          [](const TypeDecl& t) {
            nb::list names;
            for (const ParamInfo& param : t.info.param_info) names.append(param.name);
            return nb::typed<nb::tuple, nb::str, nb::ellipsis>(nb::tuple(names));
          },
          "Names of the parameters.")
      .def_prop_ro(
          "kinds",
          [](const TypeDecl& t) {
            nb::list names;
            for (const ParamInfo& param : t.info.param_info) {
              const std::string_view name = kParamKinds[static_cast<std::size_t>(param.kind)];
              names.append(nb::str(name.data(), name.size()));
            }
            return nb::typed<nb::tuple, nb::str, nb::ellipsis>(nb::tuple(names));
          },
          "What the parameters may be: \"any\", \"unsigned\", \"type\" or \"string\".")
      .def_prop_ro(
          "is_token", [](const TypeDecl& t) { return t.info.is_token; },
          "True for tokens, which carry no data.")
      .def_prop_ro(
          "doc", [](const TypeDecl& t) { return t.info.doc; }, "What it is.")
      .def(
          "kind", [](const TypeDecl& t, const Registry& registry) { return resolve(registry, t); },
          nb::arg("context"),
          "Its kind in a context.\n\nRaises:\n    UsageError: The dialect is not loaded there.")
      .def("__repr__", [](const TypeDecl& t) { return "<TypeDecl " + t.dialect + "." + t.info.name + ">"; });

  nb::class_<Registry>(
      m, "Context", nb::is_weak_referenceable(),
      "The dialects that modules know: dense tables of operations and types.\n\n"
      "At most 255 dialects with 256 operations and 256 types each. The dialect core is always there.")
      .def(nb::init<>())
      .def(
          "add_dialect",
          [](Registry& r, const std::string& name) {
            wait_to_declare(r);
            return r.add_dialect(name);
          },
          nb::arg("name"),
          "Makes room for a dialect and returns its id; `load` is the way for declared ones.")
      .def(
          "add_op",
          [](Registry& r, DialectId dialect, const OpDecl& op) {
            if (dialect >= r.dialect_count()) throw UsageError("add_op: the context has no such dialect");
            wait_to_declare(r);
            return r.add_op(dialect, op.info);
          },
          nb::arg("dialect"), nb::arg("op"), "Adds an operation to a dialect.")
      .def(
          "add_type",
          [](Registry& r, DialectId dialect, const TypeDecl& type) {
            if (dialect >= r.dialect_count()) throw UsageError("add_type: the context has no such dialect");
            wait_to_declare(r);
            return r.add_type(dialect, type.info);
          },
          nb::arg("dialect"), nb::arg("type"), "Adds a type to a dialect.")
      .def("find_dialect", &Registry::find_dialect, nb::arg("name"), "Id of a dialect, or None.")
      .def_prop_ro(
          "dialects",
          [](const Registry& r) {
            nb::list names;
            for (std::uint32_t i = 0; i < r.dialect_count(); ++i)
              names.append(r.dialect(static_cast<DialectId>(i)).name);
            return nb::typed<nb::tuple, nb::str, nb::ellipsis>(nb::tuple(names));
          },
          "Names of the dialects, by id.")
      .def(
          "ops",
          [](const Registry& r, DialectId dialect) {
            if (dialect >= r.dialect_count()) throw UsageError("ops: the context has no such dialect");
            nb::list ops;
            for (std::size_t i = 0; i < r.dialect(dialect).ops.size(); ++i)
              ops.append(Opcode(dialect, static_cast<std::uint8_t>(i)));
            return nb::typed<nb::tuple, Opcode, nb::ellipsis>(nb::tuple(ops));
          },
          nb::arg("dialect"), "Opcodes of a dialect.")
      .def(
          "types",
          [](const Registry& r, DialectId dialect) {
            if (dialect >= r.dialect_count()) throw UsageError("types: the context has no such dialect");
            nb::list kinds;
            for (std::size_t i = 0; i < r.dialect(dialect).types.size(); ++i)
              kinds.append(ObjKind{dialect, static_cast<std::uint8_t>(i)});
            return nb::typed<nb::tuple, ObjKind, nb::ellipsis>(nb::tuple(kinds));
          },
          nb::arg("dialect"), "Kinds of the types of a dialect.")
      .def(
          "opcode", [](const Registry& r, const std::string& name) { return find_op(r, name); },
          nb::arg("name"),
          "Opcode of \"dialect.NAME\".\n\nRaises:\n    UsageError: It is unknown; names the nearest known "
          "one.")
      .def(
          "kind", [](const Registry& r, const std::string& name) { return find_type(r, name); },
          nb::arg("name"),
          "Kind of the type \"dialect.name\".\n\nRaises:\n    UsageError: It is unknown; names the nearest "
          "known one.")
      .def(
          "op_name",
          [](const Registry& r, Opcode opcode) {
            if (!r.knows(opcode)) throw UsageError("this context has no such opcode");
            return r.name(opcode);
          },
          nb::arg("opcode"), "\"dialect.NAME\" of an opcode.")
      .def(
          "type_name",
          [](const Registry& r, ObjKind kind) {
            if (!r.knows(kind)) throw UsageError("this context has no such type");
            return r.name(kind);
          },
          nb::arg("kind"), "\"dialect.name\" of a kind.")
      .def(
          "traits",
          [](const Registry& r, const nb::object& op) { return trait_names(info_of(r, op).traits); },
          nb::arg("op"), nb::sig("def traits(self, op: Op | Opcode) -> frozenset[str]"),
          "Names of an operation's traits.")
      .def(
          "arity",
          [](const Registry& r, const nb::object& op) {
            const OpInfo& info = info_of(r, op);
            return nb::typed<nb::tuple, std::uint32_t, std::uint32_t>(nb::make_tuple(info.defs, info.uses));
          },
          nb::arg("op"), nb::sig("def arity(self, op: Op | Opcode) -> tuple[int, int]"),
          "Declared definitions and least uses.")
      .def(
          "doc", [](const Registry& r, const nb::object& op) { return info_of(r, op).doc; }, nb::arg("op"),
          nb::sig("def doc(self, op: Op | Opcode) -> str"), "What an operation does.");
}

}  // namespace dynomite::ir
