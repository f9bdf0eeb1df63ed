#include "dynomite/native/ir/text_printer.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <string_view>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/large_pages.hpp"
#include "dynomite/native/ir/declarations.hpp"
#include "dynomite/native/ir/op_traits.hpp"
#include "dynomite/native/ir/text_quoting.hpp"

namespace dynomite::ir {

namespace {

// Deeper regions are not indented further: the text stays linear in the module.
constexpr std::size_t kMaxIndent = 40;
// Shared parts of attributes are written out each time; text of one operand may not exceed this.
constexpr std::size_t kLongestValue = std::size_t{1} << 28;
constexpr std::size_t kLongestCachedType = 64;

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
        flat_(flat) {}

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
    std::string front;
    for (std::uint32_t d = 0; d < registry_.dialect_count(); ++d) {
      if (!used_dialects_[d]) continue;
      const auto id = static_cast<DialectId>(d);
      const DialectInfo& dialect = registry_.dialect(id);
      front += "extern dialect " + dialect.name + " {\n";
      for (std::size_t i = 0; i < dialect.types.size(); ++i) {
        if (missing_types_[d][i]) declare_type(front, dialect.types[i]);
      }
      for (std::size_t i = 0; i < dialect.ops.size(); ++i) {
        if (missing_ops_[d][i]) declare_op(front, dialect.ops[i]);
      }
      front += "}\n";
    }
    return std::move(out_.insert(0, front));
  }

  void type(TypeId type) {
    if (!type) {
      out_ += "core.none";
      return;
    }
    if (type.index() >= types_.size()) types_.resize(attributes_.type_count());
    std::string& cached = types_[type.index()];
    if (!cached.empty()) {
      out_ += cached;
      return;
    }
    const std::size_t start = out_.size();
    value({kind::kType, type.index()});
    if (out_.size() - start <= kLongestCachedType) cached = out_.substr(start);
  }

  const std::string& text() const { return out_; }

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

