#include <algorithm>
#include <unordered_set>

#include "hw_dialect/native/word/node_order.hpp"
#include "hw_dialect/native/word/word_net.hpp"

namespace hw::word {

namespace kind = ir::kind;

std::string WordNet::path(std::uint32_t context) const {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = context; at != 0; at = contexts[at].parent) chain.push_back(at);
  std::string text;
  for (std::size_t i = chain.size(); i-- > 0;) text += contexts[chain[i]].name + "/";
  return text;
}

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;
constexpr std::uint32_t kBusy = 0xFFFFFFFEU;
constexpr std::uint64_t kFreeBits = std::uint64_t{1} << 22;
constexpr std::uint64_t kBitsAValue = 4096;

/// One bit of a value of an instance (its key) or of a constant.
struct BitSource {
  std::uint32_t key = 0;
  std::uint32_t bit = 0;
};

struct Context {
  std::uint32_t parent = 0;
  std::uint32_t instance = 0;  // in the parent's module
  std::uint32_t def = 0;
  std::uint32_t base = 0;         // key of its first value
  std::uint32_t first_child = 0;  // instances follow each other
};

struct Refs {
  std::size_t operator()(const ir::FatDynObjRef& ref) const { return ir::hash_of(ref); }
};

class Elaborator {
 public:
  Elaborator(const ModuleReader& reader, const ElaborateParams& params, Stop& stop,
             std::vector<ir::Violation>& violations)
      : reader_(reader), module_(reader.module()), params_(params), stop_(stop), violations_(violations) {}

  WordNet run(std::uint32_t top) {
    net_.name = reader_.modules()[top].name;
    make_contexts(top);
    make_nodes();
    add_signals();
    sort();
    return std::move(net_);
  }

 private:
  const ModuleDef& def(const Context& context) const { return reader_.modules()[context.def]; }
  const ModuleDef& def(std::uint32_t context) const { return def(contexts_[context]); }

  [[noreturn]] static void too_much(const char* what, std::uint64_t limit) {
    throw dynomite::LimitError("the netlist flattens to more than " + std::to_string(limit) + " " + what);
  }
  void poll() {
    if (stop_.poll()) throw dynomite::LimitError("elaborate: stopped");
  }

  void make_contexts(std::uint32_t top) {
    contexts_.push_back({0, 0, top, 0, 0});
    std::uint64_t values = 0, bits = 0;
    for (std::uint32_t i = 0; i < contexts_.size(); ++i) {
      poll();
      const ModuleDef& of = def(i);
      contexts_[i].base = static_cast<std::uint32_t>(values);
      contexts_[i].first_child = static_cast<std::uint32_t>(contexts_.size());
      values += of.values.size();
      for (const ModuleValue& value : of.values) bits += value.width;
      // Empty modules count too.
      if (values + contexts_.size() + of.instances.size() >
          std::min<std::uint64_t>(params_.max_nodes, kConstantBit - 1))
        too_much("values", params_.max_nodes);
      // Few values may be very wide, but not many: the size of a file bounds what it makes.
      const std::uint64_t most = std::min(params_.max_bits, kFreeBits + kBitsAValue * values);
      if (bits > most) too_much("bits", most);
      for (std::uint32_t k = 0; k < of.instances.size(); ++k) {
        contexts_.push_back({i, k, *reader_.find(of.instances[k].module), 0, 0});
      }
    }
    for (std::uint32_t i = 0; i < contexts_.size(); ++i) {
      const Context& context = contexts_[i];
      net_.contexts.push_back(
          {context.parent, context.def,
           i == 0 ? std::string() : def(context.parent).instances[context.instance].name});
    }
    context_of_.resize(values);
    for (std::uint32_t i = 0; i < contexts_.size(); ++i) {
      std::fill_n(context_of_.begin() + contexts_[i].base, def(i).values.size(), i);
    }
    expanded_.assign(values, kNone);
    node_of_.assign(values, kNone);
  }

  std::uint32_t key_of(std::uint32_t context, ir::ValueId value) const {
    return contexts_[context].base + reader_.local(value);
  }
  const ModuleValue& value_of(std::uint32_t key) const {
    const Context& context = contexts_[context_of_[key]];
    return def(context).values[key - context.base];
  }
  bool is_wiring(std::uint32_t key) const {
    switch (value_of(key).role) {
      case Role::kWiring:
      case Role::kWire:
      case Role::kOutput:
      case Role::kParam: return true;
      case Role::kInput: return context_of_[key] != 0;
      default: return false;
    }
  }

