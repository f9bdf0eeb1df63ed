#include "hw_dialect/native/blif/blif_writer.hpp"

#include <unordered_set>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "hw_dialect/native/blif/port_names.hpp"
#include "hw_dialect/native/blif/text_buffer.hpp"

namespace hw {

using dmt::AigStore;
using dmt::Lit;
using dmt::Node;
using dmt::NodeId;
using dmt::Reset;
using dynomite::ByteSink;
using dynomite::LimitError;
using dynomite::Stop;
using dynomite::UsageError;

namespace {

const char* keyword_of(LatchType type) {
  switch (type) {
    case LatchType::kFallingEdge: return "fe";
    case LatchType::kRisingEdge: return "re";
    case LatchType::kActiveHigh: return "ah";
    case LatchType::kActiveLow: return "al";
    case LatchType::kAsynchronous: return "as";
    case LatchType::kAbsent: break;
  }
  return "";
}

class NetlistWriter {
 public:
  NetlistWriter(const Netlist& netlist, ByteSink& sink, Stop& stop)
      : netlist_(netlist), out_(sink), words_(out_), stop_(stop) {}

  void run() {
    bool first = true;
    for (const Model& model : netlist_.models) {
      if (model.is_exdc) continue;
      if (!first) out_.put('\n');
      first = false;
      words_.first(".model");
      words_.word(netlist_.model_name(model));
      words_.end();
      body(model);
      if (model.exdc != Model::kNoModel) {
        out_.put(".exdc\n");
        body(netlist_.models[model.exdc]);
      }
      out_.put(".end\n");
    }
    out_.flush();
  }

 private:
  void body(const Model& model) {
    ports(model, PortKind::kInput, ".inputs");
    ports(model, PortKind::kOutput, ".outputs");
    ports(model, PortKind::kClock, ".clock");
    if (model.black_box) out_.put(".blackbox\n");
    std::uint32_t a = model.attributes.begin;
    for (; a < model.attributes.end && netlist_.attributes[a].cell == Attribute::kOfModel; ++a) {
      attribute(netlist_.attributes[a]);
    }
    for (std::uint32_t c = model.cells.begin; c < model.cells.end; ++c) {
      if (stop_.poll()) throw LimitError("writing was stopped");
      cell(netlist_.cells[c]);
      for (; a < model.attributes.end && netlist_.attributes[a].cell == c; ++a)
        attribute(netlist_.attributes[a]);
    }
  }

  void ports(const Model& model, PortKind kind, std::string_view keyword) {
    bool any = false;
    for (std::uint32_t p = model.ports.begin; p < model.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      if (port.kind != kind) continue;
      if (!any) words_.first(keyword);
      any = true;
      words_.word(netlist_.net_name(port.net));
    }
    if (any) words_.end();
  }

  void cell(const Cell& cell) {
    switch (cell.kind) {
      case CellKind::kNames: return names(cell);
      case CellKind::kLatch: return latch(cell);
      case CellKind::kSubckt: return instance(cell, ".subckt");
      case CellKind::kGate: return instance(cell, ".gate");
      case CellKind::kMlatch: return instance(cell, ".mlatch");
      case CellKind::kConnection: return pins(cell, netlist_.names.text(cell.name));
      case CellKind::kDirective:
        out_.put(netlist_.cell_text(cell));
        out_.put('\n');
        return;
      case CellKind::kFunction:
        throw UsageError("the gates of a .bench file cannot be written as a BLIF netlist");
    }
  }

  void pins(const Cell& cell, std::string_view keyword) {
    words_.first(keyword);
    for (const NetId net : netlist_.cell_pins(cell)) words_.word(netlist_.net_name(net));
    words_.end();
  }

  void names(const Cell& cell) {
    pins(cell, ".names");
    for (std::uint32_t row = 0; row < cell.text_count; ++row) {
      const std::string_view inputs = netlist_.cover_row(cell, row);
      out_.put(inputs);
      if (!inputs.empty()) out_.put(' ');
      out_.put(cell.detail != 0 ? "1\n" : "0\n");
    }
  }

  void latch(const Cell& cell) {
    const std::span<const NetId> nets = netlist_.cell_pins(cell);
    words_.first(".latch");
    words_.word(netlist_.net_name(nets[0]));
    words_.word(netlist_.net_name(nets[1]));
    if (nets.size() > 2) {
      words_.word(keyword_of(static_cast<LatchType>(cell.detail)));
      words_.word(netlist_.net_name(nets[2]));
    }
    init(cell);
    words_.end();
  }

  void init(const Cell& cell) {
    if (cell.init == kNoInit) return;
    const char digit = static_cast<char>('0' + cell.init);
    words_.word(std::string_view(&digit, 1));
  }

