#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dmt {

/// Learned clauses in one array of 32-bit words: size, LBD, conflict number of the last use, literals.
/// References are offsets; they stay valid until `collect`.
class ClauseArena {
 public:
  static constexpr std::uint32_t kHeader = 3;

  std::uint32_t add(std::span<const std::uint32_t> lits, std::uint32_t lbd, std::uint32_t now) {
    const auto ref = static_cast<std::uint32_t>(words_.size());
    words_.push_back(static_cast<std::uint32_t>(lits.size()));
    words_.push_back(lbd);
    words_.push_back(now);
    words_.insert(words_.end(), lits.begin(), lits.end());
    return ref;
  }
  std::uint32_t size(std::uint32_t ref) const { return words_[ref]; }
  std::uint32_t lbd(std::uint32_t ref) const { return words_[ref + 1]; }
  std::uint32_t last_use(std::uint32_t ref) const { return words_[ref + 2]; }
  void set_last_use(std::uint32_t ref, std::uint32_t now) { words_[ref + 2] = now; }
  std::uint32_t* lits(std::uint32_t ref) { return words_.data() + ref + kHeader; }
  std::span<const std::uint32_t> view(std::uint32_t ref) const {
    return {words_.data() + ref + kHeader, size(ref)};
  }
  void clear() { words_.clear(); }

  /// Keeps only `refs`, which is updated in place to the new references.
  void collect(std::vector<std::uint32_t>& refs) {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t& ref : refs) {
      const auto moved = static_cast<std::uint32_t>(kept.size());
      const auto first = words_.begin() + static_cast<std::ptrdiff_t>(ref);
      kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(kHeader + size(ref)));
      ref = moved;
    }
    words_ = std::move(kept);
  }

 private:
  std::vector<std::uint32_t> words_;
};

}  // namespace dmt
