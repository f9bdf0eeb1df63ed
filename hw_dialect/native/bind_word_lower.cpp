#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "dmt_dialect/native/py_aig.hpp"
#include "dynomite/native/base/run_long.hpp"
#include "hw_dialect/native/py_word_net.hpp"
#include "hw_dialect/native/word/lower.hpp"
#include "hw_dialect/native/word/operator_gates.hpp"

namespace hw {

namespace nb = nanobind;

using dmt::WordArray;
using dmt::WordView;
using dynomite::Stop;
using dynomite::UsageError;

namespace {

nb::tuple lower(const PyWordNet& self, const std::string& architecture, std::uint64_t max_memory_bits,
                std::uint64_t max_bits, std::uint64_t max_ands, bool net_names, Stop* given) {
  self.check();
  word::LowerParams params;
  params.architecture = dmt::parse_architecture(architecture);
  params.max_memory_bits = max_memory_bits;
  params.max_bits = max_bits;
  params.max_ands = max_ands;
  params.net_names = net_names;
  dmt::AigStore aig;
  word::Lowered lowered;
  {
    dynomite::ReadLease lease(self.module->access());
    dynomite::run_long(given,
                       [&](Stop& stop) { lowered = word::lower(self.net, *self.module, params, stop, aig); });
  }
  std::vector<std::uint32_t> nodes, instrs, first;
  for (const word::LoweredFrom& item : lowered.from) {
    nodes.push_back(item.first_node);
    instrs.push_back(item.instr.index());
  }
  for (const std::size_t at : lowered.first) first.push_back(static_cast<std::uint32_t>(at));
  first.push_back(static_cast<std::uint32_t>(lowered.lits.size()));
  return nb::make_tuple(nb::cast(std::move(aig)), dmt::word_array(std::move(nodes)),
                        dmt::word_array(std::move(instrs)), dmt::word_array(lowered.lits),
                        dmt::word_array(std::move(first)));
}

WordArray blast_operator(const PyWordNet& self, std::uint32_t number, dmt::Self aig,
                         const std::vector<WordView>& operands, const std::string& architecture,
                         Stop* given) {
  self.check();
  if (number >= self.net.nodes.size() || self.net.nodes[number].kind != word::NodeKind::kOperator) {
    throw UsageError("blast_operator: the netlist has no operator " + std::to_string(number));
  }
  const word::WordNode& node = self.net.nodes[number];
  dmt::AigStore& store = dmt::writable(aig);
  if (operands.size() != node.operand_count) {
    throw UsageError("blast_operator: " + std::to_string(operands.size()) + " operands for " +
                     std::to_string(node.operand_count));
  }
  std::vector<std::vector<dmt::Lit>> lits(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].shape(0) != self.net.operands[node.first_operand + i].width) {
      throw UsageError("blast_operator: the operand " + std::to_string(i) + " has the wrong width");
    }
    for (std::size_t k = 0; k < operands[i].shape(0); ++k) {
      lits[i].push_back(dmt::Lit::from_raw(operands[i].data()[k]));
      if (!store.contains(lits[i].back())) throw UsageError("blast_operator: this AIG has no such literal");
    }
  }
  const std::vector<dmt::WordLits> words(lits.begin(), lits.end());
  const dmt::Architecture chosen = dmt::parse_architecture(architecture);
  std::vector<dmt::Lit> result;
  {
    const dmt::WriteLease writing(store.access());
    dynomite::ReadLease lease(self.module->access());
    dynomite::run_long(given, [&](Stop& stop) {
      if (!word::blast_operator(store, self.net, node, words, chosen, stop, result)) {
        throw dynomite::LimitError("blast_operator: stopped");
      }
    });
  }
  return dmt::word_array(result);
}

}  // namespace

void bind_word_lower(nb::module_& m) {
  m.def("lower", &lower, nb::arg("net"), nb::kw_only(), nb::arg("architecture") = "",
        nb::arg("max_memory_bits") = word::LowerParams().max_memory_bits,
        nb::arg("max_bits") = word::LowerParams().max_bits,
        nb::arg("max_ands") = word::LowerParams().max_ands, nb::arg("net_names") = false,
        nb::arg("stop").none() = nb::none(),
        nb::sig("def lower(net: WordNet, *, architecture: str = '', max_memory_bits: int = 65536, max_bits: "
                "int = 67108864, max_ands: int = 268435456, net_names: bool = False, stop: "
                "dynomite._native.base.Stop | None = None) -> "
                "tuple[dynomite._native.aig.Aig, numpy.typing.NDArray[numpy.uint32], "
                "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], "
                "numpy.typing.NDArray[numpy.uint32]]"),
        "Makes an AIG; also first nodes and ids of the instructions that made the nodes from there on, the "
        "literals of all words, and where those of each node of the netlist begin.");
  m.def("blast_operator", &blast_operator, nb::arg("net"), nb::arg("number"), nb::arg("aig"),
        nb::arg("operands"), nb::kw_only(), nb::arg("architecture") = "", nb::arg("stop").none() = nb::none(),
        "Builds the gates of one operator of a netlist in `aig`, over arrays of AIGER numbers.");
}

}  // namespace hw
