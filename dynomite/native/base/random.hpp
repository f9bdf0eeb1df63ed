#pragma once

#include <cstdint>

namespace dynomite {

/// The project's only random generator: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Same seed, same
/// sequence on every platform; 64 fresh bits a call.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  /// Leaves out the next `n` values, in constant time.
  void skip(std::uint64_t n) { state_ += n * 0x9E3779B97F4A7C15ULL; }
  /// Uniform in [0, bound); `bound` > 0.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace dynomite
