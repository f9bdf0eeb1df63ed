#include "dynomite/native/ir/intern_pool.hpp"

#include <algorithm>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

std::uint64_t InternPool::hash(std::uint32_t tag, std::span<const std::uint64_t> words) {
  std::uint64_t value = mix(tag, words.size());
  for (const std::uint64_t word : words) value = mix(value, word);
  return value;
}

void InternPool::grow() {
  slots_.assign(std::max<std::size_t>(16, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t slot = hash(tag(number), words(number)) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

std::uint32_t InternPool::add(std::uint32_t tag, std::span<const std::uint64_t> content) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash(tag, content) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t number = slots_[slot] - 1;
    const auto known = words(number);
    if (this->tag(number) == tag && std::equal(known.begin(), known.end(), content.begin(), content.end())) {
      return number;
    }
  }
  if (entries_.size() >= 0xFFFFFFF0U || content.size() > 0xFFFFFFFFU) {
    throw LimitError("more than 2^32 - 16 interned objects");
  }
  const std::uint32_t number = size();
  entries_.push_back({tag, static_cast<std::uint32_t>(content.size()), words_.size()});
  words_.insert(words_.end(), content.begin(), content.end());
  slots_[slot] = number + 1;
  return number;
}

std::size_t InternPool::memory() const {
  return entries_.capacity() * sizeof(Entry) + words_.capacity() * 8 + slots_.capacity() * 4;
}

}  // namespace dynomite::ir
