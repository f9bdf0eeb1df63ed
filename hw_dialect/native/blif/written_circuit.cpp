#include "hw_dialect/native/blif/written_circuit.hpp"

namespace hw {

using dmt::AigStore;

WrittenCircuit::WrittenCircuit(const AigStore& store, bool bench, bool drop_properties)
    : names(plan_names(store, bench, drop_properties)),
      nodes(store.nodes().data()),
      node_count(store.node_count()),
      owner(store.node_array().share()),
      latches(store.latches()),
      outputs(store.outputs()) {}

void WrittenCircuit::put_name(dmt::NodeId id, TextBuffer& out, std::string_view zero) const {
  const dmt::Node& node = nodes[id.index()];
  if (node.fanin0 != AigStore::kNotAnd) {
    if (const std::string* name = names.name_of(id)) {
      out.put(*name);
      return;
    }
    out.put(names.node_prefix);
    out.put_number(id.index());
  } else if (id == dmt::kConstNode) {
    out.put(zero);
  } else if ((node.fanin1.raw() & AigStore::kLatchBit) != 0) {
    out.put(names.latches[node.fanin1.raw() & ~AigStore::kLatchBit]);
  } else {
    out.put(names.inputs[node.fanin1.raw()]);
  }
}

}  // namespace hw
