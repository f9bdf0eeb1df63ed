#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/module.hpp"
#include "dynomite/native/ir/update_log.hpp"

// What the files that bind the IR share: the references Python holds, and what operands look like in Python.

namespace dynomite::ir {

namespace nb = nanobind;

inline std::uint32_t generation_of(const Module& m, InstrId id) { return m.instrs().generation(id); }
inline std::uint32_t generation_of(const Module& m, ValueId id) { return m.instrs().generation(id); }
inline std::uint32_t generation_of(const Module&, BlockId) { return 0; }
inline std::uint32_t generation_of(const Module&, RegionId) { return 0; }
inline bool is_live(const Module& m, InstrId id) { return m.instrs().is_live(id); }
inline bool is_live(const Module& m, ValueId id) { return m.instrs().is_live(id); }
inline bool is_live(const Module& m, BlockId id) { return m.cfg().is_live(id); }
inline bool is_live(const Module& m, RegionId id) { return m.cfg().is_live(id); }
inline const char* noun(InstrId) { return "instruction"; }
inline const char* noun(ValueId) { return "value"; }
inline const char* noun(BlockId) { return "block"; }
inline const char* noun(RegionId) { return "region"; }
inline constexpr ObjKind kind_of(InstrId) { return kind::kInstr; }
inline constexpr ObjKind kind_of(ValueId) { return kind::kValue; }
inline constexpr ObjKind kind_of(BlockId) { return kind::kBlock; }
inline constexpr ObjKind kind_of(RegionId) { return kind::kRegion; }

/// A reference as Python holds it: the module (kept alive), an id, and the generation that tells a deleted
/// object from another one that got its id.
template <typename Id>
struct Handle {
  nb::object owner;
  Module* module = nullptr;
  Id id;
  std::uint32_t generation = 0;

  bool live() const {
    module->access().check_read();
    return is_live(*module, id) && generation_of(*module, id) == generation;
  }
  /// The module, for reading with the GIL held; throws StaleRefError if the object is gone.
  Module& read() const {
    if (!live()) throw StaleRefError(std::string("this ") + noun(id) + " was deleted");
    return *module;
  }
};

using InstrHandle = Handle<InstrId>;
using ValueHandle = Handle<ValueId>;
using BlockHandle = Handle<BlockId>;
using RegionHandle = Handle<RegionId>;

/// A handle to a live object. `owner` is the Python object of `module`: `nb::find(module)`.
template <typename Id>
Handle<Id> make_handle(nb::handle owner, Module& module, Id id) {
  return {nb::borrow(owner), &module, id, generation_of(module, id)};
}

/// None if `id` is none.
template <typename Id>
nb::object optional_handle(nb::handle owner, Module& module, Id id) {
  return id ? nb::cast(make_handle(owner, module, id)) : nb::none();
}

/// An interned type of a module.
struct TypeHandle {
  nb::object owner;
  Module* module = nullptr;
  TypeId id;

  Module& read() const {
    module->access().check_read();
    return *module;
  }
};

/// An integer constant as Python holds it; above 64 bits `wide` has the value.
struct PyConst {
  std::uint64_t bits = 0;
  std::uint32_t width = 0;
  nb::object wide;
};

/// `@a::@b`.
struct PySymbolRef {
  std::vector<std::string> path;
};

/// An operand that defines: a new value of a type, or an existing region or block.
struct PyDef {
  nb::object what;  // Type, RegionRef or BlockRef
  nb::object name;  // str or None
};

/// Declaration of an operation, usable in every context that has loaded its dialect; remembers the opcode of
/// the context that asked last.
struct OpDecl {
  std::string dialect;
  OpInfo info;
  mutable std::uint64_t context = 0;  // Registry::serial of that context
  mutable Opcode opcode;
};

/// The same for types.
struct TypeDecl {
  std::string dialect;
  TypeInfo info;
  mutable std::uint64_t context = 0;
  mutable ObjKind kind;
};

/// The C++ object in a Python object of exactly this (final) class, else null.
template <typename T>
const T* as(nb::handle object) {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nb::type<T>().ptr());
  return Py_TYPE(object.ptr()) == type ? nb::inst_ptr<T>(object) : nullptr;
}

Opcode resolve(const Registry& registry, const OpDecl& op);
ObjKind resolve(const Registry& registry, const TypeDecl& type);
/// An `Op` or an `Opcode` of the context.
Opcode to_opcode(const Registry& registry, nb::handle object);

/// What Python sees for an operand, item or parameter: ValueRef, InstrRef, BlockRef, RegionRef, Type, Const,
/// str, tuple, dict, SymbolRef or None. Linear in the nesting; throws LimitError where it is too deep.
nb::object to_python(nb::handle owner, Module& module, const FatDynObjRef& ref);
/// The other way; lists, dictionaries and strings are interned. Throws UsageError for what belongs to another
/// module and StaleRefError for what was deleted.
FatDynObjRef to_ref(Module& module, nb::handle object);
OperandSpec to_spec(Module& module, nb::handle object);
/// Throws unless every id in `ref` exists in the module.
void check_ref(const Module& module, const FatDynObjRef& ref);
/// An `Origin`, a sequence of them or None.
LocationId to_location(Module& module, nb::handle object);
nb::tuple origins_to_python(Module& module, LocationId location);
nb::str text_to_python(std::string_view text);
std::string text_to_bytes(nb::handle text);
nb::dict dictionary_to_python(nb::handle owner, Module& module, AttrId dict);

/// The Python object that owns `module`.
inline nb::object owner_of(Module& module) { return nb::find(module); }

inline Module& writable(Module& module) {
  module.access().check_write();
  return module;
}

/// Returns when nobody reads `context` without the GIL, so that it may be changed with it. Lets other threads
/// run meanwhile. Throws UsageError if the caller would wait for itself.
void wait_to_declare(const Registry& context);
/// Gives whoever waits to declare something in `context` a while to do it.
void let_declare(const Registry& context);

/// Held by a native call that reads a module without the GIL.
class Reading {
 public:
  explicit Reading(const Module& module)
      : context_((let_declare(*module.registry()), module.registry()->access())), module_(module.access()) {}

 private:
  ReadLease context_, module_;
};

/// The object behind `handle`, which has to belong to `module` and be live.
template <typename Id>
Id checked(const Module& module, const Handle<Id>& handle) {
  if (handle.module != &module)
    throw UsageError(std::string("this ") + noun(handle.id) + " belongs to another module");
  handle.read();
  return handle.id;
}

void bind_ir_values(nb::module_& m);
void bind_ir_context(nb::module_& m);
void bind_ir_refs(nb::module_& m);
void bind_ir_module(nb::module_& m);
void bind_ir_builder(nb::module_& m);
void bind_ir_text(nb::module_& m);

}  // namespace dynomite::ir
