#include "hw_dialect/native/word/word_simulator.hpp"

#include <array>

#include "hw_dialect/native/word/operator_gates.hpp"

namespace hw::word {

using dmt::BitVec;

namespace {

/// A memory is simulated whole; larger ones than this are refused.
constexpr std::uint64_t kMaxMemoryBits = std::uint64_t{1} << 28;

}  // namespace

WordSimulator::WordSimulator(const WordNet& net) : net_(net) {
  values_.reserve(net.nodes.size());
  for (const WordNode& node : net.nodes) {
    values_.push_back(node.kind == NodeKind::kConstant ? to_bit_vec(net.constants[node.index])
                                                       : BitVec(node.width));
  }
  for (const NetRegister& reg : net.registers) {
    BitVec start = reg.init.width == 0 ? BitVec(net.nodes[reg.node].width) : to_bit_vec(reg.init);
    if (reg.init_mask.width != 0) start = dmt::WordArithmetic::bit_and(start, to_bit_vec(reg.init_mask));
    registers_.push_back(std::move(start));
  }
  for (const NetMemory& memory : net.memories) {
    if (std::uint64_t{memory.depth} * memory.width > kMaxMemoryBits)
      throw dynomite::LimitError("the memory " + memory.name + " is too large to be simulated");
    std::vector<BitVec> words(memory.depth, BitVec(memory.width));
    if (memory.init.width != 0) {
      const BitVec init = to_bit_vec(memory.init);
      for (std::uint32_t i = 0; i < memory.depth; ++i) words[i] = init.slice(i * memory.width, memory.width);
    }
    memories_.push_back(std::move(words));
  }
}

const BitVec* WordSimulator::operand(const Bits& bits, BitVec& to) const {
  const Segment& first = net_.segments[bits.first];
  if (bits.count == 1 && first.lo == 0 && first.width == values_[first.node].width()) {
    return &values_[first.node];
  }
  to = value(bits);
  return &to;
}

BitVec WordSimulator::value(const Bits& bits) const {
  BitVec result(bits.width);
  std::uint32_t lo = 0;
  for (std::uint32_t i = 0; i < bits.count; ++i) {
    const Segment& segment = net_.segments[bits.first + i];
    result.place(values_[segment.node].slice(segment.lo, segment.width), lo);
    lo += segment.width;
  }
  return result;
}

BitVec WordSimulator::compute(const WordNode& node) const {
  const Bits* operands = &net_.operands[node.first_operand];
  std::array<BitVec, 3> scratch = {BitVec(1), BitVec(1), BitVec(1)};
  switch (node.kind) {
    case NodeKind::kRegister: return value(operands[0]).bit(0) ? value(operands[1]) : registers_[node.index];
    case NodeKind::kRead: {
      const std::uint64_t address = operand(operands[0], scratch[0])->saturated();
      const auto& words = memories_[node.index];
      return address < words.size() ? words[address] : BitVec(node.width);
    }
    default: break;
  }
  const dmt::WordOp op = word_op(node.rule);
  dmt::WordParams params;
  if (op == dmt::WordOp::kLut) {
    params.table = operand(operands[1], scratch[1]);
    return dmt::evaluate(op, std::array{operand(operands[0], scratch[0])}, params);
  }
  if (node.operand_count <= 2 || op == dmt::WordOp::kMux) {
    std::array<const BitVec*, 3> words{};
    for (std::uint32_t i = 0; i < node.operand_count; ++i) words[i] = operand(operands[i], scratch[i]);
    return dmt::evaluate(op, std::span<const BitVec* const>(words).first(node.operand_count), params);
  }
  BitVec result = *operand(operands[0], scratch[0]);
  for (std::uint32_t i = 1; i < node.operand_count; ++i) {
    const BitVec* next = operand(operands[i], scratch[1]);
    result = dmt::evaluate(op, std::array<const BitVec*, 2>{&result, next}, params);
  }
  return result;
}

void WordSimulator::evaluate(std::vector<BitVec> inputs, Stop& stop) {
  if (inputs.size() != net_.inputs.size()) {
    throw dynomite::UsageError("simulate: " + std::to_string(inputs.size()) + " values for " +
                               std::to_string(net_.inputs.size()) + " inputs");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    BitVec& to = values_[net_.inputs[i].node];
    if (inputs[i].width() != to.width())
      throw dynomite::UsageError("simulate: the input '" + net_.inputs[i].name + "' has another width");
    to = std::move(inputs[i]);
  }
  for (std::size_t i = 0; i < net_.registers.size(); ++i) {
    const NetRegister& reg = net_.registers[i];
    if (net_.nodes[reg.node].operand_count == 0) values_[reg.node] = registers_[i];
  }
  for (std::size_t i = 0; i < net_.nodes.size(); ++i) {
    if (stop.poll()) throw dynomite::LimitError("simulate: stopped");
    const WordNode& node = net_.nodes[i];
    if (node.kind == NodeKind::kConstant || node.kind == NodeKind::kInput) continue;
    if (node.kind == NodeKind::kRegister && node.operand_count == 0) continue;
    values_[i] = compute(node);
  }
}

void WordSimulator::step() {
  std::vector<BitVec> next;
  for (std::size_t i = 0; i < net_.registers.size(); ++i) {
    const NetRegister& reg = net_.registers[i];
    if (reg.reset.count != 0 && value(reg.reset).bit(0)) {
      next.push_back(value(reg.reset_value));
    } else if (reg.enable.count == 0 || value(reg.enable).bit(0)) {
      next.push_back(value(reg.next));
    } else {
      next.push_back(registers_[i]);
    }
  }
  for (std::size_t m = 0; m < net_.memories.size(); ++m) {
    for (const NetWrite& write : net_.memories[m].writes) {
      const std::uint64_t address = value(write.address).saturated();
      if (address >= memories_[m].size()) continue;
      BitVec& word = memories_[m][address];
      const BitVec data = value(write.data);
      const BitVec enable = write.enable.count == 0 ? BitVec(1, 1) : value(write.enable);
      for (std::uint32_t i = 0; i < word.width(); ++i) {
        if (enable.bit(enable.width() == 1 ? 0 : i)) word.set_bit(i, data.bit(i));
      }
    }
  }
  registers_ = std::move(next);
}

}  // namespace hw::word
