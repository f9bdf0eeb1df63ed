#include "hw_dialect/native/blif/name_pool.hpp"

#include <cstring>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace hw {

// Eight bytes a step, multiplied and folded; the tail is one padded word.
std::uint32_t NamePool::hash_of(std::string_view name) {
  constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15ULL;
  constexpr std::uint64_t kSecond = 0xD6E8FEB86659FD93ULL;
  const char* p = name.data();
  std::size_t left = name.size();
  std::uint64_t h = left * kSecond;
  while (left >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    h = (h ^ word) * kFirst;
    h ^= h >> 29;
    p += 8;
    left -= 8;
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < left; ++i) word = (word << 8) | static_cast<unsigned char>(p[i]);
  h = (h ^ word) * kFirst;
  h ^= h >> 32;
  h *= kSecond;
  return static_cast<std::uint32_t>(h >> 32);
}

std::size_t NamePool::locate(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].id != UINT32_MAX) {
    if (slots_[slot].hash == hash && text(NameId(slots_[slot].id)) == name) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void NamePool::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 64 : old.size() * 2, Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (entry.id == UINT32_MAX) continue;
    std::size_t slot = entry.hash & mask;
    while (slots_[slot].id != UINT32_MAX) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

NameId NamePool::intern(std::string_view name, std::uint32_t hash) {
  if ((ends_.size() + 1) * 4 > slots_.size() * 3) grow();
  Slot& slot = slots_[locate(name, hash)];
  if (slot.id == UINT32_MAX) {
    if (chars_.size() + name.size() > UINT32_MAX || ends_.size() + 1 >= UINT32_MAX) {
      throw dynomite::LimitError("the names of one netlist exceed 4 GiB");
    }
    slot.id = static_cast<std::uint32_t>(ends_.size());
    slot.hash = hash;
    chars_.append(name);
    ends_.push_back(static_cast<std::uint32_t>(chars_.size()));
  }
  return NameId(slot.id);
}

NameId NamePool::find(std::string_view name) const {
  if (slots_.empty()) return NameId();
  return NameId(slots_[locate(name, hash_of(name))].id);
}

}  // namespace hw
