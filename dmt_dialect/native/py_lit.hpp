#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

/// A literal as Python sees it: the owning `Aig` object (kept alive), its store, the literal.
struct LitRef {
  nanobind::object owner;
  AigStore* store = nullptr;
  Lit lit;
};

/// The literal behind `ref`, which must belong to `store`.
inline Lit checked_lit(const AigStore* store, const LitRef& ref, const char* call) {
  if (ref.store != store) {
    throw dynomite::UsageError(std::string(call) + ": the literal belongs to another AIG");
  }
  return ref.lit;
}

/// A literal of the `Aig` object `self`.
inline LitRef make_lit_ref(nanobind::handle self, AigStore& store, Lit lit) {
  return {nanobind::borrow(self), &store, lit};
}

}  // namespace dmt
