#include "dmt_dialect/native/aig/aig_match_store.hpp"

#include <string>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

std::uint16_t operation(const dynomite::ir::Registry& registry, const std::string& name) {
  const auto found = registry.find_op(name);
  if (!found) throw dynomite::UsageError("matching in an AIG needs the operation " + name);
  return found->raw();
}

}  // namespace

AigMatchStore::AigMatchStore(const AigStore& aig, const dynomite::ir::Registry& registry)
    : aig_(aig),
      registry_(registry),
      fanouts_(fanout_counts(aig)),
      and_(operation(registry, "op.AND")),
      not_(operation(registry, "op.NOT")) {}

}  // namespace dmt
