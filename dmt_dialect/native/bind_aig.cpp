#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "dmt_dialect/native/py_lit.hpp"
#include "dynomite/native/module.hpp"

using dmt::AigStore;
using dmt::checked_lit;
using dmt::Lit;
using dmt::LitRef;
using dmt::make_lit_ref;
using Self = nb::handle_t<AigStore>;

namespace {
AigStore& store_of(Self self) { return *nb::inst_ptr<AigStore>(self); }
}  // namespace

void bind_aig(nb::module_& m) {
  nb::class_<LitRef>(m, "Lit", "A literal of an AIG: a node and whether it is complemented.")
      .def(
          "__and__",
          [](const LitRef& a, const LitRef& b) {
            return LitRef{a.owner, a.store, a.store->and_(a.lit, checked_lit(a.store, b, "&"))};
          },
          nb::is_operator())
      .def("__invert__", [](const LitRef& a) { return LitRef{a.owner, a.store, ~a.lit}; });

  nb::class_<AigStore>(m, "Aig", "An and-inverter graph.")
      .def(nb::init<>())
      .def("add_input",
           [](Self self) { return make_lit_ref(self, store_of(self), store_of(self).add_input()); })
      .def(
          "and_",
          [](Self self, const LitRef& a, const LitRef& b) {
            AigStore& store = store_of(self);
            return make_lit_ref(self, store,
                                store.and_(checked_lit(&store, a, "and_"), checked_lit(&store, b, "and_")));
          },
          nb::arg("a"), nb::arg("b"))
      .def("__len__", [](Self self) { return store_of(self).node_count(); });
}
