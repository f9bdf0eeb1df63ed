#include "dmt_dialect/native/smt/names.hpp"

namespace dmt::smt {

const Binding& Names::find(std::string_view name, Space space) const {
  static const Binding kNothing;
  const auto at = table(space).find(name);
  return at == table(space).end() ? kNothing : at->second;
}

void Names::bind(std::string_view name, Binding binding, Space space) {
  Table& names = table(space);
  auto at = names.find(name);
  if (at == names.end()) at = names.emplace(std::string(name), Binding()).first;
  undo_.push_back({&at->second, at->second});  // nodes of an unordered map stay where they are
  at->second = binding;
}

void Names::leave(std::size_t mark) {
  while (undo_.size() > mark) {
    *undo_.back().binding = undo_.back().before;
    undo_.pop_back();
  }
}

void Names::clear() {
  undo_.clear();
  terms_.clear();
  sorts_.clear();
}

}  // namespace dmt::smt