  std::uint32_t constant(ir::Constant value) {
    net_.constants.push_back(std::move(value));
    return static_cast<std::uint32_t>(net_.constants.size() - 1) | kConstantBit;
  }
  std::uint32_t constant_of(const ir::FatDynObjRef& ref) {
    const auto [it, added] = constant_number_.try_emplace(ref, 0);
    if (added) it->second = constant(module_.attributes().constant(ref));
    return it->second;
  }
  BitSource source(std::uint32_t context, const ir::FatDynObjRef& ref) {
    return {ref.kind == kind::kValue ? key_of(context, ir::ValueId(ref.id)) : constant_of(ref), 0};
  }
  std::uint32_t width_of(std::uint32_t key) const {
    return (key & kConstantBit) != 0 ? net_.constants[key & ~kConstantBit].width : value_of(key).width;
  }

  /// Writes where the bits of a value that is only wiring come from, one step back.
  void expand(std::uint32_t key) {
    if (expanded_[key] != kNone) return;
    const ModuleValue value = value_of(key);
    const std::uint32_t at = context_of_[key];
    const Context context = contexts_[at];
    const ModuleDef& of = def(context);
    const std::size_t first = sources_.size();
    if (first + value.width >= kBusy) too_much("bits of wiring", kBusy);
    sources_.resize(first + value.width);
    expanded_[key] = static_cast<std::uint32_t>(first);
    const auto fill = [&](std::uint32_t lo, std::uint32_t count, BitSource from) {
      for (std::uint32_t i = 0; i < count; ++i) sources_[first + lo + i] = {from.key, from.bit + i};
    };
    const auto operand = [&](std::uint32_t i) {
      return source(at, module_.instrs().operand(value.instr, i).ref);
    };
    switch (value.role) {
      case Role::kWire:
        for (const Drive& drive : of.wires[value.index].drives)
          fill(drive.lo, drive.width, source(at, drive.value));
        break;
      case Role::kOutput: {
        const InstanceOutput& output = of.instance_outputs[value.index];
        const std::uint32_t child = context.first_child + output.instance;
        fill(0, value.width, source(child, def(child).outputs[output.port].value));
        break;
      }
      case Role::kInput: {
        const Instance& instance = def(context.parent).instances[context.instance];
        fill(0, value.width, source(context.parent, instance.input_values[value.index]));
        break;
      }
      case Role::kParam: {
        const Param& param = of.params[value.index];
        ir::FatDynObjRef chosen = param.value;
        if (at != 0) {
          for (const auto& [name, given] : def(context.parent).instances[context.instance].params) {
            if (name == param.name) chosen = given;
          }
        }
        fill(0, value.width, {constant_of(chosen), 0});
        break;
      }
      default: {
        const std::string_view name = dmt::op_rules()[value.rule].name;
        if (name == "SLICE") {
          BitSource from = operand(1);
          from.bit = *reader_.checker().small_number(module_.instrs().operand(value.instr, 3).ref);
          fill(0, value.width, from);
        } else if (name == "CONCAT") {
          std::uint32_t top = value.width;
          for (std::uint32_t i = 1; top != 0; ++i) {
            const BitSource from = operand(i);
            top -= width_of(from.key);
            fill(top, width_of(from.key), from);
          }
        } else {
          const BitSource from = operand(1);
          const std::uint32_t width = width_of(from.key);
          const std::uint32_t copies = name == "REPEAT" ? value.width / width : 1;
          for (std::uint32_t i = 0; i < copies; ++i) fill(i * width, width, from);
          const BitSource zero{copies * width == value.width ? 0 : zero_bit(), 0};
          for (std::uint32_t i = copies * width; i < value.width; ++i) {
            sources_[first + i] = name == "SEXT" ? BitSource{from.key, width - 1} : zero;
          }
        }
      }
    }
  }

  std::uint32_t zero_bit() {
    if (zero_ == kNone) zero_ = constant({1, {0}});
    return zero_;
  }

  /// The bit of an operator, register, input or constant that a bit comes from.
  BitSource resolve(BitSource at) {
    path_.clear();
    while ((at.key & kConstantBit) == 0 && is_wiring(at.key)) {
      expand(at.key);
      const std::uint32_t slot = expanded_[at.key] + at.bit;
      const BitSource next = sources_[slot];
      if (next.key == kBusy) {
        report_wire_loop(at.key);
        at = {zero_bit(), 0};
        break;
      }
      path_.emplace_back(slot, at.key);
      sources_[slot].key = kBusy;
      at = next;
    }
    for (const auto& [slot, key] : path_) sources_[slot] = at;
    return at;
  }

  void report_wire_loop(std::uint32_t key) {
    std::vector<std::uint32_t> keys;
    bool inside = false;
    for (const auto& [slot, through] : path_) {
      inside = inside || through == key;
      if (inside && (keys.empty() || keys.back() != through)) keys.push_back(through);
    }
    report_loop(keys);
  }

