#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dmt_dialect/native/io/aiger_reader.hpp"
#include "dmt_dialect/native/io/aiger_writer.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dmt::AigerWriter;
using dmt::AigStore;
using dynomite::run_long;
using dynomite::Stop;

AigStore read_aiger(nb::bytes data, const std::string& name, Stop* given) {
  const std::string_view view(data.c_str(), data.size());
  std::optional<AigStore> store;
  run_long(given, [&](Stop& stop) { store.emplace(dmt::read_aiger(view, name, stop)); });
  return std::move(*store);
}

nb::bytes aiger_bytes(const AigStore& store, bool binary, Stop* given) {
  store.access().check_read();
  const AigerWriter writer(store, binary);
  dynomite::StringSink sink;
  run_long(given, [&](Stop& stop) { writer.write(sink, stop); });
  return nb::bytes(sink.bytes().data(), sink.bytes().size());
}

void write_aiger(const AigStore& store, int descriptor, const std::string& name, bool binary, Stop* given) {
  store.access().check_read();
  const AigerWriter writer(store, binary);
  run_long(given, [&](Stop& stop) {
    dynomite::FileSink sink(descriptor, name, stop);
    writer.write(sink, stop);
  });
}

}  // namespace

void bind_io(nb::module_& m) {
  m.def("read_aiger", read_aiger, nb::arg("data"), nb::arg("name") = "<bytes>", nb::kw_only(),
        nb::arg("stop").none() = nb::none(),
        "Reads an ASCII or binary AIGER file from bytes; `name` is its name in errors.\n\n"
        "Raises ParseError with a place; LimitError when `stop` ends the call. Linear, without the GIL.");
  m.def("aiger_bytes", aiger_bytes, nb::arg("aig"), nb::kw_only(), nb::arg("binary"),
        nb::arg("stop").none() = nb::none(),
        "The circuit as the bytes of an AIGER file. Linear, without the GIL.");
  m.def("write_aiger", write_aiger, nb::arg("aig"), nb::arg("descriptor"), nb::arg("name") = "<stream>",
        nb::kw_only(), nb::arg("binary"), nb::arg("stop").none() = nb::none(),
        "Writes the circuit as AIGER to an open file descriptor; `name` is for errors. Linear, without the "
        "GIL.");
}
