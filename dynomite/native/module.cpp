#include "dynomite/native/module.hpp"

NB_MODULE(_native, m) {
  m.doc() = "Native stores and engines of dynomite; the public faces are the Python packages.";
  nb::module_ base = m.def_submodule("base", "Stopping long calls, errors.");
  bind_base(base);
  nb::module_ aig = m.def_submodule("aig", "And-inverter graphs.");
  bind_aig(aig);
  nb::module_ bdd = m.def_submodule("bdd", "Binary decision diagrams.");
  bind_bdd(bdd);
  nb::module_ sim = m.def_submodule("sim", "Bit-parallel simulation of AIGs.");
  bind_sim(sim);
  nb::module_ io = m.def_submodule("io", "Readers and writers of circuit files.");
  bind_io(io);
  nb::module_ sweep = m.def_submodule("sweep", "SAT sweeping.");
  bind_sweep(sweep);
  nb::module_ explain = m.def_submodule("explain", "Where two circuits begin to differ.");
  bind_explain(explain);
  nb::module_ seq = m.def_submodule("seq", "Sequential clean-up.");
  bind_seq(seq);
  nb::module_ hw = m.def_submodule("hw", "Netlists: BLIF and ISCAS bench.");
  bind_hw(hw);
  nb::module_ word = m.def_submodule("word", "Words: values, operators, bit-blasting.");
  bind_word(word);
  nb::module_ cnf = m.def_submodule("cnf", "Conjunctive normal form.");
  bind_cnf(cnf);
  nb::module_ map = m.def_submodule("map", "Mapping to look-up tables.");
  bind_map(map);
  nb::module_ smt = m.def_submodule("smt", "SMT-LIB: terms, scripts, bit-blasting.");
  bind_smt(smt);
  nb::module_ witness = m.def_submodule("witness", "Checking and shrinking counterexamples.");
  bind_witness(witness);
  nb::module_ ir = m.def_submodule("ir", "The IR: contexts, modules, references, builders.");
  bind_ir(ir);
  nb::module_ passes = m.def_submodule("passes", "Generic passes over modules, symbols, dominance.");
  bind_ir_passes(passes);
  nb::module_ word_net =
      m.def_submodule("word_net", "Flat netlists of words, made of the dialects op and hw.");
  bind_word_net(word_net);
  nb::module_ opt = m.def_submodule("opt", "Passes that make circuits smaller and shallower.");
  bind_opt(opt);
  nb::module_ algebra = m.def_submodule("algebra", "Polynomials of words.");
  bind_algebra(algebra);
  nb::module_ dividers = m.def_submodule("dividers", "Dividers and square roots in circuits.");
  bind_dividers(dividers);
  nb::module_ rewrite = m.def_submodule("rewrite", "Rewrite rules: compiling, matching, applying.");
  bind_rewrite(rewrite);
  bind_rewrite_aig(rewrite);
}
