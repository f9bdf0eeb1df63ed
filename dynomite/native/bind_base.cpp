#include <nanobind/stl/string.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <typeinfo>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/diagnostics.hpp"
#include "dynomite/native/module.hpp"

namespace {

using dynomite::Stop;
using dynomite::StopReason;

void raise_python(const char* type_name, nb::object args) {
  nb::object type = nb::module_::import_("dynomite.errors").attr(type_name);
  nb::object instance = type(*nb::cast<nb::tuple>(args));
  PyErr_SetObject(type.ptr(), instance.ptr());
}

// Text of hostile files need not be UTF-8.
nb::object text_of(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

nb::object path_of(const std::string& path) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

/// Arguments of the ParseError of the first error; the others are in it.
nb::tuple source_errors(const dynomite::ir::SourceErrors& errors) {
  const nb::object module = nb::module_::import_("dynomite.errors");
  nb::list others;
  for (std::size_t i = errors.errors().size(); i-- > 0;) {
    const dynomite::ir::Diagnostic& error = errors.errors()[i];
    nb::list notes;
    for (const dynomite::ir::Note& note : error.notes) {
      notes.append(module.attr("ParseNote")(text_of(note.message), note.place.line, note.place.column,
                                            text_of(note.text)));
    }
    nb::tuple args = nb::make_tuple(text_of(error.message), path_of(errors.path()), error.place.line,
                                    error.place.column, error.place.offset, text_of(error.text),
                                    nb::tuple(notes), i == 0 ? nb::tuple(others) : nb::tuple());
    if (i == 0) return args;
    others.insert(0, module.attr("ParseError")(*args));
  }
  return {};
}

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const dynomite::ir::SourceErrors& e) {
    raise_python("ParseError", source_errors(e));
  } catch (const dynomite::ParseError& e) {
    raise_python("ParseError", nb::make_tuple(text_of(e.what()), path_of(e.path()), e.place().line,
                                              e.place().column, e.place().offset, text_of(e.text())));
  } catch (const dynomite::UsageError& e) {
    raise_python("UsageError", nb::make_tuple(e.what()));
  } catch (const dynomite::VerifyError& e) {
    // Names and files in the message need not be UTF-8.
    nb::object message = nb::steal(
        PyUnicode_DecodeUTF8(e.what(), static_cast<Py_ssize_t>(std::strlen(e.what())), "backslashreplace"));
    raise_python("VerifyError", nb::make_tuple(message));
  } catch (const dynomite::StaleRefError& e) {
    raise_python("StaleRefError", nb::make_tuple(e.what()));
  } catch (const dynomite::LimitError& e) {
    raise_python("LimitError", nb::make_tuple(e.what()));
  } catch (const std::bad_cast&) {
    // Thrown by nb::cast inside a binding that takes any object.
    PyErr_SetString(PyExc_TypeError, "an argument, or a part of one, has a type that the call does not take");
  }
}

}  // namespace

void bind_base(nb::module_& m) {
  nb::register_exception_translator(translate);

  nb::class_<Stop>(m, "Stop", "Cancellation of native calls: a flag any thread may set, and a deadline.")
      .def(nb::init<>())
      .def("cancel", &Stop::cancel, "Ends the calls that hold this object; safe from any thread.")
      .def(
          "set_timeout",
          [](Stop& stop, double seconds) {
            if (!(seconds >= 0)) throw dynomite::UsageError("set_timeout: seconds must not be negative");
            if (seconds > 1e9) return;
            stop.set_deadline(Stop::Clock::now() + std::chrono::duration_cast<Stop::Clock::duration>(
                                                       std::chrono::duration<double>(seconds)));
          },
          nb::arg("seconds"), "Sets the deadline to `seconds` from now.")
      .def("poll", &Stop::poll_clock, "True once the work has to end.")
      .def_prop_ro(
          "reason",
          [](const Stop& stop) {
            switch (stop.reason()) {
              case StopReason::kNone: return "none";
              case StopReason::kCancelled: return "cancelled";
              case StopReason::kDeadline: return "deadline";
              case StopReason::kSignal: return "signal";
            }
            return "none";
          },
          "Why: 'none', 'cancelled', 'deadline' or 'signal'.");
}
