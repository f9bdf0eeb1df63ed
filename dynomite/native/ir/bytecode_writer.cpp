#include <algorithm>
#include <array>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/bytecode.hpp"
#include "dynomite/native/ir/bytecode_format.hpp"

namespace dynomite::ir {

namespace {

using bytecode::Object;
using bytecode::Ref;

/// Two walks over the module in text order: the first gives out numbers and collects the attributes and
/// types used, the second writes.
class BytecodeWriter {
 public:
  BytecodeWriter(const Module& module, Stop& stop)
      : module_(module),
        registry_(*module.registry()),
        attributes_(module.attributes()),
        instrs_(module.instrs()),
        cfg_(module.cfg()),
        stop_(stop) {}

  std::string write() {
    value_numbers_.assign(instrs_.value_bound(), kNone);
    instr_numbers_.assign(instrs_.instr_bound(), kNone);
    block_numbers_.assign(cfg_.block_bound(), kNone);
    region_numbers_.assign(cfg_.region_bound(), kNone);
    attr_numbers_.assign(attributes_.attr_count(), kNone);
    type_numbers_.assign(attributes_.type_count(), kNone);
    walk();
    if (instr_count_ != instrs_.live_count()) {
      throw UsageError("bytecode: " + std::to_string(instrs_.live_count() - instr_count_) +
                       " instructions are in regions that belong to no instruction");
    }
    std::string body;
    body.swap(out_);  // empty; the walk below fills out_
    writing_ = true;
    value_count_ = instr_count_ = 0;
    std::string objects;
    {
      objects.swap(out_);
      write_objects();
      write_locations();
      objects.swap(out_);
    }
    std::string code;
    {
      walk();
      code.swap(out_);
    }
    write_registry();
    out_ += objects;
    out_ += code;

    std::string file(bytecode::kMagic);
    file += static_cast<char>(kBytecodeVersion);
    file.append(3, '\0');
    for (int i = 0; i < 8; ++i) file += static_cast<char>(std::uint64_t{out_.size()} >> (8 * i) & 0xFF);
    file += out_;
    const std::uint32_t crc = bytecode::Crc32c::of(file);
    for (int i = 0; i < 4; ++i) file += static_cast<char>(crc >> (8 * i) & 0xFF);
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
  // An attribute (or wide constant) or a type.
  struct Item {
    bool is_type;
    std::uint32_t id;
  };

  void put(std::uint64_t value) {
    if (!writing_) return;
    while (value >= 0x80) {
      out_ += static_cast<char>((value & 0x7F) | 0x80);
      value >>= 7;
    }
    out_ += static_cast<char>(value);
  }
  void put(std::string_view text) {
    put(text.size());
    if (writing_) out_ += text;
  }

  // Names of the registry.

  std::uint32_t op_number(Opcode opcode) {
    std::uint32_t& number = op_numbers_[opcode.dialect()][opcode.number()];
    if (number == 0) {
      if (!registry_.knows(opcode)) throw UsageError("bytecode: an instruction has an unknown operation");
      ops_.push_back(opcode);
      number = static_cast<std::uint32_t>(ops_.size());
    }
    return number;
  }
  std::uint32_t kind_number(ObjKind kind) {
    std::uint32_t& number = kind_numbers_[kind.dialect][kind.type];
    if (number == 0) {
      if (!registry_.knows(kind)) throw UsageError("bytecode: a type is unknown");
      kinds_.push_back(kind);
      number = static_cast<std::uint32_t>(kinds_.size());
    }
    return number;
  }
  void write_registry() {
    put(ops_.size());
    for (const Opcode opcode : ops_) {
      const OpInfo& info = registry_.op(opcode);
      put(registry_.dialect(opcode.dialect()).name);
      put(info.name);
      const bool dynamic = (info.traits & kDynamic) != 0;
      put(dynamic ? 1 : 0);
      if (!dynamic) continue;
      put(info.traits);
      put(info.defs);
      put(info.uses);
      put(info.doc);
    }
    put(kinds_.size());
    for (const ObjKind kind : kinds_) {
      const TypeInfo& info = registry_.type(kind);
      put(registry_.dialect(kind.dialect).name);
      put(info.name);
      put(info.is_dynamic ? 1 : 0);
      if (!info.is_dynamic) continue;
      put(info.is_token ? 1 : 0);
      put(info.doc);
      put(info.param_info.size());
      for (const ParamInfo& param : info.param_info) {
        put(param.name);
        put(static_cast<std::uint64_t>(param.kind));
      }
    }
  }

  // Attributes and types.

  std::uint32_t& number_of(const Item& item) {
    return item.is_type ? type_numbers_[item.id] : attr_numbers_[item.id];
  }
  static bool is_object(const FatDynObjRef& ref) {
    return ref.kind == kind::kAttr || ref.kind == kind::kWide || ref.kind == kind::kType;
  }
  static Item item_of(const FatDynObjRef& ref) { return {ref.kind == kind::kType, ref.id}; }

  /// Numbers an object behind everything it is made of.
  void collect(const Item& whole) {
    if (number_of(whole) != kNone) return;
    struct Step {
      Item item;
      bool parts_done;
    };
    std::vector<Step> left = {{whole, false}};
    const auto push = [&](const FatDynObjRef& ref) {
      if (is_object(ref)) {
        if (number_of(item_of(ref)) == kNone) left.push_back({item_of(ref), false});
      } else if (ref.kind.dialect != kCoreDialect) {
        kind_number(ref.kind);
      } else if (ref.kind != kind::kNone && ref.kind != kind::kConstant) {
        throw UsageError("bytecode: an attribute refers to an instruction, value, block or region");
      }
    };
    while (!left.empty()) {
      const Step step = left.back();
      left.pop_back();
      if (number_of(step.item) != kNone) continue;
      if (step.parts_done) {
        number_of(step.item) = static_cast<std::uint32_t>(objects_.size());
        objects_.push_back(step.item);
        continue;
      }
      left.push_back({step.item, true});
      const std::size_t first = left.size();
      if (step.item.is_type) {
        kind_number(attributes_.type_kind(TypeId(step.item.id)));
        for (const FatDynObjRef& ref : attributes_.type_params(TypeId(step.item.id))) push(ref);
      } else {
        const AttrId attr(step.item.id);
        switch (attributes_.kind(attr)) {
          case AttrKind::kString:
          case AttrKind::kWide: break;
          case AttrKind::kList:
            for (const FatDynObjRef& ref : attributes_.items(attr)) push(ref);
            break;
          case AttrKind::kDict:
            for (const auto& [key, ref] : attributes_.entries(attr)) {
              push({kind::kAttr, key.index()});
              push(ref);
            }
            break;
          case AttrKind::kSymbolRef:
            for (const AttrId name : attributes_.path(attr)) push({kind::kAttr, name.index()});
            break;
        }
      }
      // First part first.
      std::reverse(left.begin() + static_cast<std::ptrdiff_t>(first), left.end());
    }
  }

  void put_ref(const FatDynObjRef& ref) {
    if (ref.kind == kind::kNone) {
      put(static_cast<std::uint64_t>(Ref::kNone));
    } else if (ref.kind == kind::kConstant) {
      put(static_cast<std::uint64_t>(Ref::kConstant));
      put(ref.id);
      put(ref.payload);
    } else if (is_object(ref)) {
      if (!writing_) collect(item_of(ref));
      put(static_cast<std::uint64_t>(Ref::kObject));
      put(number_of(item_of(ref)));
    } else if (ref.kind.dialect != kCoreDialect) {
      put(static_cast<std::uint64_t>(Ref::kForeign));
      put(kind_number(ref.kind));
      put(ref.id);
      put(ref.payload);
    } else {
      throw UsageError("bytecode: a reference of an unknown kind");
    }
  }

  void write_objects() {
    put(objects_.size());
    for (const Item& item : objects_) {
      if (item.is_type) {
        put(static_cast<std::uint64_t>(Object::kType));
        put(kind_number(attributes_.type_kind(TypeId(item.id))));
        const auto params = attributes_.type_params(TypeId(item.id));
        put(params.size());
        for (const FatDynObjRef& ref : params) put_ref(ref);
        continue;
      }
      const AttrId attr(item.id);
      switch (attributes_.kind(attr)) {
        case AttrKind::kString:
          put(static_cast<std::uint64_t>(Object::kString));
          put(attributes_.text_view(attr));
          break;
        case AttrKind::kWide: {
          const Constant constant = attributes_.constant({kind::kWide, item.id});
          put(static_cast<std::uint64_t>(Object::kWide));
          put(constant.width);
          for (const std::uint64_t word : constant.words) {
            for (int i = 0; i < 8; ++i) out_ += static_cast<char>(word >> (8 * i) & 0xFF);
          }
          break;
        }
        case AttrKind::kList: {
          put(static_cast<std::uint64_t>(Object::kList));
          const auto items = attributes_.items(attr);
          put(items.size());
          for (const FatDynObjRef& ref : items) put_ref(ref);
          break;
        }
        case AttrKind::kDict: {
          put(static_cast<std::uint64_t>(Object::kDict));
          const auto entries = attributes_.entries(attr);
          put(entries.size());
          for (const auto& [key, ref] : entries) {
            put(attr_numbers_[key.index()]);
            put_ref(ref);
          }
          break;
        }
        case AttrKind::kSymbolRef: {
          put(static_cast<std::uint64_t>(Object::kSymbolRef));
          const auto path = attributes_.path(attr);
          put(path.size());
          for (const AttrId name : path) put(attr_numbers_[name.index()]);
          break;
        }
      }
    }
  }

  // Locations: sets of origins, numbered from 1 in the order of their first use.

  void write_locations() {
    put(location_sets_.size());
    for (const LocationId set : location_sets_) {
      const auto origins = module_.locations().ordered_origins(set, attributes_);
      put(origins.size());
      for (const Origin& origin : origins) {
        put(attr_numbers_[origin.file.index()]);
        put(origin.line);
        put(origin.column);
      }
    }
  }
  std::uint32_t location_number(InstrId instr) {
    const LocationId set = module_.locations().of(instr);
    if (!set) return 0;
    if (set.index() >= location_numbers_.size()) {
      location_numbers_.resize(
          std::max<std::size_t>(set.index() + std::size_t{1}, location_numbers_.size() * 2), 0);
    }
    std::uint32_t& number = location_numbers_[set.index()];
    if (number == 0) {
      for (const Origin& origin : module_.locations().ordered_origins(set, attributes_))
        collect({false, origin.file.index()});
      location_sets_.push_back(set);
      number = static_cast<std::uint32_t>(location_sets_.size());
    }
    return number;
  }

  // Code.

  void walk() {
    block_count_ = region_count_ = 0;
    enter_region(cfg_.region(module_.body()), {}, 0);
    run();
    std::vector<InstrId> detached;
    if (writing_ ? has_detached_ : instr_count_ != instrs_.live_count()) {
      for (std::uint32_t i = 0; i < instrs_.instr_bound(); ++i) {
        if (instrs_.is_live(InstrId(i)) && !cfg_.block_of(InstrId(i))) detached.emplace_back(i);
      }
    }
    has_detached_ = !detached.empty();
    put(detached.size());
    for (const InstrId instr : detached) {
      start(instr);
      run();
    }
  }

  void enter_region(RegionId region, InstrId owner, std::uint32_t resume) {
    if (!writing_) region_numbers_[region.index()] = region_count_;
    ++region_count_;
    std::uint64_t blocks = 0;
    for (BlockId block = cfg_.first_block(region); block; block = cfg_.next_block(block)) {
      // Numbered ahead, as branches go to all blocks.
      if (!writing_) block_numbers_[block.index()] = block_count_;
      ++block_count_;
      ++blocks;
    }
    put(blocks);
    Frame frame{region, cfg_.first_block(region), {}, owner, resume};
    if (frame.block) frame.instr = cfg_.first(frame.block);
    frames_.push_back(frame);
    if (frame.block) put(cfg_.instr_count(frame.block));
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
          put(cfg_.instr_count(now.block));
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
      const std::uint8_t pass = writing_ ? 2 : 1;
      if (seen_[instr.index()] == pass) {
        put(0);
        put(number);
        return;
      }
      seen_[instr.index()] = pass;
    }
    if (!writing_) number = instr_count_;
    ++instr_count_;
    const std::uint32_t op = op_number(instrs_.opcode(instr));
    const std::uint32_t location = location_number(instr);
    const std::uint32_t count = instrs_.operand_count(instr);
    put(op);
    put(location);
    put(count);
    operands(instr, 0);
  }

