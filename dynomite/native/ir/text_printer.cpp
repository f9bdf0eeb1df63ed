#include "dynomite/native/ir/text_printer.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/large_pages.hpp"
#include "dynomite/native/ir/declarations.hpp"
#include "dynomite/native/ir/text_declaration_printer.hpp"
#include "dynomite/native/ir/text_pattern_printer.hpp"
#include "dynomite/native/ir/text_quoting.hpp"
#include "dynomite/native/ir/text_symbol_printer.hpp"
#include "dynomite/native/ir/text_value_printer.hpp"

namespace dynomite::ir {

namespace {

// Deeper regions are not indented further: the text stays linear in the module.
constexpr std::size_t kMaxIndent = 40;

class TextPrinter {
 public:
  /// `flat`: every name of a value comes only once in the text.
  TextPrinter(const Module& module, const PrintOptions& options, Stop& stop, bool flat)
      : module_(module),
        registry_(*module.registry()),
        attributes_(module.attributes()),
        instrs_(module.instrs()),
        cfg_(module.cfg()),
        options_(options),
        stop_(stop),
        flat_(flat),
        declarations_(registry_),
        values_(module, out_, [this](ObjKind kind) { declarations_.need(kind); }),
        symbols_(module, out_, values_),
        patterns_(
            module, [this](Opcode opcode) { declarations_.need(opcode); },
            [this](ObjKind kind) { declarations_.need(kind); }) {}

  /// False if a name would mean something else in an inner scope.
  bool print() {
    out_.reserve(std::size_t{instrs_.live_count()} * 40 + 64);
    prefer_large_pages(out_.data(), out_.capacity());
    labels_.assign(instrs_.value_bound(), 0);
    Frame top;
    top.region = cfg_.region(module_.body());
    enter(top);
    run();
    print_detached();
    if (printed_ != instrs_.live_count()) {
      throw UsageError("print: " + std::to_string(instrs_.live_count() - printed_) +
                       " instructions are in regions that belong to no instruction");
    }
    return !hidden_name_;
  }

  std::string take() {
    if (!options_.declarations) return std::move(out_);
    return std::move(out_.insert(0, declarations_.front()));
  }

 private:
  struct Frame {
    RegionId region;
    BlockId block;
    InstrId instr;  // printed next, or the owner is resumed if there is none
    InstrId owner;
    std::uint32_t resume = 0;  // operand of the owner behind the region
    std::uint32_t scope = 1;
    std::size_t hidden = 0;
    bool isolated = false;
    bool detached = false;
  };
  struct NameState {
    std::uint32_t scope = 0;
    std::uint32_t count = 0;  // values of this name in the scope
  };
  struct Hidden {
    std::uint32_t name;
    NameState state;
  };

  void indent(std::size_t steps) { out_.append(2 * std::min(steps, kMaxIndent), ' '); }
  /// Of an instruction of the current region.
  std::size_t depth() const {
    return in_detached_ ? std::max<std::size_t>(frames_.size(), 1) : frames_.size() - 1;
  }

  const std::string& op_name(Opcode opcode) {
    auto& names = op_names_[opcode.dialect()];
    if (names.empty()) {
      names.resize(256);
    }
    std::string& name = names[opcode.number()];
    if (name.empty()) {
      if (!registry_.knows(opcode)) throw UsageError("print: an instruction has an unknown operation");
      name = registry_.name(opcode);
      declarations_.need(opcode);
    }
    return name;
  }

  static std::uint32_t label(std::vector<std::uint32_t>& table, std::uint32_t& next, std::uint32_t id) {
    if (id >= table.size()) table.resize(std::max<std::size_t>(id + std::size_t{1}, table.size() * 3 / 2), 0);
    if (table[id] == 0) table[id] = ++next;
    return table[id] - 1;
  }

  void value_name(ValueId value) {
    out_ += '%';
    std::uint32_t& own = labels_[value.index()];
    const AttrId name = module_.value_name(value);
    if (!name) {
      if (own == 0) own = ++next_value_;
      values_.number(own - 1);
      return;
    }
    if (name.index() >= name_states_.size()) name_states_.resize(attributes_.attr_count());
    if (value.index() >= scope_of_.size()) scope_of_.resize(instrs_.value_bound(), 0);
    NameState& state = name_states_[name.index()];
    const std::uint32_t scope = flat_ ? 1 : frames_.empty() ? 1 : frames_.back().scope;
    if (own == 0) {
      if (state.scope != scope) {
        hidden_.push_back({name.index(), state});
        state = {scope, 0};
      }
      own = ++state.count;
      scope_of_[value.index()] = scope;
    } else if (state.scope != scope_of_[value.index()]) {
      hidden_name_ = true;
    }
    append_name(out_, attributes_.text_view(name));
    if (own > 1) {
      out_ += '#';
      values_.number(own - 1);
    }
  }

