#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

/// What makes two pure instructions equal: the operation, the operands and the types of defined values.
class InstrKey {
 public:
  /// False if `instr` cannot be compared: it defines regions or blocks, or no value.
  bool assign(const Module& module, InstrId instr, bool sort_values) {
    const InstrStore& instrs = module.instrs();
    const std::uint32_t count = instrs.operand_count(instr);
    bool defines = false;
    words_.clear();
    words_.push_back({instrs.opcode(instr).raw(), count});
    sorted_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand operand = instrs.operand(instr, i);
      if (operand.is_def) {
        if (operand.ref.kind != kind::kValue) return false;
        defines = true;
        words_.push_back({instrs.type(ValueId(operand.ref.id)).index(), kDefinition});
        continue;
      }
      const Word word{operand.ref.payload, std::uint64_t{operand.ref.id} |
                                               std::uint64_t{operand.ref.kind.dialect} << 32 |
                                               std::uint64_t{operand.ref.kind.type} << 40};
      if (sort_values && is_value(operand.ref.kind)) sorted_.push_back(words_.size());
      words_.push_back(word);
    }
    if (sorted_.size() == 2) {
      Word& a = words_[sorted_[0]];
      Word& b = words_[sorted_[1]];
      if (b < a) std::swap(a, b);
    } else if (sorted_.size() > 2) {
      values_.clear();
      for (const std::size_t at : sorted_) values_.push_back(words_[at]);
      std::sort(values_.begin(), values_.end());
      for (std::size_t i = 0; i < sorted_.size(); ++i) words_[sorted_[i]] = values_[i];
    }
    return defines;
  }

  std::uint64_t hash() const {
    std::uint64_t hash = 0;
    for (const Word& word : words_) hash = mix(mix(hash, word[0]), word[1]);
    return hash ^ (hash >> 32);
  }
  bool operator==(const InstrKey& other) const { return words_ == other.words_; }

 private:
  using Word = std::array<std::uint64_t, 2>;
  // No operand has such a second word: kinds take 16 bits.
  static constexpr std::uint64_t kDefinition = 0xFFFFFFFFFFFFFFFFULL;
  static constexpr bool is_value(ObjKind kind) {
    return kind == kind::kValue || kind == kind::kConstant || kind == kind::kWide;
  }

  std::vector<Word> words_, values_;
  std::vector<std::size_t> sorted_;
};

}  // namespace dynomite::ir