  std::string name_of(std::uint32_t key) const {
    const ModuleValue& value = value_of(key);
    const ir::AttrId name = module_.value_name(value.value);
    return net_.path(context_of_[key]) +
           (name ? module_.attributes().text(name) : "%" + std::to_string(value.value.index()));
  }

  void report_loop(const std::vector<std::uint32_t>& keys) {
    constexpr std::size_t kShown = 20;
    std::string chain;
    std::vector<ir::ViolationNote> notes;
    for (std::size_t i = 0; i < keys.size() && i < kShown; ++i) {
      const ir::InstrId instr = value_of(keys[i]).instr;
      chain += name_of(keys[i]) + " <- ";
      if (i != 0) notes.push_back({"through " + name_of(keys[i]), instr});
    }
    if (keys.size() > kShown) chain += "(" + std::to_string(keys.size() - kShown) + " more) <- ";
    violations_.push_back({"combinational loop: " + chain + name_of(keys.front()),
                           value_of(keys.front()).instr, std::move(notes)});
  }

  /// The row of bits behind an operand; segments hold keys until `sort` makes nodes of them.
  Bits gather(std::uint32_t context, const ir::FatDynObjRef& ref) {
    if (ref.is_none()) return {};
    return gather_key(source(context, ref).key);
  }
  Bits gather_key(std::uint32_t key) {
    const std::uint32_t width = width_of(key);
    Bits bits{static_cast<std::uint32_t>(net_.segments.size()), 0, width};
    if ((key & kConstantBit) != 0 || !is_wiring(key)) {
      net_.segments.push_back({key, 0, width});
    } else {
      for (std::uint32_t i = 0; i < width; ++i) {
        const BitSource from = resolve({key, i});
        if (net_.segments.size() > bits.first) {
          Segment& last = net_.segments.back();
          if (last.node == from.key && last.lo + last.width == from.bit) {
            ++last.width;
            continue;
          }
        }
        net_.segments.push_back({from.key, from.bit, 1});
      }
    }
    if (net_.segments.size() > params_.max_bits) too_much("segments", params_.max_bits);
    bits.count = static_cast<std::uint32_t>(net_.segments.size()) - bits.first;
    return bits;
  }

  std::uint32_t add_node(WordNode node, std::uint32_t key) {
    node_of_[key] = static_cast<std::uint32_t>(nodes_.size());
    keys_.push_back(key);
    nodes_.push_back(node);
    return node_of_[key];
  }

  std::string value_name(std::uint32_t context, const ModuleValue& value, const char* otherwise) {
    const ir::AttrId name = module_.value_name(value.value);
    return net_.path(context) +
           (name ? module_.attributes().text(name) : otherwise + std::to_string(value.value.index()));
  }

