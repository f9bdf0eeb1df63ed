#pragma once

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "hw_dialect/native/blif/netlist.hpp"

namespace hw {

using NoteList = nanobind::typed<nanobind::list, nanobind::typed<nanobind::tuple, int, nanobind::str>>;

// Names hold the bytes of the file; Python sees them as UTF-8 with surrogate escapes, so that all round-trip.
inline nanobind::str to_python(std::string_view text) {
  return nanobind::steal<nanobind::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

inline NoteList to_python(const std::vector<Note>& notes) {
  NoteList list;
  for (const Note& note : notes) list.append(nanobind::make_tuple(note.line, to_python(note.text)));
  return list;
}

/// Registers `Netlist`, `Model` and `Cell`.
void bind_netlist(nanobind::module_& m);

}  // namespace hw