  void enter(Frame frame) {
    frame.block = cfg_.first_block(frame.region);
    frame.hidden = hidden_.size();
    frames_.push_back(frame);
    start_block();
  }

  /// Prints the label of the current block, if it needs one, and goes to its first instruction.
  void start_block() {
    Frame& now = frames_.back();
    if (!now.block) {
      now.instr = {};
      return;
    }
    now.instr = cfg_.first(now.block);
    const bool first = !cfg_.previous_block(now.block);
    const bool only = first && !cfg_.next_block(now.block);
    if (first && (only || now.instr) && !instrs_.is_used({now.block.index(), kind::kBlock})) return;
    if (now.owner && single_) {
      single_ = false;
      return;  // the label stands in front of the brace
    }
    indent(std::max<std::size_t>(depth(), 1) - 1);
    out_ += '^';
    values_.number(label(block_labels_, next_block_, now.block.index()));
    out_ += ":\n";
  }

  void run() {
    while (!frames_.empty()) {
      if (++polls_ % 256 == 0 && stop_.poll()) throw LimitError("printing was stopped");
      Frame& now = frames_.back();
      if (!now.instr) {
        if (now.block) now.block = cfg_.next_block(now.block);
        if (now.block) {
          start_block();
        } else {
          leave();
        }
        continue;
      }
      const InstrId instr = now.instr;
      now.instr = cfg_.next(now.block, instr);
      start_instr(instr);
    }
  }

  void leave() {
    const Frame done = frames_.back();
    frames_.pop_back();
    if (done.isolated && !flat_) {
      while (hidden_.size() > done.hidden) {
        name_states_[hidden_.back().name] = hidden_.back().state;
        hidden_.pop_back();
      }
    }
    if (!done.owner) return;
    indent(depth());
    out_ += '}';
    operands(done.owner, done.resume);
  }

  /// Prints a dsl.DIALECT of the outermost region in its short form; false if it has to be written out.
  bool short_declarations(InstrId instr) {
    const RegionId outermost = cfg_.region(module_.body());
    if (in_detached_ || frames_.size() != 1 || frames_.back().region != outermost) return false;
    DeclaredDialect dialect;
    try {
      dialect = read_declarations(module_, instr);
    } catch (const UsageError&) {
      return false;
    }
    declarations_.note(dialect);
    const bool referred = cfg_.is_shared(instr) || instrs_.is_used({instr.index(), kind::kInstr});
    const bool placed = options_.locations && has_locations(instr);
    if (referred || (options_.declarations && (!dialect.canonical || placed))) return false;
    printed_ += 1 + static_cast<std::uint32_t>(dialect.items.size());
    if (!options_.declarations) return true;
    DeclarationPrinter::print(out_, dialect);
    return true;
  }

  /// The instruction or one inside of it has a location.
  bool has_locations(InstrId whole) const {
    std::vector<InstrId> left = {whole};
    while (!left.empty()) {
      const InstrId instr = left.back();
      left.pop_back();
      if (module_.locations().of(instr)) return true;
      for (const RegionId region : module_.regions(instr)) {
        for (BlockId block = cfg_.first_block(region); block; block = cfg_.next_block(block)) {
          for (InstrId inner = cfg_.first(block); inner; inner = cfg_.next(block, inner))
            left.push_back(inner);
        }
      }
    }
    return false;
  }

  /// Prints parts of a set of rules, and rules, in their short form; false if they have to be written out.
  bool short_rule(InstrId instr) {
    if (cfg_.is_shared(instr) || instrs_.is_used({instr.index(), kind::kInstr})) return false;
    const std::uint8_t number = instrs_.opcode(instr).number();
    if (number == rewrite_op::kPattern) return short_pattern(instr);
    if (number != rewrite_op::kDoc && number != rewrite_op::kInclude) return false;
    const bool placed = options_.locations && module_.locations().of(instr);
    if (in_detached_ || frames_.empty() || !frames_.back().owner || placed) return false;
    if (instrs_.opcode(frames_.back().owner) != rewrite_op::opcode(rewrite_op::kRules)) return false;
    if (instrs_.operand_count(instr) != 1 || instrs_.operand(instr, 0).is_def) return false;
    const FatDynObjRef ref = instrs_.operand(instr, 0).ref;
    if (ref.kind != kind::kAttr) return false;
    const AttrKind wanted = number == rewrite_op::kDoc ? AttrKind::kString : AttrKind::kSymbolRef;
    if (attributes_.kind(AttrId(ref.id)) != wanted) return false;
    indent(depth());
    out_ += number == rewrite_op::kDoc ? "let doc = " : "include ";
    values_.value(ref);
    out_ += '\n';
    ++printed_;
    return true;
  }

