#include "hw_dialect/native/word/lower.hpp"

#include <array>
#include <span>

#include "dmt_dialect/native/word/blast.hpp"
#include "hw_dialect/native/word/operator_gates.hpp"

namespace hw::word {

using dmt::Lit;
using dmt::WordLits;

namespace {

std::string bit_name(const std::string& name, std::uint32_t width, std::uint32_t bit) {
  return width == 1 ? name : name + "[" + std::to_string(bit) + "]";
}

bool bit_of(const ir::Constant& constant, std::uint64_t bit) {
  return bit / 64 < constant.words.size() && ((constant.words[bit / 64] >> (bit % 64)) & 1U) != 0;
}

class Lowering {
 public:
  Lowering(const WordNet& net, const ir::Module& module, const LowerParams& params, Stop& stop,
           dmt::AigStore& aig)
      : net_(net), module_(module), params_(params), stop_(stop), aig_(aig), first_(net.nodes.size()) {}

  Lowered run() {
    aig_.name() = net_.name;
    make_inputs();
    make_latches();
    for (std::uint32_t i = 0; i < net_.nodes.size(); ++i) make_node(i);
    set_next_states();
    make_outputs();
    if (params_.net_names) name_signals();
    return {std::move(from_), std::move(lits_), std::move(first_)};
  }

 private:
  [[noreturn]] static void stopped() { throw dynomite::LimitError("lower: stopped"); }
  void poll() {
    if (stop_.poll()) stopped();
    if (aig_.and_count() > params_.max_ands) too_many_ands();
  }
  [[noreturn]] void too_many_ands() const {
    throw dynomite::LimitError("the module " + net_.name + " has more gates than the limit of " +
                               std::to_string(params_.max_ands) + " (max_ands) allows");
  }
  void check_bits(std::uint64_t bits, const char* what) const {
    if (bits <= params_.max_bits) return;
    throw dynomite::LimitError("the module " + net_.name + " has " + std::to_string(bits) + " bits of " +
                               what + ": the limit is " + std::to_string(params_.max_bits) + " (max_bits)");
  }
  /// Products and quotients grow with the square of the width: refused before they are made.
  void check_size(dmt::WordOp op, std::span<const WordLits> operands) const {
    const std::uint64_t products = operands.size() > 2 ? operands.size() - 1 : 1;
    if (dmt::square_ands(op, operands) > params_.max_ands / products) too_many_ands();
  }

  void make_inputs() {
    std::uint64_t outputs = 0;
    for (const NetOutput& output : net_.outputs) outputs += output.bits.width;
    check_bits(outputs, "outputs");
    std::uint64_t bits = 0;
    for (const WordNode& node : net_.nodes) bits += node.width;
    check_bits(bits, "values");
    lits_.reserve(bits);
    std::size_t position = 0;
    for (const NetInput& input : net_.inputs) {
      const std::uint32_t width = net_.nodes[input.node].width;
      first_[input.node] = lits_.size();
      for (std::uint32_t i = 0; i < width; ++i) {
        lits_.push_back(aig_.add_input());
        aig_.names().inputs.set(position++, bit_name(input.name, width, i));
      }
    }
  }

  Lit add_latch(const std::string& name, dmt::Reset reset) {
    const Lit lit = aig_.add_latch(reset);
    aig_.names().latches.set(aig_.latches().size() - 1, name);
    return lit;
  }

  void make_latches() {
    for (const NetRegister& reg : net_.registers) {
      const std::uint32_t width = net_.nodes[reg.node].width;
      register_first_.push_back(lits_.size());
      if (net_.nodes[reg.node].operand_count == 0) first_[reg.node] = lits_.size();
      for (std::uint32_t i = 0; i < width; ++i) {
        const bool known = reg.init.width != 0 && (reg.init_mask.width == 0 || bit_of(reg.init_mask, i));
        const dmt::Reset reset = !known                ? dmt::Reset::kUninitialised
                                 : bit_of(reg.init, i) ? dmt::Reset::kOne
                                                       : dmt::Reset::kZero;
        lits_.push_back(add_latch(bit_name(reg.name, width, i), reset));
      }
    }
    std::uint64_t total = 0;
    for (const NetMemory& memory : net_.memories) {
      total += std::uint64_t{memory.depth} * memory.width;
      if (total > params_.max_memory_bits) {
        throw dynomite::LimitError("the memory " + memory.name + " (" + std::to_string(memory.depth) +
                                   " words of " + std::to_string(memory.width) +
                                   " bits) does not become latches: the limit is " +
                                   std::to_string(params_.max_memory_bits) + " bits in all");
      }
      memory_first_.push_back(lits_.size());
      for (std::uint32_t word = 0; word < memory.depth; ++word) {
        poll();
        for (std::uint32_t i = 0; i < memory.width; ++i) {
          const std::uint64_t bit = std::uint64_t{word} * memory.width + i;
          const dmt::Reset reset = memory.init.width == 0     ? dmt::Reset::kUninitialised
                                   : bit_of(memory.init, bit) ? dmt::Reset::kOne
                                                              : dmt::Reset::kZero;
          const std::string name = memory.name + "[" + std::to_string(word) + "]";
          lits_.push_back(add_latch(bit_name(name, memory.width, i), reset));
        }
      }
    }
  }

