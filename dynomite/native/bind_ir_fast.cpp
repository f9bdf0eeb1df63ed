#include <exception>

#include "dynomite/native/py_builder.hpp"

// The methods of Builder that programs call once an instruction: called by CPython without a detour.

namespace dynomite::ir {

namespace {

void set_error(const char* type_name, const char* message) {
  nb::object type = nb::module_::import_("dynomite.errors").attr(type_name);
  PyErr_SetString(type.ptr(), message);
}

/// Runs `work`; an exception becomes the Python error and null.
template <typename Work>
PyObject* guarded(Work work) noexcept {
  try {
    return work().release().ptr();
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const nb::builtin_exception& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const UsageError& e) {
    set_error("UsageError", e.what());
  } catch (const StaleRefError& e) {
    set_error("StaleRefError", e.what());
  } catch (const LimitError& e) {
    set_error("LimitError", e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

/// Operands of one call; those of most instructions need no memory.
class Specs {
 public:
  explicit Specs(std::size_t most) {
    if (most > kInline) {
      many_.resize(most);
      data_ = many_.data();
    }
  }
  void push(const OperandSpec& spec) { data_[count_++] = spec; }
  std::span<const OperandSpec> all() const { return {data_, count_}; }

 private:
  static constexpr std::size_t kInline = 12;
  OperandSpec few_[kInline];
  std::vector<OperandSpec> many_;
  OperandSpec* data_ = few_;
  std::size_t count_ = 0;
};

struct Keywords {
  nb::handle attrs, name, loc;
};

Keywords keywords(PyObject* const* arguments, Py_ssize_t count, PyObject* names, bool takes_name) {
  Keywords result;
  const Py_ssize_t given = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < given; ++i) {
    PyObject* key = PyTuple_GET_ITEM(names, i);
    const nb::handle value = arguments[count + i];
    if (PyUnicode_CompareWithASCIIString(key, "attrs") == 0) {
      result.attrs = value;
    } else if (takes_name && PyUnicode_CompareWithASCIIString(key, "name") == 0) {
      result.name = value;
    } else if (PyUnicode_CompareWithASCIIString(key, "loc") == 0) {
      result.loc = value;
    } else {
      throw nb::type_error(
          (std::string("unexpected keyword argument '") + nb::str(nb::handle(key)).c_str() + "'").c_str());
    }
  }
  return result;
}

void push_attributes(Module& module, nb::handle attrs, Specs& specs) {
  if (!attrs.is_valid() || attrs.is_none()) return;
  if (!nb::isinstance<nb::dict>(attrs)) throw nb::type_error("attrs: a dictionary is needed");
  if (nb::len(attrs) != 0) specs.push(OperandSpec::use(to_ref(module, attrs)));
}

void name_value(PyBuilder& builder, ValueId value, nb::handle name) {
  if (!name.is_valid() || name.is_none()) return;
  if (!nb::isinstance<nb::str>(name)) throw nb::type_error("name: a string is needed");
  builder.set_value_name(value, builder.module().attributes().string(text_to_bytes(name)));
}

/// The type in `object`, none for None.
TypeId type_of(const Module& module, nb::handle object) {
  if (const auto* type = as<TypeHandle>(object)) {
    if (type->module != &module) throw UsageError("this type belongs to another module");
    return type->id;
  }
  if (!object.is_none()) throw nb::type_error("a Type or None is needed");
  return {};
}

ValueId value_at(const Module& module, InstrId instr, std::uint32_t index) {
  return ValueId(module.instrs().operand(instr, index).ref.id);
}

// value(op, type, *uses, attrs=None, name=None, loc=None)
PyObject* builder_value(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return guarded([&]() -> nb::object {
    PyBuilder& builder = *nb::inst_ptr<PyBuilder>(self);
    Module& module = writable(builder.module());
    if (count < 2) throw nb::type_error("value() takes an operation, a type and the operands");
    const Opcode opcode = to_opcode(*module.registry(), arguments[0]);
    Specs specs(static_cast<std::size_t>(count));
    const TypeId type = type_of(module, arguments[1]);
    specs.push(OperandSpec::def(type));
    for (Py_ssize_t i = 2; i < count; ++i) specs.push(OperandSpec::use(to_ref(module, arguments[i])));
    const Keywords given = keywords(arguments, count, names, true);
    const LocationId location = given.loc.is_valid() ? to_location(module, given.loc) : LocationId();
    push_attributes(module, given.attrs, specs);
    if (builder.folding.is_valid()) {
      nb::object folded = try_fold(builder, opcode, type, specs.all().subspan(1));
      if (!folded.is_none()) return folded;
    }
    const InstrId instr = builder.build(opcode, specs.all(), location);
    const ValueId value = value_at(module, instr, 0);
    name_value(builder, value, given.name);
    return nb::cast(make_handle(builder.owner, module, value));
  });
}

// build(op, *operands, attrs=None, loc=None)
PyObject* builder_build(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return guarded([&]() -> nb::object {
    PyBuilder& builder = *nb::inst_ptr<PyBuilder>(self);
    Module& module = writable(builder.module());
    if (count < 1) throw nb::type_error("build() takes an operation and the operands");
    const Opcode opcode = to_opcode(*module.registry(), arguments[0]);
    Specs specs(static_cast<std::size_t>(count));
    bool any_name = false;
    for (Py_ssize_t i = 1; i < count; ++i) {
      specs.push(to_spec(module, arguments[i]));
      const auto* def = as<PyDef>(arguments[i]);
      any_name = any_name || (def != nullptr && !def->name.is_none());
    }
    const Keywords given = keywords(arguments, count, names, false);
    const LocationId location = given.loc.is_valid() ? to_location(module, given.loc) : LocationId();
    push_attributes(module, given.attrs, specs);
    const InstrId instr = builder.build(opcode, specs.all(), location);
    for (Py_ssize_t i = 1; any_name && i < count; ++i) {
      const auto* def = as<PyDef>(arguments[i]);
      if (def == nullptr || def->name.is_none()) continue;
      const Operand made = module.instrs().operand(instr, static_cast<std::uint32_t>(i - 1));
      if (made.ref.kind == kind::kValue) name_value(builder, ValueId(made.ref.id), def->name);
    }
    return nb::cast(make_handle(builder.owner, module, instr));
  });
}

int builder_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const PyBuilder* builder = nb::inst_ptr<PyBuilder>(self);
  Py_VISIT(builder->owner.ptr());
  Py_VISIT(builder->listeners.ptr());
  Py_VISIT(builder->folding.ptr());
  return 0;
}

int builder_clear(PyObject* self) {
  PyBuilder* builder = nb::inst_ptr<PyBuilder>(self);
  builder->listeners = nb::list();
  builder->folding.reset();
  return 0;
}

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyCFunction fast(FastCall function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef builder_methods[] = {
    {"value", fast(builder_value), METH_FASTCALL | METH_KEYWORDS,
     "value($self, op, type, /, *uses, attrs=None, name=None, loc=None)\n--\n\nBuilds an operation that "
     "defines one value and returns the value."},
    {"build", fast(builder_build), METH_FASTCALL | METH_KEYWORDS,
     "build($self, op, /, *operands, attrs=None, loc=None)\n--\n\nBuilds an instruction and returns it."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyType_Slot builder_slots[] = {{Py_tp_methods, builder_methods},
                               {Py_tp_traverse, reinterpret_cast<void*>(builder_traverse)},
                               {Py_tp_clear, reinterpret_cast<void*>(builder_clear)},
                               {0, nullptr}};

}  // namespace dynomite::ir
