#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dynomite/native/base/error.hpp"

namespace dmt {

/// Optional names of a row of ports. Nothing is stored until the first name is set; then 8 bytes a port
/// plus the characters. A name may hold any byte but NUL and newline; an absent name is the empty string.
class NameTable {
 public:
  std::string_view get(std::size_t index) const {
    if (index >= spans_.size()) return {};
    return std::string_view(pool_).substr(spans_[index].offset, spans_[index].length);
  }
  bool has(std::size_t index) const { return index < spans_.size() && spans_[index].length != 0; }
  /// Number of ports that have a name.
  std::size_t count() const { return named_; }
  bool empty() const { return named_ == 0; }

  /// Sets or replaces; an empty `name` removes.
  void set(std::size_t index, std::string_view name) {
    if (index >= spans_.size()) {
      if (name.empty()) return;
      spans_.resize(index + 1);
    }
    if (pool_.size() + name.size() > UINT32_MAX)
      throw dynomite::LimitError("names of one table exceed 4 GiB");
    if (spans_[index].length != 0) --named_;
    spans_[index] = {static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(name.size())};
    pool_.append(name);
    if (!name.empty()) ++named_;
  }
  /// Room for the names of `ports` ports, so that naming them one by one does not move the table.
  void reserve(std::size_t ports) { spans_.reserve(ports); }
  void clear() { *this = NameTable(); }
  std::size_t memory() const { return spans_.capacity() * sizeof(Span) + pool_.capacity(); }

 private:
  struct Span {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
  };
  std::vector<Span> spans_;
  std::string pool_;
  std::size_t named_ = 0;
};

}  // namespace dmt
