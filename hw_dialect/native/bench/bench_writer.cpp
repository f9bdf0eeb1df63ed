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
    : names_(plan_names(store, true)),
      title_(store.name().empty() ? "circuit" : escape_name(store.name(), true)),
      nodes_(store.nodes().data()),
      node_count_(store.node_count()),
      owner_(store.node_array().share()),
      latches_(store.latches()),
      outputs_(store.outputs()) {
  const std::string properties = list_properties(store);
  if (properties.empty()) return;
  if (!drop_properties) {
    throw dynomite::UsageError(".bench cannot hold the circuit's properties (" + properties +
                               "); ask for them to be dropped");
  }
  names_.notes.push_back("properties were dropped: " + properties);
}

void BenchWriter::write(dynomite::ByteSink& sink, dynomite::Stop& stop) const {
  TextBuffer out(sink);
  const auto node_name = [&](NodeId id) {
    const Node& node = nodes_[id.index()];
    if (node.fanin0 != AigStore::kNotAnd) {
      if (const std::string* name = names_.name_of(id)) {
        out.put(*name);
        return;
      }
      out.put(names_.node_prefix);
      out.put_number(id.index());
    } else if (id == dmt::kConstNode) {
      out.put("%c0");
    } else if ((node.fanin1.raw() & AigStore::kLatchBit) != 0) {
      out.put(names_.latches[node.fanin1.raw() & ~AigStore::kLatchBit]);
    } else {
      out.put(names_.inputs[node.fanin1.raw()]);
    }
  };
  // Nodes of which the inverted value is read, the constant (both values) included.
  std::vector<bool> inverted(node_count_, false);
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
  for (const std::string& name : names_.inputs) {
    out.put("INPUT(");
    out.put(name);
    out.put(")\n");
  }
  for (const std::string& name : names_.outputs) {
    out.put("OUTPUT(");
    out.put(name);
    out.put(")\n");
  }
  for (std::size_t i = 0; i < latches_.size(); ++i) {
    const Reset reset = latches_[i].reset;
    out.put(names_.latches[i]);
    out.put(reset == Reset::kZero ? " = DFF0(" : reset == Reset::kOne ? " = DFF1(" : " = DFF(");
    literal(latches_[i].next);
    out.put(")\n");
  }
  for (std::uint32_t i = 1; i < node_count_; ++i) {
    const Node& node = nodes_[i];
    if ((i & 0xFFFU) == 0 && stop.poll_clock()) throw dynomite::LimitError("writing was stopped");
    if (node.fanin0 == AigStore::kNotAnd) continue;
    node_name(NodeId(i));
    out.put(" = AND(");
    literal(node.fanin0);
    out.put(", ");
    literal(node.fanin1);
    out.put(")\n");
  }
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    if (names_.output_is_node[k]) continue;
    const Lit lit = outputs_[k];
    out.put(names_.outputs[k]);
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
  for (std::uint32_t i = 1; i < node_count_; ++i) {
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
