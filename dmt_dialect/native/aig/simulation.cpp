#include "dmt_dialect/native/aig/simulation.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"

namespace dmt {

using dynomite::Random;
using dynomite::Stop;

namespace {

/// Ops between two polls, at the widest kernel some tens of microseconds.
constexpr std::size_t kOpsPerPoll = 2048;

/// Bytes of the second-level cache of one core; a cautious guess where the system does not say.
std::size_t cache_bytes() {
  static const std::size_t bytes = [] {
    long size = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    size = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return size > 0 ? static_cast<std::size_t>(size) : std::size_t{512} << 10;
  }();
  return bytes;
}

/// Words of one block: as wide as the cache allows, no wider than the run.
std::size_t choose_width(const SimSchedule& schedule, const SimRun& run, std::size_t words) {
  std::size_t width = kSimWidths[0];
  const std::size_t planes = run.ternary ? 2 : 1;
  const std::size_t slots = std::max<std::size_t>(schedule.slot_count(), 1);
  for (const std::size_t candidate : kSimWidths) {
    if (run.block_words != 0) {
      if (candidate <= run.block_words) width = candidate;
      continue;
    }
    const bool fits = slots * candidate * planes * sizeof(std::uint64_t) <= cache_bytes();
    // Processors fetch cache lines in pairs: less than 16 words a slot saves nothing.
    if (candidate > 16 && !fits) break;
    if (candidate > 1 && width >= words) break;
    width = candidate;
  }
  return width;
}

/// Words on cache-line boundaries.
class Buffer {
 public:
  explicit Buffer(std::size_t words)
      : words_(static_cast<std::uint64_t*>(
            ::operator new(std::max<std::size_t>(words, 1) * sizeof(std::uint64_t), std::align_val_t{64}))) {
    std::memset(words_.get(), 0, words * sizeof(std::uint64_t));
  }
  std::uint64_t* at(std::size_t word) { return words_.get() + word; }

 private:
  struct Free {
    void operator()(std::uint64_t* p) const { ::operator delete(p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::uint64_t, Free> words_;
};

/// Runs `count` ops in portions; false if stopped.
bool run_ops(SimKernel kernel, const SimOp* ops, std::size_t count, std::uint64_t* base, std::size_t stride,
             Stop& stop) {
  while (count != 0) {
    const std::size_t portion = std::min(count, kOpsPerPoll);
    kernel(ops, portion, base, stride);
    ops += portion;
    count -= portion;
    if (stop.poll()) return false;
  }
  return true;
}

/// One run: the blocks one after the other, all cycles of a block before the next.
class Runner {
 public:
  Runner(const SimSchedule& schedule, const SimRun& run, Stop& stop)
      : schedule_(schedule),
        run_(run),
        stop_(stop),
        words_(words_of(run.patterns)),
        width_(choose_width(schedule, run, words_)),
        planes_(run.ternary ? 2 : 1),
        stride_(width_ * planes_),
        first_state_(schedule.source_count() - run.state_count),
        observed_(schedule.root_count() - run.state_count),
        kernel_(run.ternary ? ternary_kernel(resolve_simd(run.simd), width_)
                            : sim_kernel(resolve_simd(run.simd), width_)),
        slots_(std::size_t{schedule.slot_count()} * stride_),
        state_(std::size_t{run.state_count} * stride_),
        next_(std::size_t{run.state_count} * stride_) {}

  bool run() {
    for (first_ = 0; first_ < words_; first_ += width_) {
      count_ = std::min(width_, words_ - first_);
      read_state();
      for (cycle_ = 0; cycle_ < run_.cycles; ++cycle_) {
        if (!run_cycle()) return false;
        std::swap(state_, next_);
        if (stop_.poll()) return false;
      }
      write_state();
    }
    return true;
  }

 private:
  bool run_cycle() {
    const SimOp* ops = schedule_.ops().data();
    std::size_t done = 0;
    for (const SimEvent& event : schedule_.events()) {
      if (event.position != done) {
        if (!run_ops(kernel_, ops + done, event.position - done, slots_.at(0), stride_, stop_)) return false;
        done = event.position;
      }
      switch (event.kind) {
        case SimEvent::Kind::kLoad: load(event.index, slots_.at(event.slot * stride_)); break;
        case SimEvent::Kind::kZero: zero(slots_.at(event.slot * stride_)); break;
        case SimEvent::Kind::kStore: store(event); break;
      }
    }
    return run_ops(kernel_, ops + done, schedule_.ops().size() - done, slots_.at(0), stride_, stop_);
  }

  void zero(std::uint64_t* slot) const {
    std::fill_n(slot, width_, std::uint64_t{0});
    if (planes_ == 2) std::fill_n(slot + width_, width_, ~std::uint64_t{0});
  }

  void load(std::uint32_t source, std::uint64_t* slot) {
    if (source >= first_state_) {
      std::memcpy(slot, state_.at((source - first_state_) * stride_), stride_ * sizeof(std::uint64_t));
      return;
    }
    run_.inputs.fill(source, cycle_, first_, count_, words_, slot);
    if (planes_ == 1) return;
    run_.inputs.fill_unknown(source, cycle_, first_, count_, slot + width_);
    to_planes(slot);
  }

  /// (value, unknown) -> (known 1, known 0), in place.
  void to_planes(std::uint64_t* slot) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t known = ~slot[width_ + i];
      slot[width_ + i] = known & ~slot[i];
      slot[i] &= known;
    }
  }

