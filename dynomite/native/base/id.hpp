#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace dynomite {

/// A dense 32-bit id of one kind of object in one store. Equality only: where the order of ids means
/// something, the store says so. The default value is "none".
template <typename Tag>
class Id {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t index) : index_(index) {}
  constexpr std::uint32_t index() const { return index_; }
  constexpr bool is_none() const { return index_ == kNone; }
  constexpr explicit operator bool() const { return index_ != kNone; }
  constexpr bool operator==(const Id&) const = default;

 private:
  std::uint32_t index_ = kNone;
};

}  // namespace dynomite

template <typename Tag>
struct std::hash<dynomite::Id<Tag>> {
  std::size_t operator()(dynomite::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>()(id.index());
  }
};