  /// The literals of a row of bits: where they are, or copied to `to`.
  WordLits lits_of(const Bits& bits, std::vector<Lit>& to) const {
    const Segment& segment = net_.segments[bits.first];
    if (bits.count == 1) return WordLits(lits_).subspan(first_[segment.node] + segment.lo, segment.width);
    to.clear();
    for (std::uint32_t i = 0; i < bits.count; ++i) {
      const Segment& part = net_.segments[bits.first + i];
      const auto from = lits_.begin() + static_cast<std::ptrdiff_t>(first_[part.node] + part.lo);
      to.insert(to.end(), from, from + part.width);
    }
    return to;
  }

  void begin(ir::InstrId instr) {
    if (!from_.empty() && from_.back().first_node == aig_.node_count()) {
      from_.back().instr = instr;
    } else {
      from_.push_back({aig_.node_count(), instr});
    }
  }

  void make_node(std::uint32_t number) {
    if (aig_.and_count() > params_.max_ands) too_many_ands();
    const WordNode& node = net_.nodes[number];
    poll();
    switch (node.kind) {
      case NodeKind::kConstant:
        first_[number] = lits_.size();
        dmt::append_constant(to_bit_vec(net_.constants[node.index]), lits_);
        return;
      case NodeKind::kInput: return;
      case NodeKind::kRegister: {
        if (node.operand_count == 0) return;
        begin(node.instr);
        const WordLits reset = lits_of(net_.operands[node.first_operand], scratch_[0]);
        const WordLits value = lits_of(net_.operands[node.first_operand + 1], scratch_[1]);
        const WordLits latch = WordLits(lits_).subspan(register_first_[node.index], node.width);
        const std::size_t first = lits_.size();
        const std::array operands = {reset, value, latch};
        if (!dmt::blast(aig_, dmt::WordOp::kMux, operands, {}, params_.architecture, stop_, lits_)) stopped();
        first_[number] = first;
        return;
      }
      case NodeKind::kRead: {
        begin(node.instr);
        const WordLits address = lits_of(net_.operands[node.first_operand], scratch_[0]);
        const std::vector<Lit> word = read(node.index, address);
        first_[number] = lits_.size();
        lits_.insert(lits_.end(), word.begin(), word.end());
        return;
      }
      case NodeKind::kOperator:
        begin(node.instr);
        make_operator(number, node);
        return;
    }
  }

  void make_operator(std::uint32_t number, const WordNode& node) {
    const Bits* operands = &net_.operands[node.first_operand];
    const std::size_t first = lits_.size();
    std::array<WordLits, 3> words;
    std::vector<std::vector<Lit>> owned;
    std::vector<WordLits> many;
    std::span<const WordLits> given;
    if (node.operand_count <= words.size()) {
      for (std::uint32_t i = 0; i < node.operand_count; ++i) words[i] = lits_of(operands[i], scratch_[i]);
      given = std::span(words).first(node.operand_count);
    } else {
      for (std::uint32_t i = 0; i < node.operand_count; ++i) {
        const WordLits word = lits_of(operands[i], scratch_[0]);
        owned.emplace_back(word.begin(), word.end());
      }
      many.assign(owned.begin(), owned.end());
      given = many;
    }
    check_size(word_op(node.rule), given);
    if (!blast_operator(aig_, net_, node, given, params_.architecture, stop_, lits_)) stopped();
    first_[number] = first;
  }

  WordLits cells(std::uint32_t memory, std::uint32_t word) const {
    const std::uint32_t width = net_.memories[memory].width;
    return WordLits(lits_).subspan(memory_first_[memory] + std::size_t{word} * width, width);
  }

  /// The word at an address, 0 beyond the depth.
  std::vector<Lit> read(std::uint32_t number, WordLits address) {
    const NetMemory& memory = net_.memories[number];
    std::vector<std::vector<Lit>> row;
    for (std::uint32_t i = 0; i < memory.depth; ++i) {
      const WordLits word = cells(number, i);
      row.emplace_back(word.begin(), word.end());
    }
    const std::vector<Lit> zero(memory.width, dmt::kFalse);
    for (const Lit bit : address) {
      poll();
      std::vector<std::vector<Lit>> next((row.size() + 1) / 2);
      for (std::size_t i = 0; i < row.size(); i += 2) {
        const std::vector<Lit>& high = i + 1 < row.size() ? row[i + 1] : zero;
        for (std::uint32_t k = 0; k < memory.width; ++k)
          next[i / 2].push_back(aig_.mux(bit, high[k], row[i][k]));
      }
      row = std::move(next);
    }
    return row.front();
  }

