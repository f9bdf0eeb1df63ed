#include "dmt_dialect/native/io/aiger_definitions.hpp"

#include <algorithm>
#include <string>

#include "dynomite/native/base/error.hpp"

namespace dmt::aiger {

std::uint32_t Definitions::add(std::uint32_t var) {
  if (sequential_ && var == count_ + 1) {
    ++count_;
    return kNone;
  }
  if (sequential_) leave_sequence();
  const std::uint32_t earlier = find(var);
  if (earlier != kNone) return earlier;
  ++count_;
  if (dense_) {
    table_[var] = count_;
  } else {
    map_.emplace(var, count_);
  }
  return kNone;
}

void Definitions::leave_sequence() {
  sequential_ = false;
  if (dense_) table_.assign(static_cast<std::size_t>(max_var_) + 1, kNone);
  for (std::uint32_t var = 0; var <= count_; ++var) {
    if (dense_) {
      table_[var] = var;
    } else if (var != 0) {
      map_.emplace(var, var);
    }
  }
}

AndOrder order_ands(std::span<const Node> rows, std::uint32_t first_and, dynomite::Stop& stop) {
  constexpr std::uint32_t kNew = 0xFFFFFFFFU;
  constexpr std::uint32_t kOpen = 0xFFFFFFFEU;
  AndOrder order;
  order.position.assign(rows.size(), kNew);
  std::vector<std::uint32_t> path;  // every AND on it is a fanin of the one before
  std::uint32_t placed = 0;
  for (std::uint32_t root = 0; root < rows.size(); ++root) {
    if (order.position[root] != kNew) continue;
    if (stop.poll()) throw dynomite::LimitError("reading was stopped");
    path.push_back(root);
    while (!path.empty()) {
      const std::uint32_t top = path.back();
      order.position[top] = kOpen;
      std::uint32_t next = kNew;
      for (const Lit fanin : {rows[top].fanin0, rows[top].fanin1}) {
        const std::uint32_t definition = fanin.node().index();
        if (definition < first_and) continue;
        const std::uint32_t child = definition - first_and;
        if (order.position[child] == kOpen) {
          order.cycle.assign(std::find(path.begin(), path.end(), child), path.end());
          return order;
        }
        if (order.position[child] == kNew && next == kNew) next = child;
      }
      if (next != kNew) {
        path.push_back(next);
        continue;
      }
      order.position[top] = placed++;
      path.pop_back();
    }
  }
  return order;
}

}  // namespace dmt::aiger
