#pragma once

#include <cstdint>
#include <vector>

#include "dmt_dialect/native/opt/network.hpp"
#include "dmt_dialect/native/opt/window.hpp"

namespace dmt::opt {

/// The table of a variable, 64 rows a word.
void variable_row(unsigned variable, std::uint64_t* row, unsigned words);

/// Truth tables of the nodes of a window over its leaves: 64 rows a word.
class WindowTables {
 public:
  /// Linear in the nodes of the window times the words of a table; at most 16 leaves.
  void compute(const Network& network, const Window& window);
  unsigned words() const { return words_; }
  /// Of a leaf, a divisor or a node of the cone of the window computed last.
  const std::uint64_t* row(std::uint32_t id) const {
    return values_.data() + std::size_t{slot_[id].place} * words_;
  }

 private:
  void set_gate(const Network& network, std::uint32_t id);
  std::uint64_t* next_row(std::uint32_t id);

  struct Slot {
    std::uint32_t stamp = 0, place = 0;  // valid when the stamp is that of the last call
  };

  unsigned words_ = 1;
  std::uint32_t used_ = 0, stamp_ = 0;
  std::vector<Slot> slot_;
  std::vector<std::uint64_t> values_;
};

}  // namespace dmt::opt