  void store(const SimEvent& event) {
    const std::uint64_t* slot = slots_.at((event.slot >> 1) * stride_);
    const bool complemented = (event.slot & 1U) != 0;
    const std::uint64_t mask = complemented ? ~std::uint64_t{0} : 0;
    if (event.index >= observed_) {
      std::uint64_t* out = next_.at((event.index - observed_) * stride_);
      if (planes_ == 1) {
        for (std::size_t i = 0; i < width_; ++i) out[i] = slot[i] ^ mask;
      } else {
        std::memcpy(out, slot + (complemented ? width_ : 0), width_ * sizeof(std::uint64_t));
        std::memcpy(out + width_, slot + (complemented ? 0 : width_), width_ * sizeof(std::uint64_t));
      }
      return;
    }
    const std::size_t at = (cycle_ * observed_ + event.index) * words_ + first_;
    if (planes_ == 1) {
      for (std::size_t i = 0; i < count_; ++i) run_.out[at + i] = slot[i] ^ mask;
      cut(run_.out + at);
    } else {
      from_planes(slot, complemented, run_.out + at, run_.out_unknown + at);
    }
  }

  /// (known 1, known 0) -> (value, unknown).
  void from_planes(const std::uint64_t* slot, bool complemented, std::uint64_t* value,
                   std::uint64_t* unknown) const {
    const std::uint64_t* one = slot + (complemented ? width_ : 0);
    const std::uint64_t* zero = slot + (complemented ? 0 : width_);
    for (std::size_t i = 0; i < count_; ++i) {
      value[i] = one[i];
      unknown[i] = ~(one[i] | zero[i]);
    }
    cut(value);
    cut(unknown);
  }

  /// Clears the bits beyond the last pattern in a row's part that this block wrote.
  void cut(std::uint64_t* row) const {
    const std::size_t tail = run_.patterns % 64;
    if (tail != 0 && first_ + count_ == words_) row[count_ - 1] &= (std::uint64_t{1} << tail) - 1;
  }

  void read_state() {
    for (std::size_t latch = 0; latch < run_.state_count; ++latch) {
      std::uint64_t* state = state_.at(latch * stride_);
      std::memcpy(state, run_.state + latch * words_ + first_, count_ * sizeof(std::uint64_t));
      if (planes_ == 1) continue;
      std::memcpy(state + width_, run_.state_unknown + latch * words_ + first_,
                  count_ * sizeof(std::uint64_t));
      to_planes(state);
    }
  }

  void write_state() {
    for (std::size_t latch = 0; latch < run_.state_count; ++latch) {
      const std::uint64_t* state = state_.at(latch * stride_);
      std::uint64_t* row = run_.state + latch * words_ + first_;
      if (planes_ == 1) {
        std::memcpy(row, state, count_ * sizeof(std::uint64_t));
        cut(row);
      } else {
        from_planes(state, false, row, run_.state_unknown + latch * words_ + first_);
      }
    }
  }