  void number(std::uint64_t value) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), end);
  }

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
      if (registry_.has_trait(opcode, kDynamic) && !declared_ops_[opcode.dialect()][opcode.number()]) {
        used_dialects_[opcode.dialect()] = missing_ops_[opcode.dialect()][opcode.number()] = true;
      }
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
      number(own - 1);
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
      number(own - 1);
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
    number(label(block_labels_, next_block_, now.block.index()));
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

  void need(ObjKind kind) {
    if (!registry_.type(kind).is_dynamic || declared_types_[kind.dialect][kind.type]) return;
    used_dialects_[kind.dialect] = missing_types_[kind.dialect][kind.type] = true;
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
    note_declared(dialect);
    const bool referred = cfg_.is_shared(instr) || instrs_.is_used({instr.index(), kind::kInstr});
    const bool placed = options_.locations && has_locations(instr);
    if (referred || (options_.declarations && (!dialect.canonical || placed))) return false;
    printed_ += 1 + static_cast<std::uint32_t>(dialect.items.size());
    if (!options_.declarations) return true;
    out_ += "dialect " + dialect.name + " {\n";
    for (const Declared& declared : dialect.items) {
      if (const auto* type = std::get_if<TypeInfo>(&declared)) {
        declare_type(out_, *type);
      } else {
        declare_op(out_, std::get<OpInfo>(declared));
      }
    }
    out_ += "}\n";
    return true;
  }

  /// What comes behind a declaration needs no other one.
  void note_declared(const DeclaredDialect& dialect) {
    for (const Declared& declared : dialect.items) {
      if (const auto* type = std::get_if<TypeInfo>(&declared)) {
        const auto kind = registry_.find_type(dialect.name + "." + type->name);
        if (kind) declared_types_[kind->dialect][kind->type] = true;
      } else {
        const auto op = registry_.find_op(dialect.name + "." + std::get<OpInfo>(declared).name);
        if (op) declared_ops_[op->dialect()][op->number()] = true;
      }
    }
  }

  bool has_locations(InstrId dialect) const {
    if (module_.locations().of(dialect)) return true;
    for (const RegionId region : module_.regions(dialect)) {
      const BlockId block = cfg_.first_block(region);
      for (InstrId instr = cfg_.first(block); instr; instr = cfg_.next(block, instr)) {
        if (module_.locations().of(instr)) return true;
      }
    }
    return false;
  }

  void start_instr(InstrId instr) {
    if (instrs_.opcode(instr) == dsl_op::kDialect && short_declarations(instr)) return;
    indent(depth());
    const bool shared = cfg_.is_shared(instr);
    if (shared || instrs_.is_used({instr.index(), kind::kInstr})) {
      out_ += '$';
      number(label(instr_labels_, next_instr_, instr.index()));
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
      symbol(instr, opcode, name);
    } else {
      out_ += name;
    }
    operands(instr, 0);
  }

  /// String behind an attribute, if it is one.
  const FatDynObjRef* entry(const std::vector<std::pair<AttrId, FatDynObjRef>>& entries,
                            std::string_view name) const {
    for (const auto& [key, ref] : entries) {
      if (attributes_.text_view(key) == name && ref.kind == kind::kAttr &&
          attributes_.kind(AttrId(ref.id)) == AttrKind::kString) {
        return &ref;
      }
    }
    return nullptr;
  }

  void symbol(InstrId instr, Opcode opcode, const std::string& op) {
    const AttrId dictionary = module_.dictionary(instr);
    const auto entries =
        dictionary ? attributes_.entries(dictionary) : std::vector<std::pair<AttrId, FatDynObjRef>>();
    const FatDynObjRef* name = entry(entries, "sym_name");
    if (name == nullptr) {
      out_ += op;
      return;
    }
    const std::string_view text = attributes_.text_view(AttrId(name->id));
    if (opcode.dialect() == kCoreDialect && is_plain_name(text)) {
      out_ += "let ";
      out_ += text;
      out_ += " = ";
      out_ += registry_.op(opcode).name;
    } else {
      out_ += op;
      out_ += " @";
      append_name(out_, text);
    }
    if (const FatDynObjRef* visibility = entry(entries, "sym_visibility")) {
      const std::string_view seen = attributes_.text_view(AttrId(visibility->id));
      if (seen == "private" || seen == "nested") {
        out_ += ' ';
        out_ += seen;
      }
    }
  }

  /// The dictionary of a symbol without what stands behind the operation.
  void symbol_dictionary(InstrId instr, AttrId dictionary) {
    const auto entries = attributes_.entries(dictionary);
    const bool named = entry(entries, "sym_name") != nullptr;
    const FatDynObjRef* visibility = entry(entries, "sym_visibility");
    const bool shown = visibility != nullptr && (attributes_.text_view(AttrId(visibility->id)) == "private" ||
                                                 attributes_.text_view(AttrId(visibility->id)) == "nested");
    std::size_t count = 0;
    for (const auto& [key, ref] : entries) {
      const std::string_view name = attributes_.text_view(key);
      if (named && (name == "sym_name" || (name == "sym_visibility" && shown))) continue;
      out_ += count++ == 0 ? " {" : ", ";
      append_name(out_, name);
      out_ += " = ";
      value(ref);
    }
    if (count != 0) {
      out_ += '}';
      return;
    }
    // Else the dictionary before would be read as this one.
    const std::uint32_t operand_count = instrs_.operand_count(instr);
    if (operand_count < 2) return;
    const Operand before = instrs_.operand(instr, operand_count - 2);
    if (!before.is_def && before.ref.kind == kind::kAttr &&
        attributes_.kind(AttrId(before.ref.id)) == AttrKind::kDict) {
      out_ += " dict {}";
    }
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
          type(instrs_.type(ValueId(operand.ref.id)));
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
        symbol_dictionary(instr, AttrId(operand.ref.id));
        continue;
      }
      out_ += ' ';
      use(operand.ref);
    }
    if (options_.locations) location(module_.locations().of(instr));
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
        number(label(block_labels_, next_block_, ref.id));
        out_ += ' ';
      }
    } else {
      const bool used = instrs_.is_used({ref.id, kind::kRegion});
      if (used) {
        out_ += "core.region &";
        number(label(region_labels_, next_region_, ref.id));
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

  void location(LocationId set) {
    if (!set) return;
    bool first = true;
    for (const Origin& origin : module_.locations().ordered_origins(set, attributes_)) {
      out_ += first ? " loc(" : ", ";
      first = false;
      append_quoted(out_, attributes_.text_view(origin.file));
      out_ += ':';
      number(origin.line);
      out_ += ':';
      number(origin.column);
    }
    if (!first) out_ += ')';
  }

  void use(const FatDynObjRef& ref) {
    if (ref.kind == kind::kBlock) {
      out_ += '^';
      number(label(block_labels_, next_block_, ref.id));
    } else if (ref.kind == kind::kRegion) {
      out_ += '&';
      number(label(region_labels_, next_region_, ref.id));
    } else if (ref.kind == kind::kInstr) {
      out_ += '$';
      number(label(instr_labels_, next_instr_, ref.id));
    } else if (ref.kind == kind::kType && is_region_word(TypeId(ref.id))) {
      out_ += "use(";
      type(TypeId(ref.id));
      out_ += ')';
    } else if (ref.kind == kind::kAttr && attributes_.kind(AttrId(ref.id)) == AttrKind::kDict &&
               attributes_.entries(AttrId(ref.id)).empty()) {
      out_ += "dict {}";
    } else {
      value(ref);
    }
  }

  bool is_region_word(TypeId type) const {
    const ObjKind kind = attributes_.type_kind(type);
    return kind == kind::kRegion || kind == kind::kBlock;
  }

  void constant(const FatDynObjRef& ref) {
    if (ref.kind == kind::kConstant && ref.id == 1) {
      out_ += ref.payload != 0 ? "true" : "false";
      return;
    }
    if (ref.kind == kind::kConstant && ref.id == 64) {
      if (ref.payload >> 63 != 0) out_ += '-';
      number(ref.payload >> 63 != 0 ? ~ref.payload + 1 : ref.payload);
      return;
    }
    const Constant content = attributes_.constant(ref);
    out_ += "constant(";
    if (ref.kind == kind::kConstant) {
      number(ref.payload);
    } else {
      static constexpr char kHex[] = "0123456789abcdef";
      out_ += "0x";
      bool started = false;
      for (std::size_t i = content.words.size() * 16; i-- > 0;) {
        const auto digit = static_cast<std::size_t>(content.words[i / 16] >> (4 * (i % 16)) & 15);
        started = started || digit != 0 || i == 0;
        if (started) out_ += kHex[digit];
      }
    }
    out_ += ", ";
    number(content.width);
    out_ += ')';
  }

  /// A value of any depth: what is left to write is kept on a stack.
  void value(const FatDynObjRef& whole) {
    struct Piece {
      FatDynObjRef ref;
      std::string_view text;  // written instead of `ref`
      AttrId key;             // written in front of `ref`
    };
    const std::size_t start = out_.size();
    std::vector<Piece> left = {{whole, {}, {}}};
    while (!left.empty()) {
      if (out_.size() - start > kLongestValue) throw LimitError("print: an attribute is too long as text");
      const Piece piece = left.back();
      left.pop_back();
      if (!piece.text.empty()) {
        out_ += piece.text;
        continue;
      }
      if (piece.key) {
        append_name(out_, attributes_.text_view(piece.key));
        out_ += " = ";
      }
      const FatDynObjRef& ref = piece.ref;
      const auto push_items = [&](const std::vector<FatDynObjRef>& items, std::string_view close) {
        left.push_back({{}, close, {}});
        for (std::size_t i = items.size(); i-- > 0;) {
          left.push_back({items[i], {}, {}});
          if (i > 0) left.push_back({{}, ", ", {}});
        }
      };
      if (ref.kind == kind::kNone) {
        out_ += '_';
      } else if (ref.kind == kind::kConstant || ref.kind == kind::kWide) {
        constant(ref);
      } else if (ref.kind == kind::kType) {
        const ObjKind kind = attributes_.type_kind(TypeId(ref.id));
        if (!registry_.knows(kind)) throw UsageError("print: a type is unknown");
        need(kind);
        out_ += registry_.name(kind);
        const auto params = attributes_.type_params(TypeId(ref.id));
        if (params.empty()) continue;
        out_ += '(';
        push_items(params, ")");
      } else if (ref.kind == kind::kAttr) {
        const AttrId attr(ref.id);
        switch (attributes_.kind(attr)) {
          case AttrKind::kString: append_quoted(out_, attributes_.text_view(attr)); break;
          case AttrKind::kList:
            out_ += '[';
            push_items(attributes_.items(attr), "]");
            break;
          case AttrKind::kDict: {
            out_ += '{';
            left.push_back({{}, "}", {}});
            const auto entries = attributes_.entries(attr);
            for (std::size_t i = entries.size(); i-- > 0;) {
              left.push_back({entries[i].second, {}, entries[i].first});
              if (i > 0) left.push_back({{}, ", ", {}});
            }
            break;
          }
          case AttrKind::kSymbolRef: {
            bool first = true;
            for (const AttrId name : attributes_.path(attr)) {
              out_ += first ? "@" : "::@";
              first = false;
              append_name(out_, attributes_.text_view(name));
            }
            break;
          }
          case AttrKind::kWide: throw UsageError("print: a constant is stored as an attribute");
        }
      } else if (ref.kind.dialect != kCoreDialect && registry_.knows(ref.kind)) {
        out_ += "object(";
        out_ += registry_.name(ref.kind);
        need(ref.kind);
        out_ += ", ";
        number(ref.id);
        out_ += ", ";
        if (ref.payload >> 63 != 0) out_ += '-';
        number(ref.payload >> 63 != 0 ? ~ref.payload + 1 : ref.payload);
        out_ += ')';
      } else {
        throw UsageError("print: an attribute refers to an instruction, value, block or region");
      }
    }
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

  static void declare_doc(std::string& out, const std::string& doc) {
    if (doc.empty()) return;
    out += " let doc = ";
    append_quoted(out, doc);
    out += ';';
  }

  static void declare_type(std::string& out, const TypeInfo& type) {
    out += "  let " + type.name + " = type {";
    if (type.params != 0) {
      out += " let params = list {";
      static constexpr const char* kKinds[] = {"any", "unsigned", "type", "string"};
      for (std::size_t i = 0; i < type.param_info.size(); ++i) {
        out += (i == 0 ? " %" : ", %") + type.param_info[i].name + ":core." +
               kKinds[static_cast<std::size_t>(type.param_info[i].kind)];
      }
      out += " };";
    }
    if (type.is_token) out += " let token = true;";
    declare_doc(out, type.doc);
    out += " }\n";
  }

  static void declare_op(std::string& out, const OpInfo& op) {
    out += "  let " + op.name + " = core.instr { let defs = " + std::to_string(op.defs) +
           "; let uses = " + std::to_string(op.uses) + ";";
    for (const NamedTrait& named : kNamedTraits) {
      if ((op.traits & named.trait) != 0) out += " let " + std::string(named.name) + " = true;";
    }
    declare_doc(out, op.doc);
    out += " }\n";
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
  using Flags = std::array<std::bitset<256>, 256>;
  Flags declared_ops_, declared_types_;    // by declarations printed so far
  Flags missing_ops_, missing_types_;      // used without one
  std::array<bool, 256> used_dialects_{};  // with something missing
  std::vector<std::string> types_;
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
  Stop stop;
  const PrintOptions options;
  TextPrinter printer(module, options, stop, false);
  printer.type(type);
  return printer.text();
}

}  // namespace dynomite::ir
