#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw_dialect/native/word/module_reader.hpp"

namespace hw::word {

/// Bits [lo, lo + width) of a node.
struct Segment {
  std::uint32_t node = 0;
  std::uint32_t lo = 0;
  std::uint32_t width = 0;
};

/// A row of bits: segments, the lowest first.
struct Bits {
  std::uint32_t first = 0;
  std::uint32_t count = 0;  // of segments; 0: nothing connected
  std::uint32_t width = 0;
};

enum class NodeKind : std::uint8_t { kConstant, kInput, kRegister, kRead, kOperator };

/// What computes or stores one word.
struct WordNode {
  NodeKind kind = NodeKind::kConstant;
  std::uint8_t rule = 0;  // of an operator: number in dmt::op_rules()
  std::uint32_t width = 0;
  std::uint32_t first_operand = 0;  // in `operands`; a read has its address
  std::uint32_t operand_count = 0;
  std::uint32_t index = 0;    // in `constants`, `inputs`, `registers` or `memories`
  std::uint32_t context = 0;  // instance it is in
  ir::InstrId instr;          // none for constants
};

struct NetInput {
  std::string name;
  std::uint32_t node = 0;
};

struct NetOutput {
  std::string name;
  Bits bits;
  ir::InstrId instr;
};

struct NetRegister {
  std::string name;
  std::uint32_t node = 0;
  Bits next, enable, reset, reset_value, clock;
  ir::Constant init;       // width 0: no initial value
  ir::Constant init_mask;  // bits that have one; width 0: all
  bool negative_edge = false;
  bool asynchronous = false;  // then the node has the operands reset and reset value
  ir::InstrId instr;
};

struct NetWrite {
  Bits address, data, enable, clock;
  bool negative_edge = false;
};

struct NetMemory {
  std::string name;
  std::uint32_t depth = 0, width = 0;
  ir::Constant init;             // width 0: no initial value
  std::vector<NetWrite> writes;  // later ones win
  ir::InstrId instr;
};

struct NetClaim {
  std::string name;
  Bits bits;
  bool assumed = false;
  ir::InstrId instr;
};

/// A named value, of any instance.
struct NetSignal {
  std::uint32_t context = 0;
  ir::ValueId value;
  Bits bits;
};

/// One instance in the hierarchy; number 0 is the top.
struct NetContext {
  std::uint32_t parent = 0;
  std::uint32_t def = 0;  // of ModuleReader::modules
  std::string name;       // of the instance; that of the top is empty
};

/// A flat netlist of words: wiring, hierarchy and parameters are resolved, nodes are in topological order
/// (constants, inputs and registers first), operands are rows of bits of earlier nodes.
struct WordNet {
  std::string name;
  std::vector<WordNode> nodes;
  std::vector<Bits> operands;
  std::vector<Segment> segments;
  std::vector<ir::Constant> constants;
  std::vector<NetInput> inputs;
  std::vector<NetOutput> outputs;
  std::vector<NetRegister> registers;
  std::vector<NetMemory> memories;
  std::vector<NetClaim> claims;
  std::vector<NetSignal> signals;
  std::vector<NetContext> contexts;
  std::vector<std::string> notes;

  /// "u1/u2/" of an instance, empty for the top.
  std::string path(std::uint32_t context) const;
};

struct ElaborateParams {
  std::uint64_t max_nodes = 1U << 24;  // values of all instances
  std::uint64_t max_bits = 1U << 28;   // widths of all of them
};

/// Flattens module number `top` of a reader without violations. Combinational loops go to `violations`: the
/// result is then of no use. Throws LimitError where the hierarchy flattens to too much.
///
/// A loop is one of word operators; wiring (wires, ports, CONCAT, SLICE, REPEAT, ZEXT, SEXT) is followed bit
/// by bit. Linear in the bits of wiring and the operands of operators; nothing recurses.
WordNet elaborate(const ModuleReader& reader, std::uint32_t top, const ElaborateParams& params, Stop& stop,
                  std::vector<ir::Violation>& violations);

}  // namespace hw::word
