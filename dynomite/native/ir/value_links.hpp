#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace dynomite::ir {

/// A partial map between numbers, each target with a generation, made for what is mostly linked in order: it
/// keeps runs of neighbours whose targets are neighbours too. 80 bytes a run; logarithmic in the runs.
class ValueLinks {
 public:
  struct Link {
    std::uint32_t target = 0;
    std::uint32_t generation = 0;
    bool operator==(const Link&) const = default;
  };

  std::optional<Link> find(std::uint32_t from) const;
  /// Links `from`, anew if it was linked already.
  void set(std::uint32_t from, Link link);
  std::size_t run_count() const { return runs_.size(); }
  std::size_t memory() const { return runs_.size() * kBytesOfRun; }

 private:
  struct Run {
    std::uint32_t length;
    Link link;  // of the first
  };
  // A node of the tree: links, colour and the pair, as the allocator rounds it.
  static constexpr std::size_t kBytesOfRun = 64 + 16;

  /// The run that covers `from`; end if none does.
  std::map<std::uint32_t, Run>::const_iterator covering(std::uint32_t from) const;

  std::map<std::uint32_t, Run> runs_;  // by first number; they do not overlap
};

}  // namespace dynomite::ir
