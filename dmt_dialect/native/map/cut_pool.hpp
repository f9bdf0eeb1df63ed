#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dmt_dialect/native/map/cut.hpp"

namespace dmt {

/// The cut sets that are still needed: those of nodes whose fanouts are not all done. Sets have a fixed
/// number of places; one that is given back is used again first, while it is in the cache.
template <unsigned kMax>
class CutPool {
 public:
  struct Set {
    std::uint32_t size = 0;
    Cut<kMax>* cuts = nullptr;
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit CutPool(std::size_t places) : places_(places) {}

  std::uint32_t take() {
    if (!free_.empty()) {
      const std::uint32_t id = free_.back();
      free_.pop_back();
      return id;
    }
    const auto id = static_cast<std::uint32_t>(sets_.size());
    if (id % kSetsAChunk == 0) {
      chunks_.push_back(std::make_unique_for_overwrite<Cut<kMax>[]>(places_ * kSetsAChunk));
    }
    sets_.push_back({0, chunks_.back().get() + places_ * (id % kSetsAChunk)});
    return id;
  }
  void give_back(std::uint32_t id) { free_.push_back(id); }
  Set& operator[](std::uint32_t id) { return sets_[id]; }
  /// Most sets in use at a time so far.
  std::size_t peak() const { return sets_.size(); }

 private:
  static constexpr std::size_t kSetsAChunk = 256;
  std::size_t places_;
  std::vector<std::unique_ptr<Cut<kMax>[]>> chunks_;
  std::vector<Set> sets_;
  std::vector<std::uint32_t> free_;
};

}  // namespace dmt