  void make_nodes() {
    for (std::uint32_t at = 0; at < contexts_.size(); ++at) {
      const Context context = contexts_[at];
      const ModuleDef& of = def(context);
      const auto first_memory = static_cast<std::uint32_t>(net_.memories.size());
      for (const Memory& memory : of.memories) {
        NetMemory made{value_name(at, of.values[memory.local], "memory"),
                       memory.depth,
                       memory.width,
                       {},
                       {},
                       memory.instr};
        if (!memory.init.is_none()) made.init = module_.attributes().constant(memory.init);
        net_.memories.push_back(std::move(made));
      }
      for (std::uint32_t i = 0; i < of.values.size(); ++i) {
        poll();
        const ModuleValue& value = of.values[i];
        const std::uint32_t key = context.base + i;
        WordNode node{NodeKind::kOperator, value.rule, value.width, 0, 0, 0, at, value.instr};
        switch (value.role) {
          case Role::kOperator: {
            node.first_operand = static_cast<std::uint32_t>(net_.operands.size());
            std::uint32_t count = module_.instrs().operand_count(value.instr);
            if (module_.dictionary(value.instr)) --count;
            for (std::uint32_t k = 1; k < count; ++k) {
              net_.operands.push_back(gather(at, module_.instrs().operand(value.instr, k).ref));
            }
            node.operand_count = count - 1;
            add_node(node, key);
            break;
          }
          case Role::kRead:
            node.kind = NodeKind::kRead;
            node.index = first_memory + of.reads[value.index].memory;
            node.first_operand = static_cast<std::uint32_t>(net_.operands.size());
            node.operand_count = 1;
            net_.operands.push_back(gather(at, of.reads[value.index].address));
            add_node(node, key);
            break;
          case Role::kInput:
            if (at != 0) break;
            node.kind = NodeKind::kInput;
            node.index = static_cast<std::uint32_t>(net_.inputs.size());
            net_.inputs.push_back({of.inputs[value.index].name, add_node(node, key)});
            break;
          case Role::kRegister: {
            const Register& reg = of.registers[value.index];
            node.kind = NodeKind::kRegister;
            node.index = static_cast<std::uint32_t>(net_.registers.size());
            NetRegister made;
            made.name = value_name(at, value, "register");
            made.node = add_node(node, key);
            made.next = gather(at, reg.next);
            made.enable = gather(at, reg.enable);
            made.reset = gather(at, reg.reset);
            made.reset_value = gather(at, reg.reset_value);
            if (!reg.init.is_none()) made.init = module_.attributes().constant(reg.init);
            if (!reg.init_mask.is_none()) made.init_mask = module_.attributes().constant(reg.init_mask);
            made.clock = gather(at, reg.clock);
            made.negative_edge = reg.negative_edge;
            made.asynchronous = reg.asynchronous;
            made.instr = reg.instr;
            if (reg.asynchronous && made.reset.count != 0) {
              // What it shows depends on the reset at once.
              WordNode& own = nodes_[made.node];
              own.first_operand = static_cast<std::uint32_t>(net_.operands.size());
              own.operand_count = 2;
              net_.operands.insert(net_.operands.end(), {made.reset, made.reset_value});
            }
            net_.registers.push_back(std::move(made));
            see_clock(net_.registers.back().clock, reg.negative_edge);
            break;
          }
          default: break;
        }
      }
      for (const MemoryWrite& write : of.writes) {
        const NetWrite made{gather(at, write.address), gather(at, write.data), gather(at, write.enable),
                            gather(at, write.clock), write.negative_edge};
        net_.memories[first_memory + write.memory].writes.push_back(made);
        see_clock(made.clock, write.negative_edge);
      }
      for (const Claim& claim : of.claims) {
        const std::string name = claim.name.empty() ? std::string() : net_.path(at) + claim.name;
        net_.claims.push_back({name, gather(at, claim.value), claim.assumed, claim.instr});
      }
    }
    for (const OutPort& port : def(0U).outputs) {
      net_.outputs.push_back({port.name, gather(0, port.value), port.instr});
    }
    if (clocks_.size() > 1) {
      net_.notes.push_back("the registers have " + std::to_string(clocks_.size()) +
                           " clocks or edges; they are taken to be one");
    }
  }

  void see_clock(const Bits& bits, bool negative) {
    if (bits.count == 0) return;
    const Segment& segment = net_.segments[bits.first];
    clocks_.insert((std::uint64_t{segment.node} << 21 | segment.lo) << 1 | (negative ? 1U : 0U));
  }

  void add_signals() {
    for (std::uint32_t at = 0; at < contexts_.size(); ++at) {
      const ModuleDef& of = def(at);
      for (std::uint32_t i = 0; i < of.values.size(); ++i) {
        poll();
        const ModuleValue& value = of.values[i];
        if (value.role == Role::kMemory || !module_.value_name(value.value)) continue;
        net_.signals.push_back({at, value.value, gather_key(contexts_[at].base + i)});
      }
    }
  }

  /// Makes node numbers of keys, operands first.
  void sort() {
    const NodeOrder ordered = order_nodes(net_, nodes_, node_of_, stop_);
    for (const std::vector<std::uint32_t>& loop : ordered.loops) {
      std::vector<std::uint32_t> keys;
      for (const std::uint32_t node : loop) keys.push_back(keys_[node]);
      if (violations_.size() < ReadLimits().violations) report_loop(keys);
    }
    number_nodes(net_, nodes_, node_of_, ordered);
  }

  const ModuleReader& reader_;
  const ir::Module& module_;
  const ElaborateParams& params_;
  Stop& stop_;
  std::vector<ir::Violation>& violations_;
  WordNet net_;
  std::vector<Context> contexts_;
  std::vector<WordNode> nodes_;            // before they are sorted
  std::vector<std::uint32_t> keys_;        // by node
  std::vector<std::uint32_t> context_of_;  // by key
  std::vector<std::uint32_t> node_of_;     // by key
  std::vector<std::uint32_t> expanded_;    // by key: its first bit in `sources_`
  std::vector<BitSource> sources_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path_;  // of `resolve`: slot, key
  std::unordered_map<ir::FatDynObjRef, std::uint32_t, Refs> constant_number_;
  std::unordered_set<std::uint64_t> clocks_;
  std::uint32_t zero_ = kNone;
};

}  // namespace

WordNet elaborate(const ModuleReader& reader, std::uint32_t top, const ElaborateParams& params, Stop& stop,
                  std::vector<ir::Violation>& violations) {
  return Elaborator(reader, params, stop, violations).run(top);
}

}  // namespace hw::word
