#include "dynomite/native/ir/symbols.hpp"

#include <algorithm>
#include <unordered_set>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/nearest_name.hpp"
#include "dynomite/native/ir/walk.hpp"

namespace dynomite::ir {

namespace {

/// Attributes that `attr` holds directly.
template <typename Each>
void for_children(const Attributes& attributes, AttrId attr, Each each) {
  if (attributes.kind(attr) == AttrKind::kList) {
    for (const FatDynObjRef& item : attributes.items(attr)) {
      if (item.kind == kind::kAttr) each(AttrId(item.id));
    }
  } else if (attributes.kind(attr) == AttrKind::kDict) {
    for (const auto& [name, item] : attributes.entries(attr)) {
      if (item.kind == kind::kAttr) each(AttrId(item.id));
    }
  }
}

/// The attribute named `name` of an instruction, if it is a string.
AttrId string_attribute(const Module& module, InstrId instr, std::string_view name) {
  const FatDynObjRef found = module.attribute(instr, name);
  if (found.kind != kind::kAttr) return {};
  return module.attributes().kind(AttrId(found.id)) == AttrKind::kString ? AttrId(found.id) : AttrId();
}

/// Sets one entry of the attribute dictionary; a reference of kind kNone drops it.
void set_entry(Mutator& mutator, InstrId instr, std::string_view name, FatDynObjRef value) {
  Module& module = mutator.module();
  Attributes& attributes = module.attributes();
  const AttrId dictionary = module.dictionary(instr);
  if (!dictionary) throw UsageError("a symbol without attributes has no name to change");
  const AttrId key = attributes.string(name);
  auto entries = attributes.entries(dictionary);
  std::erase_if(entries, [&](const auto& entry) { return entry.first == key; });
  if (!value.is_none()) entries.emplace_back(key, value);
  const FatDynObjRef made(kind::kAttr, attributes.dict(std::move(entries)).index());
  mutator.set_operand(instr, module.instrs().operand_count(instr) - 1, made);
}

}  // namespace

SymbolTables::SymbolTables(const Module& module)
    : module_(module), table_of_region_(module.cfg().region_bound()) {
  walk(module, [&](InstrId instr, BlockId block) {
    const std::uint32_t traits = module.traits(instr);
    const RegionId region = module.cfg().region(block);
    const InstrId around = table_of_region_[region.index()];
    const InstrId inside = (traits & kSymbolTable) != 0 ? instr : around;
    for_own_regions(module, instr, [&](RegionId own) { table_of_region_[own.index()] = inside; });
    if ((traits & kSymbol) == 0) return;
    const AttrId name = string_attribute(module, instr, "sym_name");
    // Only what stands immediately in a table is one of its symbols.
    if (!name || module.cfg().owner(region) != around) return;
    symbols_[around.index()].push_back(instr);
    const auto [it, is_new] = by_name_.emplace(key(around, name), instr);
    if (!is_new) duplicates_.emplace_back(instr, it->second);
  });
}

bool SymbolTables::is_table(InstrId instr) const { return (module_.traits(instr) & kSymbolTable) != 0; }

InstrId SymbolTables::nearest_table(InstrId instr) const {
  const BlockId block = module_.cfg().block_of(instr);
  return block ? table_of_region_[module_.cfg().region(block).index()] : InstrId();
}

InstrId SymbolTables::find(InstrId table, AttrId name) const {
  const auto it = by_name_.find(key(table, name));
  return it == by_name_.end() ? InstrId() : it->second;
}

InstrId SymbolTables::find(InstrId table, std::string_view name) const {
  for (const InstrId symbol : symbols(table)) {
    if (module_.attributes().text(string_attribute(module_, symbol, "sym_name")) == name) return symbol;
  }
  return {};
}

const std::vector<InstrId>& SymbolTables::symbols(InstrId table) const {
  static const std::vector<InstrId> none;
  const auto it = symbols_.find(table.index());
  return it == symbols_.end() ? none : it->second;
}

SymbolPath SymbolTables::lookup_in(InstrId table, AttrId reference) const {
  SymbolPath result;
  for (const AttrId name : module_.attributes().path(reference)) {
    if (!result.symbols.empty()) {
      table = result.symbols.back();
      if (!is_table(table)) return result;
    }
    const InstrId symbol = find(table, name);
    if (!symbol) return result;
    result.symbols.push_back(symbol);
  }
  result.complete = true;
  return result;
}

SymbolPath SymbolTables::lookup_nearest(InstrId from, AttrId reference) const {
  return lookup_in(nearest_table(from), reference);
}

std::string SymbolTables::suggestion(InstrId table, std::string_view name) const {
  NearestName nearest(name);
  // Enough for a person; a module may have very many symbols.
  constexpr std::size_t kMost = 5000;
  const auto& all = symbols(table);
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    nearest.offer(module_.attributes().text(string_attribute(module_, all[i], "sym_name")));
  }
  return nearest.best();
}

const std::vector<AttrId>& SymbolTables::references_in(AttrId attr) const {
  const auto known = references_.find(attr.index());
  if (known != references_.end()) return known->second;
  std::vector<AttrId> found, work = {attr};
  std::unordered_set<std::uint32_t> seen = {attr.index()};
  while (!work.empty()) {
    const AttrId at = work.back();
    work.pop_back();
    if (module_.attributes().kind(at) == AttrKind::kSymbolRef) found.push_back(at);
    for_children(module_.attributes(), at, [&](AttrId child) {
      if (seen.insert(child.index()).second) work.push_back(child);
    });
  }
  std::sort(found.begin(), found.end(), [](AttrId a, AttrId b) { return a.index() < b.index(); });
  return references_.emplace(attr.index(), std::move(found)).first->second;
}

