#include "dynomite/native/passes/verify.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "dynomite/native/ir/declarations.hpp"
#include "dynomite/native/ir/dominance.hpp"
#include "dynomite/native/ir/symbols.hpp"
#include "dynomite/native/ir/tokens.hpp"
#include "dynomite/native/ir/walk.hpp"

namespace dynomite::ir {

namespace {

std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class Verifier {
 public:
  Verifier(const Module& module, const VerifyParams& params, Stop& stop, std::vector<Violation>& violations)
      : module_(module),
        instrs_(module.instrs()),
        cfg_(module.cfg()),
        params_(params),
        stop_(stop),
        violations_(violations),
        dominance_(module),
        tables_(module),
        isolation_(module.cfg().region_bound()),
        definer_(module.cfg().region_bound()) {}

  VerifyStats run() {
    check_region_nesting();
    std::vector<bool> seen(instrs_.instr_bound(), false);
    walk(module_, [&](InstrId instr, BlockId block) {
      if (stop_.poll()) return;
      // The nearest isolated operation around what the instruction holds.
      const InstrId around = isolation_[cfg_.region(block).index()];
      const InstrId inside = (module_.traits(instr) & kIsolated) != 0 ? instr : around;
      for_own_regions(module_, instr, [&](RegionId region) { isolation_[region.index()] = inside; });
      ++stats_.visited;
      check_place(instr, block);
      if (seen[instr.index()]) return;
      seen[instr.index()] = true;
      check_instr(instr);
    });
    for (std::uint32_t i = 0; i < instrs_.instr_bound(); ++i) {
      const InstrId instr(i);
      if (seen[i] || !instrs_.is_live(instr) || cfg_.block_of(instr)) continue;
      ++stats_.visited;
      check_instr(instr);
    }
    check_detached_cycles();
    check_blocks();
    for (const auto& [symbol, first] : tables_.duplicates()) {
      report(symbol, "the symbol @" + *module_.symbol_name(symbol) + " is defined twice",
             {{"first defined here", first}});
    }
    return stats_;
  }

 private:
  std::string name(InstrId instr) const {
    const Opcode opcode = instrs_.opcode(instr);
    if (module_.registry()->knows(opcode)) return module_.registry()->name(opcode);
    return "operation " + std::to_string(opcode.dialect()) + "." + std::to_string(opcode.number());
  }

  std::string value_text(ValueId value) const {
    const AttrId given = module_.value_name(value);
    std::string text(1, '%');
    text.append(given ? module_.attributes().text(given) : std::to_string(value.index()));
    return text;
  }

  void report(InstrId instr, const std::string& message, std::vector<ViolationNote> notes = {}) {
    ++stats_.violations;
    if (violations_.size() >= params_.limit) return;
    std::string text = instr ? name(instr) : "module";
    text += ": ";
    text += message;
    violations_.push_back({std::move(text), instr, std::move(notes)});
  }

  void check_instr(InstrId instr) {
    const Opcode opcode = instrs_.opcode(instr);
    if (!module_.registry()->knows(opcode)) {
      report(instr, "unknown operation");
      return;
    }
    check_operands(instr, module_.registry()->op(opcode));
    check_tokens(instr);
    check_symbol(instr);
    check_references(instr);
    if (opcode == dsl_op::kDialect) check_declarations(instr);
  }

  void check_declarations(InstrId instr) {
    try {
      read_declarations(module_, instr);
    } catch (const UsageError& error) {
      report(instr, error.what());
    }
    const BlockId block = cfg_.block_of(instr);
    if (!block || cfg_.region(block) != cfg_.region(module_.body())) {
      report(instr, "declarations stand in the outermost region");
    }
  }

  void check_operands(InstrId instr, const OpInfo& info) {
    const std::uint32_t count = instrs_.operand_count(instr);
    const bool has_dictionary = module_.dictionary(instr).index() != AttrId::kNone;
    std::uint32_t leading = 0, values = 0, uses = 0;
    bool in_front = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand operand = instrs_.operand(instr, i);
      check_liveness(instr, i, operand);
      if (!operand.is_def) {
        in_front = false;
        if (!(has_dictionary && i + 1 == count)) ++uses;
      } else if (operand.ref.kind == kind::kValue) {
        ++values;
        if (in_front) ++leading;
      } else if (operand.ref.kind == kind::kRegion) {
        InstrId& definer = definer_[operand.ref.id];
        if (definer && definer != instr) {
          report(instr, "a region that belongs to another operation", {{"this one", definer}});
        }
        definer = instr;
      }
    }
    const bool variadic = (info.traits & kVariadic) != 0;
    if (leading < info.defs || (!variadic && values > info.defs)) {
      report(instr, "defines " + counted(values, "value") + ", declared with " + std::to_string(info.defs));
    }
    if (uses < info.uses || (!variadic && uses > info.uses)) {
      report(instr, "has " + counted(uses, "operand") + ", declared with " +
                        std::string(variadic ? "at least " : "") + std::to_string(info.uses));
    }
    if ((info.traits & kSameType) != 0) check_same_type(instr);
  }

