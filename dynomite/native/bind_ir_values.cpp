#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "dynomite/native/base/large_pages.hpp"
#include "dynomite/native/py_ir.hpp"

namespace dynomite::ir {

namespace {

// Lists and dictionaries inside of each other, as Python may see them.
constexpr int kDeepest = 400;

/// The bytes of an integer of `width` bits, negative ones in two's complement; UsageError if it needs more.
PyConst make_const(const nb::int_& value, std::uint32_t width) {
  if (width == 0) throw UsageError("Const: a constant has at least one bit");
  PyConst result;
  result.width = width;
  if (width <= 64) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (number == -1 && overflow == 0 && PyErr_Occurred() != nullptr) throw nb::python_error();
    std::uint64_t bits = static_cast<std::uint64_t>(number);
    bool fits = overflow == 0;
    if (overflow > 0) {
      bits = PyLong_AsUnsignedLongLong(value.ptr());
      fits = PyErr_Occurred() == nullptr && width == 64;
      PyErr_Clear();
    } else if (fits && number < 0) {
      fits = width == 64 || number >= -(1LL << (width - 1));
      if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
    } else if (fits) {
      fits = width == 64 || (bits >> width) == 0;
    }
    if (!fits) throw UsageError("Const: the value does not fit into " + std::to_string(width) + " bits");
    result.bits = bits;
    return result;
  }
  const nb::object one = nb::int_(1);
  const nb::object limit = one << nb::int_(width);
  nb::object wide = nb::borrow(value);
  if (wide < nb::int_(0)) {
    if (wide < nb::object(-(one << nb::int_(width - 1))))
      throw UsageError("Const: the value does not fit into " + std::to_string(width) + " bits");
    wide = wide + limit;
  }
  if (!(wide < limit))
    throw UsageError("Const: the value does not fit into " + std::to_string(width) + " bits");
  result.wide = wide;
  return result;
}

nb::object const_value(const PyConst& constant) {
  return constant.width > 64 ? constant.wide : nb::object(nb::int_(constant.bits));
}

bool same_const(const PyConst& a, const PyConst& b) {
  if (a.width != b.width) return false;
  return a.width <= 64 ? a.bits == b.bits : a.wide.equal(b.wide);
}

PyConst const_of(const Module& module, const FatDynObjRef& ref) {
  PyConst result;
  const Constant constant = module.attributes().constant(ref);
  result.width = constant.width;
  if (constant.width <= 64) {
    result.bits = constant.words[0];
    return result;
  }
  const nb::bytes bytes(constant.words.data(), constant.words.size() * 8);
  result.wide = nb::module_::import_("builtins").attr("int").attr("from_bytes")(bytes, "little");
  return result;
}

FatDynObjRef const_ref(Module& module, const PyConst& constant) {
  if (constant.width <= 64) return {kind::kConstant, constant.width, constant.bits};
  const std::size_t count = (std::size_t{constant.width} + 63) / 64;
  const nb::object bytes = constant.wide.attr("to_bytes")(count * 8, "little");
  std::vector<std::uint64_t> words(count);
  std::memcpy(words.data(), nb::cast<nb::bytes>(bytes).data(), count * 8);
  return module.attributes().constant(constant.width, words);
}

class FromRefs {
 public:
  FromRefs(nb::handle owner, Module& module) : owner_(owner), module_(module) {}

  nb::object convert(const FatDynObjRef& ref, int depth) {
    if (ref.kind == kind::kNone) return nb::none();
    if (ref.kind == kind::kValue) return nb::cast(make_handle(owner_, module_, ValueId(ref.id)));
    if (ref.kind == kind::kInstr) return nb::cast(make_handle(owner_, module_, InstrId(ref.id)));
    if (ref.kind == kind::kBlock) return nb::cast(make_handle(owner_, module_, BlockId(ref.id)));
    if (ref.kind == kind::kRegion) return nb::cast(make_handle(owner_, module_, RegionId(ref.id)));
    if (ref.kind == kind::kType) return nb::cast(TypeHandle{nb::borrow(owner_), &module_, TypeId(ref.id)});
    if (ref.kind == kind::kConstant || ref.kind == kind::kWide) return nb::cast(const_of(module_, ref));
    if (ref.kind == kind::kAttr) return attribute(AttrId(ref.id), depth);
    // Objects of other dialects: only they know what is behind.
    return nb::cast(ref);
  }

