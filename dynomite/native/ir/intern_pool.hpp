#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace dynomite::ir {

/// Unique immutable contents: a tag and a row of words. Equal contents get equal numbers, counted from 0 in
/// the order of first use. 8 bytes a word, 12 an entry, 8 or less in the hash table.
class InternPool {
 public:
  /// The number of this content, new or known. Constant expected time in its length.
  std::uint32_t add(std::uint32_t tag, std::span<const std::uint64_t> words);
  std::uint32_t tag(std::uint32_t number) const { return entries_[number].tag; }
  std::span<const std::uint64_t> words(std::uint32_t number) const {
    const Entry& entry = entries_[number];
    return {words_.data() + entry.first, entry.count};
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::size_t memory() const;

 private:
  struct Entry {
    std::uint32_t tag;
    std::uint32_t count;
    std::size_t first;
  };
  static std::uint64_t hash(std::uint32_t tag, std::span<const std::uint64_t> words);
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> slots_;  // number + 1; power of two, at most half full
};

}  // namespace dynomite::ir
