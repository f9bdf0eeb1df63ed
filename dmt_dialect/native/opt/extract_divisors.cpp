#include "dmt_dialect/native/opt/extract_divisors.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace dmt::opt {

namespace {

/// The two parts of a pair of products that they do not share.
struct Parts {
  std::array<std::array<std::uint32_t, Divisor::kMost>, 2> literals;
  std::array<unsigned, 2> size = {0, 0};

  bool push(unsigned part, std::uint32_t literal, unsigned most) {
    if (size[0] + size[1] == most) return false;
    literals[part][size[part]++] = literal;
    return true;
  }
  std::span<const std::uint32_t> part(unsigned number) const {
    return {literals[number].data(), size[number]};
  }
};

Divisor assemble(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second) {
  Divisor result;
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), result.literals.begin()));
  result.first = static_cast<std::uint8_t>(first.size());
  result.second = static_cast<std::uint8_t>(second.size());
  return result;
}

/// For the products s y + s' z: with a plain y, and s first; an XOR as an XNOR.
Division multiplexer(std::uint32_t select, std::uint32_t high, std::uint32_t low) {
  if ((select & 1U) != 0) {
    select ^= 1U;
    std::swap(high, low);
  }
  if (high == (low ^ 1U) && (high | 1U) < select) {  // either may select: the lower does
    const std::uint32_t complement = high & 1U;
    high = select ^ complement;
    select = (low & ~1U);
    low = high ^ 1U;
  }
  Division result;
  result.complemented = (high & 1U) != 0;
  const auto flip = static_cast<std::uint32_t>(result.complemented);
  std::array<std::uint32_t, 2> first = {select, high ^ flip}, second = {select ^ 1U, low ^ flip};
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  result.divisor = assemble(first, second);
  return result;
}

Division canonical(const Parts& parts) {
  const auto a = parts.part(0), b = parts.part(1);
  if (a.size() == 1 && b.size() == 1) return {divisor_of_literals(a[0] ^ 1U, b[0] ^ 1U), true, 0};
  if (a.size() == 2 && b.size() == 2) {
    for (unsigned i = 0; i < 2; ++i) {
      for (unsigned j = 0; j < 2; ++j) {
        if (a[i] == (b[j] ^ 1U)) return multiplexer(a[i], a[1 - i], b[1 - j]);
      }
    }
  }
  const bool swapped = a.size() != b.size() ? a.size() > b.size() : a[0] > b[0];
  return {swapped ? assemble(b, a) : assemble(a, b), false, 0};
}

std::size_t hash_of(const Divisor& divisor) {
  std::uint64_t hash = divisor.first * 0x9E3779B97F4A7C15ULL;
  for (unsigned i = 0; i < divisor.size(); ++i) {
    hash = (hash ^ divisor.literals[i]) * 0xFF51AFD7ED558CCDULL;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace

Divisor divisor_of_literals(std::uint32_t a, std::uint32_t b) {
  const std::array<std::uint32_t, 2> pair = {std::min(a, b), std::max(a, b)};
  return assemble(pair, {});
}

std::optional<Division> divide_products(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                        unsigned most) {
  Parts parts;
  std::uint32_t base = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++base, ++i, ++j;
      continue;
    }
    const bool from_a = j == b.size() || (i < a.size() && a[i] < b[j]);
    if (!parts.push(from_a ? 0 : 1, from_a ? a[i++] : b[j++], most)) return std::nullopt;
  }
  if (parts.size[0] == 0 || parts.size[1] == 0) return std::nullopt;
  // x y + x' would be y + x': products of an irredundant sum are not like that, but a pair x, x' may be.
  if (parts.size[0] == 1 && parts.size[1] == 1 && parts.literals[0][0] == (parts.literals[1][0] ^ 1U))
    return std::nullopt;
  Division result = canonical(parts);
  result.base = base;
  return result;
}

std::size_t DivisorTable::slot(const Divisor& divisor) const {
  std::size_t at = hash_of(divisor) & (slots_.size() - 1);
  while (slots_[at] != kNone && !(entries_[slots_[at]].divisor == divisor))
    at = (at + 1) & (slots_.size() - 1);
  return at;
}

void DivisorTable::grow() {
  slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), kNone);
  for (std::uint32_t number = 0; number < size(); ++number) slots_[slot(entries_[number].divisor)] = number;
}

std::uint32_t DivisorTable::find(const Divisor& divisor) const {
  return slots_.empty() ? kNone : slots_[slot(divisor)];
}

std::uint32_t DivisorTable::find_or_add(const Divisor& divisor, std::uint32_t level) {
  if (2 * entries_.size() >= slots_.size()) grow();
  const std::size_t at = slot(divisor);
  if (slots_[at] == kNone) {
    slots_[at] = size();
    entries_.emplace_back();
    entries_.back().divisor = divisor;
    entries_.back().level = level;
  }
  return slots_[at];
}

std::int32_t DivisorTable::gain(std::uint32_t number) const {
  const Entry& entry = entries_[number];
  if (entry.count == 0) return 0;
  const std::uint32_t nodes = entry.count - (entry.literal == kNone ? 1 : 0);
  return static_cast<std::int32_t>(entry.base + nodes * (entry.divisor.size() - 1));
}

void DivisorTable::enqueue(std::uint32_t number) {
  Entry& entry = entries_[number];
  const std::int32_t now = gain(number);
  if (now <= entry.queued) return;  // `pop` finds out about those that fell
  entry.queued = now;
  queue_.push_back({now, entry.level, number});
  std::push_heap(queue_.begin(), queue_.end());
}

void DivisorTable::add(std::uint32_t number, Place place, std::uint32_t base) {
  Entry& entry = entries_[number];
  ++entry.count;
  entry.base += base;
  const auto at = static_cast<std::uint32_t>(places_.size());
  places_.push_back({place, kNone});
  (entry.first_place == kNone ? entry.first_place : places_[entry.last_place].next) = at;
  entry.last_place = at;
  enqueue(number);
}

void DivisorTable::remove(std::uint32_t number, std::uint32_t base) {
  Entry& entry = entries_[number];
  assert(entry.count > 0 && entry.base >= base);
  --entry.count;
  entry.base -= base;
}

std::uint32_t DivisorTable::pop() {
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Waiting best = queue_.back();
    queue_.pop_back();
    Entry& entry = entries_[best.number];
    if (best.gain != entry.queued) continue;  // it rose since, and is there again
    entry.queued = 0;
    const std::int32_t now = gain(best.number);
    if (now == best.gain) return best.number;
    if (now > 0) enqueue(best.number);
  }
  return kNone;
}

void DivisorTable::take_places(std::uint32_t number, std::vector<Place>& places) {
  places.clear();
  Entry& entry = entries_[number];
  for (std::uint32_t at = entry.first_place; at != kNone; at = places_[at].next)
    places.push_back(places_[at].place);
  entry.first_place = entry.last_place = kNone;
}

}  // namespace dmt::opt