  nb::dict dictionary(AttrId attr, int depth) {
    nb::dict dict;
    for (const auto& [key, value] : module_.attributes().entries(attr)) {
      dict[text_to_python(module_.attributes().text(key))] = convert(value, depth + 1);
    }
    return dict;
  }

 private:
  nb::object attribute(AttrId attr, int depth) {
    const Attributes& attributes = module_.attributes();
    switch (attributes.kind(attr)) {
      case AttrKind::kString: return text_to_python(attributes.text(attr));
      case AttrKind::kWide: return nb::cast(const_of(module_, {kind::kWide, attr.index()}));
      case AttrKind::kSymbolRef: {
        PySymbolRef symbol;
        for (const AttrId name : attributes.path(attr)) symbol.path.push_back(attributes.text(name));
        return nb::cast(std::move(symbol));
      }
      case AttrKind::kDict:
      case AttrKind::kList: break;
    }
    if (depth > kDeepest) throw LimitError("lists and dictionaries are nested too deep for Python");
    if (attributes.kind(attr) == AttrKind::kDict) return dictionary(attr, depth);
    // Interned lists may hold each other many times over.
    const auto known = lists_.find(attr.index());
    if (known != lists_.end()) return known->second;
    const std::vector<FatDynObjRef> items = attributes.items(attr);
    nb::list list;
    for (const FatDynObjRef& item : items) list.append(convert(item, depth + 1));
    nb::object result = nb::tuple(list);
    lists_.emplace(attr.index(), result);
    return result;
  }

  nb::handle owner_;
  Module& module_;
  std::unordered_map<std::uint32_t, nb::object> lists_;
};

FatDynObjRef convert(Module& module, nb::handle object, int depth);

AttrId convert_dict(Module& module, nb::handle object, int depth) {
  std::vector<std::pair<AttrId, FatDynObjRef>> entries;
  for (const auto& [key, value] : nb::borrow<nb::dict>(object)) {
    if (!nb::isinstance<nb::str>(key)) throw UsageError("the keys of an attribute dictionary are strings");
    const AttrId name = module.attributes().string(text_to_bytes(key));
    entries.emplace_back(name, convert(module, value, depth + 1));
  }
  return module.attributes().dict(std::move(entries));
}

template <typename Id>
bool try_handle(const Module& module, nb::handle object, FatDynObjRef* ref) {
  const auto* handle = as<Handle<Id>>(object);
  if (handle == nullptr) return false;
  *ref = {kind_of(handle->id), checked(module, *handle).index()};
  return true;
}

FatDynObjRef convert(Module& module, nb::handle object, int depth) {
  FatDynObjRef ref;
  if (try_handle<ValueId>(module, object, &ref)) return ref;
  if (object.is_none()) return ref;
  if (const auto* constant = as<PyConst>(object)) return const_ref(module, *constant);
  if (nb::isinstance<nb::str>(object))
    return {kind::kAttr, module.attributes().string(text_to_bytes(object)).index()};
  if (nb::isinstance<nb::bool_>(object))
    return {kind::kConstant, 1, object.is(nb::handle(Py_True)) ? 1U : 0U};
  if (nb::isinstance<nb::int_>(object))
    return const_ref(module, make_const(nb::borrow<nb::int_>(object), 64));
  if (nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object)) {
    if (depth > kDeepest) throw LimitError("lists are nested too deep");
    std::vector<FatDynObjRef> items;
    for (const nb::handle item : nb::borrow<nb::sequence>(object))
      items.push_back(convert(module, item, depth + 1));
    return {kind::kAttr, module.attributes().list(items).index()};
  }
  if (nb::isinstance<nb::dict>(object)) {
    if (depth > kDeepest) throw LimitError("dictionaries are nested too deep");
    return {kind::kAttr, convert_dict(module, object, depth).index()};
  }
  if (const auto* type = as<TypeHandle>(object)) {
    if (type->module != &module) throw UsageError("this type belongs to another module");
    return {kind::kType, type->id.index()};
  }
  if (const auto* symbol = as<PySymbolRef>(object)) {
    std::vector<AttrId> path;
    for (const std::string& name : symbol->path) path.push_back(module.attributes().string(name));
    return {kind::kAttr, module.attributes().symbol_ref(path).index()};
  }
  if (try_handle<BlockId>(module, object, &ref) || try_handle<InstrId>(module, object, &ref) ||
      try_handle<RegionId>(module, object, &ref)) {
    return ref;
  }
  if (const auto* fat = as<FatDynObjRef>(object)) {
    check_ref(module, *fat);
    return *fat;
  }
  if (const auto* thin = as<DynObjRef>(object)) {
    check_ref(module, *thin);
    return *thin;
  }
  throw nb::type_error(
      (std::string("no operand or attribute is made of '") + Py_TYPE(object.ptr())->tp_name + "'").c_str());
}

}  // namespace

