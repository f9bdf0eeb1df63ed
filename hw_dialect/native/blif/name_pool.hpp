#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hw {

/// A name interned in a `NamePool`. Equality only.
class NameId {
 public:
  constexpr NameId() = default;
  constexpr explicit NameId(std::uint32_t index) : index_(index) {}
  constexpr std::uint32_t index() const { return index_; }
  constexpr bool none() const { return index_ == UINT32_MAX; }
  constexpr bool operator==(const NameId&) const = default;

 private:
  std::uint32_t index_ = UINT32_MAX;
};

/// Every distinct name once: characters in one string, an open-addressing table of ids in front.
/// Views stay valid until the next `intern`.
class NamePool {
 public:
  /// The id of `name`, made on first sight. Constant expected time.
  NameId intern(std::string_view name) { return intern(name, hash_of(name)); }
  /// The same for a known `hash_of(name)`. To overlap cache misses, hash and prefetch several names first.
  NameId intern(std::string_view name, std::uint32_t hash);
  static std::uint32_t hash_of(std::string_view name);
  void prefetch(std::uint32_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  /// The id of `name`, or none.
  NameId find(std::string_view name) const;
  std::string_view text(NameId id) const {
    const std::uint32_t begin = id.index() == 0 ? 0 : ends_[id.index() - 1];
    return std::string_view(chars_).substr(begin, ends_[id.index()] - begin);
  }
  std::size_t size() const { return ends_.size(); }
  std::size_t memory() const {
    return chars_.capacity() + ends_.capacity() * 4 + slots_.capacity() * sizeof(Slot);
  }

 private:
  struct Slot {
    std::uint32_t id = UINT32_MAX;
    std::uint32_t hash = 0;
  };
  std::size_t locate(std::string_view name, std::uint32_t hash) const;
  void grow();

  std::string chars_;
  std::vector<std::uint32_t> ends_;  // end of each name in chars_; it begins where the one before ends
  std::vector<Slot> slots_;          // a power of two of them, at most 3/4 full
};

}  // namespace hw