  void check_liveness(InstrId instr, std::uint32_t index, const Operand& operand) {
    const FatDynObjRef& ref = operand.ref;
    const bool dead = (ref.kind == kind::kInstr && !instrs_.is_live(InstrId(ref.id))) ||
                      (ref.kind == kind::kBlock && !cfg_.is_live(BlockId(ref.id))) ||
                      (ref.kind == kind::kRegion && !cfg_.is_live(RegionId(ref.id)));
    if (dead) report(instr, "operand " + std::to_string(index) + " refers to something deleted");
    if (!operand.is_def && ref.is_none()) {
      report(instr, "operand " + std::to_string(index) + " is empty");
    }
  }

  void check_same_type(InstrId instr) {
    ValueId first;
    for (std::uint32_t i = 0; i < instrs_.operand_count(instr); ++i) {
      const Operand operand = instrs_.operand(instr, i);
      if (operand.ref.kind != kind::kValue) continue;
      const ValueId value(operand.ref.id);
      if (!first) first = value;
      if (instrs_.type(value) == instrs_.type(first)) continue;
      report(instr,
             value_text(value) + " has another type than " + value_text(first) +
                 ", the operation needs one type",
             {{value_text(value) + " is defined here", instrs_.definition(value).instr}});
      return;
    }
  }

  /// What depends on where the instruction stands.
  void check_place(InstrId instr, BlockId block) {
    const RegionId region = cfg_.region(block);
    const bool ends = (module_.traits(instr) & kTerminator) != 0;
    if (ends && cfg_.next(block, instr)) {
      report(instr, "a terminator must be the last operation of its block",
             {{"this follows", cfg_.next(block, instr)}});
    }
    const std::uint32_t count = instrs_.operand_count(instr);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand operand = instrs_.operand(instr, i);
      if (operand.is_def) continue;
      if (operand.ref.kind == kind::kBlock && ends && cfg_.is_live(BlockId(operand.ref.id)) &&
          cfg_.region(BlockId(operand.ref.id)) != region) {
        report(instr, "goes to a block of another region");
      }
      if (operand.ref.kind == kind::kValue) check_use(instr, block, ValueId(operand.ref.id));
    }
  }

  void check_use(InstrId instr, BlockId block, ValueId value) {
    const InstrId def = instrs_.definition(value).instr;
    if (!dominance_.is_visible(value, instr, block)) {
      const bool same = def == instr;
      report(instr,
             same ? value_text(value) + " is used by the operation that defines it"
                  : value_text(value) +
                        " is used where its definition is not seen: it must come before, in a "
                        "block that dominates",
             same ? std::vector<ViolationNote>() : std::vector<ViolationNote>{{"defined here", def}});
      return;
    }
    const InstrId wall = isolation_[cfg_.region(block).index()];
    if (!wall || !cfg_.block_of(def)) return;
    for (const BlockId home : cfg_.blocks_of(def)) {
      if (isolation_[cfg_.region(home).index()] == wall) return;
      // Inside of the wall, behind further ones: not visible, so reported already.
    }
    report(instr, value_text(value) + " comes from outside of an isolated operation",
           {{"isolated", wall}, {"defined here", def}});
  }

