#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "dmt_dialect/native/smt/term_store.hpp"
#include "dynomite/native/base/error.hpp"

// What the files that bind terms share.

namespace dmt::smt {

namespace nb = nanobind;

/// A term as Python holds it: it keeps its store.
struct PyTerm {
  nb::object owner;
  TermId id;
  TermStore& store() const { return *nb::inst_ptr<TermStore>(owner); }
};

/// Numbers of terms that must be of this store.
inline std::vector<TermId> ids_of(nb::handle store, const std::vector<PyTerm>& terms, const char* call) {
  std::vector<TermId> ids;
  ids.reserve(terms.size());
  for (const PyTerm& term : terms) {
    if (term.owner.ptr() != store.ptr()) {
      throw dynomite::UsageError(std::string(call) + ": a term of another store");
    }
    ids.push_back(term.id);
  }
  return ids;
}

inline std::vector<PyTerm> terms_of(const nb::object& owner, const std::vector<TermId>& ids) {
  std::vector<PyTerm> terms;
  terms.reserve(ids.size());
  for (const TermId id : ids) terms.push_back({owner, id});
  return terms;
}

/// Registers `Model` and `Circuit`.
void bind_solving(nb::module_& m);

}  // namespace dmt::smt
