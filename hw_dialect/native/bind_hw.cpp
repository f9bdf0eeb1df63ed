#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/byte_sink.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"
#include "hw_dialect/native/bench/bench_reader.hpp"
#include "hw_dialect/native/bench/bench_writer.hpp"
#include "hw_dialect/native/blif/blif_reader.hpp"
#include "hw_dialect/native/blif/blif_writer.hpp"
#include "hw_dialect/native/blif/elaborate.hpp"
#include "hw_dialect/native/blif/lut_writer.hpp"
#include "hw_dialect/native/py_netlist.hpp"

namespace {

using dmt::AigStore;
using dynomite::run_long;
using dynomite::Stop;
using hw::ElaborateParams;
using hw::Netlist;
using hw::Note;
using hw::NoteList;
using hw::to_python;

using NameList = nb::typed<nb::list, nb::str>;

NameList to_python(const std::vector<std::string>& texts) {
  NameList list;
  for (const std::string& text : texts) list.append(to_python(text));
  return list;
}

using Circuit = nb::typed<nb::tuple, AigStore, NoteList>;

Circuit to_circuit(const Netlist& netlist, const ElaborateParams& params, std::string_view source,
                   Stop* given) {
  std::optional<AigStore> store;
  std::vector<Note> notes = netlist.notes;
  run_long(given, [&](Stop& stop) { store.emplace(hw::elaborate(netlist, params, source, notes, stop)); });
  return nb::borrow<Circuit>(nb::make_tuple(nb::cast(std::move(*store)), to_python(notes)));
}

constexpr std::uint64_t kMaxFlattened = ElaborateParams().max_flattened;

ElaborateParams make_params(bool black_boxes, bool free_undriven, bool net_names, const std::string& top,
                            std::uint64_t max_flattened) {
  ElaborateParams params;
  params.black_boxes = black_boxes;
  params.free_undriven = free_undriven;
  params.net_names = net_names;
  params.top = top;
  params.max_flattened = max_flattened;
  return params;
}

template <typename Read>
std::shared_ptr<Netlist> read_with(Read read, nb::bytes data, const std::string& name, Stop* given) {
  const std::string_view view(data.c_str(), data.size());
  std::shared_ptr<Netlist> netlist;
  run_long(given, [&](Stop& stop) { netlist = std::make_shared<Netlist>(read(view, name, stop)); });
  return netlist;
}

/// A writer takes all it needs when it is made; the store may change while it writes.
template <typename Writer>
Writer make_writer(AigStore& store, bool drop_properties) {
  const dmt::ReadLease lease(store.access());
  return Writer(store, drop_properties);
}

template <typename Writer>
nb::typed<nb::tuple, nb::bytes, NameList> bytes_of(AigStore& store, bool drop_properties, Stop* given) {
  const auto writer = make_writer<Writer>(store, drop_properties);
  dynomite::StringSink sink;
  run_long(given, [&](Stop& stop) { writer.write(sink, stop); });
  return nb::borrow<nb::typed<nb::tuple, nb::bytes, NameList>>(
      nb::make_tuple(nb::bytes(sink.bytes().data(), sink.bytes().size()), to_python(writer.notes())));
}

template <typename Writer>
NameList write_to(AigStore& store, int descriptor, const std::string& name, bool drop_properties,
                  Stop* given) {
  const auto writer = make_writer<Writer>(store, drop_properties);
  run_long(given, [&](Stop& stop) {
    dynomite::FileSink sink(descriptor, name, stop);
    writer.write(sink, stop);
  });
  return to_python(writer.notes());
}

template <typename Writer>
void bind_writer(nb::module_& m, const char* bytes_name, const char* write_name) {
  m.def(bytes_name, bytes_of<Writer>, nb::arg("aig"), nb::kw_only(), nb::arg("drop_properties") = false,
        nb::arg("stop").none() = nb::none(),
        "The circuit as the bytes of a file, and notes on names that were made up. Linear, without the GIL.");
  m.def(
      write_name, write_to<Writer>, nb::arg("aig"), nb::arg("descriptor"), nb::arg("name") = "<stream>",
      nb::kw_only(), nb::arg("drop_properties") = false, nb::arg("stop").none() = nb::none(),
      "Writes the circuit to an open file descriptor; `name` is for errors. Returns notes on names that were "
      "made up. Linear, without the GIL.");
}

}  // namespace