  /// Whether the address is that of a word.
  Lit selects(WordLits address, std::uint32_t word) {
    Lit all = dmt::kTrue;
    for (std::size_t i = address.size(); i-- > 0;) {
      const bool one = i < 32 && ((word >> i) & 1U) != 0;
      all = aig_.and_(all, one ? address[i] : ~address[i]);
    }
    return address.size() < 32 && word >> address.size() != 0 ? dmt::kFalse : all;
  }

  void set_next_states() {
    std::uint32_t latch = 0;
    for (std::size_t r = 0; r < net_.registers.size(); ++r) {
      const NetRegister& reg = net_.registers[r];
      begin(reg.instr);
      const std::uint32_t width = net_.nodes[reg.node].width;
      const WordLits next = lits_of(reg.next, scratch_[0]);
      const WordLits value = reg.reset.count == 0 ? WordLits() : lits_of(reg.reset_value, scratch_[1]);
      const auto single = [&](const Bits& bits) {
        return bits.count == 0 ? dmt::kFalse : lits_of(bits, scratch_[2])[0];
      };
      const Lit enable = reg.enable.count == 0 ? dmt::kTrue : single(reg.enable);
      const Lit reset = single(reg.reset);
      for (std::uint32_t i = 0; i < width; ++i) {
        Lit to = aig_.mux(enable, next[i], lits_[register_first_[r] + i]);
        if (reg.reset.count != 0) to = aig_.mux(reset, value[i], to);
        aig_.set_next(latch++, to);
      }
    }
    for (std::uint32_t m = 0; m < net_.memories.size(); ++m) {
      const NetMemory& memory = net_.memories[m];
      begin(memory.instr);
      for (std::uint32_t word = 0; word < memory.depth; ++word) {
        poll();
        const WordLits own = cells(m, word);
        std::vector<Lit> now(own.begin(), own.end());
        for (const NetWrite& write : memory.writes) {
          const Lit here = selects(lits_of(write.address, scratch_[0]), word);
          const WordLits data = lits_of(write.data, scratch_[1]);
          const WordLits enable = write.enable.count == 0 ? WordLits() : lits_of(write.enable, scratch_[2]);
          for (std::uint32_t i = 0; i < memory.width; ++i) {
            const Lit on = enable.empty() ? dmt::kTrue : enable[enable.size() == 1 ? 0 : i];
            now[i] = aig_.mux(aig_.and_(here, on), data[i], now[i]);
          }
        }
        for (const Lit to : now) aig_.set_next(latch++, to);
      }
    }
  }

  void make_outputs() {
    std::size_t position = 0;
    for (const NetOutput& output : net_.outputs) {
      const WordLits word = lits_of(output.bits, scratch_[0]);
      for (std::uint32_t i = 0; i < word.size(); ++i) {
        aig_.outputs().push_back(word[i]);
        aig_.names().outputs.set(position++, bit_name(output.name, output.bits.width, i));
      }
    }
    for (const NetClaim& claim : net_.claims) {
      const Lit holds = lits_of(claim.bits, scratch_[0])[0];
      if (claim.assumed) {
        aig_.names().constraints.set(aig_.constraints().size(), claim.name);
        aig_.constraints().push_back(holds);
      } else {
        aig_.names().bad.set(aig_.bad().size(), claim.name);
        aig_.bad().push_back(~holds);
      }
    }
  }

  void name_signals() {
    std::vector<bool> named(std::size_t{aig_.node_count()} * 2, false);
    for (const NetSignal& signal : net_.signals) {
      poll();
      const std::string name =
          net_.path(signal.context) + module_.attributes().text(module_.value_name(signal.value));
      const WordLits word = lits_of(signal.bits, scratch_[0]);
      for (std::uint32_t i = 0; i < word.size(); ++i) {
        if (!aig_.is_and(word[i].node()) || named[word[i].raw()]) continue;
        named[word[i].raw()] = true;
        aig_.net_names().push_back({word[i], bit_name(name, signal.bits.width, i)});
      }
    }
  }

  const WordNet& net_;
  const ir::Module& module_;
  const LowerParams& params_;
  Stop& stop_;
  dmt::AigStore& aig_;
  std::vector<Lit> lits_;
  std::vector<std::size_t> first_;  // by node: its bit 0 in `lits_`
  std::vector<std::size_t> register_first_, memory_first_;
  std::array<std::vector<Lit>, 3> scratch_;
  std::vector<LoweredFrom> from_;
};

}  // namespace

Lowered lower(const WordNet& net, const ir::Module& module, const LowerParams& params, Stop& stop,
              dmt::AigStore& aig) {
  return Lowering(net, module, params, stop, aig).run();
}

}  // namespace hw::word
