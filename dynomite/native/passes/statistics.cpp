#include "dynomite/native/passes/statistics.hpp"

#include <algorithm>
#include <vector>

#include "dynomite/native/ir/walk.hpp"
#include "dynomite/native/passes/instr_view.hpp"

namespace dynomite::ir {

Statistics statistics(const Module& module) {
  Statistics stats;
  const InstrStore& instrs = module.instrs();
  const CfgStore& cfg = module.cfg();
  const InstrView view(module);
  stats.by_opcode = count_operations(view);
  stats.depth = longest_path(view);
  stats.bytes = module.memory();
  for (std::uint32_t i = 0; i < instrs.instr_bound(); ++i) {
    const InstrId instr(i);
    if (!instrs.is_live(instr)) continue;
    ++stats.instrs;
    stats.operands += instrs.operand_count(instr);
    if (!cfg.block_of(instr)) ++stats.detached;
    if ((module.traits(instr) & kSymbol) != 0 && module.symbol_name(instr)) ++stats.symbols;
  }
  for (std::uint32_t i = 0; i < instrs.value_bound(); ++i) {
    if (!instrs.is_live(ValueId(i))) continue;
    ++stats.values;
    if (!instrs.has_uses(ValueId(i))) ++stats.unused_values;
  }
  for (std::uint32_t i = 0; i < cfg.block_bound(); ++i) {
    if (cfg.is_live(BlockId(i))) ++stats.blocks;
  }
  for (std::uint32_t i = 0; i < cfg.region_bound(); ++i) {
    if (cfg.is_live(RegionId(i))) ++stats.regions;
  }
  std::vector<std::uint32_t> nesting(cfg.region_bound(), 0);
  walk(module, [&](InstrId instr, BlockId block) {
    const std::uint32_t around = nesting[cfg.region(block).index()] + 1;
    stats.nesting = std::max(stats.nesting, around);
    for_own_regions(module, instr, [&](RegionId inner) { nesting[inner.index()] = around; });
  });
  return stats;
}

}  // namespace dynomite::ir