  const SimSchedule& schedule_;
  const SimRun& run_;
  Stop& stop_;
  const std::size_t words_;
  const std::size_t width_;
  const std::size_t planes_;
  const std::size_t stride_;
  const std::size_t first_state_;
  const std::size_t observed_;
  const SimKernel kernel_;
  Buffer slots_;
  Buffer state_;
  Buffer next_;
  std::size_t first_ = 0;  // first word of the block
  std::size_t count_ = 0;  // words of the block that belong to the run
  std::size_t cycle_ = 0;
};

}  // namespace

PatternSource PatternSource::random(std::uint64_t seed) {
  PatternSource source;
  source.kind_ = Kind::kRandom;
  source.seed_ = seed;
  return source;
}

PatternSource PatternSource::exhaustive() {
  PatternSource source;
  source.kind_ = Kind::kExhaustive;
  return source;
}

PatternSource PatternSource::given(const std::uint64_t* values, const std::uint64_t* unknown,
                                   std::size_t rows_per_cycle, std::size_t words) {
  PatternSource source;
  source.kind_ = Kind::kGiven;
  source.values_ = values;
  source.unknown_ = unknown;
  source.rows_ = rows_per_cycle;
  source.words_ = words;
  return source;
}

void PatternSource::fill(std::uint32_t input, std::size_t cycle, std::size_t first, std::size_t count,
                         std::size_t total, std::uint64_t* out) const {
  switch (kind_) {
    case Kind::kRandom: {
      Random seeds(seed_);
      seeds.skip(input);
      Random stream(seeds.next());
      stream.skip(cycle * total + first);
      for (std::size_t i = 0; i < count; ++i) out[i] = stream.next();
      return;
    }
    case Kind::kExhaustive: {
      constexpr std::array<std::uint64_t, 6> kWithinWord = {0xAAAAAAAAAAAAAAAAULL, 0xCCCCCCCCCCCCCCCCULL,
                                                            0xF0F0F0F0F0F0F0F0ULL, 0xFF00FF00FF00FF00ULL,
                                                            0xFFFF0000FFFF0000ULL, 0xFFFFFFFF00000000ULL};
      for (std::size_t i = 0; i < count; ++i) {
        if (input < kWithinWord.size()) {
          out[i] = kWithinWord[input];
        } else {
          const std::uint64_t bit = input < 70 ? ((first + i) >> (input - 6)) & 1U : 0;
          out[i] = 0 - bit;
        }
      }
      return;
    }
    case Kind::kGiven: {
      assert(first + count <= words_);
      std::memcpy(out, values_ + (cycle * rows_ + input) * words_ + first, count * sizeof(std::uint64_t));
      return;
    }
  }
}

void PatternSource::fill_unknown(std::uint32_t input, std::size_t cycle, std::size_t first, std::size_t count,
                                 std::uint64_t* out) const {
  if (unknown_ == nullptr) {
    std::fill_n(out, count, std::uint64_t{0});
  } else {
    std::memcpy(out, unknown_ + (cycle * rows_ + input) * words_ + first, count * sizeof(std::uint64_t));
  }
}

bool simulate(const SimSchedule& schedule, const SimRun& run, Stop& stop) {
  assert(run.state_count <= schedule.source_count() && run.state_count <= schedule.root_count());
  return Runner(schedule, run, stop).run();
}

bool simulate_nodes(const AigSnapshot& aig, const PatternSource& source, std::size_t patterns,
                    std::uint64_t* out, Stop& stop, Simd simd) {
  const std::size_t words = words_of(patterns);
  const Simd variant = resolve_simd(simd);
  std::vector<SimOp> ops;
  ops.reserve(kOpsPerPoll);
  // Blocks of words, each over the whole graph: the part of a row that is read again is likely in the cache.
  for (std::size_t first = 0; first < words;) {
    std::size_t width = 1;
    for (const std::size_t candidate : kSimWidths) {
      if (candidate <= words - first) width = candidate;
    }
    const SimKernel kernel = sim_kernel(variant, width);
    std::fill_n(out + first, width, std::uint64_t{0});
    for (std::uint32_t id = 1; id < aig.node_count();) {
      ops.clear();
      for (; id < aig.node_count() && ops.size() < kOpsPerPoll && aig.is_and(id); ++id) {
        ops.push_back({aig.nodes[id].fanin0.raw(), aig.nodes[id].fanin1.raw(), id});
      }
      kernel(ops.data(), ops.size(), out + first, words);
      if (stop.poll()) return false;
      if (id < aig.node_count() && !aig.is_and(id)) {
        source.fill(aig.source(id), 0, first, width, words, out + std::size_t{id} * words + first);
        ++id;
      }
    }
    first += width;
  }
  const std::size_t tail = patterns % 64;
  if (tail != 0) {
    for (std::size_t id = 0; id < aig.node_count(); ++id) {
      out[id * words + words - 1] &= (std::uint64_t{1} << tail) - 1;
    }
  }
  return true;
}

}  // namespace dmt
