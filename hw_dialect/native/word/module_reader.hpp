#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dmt_dialect/native/op/op_rules.hpp"
#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/ir/symbols.hpp"
#include "dynomite/native/passes/verify.hpp"

namespace hw::word {

namespace ir = dynomite::ir;
using dynomite::Stop;

/// Opcodes and types of the dialect `hw` in one context.
struct HwOps {
  explicit HwOps(const ir::Registry& registry);
  bool loaded = false;
  ir::Opcode module, in, out, param, wire, drive, instance, reg, mem, read, write;
  ir::ObjKind wire_type, memory_type;
};

/// What defines a value of a module.
enum class Role : std::uint8_t {
  kOperator,  // an operation of `op` that computes
  kWiring,    // an operation of `op` that only moves bits
  kInput,     // index: in `inputs`
  kWire,      // index: in `wires`
  kOutput,    // of an instance; index: in `instance_outputs`
  kParam,     // index: in `params`
  kRegister,  // index: in `registers`
  kRead,      // index: in `reads`
  kMemory,    // index: in `memories`
};

struct ModuleValue {
  ir::ValueId value;
  ir::InstrId instr;
  Role role = Role::kOperator;
  std::uint32_t index = 0;
  std::uint32_t width = 0;
  std::uint8_t rule = 0;  // of `op`
};

struct InPort {
  std::string name;
  ir::InstrId instr;
  std::uint32_t local = 0;
  std::uint32_t width = 0;
};

struct OutPort {
  std::string name;
  ir::InstrId instr;
  ir::FatDynObjRef value;
  std::uint32_t width = 0;
};

struct Param {
  std::string name;
  ir::InstrId instr;
  ir::FatDynObjRef value;
  std::uint32_t width = 0;
};

struct Drive {
  ir::InstrId instr;
  ir::FatDynObjRef value;
  std::uint32_t lo = 0, width = 0;
};

struct Wire {
  ir::InstrId instr;
  std::uint32_t local = 0;
  std::vector<Drive> drives;
};

/// One connection of an instance, by name or, with an empty name, by position.
struct Connection {
  std::string port;
  ir::FatDynObjRef value;
};

struct Instance {
  ir::InstrId instr;
  std::string name;
  ir::InstrId module;  // what it is an instance of; none if that is no module
  std::vector<Connection> inputs, outputs;
  // Filled by `ModuleReader::connect`: for every input port its value, for every output port the local number
  // of the value it defines, or kNotUsed.
  std::vector<ir::FatDynObjRef> input_values;
  std::vector<std::pair<std::string, ir::FatDynObjRef>> params;
};

struct InstanceOutput {
  std::uint32_t instance = 0;
  std::uint32_t port = 0;
};

struct Register {
  ir::InstrId instr;
  std::uint32_t local = 0;
  ir::FatDynObjRef next, clock, enable, reset, reset_value, init, init_mask;
  bool negative_edge = false;
  bool asynchronous = false;
};

struct Memory {
  ir::InstrId instr;
  std::uint32_t local = 0;
  std::uint32_t depth = 0, width = 0;
  ir::FatDynObjRef init;
};

struct MemoryRead {
  ir::InstrId instr;
  std::uint32_t memory = 0;
  ir::FatDynObjRef address;
};

struct MemoryWrite {
  ir::InstrId instr;
  std::uint32_t memory = 0;
  ir::FatDynObjRef address, data, enable, clock;
  std::uint32_t port = 0;
  bool negative_edge = false;
};

/// ASSERT or ASSUME.
struct Claim {
  ir::InstrId instr;
  ir::FatDynObjRef value;
  bool assumed = false;
  std::string name;
};

/// One hw.MODULE (or core.CFG with ports) as tables; values have local numbers in the order of definition.
struct ModuleDef {
  ir::InstrId instr;
  std::string name;
  std::vector<ModuleValue> values;
  std::vector<InPort> inputs;
  std::vector<OutPort> outputs;
  std::vector<Param> params;
  std::vector<Wire> wires;
  std::vector<Instance> instances;
  std::vector<InstanceOutput> instance_outputs;
  std::vector<Register> registers;
  std::vector<Memory> memories;
  std::vector<MemoryRead> reads;
  std::vector<MemoryWrite> writes;  // of one memory in the order of their ports
  std::vector<Claim> claims;
  bool is_instantiated = false;
};

struct ReadLimits {
  std::size_t violations = 1000;
};

/// All modules of an IR module as tables, checked: widths and types of every operation, ports and their
/// names, connections of instances, wires with no or several drivers, registers, memories, recursive
/// instances. Linear expected time.
class ModuleReader {
 public:
  ModuleReader(const ir::Module& module, Stop& stop);

