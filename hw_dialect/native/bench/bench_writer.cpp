#include "hw_dialect/native/bench/bench_writer.hpp"

#include "dynomite/native/base/error.hpp"
#include "hw_dialect/native/blif/port_names.hpp"
#include "hw_dialect/native/blif/text_buffer.hpp"

namespace hw {

using dmt::AigStore;
using dmt::Lit;
using dmt::Node;
using dmt::NodeId;
using dmt::Reset;

BenchWriter::BenchWriter(const AigStore& store, bool drop_properties)
    : circuit_(store, true, drop_properties),
      title_(store.name().empty() ? "circuit" : escape_name(store.name(), true)) {}

void BenchWriter::write(dynomite::ByteSink& sink, dynomite::Stop& stop) const {
  TextBuffer out(sink);
  const auto node_name = [&](NodeId id) { circuit_.put_name(id, out, "%c0"); };
  // Nodes of which the inverted value is read, the constant (both values) included.
  std::vector<bool> inverted(circuit_.node_count, false);
  bool reads_zero = false;
  const auto literal = [&](Lit lit) {
    if (lit == dmt::kTrue) {
      out.put("%c1");
    } else if (lit.complemented()) {
      out.put("%b");
      out.put_number(lit.node().index());
    } else {
      node_name(lit.node());
    }
    reads_zero = reads_zero || lit == dmt::kFalse;
    if (lit.complemented()) inverted[lit.node().index()] = true;
  };

  out.put("# ");
  out.put(title_);
  out.put('\n');
  for (const std::string& name : circuit_.names.inputs) {
    out.put("INPUT(");
    out.put(name);
    out.put(")\n");
  }
  for (const std::string& name : circuit_.names.outputs) {
    out.put("OUTPUT(");
    out.put(name);
    out.put(")\n");
  }
  for (std::size_t i = 0; i < circuit_.latches.size(); ++i) {
    const Reset reset = circuit_.latches[i].reset;
    out.put(circuit_.names.latches[i]);
    out.put(reset == Reset::kZero ? " = DFF0(" : reset == Reset::kOne ? " = DFF1(" : " = DFF(");
    literal(circuit_.latches[i].next);
    out.put(")\n");
  }
  for (std::uint32_t i = 1; i < circuit_.node_count; ++i) {
    const Node& node = circuit_.nodes[i];
    if ((i & 0xFFFU) == 0 && stop.poll_clock()) throw dynomite::LimitError("writing was stopped");
    if (node.fanin0 == AigStore::kNotAnd) continue;
    node_name(NodeId(i));
    out.put(" = AND(");
    literal(node.fanin0);
    out.put(", ");
    literal(node.fanin1);
    out.put(")\n");
  }
  for (std::size_t k = 0; k < circuit_.outputs.size(); ++k) {
    if (circuit_.names.output_is_node[k]) continue;
    const Lit lit = circuit_.outputs[k];
    out.put(circuit_.names.outputs[k]);
    if (lit.node() == dmt::kConstNode) {
      out.put(lit == dmt::kTrue ? " = vdd\n" : " = gnd\n");
      continue;
    }
    out.put(lit.complemented() ? " = NOT(" : " = BUFF(");
    node_name(lit.node());
    out.put(")\n");
  }
  if (reads_zero) out.put("%c0 = gnd\n");
  if (inverted[0]) out.put("%c1 = vdd\n");
  for (std::uint32_t i = 1; i < circuit_.node_count; ++i) {
    if (!inverted[i]) continue;
    out.put("%b");
    out.put_number(i);
    out.put(" = NOT(");
    node_name(NodeId(i));
    out.put(")\n");
  }
  out.flush();
}

}  // namespace hw
