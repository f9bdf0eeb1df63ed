#include "dmt_dialect/native/aig/exhaustive.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/aig/sim_kernels.hpp"
#include "dmt_dialect/native/aig/sim_schedule.hpp"
#include "dmt_dialect/native/aig/simulation.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

constexpr std::uint32_t kMaxSupport = 40;
constexpr std::size_t kCacheWords = 96 * 1024;  // live values of one block, well inside a second-level cache
constexpr std::size_t kOpsPerPoll = 4096;

std::size_t block_width(std::size_t slots, std::uint64_t words) {
  std::size_t width = kSimWidths[0];
  for (const std::size_t candidate : kSimWidths) {
    if (candidate <= words && (candidate <= 8 || candidate * slots <= kCacheWords)) width = candidate;
  }
  return width;
}

}  // namespace

std::vector<std::uint32_t> structural_support(const AigStore& aig, std::span<const Lit> roots) {
  const std::vector<bool> marked = mark_cone(aig, roots);
  std::vector<std::uint32_t> support;
  const auto inputs = static_cast<std::uint32_t>(aig.inputs().size());
  for (std::uint32_t i = 0; i < inputs; ++i) {
    if (marked[aig.inputs()[i].index()]) support.push_back(i);
  }
  for (std::uint32_t i = 0; i < aig.latches().size(); ++i) {
    if (marked[aig.latches()[i].node.index()]) support.push_back(inputs + i);
  }
  return support;
}

std::uint64_t exhaustive_cost(std::size_t support_size, std::size_t ands) {
  if (support_size > kMaxSupport) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t words = support_size > 6 ? std::uint64_t{1} << (support_size - 6) : 1;
  if (ands != 0 && words > std::numeric_limits<std::uint64_t>::max() / ands) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return words * ands;
}

ExhaustiveResult compare_exhaustively(const AigStore& aig, std::span<const std::pair<Lit, Lit>> pairs,
                                      std::span<const std::uint32_t> support, dynomite::Stop& stop) {
  assert(support.size() <= kMaxSupport);
  ExhaustiveResult result;
  result.differences.resize(pairs.size());
  std::vector<Lit> roots;
  for (const auto& [a, b] : pairs) {
    roots.push_back(a);
    roots.push_back(b);
  }
  std::optional<SimSchedule> compiled;
  try {
    compiled.emplace(aig, roots, stop);
  } catch (const dynomite::LimitError&) {
    return result;  // stopped: incomplete
  }
  const SimSchedule& schedule = *compiled;
  const PatternSource patterns = PatternSource::exhaustive();
  std::vector<std::uint32_t> variable_of(schedule.source_count(), kMaxSupport);
  for (std::uint32_t k = 0; k < support.size(); ++k) variable_of[support[k]] = k;

  const std::uint64_t words = support.size() > 6 ? std::uint64_t{1} << (support.size() - 6) : 1;
  // Below 64 assignments the word repeats them; the first difference is in the first copy all the same.
  const std::size_t width = block_width(std::max<std::size_t>(schedule.slot_count(), 1), words);
  const SimKernel kernel = sim_kernel(resolve_simd(Simd::kAuto), width);
  std::vector<std::uint64_t> slot_memory(std::size_t{schedule.slot_count()} * width + 8);
  auto* slots = slot_memory.data();
  slots += (64 - reinterpret_cast<std::uintptr_t>(slots) % 64) % 64 / sizeof(std::uint64_t);
  std::vector<std::uint64_t> values(roots.size() * width);
  std::size_t open = pairs.size();

  for (std::uint64_t first = 0; first < words; first += width) {
    const auto run = [&](std::size_t from, std::size_t to) {
      while (from < to) {
        const std::size_t count = std::min(to - from, kOpsPerPoll);
        kernel(schedule.ops().data() + from, count, slots, width);
        from += count;
        if (stop.poll()) return false;
      }
      return true;
    };
    std::size_t done = 0;
    for (const SimEvent& event : schedule.events()) {
      if (!run(done, event.position)) return result;
      done = event.position;
      std::uint64_t* slot =
          slots + std::size_t{event.kind == SimEvent::Kind::kStore ? event.slot >> 1 : event.slot} * width;
      if (event.kind == SimEvent::Kind::kZero) {
        std::fill_n(slot, width, 0);
      } else if (event.kind == SimEvent::Kind::kLoad) {
        assert(variable_of[event.index] < kMaxSupport);
        patterns.fill(variable_of[event.index], 0, first, width, words, slot);
      } else {
        const std::uint64_t flip = (event.slot & 1U) != 0 ? ~std::uint64_t{0} : 0;
        for (std::size_t w = 0; w < width; ++w) values[event.index * width + w] = slot[w] ^ flip;
      }
    }
    if (!run(done, schedule.ops().size())) return result;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (result.differences[i]) continue;
      const std::uint64_t* a = values.data() + 2 * i * width;
      const std::uint64_t* b = a + width;
      for (std::size_t w = 0; w < width; ++w) {
        const std::uint64_t difference = a[w] ^ b[w];
        if (difference == 0) continue;
        result.differences[i] = (first + w) * 64 + static_cast<std::uint64_t>(__builtin_ctzll(difference));
        --open;
        break;
      }
    }
    if (open == 0) break;
    if (stop.poll_clock()) return result;
  }
  result.complete = true;
  return result;
}

}  // namespace dmt
