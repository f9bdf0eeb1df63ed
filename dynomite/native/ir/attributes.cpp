#include "dynomite/native/ir/attributes.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "dynomite/native/base/error.hpp"

namespace dynomite::ir {

namespace {

void pack(const FatDynObjRef& ref, std::vector<std::uint64_t>& words) {
  words.push_back(ref.payload);
  words.push_back(std::uint64_t{ref.id} | std::uint64_t{ref.kind.dialect} << 32 |
                  std::uint64_t{ref.kind.type} << 40);
}

FatDynObjRef unpack(const std::uint64_t* words) {
  return {ObjKind{static_cast<DialectId>(words[1] >> 32), static_cast<std::uint8_t>(words[1] >> 40)},
          static_cast<std::uint32_t>(words[1]), words[0]};
}

constexpr std::uint32_t tag_of(AttrKind kind) { return static_cast<std::uint32_t>(kind); }

}  // namespace

AttrId Attributes::string(std::string_view text) {
  const std::size_t count = 1 + (text.size() + 7) / 8;
  if (count <= 8) {
    std::uint64_t words[8] = {};
    words[0] = text.size();
    if (!text.empty()) std::memcpy(words + 1, text.data(), text.size());
    return AttrId(attrs_.add(tag_of(AttrKind::kString), {words, count}));
  }
  std::vector<std::uint64_t> words(count, 0);
  words[0] = text.size();
  std::memcpy(words.data() + 1, text.data(), text.size());
  return AttrId(attrs_.add(tag_of(AttrKind::kString), words));
}

std::string_view Attributes::text_view(AttrId attr) const {
  assert(kind(attr) == AttrKind::kString);
  const auto words = attrs_.words(attr.index());
  return {reinterpret_cast<const char*>(words.data() + 1), static_cast<std::size_t>(words[0])};
}

AttrId Attributes::list(std::span<const FatDynObjRef> items) {
  std::vector<std::uint64_t> words;
  for (const FatDynObjRef& item : items) pack(item, words);
  return AttrId(attrs_.add(tag_of(AttrKind::kList), words));
}

std::vector<FatDynObjRef> Attributes::items(AttrId attr) const {
  assert(kind(attr) == AttrKind::kList);
  const auto words = attrs_.words(attr.index());
  std::vector<FatDynObjRef> items;
  for (std::size_t i = 0; i < words.size(); i += 2) items.push_back(unpack(words.data() + i));
  return items;
}

AttrId Attributes::dict(std::vector<std::pair<AttrId, FatDynObjRef>> entries) {
  std::sort(entries.begin(), entries.end(),
            [this](const auto& a, const auto& b) { return text_view(a.first) < text_view(b.first); });
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && entries[i].first == entries[i - 1].first) {
      throw UsageError("the attribute name '" + text(entries[i].first) + "' comes twice");
    }
    words.push_back(entries[i].first.index());
    pack(entries[i].second, words);
  }
  return AttrId(attrs_.add(tag_of(AttrKind::kDict), words));
}

std::vector<std::pair<AttrId, FatDynObjRef>> Attributes::entries(AttrId attr) const {
  assert(kind(attr) == AttrKind::kDict);
  const auto words = attrs_.words(attr.index());
  std::vector<std::pair<AttrId, FatDynObjRef>> entries;
  for (std::size_t i = 0; i < words.size(); i += 3) {
    entries.emplace_back(AttrId(static_cast<std::uint32_t>(words[i])), unpack(words.data() + i + 1));
  }
  return entries;
}

AttrId Attributes::symbol_ref(std::span<const AttrId> path) {
  if (path.empty()) throw UsageError("a symbol reference needs at least one name");
  std::vector<std::uint64_t> words;
  for (const AttrId name : path) words.push_back(name.index());
  return AttrId(attrs_.add(tag_of(AttrKind::kSymbolRef), words));
}

std::vector<AttrId> Attributes::path(AttrId attr) const {
  assert(kind(attr) == AttrKind::kSymbolRef);
  std::vector<AttrId> path;
  for (const std::uint64_t word : attrs_.words(attr.index())) {
    path.emplace_back(static_cast<std::uint32_t>(word));
  }
  return path;
}

FatDynObjRef Attributes::constant(std::uint32_t width, std::span<const std::uint64_t> words) {
  if (width == 0) throw UsageError("a constant of width 0: values have at least one bit");
  const std::size_t needed = (std::size_t{width} + 63) / 64;
  std::vector<std::uint64_t> content(needed + 1, 0);
  content[0] = width;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == needed && width % 64 != 0;
    const std::uint64_t beyond = i >= needed ? words[i] : last ? words[i] >> (width % 64) : 0;
    if (beyond != 0) throw UsageError("a constant does not fit into " + std::to_string(width) + " bits");
    if (i < needed) content[i + 1] = words[i];
  }
  if (width <= 64) return {kind::kConstant, width, content[1]};
  return {kind::kWide, attrs_.add(tag_of(AttrKind::kWide), content)};
}

Constant Attributes::constant(const FatDynObjRef& ref) const {
  if (ref.kind == kind::kConstant) return {ref.id, {ref.payload}};
  assert(ref.kind == kind::kWide);
  const auto words = attrs_.words(ref.id);
  return {static_cast<std::uint32_t>(words[0]), {words.begin() + 1, words.end()}};
}

TypeId Attributes::type(ObjKind kind, std::span<const FatDynObjRef> params) {
  std::vector<std::uint64_t> words;
  for (const FatDynObjRef& param : params) pack(param, words);
  return TypeId(types_.add(static_cast<std::uint32_t>(kind.dialect) << 8 | kind.type, words));
}

ObjKind Attributes::type_kind(TypeId type) const {
  const std::uint32_t tag = types_.tag(type.index());
  return {static_cast<DialectId>(tag >> 8), static_cast<std::uint8_t>(tag & 0xFF)};
}

std::vector<FatDynObjRef> Attributes::type_params(TypeId type) const {
  const auto words = types_.words(type.index());
  std::vector<FatDynObjRef> params;
  for (std::size_t i = 0; i < words.size(); i += 2) params.push_back(unpack(words.data() + i));
  return params;
}

std::uint32_t Attributes::type_param_count(TypeId type) const {
  return static_cast<std::uint32_t>(types_.words(type.index()).size() / 2);
}

FatDynObjRef Attributes::type_param(TypeId type, std::uint32_t index) const {
  return unpack(types_.words(type.index()).data() + 2 * std::size_t{index});
}

}  // namespace dynomite::ir