  void operands(InstrId instr, std::uint32_t first) {
    using Tag = bytecode::Operand;
    const auto tag = [&](Tag value) { put(static_cast<std::uint64_t>(value)); };
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
          if (!writing_) block_numbers_[block.index()] = block_count_;
          ++block_count_;
          put(cfg_.instr_count(block));
          frames_.push_back({{}, block, cfg_.first(block), instr, i + 1});
        } else {
          enter_region(region, instr, i + 1);
        }
        return;
      }
      if (ref.kind == kind::kValue) {
        if (!writing_) continue;
        const std::uint32_t number = value_numbers_[ref.id];
        if (number < value_count_) {
          tag(Tag::kUseBack);
          put(value_count_ - 1 - number);
        } else {
          tag(Tag::kUseForward);
          put(number - value_count_);
        }
      } else if (ref.kind == kind::kBlock) {
        tag(Tag::kUseBlock);
        put(number_in(block_numbers_, ref.id, "block"));
      } else if (ref.kind == kind::kRegion) {
        tag(Tag::kUseRegion);
        put(number_in(region_numbers_, ref.id, "region"));
      } else if (ref.kind == kind::kInstr) {
        tag(Tag::kUseInstr);
        put(number_in(instr_numbers_, ref.id, "instruction"));
      } else {
        tag(Tag::kUseRef);
        put_ref(ref);
      }
    }
  }

  std::uint32_t number_in(const std::vector<std::uint32_t>& numbers, std::uint32_t id,
                          const char* what) const {
    const std::uint32_t number = id < numbers.size() ? numbers[id] : kNone;
    if (writing_ && number == kNone) {
      throw UsageError(std::string("bytecode: an operand refers to a ") + what +
                       " that is not in the module");
    }
    return number;
  }

  void define(ValueId value) {
    const TypeId type = instrs_.type(value);
    const AttrId name = module_.value_name(value);
    if (!writing_) {
      value_numbers_[value.index()] = value_count_;
      if (type) collect({true, type.index()});
      if (name) collect({false, name.index()});
    }
    ++value_count_;
    if (!writing_) return;
    put(static_cast<std::uint64_t>(bytecode::Operand::kDefValue));
    put(type ? type_numbers_[type.index()] + std::uint64_t{1} : 0);
    put(name ? attr_numbers_[name.index()] + std::uint64_t{1} : 0);
  }

  const Module& module_;
  const Registry& registry_;
  const Attributes& attributes_;
  const InstrStore& instrs_;
  const CfgStore& cfg_;
  Stop& stop_;

  std::string out_;
  bool writing_ = false;
  bool has_detached_ = false;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> value_numbers_, instr_numbers_, block_numbers_, region_numbers_;
  std::vector<std::uint32_t> attr_numbers_, type_numbers_, location_numbers_;
  std::vector<Item> objects_;
  std::vector<LocationId> location_sets_;
  std::array<std::array<std::uint32_t, 256>, 256> op_numbers_{}, kind_numbers_{};
  std::vector<Opcode> ops_;
  std::vector<ObjKind> kinds_;
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
