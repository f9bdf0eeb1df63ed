#include <memory>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/bytecode.hpp"
#include "dynomite/native/ir/bytecode_cursor.hpp"
#include "dynomite/native/ir/bytecode_format.hpp"
#include "dynomite/native/ir/bytecode_tables.hpp"

namespace dynomite::ir {

namespace {

/// Reads the code: regions, blocks and instructions.
class BytecodeReader {
 public:
  BytecodeReader(std::string_view bytes, const std::shared_ptr<Registry>& registry,
                 const BytecodeOptions& options, Stop& stop)
      : module_(std::make_unique<Module>(registry, options.store)),
        in_(bytes, options, stop),
        tables_(in_, *registry, *module_) {}

  std::unique_ptr<Module> read() {
    try {
      tables_.read();
      read_code();
      if (in_.bytes_left() != 0) in_.fail("there are bytes behind the module");
      tables_.declare_all();
    } catch (const UsageError& error) {
      tables_.restore();
      in_.fail(error.what());
    } catch (...) {
      tables_.restore();
      throw;
    }
    return std::move(module_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  struct Frame {
    RegionId region;
    BlockId block;
    std::uint64_t blocks_left = 0;  // behind this one
    std::uint64_t instrs_left = 0;
    bool is_block = false;  // an operand of kind block
    // The instruction it belongs to, which is read on behind the region.
    bool has_owner = false;
    Opcode opcode;
    std::uint64_t location = 0;
    std::uint64_t operands_left = 0;
    std::size_t first_operand = 0;
    std::size_t first_fixup = 0;
    std::size_t first_value = 0;
    std::uint32_t number = 0;
  };
  /// The instruction being read.
  struct Reading {
    Opcode opcode;
    std::uint64_t location = 0;
    std::uint64_t operands_left = 0;
    std::size_t first_operand = 0;
    std::size_t first_fixup = 0;  // in waiting_
    std::size_t first_value = 0;  // in defined_
    std::uint32_t number = 0;
  };
  enum class What : std::uint8_t { kValue, kBlock, kRegion, kInstr };
  struct Fixup {
    What what;
    std::uint64_t number;
    InstrId instr;
    std::uint32_t operand;
    std::size_t offset;
  };

  void read_code() {
    CfgStore& cfg = module_->cfg();
    Frame top;
    top.region = cfg.region(module_->body());
    top.block = module_->body();
    regions_.push_back(top.region);
    const std::uint64_t blocks = in_.count();
    if (blocks == 0) in_.fail("a module has at least one block");
    blocks_.push_back(top.block);
    add_blocks(top.region, blocks - 1);
    top.blocks_left = blocks - 1;
    top.instrs_left = in_.count();
    frames_.push_back(top);
    run();
    Frame detached;
    detached.instrs_left = in_.count();
    frames_.push_back(detached);
    run();
    for (const Fixup& fixup : fixups_) {
      const std::uint32_t id = id_of(fixup.what, fixup.number);
      if (id == kNone) in_.fail_at(fixup.offset, "a reference to something that is not in the module");
      module_->instrs().set_operand(fixup.instr, fixup.operand, {kind_of(fixup.what), id});
    }
  }

  void add_blocks(RegionId region, std::uint64_t blocks) {
    for (std::uint64_t i = 0; i < blocks; ++i) blocks_.push_back(module_->cfg().create_block(region));
  }

  static ObjKind kind_of(What what) {
    static constexpr ObjKind kKinds[] = {kind::kValue, kind::kBlock, kind::kRegion, kind::kInstr};
    return kKinds[static_cast<std::size_t>(what)];
  }
  std::uint32_t id_of(What what, std::uint64_t index) const {
    const auto at = static_cast<std::size_t>(index);
    switch (what) {
      case What::kValue: return at < values_.size() ? values_[at] : kNone;
      case What::kBlock: return at < blocks_.size() ? blocks_[at].index() : kNone;
      case What::kRegion: return at < regions_.size() ? regions_[at].index() : kNone;
      case What::kInstr: return at < instrs_.size() ? instrs_[at].index() : kNone;
    }
    return kNone;
  }

  void run() {
    while (!frames_.empty()) {
      in_.poll();
      Frame& now = frames_.back();
      if (now.instrs_left > 0) {
        --now.instrs_left;
        start();
        continue;
      }
      if (now.blocks_left > 0) {
        --now.blocks_left;
        now.block = module_->cfg().next_block(now.block);
        now.instrs_left = in_.count();
        continue;
      }
      const Frame done = now;
      frames_.pop_back();
      if (!done.has_owner) continue;
      reading_ = {done.opcode,      done.location,    done.operands_left, done.first_operand,
                  done.first_fixup, done.first_value, done.number};
      operands_.push_back(OperandSpec::def_object(done.is_block
                                                      ? FatDynObjRef(kind::kBlock, done.block.index())
                                                      : FatDynObjRef(kind::kRegion, done.region.index())));
      operands();
    }
  }

  void start() {
    const std::uint64_t op = in_.below(tables_.op_count() + 1, "an operation");
    if (op == 0) {
      const std::size_t offset = in_.offset();
      const std::uint64_t shared = in_.below(instrs_.size(), "an instruction");
      const InstrId instr = instrs_[static_cast<std::size_t>(shared)];
      const BlockId block = frames_.back().block;
      if (!instr || !block) in_.fail_at(offset, "an instruction that cannot be in a second block");
      module_->cfg().insert(block, module_->cfg().last(block), instr);
      return;
    }
    reading_ = {};
    reading_.opcode = tables_.op(op - 1);
    reading_.location = in_.below(tables_.location_count() + 1, "a location");
    reading_.operands_left = in_.count();
    reading_.first_operand = operands_.size();
    reading_.first_fixup = waiting_.size();
    reading_.first_value = defined_.size();
    reading_.number = static_cast<std::uint32_t>(instrs_.size());
    instrs_.emplace_back();
    operands();
  }

  void refer(What what, std::uint64_t index, std::size_t offset) {
    const std::uint32_t id = id_of(what, index);
    if (id != kNone) {
      operands_.push_back(OperandSpec::use({kind_of(what), id}));
      return;
    }
    waiting_.push_back(
        {what, index, {}, static_cast<std::uint32_t>(operands_.size() - reading_.first_operand), offset});
    operands_.push_back(OperandSpec::use({}));
  }

  void operands() {
    using Tag = bytecode::Operand;
    while (reading_.operands_left > 0) {
      --reading_.operands_left;
      const std::size_t offset = in_.offset();
      const auto tag = static_cast<Tag>(in_.below(9, "a form of operand"));
      switch (tag) {
        case Tag::kUseRef: operands_.push_back(OperandSpec::use(tables_.ref())); break;
        case Tag::kUseBack: {
          const std::uint64_t back = in_.below(values_.size(), "a value");
          refer(What::kValue, values_.size() - 1 - back, offset);
          break;
        }
        case Tag::kUseForward:
          refer(What::kValue, values_.size() + std::uint64_t{in_.small()}, offset);
          break;
        case Tag::kUseBlock: refer(What::kBlock, in_.small(), offset); break;
        case Tag::kUseRegion: refer(What::kRegion, in_.small(), offset); break;
        case Tag::kUseInstr: refer(What::kInstr, in_.small(), offset); break;
        case Tag::kDefValue: {
          const std::uint64_t type = in_.below(tables_.object_count() + 1, "an object");
          const std::uint64_t name = in_.below(tables_.object_count() + 1, "an object");
          TypeId type_id;
          if (type != 0) {
            const FatDynObjRef& object = tables_.object(type - 1);
            if (object.kind != kind::kType) in_.fail_at(offset, "expected a type");
            type_id = TypeId(object.id);
          }
          operands_.push_back(OperandSpec::def(type_id));
          defined_.emplace_back(static_cast<std::uint32_t>(values_.size()),
                                name == 0 ? AttrId() : tables_.string_object(name - 1));
          values_.push_back(kNone);
          break;
        }
        case Tag::kDefRegion:
        case Tag::kDefBlock: {
          open_region(tag == Tag::kDefBlock);
          return;
        }
      }
    }
    create();
  }

  void open_region(bool is_block) {
    CfgStore& cfg = module_->cfg();
    Frame inner;
    inner.region = cfg.create_region();
    inner.is_block = is_block;
    std::uint64_t blocks = 1;
    if (!is_block) {
      regions_.push_back(inner.region);
      blocks = in_.count();
    }
    add_blocks(inner.region, blocks);
    inner.block = cfg.first_block(inner.region);
    if (blocks > 0) {
      inner.blocks_left = blocks - 1;
      inner.instrs_left = in_.count();
    }
    inner.has_owner = true;
    inner.opcode = reading_.opcode;
    inner.location = reading_.location;
    inner.operands_left = reading_.operands_left;
    inner.first_operand = reading_.first_operand;
    inner.first_fixup = reading_.first_fixup;
    inner.first_value = reading_.first_value;
    inner.number = reading_.number;
    frames_.push_back(inner);
  }

  void create() {
    InstrStore& store = module_->instrs();
    const std::span<const OperandSpec> operands(operands_.data() + reading_.first_operand,
                                                operands_.size() - reading_.first_operand);
    std::uint32_t value = store.value_bound();
    const InstrId instr = store.create(reading_.opcode, operands);
    instrs_[reading_.number] = instr;
    for (std::size_t i = reading_.first_value; i < defined_.size(); ++i, ++value) {
      values_[defined_[i].first] = value;
      if (defined_[i].second) module_->set_value_name(ValueId(value), defined_[i].second);
    }
    CfgStore& cfg = module_->cfg();
    for (const OperandSpec& operand : operands) {
      if (!operand.is_def || operand.ref.is_none()) continue;
      cfg.set_owner(
          operand.ref.kind == kind::kRegion ? RegionId(operand.ref.id) : cfg.region(BlockId(operand.ref.id)),
          instr);
    }
    for (std::size_t i = reading_.first_fixup; i < waiting_.size(); ++i) {
      waiting_[i].instr = instr;
      fixups_.push_back(waiting_[i]);
    }
    if (reading_.location != 0) {
      module_->locations().set(instr, tables_.location(reading_.location - 1));
    }
    if (const BlockId block = frames_.back().block) cfg.insert(block, cfg.last(block), instr);
    operands_.resize(reading_.first_operand);
    defined_.resize(reading_.first_value);
    waiting_.resize(reading_.first_fixup);
  }

  std::unique_ptr<Module> module_;
  bytecode::Cursor in_;
  bytecode::Tables tables_;
  // By number in the file; values and instructions are none until they are made.
  std::vector<std::uint32_t> values_;
  std::vector<InstrId> instrs_;
  std::vector<BlockId> blocks_;
  std::vector<RegionId> regions_;
  std::vector<Frame> frames_;
  Reading reading_;
  std::vector<OperandSpec> operands_;
  std::vector<std::pair<std::uint32_t, AttrId>> defined_;  // number and name of values waiting
  std::vector<Fixup> waiting_, fixups_;
};

}  // namespace

std::unique_ptr<Module> read_bytecode(std::string_view bytes, const std::shared_ptr<Registry>& registry,
                                      const BytecodeOptions& options, Stop& stop) {
  return BytecodeReader(bytes, registry, options, stop).read();
}

}  // namespace dynomite::ir
