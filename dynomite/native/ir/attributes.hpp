#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynomite/native/ir/intern_pool.hpp"
#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

enum class AttrKind : std::uint32_t { kString, kWide, kList, kDict, kSymbolRef };

/// An integer constant of any width. Up to 64 bits it fits into a reference; wider ones are interned.
/// Bits beyond the width are 0.
struct Constant {
  std::uint32_t width = 0;
  std::vector<std::uint64_t> words;
  bool operator==(const Constant&) const = default;
};

/// The interned attributes and types of a module.
class Attributes {
 public:
  AttrId string(std::string_view text);
  AttrId list(std::span<const FatDynObjRef> items);
  /// Entries are sorted by name (bytes); a name must not come twice (UsageError).
  AttrId dict(std::vector<std::pair<AttrId, FatDynObjRef>> entries);
  /// A path of names: `@a::@b`.
  AttrId symbol_ref(std::span<const AttrId> path);
  FatDynObjRef constant(std::uint32_t width, std::span<const std::uint64_t> words);

  AttrKind kind(AttrId attr) const { return static_cast<AttrKind>(attrs_.tag(attr.index())); }
  std::string text(AttrId attr) const { return std::string(text_view(attr)); }
  /// Valid until the next attribute is made.
  std::string_view text_view(AttrId attr) const;
  std::vector<FatDynObjRef> items(AttrId attr) const;
  std::vector<std::pair<AttrId, FatDynObjRef>> entries(AttrId attr) const;
  std::vector<AttrId> path(AttrId attr) const;
  /// The constant behind a reference of kind kConstant or kWide.
  Constant constant(const FatDynObjRef& ref) const;
  /// Bits of a constant of kind kWide, lowest word first; valid until the next attribute is made.
  std::span<const std::uint64_t> wide_words(AttrId attr) const {
    return attrs_.words(attr.index()).subspan(1);
  }
  std::uint32_t wide_width(AttrId attr) const {
    return static_cast<std::uint32_t>(attrs_.words(attr.index())[0]);
  }

  /// The type `kind(params...)`.
  TypeId type(ObjKind kind, std::span<const FatDynObjRef> params);
  ObjKind type_kind(TypeId type) const;
  std::vector<FatDynObjRef> type_params(TypeId type) const;
  std::uint32_t type_param_count(TypeId type) const;
  FatDynObjRef type_param(TypeId type, std::uint32_t index) const;

  std::uint32_t attr_count() const { return attrs_.size(); }
  std::uint32_t type_count() const { return types_.size(); }
  std::size_t memory() const { return attrs_.memory() + types_.memory(); }

 private:
  InternPool attrs_;
  InternPool types_;
};

}  // namespace dynomite::ir
