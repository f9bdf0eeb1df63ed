#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

// One function a native area, defined in that area's bind_x.cpp.
void bind_base(nb::module_& m);
void bind_aig(nb::module_& m);
void bind_bdd(nb::module_& m);
void bind_sim(nb::module_& m);
void bind_io(nb::module_& m);
void bind_sweep(nb::module_& m);
void bind_seq(nb::module_& m);
void bind_hw(nb::module_& m);
void bind_word(nb::module_& m);
void bind_cnf(nb::module_& m);
void bind_map(nb::module_& m);
void bind_smt(nb::module_& m);
void bind_witness(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_ir(nb::module_& m);
void bind_ir_passes(nb::module_& m);
void bind_word_net(nb::module_& m);
void bind_opt(nb::module_& m);
void bind_algebra(nb::module_& m);
void bind_dividers(nb::module_& m);
void bind_rewrite(nb::module_& m);
void bind_rewrite_aig(nb::module_& m);
