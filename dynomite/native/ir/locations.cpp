#include "dynomite/native/ir/locations.hpp"

#include <algorithm>
#include <iterator>

namespace dynomite::ir {

std::uint64_t Locations::member(const Origin& origin) {
  const std::uint64_t words[2] = {origin.file.index(),
                                  std::uint64_t{origin.line} << 32 | std::uint64_t{origin.column}};
  return origins_.add(0, words);
}

LocationId Locations::single(const Origin& origin) {
  const std::uint64_t only = member(origin);
  return LocationId(sets_.add(0, {&only, 1}));
}

LocationId Locations::several(std::span<const Origin> places) {
  std::vector<std::uint64_t> members;
  members.reserve(places.size());
  for (const Origin& origin : places) members.push_back(member(origin));
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return LocationId(sets_.add(0, members));
}

std::vector<Origin> Locations::ordered_origins(LocationId set, const Attributes& attributes) const {
  std::vector<Origin> result = origins(set);
  std::sort(result.begin(), result.end(), [&](const Origin& a, const Origin& b) {
    if (a.file != b.file) return attributes.text_view(a.file) < attributes.text_view(b.file);
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  return result;
}

LocationId Locations::unite(LocationId a, LocationId b) {
  if (a == b || !b) return a;
  if (!a) return b;
  const auto left = sets_.words(a.index());
  const auto right = sets_.words(b.index());
  std::vector<std::uint64_t> both;
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
  return LocationId(sets_.add(0, both));
}

LocationId Locations::unite(std::span<const LocationId> sets) {
  std::vector<std::uint64_t> all;
  for (const LocationId set : sets) {
    if (!set) continue;
    const auto members = sets_.words(set.index());
    all.insert(all.end(), members.begin(), members.end());
  }
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return LocationId(sets_.add(0, all));
}

std::vector<Origin> Locations::origins(LocationId set) const {
  std::vector<Origin> result;
  if (!set) return result;
  for (const std::uint64_t member : sets_.words(set.index())) {
    const auto words = origins_.words(static_cast<std::uint32_t>(member));
    result.push_back({AttrId(static_cast<std::uint32_t>(words[0])),
                      static_cast<std::uint32_t>(words[1] >> 32), static_cast<std::uint32_t>(words[1])});
  }
  return result;
}

void Locations::set(InstrId instr, LocationId location) {
  if (instr.index() >= of_instr_.size()) {
    if (!location) return;
    of_instr_.resize(std::max<std::size_t>(instr.index() + std::size_t{1}, of_instr_.size() * 3 / 2));
  }
  of_instr_[instr.index()] = location;
}

}  // namespace dynomite::ir