void bind_hw(nb::module_& m) {
  hw::bind_netlist(m);
  m.def(
      "read_netlist",
      [](nb::bytes data, const std::string& name, Stop* stop) {
        return read_with(hw::read_blif_netlist, std::move(data), name, stop);
      },
      nb::arg("data"), nb::arg("name") = "<bytes>", nb::kw_only(), nb::arg("stop").none() = nb::none(),
      "Reads BLIF or EBLIF text as a netlist, nothing resolved. Linear, without the GIL.");
  m.def(
      "read_blif",
      [](nb::bytes data, const std::string& name, bool black_boxes, bool free_undriven, bool net_names,
         const std::string& top, std::uint64_t max_flattened, Stop* stop) {
        const auto netlist = read_with(hw::read_blif_netlist, data, name, stop);
        return to_circuit(*netlist, make_params(black_boxes, free_undriven, net_names, top, max_flattened),
                          std::string_view(data.c_str(), data.size()), stop);
      },
      nb::arg("data"), nb::arg("name") = "<bytes>", nb::kw_only(), nb::arg("black_boxes") = false,
      nb::arg("free_undriven") = false, nb::arg("net_names") = false, nb::arg("top") = "",
      nb::arg("max_flattened") = kMaxFlattened, nb::arg("stop").none() = nb::none(),
      "Reads BLIF or EBLIF text as a flat AIG; returns it and notes (line, text). Linear, without the GIL.");
  m.def(
      "elaborate",
      [](const Netlist& netlist, bool black_boxes, bool free_undriven, bool net_names, const std::string& top,
         std::uint64_t max_flattened, Stop* stop) {
        return to_circuit(netlist, make_params(black_boxes, free_undriven, net_names, top, max_flattened), {},
                          stop);
      },
      nb::arg("netlist"), nb::kw_only(), nb::arg("black_boxes") = false, nb::arg("free_undriven") = false,
      nb::arg("net_names") = false, nb::arg("top") = "", nb::arg("max_flattened") = kMaxFlattened,
      nb::arg("stop").none() = nb::none(),
      "Flattens a netlist into an AIG; returns it and notes (line, text). Errors show no text of the file.");
  m.def(
      "read_bench",
      [](nb::bytes data, const std::string& name, bool free_undriven, bool net_names, Stop* stop) {
        const auto netlist = read_with(hw::read_bench_netlist, data, name, stop);
        return to_circuit(*netlist, make_params(false, free_undriven, net_names, {}, 0),
                          std::string_view(data.c_str(), data.size()), stop);
      },
      nb::arg("data"), nb::arg("name") = "<bytes>", nb::kw_only(), nb::arg("free_undriven") = false,
      nb::arg("net_names") = false, nb::arg("stop").none() = nb::none(),
      "Reads an ISCAS .bench file; returns the AIG and notes (line, text). Linear, without the GIL.");
  m.def(
      "netlist_bytes",
      [](const Netlist& netlist, Stop* given) {
        dynomite::StringSink sink;
        run_long(given, [&](Stop& stop) { hw::write_netlist(netlist, sink, stop); });
        return nb::bytes(sink.bytes().data(), sink.bytes().size());
      },
      nb::arg("netlist"), nb::kw_only(), nb::arg("stop").none() = nb::none(),
      "The netlist as BLIF text (EBLIF if it has such lines). Linear, without the GIL.");
  bind_writer<hw::BlifWriter>(m, "blif_bytes", "write_blif");
  m.def(
      "lut_blif_bytes",
      [](const dmt::LutNetwork& network, bool drop_properties, Stop* given) {
        const hw::LutWriter writer(network, drop_properties);
        dynomite::StringSink sink;
        run_long(given, [&](Stop& stop) { writer.write(sink, stop); });
        return nb::borrow<nb::typed<nb::tuple, nb::bytes, NameList>>(
            nb::make_tuple(nb::bytes(sink.bytes().data(), sink.bytes().size()), to_python(writer.notes())));
      },
      nb::arg("network"), nb::kw_only(), nb::arg("drop_properties") = false,
      nb::arg("stop").none() = nb::none(),
      "The network of LUTs as the bytes of a file, and notes on names that were made up. Linear, without the "
      "GIL.");
  bind_writer<hw::BenchWriter>(m, "bench_bytes", "write_bench");
}