  void check_tokens(InstrId instr) {
    if ((module_.traits(instr) & kForwards) == 0) return;
    for (std::uint32_t i = 0; i < instrs_.operand_count(instr); ++i) {
      const Operand operand = instrs_.operand(instr, i);
      if (operand.ref.kind != kind::kValue) continue;
      const ValueId value(operand.ref.id);
      if (!is_token(module_, value)) continue;
      if (operand.is_def) {
        report(instr, "makes the token " + value_text(value) +
                          ", but hands values on: a token stands for the operation that defines it");
      } else {
        report(instr,
               "the token " + value_text(value) + " must not pass through an operation that hands values on",
               {{"the token is defined here", instrs_.definition(value).instr}});
      }
    }
  }

  void check_symbol(InstrId instr) {
    const std::uint32_t traits = module_.traits(instr);
    const bool is_table = (traits & kSymbolTable) != 0;
    if (is_table && module_.regions(instr).empty()) report(instr, "a symbol table needs a region");
    if ((traits & kSymbol) == 0) return;
    const auto symbol = module_.symbol_name(instr);
    if (!symbol) {
      // A table may go without.
      if (!is_table) report(instr, "a symbol needs the string attribute sym_name");
      return;
    }
    if (symbol->empty()) report(instr, "the name of a symbol is empty");
    for (std::uint32_t i = 0; i < instrs_.operand_count(instr); ++i) {
      const Operand operand = instrs_.operand(instr, i);
      if (operand.is_def && operand.ref.kind == kind::kValue) {
        report(instr, "the symbol @" + *symbol + " must not define values");
        break;
      }
    }
    const FatDynObjRef visibility = module_.attribute(instr, "sym_visibility");
    if (!visibility.is_none()) {
      const bool is_text = visibility.kind == kind::kAttr &&
                           module_.attributes().kind(AttrId(visibility.id)) == AttrKind::kString;
      const std::string text = is_text ? module_.attributes().text(AttrId(visibility.id)) : "";
      if (text != "public" && text != "private" && text != "nested") {
        report(instr, "the visibility of @" + *symbol + " must be \"public\", \"private\" or \"nested\"");
      }
    }
    const BlockId block = cfg_.block_of(instr);
    if (block && cfg_.owner(cfg_.region(block)) != tables_.nearest_table(instr)) {
      report(instr, "the symbol @" + *symbol + " stands in a region that is no symbol table",
             {{"the region of this", cfg_.owner(cfg_.region(block))}});
    }
  }

  void check_references(InstrId instr) {
    for (const SymbolUse& use : tables_.uses_in(instr)) {
      const std::vector<AttrId> path = module_.attributes().path(use.reference);
      const SymbolPath found = tables_.lookup_nearest(instr, use.reference);
      std::string so_far;
      for (std::size_t k = 0; k < path.size(); ++k) {
        const std::string name = module_.attributes().text(path[k]);
        if (k == found.symbols.size()) {
          const InstrId table = k == 0 ? tables_.nearest_table(instr) : found.symbols.back();
          std::string message("unknown symbol @");
          message.append(name);
          if (k > 0) message.append(" in ").append(so_far);
          const std::string near = tables_.suggestion(table, name);
          if (!near.empty()) message.append("; did you mean @").append(near).append("?");
          std::vector<ViolationNote> notes;
          if (k > 0) notes.push_back({so_far + " is defined here", table});
          report(instr, message, std::move(notes));
          break;
        }
        if (k > 0) so_far += "::";
        so_far.push_back('@');
        so_far.append(name);
        if (k > 0 && SymbolTables::visibility(module_, found.symbols[k]) == Visibility::kPrivate) {
          report(instr, so_far + " is private to its symbol table", {{"defined here", found.symbols[k]}});
          break;
        }
      }
    }
  }

  /// Regions that are reached from no root hold themselves.
  void check_region_nesting() {
    std::vector<bool> reached(cfg_.region_bound(), false);
    for (const RegionId root : root_regions(module_)) reached[root.index()] = true;
    walk(module_, [&](InstrId instr, BlockId) {
      for_own_regions(module_, instr, [&](RegionId region) { reached[region.index()] = true; });
    });
    for (std::uint32_t i = 0; i < cfg_.region_bound(); ++i) {
      if (cfg_.is_live(RegionId(i)) && !reached[i]) {
        report(cfg_.owner(RegionId(i)), "its region is nested in itself or belongs to nothing");
      }
    }
  }