nb::str text_to_python(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    // A text of many megabytes is written once into fresh memory.
    nb::object made = nb::steal(PyUnicode_New(static_cast<Py_ssize_t>(text.size()), 0x7F));
    if (!made.is_valid()) throw nb::python_error();
    prefer_large_pages(PyUnicode_DATA(made.ptr()), text.size());
    std::copy(text.begin(), text.end(), static_cast<char*>(PyUnicode_DATA(made.ptr())));
    return nb::borrow<nb::str>(made);
  }
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

std::string text_to_bytes(nb::handle text) {
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) throw nb::python_error();
  const auto view = nb::borrow<nb::bytes>(bytes);
  return {view.c_str(), view.size()};
}

nb::object to_python(nb::handle owner, Module& module, const FatDynObjRef& ref) {
  return FromRefs(owner, module).convert(ref, 0);
}

nb::dict dictionary_to_python(nb::handle owner, Module& module, AttrId dict) {
  return dict ? FromRefs(owner, module).dictionary(dict, 0) : nb::dict();
}

FatDynObjRef to_ref(Module& module, nb::handle object) { return convert(module, object, 0); }

OperandSpec to_spec(Module& module, nb::handle object) {
  const auto* def = as<PyDef>(object);
  if (def == nullptr) return OperandSpec::use(to_ref(module, object));
  if (const auto* type = as<TypeHandle>(def->what)) {
    if (type->module != &module) throw UsageError("this type belongs to another module");
    return OperandSpec::def(type->id);
  }
  return OperandSpec::def_object(to_ref(module, def->what));
}

void check_ref(const Module& module, const FatDynObjRef& ref) {
  const auto demand = [](bool good) {
    if (!good) throw UsageError("this module has no object with such a reference");
  };
  const Attributes& attributes = module.attributes();
  if (ref.kind == kind::kValue || ref.kind == kind::kInstr || ref.kind == kind::kBlock ||
      ref.kind == kind::kRegion || ref.kind == kind::kType || ref.kind == kind::kWide ||
      ref.kind == kind::kAttr) {
    demand(ref.payload == 0);
  }
  if (ref.kind == kind::kNone) return demand(ref == FatDynObjRef());
  if (ref.kind == kind::kValue) return demand(is_live(module, ValueId(ref.id)));
  if (ref.kind == kind::kInstr) return demand(is_live(module, InstrId(ref.id)));
  if (ref.kind == kind::kBlock) return demand(is_live(module, BlockId(ref.id)));
  if (ref.kind == kind::kRegion) return demand(is_live(module, RegionId(ref.id)));
  if (ref.kind == kind::kType) return demand(ref.id < attributes.type_count());
  if (ref.kind == kind::kConstant)
    return demand(ref.id >= 1 && ref.id <= 64 && (ref.id == 64 || (ref.payload >> ref.id) == 0));
  if (ref.kind == kind::kWide || ref.kind == kind::kAttr) {
    demand(ref.id < attributes.attr_count());
    return demand((attributes.kind(AttrId(ref.id)) == AttrKind::kWide) == (ref.kind == kind::kWide));
  }
  demand(module.registry()->knows(ref.kind) && ref.kind.dialect != kCoreDialect);
}

