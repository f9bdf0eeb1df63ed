#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynomite/native/ir/attributes.hpp"
#include "dynomite/native/ir/intern_pool.hpp"
#include "dynomite/native/ir/refs.hpp"

namespace dynomite::ir {

/// One place in a source: a file name (a string attribute), a line and a column from 1.
struct Origin {
  AttrId file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const Origin&) const = default;
};

/// Sets of origins, interned; an instruction carries one set. 4 bytes an instruction once any has one.
/// `unite` is linear in the sets; the union of equal sets costs nothing.
class Locations {
 public:
  LocationId single(const Origin& origin);
  /// The set of these places; linear, unlike uniting them one by one.
  LocationId several(std::span<const Origin> places);
  LocationId unite(LocationId a, LocationId b);
  /// Of any number of sets, some of which may be none: O(n log n) in all their origins.
  LocationId unite(std::span<const LocationId> sets);
  /// In the order in which the origins were first made.
  std::vector<Origin> origins(LocationId set) const;
  /// Ordered by text of the file name, line and column: the same in every module.
  std::vector<Origin> ordered_origins(LocationId set, const Attributes& attributes) const;

  LocationId of(InstrId instr) const {
    return instr.index() < of_instr_.size() ? of_instr_[instr.index()] : LocationId();
  }
  void set(InstrId instr, LocationId location);
  std::size_t memory() const {
    return origins_.memory() + sets_.memory() + of_instr_.capacity() * sizeof(LocationId);
  }

 private:
  std::uint64_t member(const Origin& origin);

  InternPool origins_;
  InternPool sets_;  // words: numbers of origins, ascending
  std::vector<LocationId> of_instr_;
};

}  // namespace dynomite::ir
