#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynomite::ir {

/// Levenshtein distance, cut off at `limit` + 1.
inline std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({changed, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

/// The nearest of the names offered, for "did you mean"; the first in the alphabet if several are as near.
/// Names longer than 100 bytes are never near.
class NearestName {
 public:
  explicit NearestName(std::string_view wanted)
      : wanted_(wanted),
        limit_(wanted.size() > 100 ? 0
                                   : std::max<std::size_t>(wanted.size() < 3 ? 1 : 2, wanted.size() / 4)) {}
  void offer(std::string_view name) {
    if (limit_ == 0) return;
    const std::size_t distance = edit_distance(name, wanted_, limit_);
    if (distance > limit_) return;
    if (best_.empty() || distance < least_ || (distance == least_ && name < best_)) {
      least_ = distance;
      best_ = name;
    }
  }
  const std::string& best() const { return best_; }

 private:
  std::string_view wanted_;
  std::size_t limit_;
  std::size_t least_ = 0;
  std::string best_;
};

}  // namespace dynomite::ir