  void check_detached_cycles() {
    // Colours: 1 on the way, 2 done.
    std::vector<std::uint8_t> state(instrs_.instr_bound(), 0);
    std::vector<std::pair<InstrId, std::uint32_t>> stack;
    for (std::uint32_t i = 0; i < instrs_.instr_bound(); ++i) {
      const auto enter = [&](InstrId instr) {
        if (state[instr.index()] != 0 || cfg_.block_of(instr)) return;
        state[instr.index()] = 1;
        stack.emplace_back(instr, 0);
      };
      if (instrs_.is_live(InstrId(i))) enter(InstrId(i));
      while (!stack.empty()) {
        const auto [instr, next] = stack.back();
        if (next == instrs_.operand_count(instr)) {
          state[instr.index()] = 2;
          stack.pop_back();
          continue;
        }
        ++stack.back().second;
        if (instrs_.operand(instr, next).is_def) continue;
        const InstrId def = instrs_.operand_def(instr, next);
        if (!def) continue;
        if (state[def.index()] == 1) report(instr, "uses its own result in a cycle outside of all blocks");
        enter(def);
      }
    }
  }

  void check_blocks() {
    for (std::uint32_t i = 0; i < cfg_.region_bound(); ++i) {
      const RegionId region(i);
      if (!cfg_.is_live(region) || cfg_.first_block(region) == cfg_.last_block(region)) continue;
      if (is_graph_region(module_, region)) continue;
      for (BlockId block = cfg_.first_block(region); block; block = cfg_.next_block(block)) {
        const InstrId last = cfg_.last(block);
        if (!last) {
          report(cfg_.owner(region),
                 "a block of a region with several blocks is empty: it needs a terminator");
        } else if ((module_.traits(last) & kTerminator) == 0) {
          report(last, "the last operation of a block must be a terminator in a region with several blocks");
        }
      }
    }
  }

  const Module& module_;
  const InstrStore& instrs_;
  const CfgStore& cfg_;
  const VerifyParams& params_;
  Stop& stop_;
  std::vector<Violation>& violations_;
  Dominance dominance_;
  SymbolTables tables_;
  std::vector<InstrId> isolation_;  // by region
  std::vector<InstrId> definer_;    // by region
  VerifyStats stats_;
};

std::string place_of(const Module& module, InstrId instr) {
  if (!instr) return {};
  const std::vector<Origin> origins = module.locations().origins(module.locations().of(instr));
  if (origins.empty()) return {};
  const Origin& origin = origins.front();
  std::string text = origin.file ? module.attributes().text(origin.file) : std::string("?");
  if (origin.line != 0) text.append(":").append(std::to_string(origin.line));
  if (origin.line != 0 && origin.column != 0) text.append(":").append(std::to_string(origin.column));
  return text + ": ";
}

}  // namespace

VerifyStats find_violations(const Module& module, const VerifyParams& params, Stop& stop,
                            std::vector<Violation>& violations) {
  return Verifier(module, params, stop, violations).run();
}

std::string render(const Module& module, const std::vector<Violation>& violations, std::uint64_t total) {
  std::string text;
  for (const Violation& violation : violations) {
    if (!text.empty()) text += "\n";
    text += place_of(module, violation.instr);
    text += "error: ";
    text += violation.message;
    for (const ViolationNote& note : violation.notes) {
      text += "\n  ";
      text += place_of(module, note.instr);
      text += "note: ";
      text += note.message;
    }
  }
  if (total > violations.size()) {
    text.append("\n").append(std::to_string(total - violations.size())).append(" more errors");
  }
  return text;
}

VerifyStats verify(const Module& module, const VerifyParams& params, Stop& stop) {
  std::vector<Violation> violations;
  const VerifyStats stats = find_violations(module, params, stop, violations);
  if (stats.violations != 0) throw VerifyError(render(module, violations, stats.violations));
  return stats;
}

}  // namespace dynomite::ir
