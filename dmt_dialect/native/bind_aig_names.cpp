#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "dmt_dialect/native/py_aig.hpp"

namespace dmt {

namespace {

using dynomite::UsageError;

/// The names of a section and its number of ports.
struct Section {
  NameTable& names;
  std::size_t size;
};

Section section_of(AigStore& store, std::string_view section, const char* call) {
  auto& names = store.names();
  if (section == "inputs") return {names.inputs, store.inputs().size()};
  if (section == "latches") return {names.latches, store.latches().size()};
  if (section == "outputs") return {names.outputs, store.outputs().size()};
  if (section == "bad") return {names.bad, store.bad().size()};
  if (section == "constraints") return {names.constraints, store.constraints().size()};
  if (section == "justice") return {names.justice, store.justice().size()};
  if (section == "fairness") return {names.fairness, store.fairness().size()};
  throw UsageError(std::string(call) + ": no section '" + std::string(section) +
                   "'; sections are inputs, latches, outputs, bad, constraints, justice, fairness");
}

nb::object optional_to_python(const NameTable& names, std::size_t index) {
  return names.has(index) ? nb::object(name_to_python(names.get(index))) : nb::none();
}

}  // namespace

void bind_aig_names(nb::class_<AigStore>& aig) {
  aig.def_prop_rw(
         "name", [](Self self) { return name_to_python(store_of(self).name()); },
         [](Self self, const nb::str& name) { writable(self).name() = line_to_bytes(name, "name"); },
         "Name of the circuit; may be empty.")
      .def_prop_rw(
          "comments",
          [](Self self) {
            nb::typed<nb::list, nb::str> lines;
            for (const std::string& line : store_of(self).comments()) lines.append(name_to_python(line));
            return lines;
          },
          [](Self self, const std::vector<nb::str>& lines) {
            std::vector<std::string> bytes;
            for (const nb::str& line : lines) bytes.push_back(line_to_bytes(line, "comments"));
            writable(self).comments() = std::move(bytes);
          },
          "Comment lines, as in the AIGER comment section. A copy; assign to change.")
      .def(
          "get_name",
          [](Self self, std::string_view section, std::size_t index) {
            const Section s = section_of(store_of(self), section, "get_name");
            if (index >= s.size) throw nb::index_error("get_name: no such port");
            return optional_to_python(s.names, index);
          },
          nb::arg("section"), nb::arg("index"),
          nb::sig("def get_name(self, section: str, index: int) -> str | None"),
          "Name of a port, or None.\n\n"
          "Args:\n    section: inputs, latches, outputs, bad, constraints, justice or fairness.\n"
          "    index: Position of the port in its section.")
      .def(
          "set_name",
          [](Self self, std::string_view section, std::size_t index, const OptionalName& name) {
            const Section s = section_of(writable(self), section, "set_name");
            if (index >= s.size) throw nb::index_error("set_name: no such port");
            s.names.set(index, name.has_value() ? name_to_bytes(*name, "set_name") : std::string());
          },
          nb::arg("section"), nb::arg("index"), nb::arg("name").none(),
          "Sets the name of a port; None removes it. See `get_name`.")
      .def(
          "names",
          [](Self self, std::string_view section) {
            const Section s = section_of(store_of(self), section, "names");
            nb::list names;
            for (std::size_t i = 0; i < s.size; ++i) names.append(optional_to_python(s.names, i));
            return names;
          },
          nb::arg("section"), nb::sig("def names(self, section: str) -> list[str | None]"),
          "Names of a section's ports, None where there is none. See `get_name`.")
      .def(
          "set_names",
          [](Self self, std::string_view section, const std::vector<OptionalName>& names) {
            const Section s = section_of(writable(self), section, "set_names");
            if (names.size() != s.size) {
              throw UsageError("set_names: " + std::to_string(names.size()) + " names for " +
                               std::to_string(s.size) + " ports");
            }
            NameTable table;
            for (std::size_t i = 0; i < names.size(); ++i) {
              if (names[i].has_value()) table.set(i, name_to_bytes(*names[i], "set_names"));
            }
            s.names = std::move(table);
          },
          nb::arg("section"), nb::arg("names"), "Replaces all names of a section. See `get_name`.")
      .def(
          "name_count",
          [](Self self, std::string_view section) {
            return section_of(store_of(self), section, "name_count").names.count();
          },
          nb::arg("section"), "Number of ports of a section that have a name. See `get_name`.")
      .def(
          "add_net_name",
          [](Self self, const LitRef& lit, const nb::str& name) {
            AigStore& store = writable(self);
            store.net_names().push_back(
                {checked_lit(&store, lit, "add_net_name"), name_to_bytes(name, "add_net_name")});
          },
          nb::arg("lit"), nb::arg("name"), "Names an internal literal (a net).")
      .def_prop_ro(
          "net_names",
          [](Self self) {
            nb::typed<nb::list, nb::typed<nb::tuple, LitRef, nb::str>> nets;
            AigStore& store = store_of(self);
            for (const NetName& net : store.net_names()) {
              nets.append(nb::make_tuple(make_lit_ref(self, store, net.lit), name_to_python(net.name)));
            }
            return nets;
          },
          "Pairs of literal and net name.");
}

}  // namespace dmt
