#include <string>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/bytecode.hpp"
#include "dynomite/native/ir/bytecode_format.hpp"
#include "dynomite/native/ir/bytecode_table_writer.hpp"

namespace dynomite::ir {

namespace {

/// Two walks over the module in text order: the first gives out numbers and collects the attributes and
/// types used, the second writes.
class BytecodeWriter {
 public:
  BytecodeWriter(const Module& module, Stop& stop)
      : module_(module),
        instrs_(module.instrs()),
        cfg_(module.cfg()),
        stop_(stop),
        tables_(module),
        sink_(true) {}

  std::string write() {
    value_numbers_.assign(instrs_.value_bound(), kNone);
    instr_numbers_.assign(instrs_.instr_bound(), kNone);
    block_numbers_.assign(cfg_.block_bound(), kNone);
    region_numbers_.assign(cfg_.region_bound(), kNone);
    walk();
    if (instr_count_ != instrs_.live_count()) {
      throw UsageError("bytecode: " + std::to_string(instrs_.live_count() - instr_count_) +
                       " instructions are in regions that belong to no instruction");
    }
    const std::string objects = tables_.objects_and_locations();
    sink_ = bytecode::Sink();
    value_count_ = instr_count_ = 0;
    walk();
    const std::string code = sink_.take();
    const std::string registry = tables_.registry();

    bytecode::Sink header;
    header.put_bytes(kBytecodeVersion, 4);
    header.put_bytes(registry.size() + objects.size() + code.size(), 8);
    std::string file(bytecode::kMagic);
    file += header.take() + registry;
    file += objects;
    file += code;
    bytecode::Sink trailer;
    trailer.put_bytes(bytecode::Crc32c::of(file), 4);
    file += trailer.take();
    return file;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  struct Frame {
    RegionId region;  // none: a single block
    BlockId block;
    InstrId instr;
    InstrId owner;  // none: the outermost region or the detached instructions
    std::uint32_t resume = 0;
  };
  void walk() {
    block_count_ = region_count_ = 0;
    enter_region(cfg_.region(module_.body()), {}, 0);
    run();
    std::vector<InstrId> detached;
    if (!sink_.is_counting() ? has_detached_ : instr_count_ != instrs_.live_count()) {
      for (std::uint32_t i = 0; i < instrs_.instr_bound(); ++i) {
        if (instrs_.is_live(InstrId(i)) && !cfg_.block_of(InstrId(i))) detached.emplace_back(i);
      }
    }
    has_detached_ = !detached.empty();
    sink_.put(detached.size());
    for (const InstrId instr : detached) {
      start(instr);
      run();
    }
  }

  void enter_region(RegionId region, InstrId owner, std::uint32_t resume) {
    if (sink_.is_counting()) region_numbers_[region.index()] = region_count_;
    ++region_count_;
    std::uint64_t blocks = 0;
    for (BlockId block = cfg_.first_block(region); block; block = cfg_.next_block(block)) {
      // Numbered ahead, as branches go to all blocks.
      if (sink_.is_counting()) block_numbers_[block.index()] = block_count_;
      ++block_count_;
      ++blocks;
    }
    sink_.put(blocks);
    Frame frame{region, cfg_.first_block(region), {}, owner, resume};
    if (frame.block) frame.instr = cfg_.first(frame.block);
    frames_.push_back(frame);
    if (frame.block) sink_.put(cfg_.instr_count(frame.block));
  }

  void run() {
    while (!frames_.empty()) {
      if (++polls_ % 256 == 0 && stop_.poll()) throw LimitError("writing bytecode was stopped");
      Frame& now = frames_.back();
      if (now.instr) {
        const InstrId instr = now.instr;
        now.instr = cfg_.next(now.block, instr);
        start(instr);
        continue;
      }
      if (now.block && now.region) {
        now.block = cfg_.next_block(now.block);
        if (now.block) {
          now.instr = cfg_.first(now.block);
          sink_.put(cfg_.instr_count(now.block));
          continue;
        }
      }
      const Frame done = now;
      frames_.pop_back();
      if (done.owner) operands(done.owner, done.resume);
    }
  }

  void start(InstrId instr) {
    std::uint32_t& number = instr_numbers_[instr.index()];
    if (cfg_.is_shared(instr)) {
      if (seen_.size() <= instr.index()) seen_.resize(instrs_.instr_bound(), 0);
      const std::uint8_t pass = !sink_.is_counting() ? 2 : 1;
      if (seen_[instr.index()] == pass) {
        sink_.put(0);
        sink_.put(number);
        return;
      }
      seen_[instr.index()] = pass;
    }
    if (sink_.is_counting()) number = instr_count_;
    ++instr_count_;
    const std::uint32_t op = tables_.op_number(instrs_.opcode(instr));
    const std::uint32_t location = tables_.location_number(instr);
    const std::uint32_t count = instrs_.operand_count(instr);
    sink_.put(op);
    sink_.put(location);
    sink_.put(count);
    operands(instr, 0);
  }

  void operands(InstrId instr, std::uint32_t first) {
    using Tag = bytecode::Operand;
    const auto tag = [&](Tag value) { sink_.put(static_cast<std::uint64_t>(value)); };
    const std::uint32_t count = instrs_.operand_count(instr);
    for (std::uint32_t i = first; i < count; ++i) {
      const Operand operand = instrs_.operand(instr, i);
      const FatDynObjRef& ref = operand.ref;
      if (operand.is_def) {
        if (ref.kind == kind::kValue) {
          define(ValueId(ref.id));
          continue;
        }
        const bool single = ref.kind == kind::kBlock;
        if (!single && ref.kind != kind::kRegion) {
          throw UsageError("bytecode: an operand defines an object of another store");
        }
        const RegionId region = single ? cfg_.region(BlockId(ref.id)) : RegionId(ref.id);
        if (!region || cfg_.owner(region) != instr ||
            (single && (cfg_.previous_block(BlockId(ref.id)) || cfg_.next_block(BlockId(ref.id))))) {
          throw UsageError(
              "bytecode: an operand defines a region or block that does not belong to its instruction");
        }
        tag(single ? Tag::kDefBlock : Tag::kDefRegion);
        if (single) {
          const BlockId block(ref.id);
          if (sink_.is_counting()) block_numbers_[block.index()] = block_count_;
          ++block_count_;
          sink_.put(cfg_.instr_count(block));
          frames_.push_back({{}, block, cfg_.first(block), instr, i + 1});
        } else {
          enter_region(region, instr, i + 1);
        }
        return;
      }
      if (ref.kind == kind::kValue) {
        if (sink_.is_counting()) continue;
        const std::uint32_t number = value_numbers_[ref.id];
        if (number < value_count_) {
          tag(Tag::kUseBack);
          sink_.put(value_count_ - 1 - number);
        } else {
          tag(Tag::kUseForward);
          sink_.put(number - value_count_);
        }
      } else if (ref.kind == kind::kBlock) {
        tag(Tag::kUseBlock);
        sink_.put(number_in(block_numbers_, ref.id, "block"));
      } else if (ref.kind == kind::kRegion) {
        tag(Tag::kUseRegion);
        sink_.put(number_in(region_numbers_, ref.id, "region"));
      } else if (ref.kind == kind::kInstr) {
        tag(Tag::kUseInstr);
        sink_.put(number_in(instr_numbers_, ref.id, "instruction"));
      } else {
        tag(Tag::kUseRef);
        tables_.put_ref(sink_, ref);
      }
    }
  }

  std::uint32_t number_in(const std::vector<std::uint32_t>& numbers, std::uint32_t id,
                          const char* what) const {
    const std::uint32_t number = id < numbers.size() ? numbers[id] : kNone;
    if (!sink_.is_counting() && number == kNone) {
      throw UsageError(std::string("bytecode: an operand refers to a ") + what +
                       " that is not in the module");
    }
    return number;
  }

  void define(ValueId value) {
    const TypeId type = instrs_.type(value);
    const AttrId name = module_.value_name(value);
    if (sink_.is_counting()) value_numbers_[value.index()] = value_count_;
    ++value_count_;
    sink_.put(static_cast<std::uint64_t>(bytecode::Operand::kDefValue));
    sink_.put(type ? tables_.number(type) + std::uint64_t{1} : 0);
    sink_.put(name ? tables_.number(name) + std::uint64_t{1} : 0);
  }

  const Module& module_;
  const InstrStore& instrs_;
  const CfgStore& cfg_;
  Stop& stop_;
  bytecode::TableWriter tables_;
  bytecode::Sink sink_;  // counts in the first walk

  bool has_detached_ = false;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> value_numbers_, instr_numbers_, block_numbers_, region_numbers_;
  std::vector<std::uint8_t> seen_;  // shared instructions: the pass that has met them
  std::uint32_t value_count_ = 0, instr_count_ = 0, block_count_ = 0, region_count_ = 0;
  std::uint32_t polls_ = 0;
};

}  // namespace

std::string write_bytecode(const Module& module, Stop& stop) {
  return std::make_unique<BytecodeWriter>(module, stop)->write();
}

bool same_module(const Module& a, const Module& b) {
  Stop stop;
  return write_bytecode(a, stop) == write_bytecode(b, stop);
}

}  // namespace dynomite::ir
