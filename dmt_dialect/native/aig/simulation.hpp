#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/aig/sim_kernels.hpp"
#include "dmt_dialect/native/aig/sim_schedule.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

// Bit-parallel simulation. Values are rows of 64-bit words; pattern p is bit p % 64 of word p / 64. Bits
// beyond the last pattern are 0 in every result. Results do not depend on the instruction set or the
// blocking.

/// Where the values of the inputs come from.
class PatternSource {
 public:
  /// Uniform random bits: input i has its own generator, seeded by value i of `Random(seed)`; its value w is
  /// word w. So the patterns of a shorter run are the first of a longer one.
  static PatternSource random(std::uint64_t seed);
  /// Every combination: input i is bit i of the pattern's number.
  static PatternSource exhaustive();
  /// Rows of `words` words: row (cycle * rows_per_cycle + input). `unknown` (nullptr or the same shape) marks
  /// bits that are X in three-valued simulation. The memory must outlive the source.
  static PatternSource given(const std::uint64_t* values, const std::uint64_t* unknown,
                             std::size_t rows_per_cycle, std::size_t words);

  /// Writes words [first, first + count) of `input` in `cycle`; `total` is the words of one cycle.
  void fill(std::uint32_t input, std::size_t cycle, std::size_t first, std::size_t count, std::size_t total,
            std::uint64_t* out) const;
  /// The words that say which bits are X.
  void fill_unknown(std::uint32_t input, std::size_t cycle, std::size_t first, std::size_t count,
                    std::uint64_t* out) const;

 private:
  enum class Kind : std::uint8_t { kRandom, kExhaustive, kGiven };
  PatternSource() = default;
  Kind kind_ = Kind::kRandom;
  std::uint64_t seed_ = 0;
  const std::uint64_t* values_ = nullptr;
  const std::uint64_t* unknown_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t words_ = 0;
};

/// One simulation run. Combinational: one cycle, no state, every source comes from `inputs`. Sequential: the
/// last `state_count` sources are the latches and the last `state_count` roots their next-state functions;
/// `state` holds the latch values before the first cycle and, after the run, those after the last.
struct SimRun {
  PatternSource inputs = PatternSource::random(1);
  std::size_t patterns = 0;
  std::size_t cycles = 1;
  std::uint32_t state_count = 0;
  /// state_count rows of words_of(patterns) words. `state_unknown` only if ternary.
  std::uint64_t* state = nullptr;
  std::uint64_t* state_unknown = nullptr;
  /// cycles x (roots - state_count) rows of words_of(patterns) words. `out_unknown` only if ternary: which
  /// bits are X; their value bits are 0.
  std::uint64_t* out = nullptr;
  std::uint64_t* out_unknown = nullptr;
  bool ternary = false;
  Simd simd = Simd::kAuto;
  /// Words simulated at a time, rounded to a kernel width; 0: the widest block whose slots fit in the cache.
  std::size_t block_words = 0;
};

constexpr std::size_t words_of(std::size_t patterns) { return patterns / 64 + (patterns % 64 != 0 ? 1 : 0); }

/// Runs; false if `stop` ended it early, and the results are incomplete then. Time is linear in
/// ops x words x cycles; memory beside the results is slots x block.
bool simulate(const SimSchedule& schedule, const SimRun& run, dynomite::Stop& stop);

/// Values of all nodes: `out` has aig.node_count() rows of words_of(patterns) words. Inputs, then latches,
/// are the rows of `source`. False if `stop` ended it early.
bool simulate_nodes(const AigSnapshot& aig, const PatternSource& source, std::size_t patterns,
                    std::uint64_t* out, dynomite::Stop& stop, Simd simd = Simd::kAuto);

}  // namespace dmt