  bool short_pattern(InstrId instr) {
    const AttrId dictionary = module_.dictionary(instr);
    if (!dictionary || (options_.locations && has_locations(instr))) return false;
    for (const auto& [key, ref] : attributes_.entries(dictionary)) {
      const std::string_view name = attributes_.text_view(key);
      if (name != "sym_name" && name != "sym_visibility") return false;
      if (name == "sym_name" &&
          (ref.kind != kind::kAttr || attributes_.kind(AttrId(ref.id)) != AttrKind::kString ||
           !is_plain_name(attributes_.text_view(AttrId(ref.id))))) {
        return false;
      }
    }
    std::uint32_t count = 0;
    const std::string text = patterns_.print(instr, 2 * std::min(depth(), kMaxIndent), count);
    if (text.empty()) return false;
    indent(depth());
    symbols_.head(instr, {});
    out_ += ' ';
    out_ += text;
    out_ += '\n';
    printed_ += count + 1;
    return true;
  }

  void start_instr(InstrId instr) {
    if (instrs_.opcode(instr) == dsl_op::kDialect && short_declarations(instr)) return;
    if (instrs_.opcode(instr).dialect() == kRewriteDialect && short_rule(instr)) return;
    indent(depth());
    const bool shared = cfg_.is_shared(instr);
    if (shared || instrs_.is_used({instr.index(), kind::kInstr})) {
      out_ += '$';
      values_.number(label(instr_labels_, next_instr_, instr.index()));
      if (shared) {
        if (shared_printed_.size() <= instr.index()) shared_printed_.resize(instrs_.instr_bound(), false);
        if (shared_printed_[instr.index()]) {
          out_ += '\n';
          return;
        }
        shared_printed_[instr.index()] = true;
      }
      out_ += ": ";
    }
    ++printed_;
    const Opcode opcode = instrs_.opcode(instr);
    const std::string& name = op_name(opcode);
    if (registry_.has_trait(opcode, kSymbol)) {
      symbols_.head(instr, name);
    } else {
      out_ += name;
    }
    operands(instr, 0);
  }

  void operands(InstrId instr, std::uint32_t first) {
    const std::uint32_t count = instrs_.operand_count(instr);
    for (std::uint32_t i = first; i < count; ++i) {
      const Operand operand = instrs_.operand(instr, i);
      if (operand.ref.kind == kind::kValue) {
        out_ += ' ';
        value_name(ValueId(operand.ref.id));
        if (operand.is_def) {
          out_ += ":def(";
          values_.type(instrs_.type(ValueId(operand.ref.id)));
          out_ += ')';
        }
        continue;
      }
      if (operand.is_def) {
        if (region(instr, operand.ref, i)) return;
        continue;
      }
      if (i + 1 == count && operand.ref.kind == kind::kAttr &&
          registry_.has_trait(instrs_.opcode(instr), kSymbol) &&
          attributes_.kind(AttrId(operand.ref.id)) == AttrKind::kDict) {
        symbols_.dictionary(instr, AttrId(operand.ref.id));
        continue;
      }
      out_ += ' ';
      use(operand.ref);
    }
    if (options_.locations) values_.location(module_.locations().of(instr));
    out_ += '\n';
  }

  /// True if its contents come first and the instruction is resumed later.
  bool region(InstrId instr, const FatDynObjRef& ref, std::uint32_t index) {
    const bool single = ref.kind == kind::kBlock;
    if (!single && ref.kind != kind::kRegion)
      throw UsageError("print: an operand defines an object of another store");
    const RegionId region = single ? cfg_.region(BlockId(ref.id)) : RegionId(ref.id);
    if (!region || cfg_.owner(region) != instr ||
        (single && (cfg_.previous_block(BlockId(ref.id)) || cfg_.next_block(BlockId(ref.id))))) {
      throw UsageError("print: an operand defines a region or block that does not belong to its instruction");
    }
    out_ += ' ';
    if (single) {
      out_ += "core.block ";
      if (instrs_.is_used({ref.id, kind::kBlock})) {
        out_ += '^';
        values_.number(label(block_labels_, next_block_, ref.id));
        out_ += ' ';
      }
    } else {
      const bool used = instrs_.is_used({ref.id, kind::kRegion});
      if (used) {
        out_ += "core.region &";
        values_.number(label(region_labels_, next_region_, ref.id));
        out_ += ' ';
      }
      if (!cfg_.first_block(region)) {
        out_ += used ? "empty" : "core.region empty";
        return false;
      }
    }
    const std::uint32_t traits = registry_.op(instrs_.opcode(instr)).traits;
    Frame inner;
    inner.region = region;
    inner.owner = instr;
    inner.resume = index + 1;
    inner.isolated = (traits & kIsolated) != 0;
    inner.scope = inner.isolated ? ++scopes_ : frames_.empty() ? 1 : frames_.back().scope;
    out_ += "{\n";
    single_ = single;
    if (frames_.empty()) {
      // Inside of the detached section.
      Frame outside;
      outside.detached = true;
      frames_.push_back(outside);
    }
    enter(inner);
    single_ = false;
    return true;
  }

