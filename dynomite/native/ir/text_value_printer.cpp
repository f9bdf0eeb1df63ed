#include "dynomite/native/ir/text_value_printer.hpp"

#include <array>
#include <charconv>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/text_quoting.hpp"

namespace dynomite::ir {

namespace {

// Shared parts of attributes are written out each time; text of one operand may not exceed this.
constexpr std::size_t kLongestValue = std::size_t{1} << 28;
constexpr std::size_t kLongestCachedType = 64;

}  // namespace

void ValuePrinter::number(std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out_.append(digits.data(), end);
}

void ValuePrinter::signed_number(std::uint64_t bits) {
  const bool is_negative = bits >> 63 != 0;
  if (is_negative) out_ += '-';
  number(is_negative ? ~bits + 1 : bits);
}

void ValuePrinter::type(TypeId type) {
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

void ValuePrinter::location(LocationId set) {
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

void ValuePrinter::constant(const FatDynObjRef& ref) {
  if (ref.kind == kind::kConstant && ref.id == 1) {
    out_ += ref.payload != 0 ? "true" : "false";
    return;
  }
  if (ref.kind == kind::kConstant && ref.id == 64) {
    signed_number(ref.payload);
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

void ValuePrinter::value(const FatDynObjRef& whole) {
  const std::size_t start = out_.size();
  left_.assign(1, {whole, {}, {}});
  while (!left_.empty()) {
    if (out_.size() - start > kLongestValue) throw LimitError("print: an attribute is too long as text");
    const Piece next = left_.back();
    left_.pop_back();
    if (!next.text.empty()) {
      out_ += next.text;
      continue;
    }
    if (next.key) {
      append_name(out_, attributes_.text_view(next.key));
      out_ += " = ";
    }
    piece(next.ref);
  }
}

void ValuePrinter::push_items(const std::vector<FatDynObjRef>& items, std::string_view close) {
  left_.push_back({{}, close, {}});
  for (std::size_t i = items.size(); i-- > 0;) {
    left_.push_back({items[i], {}, {}});
    if (i > 0) left_.push_back({{}, ", ", {}});
  }
}

void ValuePrinter::piece(const FatDynObjRef& ref) {
  if (ref.kind == kind::kNone) {
    out_ += '_';
  } else if (ref.kind == kind::kConstant || ref.kind == kind::kWide) {
    constant(ref);
  } else if (ref.kind == kind::kType) {
    const ObjKind kind = attributes_.type_kind(TypeId(ref.id));
    if (!registry_.knows(kind)) throw UsageError("print: a type is unknown");
    need_(kind);
    out_ += registry_.name(kind);
    const auto params = attributes_.type_params(TypeId(ref.id));
    if (params.empty()) return;
    out_ += '(';
    push_items(params, ")");
  } else if (ref.kind == kind::kAttr) {
    attribute(AttrId(ref.id));
  } else if (ref.kind.dialect != kCoreDialect && registry_.knows(ref.kind)) {
    out_ += "object(";
    out_ += registry_.name(ref.kind);
    need_(ref.kind);
    out_ += ", ";
    number(ref.id);
    out_ += ", ";
    signed_number(ref.payload);
    out_ += ')';
  } else {
    throw UsageError("print: an attribute refers to an instruction, value, block or region");
  }
}

void ValuePrinter::attribute(AttrId attr) {
  switch (attributes_.kind(attr)) {
    case AttrKind::kString: append_quoted(out_, attributes_.text_view(attr)); break;
    case AttrKind::kList:
      out_ += '[';
      push_items(attributes_.items(attr), "]");
      break;
    case AttrKind::kDict: {
      out_ += '{';
      left_.push_back({{}, "}", {}});
      const auto entries = attributes_.entries(attr);
      for (std::size_t i = entries.size(); i-- > 0;) {
        left_.push_back({entries[i].second, {}, entries[i].first});
        if (i > 0) left_.push_back({{}, ", ", {}});
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
}

}  // namespace dynomite::ir
