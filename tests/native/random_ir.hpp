#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynomite/native/base/random.hpp"
#include "dynomite/native/ir/update_log.hpp"
#include "dynomite/native/ir/walk.hpp"

namespace dynomite::test {

/// A dialect for tests: one operation for every behaviour that passes care about.
struct TestDialect {
  std::shared_ptr<ir::Registry> registry = std::make_shared<ir::Registry>();
  ir::DialectId id = registry->add_dialect("t");
  ir::Opcode in = op("IN", 0, 1, 0);  // not pure: every one is another value
  ir::Opcode add = op("ADD", ir::kPure | ir::kCommutative, 1, 2);
  ir::Opcode sub = op("SUB", ir::kPure, 1, 2);
  ir::Opcode any = op("ANY", ir::kPure | ir::kVariadic, 1, 0);
  ir::Opcode unknown = op("UNKNOWN", ir::kVariadic, 1, 0);
  ir::Opcode use = op("USE", ir::kVariadic, 0, 0);
  ir::Opcode scope = op("SCOPE", ir::kVariadic, 0, 0);  // holds regions, may have effects
  ir::Opcode pure_scope = op("PURE_SCOPE", ir::kPure | ir::kVariadic, 0, 0);
  ir::Opcode isolated = op("ISOLATED", ir::kIsolated | ir::kVariadic, 0, 0);
  ir::Opcode graph = op("GRAPH", ir::kGraphRegion | ir::kVariadic, 0, 0);
  ir::Opcode branch = op("BRANCH", ir::kTerminator | ir::kVariadic, 0, 0);
  ir::Opcode func = op("FUNC", ir::kSymbol | ir::kIsolated | ir::kVariadic, 0, 0);
  ir::Opcode table = op("TABLE", ir::kSymbol | ir::kSymbolTable | ir::kVariadic, 0, 0);
  ir::Opcode select = op("SELECT", ir::kPure | ir::kForwards | ir::kVariadic, 1, 0);
  ir::Opcode same = op("SAME", ir::kPure | ir::kSameType, 1, 2);
  ir::ObjKind word = registry->add_type(id, {"word", 1, false, ""});

 private:
  ir::Opcode op(const char* name, std::uint32_t traits, std::uint32_t defs, std::uint32_t uses) {
    return registry->add_op(id, {name, traits, defs, uses, ""});
  }
};

/// Builds instructions at the end of a block.
class IrMaker {
 public:
  explicit IrMaker(ir::StoreKind kind = ir::StoreKind::kArena,
                   ir::Tracking tracking = ir::Tracking::kLazyTracking)
      : module_(std::make_unique<ir::Module>(dialect.registry, kind)), mutator(*module_, tracking) {
    block = module_->body();
    type = module_->attributes().type(dialect.word, std::vector{constant(32, 32)});
  }
  ir::Module& module() { return *module_; }

  ir::FatDynObjRef constant(std::uint32_t width, std::uint64_t bits) {
    return module_->attributes().constant(width, std::vector{bits});
  }
  static ir::FatDynObjRef ref(ir::ValueId value) { return {ir::kind::kValue, value.index()}; }
  ir::FatDynObjRef string(const std::string& text) {
    return {ir::kind::kAttr, module_->attributes().string(text).index()};
  }
  ir::FatDynObjRef symbol(const std::vector<std::string>& path) {
    std::vector<ir::AttrId> names;
    for (const auto& name : path) names.push_back(module_->attributes().string(name));
    return {ir::kind::kAttr, module_->attributes().symbol_ref(names).index()};
  }
  ir::FatDynObjRef list(const std::vector<ir::FatDynObjRef>& items) {
    return {ir::kind::kAttr, module_->attributes().list(items).index()};
  }
  ir::FatDynObjRef dict(const std::vector<std::pair<std::string, ir::FatDynObjRef>>& entries) {
    std::vector<std::pair<ir::AttrId, ir::FatDynObjRef>> rows;
    for (const auto& [name, value] : entries) rows.emplace_back(module_->attributes().string(name), value);
    return {ir::kind::kAttr, module_->attributes().dict(rows).index()};
  }