  void use(const FatDynObjRef& ref) {
    if (ref.kind == kind::kBlock) {
      out_ += '^';
      values_.number(label(block_labels_, next_block_, ref.id));
    } else if (ref.kind == kind::kRegion) {
      out_ += '&';
      values_.number(label(region_labels_, next_region_, ref.id));
    } else if (ref.kind == kind::kInstr) {
      out_ += '$';
      values_.number(label(instr_labels_, next_instr_, ref.id));
    } else if (ref.kind == kind::kType && is_region_word(TypeId(ref.id))) {
      out_ += "use(";
      values_.type(TypeId(ref.id));
      out_ += ')';
    } else if (ref.kind == kind::kAttr && attributes_.kind(AttrId(ref.id)) == AttrKind::kDict &&
               attributes_.entries(AttrId(ref.id)).empty()) {
      out_ += "dict {}";
    } else {
      values_.value(ref);
    }
  }

  bool is_region_word(TypeId type) const {
    const ObjKind kind = attributes_.type_kind(type);
    return kind == kind::kRegion || kind == kind::kBlock;
  }

  /// Live instructions in no block, and what is in their regions.
  void print_detached() {
    if (printed_ == instrs_.live_count()) return;
    bool any = false;
    in_detached_ = true;
    for (std::uint32_t i = 0; i < instrs_.instr_bound(); ++i) {
      const InstrId instr(i);
      if (!instrs_.is_live(instr) || cfg_.block_of(instr)) continue;
      if (!any) out_ += "detached {\n";
      any = true;
      start_instr(instr);
      run_detached();
    }
    if (any) out_ += "}\n";
  }

  void run_detached() {
    while (!frames_.empty()) {
      if (frames_.back().detached) {
        frames_.pop_back();
        continue;
      }
      if (++polls_ % 256 == 0 && stop_.poll()) throw LimitError("printing was stopped");
      Frame& now = frames_.back();
      if (now.instr) {
        const InstrId instr = now.instr;
        now.instr = cfg_.next(now.block, instr);
        start_instr(instr);
        continue;
      }
      if (now.block) now.block = cfg_.next_block(now.block);
      if (now.block) {
        start_block();
      } else {
        leave();
      }
    }
  }

  const Module& module_;
  const Registry& registry_;
  const Attributes& attributes_;
  const InstrStore& instrs_;
  const CfgStore& cfg_;
  const PrintOptions& options_;
  Stop& stop_;
  bool flat_;

  std::string out_;
  std::vector<Frame> frames_;
  std::array<std::vector<std::string>, 256> op_names_;
  DeclarationPrinter declarations_;
  ValuePrinter values_;
  SymbolPrinter symbols_;
  PatternPrinter patterns_;
  std::vector<std::uint32_t> labels_;  // by value: number + 1, or how often its name came before + 1
  std::vector<std::uint32_t> scope_of_;
  std::vector<std::uint32_t> block_labels_, region_labels_, instr_labels_;
  std::uint32_t next_value_ = 0, next_block_ = 0, next_region_ = 0, next_instr_ = 0;
  std::vector<NameState> name_states_;
  std::vector<Hidden> hidden_;
  std::vector<bool> shared_printed_;
  std::uint32_t scopes_ = 1;
  std::uint32_t printed_ = 0;
  std::uint32_t polls_ = 0;
  bool in_detached_ = false;
  bool single_ = false;       // the region being entered is a single block
  bool hidden_name_ = false;  // a name was used where it means another value
};

}  // namespace

std::string print_text(const Module& module, const PrintOptions& options, Stop& stop) {
  TextPrinter printer(module, options, stop, false);
  if (printer.print()) return printer.take();
  TextPrinter again(module, options, stop, true);
  again.print();
  return again.take();
}

std::string type_text(const Module& module, TypeId type) {
  std::string text;
  ValuePrinter(module, text, [](ObjKind) {}).type(type);
  return text;
}

}  // namespace dynomite::ir
