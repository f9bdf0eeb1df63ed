#include "dmt_dialect/native/bdd/bdd_manager.hpp"

#include "dynomite/native/base/error.hpp"

namespace dmt {

std::uint32_t BddManager::add_var(const std::string& name) {
  if (name.empty()) throw dynomite::UsageError("a variable's name is not to be empty");
  const auto [place, fresh] = vars_.emplace(name, store.var_count());
  if (!fresh) throw dynomite::UsageError("there is a variable '" + name + "' already");
  names_.push_back(name);
  return store.add_vars(1);
}

std::uint32_t BddManager::add_vars(std::uint32_t count) {
  const std::uint32_t first = store.var_count();
  for (std::uint32_t i = 0; i < count; ++i) add_var("x" + std::to_string(first + i));
  return first;
}

std::optional<std::uint32_t> BddManager::find(const std::string& name) const {
  const auto found = vars_.find(name);
  if (found == vars_.end()) return std::nullopt;
  return found->second;
}

void BddManager::clear() {
  store.clear();
  names_.clear();
  vars_.clear();
  dead.clear();
  ++generation;
}

}  // namespace dmt
