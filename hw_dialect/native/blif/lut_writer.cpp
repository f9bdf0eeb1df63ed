#include "hw_dialect/native/blif/lut_writer.hpp"

#include <cstdint>
#include <string_view>

#include "dmt_dialect/native/map/lut_function.hpp"
#include "dynomite/native/base/error.hpp"
#include "hw_dialect/native/blif/port_names.hpp"
#include "hw_dialect/native/blif/text_buffer.hpp"

namespace hw {

using dmt::AigStore;
using dmt::Lit;
using dmt::LutCube;
using dmt::LutFunction;
using dmt::LutNetwork;
using dmt::NodeId;
using dmt::Reset;
using dynomite::ByteSink;
using dynomite::LimitError;
using dynomite::Stop;

namespace {

/// An AIG with the ports of the network and a gate for each LUT, whatever its function: node i is signal
/// i - 1. Names are planned for AIGs.
AigStore skeleton(const LutNetwork& network) {
  AigStore store;
  store.add_inputs(network.input_count);
  for (const Reset reset : network.resets) store.add_latch(reset);
  for (std::uint32_t lut = 0; lut < network.lut_count(); ++lut) store.append_and(dmt::kFalse, dmt::kFalse);
  const auto lit = [](std::uint32_t signal) { return Lit(NodeId(signal + 1), false); };
  const auto all = [&](const std::vector<std::uint32_t>& signals, std::vector<Lit>& into) {
    for (const std::uint32_t signal : signals) into.push_back(lit(signal));
  };
  all(network.outputs, store.outputs());
  all(network.bad, store.bad());
  all(network.constraints, store.constraints());
  all(network.fairness, store.fairness());
  for (const auto& group : network.justice) {
    store.justice().emplace_back();
    all(group, store.justice().back());
  }
  store.names() = network.names;
  for (const auto& [lut, name] : network.lut_names) {
    store.net_names().push_back({lit(network.first_lut() + lut), name});
  }
  return store;
}

class Text {
 public:
  Text(const LutNetwork& network, const WrittenNames& names, ByteSink& sink)
      : network_(network), names_(names), out_(sink), words_(out_) {}

  void ports() {
    words_.first(".model");
    words_.word(network_.name.empty() ? "top" : escape_name(network_.name));
    words_.end();
    words_.first(".inputs");
    for (const std::string& name : names_.inputs) words_.word(name);
    words_.end();
    words_.first(".outputs");
    for (const std::string& name : names_.outputs) words_.word(name);
    words_.end();
    for (std::size_t i = 0; i < network_.resets.size(); ++i) {
      const Reset reset = network_.resets[i];
      words_.first(".latch");
      words_.word(name_of(network_.next_states[i]));
      words_.word(names_.latches[i]);
      words_.word(reset == Reset::kZero ? "0" : reset == Reset::kOne ? "1" : "3");
      words_.end();
    }
  }

  void lut(std::uint32_t number) {
    const auto inputs = network_.inputs_of(number);
    const auto size = static_cast<unsigned>(inputs.size());
    words_.first(".names");
    for (const std::uint32_t input : inputs) words_.word(name_of(input));
    words_.word(name_of(network_.first_lut() + number));
    words_.end();
    const LutFunction& function = network_.functions[number];
    const std::vector<LutCube> on = dmt::irredundant_cover(function, size);
    const std::vector<LutCube> off = dmt::irredundant_cover(dmt::operator~(function), size);
    // No rows at all mean a function that is 0 everywhere.
    const bool use_off = !off.empty() && off.size() < on.size();
    for (const LutCube& cube : use_off ? off : on) {
      for (unsigned k = 0; k < size; ++k) {
        out_.put((cube.positive >> k & 1U) != 0 ? '1' : (cube.negative >> k & 1U) != 0 ? '0' : '-');
      }
      if (size != 0) out_.put(' ');
      out_.put(use_off ? "0\n" : "1\n");
    }
  }

  /// Outputs that are called otherwise than their signal.
  void copies() {
    for (std::size_t k = 0; k < network_.outputs.size(); ++k) {
      if (names_.output_is_node[k]) continue;
      words_.first(".names");
      words_.word(name_of(network_.outputs[k]));
      words_.word(names_.outputs[k]);
      words_.end();
      out_.put("1 1\n");
    }
  }

  void end() {
    out_.put(".end\n");
    out_.flush();
  }

 private:
  std::string name_of(std::uint32_t signal) const {
    if (signal < network_.input_count) return names_.inputs[signal];
    if (!network_.is_lut(signal)) return names_.latches[signal - network_.input_count];
    if (const std::string* name = names_.name_of(NodeId(signal + 1))) return *name;
    return names_.node_prefix + std::to_string(signal + 1);
  }

  const LutNetwork& network_;
  const WrittenNames& names_;
  TextBuffer out_;
  WordWrapper words_;
};

}  // namespace

LutWriter::LutWriter(const LutNetwork& network, bool drop_properties)
    : network_(network), names_(plan_names(skeleton(network), false, drop_properties)) {}

void LutWriter::write(ByteSink& sink, Stop& stop) const {
  Text text(network_, names_, sink);
  text.ports();
  for (std::uint32_t lut = 0; lut < network_.lut_count(); ++lut) {
    if (stop.poll()) throw LimitError("writing was stopped");
    text.lut(lut);
  }
  text.copies();
  text.end();
}

}  // namespace hw
