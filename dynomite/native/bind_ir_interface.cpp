#include <nanobind/stl/string.h>

#include <string>
#include <unordered_map>

#include "dynomite/native/py_builder.hpp"

namespace dynomite::ir {

namespace {

/// What dialects say about their operations, found by opcode: entries by name, and a dense table for the
/// context that asked last.
class Interface {
 public:
  Interface(std::string name, nb::object fallback) : name_(std::move(name)), fallback_(std::move(fallback)) {}

  const std::string& name() const { return name_; }
  void set_op(const std::string& full_name, nb::object entry, bool override) {
    set(ops_, full_name, std::move(entry), override, "operation");
  }
  void set_dialect(const std::string& dialect, nb::object entry, bool override) {
    set(dialects_, dialect, std::move(entry), override, "dialect");
  }
  const nb::object& fallback() const { return fallback_; }

  /// The entry of the operation, else the default of its dialect, else the default of all.
  nb::handle lookup(const Registry& registry, Opcode opcode) {
    if (context_ != registry.serial()) {
      tables_.clear();
      context_ = registry.serial();
    }
    if (opcode.dialect() >= tables_.size()) tables_.resize(opcode.dialect() + std::size_t{1});
    auto& table = tables_[opcode.dialect()];
    if (opcode.number() >= table.size()) table.resize(opcode.number() + std::size_t{1});
    nb::handle& entry = table[opcode.number()];
    if (!entry.is_valid()) entry = find(registry, opcode);
    return entry;
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(fallback_.ptr());
    for (const auto* entries : {&ops_, &dialects_}) {
      for (const auto& [key, entry] : *entries) Py_VISIT(entry.ptr());
    }
    return 0;
  }
  void clear() {
    tables_.clear();
    ops_.clear();
    dialects_.clear();
    fallback_ = nb::none();
  }

 private:
  using Entries = std::unordered_map<std::string, nb::object>;

  void set(Entries& entries, const std::string& key, nb::object entry, bool override, const char* what) {
    const bool known = entries.contains(key);
    if (known && !override)
      throw UsageError("the interface '" + name_ + "' has an entry for the " + what + " '" + key +
                       "' already");
    if (!known && override)
      throw UsageError("the interface '" + name_ + "' has no entry for the " + what + " '" + key +
                       "' to override");
    entries[key] = std::move(entry);
    tables_.clear();
  }
  nb::handle find(const Registry& registry, Opcode opcode) const {
    const auto op = ops_.find(registry.name(opcode));
    if (op != ops_.end()) return op->second;
    const auto dialect = dialects_.find(registry.dialect(opcode.dialect()).name);
    return dialect != dialects_.end() ? dialect->second : fallback_;
  }

  std::string name_;
  nb::object fallback_;
  Entries ops_, dialects_;
  std::uint64_t context_ = 0;
  std::vector<std::vector<nb::handle>> tables_;  // borrowed from the entries; invalid: not looked up yet
};

int interface_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Interface>(self)->traverse(visit, arg) : 0;
}
int interface_clear(PyObject* self) {
  nb::inst_ptr<Interface>(self)->clear();
  return 0;
}
PyType_Slot interface_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(interface_traverse)},
                                 {Py_tp_clear, reinterpret_cast<void*>(interface_clear)},
                                 {0, nullptr}};

}  // namespace

nb::object try_fold(PyBuilder& builder, Opcode opcode, TypeId type, std::span<const OperandSpec> uses) {
  Module& module = builder.module();
  Interface& interface = nb::cast<Interface&>(builder.folding);
  const nb::object entry = nb::borrow(interface.lookup(*module.registry(), opcode));
  if (entry.is_none()) return nb::none();
  nb::list operands;
  for (const OperandSpec& use : uses) operands.append(to_python(builder.owner, module, use.ref));
  const nb::object given_type = type ? nb::cast(TypeHandle{builder.owner, &module, type}) : nb::none();
  nb::object result = entry(nb::find(&builder), given_type, nb::tuple(operands));
  if (result.is_none()) return result;
  if (const auto* value = as<ValueHandle>(result)) {
    checked(module, *value);
  } else if (as<PyConst>(result) == nullptr) {
    throw nb::type_error("a fold function returns a ValueRef, a Const or None");
  }
  return result;
}

bool is_interface(nb::handle object) { return nb::isinstance<Interface>(object); }

void bind_ir_interface(nb::module_& m) {
  nb::class_<Interface>(m, "NativeInterface", nb::is_final(), nb::type_slots(interface_slots),
                        "The table behind dynomite.ir.interface.Interface.")
      .def(nb::init<std::string, nb::object>(), nb::arg("name"), nb::arg("default").none())
      .def_prop_ro("name", &Interface::name, "What it is about.")
      .def_prop_ro("default", &Interface::fallback, "The entry of operations that nobody spoke for.")
      .def("set_op", &Interface::set_op, nb::arg("full_name"), nb::arg("entry").none(), nb::arg("override"),
           "Entry of one operation.")
      .def("set_dialect", &Interface::set_dialect, nb::arg("dialect"), nb::arg("entry").none(),
           nb::arg("override"), "Default of a dialect's operations.")
      .def(
          "lookup",
          [](Interface& interface, const Registry& context, const nb::object& op) {
            return nb::borrow(interface.lookup(context, to_opcode(context, op)));
          },
          nb::arg("context"), nb::arg("op"),
          nb::sig("def lookup(self, context: Context, op: Op | Opcode) -> typing.Any"),
          "The entry of an operation.\n\nCost: two array reads after the first time.");
}

}  // namespace dynomite::ir
