#include "dynomite/native/ir/text_names.hpp"

#include <algorithm>
#include <cstring>

#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

std::uint64_t TextNames::hash(std::string_view text) {
  std::uint64_t value = text.size();
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    value = mix(value, word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + i, text.size() - i);
  value = mix(value, word);
  return value ^ (value >> 32);
}

void TextNames::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < entries_.size(); ++number) {
    if (entries_[number].text.empty()) continue;  // a bare number
    std::size_t slot = hash(entries_[number].text) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

std::uint32_t TextNames::find(std::string_view text) const {
  if (slots_.empty()) return kNone;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash(text) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (entries_[slots_[slot] - 1].text == text) return slots_[slot] - 1;
  }
  return kNone;
}

std::uint32_t TextNames::entry(std::string_view text) {
  if (2 * (named_ + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash(text) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (entries_[slots_[slot] - 1].text == text) return slots_[slot] - 1;
  }
  const auto number = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({text, 0, kNone});
  slots_[slot] = number + 1;
  ++named_;
  return number;
}

std::uint32_t TextNames::entry_of_number(std::uint64_t number) {
  const auto fresh = [this] {
    entries_.push_back({});
    return static_cast<std::uint32_t>(entries_.size() - 1);
  };
  if (number >= numbers_.size()) {
    if (number > 1024 + 2 * numbers_.size()) {
      const auto [it, added] = sparse_.try_emplace(number, 0);
      if (added) it->second = fresh();
      return it->second;
    }
    numbers_.resize(std::max<std::size_t>(static_cast<std::size_t>(number) + 1, numbers_.size() * 2), 0);
  }
  std::uint32_t& known = numbers_[static_cast<std::size_t>(number)];
  if (known == 0) {
    const auto it = sparse_.find(number);
    known = (it != sparse_.end() ? it->second : fresh()) + 1;
  }
  return known - 1;
}

bool TextNames::define(std::uint32_t entry, std::uint32_t scope, std::uint32_t definition) {
  Entry& own = entries_[entry];
  if (own.scope == scope) return false;
  hidden_.push_back({entry, own.scope, own.definition});
  own.scope = scope;
  own.definition = definition;
  return true;
}

void TextNames::leave(std::size_t mark) {
  while (hidden_.size() > mark) {
    const Hidden& last = hidden_.back();
    entries_[last.entry].scope = last.scope;
    entries_[last.entry].definition = last.definition;
    hidden_.pop_back();
  }
}

}  // namespace dynomite::ir
