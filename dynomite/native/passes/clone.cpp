#include "dynomite/native/passes/clone.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/walk.hpp"

namespace dynomite::ir {

namespace {

class RegionCloner {
 public:
  RegionCloner(Mutator& mutator, const CloneParams& params, Stop& stop)
      : mutator_(mutator), module_(mutator.module()), params_(params), stop_(stop) {}

  CloneStats run(RegionId region) {
    std::vector<std::pair<InstrId, BlockId>> members;
    // The copies must not be walked, so the list is made first.
    walk(module_, region, [&](InstrId instr, BlockId block) { members.emplace_back(instr, block); });
    stats_.region = copy_frame(region, {});
    if (members.size() > 64) module_.instrs().reserve(members.size(), 4 * members.size());
    for (const auto& [instr, block] : members) {
      if (stop_.poll()) break;
      copy(instr, block);
    }
    for (const auto& [use, old] : open_) {
      const FatDynObjRef now = mapped(old);
      if (!(now == old)) mutator_.set_operand(use.instr, use.operand, now);
    }
    return stats_;
  }

 private:
  /// A region with its blocks, empty.
  RegionId copy_frame(RegionId region, InstrId owner) {
    const RegionId made = mutator_.create_region(owner);
    ++stats_.regions;
    regions_.emplace(region.index(), made.index());
    const CfgStore& cfg = module_.cfg();
    for (BlockId block = cfg.first_block(region); block; block = cfg.next_block(block)) {
      blocks_.emplace(block.index(), mutator_.create_block(made).index());
      ++stats_.blocks;
    }
    return made;
  }

  FatDynObjRef mapped(const FatDynObjRef& ref) const {
    const auto look = [&](const auto& map) {
      const auto it = map.find(ref.id);
      return it == map.end() ? ref : FatDynObjRef(ref.kind, it->second, ref.payload);
    };
    if (ref.kind == kind::kValue) return look(values_);
    if (ref.kind == kind::kInstr) return look(instrs_);
    if (ref.kind == kind::kBlock) return look(blocks_);
    if (ref.kind == kind::kRegion) return look(regions_);
    return ref;
  }

  static bool is_object(ObjKind kind) {
    return kind == kind::kValue || kind == kind::kInstr || kind == kind::kBlock || kind == kind::kRegion;
  }

  void copy(InstrId instr, BlockId block) {
    const BlockId target(blocks_.at(block.index()));
    if (const auto known = instrs_.find(instr.index()); known != instrs_.end()) {
      // One more membership of an instruction that several regions share.
      mutator_.append(target, InstrId(known->second));
      return;
    }
    const InstrStore& store = module_.instrs();
    const std::uint32_t count = store.operand_count(instr);
    specs_.clear();
    waiting_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand operand = store.operand(instr, i);
      const FatDynObjRef ref = operand.ref;
      if (!operand.is_def) {
        const FatDynObjRef now = mapped(ref);
        if (is_object(ref.kind) && now == ref) waiting_.emplace_back(i, ref);
        specs_.push_back(OperandSpec::use(now));
      } else if (ref.kind == kind::kValue) {
        specs_.push_back(OperandSpec::def(store.type(ValueId(ref.id))));
      } else if (ref.kind == kind::kRegion) {
        specs_.push_back(OperandSpec::def_object({kind::kRegion, copy_frame(RegionId(ref.id), {}).index()}));
      } else {
        specs_.push_back(OperandSpec::def_object(mapped(ref)));
      }
    }
    const LocationId location = params_.locations ? module_.locations().of(instr) : LocationId();
    const InstrId made = mutator_.create(store.opcode(instr), specs_, location);
    ++stats_.instrs;
    instrs_.emplace(instr.index(), made.index());
    for (const auto& [index, ref] : waiting_) open_.push_back({Use{made, index}, ref});
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand operand = store.operand(instr, i);
      if (!operand.is_def || operand.ref.kind != kind::kValue) continue;
      const ValueId copied(store.operand(made, i).ref.id);
      values_.emplace(operand.ref.id, copied.index());
      ++stats_.values;
      const AttrId name = params_.names ? module_.value_name(ValueId(operand.ref.id)) : AttrId();
      if (name) mutator_.set_value_name(copied, name);
    }
    mutator_.append(target, made);
  }

  using Map = std::unordered_map<std::uint32_t, std::uint32_t>;
  Mutator& mutator_;
  Module& module_;
  const CloneParams& params_;
  Stop& stop_;
  Map instrs_, values_, blocks_, regions_;  // old id to new id
  std::vector<OperandSpec> specs_;
  std::vector<std::pair<std::uint32_t, FatDynObjRef>> waiting_;
  std::vector<std::pair<Use, FatDynObjRef>> open_;  // uses of what had no copy yet
  CloneStats stats_;
};

}  // namespace

std::unique_ptr<Module> clone_module(const Module& module) { return module.clone(); }

CloneStats clone_region(Mutator& mutator, RegionId region, const CloneParams& params, Stop& stop) {
  if (mutator.tracking() == Tracking::kLazyUpdate) {
    throw UsageError("clone_region: a mutator that only records gives no results to go on with");
  }
  if (!mutator.module().cfg().is_live(region)) throw StaleRefError("clone_region: the region was deleted");
  return RegionCloner(mutator, params, stop).run(region);
}

}  // namespace dynomite::ir
