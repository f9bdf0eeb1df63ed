#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/ir/bytecode.hpp"
#include "dynomite/native/ir/text_parser.hpp"
#include "dynomite/native/ir/text_printer.hpp"
#include "dynomite/native/module.hpp"
#include "dynomite/native/py_ir.hpp"

namespace dynomite::ir {

namespace {

/// Bytes of a `str` or `bytes`.
std::string bytes_of(const nb::object& source) {
  if (nb::isinstance<nb::str>(source)) return text_to_bytes(source);
  if (!nb::isinstance<nb::bytes>(source)) throw nb::type_error("a str or bytes object is needed");
  const auto bytes = nb::borrow<nb::bytes>(source);
  return {bytes.c_str(), bytes.size()};
}

/// Runs `make(registry, stop)` on a copy of the context, without the GIL; then what was declared goes into
/// the context itself.
template <typename Make>
std::unique_ptr<Module> with_context(const std::shared_ptr<Registry>& context, Stop* stop, Make make) {
  if (context == nullptr) throw nb::type_error("a Context is needed");
  const std::size_t before = context->declaration_count();
  const auto copy = std::make_shared<Registry>(*context);
  std::unique_ptr<Module> module;
  run_long(stop, [&](Stop& running) { module = make(copy, running); });
  if (copy->declaration_count() != before) {
    wait_to_declare(*context);
    if (context->declaration_count() != before) {
      throw UsageError("another thread has declared something in the context meanwhile");
    }
    *context = *copy;
  }
  module->set_registry(context);
  return module;
}

}  // namespace

void bind_ir_text(nb::module_& m) {
  m.def(
      "parse",
      [](const nb::object& source, const std::shared_ptr<Registry>& context, const std::string& path,
         StoreKind store, bool locations, bool check_symbols, std::uint32_t max_errors, Stop* stop) {
        const std::string text = bytes_of(source);
        ParseOptions options;
        options.path = path;
        options.store = store;
        options.locations = locations;
        options.check_symbols = check_symbols;
        options.max_errors = max_errors == 0 ? 1 : max_errors;
        return with_context(context, stop, [&](const std::shared_ptr<Registry>& registry, Stop& running) {
          return parse_text(text, registry, options, running);
        });
      },
      nb::arg("source"), nb::arg("context"), nb::kw_only(), nb::arg("path") = "<text>",
      nb::arg("store") = default_store(), nb::arg("locations") = false, nb::arg("check_symbols") = true,
      nb::arg("max_errors") = 20, nb::arg("stop") = nb::none(),
      nb::sig(
          "def parse(source: str | bytes, context: Context, *, path: str = '<text>', store: StoreKind = ..."
          ", locations: bool = False, check_symbols: bool = True, max_errors: int = 20, stop: "
          "dynomite._native.base.Stop | None = None) -> Module"),
      "Reads a module from its text; see dynomite.ir.text.");
  m.def(
      "print_module",
      [](const Module& module, bool locations, bool declarations, Stop* stop) {
        std::string text;
        {
          const Reading reading(module);
          run_long(stop,
                   [&](Stop& running) { text = print_text(module, {locations, declarations}, running); });
        }
        return text_to_python(text);
      },
      nb::arg("module"), nb::kw_only(), nb::arg("locations") = false, nb::arg("declarations") = true,
      nb::arg("stop") = nb::none(),
      nb::sig("def print_module(module: Module, *, locations: bool = False, declarations: bool = True, stop: "
              "dynomite._native.base.Stop | None = None) -> str"),
      "The text of a module; see dynomite.ir.text.");
  m.def(
      "write_bytecode",
      [](const Module& module, Stop* stop) {
        std::string bytes;
        {
          const Reading reading(module);
          run_long(stop, [&](Stop& running) { bytes = write_bytecode(module, running); });
        }
        return nb::bytes(bytes.data(), bytes.size());
      },
      nb::arg("module"), nb::kw_only(), nb::arg("stop") = nb::none(),
      nb::sig(
          "def write_bytecode(module: Module, *, stop: dynomite._native.base.Stop | None = None) -> bytes"),
      "The bytes of a module; see dynomite.ir.bytecode.");
  m.def(
      "read_bytecode",
      [](const nb::bytes& data, const std::shared_ptr<Registry>& context, const std::string& path,
         StoreKind store, Stop* stop) {
        const std::string_view bytes(data.c_str(), data.size());
        const BytecodeOptions options{path, store};
        return with_context(context, stop, [&](const std::shared_ptr<Registry>& registry, Stop& running) {
          return read_bytecode(bytes, registry, options, running);
        });
      },
      nb::arg("data"), nb::arg("context"), nb::kw_only(), nb::arg("path") = "<bytes>",
      nb::arg("store") = default_store(), nb::arg("stop") = nb::none(),
      nb::sig(
          "def read_bytecode(data: bytes, context: Context, *, path: str = '<bytes>', store: StoreKind = ..."
          ", stop: dynomite._native.base.Stop | None = None) -> Module"),
      "Reads a module from its bytes; see dynomite.ir.bytecode.");
  m.def(
      "same_module",
      [](const Module& a, const Module& b) {
        const Reading reading_a(a), reading_b(b);
        const nb::gil_scoped_release release;
        return same_module(a, b);
      },
      nb::arg("a"), nb::arg("b"),
      "True if both are identical up to the ids of their objects.\n\nLinear in their sizes.");
}

}  // namespace dynomite::ir
