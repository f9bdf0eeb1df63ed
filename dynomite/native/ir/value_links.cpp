#include "dynomite/native/ir/value_links.hpp"

#include <iterator>

namespace dynomite::ir {

std::map<std::uint32_t, ValueLinks::Run>::const_iterator ValueLinks::covering(std::uint32_t from) const {
  auto run = runs_.upper_bound(from);
  if (run == runs_.begin()) return runs_.end();
  --run;
  return from - run->first < run->second.length ? run : runs_.end();
}

std::optional<ValueLinks::Link> ValueLinks::find(std::uint32_t from) const {
  const auto run = covering(from);
  if (run == runs_.end()) return std::nullopt;
  return Link{run->second.link.target + (from - run->first), run->second.link.generation};
}

void ValueLinks::set(std::uint32_t from, Link link) {
  if (const auto run = covering(from); run != runs_.end()) {
    // Taken out of its run, which falls into what is before and behind.
    const std::uint32_t first = run->first;
    const Run old = run->second;
    const std::uint32_t before = from - first;
    runs_.erase(run);
    if (before != 0) runs_.emplace(first, Run{before, old.link});
    if (before + 1 != old.length) {
      runs_.emplace(from + 1,
                    Run{old.length - before - 1, {old.link.target + before + 1, old.link.generation}});
    }
  }
  const auto next = runs_.lower_bound(from);
  const bool joins_next = next != runs_.end() && next->first == from + 1 &&
                          next->second.link == Link{link.target + 1, link.generation};
  Run added{1, link};
  if (joins_next) added.length += next->second.length;
  if (next != runs_.begin()) {
    const auto previous = std::prev(next);
    Run& run = previous->second;
    if (previous->first + run.length == from &&
        Link{run.link.target + run.length, run.link.generation} == link) {
      run.length += added.length;
      if (joins_next) runs_.erase(next);
      return;
    }
  }
  if (joins_next) runs_.erase(next);
  runs_.emplace(from, added);
}

}  // namespace dynomite::ir
