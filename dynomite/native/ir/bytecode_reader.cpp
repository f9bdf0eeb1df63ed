#include <optional>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/bytecode.hpp"
#include "dynomite/native/ir/bytecode_format.hpp"
#include "dynomite/native/ir/declarations.hpp"

namespace dynomite::ir {

namespace {

using bytecode::Object;
using bytecode::Ref;

class BytecodeReader {
 public:
  BytecodeReader(std::string_view bytes, const std::shared_ptr<Registry>& registry,
                 const BytecodeOptions& options, Stop& stop)
      : bytes_(bytes),
        registry_(registry),
        options_(options),
        stop_(stop),
        module_(std::make_unique<Module>(registry, options.store)) {}

  std::unique_ptr<Module> read() {
    check_envelope();
    try {
      read_registry();
      read_objects();
      read_locations();
      read_code();
      if (at_ != end_) fail("there are bytes behind the module");
      declare_all();
    } catch (const UsageError& error) {
      restore();
      fail(error.what());
    } catch (...) {
      restore();
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

  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const {
    throw ParseError(options_.path, {0, 0, offset}, message);
  }
  void restore() {
    if (before_) *registry_ = std::move(*before_);
    before_.reset();
  }

  void check_envelope() {
    end_ = bytes_.size();
    if (bytes_.size() < bytecode::kHeader + bytecode::kTrailer)
      fail_at(bytes_.size(), "the bytecode is cut off");
    if (bytes_.substr(0, 4) != bytecode::kMagic) fail_at(0, "no bytecode: it does not start with DYNB");
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes_[i]); };
    if (byte(4) != kBytecodeVersion) {
      fail_at(4, "bytecode of version " + std::to_string(byte(4)) + "; this program reads version " +
                     std::to_string(kBytecodeVersion));
    }
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8; ++i) length |= std::uint64_t{byte(8 + i)} << (8 * i);
    const std::uint64_t given = bytes_.size() - bytecode::kHeader - bytecode::kTrailer;
    if (length != given) {
      fail_at(8, "the header speaks of " + std::to_string(length) + " bytes, there are " +
                     std::to_string(given) +
                     (length > given ? ": the bytecode is cut off" : ": there are bytes behind the end"));
    }
    std::uint32_t crc = 0;
    end_ = bytes_.size() - bytecode::kTrailer;
    for (std::size_t i = 0; i < 4; ++i) crc |= std::uint32_t{byte(end_ + i)} << (8 * i);
    if (crc != bytecode::Crc32c::of(bytes_.substr(0, end_)))
      fail_at(end_, "the checksum is wrong: the bytecode is damaged");
    if (byte(5) != 0 || byte(6) != 0 || byte(7) != 0)
      fail_at(5, "bytes of the header that must be zero are not");
    at_ = bytecode::kHeader;
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == end_) fail("the bytecode ends inside of a number");
      const auto byte = static_cast<unsigned char>(bytes_[at_]);
      if (shift == 63 && byte > 1) fail("a number above 64 bits");
      ++at_;
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift != 0) fail("a number that is not in its shortest form");
        return value;
      }
    }
  }
  std::uint64_t below(std::uint64_t bound, const char* what) {
    const std::size_t offset = at_;
    const std::uint64_t value = number();
    if (value >= bound)
      fail_at(offset, std::string(what) + " " + std::to_string(value) + " of " + std::to_string(bound));
    return value;
  }
  /// A count of things that take at least a byte each.
  std::uint64_t count() { return below(end_ - at_ + std::uint64_t{1}, "a count"); }
  std::string_view text() {
    const std::uint64_t size = count();
    if (size > end_ - at_) fail("a text goes beyond the end");
    const std::string_view result = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return result;
  }
  bool flag() { return below(2, "a flag") != 0; }
  std::uint32_t small() { return static_cast<std::uint32_t>(below(std::uint64_t{1} << 32, "a number")); }

  void read_registry() {
    const std::uint64_t ops = count();
    for (std::uint64_t i = 0; i < ops; ++i) {
      const std::size_t offset = at_;
      const std::string_view dialect = text();
      OpInfo info;
      info.name = text();
      const bool dynamic = flag();
      const std::string full = std::string(dialect) + "." + info.name;
      const auto known = registry_->find_op(full);
      if (dynamic) {
        info.traits = small();
        info.defs = small();
        info.uses = small();
        info.doc = text();
        if ((info.traits & kDynamic) == 0 || info.traits > kAllTraits) fail_at(offset, "unknown traits");
      }
      if (known) {
        const OpInfo& other = registry_->op(*known);
        if (dynamic && ((other.traits | kDynamic) != info.traits || other.defs != info.defs ||
                        other.uses != info.uses)) {
          fail_at(offset, "the operation '" + full + "' exists already and is different");
        }
        ops_.push_back(*known);
        continue;
      }
      if (!dynamic) {
        const std::string near = registry_->nearest_op(full);
        fail_at(offset,
                "unknown operation '" + full + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
      }
      ops_.push_back(registry_->add_op(dialect_of(dialect), std::move(info)));
    }
    const std::uint64_t kinds = count();
    for (std::uint64_t i = 0; i < kinds; ++i) {
      const std::size_t offset = at_;
      const std::string_view dialect = text();
      TypeInfo info;
      info.name = text();
      info.is_dynamic = flag();
      if (info.is_dynamic) {
        info.is_token = flag();
        info.doc = text();
        info.params = static_cast<std::uint32_t>(count());
        for (std::uint32_t p = 0; p < info.params; ++p) {
          ParamInfo param;
          param.name = text();
          param.kind = static_cast<ParamKind>(below(4, "a kind of parameter"));
          info.param_info.push_back(std::move(param));
        }
      }
      const std::string full = std::string(dialect) + "." + info.name;
      const auto known = registry_->find_type(full);
      if (known) {
        const TypeInfo& other = registry_->type(*known);
        if (info.is_dynamic && (other.params != info.params || other.is_token != info.is_token ||
                                (!other.param_info.empty() && other.param_info != info.param_info))) {
          fail_at(offset, "the type '" + full + "' exists already and is different");
        }
        kinds_.push_back(*known);
        continue;
      }
      if (!info.is_dynamic) {
        const std::string near = registry_->nearest_type(full);
        fail_at(offset,
                "unknown type '" + full + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
      }
      kinds_.push_back(registry_->add_type(dialect_of(dialect), std::move(info)));
    }
  }

  /// What the module declares, used or not.
  void declare_all() {
    const CfgStore& cfg = module_->cfg();
    const RegionId outermost = cfg.region(module_->body());
    for (BlockId block = cfg.first_block(outermost); block; block = cfg.next_block(block)) {
      for (InstrId instr = cfg.first(block); instr; instr = cfg.next(block, instr)) {
        if (module_->instrs().opcode(instr) != dsl_op::kDialect) continue;
        if (!before_) before_ = *registry_;
        declare(*registry_, read_declarations(*module_, instr));
      }
    }
  }

  DialectId dialect_of(std::string_view name) {
    if (!before_) before_ = *registry_;
    const auto known = registry_->find_dialect(name);
    return known ? *known : registry_->add_dialect(name);
  }

  ObjKind kind() {
    const std::uint64_t index = below(kinds_.size() + 1, "a kind");
    if (index == 0) fail("the kind 0");
    return kinds_[static_cast<std::size_t>(index - 1)];
  }

  FatDynObjRef ref() {
    switch (static_cast<Ref>(below(4, "a form of reference"))) {
      case Ref::kNone: return {};
      case Ref::kConstant: {
        const std::uint64_t width = below(65, "a width");
        const std::uint64_t bits = number();
        if (width == 0 || (width < 64 && bits >> width != 0)) fail("a constant that does not fit its width");
        return {kind::kConstant, static_cast<std::uint32_t>(width), bits};
      }
      case Ref::kObject: return objects_[static_cast<std::size_t>(below(objects_.size(), "an object"))];
      case Ref::kForeign: {
        const ObjKind foreign = kind();
        if (foreign.dialect == kCoreDialect) fail("an object of the core dialect as one of another");
        const std::uint32_t id = small();
        return {foreign, id, number()};
      }
    }
    fail("a form of reference");
  }

  AttrId string_object(std::uint64_t index) {
    const FatDynObjRef& object = objects_[static_cast<std::size_t>(index)];
    if (object.kind != kind::kAttr || module_->attributes().kind(AttrId(object.id)) != AttrKind::kString) {
      fail("expected a string");
    }
    return AttrId(object.id);
  }
  AttrId string_object() { return string_object(below(objects_.size(), "an object")); }

  void read_objects() {
    Attributes& attributes = module_->attributes();
    const std::uint64_t objects = count();
    std::vector<FatDynObjRef> items;
    std::vector<AttrId> path;
    for (std::uint64_t i = 0; i < objects; ++i) {
      poll();
      items.clear();
      switch (static_cast<Object>(below(6, "a kind of object"))) {
        case Object::kString: objects_.emplace_back(kind::kAttr, attributes.string(text()).index()); break;
        case Object::kList: {
          const std::uint64_t size = count();
          for (std::uint64_t k = 0; k < size; ++k) items.push_back(ref());
          objects_.emplace_back(kind::kAttr, attributes.list(items).index());
          break;
        }
        case Object::kDict: {
          const std::uint64_t size = count();
          std::vector<std::pair<AttrId, FatDynObjRef>> entries;
          for (std::uint64_t k = 0; k < size; ++k) {
            const AttrId key = string_object();
            entries.emplace_back(key, ref());
          }
          objects_.emplace_back(kind::kAttr, attributes.dict(std::move(entries)).index());
          break;
        }
        case Object::kSymbolRef: {
          const std::uint64_t size = count();
          path.clear();
          for (std::uint64_t k = 0; k < size; ++k) path.push_back(string_object());
          objects_.emplace_back(kind::kAttr, attributes.symbol_ref(path).index());
          break;
        }
        case Object::kType: {
          const ObjKind type = kind();
          const std::uint64_t size = count();
          for (std::uint64_t k = 0; k < size; ++k) items.push_back(ref());
          if (size != registry_->type(type).params) fail("a wrong number of parameters of a type");
          objects_.emplace_back(kind::kType, attributes.type(type, items).index());
          break;
        }
        case Object::kWide: {
          const std::uint32_t width = small();
          const std::uint64_t words = (std::uint64_t{width} + 63) / 64;
          if (width <= 64 || words > (end_ - at_) / 8) fail("a constant goes beyond the end");
          std::vector<std::uint64_t> content(static_cast<std::size_t>(words), 0);
          for (std::uint64_t& word : content) {
            for (int b = 0; b < 8; ++b, ++at_) {
              word |= std::uint64_t{static_cast<unsigned char>(bytes_[at_])} << (8 * b);
            }
          }
          objects_.push_back(attributes.constant(width, content));
          break;
        }
      }
    }
  }

  void read_locations() {
    Locations& locations = module_->locations();
    const std::uint64_t sets = count();
    std::vector<Origin> places;
    for (std::uint64_t i = 0; i < sets; ++i) {
      poll();
      const std::uint64_t size = count();
      if (size == 0) fail("an empty set of locations");
      places.clear();
      for (std::uint64_t k = 0; k < size; ++k) {
        Origin origin;
        origin.file = string_object();
        origin.line = small();
        origin.column = small();
        places.push_back(origin);
      }
      locations_.push_back(locations.several(places));
    }
  }

  void poll() {
    if (++polls_ % 256 == 0 && stop_.poll()) throw LimitError("reading bytecode was stopped");
  }

  void read_code() {
    CfgStore& cfg = module_->cfg();
    Frame top;
    top.region = cfg.region(module_->body());
    top.block = module_->body();
    regions_.push_back(top.region);
    const std::uint64_t blocks = count();
    if (blocks == 0) fail("a module has at least one block");
    blocks_.push_back(top.block);
    add_blocks(top.region, blocks - 1);
    top.blocks_left = blocks - 1;
    top.instrs_left = count();
    frames_.push_back(top);
    run();
    Frame detached;
    detached.instrs_left = count();
    frames_.push_back(detached);
    run();
    for (const Fixup& fixup : fixups_) {
      const std::uint32_t id = id_of(fixup.what, fixup.number);
      if (id == kNone) fail_at(fixup.offset, "a reference to something that is not in the module");
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
      poll();
      Frame& now = frames_.back();
      if (now.instrs_left > 0) {
        --now.instrs_left;
        start();
        continue;
      }
      if (now.blocks_left > 0) {
        --now.blocks_left;
        now.block = module_->cfg().next_block(now.block);
        now.instrs_left = count();
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
    const std::uint64_t op = below(ops_.size() + 1, "an operation");
    if (op == 0) {
      const std::size_t offset = at_;
      const std::uint64_t shared = below(instrs_.size(), "an instruction");
      const InstrId instr = instrs_[static_cast<std::size_t>(shared)];
      const BlockId block = frames_.back().block;
      if (!instr || !block) fail_at(offset, "an instruction that cannot be in a second block");
      module_->cfg().insert(block, module_->cfg().last(block), instr);
      return;
    }
    reading_ = {};
    reading_.opcode = ops_[static_cast<std::size_t>(op - 1)];
    reading_.location = below(locations_.size() + 1, "a location");
    reading_.operands_left = count();
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
      const std::size_t offset = at_;
      const auto tag = static_cast<Tag>(below(9, "a form of operand"));
      switch (tag) {
        case Tag::kUseRef: operands_.push_back(OperandSpec::use(ref())); break;
        case Tag::kUseBack: {
          const std::uint64_t back = below(values_.size(), "a value");
          refer(What::kValue, values_.size() - 1 - back, offset);
          break;
        }
        case Tag::kUseForward: refer(What::kValue, values_.size() + std::uint64_t{small()}, offset); break;
        case Tag::kUseBlock: refer(What::kBlock, small(), offset); break;
        case Tag::kUseRegion: refer(What::kRegion, small(), offset); break;
        case Tag::kUseInstr: refer(What::kInstr, small(), offset); break;
        case Tag::kDefValue: {
          const std::uint64_t type = below(objects_.size() + 1, "an object");
          const std::uint64_t name = below(objects_.size() + 1, "an object");
          TypeId type_id;
          if (type != 0) {
            const FatDynObjRef& object = objects_[static_cast<std::size_t>(type - 1)];
            if (object.kind != kind::kType) fail_at(offset, "expected a type");
            type_id = TypeId(object.id);
          }
          operands_.push_back(OperandSpec::def(type_id));
          defined_.emplace_back(static_cast<std::uint32_t>(values_.size()),
                                name == 0 ? AttrId() : string_object(name - 1));
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
      blocks = count();
    }
    add_blocks(inner.region, blocks);
    inner.block = cfg.first_block(inner.region);
    if (blocks > 0) {
      inner.blocks_left = blocks - 1;
      inner.instrs_left = count();
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
      module_->locations().set(instr, locations_[static_cast<std::size_t>(reading_.location - 1)]);
    }
    if (const BlockId block = frames_.back().block) cfg.insert(block, cfg.last(block), instr);
    operands_.resize(reading_.first_operand);
    defined_.resize(reading_.first_value);
    waiting_.resize(reading_.first_fixup);
  }

  static constexpr std::uint32_t kAllTraits = 2 * kSameType - 1;

  std::string_view bytes_;
  std::shared_ptr<Registry> registry_;
  const BytecodeOptions& options_;
  Stop& stop_;
  std::unique_ptr<Module> module_;
  std::optional<Registry> before_;
  std::size_t at_ = 0, end_ = 0;
  std::uint32_t polls_ = 0;

  std::vector<Opcode> ops_;
  std::vector<ObjKind> kinds_;
  std::vector<FatDynObjRef> objects_;
  std::vector<LocationId> locations_;
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
