#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/py_lit.hpp"

// What the files that bind `Aig` share.

namespace dmt {

namespace nb = nanobind;

using Self = nb::handle_t<AigStore>;
using LitTuple = nb::typed<nb::tuple, LitRef, nb::ellipsis>;
using NodeTuple = nb::typed<nb::tuple, NodeRef, nb::ellipsis>;
using RowsView = nb::ndarray<nb::numpy, const std::uint32_t, nb::shape<-1, 2>, nb::c_contig>;
using WordArray = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>, nb::c_contig>;
using WordView = nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<1>, nb::c_contig>;
using OptionalName = std::optional<nb::str>;

/// A name as Python sees it. Names hold the bytes of the file; they are read as UTF-8 with surrogate escapes,
/// so that every name comes back as it was.
nb::str name_to_python(std::string_view name);
/// The bytes of a name; throws UsageError for one that is empty or holds a line end or a NUL byte.
std::string name_to_bytes(const nb::str& name, const char* call);
/// A comment line, which may be empty, but must be one line.
std::string line_to_bytes(const nb::str& line, const char* call);

/// The literals of `self` as Python objects.
LitTuple lit_tuple(Self self, const std::vector<Lit>& lits);
/// The literals in `lits`, which must belong to `store`.
std::vector<Lit> checked_lits(const AigStore& store, const std::vector<LitRef>& lits, const char* call);
/// A new array that owns `values`.
WordArray word_array(std::vector<std::uint32_t> values);
WordArray word_array(const std::vector<Lit>& lits);

void bind_aig_ports(nb::class_<AigStore>& aig);
void bind_aig_names(nb::class_<AigStore>& aig);
void bind_aig_arrays(nb::class_<AigStore>& aig);
void bind_aig_structure(nb::module_& m, nb::class_<AigStore>& aig);

}  // namespace dmt