  void instance(const Cell& cell, std::string_view keyword) {
    words_.first(keyword);
    words_.word(netlist_.names.text(cell.name));
    std::string pair;
    for (const Binding& binding : netlist_.cell_bindings(cell)) {
      pair.clear();
      if (!binding.formal.none()) pair.append(netlist_.names.text(binding.formal)).append(1, '=');
      pair.append(netlist_.net_name(binding.net));
      words_.word(pair);
    }
    init(cell);
    words_.end();
  }

  void attribute(const Attribute& attribute) {
    switch (attribute.kind) {
      case AttributeKind::kCellName: out_.put(".cname "); break;
      case AttributeKind::kAttribute: out_.put(".attr "); break;
      case AttributeKind::kParameter: out_.put(".param "); break;
    }
    out_.put(netlist_.names.text(attribute.key));
    const std::string_view value = netlist_.attribute_value(attribute);
    if (!value.empty()) out_.put(' ');
    out_.put(value);
    out_.put('\n');
  }

  const Netlist& netlist_;
  TextBuffer out_;
  WordWrapper words_;
  Stop& stop_;
};

/// Names of the two constant nets; written only where a latch or an AND reads a constant.
constexpr std::string_view kZeroNet = "%c0";
constexpr std::string_view kOneNet = "%c1";
/// Name of the inverted net of a node, followed by its number.
constexpr std::string_view kInverted = "%b";

}  // namespace

void write_netlist(const Netlist& netlist, ByteSink& sink, Stop& stop) {
  NetlistWriter(netlist, sink, stop).run();
}

BlifWriter::BlifWriter(const AigStore& store, bool drop_properties)
    : circuit_(store, false, drop_properties),
      model_(store.name().empty() ? "top" : escape_name(store.name())) {}

void BlifWriter::write(ByteSink& sink, Stop& stop) const {
  TextBuffer out(sink);
  WordWrapper words(out);
  bool reads_constant = false;
  const auto node_name = [&](NodeId id) {
    circuit_.put_name(id, out, kZeroNet);
    reads_constant = reads_constant || id == dmt::kConstNode;
  };

  words.first(".model");
  words.word(model_);
  words.end();
  words.first(".inputs");
  for (const std::string& name : circuit_.names.inputs) words.word(name);
  words.end();
  words.first(".outputs");
  for (const std::string& name : circuit_.names.outputs) words.word(name);
  words.end();

  std::vector<NodeId> inverted;
  std::unordered_set<std::uint32_t> seen;
  bool reads_one = false;
  for (std::size_t i = 0; i < circuit_.latches.size(); ++i) {
    const dmt::Latch& latch = circuit_.latches[i];
    const Lit next = latch.next;
    out.put(".latch ");
    if (next == dmt::kTrue) {
      out.put(kOneNet);
      reads_one = true;
    } else if (next.complemented()) {
      out.put(kInverted);
      out.put_number(next.node().index());
      if (seen.insert(next.node().index()).second) inverted.push_back(next.node());
    } else {
      node_name(next.node());
    }
    out.put(' ');
    out.put(circuit_.names.latches[i]);
    out.put(latch.reset == Reset::kZero ? " 0\n" : latch.reset == Reset::kOne ? " 1\n" : " 3\n");
  }

  for (std::uint32_t i = 1; i < circuit_.node_count; ++i) {
    const Node& node = circuit_.nodes[i];
    if ((i & 0xFFFU) == 0 && stop.poll_clock()) throw LimitError("writing was stopped");
    if (node.fanin0 == AigStore::kNotAnd) continue;
    out.put(".names ");
    node_name(node.fanin0.node());
    out.put(' ');
    node_name(node.fanin1.node());
    out.put(' ');
    node_name(NodeId(i));
    const char cube[] = {
        '\n', node.fanin0.complemented() ? '0' : '1', node.fanin1.complemented() ? '0' : '1', ' ', '1', '\n'};
    out.put(std::string_view(cube, sizeof(cube)));
  }

  for (const NodeId id : inverted) {
    out.put(".names ");
    node_name(id);
    out.put(' ');
    out.put(kInverted);
    out.put_number(id.index());
    out.put("\n0 1\n");
  }
  for (std::size_t k = 0; k < circuit_.outputs.size(); ++k) {
    if (circuit_.names.output_is_node[k]) continue;
    const Lit lit = circuit_.outputs[k];
    out.put(".names ");
    if (lit.node() == dmt::kConstNode) {
      out.put(circuit_.names.outputs[k]);
      out.put(lit == dmt::kTrue ? "\n1\n" : "\n");
      continue;
    }
    node_name(lit.node());
    out.put(' ');
    out.put(circuit_.names.outputs[k]);
    out.put(lit.complemented() ? "\n0 1\n" : "\n1 1\n");
  }
  if (reads_constant) {
    out.put(".names ");
    out.put(kZeroNet);
    out.put('\n');
  }
  if (reads_one) {
    out.put(".names ");
    out.put(kOneNet);
    out.put("\n1\n");
  }
  out.put(".end\n");
  out.flush();
}

}  // namespace hw
