#include "dmt_dialect/native/cnf/cnf.hpp"

#include "dynomite/native/base/error.hpp"

namespace dmt {

std::int32_t Cnf::add_variable() {
  if (variables_ >= kMaxVariable) throw dynomite::LimitError("a CNF has at most 2^31 - 2 variables");
  return static_cast<std::int32_t>(++variables_);
}

std::optional<std::uint64_t> Cnf::first_falsified(std::span<const std::uint8_t> values) const {
  std::uint64_t number = 0;
  bool satisfied = false;
  for (const std::int32_t lit : literals_) {
    if (lit == 0) {
      if (!satisfied) return number;
      satisfied = false;
      ++number;
      continue;
    }
    const auto variable = static_cast<std::size_t>(lit < 0 ? -lit : lit);
    const bool value = variable <= values.size() && values[variable - 1] != 0;
    satisfied = satisfied || value == (lit > 0);
  }
  return std::nullopt;
}

}  // namespace dmt