  const ir::Module& module() const { return module_; }
  const dmt::OpChecker& checker() const { return checker_; }
  const std::vector<ModuleDef>& modules() const { return modules_; }
  /// Number in `modules` of an instruction's; nothing if it is no module.
  std::optional<std::uint32_t> find(ir::InstrId instr) const;
  /// The module of this name ("name" or "table::name"); of an empty name the only one that no other one
  /// instantiates. Throws UsageError that lists the modules.
  std::uint32_t top(std::string_view name) const;
  std::uint32_t local(ir::ValueId value) const { return local_[value.index()]; }
  const std::vector<ir::Violation>& violations() const { return violations_; }
  /// Names of modules for messages.
  std::string names() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  void read_module(ir::InstrId instr);
  void read_instr(ModuleDef& def, ir::InstrId instr);
  void read_op(ModuleDef& def, ir::InstrId instr, std::uint32_t rule);
  void read_in(ModuleDef& def, ir::InstrId instr);
  void read_out(ModuleDef& def, ir::InstrId instr);
  void read_param(ModuleDef& def, ir::InstrId instr);
  void read_drive(ModuleDef& def, ir::InstrId instr);
  void read_instance(ModuleDef& def, ir::InstrId instr);
  void read_register(ModuleDef& def, ir::InstrId instr);
  void read_memory(ModuleDef& def, ir::InstrId instr);
  void read_read(ModuleDef& def, ir::InstrId instr);
  void read_write(ModuleDef& def, ir::InstrId instr);
  void finish(ModuleDef& def);
  void check_drives(const ModuleDef& def, Wire& wire);
  void check_port_names(const ModuleDef& def);
  void connect(ModuleDef& def, std::uint32_t number);
  void check_recursion();

  void report(ir::InstrId instr, const std::string& message, std::vector<ir::ViolationNote> notes = {});
  /// The value at operand `index`, of `width` bits if that is not 0; reports and returns nothing otherwise.
  std::optional<ir::FatDynObjRef> data(ir::InstrId instr, std::uint32_t index, const char* what,
                                       std::uint32_t width);
  /// Registers a value defined by `instr` at operand `index`; false if its type is wrong.
  bool define(ModuleDef& def, ir::InstrId instr, std::uint32_t index, Role role, std::size_t number,
              std::uint8_t rule = 0);
  std::optional<std::string> string_at(ir::InstrId instr, std::uint32_t index) const;
  std::uint32_t operands(ir::InstrId instr) const;
  std::string value_name(ir::InstrId instr, std::uint32_t index) const;
  bool flag(ir::InstrId instr, const char* name);
  std::optional<std::uint32_t> memory_of(ModuleDef& def, ir::InstrId instr, std::uint32_t index);

  const ir::Module& module_;
  const ir::InstrStore& instrs_;
  Stop& stop_;
  HwOps ops_;
  dmt::OpChecker checker_;
  ir::SymbolTables symbols_;
  std::vector<ModuleDef> modules_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_instr_;
  std::vector<std::uint32_t> local_;  // by value
  std::vector<std::uint32_t> owner_;  // by value: number of the module
  std::vector<ir::Violation> violations_;
  std::uint32_t current_ = 0;
};

}  // namespace hw::word
