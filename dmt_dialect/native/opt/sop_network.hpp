#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace dmt::opt {

/// Sums of products over each other. A signal is a number; its literals are twice the number, plus one for
/// the complement. A signal is the sum of its products (false if it has none) or, if never given any, an
/// input. Products only shrink, so that their literals stay in one pool.
class SopNetwork {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  std::uint32_t add_signal(std::uint32_t level) {
    cubes_of_.emplace_back();
    levels_.push_back(level);
    return signal_count() - 1;
  }
  std::uint32_t signal_count() const { return static_cast<std::uint32_t>(cubes_of_.size()); }
  std::uint32_t cube_count() const { return static_cast<std::uint32_t>(cubes_.size()); }
  std::span<const std::uint32_t> cubes_of(std::uint32_t signal) const { return cubes_of_[signal]; }
  /// An estimate, for ties.
  std::uint32_t level(std::uint32_t signal) const { return levels_[signal]; }

  /// A product that belongs to no signal yet, of sorted literals.
  std::uint32_t add_cube(std::span<const std::uint32_t> literals) {
    assert(std::is_sorted(literals.begin(), literals.end()));
    cubes_.push_back({pool_.size(), static_cast<std::uint32_t>(literals.size()), kNone});
    pool_.insert(pool_.end(), literals.begin(), literals.end());
    return cube_count() - 1;
  }
  std::span<const std::uint32_t> literals(std::uint32_t cube) const {
    return {pool_.data() + cubes_[cube].start, cubes_[cube].size};
  }
  /// The signal a product is of, or `kNone`.
  std::uint32_t owner(std::uint32_t cube) const { return cubes_[cube].owner; }
  bool has(std::uint32_t cube, std::uint32_t literal) const {
    const auto all = literals(cube);
    return std::find(all.begin(), all.end(), literal) != all.end();
  }

  void attach(std::uint32_t cube, std::uint32_t signal) {
    assert(cubes_[cube].owner == kNone);
    cubes_[cube].owner = signal;
    cubes_of_[signal].push_back(cube);
  }
  void detach(std::uint32_t cube) {
    auto& list = cubes_of_[cubes_[cube].owner];
    list.erase(std::find(list.begin(), list.end(), cube));
    cubes_[cube].owner = kNone;
  }
  /// Takes the literals of `part`, which the product has, out of it and puts one literal in.
  void divide(std::uint32_t cube, std::span<const std::uint32_t> part, std::uint32_t by) {
    Cube& changed = cubes_[cube];
    std::uint32_t* const first = pool_.data() + changed.start;
    std::uint32_t* end = std::remove_if(first, first + changed.size, [&](std::uint32_t literal) {
      return std::find(part.begin(), part.end(), literal) != part.end();
    });
    assert(end < first + changed.size);
    std::uint32_t* const place = std::upper_bound(first, end, by);
    std::copy_backward(place, end, end + 1);
    *place = by;
    changed.size = static_cast<std::uint32_t>(end + 1 - first);
  }

  /// Of all products that belong to a signal.
  std::uint64_t literal_count() const {
    std::uint64_t count = 0;
    for (const Cube& cube : cubes_) count += cube.owner == kNone ? 0 : cube.size;
    return count;
  }

 private:
  struct Cube {
    std::size_t start;
    std::uint32_t size, owner;
  };

  std::vector<std::vector<std::uint32_t>> cubes_of_;
  std::vector<std::uint32_t> levels_;
  std::vector<Cube> cubes_;
  std::vector<std::uint32_t> pool_;
};

}  // namespace dmt::opt