std::vector<SymbolUse> SymbolTables::uses_in(InstrId instr) const {
  std::vector<SymbolUse> uses;
  const std::uint32_t count = module_.instrs().operand_count(instr);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand operand = module_.instrs().operand(instr, i);
    if (operand.is_def || operand.ref.kind != kind::kAttr) continue;
    for (const AttrId reference : references_in(AttrId(operand.ref.id)))
      uses.push_back({instr, i, reference});
  }
  return uses;
}

std::vector<SymbolUse> SymbolTables::uses_of(InstrId symbol) const {
  std::vector<SymbolUse> uses;
  walk(module_, [&](InstrId instr, BlockId) {
    for (const SymbolUse& use : uses_in(instr)) {
      const SymbolPath path = lookup_nearest(instr, use.reference);
      if (std::find(path.symbols.begin(), path.symbols.end(), symbol) != path.symbols.end()) {
        uses.push_back(use);
      }
    }
  });
  return uses;
}

Visibility SymbolTables::visibility(const Module& module, InstrId symbol) {
  const AttrId word = string_attribute(module, symbol, "sym_visibility");
  if (!word) return Visibility::kPublic;
  const std::string text = module.attributes().text(word);
  if (text == "private") return Visibility::kPrivate;
  return text == "nested" ? Visibility::kNested : Visibility::kPublic;
}

void SymbolTables::set_visibility(Mutator& mutator, InstrId symbol, Visibility visibility) {
  FatDynObjRef value;
  if (visibility != Visibility::kPublic) {
    const char* word = visibility == Visibility::kPrivate ? "private" : "nested";
    value = {kind::kAttr, mutator.module().attributes().string(word).index()};
  }
  set_entry(mutator, symbol, "sym_visibility", value);
}

AttrId SymbolTables::rewritten(Attributes& attributes, AttrId attr,
                               const std::unordered_map<std::uint32_t, AttrId>& to) const {
  // Children first, on a stack of our own; an attribute can only hold older ones, so there are no cycles.
  std::unordered_map<std::uint32_t, AttrId> done;
  std::vector<AttrId> work = {attr};
  const auto renewed = [&](const FatDynObjRef& item) {
    if (item.kind != kind::kAttr) return item;
    return FatDynObjRef(kind::kAttr, done.at(item.id).index());
  };
  while (!work.empty()) {
    const AttrId at = work.back();
    bool ready = true;
    if (!done.contains(at.index())) {
      for_children(attributes, at, [&](AttrId child) {
        if (done.contains(child.index())) return;
        work.push_back(child);
        ready = false;
      });
      if (!ready) continue;
      AttrId made = at;
      if (attributes.kind(at) == AttrKind::kSymbolRef) {
        const auto it = to.find(at.index());
        if (it != to.end()) made = it->second;
      } else if (attributes.kind(at) == AttrKind::kList) {
        std::vector<FatDynObjRef> items = attributes.items(at);
        for (FatDynObjRef& item : items) item = renewed(item);
        made = attributes.list(items);
      } else if (attributes.kind(at) == AttrKind::kDict) {
        auto entries = attributes.entries(at);
        for (auto& [name, item] : entries) item = renewed(item);
        made = attributes.dict(std::move(entries));
      }
      done.emplace(at.index(), made);
    }
    work.pop_back();
  }
  return done.at(attr.index());
}

std::uint64_t SymbolTables::replace_all_uses(Mutator& mutator, InstrId symbol, AttrId name) const {
  Attributes& attributes = mutator.module().attributes();
  const std::vector<SymbolUse> uses = uses_of(symbol);
  for (std::size_t i = 0; i < uses.size();) {
    // All references in one operand at once.
    const SymbolUse& use = uses[i];
    std::unordered_map<std::uint32_t, AttrId> to;
    for (; i < uses.size() && uses[i].instr == use.instr && uses[i].operand == use.operand; ++i) {
      const SymbolPath path = lookup_nearest(use.instr, uses[i].reference);
      std::vector<AttrId> names = attributes.path(uses[i].reference);
      for (std::size_t k = 0; k < path.symbols.size(); ++k) {
        if (path.symbols[k] == symbol) names[k] = name;
      }
      to.emplace(uses[i].reference.index(), attributes.symbol_ref(names));
    }
    const AttrId old_attr(module_.instrs().operand(use.instr, use.operand).ref.id);
    const AttrId made = rewritten(attributes, old_attr, to);
    mutator.set_operand(use.instr, use.operand, {kind::kAttr, made.index()});
  }
  return uses.size();
}

std::uint64_t SymbolTables::rename(Mutator& mutator, InstrId symbol, AttrId name) const {
  const AttrId old_name = string_attribute(module_, symbol, "sym_name");
  if ((module_.traits(symbol) & kSymbol) == 0 || !old_name)
    throw UsageError("rename: the instruction is no symbol");
  if (old_name == name) return 0;
  const InstrId taken = find(nearest_table(symbol), name);
  if (taken) throw UsageError("rename: the symbol @" + module_.attributes().text(name) + " exists already");
  const std::uint64_t changed = replace_all_uses(mutator, symbol, name);
  set_entry(mutator, symbol, "sym_name", {kind::kAttr, name.index()});
  return changed;
}

}  // namespace dynomite::ir
