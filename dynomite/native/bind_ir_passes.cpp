#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/ir/dominance.hpp"
#include "dynomite/native/ir/symbols.hpp"
#include "dynomite/native/ir/tokens.hpp"
#include "dynomite/native/module.hpp"
#include "dynomite/native/passes/clone.hpp"
#include "dynomite/native/passes/cse.hpp"
#include "dynomite/native/passes/dce.hpp"
#include "dynomite/native/passes/statistics.hpp"
#include "dynomite/native/passes/symbol_dce.hpp"
#include "dynomite/native/passes/verify.hpp"
#include "dynomite/native/py_ir.hpp"

// Passes over a module. They work without the GIL and hold the module meanwhile.

namespace dynomite::ir {

namespace {

/// Runs `pass(mutator, stop)` on the module of `mutator`; returns its statistics. A mutator with listeners
/// calls into Python, so it keeps the GIL; what it calls may read the module.
template <typename Pass>
auto change(Mutator& mutator, Stop* stop, Pass pass) {
  if (mutator.tracking() == Tracking::kEager) {
    const CallingWriteLease lease(mutator.module().access());
    Stop own;
    return pass(mutator, stop != nullptr ? *stop : own);
  }
  let_declare(*mutator.module().registry());
  const WriteLease lease(mutator.module().access());
  const ReadLease context(mutator.module().registry()->access());
  decltype(pass(mutator, *stop)) stats;
  run_long(stop, [&](Stop& running) { stats = pass(mutator, running); });
  return stats;
}

template <typename Work>
void look(const Module& module, Stop* stop, Work work) {
  const Reading reading(module);
  run_long(stop, work);
}

nb::object found(nb::handle owner, Module& module, InstrId id) { return optional_handle(owner, module, id); }

/// Names of a reference as Python gives them: a SymbolRef, or one name.
AttrId reference_of(Module& module, nb::handle given) {
  const FatDynObjRef ref =
      nb::isinstance<nb::str>(given)
          ? FatDynObjRef(kind::kAttr,
                         module.attributes()
                             .symbol_ref(std::vector{module.attributes().string(text_to_bytes(given))})
                             .index())
          : to_ref(module, given);
  if (ref.kind != kind::kAttr || module.attributes().kind(AttrId(ref.id)) != AttrKind::kSymbolRef) {
    throw UsageError("a symbol reference or a name is needed");
  }
  return AttrId(ref.id);
}

InstrId table_of(Module& module, nb::handle table) {
  return table.is_none() ? InstrId() : checked(module, nb::cast<InstrHandle>(table));
}

nb::list uses_to_python(nb::handle owner, Module& module, const std::vector<SymbolUse>& uses) {
  nb::list result;
  for (const SymbolUse& use : uses) {
    result.append(nb::make_tuple(make_handle(owner, module, use.instr), use.operand,
                                 to_python(owner, module, {kind::kAttr, use.reference.index()})));
  }
  return result;
}

void bind_symbols(nb::module_& m) {
  m.def(
      "symbol_lookup",
      [](const InstrHandle& from, nb::object reference) -> nb::object {
        Module& module = writable(from.read());
        const AttrId wanted = reference_of(module, reference);
        const SymbolPath path = SymbolTables(module).lookup_nearest(from.id, wanted);
        return path.complete ? found(from.owner, module, path.symbols.back()) : nb::none();
      },
      nb::arg("origin"), nb::arg("reference"),
      nb::sig("def symbol_lookup(origin: dynomite._native.ir.InstrRef, reference: "
              "dynomite._native.ir.SymbolRef | str) -> dynomite._native.ir.InstrRef | None"),
      "The symbol that a reference held by `origin` reaches, or None.\n\nCost: linear in the module.");
  m.def(
      "symbol_table",
      [](Module& module, nb::object table) {
        const InstrId id = table_of(module, table);
        module.access().check_read();
        const nb::object owner = owner_of(module);
        nb::dict result;
        const SymbolTables tables(module);
        for (const InstrId symbol : tables.symbols(id)) {
          const nb::str name = text_to_python(*module.symbol_name(symbol));
          if (!result.contains(name)) result[name] = make_handle(owner, module, symbol);
        }
        return result;
      },
      nb::arg("module"), nb::arg("table").none(),
      nb::sig("def symbol_table(module: dynomite._native.ir.Module, table: dynomite._native.ir.InstrRef | "
              "None) -> dict[str, dynomite._native.ir.InstrRef]"),
      "Names and symbols of a table, in order; of the module itself for None.\n\nCost: linear in the "
      "module.");
  m.def(
      "symbol_uses",
      [](const InstrHandle& symbol) {
        Module& module = symbol.read();
        return uses_to_python(symbol.owner, module, SymbolTables(module).uses_of(symbol.id));
      },
      nb::arg("symbol"),
      nb::sig("def symbol_uses(symbol: dynomite._native.ir.InstrRef) -> list[tuple["
              "dynomite._native.ir.InstrRef, int, dynomite._native.ir.SymbolRef]]"),
      "Instruction, operand number and reference of everything that reaches `symbol`, also on the way.\n\n"
      "Cost: linear in the module.");
  m.def(
      "replace_all_symbol_uses",
      [](Mutator& mutator, const InstrHandle& symbol, const std::string& name) {
        Module& module = writable(mutator.module());
        const InstrId id = checked(module, symbol);
        return SymbolTables(module).replace_all_uses(mutator, id, module.attributes().string(name));
      },
      nb::arg("builder"), nb::arg("symbol"), nb::arg("name"),
      nb::sig("def replace_all_symbol_uses(builder: dynomite._native.ir.Mutator, symbol: "
              "dynomite._native.ir.InstrRef, name: str) -> int"),
      "Makes all references to `symbol` references to `name` in the same table; returns how many there "
      "were.\n\nCost: linear in the module.");
  m.def(
      "rename_symbol",
      [](Mutator& mutator, const InstrHandle& symbol, const std::string& name) {
        Module& module = writable(mutator.module());
        const InstrId id = checked(module, symbol);
        return SymbolTables(module).rename(mutator, id, module.attributes().string(name));
      },
      nb::arg("builder"), nb::arg("symbol"), nb::arg("name"),
      nb::sig("def rename_symbol(builder: dynomite._native.ir.Mutator, symbol: dynomite._native.ir.InstrRef, "
              "name: str) -> int"),
      "Renames a symbol and all references to it; returns how many there were.\n\nRaises:\n    UsageError: "
      "The table has the name already.");
  m.def(
      "set_visibility",
      [](Mutator& mutator, const InstrHandle& symbol, const std::string& visibility) {
        Module& module = writable(mutator.module());
        const InstrId id = checked(module, symbol);
        if (visibility != "public" && visibility != "nested" && visibility != "private") {
          throw UsageError("set_visibility: 'public', 'nested' or 'private' is needed");
        }
        SymbolTables::set_visibility(mutator, id,
                                     visibility == "public"   ? Visibility::kPublic
                                     : visibility == "nested" ? Visibility::kNested
                                                              : Visibility::kPrivate);
      },
      nb::arg("builder"), nb::arg("symbol"), nb::arg("visibility"),
      nb::sig(
          "def set_visibility(builder: dynomite._native.ir.Mutator, symbol: dynomite._native.ir.InstrRef, "
          "visibility: str) -> None"),
      "Makes a symbol 'public', 'nested' or 'private'.");
  m.def(
      "token_origin",
      [](const InstrHandle& user, std::uint32_t index) {
        Module& module = user.read();
        if (index >= module.instrs().operand_count(user.id))
          throw UsageError("token_origin: no such operand");
        return found(user.owner, module, token_origin(module, user.id, index));
      },
      nb::arg("user"), nb::arg("operand"),
      nb::sig("def token_origin(user: dynomite._native.ir.InstrRef, operand: int) -> "
              "dynomite._native.ir.InstrRef | None"),
      "The operation that a token operand stands for; None if the operand is no token, or laundered.");
}

void bind_dominance(nb::module_& m) {
  struct PyDominance {
    nb::object owner;
    Module* module;
    Dominance dominance;
    std::uint64_t stamp;
    const Dominance& read() const {
      module->access().check_read();
      if (module->stamp() != stamp)
        throw UsageError("the module was changed after its dominance was computed");
      return dominance;
    }
    nb::list list(std::span<const BlockId> blocks) const {
      nb::list result;
      for (const BlockId block : blocks) result.append(make_handle(owner, *module, block));
      return result;
    }
  };
  using Self = const PyDominance&;
  nb::class_<PyDominance>(m, "Dominance", nb::is_final(),
                          "Control flow and dominance of all regions of a module, as it is now.\n\nCost: O(n "
                          "log n) in blocks to make; constant a question.")
      .def(
          "__init__",
          [](PyDominance* self, Module& module) {
            module.access().check_read();
            new (self) PyDominance{owner_of(module), &module, Dominance(module), module.stamp()};
          },
          nb::arg("module"))
      .def(
          "successors",
          [](Self d, const BlockHandle& b) { return d.list(d.read().successors(checked(*d.module, b))); },
          nb::arg("block"),
          nb::sig("def successors(self, block: dynomite._native.ir.BlockRef) -> "
                  "list[dynomite._native.ir.BlockRef]"),
          "Blocks its terminator goes to.")
      .def(
          "predecessors",
          [](Self d, const BlockHandle& b) { return d.list(d.read().predecessors(checked(*d.module, b))); },
          nb::arg("block"),
          nb::sig("def predecessors(self, block: dynomite._native.ir.BlockRef) -> "
                  "list[dynomite._native.ir.BlockRef]"),
          "Blocks whose terminators go to it.")
      .def(
          "immediate_dominator",
          [](Self d, const BlockHandle& b) {
            return optional_handle(d.owner, *d.module, d.read().immediate_dominator(checked(*d.module, b)));
          },
          nb::arg("block"),
          nb::sig("def immediate_dominator(self, block: dynomite._native.ir.BlockRef) -> "
                  "dynomite._native.ir.BlockRef | None"),
          "None for entry blocks and unreachable ones.")
      .def(
          "dominates",
          [](Self d, const BlockHandle& a, const BlockHandle& b) {
            return d.read().dominates(checked(*d.module, a), checked(*d.module, b));
          },
          nb::arg("a"), nb::arg("b"),
          nb::sig("def dominates(self, a: dynomite._native.ir.BlockRef, b: dynomite._native.ir.BlockRef) -> "
                  "bool"),
          "Whether every way to `b` goes through `a`.")
      .def(
          "tree_order",
          [](Self d, const RegionHandle& r) {
            const std::vector<BlockId> order = d.read().tree_order(checked(*d.module, r));
            return d.list(order);
          },
          nb::arg("region"),
          nb::sig("def tree_order(self, region: dynomite._native.ir.RegionRef) -> "
                  "list[dynomite._native.ir.BlockRef]"),
          "Blocks, dominators first.");
}

}  // namespace

void bind_passes(nb::module_& m) {
  m.def(
      "cse",
      [](Mutator& mutator, bool commutative, nb::object within, Stop* stop) {
        const InstrId scope = table_of(mutator.module(), within);
        const CseStats stats = change(mutator, stop, [&](Mutator& on, Stop& s) {
          return cse(on, {.within = scope, .commutative = commutative}, s);
        });
        return nb::make_tuple(stats.visited, stats.merged);
      },
      nb::arg("builder"), nb::kw_only(), nb::arg("commutative") = true, nb::arg("within").none() = nb::none(),
      nb::arg("stop").none() = nb::none(),
      nb::sig("def cse(builder: dynomite._native.ir.Mutator, *, commutative: bool = True, within: "
              "dynomite._native.ir.InstrRef | None = None, stop: "
              "dynomite._native.base.Stop | None = None) -> tuple[int, int]"),
      "Merges common subexpressions; returns instructions visited and merged.");
  m.def(
      "dce",
      [](Mutator& mutator, nb::object within, Stop* stop) {
        const InstrId scope = table_of(mutator.module(), within);
        const DceStats stats =
            change(mutator, stop, [&](Mutator& on, Stop& s) { return dce(on, {.within = scope}, s); });
        return nb::make_tuple(stats.visited, stats.erased);
      },
      nb::arg("builder"), nb::kw_only(), nb::arg("within").none() = nb::none(),
      nb::arg("stop").none() = nb::none(),
      nb::sig("def dce(builder: dynomite._native.ir.Mutator, *, within: dynomite._native.ir.InstrRef | None "
              "= None, stop: dynomite._native.base.Stop | None = "
              "None) -> tuple[int, int]"),
      "Erases dead instructions; returns instructions visited and erased.");
  m.def(
      "symbol_dce",
      [](Mutator& mutator, nb::object within, Stop* stop) {
        Module& module = mutator.module();
        const InstrId scope = table_of(module, within);
        const SymbolDceStats stats =
            change(mutator, stop, [&](Mutator& on, Stop& s) { return symbol_dce(on, {.within = scope}, s); });
        return nb::make_tuple(stats.visited, stats.erased, stats.erased_instrs,
                              uses_to_python(owner_of(module), module, stats.unresolved));
      },
      nb::arg("builder"), nb::kw_only(), nb::arg("within").none() = nb::none(),
      nb::arg("stop").none() = nb::none(),
      nb::sig("def symbol_dce(builder: dynomite._native.ir.Mutator, *, within: dynomite._native.ir.InstrRef "
              "| None = None, stop: dynomite._native.base.Stop | None "
              "= None) -> tuple[int, int, int, list[tuple[dynomite._native.ir.InstrRef, int, "
              "dynomite._native.ir.SymbolRef]]]"),
      "Erases dead symbols; returns symbols visited and erased, instructions erased, unresolved references.");
  m.def(
      "clone_module",
      [](const Module& module) {
        std::unique_ptr<Module> copy;
        look(module, nullptr, [&](Stop&) { copy = clone_module(module); });
        return copy.release();
      },
      nb::rv_policy::take_ownership, nb::arg("module"),
      nb::sig("def clone_module(module: dynomite._native.ir.Module) -> dynomite._native.ir.Module"),
      "A module of its own in the same context, with the same ids.");
  m.def(
      "clone_only",
      [](const InstrHandle& instr) {
        Module& module = instr.read();
        std::unique_ptr<Module> copy = clone_module(module);
        InstrId kept = instr.id;
        while (const InstrId around = module.parent(kept)) kept = around;
        Mutator mutator(*copy, Tracking::kNone);
        std::vector<InstrId> doomed;
        const BlockId body = copy->body();
        for (InstrId at = copy->cfg().first(body); at; at = copy->cfg().next(body, at)) {
          if (at != kept) doomed.push_back(at);
        }
        erase_instrs(mutator, doomed);
        return copy.release();
      },
      nb::rv_policy::take_ownership, nb::arg("instr"),
      nb::sig("def clone_only(instr: dynomite._native.ir.InstrRef) -> dynomite._native.ir.Module"),
      "A module of its own that holds, at the top, only the instruction with everything below; what it used "
      "there is cut off.\n\nCost: linear in the module.");
  m.def(
      "clone_region",
      [](Mutator& mutator, const RegionHandle& region, bool names, bool locations, Stop* stop) {
        Module& module = mutator.module();
        const RegionId id = checked(module, region);
        const CloneStats stats = change(mutator, stop, [&](Mutator& on, Stop& s) {
          return clone_region(on, id, {.names = names, .locations = locations}, s);
        });
        return make_handle(owner_of(module), module, stats.region);
      },
      nb::arg("builder"), nb::arg("region"), nb::kw_only(), nb::arg("names") = true,
      nb::arg("locations") = true, nb::arg("stop").none() = nb::none(),
      nb::sig(
          "def clone_region(builder: dynomite._native.ir.Mutator, region: dynomite._native.ir.RegionRef, *, "
          "names: bool = True, locations: bool = True, stop: dynomite._native.base.Stop | None = None) -> "
          "dynomite._native.ir.RegionRef"),
      "Copies a region with everything below; the copy belongs to no instruction yet.");
  m.def(
      "verify",
      [](const Module& module, std::size_t limit, Stop* stop) {
        VerifyStats stats;
        look(module, stop, [&](Stop& s) { stats = verify(module, {.limit = limit}, s); });
        return stats.visited;
      },
      nb::arg("module"), nb::kw_only(), nb::arg("limit") = 1000, nb::arg("stop").none() = nb::none(),
      nb::sig("def verify(module: dynomite._native.ir.Module, *, limit: int = 1000, stop: "
              "dynomite._native.base.Stop | None = None) -> int"),
      "Checks all invariants; returns the number of instructions.\n\nRaises:\n    VerifyError: Lists all "
      "violations, up to `limit`.");
  m.def(
      "violations",
      [](Module& module, std::size_t limit, Stop* stop) {
        std::vector<Violation> all;
        VerifyStats stats;
        look(module, stop, [&](Stop& s) { stats = find_violations(module, {.limit = limit}, s, all); });
        const nb::object owner = owner_of(module);
        nb::list result;
        for (const Violation& violation : all) {
          nb::list notes;
          for (const ViolationNote& note : violation.notes) {
            notes.append(nb::make_tuple(text_to_python(note.message), found(owner, module, note.instr)));
          }
          result.append(nb::make_tuple(text_to_python(violation.message),
                                       found(owner, module, violation.instr), notes));
        }
        return nb::make_tuple(stats.visited, stats.violations, result);
      },
      nb::arg("module"), nb::kw_only(), nb::arg("limit") = 1000, nb::arg("stop").none() = nb::none(),
      nb::sig(
          "def violations(module: dynomite._native.ir.Module, *, limit: int = 1000, stop: "
          "dynomite._native.base.Stop | None = None) -> tuple[int, int, list[tuple[str, "
          "dynomite._native.ir.InstrRef | None, list[tuple[str, dynomite._native.ir.InstrRef | None]]]]]"),
      "What `verify` would raise: number of instructions, number of violations; message, instruction and "
      "notes of each up to `limit`.");
  m.def(
      "statistics",
      [](Module& module) {
        Statistics stats;
        look(module, nullptr, [&](Stop&) { stats = statistics(module); });
        nb::dict by_op;
        for (const auto& [raw, count] : stats.by_opcode) {
          const Opcode opcode = Opcode::from_raw(static_cast<std::uint16_t>(raw));
          by_op[module.registry()->name(opcode).c_str()] = count;
        }
        nb::dict result;
        result["instrs"] = stats.instrs;
        result["detached"] = stats.detached;
        result["values"] = stats.values;
        result["unused_values"] = stats.unused_values;
        result["operands"] = stats.operands;
        result["blocks"] = stats.blocks;
        result["regions"] = stats.regions;
        result["symbols"] = stats.symbols;
        result["nesting"] = stats.nesting;
        result["depth"] = stats.depth;
        result["bytes"] = stats.bytes;
        return nb::make_tuple(result, by_op);
      },
      nb::arg("module"),
      nb::sig("def statistics(module: dynomite._native.ir.Module) -> tuple[dict[str, int], dict[str, int]]"),
      "Counts of the module, and of its operations by full name.");
  bind_symbols(m);
  bind_dominance(m);
}

}  // namespace dynomite::ir

void bind_ir_passes(nb::module_& m) { dynomite::ir::bind_passes(m); }