  ir::InstrId emit(ir::Opcode opcode, const std::vector<ir::OperandSpec>& operands) {
    const ir::InstrId instr = mutator.create(opcode, operands, location);
    mutator.append(block, instr);
    return instr;
  }
  /// An instruction that defines one value in front of its uses.
  ir::ValueId value(ir::Opcode opcode, const std::vector<ir::FatDynObjRef>& uses) {
    std::vector<ir::OperandSpec> operands = {ir::OperandSpec::def(type)};
    for (const auto& use : uses) operands.push_back(ir::OperandSpec::use(use));
    return ir::ValueId(module_->instrs().operand(emit(opcode, operands), 0).ref.id);
  }
  ir::ValueId value(ir::Opcode opcode, const std::vector<ir::ValueId>& uses) {
    std::vector<ir::FatDynObjRef> refs;
    for (const auto use : uses) refs.push_back(ref(use));
    return value(opcode, refs);
  }
  ir::InstrId use(ir::Opcode opcode, const std::vector<ir::FatDynObjRef>& uses) {
    std::vector<ir::OperandSpec> operands;
    for (const auto& use : uses) operands.push_back(ir::OperandSpec::use(use));
    return emit(opcode, operands);
  }
  /// An instruction with one region of one block; `block` becomes that block.
  ir::InstrId open(ir::Opcode opcode, const std::vector<ir::FatDynObjRef>& uses = {}) {
    const ir::RegionId region = mutator.create_region();
    const ir::BlockId inner = mutator.create_block(region);
    std::vector<ir::OperandSpec> operands = {
        ir::OperandSpec::def_object({ir::kind::kRegion, region.index()})};
    for (const auto& use : uses) operands.push_back(ir::OperandSpec::use(use));
    const ir::InstrId instr = emit(opcode, operands);
    outer_.push_back(block);
    block = inner;
    return instr;
  }
  void close() {
    block = outer_.back();
    outer_.pop_back();
  }
  ir::InstrId defining(ir::ValueId value) { return module_->instrs().definition(value).instr; }

  TestDialect dialect;

 private:
  std::unique_ptr<ir::Module> module_;
  std::vector<ir::BlockId> outer_;

 public:
  ir::Mutator mutator;
  ir::BlockId block;
  ir::TypeId type;
  ir::LocationId location;
};

/// A module of about `size` instructions over all operations, with nested regions, diamonds of blocks,
/// constants and attributes; every use is visible where it stands.
inline void fill_randomly(IrMaker& maker, std::uint64_t seed, int size) {
  Random random(seed);
  const TestDialect& d = maker.dialect;
  std::vector<std::vector<ir::ValueId>> visible(1);
  for (int i = 0; i < 3; ++i) visible.back().push_back(maker.value(d.in, std::vector<ir::ValueId>{}));
  int line = 0;
  const auto pick = [&]() -> ir::FatDynObjRef {
    if (random.below(6) == 0 || visible.back().empty()) return maker.constant(8, random.below(3));
    const auto& all = visible.back();
    return IrMaker::ref(all[random.below(static_cast<std::uint32_t>(all.size()))]);
  };
  for (int i = 0; i < size; ++i) {
    const ir::Origin origin{maker.module().attributes().string("f"), static_cast<std::uint32_t>(++line), 1};
    maker.location = random.below(2) == 0 ? maker.module().locations().single(origin) : ir::LocationId();
    const std::uint32_t action = random.below(20);
    if (action < 8) {
      const ir::Opcode opcode = action < 4 ? d.add : d.sub;
      visible.back().push_back(maker.value(opcode, {pick(), pick()}));
    } else if (action < 11) {
      std::vector<ir::FatDynObjRef> uses;
      for (std::uint32_t k = random.below(4); k > 0; --k) uses.push_back(pick());
      if (random.below(2) == 0) uses.push_back(maker.dict({{"k", maker.constant(8, random.below(2))}}));
      visible.back().push_back(maker.value(random.below(4) == 0 ? d.unknown : d.any, uses));
    } else if (action < 13) {
      maker.use(d.use, {pick()});
    } else if (action < 15 && visible.size() < 6) {
      const ir::Opcode kinds[] = {d.scope, d.pure_scope, d.isolated, d.graph};
      const ir::Opcode opcode = kinds[random.below(4)];
      maker.open(opcode);
      const auto around = visible.back();
      visible.push_back(opcode == d.isolated ? std::vector<ir::ValueId>() : around);
    } else if (action < 17 && visible.size() > 1) {
      maker.close();
      visible.pop_back();
    } else if (action == 17 && visible.size() > 1) {
      // A diamond: then and else see what stands before, the join sees only that too.
      ir::Module& module = maker.module();
      const ir::RegionId region = module.cfg().region(maker.block);
      if (ir::is_graph_region(module, region)) continue;
      const ir::BlockId left = maker.mutator.create_block(region);
      const ir::BlockId right = maker.mutator.create_block(region);
      const ir::BlockId join = maker.mutator.create_block(region);
      const auto block_ref = [](ir::BlockId b) { return ir::FatDynObjRef(ir::kind::kBlock, b.index()); };
      maker.use(d.branch, {pick(), block_ref(left), block_ref(right)});
      for (const ir::BlockId side : {left, right}) {
        maker.block = side;
        const auto before = visible.back();
        for (std::uint32_t k = random.below(5); k > 0; --k) {
          visible.back().push_back(maker.value(d.add, {pick(), pick()}));
        }
        maker.use(d.use, {pick()});
        maker.use(d.branch, {block_ref(join)});
        visible.back() = before;
      }
      maker.block = join;
    }
  }
  while (visible.size() > 1) {
    maker.close();
    visible.pop_back();
  }
}

}  // namespace dynomite::test