LocationId to_location(Module& module, nb::handle object) {
  if (object.is_none()) return {};
  const auto single = [&](nb::handle place) {
    const auto origin = nb::cast<nb::tuple>(place);
    if (origin.size() != 3) throw UsageError("a location is (file, line, column)");
    const AttrId file = module.attributes().string(text_to_bytes(nb::cast<nb::str>(origin[0])));
    return module.locations().single(
        {file, nb::cast<std::uint32_t>(origin[1]), nb::cast<std::uint32_t>(origin[2])});
  };
  const nb::tuple sequence(nb::borrow<nb::object>(object));
  if (sequence.size() == 3 && nb::isinstance<nb::str>(sequence[0])) return single(object);
  LocationId location;
  for (const nb::handle place : sequence) {
    const LocationId one = single(place);
    location = location ? module.locations().unite(location, one) : one;
  }
  return location;
}

nb::tuple origins_to_python(Module& module, LocationId location) {
  const nb::object origin_type = nb::module_::import_("dynomite.ir.locations").attr("Origin");
  nb::list origins;
  for (const Origin& origin : module.locations().origins(location)) {
    origins.append(
        origin_type(text_to_python(module.attributes().text(origin.file)), origin.line, origin.column));
  }
  return nb::tuple(origins);
}

void bind_ir_values(nb::module_& m) {
  nb::class_<ObjKind>(m, "ObjKind", nb::is_final(),
                      "Kind of an object: its dialect's id and its number there.")
      .def(nb::init<DialectId, std::uint8_t>(), nb::arg("dialect"), nb::arg("type"))
      .def_ro("dialect", &ObjKind::dialect, "Id of the dialect, 0 for core.")
      .def_ro("type", &ObjKind::type, "Number in the dialect.")
      .def("__hash__", [](const ObjKind& k) { return k.dialect << 8 | k.type; })
      .def(
          "__eq__",
          [](const ObjKind& a, const nb::object& b) {
            const auto* other = as<ObjKind>(b);
            return other != nullptr && *other == a;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [](const ObjKind& k) {
        return "ObjKind(" + std::to_string(k.dialect) + ", " + std::to_string(k.type) + ")";
      });
  const auto thin_text = [](const ObjKind& k, std::uint32_t id) {
    return std::to_string(k.dialect) + ":" + std::to_string(k.type) + ":" + std::to_string(id);
  };
  nb::class_<FatDynObjRef> fat(
      m, "FatDynObjRef", nb::is_final(),
      "A reference that can hold every other: kind, id and 64 inline bits. 16 bytes.");
  nb::class_<DynObjRef>(m, "DynObjRef", nb::is_final(),
                        "A reference whose kind is known when running: kind and id. 8 bytes.")
      .def(
          "__init__", [](DynObjRef* self, ObjKind k, std::uint32_t id) { new (self) DynObjRef{id, k}; },
          nb::arg("kind"), nb::arg("id"))
      .def_prop_ro(
          "kind", [](const DynObjRef& r) { return r.kind; }, "Kind of the object.")
      .def_ro("id", &DynObjRef::id, "Number of the object in its store.")
      .def(
          "fat",
          [](const DynObjRef& r, std::uint64_t payload) { return FatDynObjRef(r.kind, r.id, payload); },
          nb::arg("payload") = 0, "The same object with inline bits.")
      .def("__hash__", [](const DynObjRef& r) { return static_cast<Py_hash_t>(hash_of(r) >> 1); })
      .def(
          "__eq__",
          [](const DynObjRef& a, const nb::object& b) {
            const auto* other = as<DynObjRef>(b);
            return other != nullptr && *other == a;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__",
           [thin_text](const DynObjRef& r) { return "<DynObjRef " + thin_text(r.kind, r.id) + ">"; });
  fat.def(
         "__init__",
         [](FatDynObjRef* self, ObjKind k, std::uint32_t id, std::uint64_t payload) {
           new (self) FatDynObjRef(k, id, payload);
         },
         nb::arg("kind"), nb::arg("id"), nb::arg("payload") = 0)
      .def_prop_ro(
          "kind", [](const FatDynObjRef& r) { return r.kind; }, "Kind of the object.")
      .def_ro("id", &FatDynObjRef::id, "Number of the object in its store; the width of an inline constant.")
      .def_ro("payload", &FatDynObjRef::payload, "Inline bits.")
      .def(
          "thin",
          [](const FatDynObjRef& r) {
            if (r.payload != 0) throw UsageError("thin: the inline bits would be lost");
            return r.thin();
          },
          "The reference without inline bits.\n\nRaises:\n    UsageError: There are some.")
      .def("__hash__", [](const FatDynObjRef& r) { return static_cast<Py_hash_t>(hash_of(r) >> 1); })
      .def(
          "__eq__",
          [](const FatDynObjRef& a, const nb::object& b) {
            const auto* other = as<FatDynObjRef>(b);
            return other != nullptr && *other == a;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [thin_text](const FatDynObjRef& r) {
        return "<FatDynObjRef " + thin_text(r.kind, r.id) + " " + std::to_string(r.payload) + ">";
      });
  m.def(
      "structural_hash",
      [](const std::vector<FatDynObjRef>& refs, std::uint64_t seed) {
        for (const FatDynObjRef& ref : refs) seed = mix(seed, hash_of(ref));
        return seed;
      },
      nb::arg("refs"), nb::kw_only(), nb::arg("seed") = 0,
      "Hash of a row of references: equal rows have equal hashes in every run of every machine.");

  nb::class_<PyConst>(m, "Const", nb::is_final(),
                      "An integer constant of any width. Up to 64 bits it lies in the operand itself.")
      .def(
          "__init__",
          [](PyConst* self, const nb::int_& value, std::uint32_t width) {
            new (self) PyConst(make_const(value, width));
          },
          nb::arg("value"), nb::arg("width"))
      .def_prop_ro(
          "value", [](const PyConst& c) { return nb::borrow<nb::int_>(const_value(c)); },
          "The bits as a number that is not negative.")
      .def_ro("width", &PyConst::width, "Number of bits.")
      .def("__index__", [](const PyConst& c) { return nb::borrow<nb::int_>(const_value(c)); })
      .def("__hash__",
           [](const PyConst& c) {
             return static_cast<Py_hash_t>(
                 mix(c.width, c.width <= 64 ? c.bits : static_cast<std::uint64_t>(nb::hash(c.wide))) >> 1);
           })
      .def(
          "__eq__",
          [](const PyConst& a, const nb::object& b) {
            const auto* other = as<PyConst>(b);
            return other != nullptr && same_const(a, *other);
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [](const PyConst& c) {
        return std::string("Const(") + nb::str(const_value(c)).c_str() + ", " + std::to_string(c.width) + ")";
      });

  nb::class_<PySymbolRef>(m, "SymbolRef", nb::is_final(),
                          "Names a symbol by its path: `SymbolRef('a', 'b')` is @a::@b.")
      .def(
          "__init__",
          [](PySymbolRef* self, const nb::args& path) {
            std::vector<std::string> names;
            for (const nb::handle name : path) names.push_back(text_to_bytes(nb::cast<nb::str>(name)));
            if (names.empty()) throw UsageError("SymbolRef: at least one name");
            new (self) PySymbolRef{std::move(names)};
          },
          nb::arg("path"), nb::sig("def __init__(self, *path: str) -> None"))
      .def_prop_ro(
          "path",
          [](const PySymbolRef& s) {
            nb::list names;
            for (const std::string& name : s.path) names.append(text_to_python(name));
            return nb::typed<nb::tuple, nb::str, nb::ellipsis>(nb::tuple(names));
          },
          "The names, outermost first.")
      .def("__hash__",
           [](const PySymbolRef& s) {
             std::uint64_t hash = 0;
             for (const std::string& name : s.path) hash = mix(hash, std::hash<std::string>()(name));
             return static_cast<Py_hash_t>(hash >> 1);
           })
      .def(
          "__eq__",
          [](const PySymbolRef& a, const nb::object& b) {
            const auto* other = as<PySymbolRef>(b);
            return other != nullptr && other->path == a.path;
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [](const PySymbolRef& s) {
        std::string text;
        for (const std::string& name : s.path) text += (text.empty() ? "@" : "::@") + name;
        return text_to_python(text);
      });

  nb::class_<PyDef>(m, "Def", nb::is_final(),
                    "An operand that defines: a new value of a type, or a region or block that exists.")
      .def(
          "__init__",
          [](PyDef* self, const nb::object& what, const nb::object& name) { new (self) PyDef{what, name}; },
          nb::arg("what"), nb::arg("name") = nb::none(),
          nb::sig("def __init__(self, what: Type | RegionRef | BlockRef, name: str | None = None) -> None"));
}

}  // namespace dynomite::ir
